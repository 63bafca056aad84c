// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/check.h"

#include "base/json.h"
#include "data/golden_case.h"
#include "data/listed_files.h"
#include "runtime/peak_resident.h"
#include "selfcheck/trial.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lathe::selfcheck {
namespace {

using nlohmann::json;
using Tensors = std::vector<model::HostTensor>;

/// What manifest.json says that matters here. Fields that are missing are none of a limit.
struct Manifest {
    std::vector<std::string> variants; // best first
    json limits = json::object();
};

std::string sizeText(double bytes) {
    return bytes < 1e6 ? fmt::format("{:.1f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
}

class Check {
public:
    Check(const Wish& wish, Report& report) : wish_(wish), report_(report) {}

    void run() {
        if (!files() || !manifest())
            return;
        bool fits = false;
        for (const std::string& path : manifest_.variants)
            fits = variant(path, !fits) || fits;
        report_.begin("machine");
        if (!fits && report_.allGood())
            report_.bad(error("none of the bundle's models is for this machine", "export one for it"));
    }

private:
    bool files() {
        report_.begin("files");
        auto listed = data::readSums(wish_.bundle);
        if (!listed) {
            report_.bad(listed.error());
            return false;
        }
        const data::Verified verified = data::verify(wish_.bundle, *listed);
        std::vector<Diagnostic> problems = verified.problems;
        std::ranges::move(data::strangersIn(wish_.bundle, *listed, data::Beside::Used), std::back_inserter(problems));
        for (const Diagnostic& problem : problems)
            report_.bad(problem);
        if (!problems.empty())
            return false;
        for (const data::ListedFile& file : *listed)
            listed_.push_back(file.path);
        std::error_code failed; // it was read a moment ago
        size_ = verified.bytes + std::filesystem::file_size(wish_.bundle / data::sumsName, failed);
        report_.good(fmt::format("{} files of {}, all as they were written", listed_.size(),
                                 sizeText(static_cast<double>(size_))),
                     {{"files", listed_.size()}, {"size_bytes", size_}});
        return true;
    }

    bool isListed(const std::string& path) const { return std::ranges::find(listed_, path) != listed_.end(); }

    bool manifest() {
        report_.begin("manifest");
        if (!isListed("manifest.json")) {
            for (const std::string& path : listed_)
                if (path.starts_with("model/") && path.ends_with(".so"))
                    manifest_.variants.push_back(path);
        } else if (const auto problem = readManifest()) {
            Diagnostic named = *problem;
            named.file = "manifest.json";
            report_.bad(named);
            return false;
        }
        if (manifest_.variants.empty())
            report_.bad(error("the bundle has no model", "copy it again"));
        return !manifest_.variants.empty();
    }

    std::optional<Diagnostic> readManifest() {
        std::ifstream file(wish_.bundle / "manifest.json", std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        const auto root = parseJson(text);
        if (!root || !root->is_object())
            return error("it is no JSON object");
        const json schema = root->value("schema", json());
        constexpr std::string_view known = "lathe-bundle/1";
        if (schema != known)
            return error(fmt::format("its schema is {}, this program reads {}", dump(schema), known),
                         "use the lathe-check that came with the bundle");
        const json variants = root->value("variants", json::array());
        if (!variants.is_array())
            return error("its variants are no list");
        for (const json& variant : variants) {
            const auto path = variant.is_object() ? variant.find("path") : variant.end();
            if (!variant.is_object() || path == variant.end() || !path->is_string() ||
                !isListed(path->get<std::string>()))
                return error("one of its variants names no file that SHA256SUMS lists");
            manifest_.variants.push_back(path->get<std::string>());
        }
        manifest_.limits = root->value("limits", json::object());
        return manifest_.limits.is_object() ? std::nullopt : std::optional(error("its limits are no object"));
    }

    /// Whether this machine could load it.
    bool variant(const std::string& path, bool first) {
        report_.begin("load");
        Trial trial;
        if (auto loaded = wish_.linked ? trial.open(*wish_.linked) : trial.load(wish_.bundle, path); !loaded) {
            Diagnostic problem = std::move(loaded).error();
            if (problem.kind == ErrorKind::Unsupported && manifest_.variants.size() > 1) {
                report_.note("skipped: " + problem.what);
                return false;
            }
            if (!problem.what.contains(path))
                problem.file = path;
            report_.bad(problem);
            return false;
        }
        std::error_code unknown;
        const auto bytes = std::filesystem::file_size(wish_.bundle / path, unknown);
        report_.good(fmt::format("{} ({}) in {:.2f} ms", path, sizeText(static_cast<double>(bytes)), trial.loadMs()),
                     {{"path", path}, {"bytes", bytes}, {"load_ms", trial.loadMs()}});

        std::optional<Tensors> inputs; // of the first case that is right
        size_t cases = 0;
        for (const std::string& listed : listed_) {
            constexpr std::string_view folder = "golden/", file = "/case.json";
            if (!listed.starts_with(folder) || !listed.ends_with(file) || listed.size() <= folder.size() + file.size())
                continue;
            ++cases;
            auto right = golden(trial, listed.substr(folder.size(), listed.size() - folder.size() - file.size()));
            if (right && !inputs)
                inputs = std::move(right);
        }
        report_.begin("golden");
        if (cases == 0)
            report_.note("skipped: the bundle has no golden cases, so nothing is known of values and times");
        if (first)
            limits(trial.loadMs(), inputs ? measure(trial, *inputs) : std::nullopt);
        return true;
    }

    /// The inputs of the case, if all went well.
    std::optional<Tensors> golden(Trial& trial, const std::string& name) {
        report_.begin(name);
        const auto failed = [&](const Diagnostic& problem) {
            report_.bad(problem);
            return std::nullopt;
        };
        auto golden = data::readCase(wish_.bundle, name, trial.types());
        if (!golden)
            return failed(golden.error());
        const auto outputs = trial.run(golden->inputs, wish_.threads);
        if (!outputs)
            return failed(outputs.error());
        const int threads = trial.threads();
        const data::CaseResult result = data::compareCase(*golden, *outputs, trial.outputNames());
        if (!result.wrong.empty())
            return failed(error(result.wrong.front(), "lathe check MODEL says which value diverges first"));
        // Chunks of parallel loops do not depend on who runs them, so neither do bits.
        const auto again = trial.run(golden->inputs, threads > 1 ? 1 : wish_.threads);
        if (!again)
            return failed(again.error());
        for (size_t i = 0; i < golden->outputs.size(); ++i)
            if (golden->compared[i] && (*again)[i] != (*outputs)[i])
                return failed(error(fmt::format("output {} of two runs is not the same bit for bit", i),
                                    "please report the model"));
        if (result.known() == 0) {
            report_.note(result.verdict(""));
            return std::move(golden->inputs);
        }
        report_.good(
            result.verdict(fmt::format("right: at most {:.2g} of the range, and the same bits {}", result.ofRange,
                                       threads > 1 ? fmt::format("on {} threads and on one", threads) : "in two runs")),
            {{"of_range", result.ofRange},
             {"threads", threads},
             {"arena_peak_bytes", trial.arenaPeak()},
             {"not_finite", result.nan + result.infinite}});
        return std::move(golden->inputs);
    }

    std::optional<data::Latency> measure(Trial& trial, const Tensors& inputs) {
        report_.begin("time");
        const auto latency = trial.time(inputs, wish_.threads, wish_.repeat);
        if (!latency) {
            report_.bad(latency.error());
            return std::nullopt;
        }
        const auto resident = static_cast<double>(runtime::peakResident());
        json facts = {{"first_ms", latency->first}, {"runs", latency->runs}, {"resident_bytes", resident}};
        std::string text = fmt::format("first run {:.3f} ms", latency->first);
        if (latency->runs > 0) {
            text += fmt::format("; p50 {:.3f} ms, p90 {:.3f} ms, p99 {:.3f} ms of {} runs", latency->p50, latency->p90,
                                latency->p99, latency->runs);
            facts.update({{"p50_ms", latency->p50}, {"p90_ms", latency->p90}, {"p99_ms", latency->p99}});
        }
        text += fmt::format("; {} thread{}, {} resident at most", trial.threads(), trial.threads() == 1 ? "" : "s",
                            sizeText(resident));
        facts["threads"] = trial.threads();
        report_.good(text, facts);

        return *latency;
    }

    /// What was not measured holds no limit.
    void limits(double loadMs, const std::optional<data::Latency>& latency) {
        report_.begin("limits");
        struct Measured {
            const char *key, *name;
            std::optional<double> value;
        };
        const bool timed = latency && latency->runs > 0;
        for (const Measured& row :
             {Measured{"p50_ms", "p50 in ms", timed ? std::optional(latency->p50) : std::nullopt},
              {"p99_ms", "p99 in ms", timed ? std::optional(latency->p99) : std::nullopt},
              {"load_ms", "load time in ms", loadMs},
              {"resident_bytes", "peak resident memory in bytes",
               latency ? std::optional(static_cast<double>(runtime::peakResident())) : std::nullopt},
              {"size_bytes", "size in bytes", static_cast<double>(size_)}}) {
            const auto limit = manifest_.limits.find(row.key);
            const double most = limit != manifest_.limits.end() && limit->is_number() ? limit->get<double>() : 0;
            if (most > 0 && !row.value)
                report_.bad(error(fmt::format("{} was not measured, the limit is {:.10g}", row.name, most)));
            else if (most > 0 && *row.value > most)
                report_.bad(error(fmt::format("{} is {:.10g}, the limit {:.10g}", row.name, *row.value, most)));
        }
    }

    const Wish& wish_;
    Report& report_;
    std::vector<std::string> listed_;
    uint64_t size_ = 0;
    Manifest manifest_;
};

} // namespace

void checkBundle(const Wish& wish, Report& report) {
    Check(wish, report).run();
}

} // namespace lathe::selfcheck
