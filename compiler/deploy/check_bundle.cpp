// SPDX-License-Identifier: Apache-2.0
#include "deploy/check_bundle.h"

#include "base/guarded.h"
#include "data/self_check.h"
#include "deploy/artifact_runner.h"
#include "deploy/check_program.h"
#include "deploy/signature.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;
/// The steps as a list, each told when it is done.
class StepList final : public data::StepReport {
public:
    StepList(const fs::path& folder, BundleCheck& check, const std::function<void(const CheckStep&)>& told)
        : folder_(folder), check_(check), told_(told) {}

    void begin(const std::string& step) override { step_ = step; }
    void good(const std::string& text, const nlohmann::json& /*facts*/) override { add(true, text); }
    void note(const std::string& text) override { add(true, text); }
    void bad(const Diagnostic& problem) override {
        add(false, data::sentenceOf(problem));
        check_.problems.push_back(problem);
        if (std::string& file = check_.problems.back().file; !file.empty())
            file = (folder_ / file).string();
    }
    /// Of a file that is named as whoever asks names it.
    void badOutside(Diagnostic problem) {
        add(false, data::sentenceOf(problem));
        check_.problems.push_back(std::move(problem));
    }

private:
    void add(bool good, const std::string& text) {
        check_.good &= good;
        check_.steps.push_back({step_, good, text});
        if (told_)
            told_(check_.steps.back());
    }

    const fs::path folder_;
    BundleCheck& check_;
    const std::function<void(const CheckStep&)>& told_;
    std::string step_;
};

class Checker {
public:
    Checker(const OpenBundle& bundle, const CheckWish& wish, const std::function<void(const CheckStep&)>& told,
            const driver::Progress& progress)
        : bundle_(bundle), wish_(wish), progress_(progress), report_(bundle.folder(), check_, told) {}

    Result<BundleCheck> check() {
        if (!signature()) // whatever else it is, it is not what it is taken for
            return std::move(check_);
        const data::SelfCheckWish wished = selfCheckWish();
        const auto files = data::checkFiles(wished, report_);
        if (!files)
            return std::move(check_);
        switch (bundle_.manifest().form) {
        case BundleForm::Folder:
            artifacts(*files, wished);
            break;
        case BundleForm::Program:
            program(*files);
            break;
        case BundleForm::Library:
        case BundleForm::CSource:
            notRun(*files);
        }
        return std::move(check_);
    }

private:
    bool signature() {
        if (wish_.keys.empty())
            return true;
        report_.begin("signature");
        const auto good = verifySignature(bundle_.folder(), wish_.keys, progress_.cancelled);
        if (good)
            report_.good("by a key that is known", nlohmann::json::object());
        else
            report_.badOutside(good.error());
        return good.has_value();
    }

    /// As on the device, but for what only a desk knows.
    data::SelfCheckWish selfCheckWish() const {
        data::SelfCheckWish wished;
        wished.bundle = bundle_.folder();
        wished.threads = std::max(0, wish_.threads);
        wished.repeat = std::max(0, wish_.repeat);
        wished.limits = limits();
        // What is signed is all that may be there: whoever made it has not seen a module that Python would take.
        wished.beside = wish_.keys.empty() ? data::Beside::Used : data::Beside::Nothing;
        wished.progressed = [this](size_t done, size_t all) {
            if (progress_.cancelled && progress_.cancelled())
                throw Cancelled{};
            if (progress_.report)
                progress_.report("files", static_cast<double>(done) / static_cast<double>(all));
        };
        wished.alsoOfManifest = [this](const std::vector<data::ListedFile>& listed) {
            return manifestProblems(bundle_, listed);
        };
        return wished;
    }

    Limits limits() const {
        Limits limits = wish_.limits.value_or(bundle_.manifest().limits);
        if (wish_.device.isEmulated()) // its times say nothing of a device's
            limits.p50Ms = limits.p99Ms = limits.loadMs = 0;
        return isRunnable(bundle_.manifest().form) ? limits : Limits{.sizeBytes = limits.sizeBytes};
    }

    const ManifestVariant& variantAt(const std::string& path) const {
        return *std::ranges::find(bundle_.manifest().variants, path, &ManifestVariant::path);
    }

    void artifacts(const data::CheckedFiles& files, const data::SelfCheckWish& wished) {
        BundleRunner runner(bundle_, wish_, progress_);
        const data::SelfChecked seen = data::checkArtifacts(files, wished, runner, report_);
        for (const data::ArtifactCheck& each : seen.artifacts)
            check_.variants.push_back({variantAt(each.path).tag, each.outcome, each.why});
        if (seen.first.empty()) // nothing could be run
            return;
        check_.variant = variantAt(seen.first).tag;
        check_.cases = seen.cases;
        check_.unknown = seen.unknown;
        check_.ofRange = seen.ofRange;
        check_.loadMs = seen.loadMs;
        if (!seen.times)
            return;
        check_.firstMs = seen.times->latency.first;
        check_.p50Ms = seen.times->latency.p50;
        check_.p90Ms = seen.times->latency.p90;
        check_.p99Ms = seen.times->latency.p99;
        check_.threads = seen.times->threads;
        check_.residentBytes = seen.times->residentBytes;
    }

