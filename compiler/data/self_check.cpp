// SPDX-License-Identifier: Apache-2.0
#include "data/self_check.h"

#include "base/counted.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace lathe::data {
namespace {

using Tensors = std::vector<model::HostTensor>;

std::string sizeText(double bytes) {
    return bytes < 1e6 ? fmt::format("{:.1f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
}

class Sequence {
public:
    Sequence(const CheckedFiles& files, const SelfCheckWish& wish, ArtifactRunner& runner, StepReport& report)
        : files_(files), wish_(wish), runner_(runner), report_(report) {}

    SelfChecked check() {
        for (const std::string& path : files_.facts.artifacts)
            artifact(path);
        if (done_.first.empty() && good_) {
            report_.begin("machine");
            report_.bad(error("none of the bundle's models is for this machine: " + lacking_.what,
                              lacking_.hint.empty() ? "export one for it" : lacking_.hint));
        }
        return std::move(done_);
    }

private:
    void bad(const Diagnostic& problem) {
        good_ = false;
        ArtifactCheck& seen = done_.artifacts.back();
        if (seen.outcome != ArtifactCheck::Outcome::Wrong)
            seen.why = problem.what;
        seen.outcome = ArtifactCheck::Outcome::Wrong;
        report_.bad(problem);
    }

    /// What could not be loaded: another artifact may be for this machine, or it is broken.
    void notLoaded(const std::string& path, Diagnostic problem) {
        problem.file = problem.what.contains(path) ? "" : path;
        if (problem.kind != ErrorKind::Unsupported)
            return bad(problem);
        done_.artifacts.back().why = problem.what;
        if (files_.facts.artifacts.size() > 1) {
            report_.note(fmt::format("skipped: {}{}{}", problem.file, problem.file.empty() ? "" : ": ", problem.what));
            lacking_ = std::move(problem);
            return;
        }
        good_ = false;
        report_.bad(problem);
    }

    void artifact(const std::string& path) {
        done_.artifacts.push_back({.path = path});
        report_.begin("load");
        const auto loaded = runner_.load(path);
        if (!loaded)
            return notLoaded(path, loaded.error());
        const bool first = done_.first.empty();
        if (first) {
            done_.first = path;
            done_.loadMs = loaded->ms;
        }
        std::error_code unknown;
        const auto bytes = std::filesystem::file_size(wish_.bundle / path, unknown);
        report_.good(fmt::format("{} ({}) in {:.2f} ms", path, sizeText(static_cast<double>(bytes)), loaded->ms),
                     {{"path", path}, {"bytes", bytes}, {"load_ms", loaded->ms}});
        done_.artifacts.back().outcome = ArtifactCheck::Outcome::Loads;

        std::optional<Tensors> inputs; // of the first case that is not wrong
        for (const std::string& name : files_.facts.cases) {
            if (!runner_.isAlive())
                break;
            auto taken = golden(*loaded, name, first);
            if (taken && !inputs)
                inputs = std::move(taken);
        }
        if (files_.facts.cases.empty()) {
            report_.begin("golden");
            report_.note("skipped: the bundle has no golden cases, so nothing is known of values and times");
        }
        if (!first)
            return;
        if (inputs && runner_.isAlive())
            measure(*inputs);
        limits();
    }

    /// Of a case: its file is named by its path in the bundle.
    void badCase(Diagnostic problem) {
        if (!problem.file.empty())
            if (const auto inside = std::filesystem::path(problem.file).lexically_relative(wish_.bundle);
                !inside.empty() && *inside.begin() != "..")
                problem.file = inside.string();
        bad(problem);
    }

    /// The inputs of the case, if all went well.
    std::optional<Tensors> golden(const LoadedArtifact& loaded, const std::string& name, bool first) {
        report_.begin(name);
        const auto failed = [&](const Diagnostic& problem) {
            badCase(problem);
            return std::nullopt;
        };
        auto golden = readCase(wish_.bundle, name, loaded.types);
        if (!golden)
            return failed(golden.error());
        const auto ran = runner_.run(golden->inputs, wish_.threads);
        if (!ran)
            return failed(ran.error());
        const CaseResult result = compareCase(*golden, ran->outputs, loaded.outputs);
        done_.ofRange = std::max(done_.ofRange, result.ofRange);
        if (!result.wrong.empty())
            return failed(error(fmt::format("{}", fmt::join(result.wrong, "; ")),
                                "report it to the bundle's maker: lathe check MODEL says which value diverges first"));
        // Chunks of parallel loops do not depend on who runs them, so neither do bits.
        const auto again = runner_.run(golden->inputs, ran->threads > 1 ? 1 : wish_.threads);
        if (!again)
            return failed(again.error());
        for (size_t i = 0; i < golden->outputs.size(); ++i)
            if (golden->compared[i] && (i >= again->outputs.size() || again->outputs[i] != ran->outputs[i]))
                return failed(error(fmt::format("output '{}' of two runs is not the same bit for bit",
                                                i < loaded.outputs.size() ? loaded.outputs[i] : ""),
                                    "please report the model"));
        note(result, *ran, first);
        return std::move(golden->inputs);
    }

    /// A case that is not wrong.
    void note(const CaseResult& result, const ArtifactRun& ran, bool first) {
        if (result.known() == 0) {
            done_.unknown += first;
            return report_.note(result.verdict(""));
        }
        done_.cases += first;
        if (ArtifactCheck& seen = done_.artifacts.back(); seen.outcome == ArtifactCheck::Outcome::Loads)
            seen.outcome = ArtifactCheck::Outcome::Right;
        report_.good(result.verdict(fmt::format(
                         "right: at most {:.2g} of the range, and the same bits {}", result.ofRange,
                         ran.threads > 1 ? fmt::format("on {} threads and on one", ran.threads) : "in two runs")),
                     {{"of_range", result.ofRange},
                      {"threads", ran.threads},
                      {"arena_peak_bytes", ran.arenaPeak},
                      {"not_finite", result.nan + result.infinite}});
    }

    void measure(const Tensors& inputs) {
        report_.begin("time");
        const auto times = runner_.time(inputs, wish_.threads, wish_.repeat);
        if (!times)
            return report_.bad(times.error());
        const Latency& latency = times->latency;
        const auto resident = static_cast<double>(times->residentBytes);
        nlohmann::json facts = {{"first_ms", latency.first}, {"runs", latency.runs}, {"resident_bytes", resident}};
        std::string text = fmt::format("first run {:.3f} ms", latency.first);
        if (latency.runs > 0) {
            text += fmt::format("; p50 {:.3f} ms, p90 {:.3f} ms, p99 {:.3f} ms of {}", latency.p50, latency.p90,
                                latency.p99, counted(latency.runs, "run", "runs"));
            facts.update({{"p50_ms", latency.p50}, {"p90_ms", latency.p90}, {"p99_ms", latency.p99}});
        }
        text +=
            fmt::format("; {}, {} resident at most", counted(times->threads, "thread", "threads"), sizeText(resident));
        facts["threads"] = times->threads;
        report_.good(text, facts);
        done_.times = *times;
    }

    void limits() {
        Measured measured{.loadMs = done_.loadMs, .sizeBytes = static_cast<double>(files_.bytes)};
        if (done_.times) {
            measured.residentBytes = static_cast<double>(done_.times->residentBytes);
            if (done_.times->latency.runs > 0) {
                measured.p50Ms = done_.times->latency.p50;
                measured.p99Ms = done_.times->latency.p99;
            }
        }
        holdLimits(wish_.limits.value_or(files_.facts.limits), measured, report_);
    }

    const CheckedFiles& files_;
    const SelfCheckWish& wish_;
    ArtifactRunner& runner_;
    StepReport& report_;
    SelfChecked done_;
    bool good_ = true;
    Diagnostic lacking_; // what the last artifact was skipped for
};

} // namespace

std::string_view toString(ArtifactCheck::Outcome outcome) {
    constexpr std::string_view names[] = {"not run", "loads", "right", "wrong"};
    return names[static_cast<size_t>(outcome)];
}

std::optional<CheckedFiles> checkFiles(const SelfCheckWish& wish, StepReport& report) {
    const auto allGood = [&](const std::vector<Diagnostic>& problems) {
        for (const Diagnostic& problem : problems)
            report.bad(problem);
        return problems.empty();
    };
    report.begin("files");
    const auto listed = readSums(wish.bundle);
    if (!listed) {
        report.bad(listed.error());
        return std::nullopt;
    }
    std::function<void(size_t)> progressed;
    if (wish.progressed)
        progressed = [&](size_t done) { wish.progressed(done, listed->size()); };
    const Verified verified = verify(wish.bundle, *listed, progressed);
    std::vector<Diagnostic> problems = verified.problems;
    std::ranges::move(strangersIn(wish.bundle, *listed, wish.beside), std::back_inserter(problems));
    if (!allGood(problems))
        return std::nullopt;
    CheckedFiles files;
    std::error_code failed; // it was read a moment ago
    files.bytes = verified.bytes + std::filesystem::file_size(wish.bundle / sumsName, failed);
    report.good(fmt::format("{} of {}, all as they were written", counted(listed->size(), "file", "files"),
                            sizeText(static_cast<double>(files.bytes))),
                {{"files", listed->size()}, {"size_bytes", files.bytes}});

    report.begin("manifest");
    auto facts = readBundleFacts(wish.bundle, *listed);
    if (!facts)
        report.bad(facts.error());
    else if (facts->artifacts.empty())
        report.bad(error("the bundle has no model", "copy it again"));
    else if (!wish.alsoOfManifest || allGood(wish.alsoOfManifest(*listed))) {
        files.facts = *std::move(facts);
        return files;
    }
    return std::nullopt;
}

SelfChecked checkArtifacts(const CheckedFiles& files, const SelfCheckWish& wish, ArtifactRunner& runner,
                           StepReport& report) {
    return Sequence(files, wish, runner, report).check();
}

} // namespace lathe::data