    /// The program is its own self-check; what it says of files was seen before it was run.
    void program(const data::CheckedFiles& files) {
        const ManifestVariant& variant = bundle_.manifest().variants.front();
        report_.begin("load");
        auto command = commandFor(bundle_, variant, wish_.device);
        if (!command)
            return report_.badOutside(command.error());
        report_.begin("run");
        if (const auto may = mayRun(bundle_.manifest().form, wish_.device); !may)
            return report_.badOutside(may.error());
        const fs::path file = fs::absolute(bundle_.folder() / variant.path);
        if (command->program.empty())
            command->program = file;
        else
            command->arguments.back() = file.string(); // where the runner would stand
        check_.variant = variant.tag;
        const auto ran = checkProgram(*command, bundle_, wish_, progress_, check_,
                                      [this](std::string name, bool good, std::string text) {
                                          report_.begin(name);
                                          if (good)
                                              report_.note(text);
                                          else
                                              report_.badOutside(error(std::move(text)));
                                      });
        report_.begin("run");
        if (!ran)
            report_.badOutside(ran.error());
        using enum VariantCheck::Outcome;
        check_.variants.push_back({variant.tag,
                                   !check_.good       ? Wrong
                                   : check_.cases > 0 ? Right
                                                      : Loads,
                                   check_.good ? "" : check_.problems.back().what});
        const auto measured = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
        data::holdLimits(limits(),
                         {.p50Ms = measured(check_.p50Ms),
                          .p99Ms = measured(check_.p99Ms),
                          .loadMs = measured(check_.loadMs),
                          .residentBytes = measured(static_cast<double>(check_.residentBytes)),
                          .sizeBytes = static_cast<double>(files.bytes)},
                         report_);
    }

    void notRun(const data::CheckedFiles& files) {
        constexpr auto why = "this form is for a compiler, README.md says how";
        report_.begin("run");
        report_.note(std::string("not run: ") + why);
        for (const ManifestVariant& variant : bundle_.manifest().variants)
            check_.variants.push_back({.tag = variant.tag, .why = why});
        data::holdLimits(limits(), {.sizeBytes = static_cast<double>(files.bytes)}, report_);
    }

    const OpenBundle& bundle_;
    const CheckWish& wish_;
    const driver::Progress& progress_;
    BundleCheck check_;
    StepList report_;
};

/// A number from 0 on, and what stands behind it.
std::optional<std::pair<double, std::string_view>> numberWithUnit(std::string_view text) {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || !(value >= 0 && value < 1e15))
        return std::nullopt;
    return std::pair{value, std::string_view(end, text.data() + text.size())};
}

} // namespace

Result<BundleCheck> checkBundle(const OpenBundle& bundle, const CheckWish& wish,
                                const std::function<void(const CheckStep&)>& told, const driver::Progress& progress) {
    return guarded([&] { return Checker(bundle, wish, told, progress).check(); });
}

Result<void> mayRun(BundleForm form, const device::Device& device) {
    if (form == BundleForm::Program && device.transport == device::Device::Transport::Ssh)
        return failure(ErrorKind::Usage, fmt::format("a program is not checked over ssh: {}", toString(device)),
                       "copy the bundle there, and run its program with --check in the bundle's folder");
    return {};
}

Result<Limits> parseLimits(std::string_view text) {
    Limits limits;
    const auto bad = [](std::string_view part) {
        return failure(ErrorKind::Usage, fmt::format("malformed limit '{}'", part),
                       "p50=, p99= and load= with us, ms or s, resident= and size= with B, kB, MB or GB, such as "
                       "p99=15ms,size=30MB");
    };
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        const size_t equals = part.find('=');
        const auto number = equals == std::string_view::npos ? std::nullopt : numberWithUnit(part.substr(equals + 1));
        if (!number)
            return bad(part);
        const auto& [value, unit] = *number;
        const double ms = unit == "us" ? 1e-3 : unit == "ms" ? 1 : unit == "s" ? 1e3 : 0;
        const double bytes = unit == "B" ? 1 : unit == "kB" ? 1e3 : unit == "MB" ? 1e6 : unit == "GB" ? 1e9 : 0;
        const std::string_view name = part.substr(0, equals);
        if (ms > 0 && name == "p50")
            limits.p50Ms = value * ms;
        else if (ms > 0 && name == "p99")
            limits.p99Ms = value * ms;
        else if (ms > 0 && name == "load")
            limits.loadMs = value * ms;
        else if (bytes > 0 && value * bytes < 9e15 && name == "resident")
            limits.residentBytes = std::llround(value * bytes);
        else if (bytes > 0 && value * bytes < 9e15 && name == "size")
            limits.sizeBytes = std::llround(value * bytes);
        else
            return bad(part);
    }
    return limits;
}

Result<std::pair<std::string, SymbolRange>> parseSymbol(std::string_view text) {
    const auto bad = [&] {
        return failure(ErrorKind::Usage, fmt::format("malformed sizes '{}'", text),
                       "NAME=LEAST..MOST:USUAL, NAME=LEAST..MOST or NAME=USUAL, such as n=1..64:8");
    };
    const size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
        return bad();
    std::string_view rest = text.substr(equals + 1);
    const auto number = [&]() -> std::optional<int64_t> {
        int64_t value = 0;
        const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (status != std::errc() || value < 0)
            return std::nullopt;
        rest.remove_prefix(static_cast<size_t>(end - rest.data()));
        return value;
    };
    SymbolRange range;
    const auto first = number();
    if (!first)
        return bad();
    range.usual = *first;
    if (rest.starts_with("..")) {
        rest.remove_prefix(2);
        range.least = *first;
        if (!(range.most = number()))
            return bad();
        if (rest.starts_with(":")) {
            rest.remove_prefix(1);
            const auto usual = number();
            if (!usual)
                return bad();
            range.usual = *usual;
        }
    }
    range.least = std::min(range.least, range.usual);
    if (!rest.empty() || (range.most && (*range.most < range.usual || *range.most < range.least)) ||
        (range.most && *first > range.usual))
        return bad();
    return std::pair{std::string(text.substr(0, equals)), range};
}

} // namespace lathe::deploy
