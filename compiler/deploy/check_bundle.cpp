// SPDX-License-Identifier: Apache-2.0
#include "deploy/check_bundle.h"

#include "base/counted.h"
#include "base/guarded.h"
#include "codegen/target.h"
#include "data/golden_case.h"
#include "data/latency.h"
#include "deploy/check_program.h"
#include "deploy/model_interface.h"
#include "deploy/signature.h"
#include "device/runner_client.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double msSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Checker {
public:
    Checker(const OpenBundle& bundle, const CheckWish& wish, const std::function<void(const CheckStep&)>& told,
            const driver::Progress& progress)
        : bundle_(bundle), wish_(wish), told_(told), progress_(progress), runner_({.threads = wish.threads,
                                                                                   .seed = 0,
                                                                                   .timeout = std::chrono::minutes(10),
                                                                                   .cancelled = progress.cancelled}) {}

    Result<BundleCheck> check() {
        if (!signature()) {
            // Whatever else it is, it is not what it is taken for.
        } else if (files() && bundle_.manifest().form == BundleForm::Folder) {
            variants();
        } else if (check_.good && bundle_.manifest().form == BundleForm::Program) {
            program();
        } else if (check_.good) {
            constexpr auto why = "this form is for a compiler, README.md says how";
            step("run", true, std::string("not run: ") + why);
            for (const ManifestVariant& variant : bundle_.manifest().variants)
                check_.variants.push_back({.tag = variant.tag, .why = why});
        }
        limits();
        if (runner_.outcome() == device::RunnerOutcome::Cancelled)
            throw Cancelled{};
        return std::move(check_);
    }

private:
    bool step(std::string name, bool good, std::string text) {
        check_.good &= good;
        check_.steps.push_back({std::move(name), good, std::move(text)});
        if (told_)
            told_(check_.steps.back());
        return good;
    }
    bool failed(std::string name, Diagnostic problem) {
        step(std::move(name), false, problem.what);
        check_.problems.push_back(std::move(problem));
        return false;
    }

    bool signature() {
        if (wish_.keys.empty())
            return true;
        const auto good = verifySignature(bundle_.folder(), wish_.keys, progress_.cancelled);
        return good ? step("signature", true, "by a key that is known") : failed("signature", good.error());
    }

    bool files() {
        // What is signed is all that may be there: whoever made it has not seen a module that Python would take.
        const auto beside = wish_.keys.empty() ? data::Beside::Used : data::Beside::Nothing;
        check_.problems = verifyFiles(bundle_, beside, progress_);
        return step("files", check_.problems.empty(),
                    check_.problems.empty()
                        ? fmt::format("{} files as they were written", bundle_.manifest().files.size() + 2)
                        : counted(check_.problems.size(), "is not as it was written", "are not as they were written"));
    }

    Result<device::RunnerCommand> commandFor(const ManifestVariant& variant) const {
        LATHE_TRY(const Target target, codegen::parseTarget(variant.target));
        return device::runnerCommand(wish_.device, target);
    }

    void program() {
        const ManifestVariant& variant = bundle_.manifest().variants.front();
        auto command = commandFor(variant);
        if (!command) {
            Diagnostic problem = command.error();
            problem.file = (bundle_.folder() / variant.path).string();
            problem.kind = ErrorKind::Invalid; // the bundle's fault, not that of an argument
            failed("load", problem);
            return;
        }
        if (const auto may = mayRun(bundle_.manifest().form, wish_.device); !may) {
            failed("run", may.error());
            return;
        }
        const fs::path file = fs::absolute(bundle_.folder() / variant.path);
        if (command->program.empty())
            command->program = file;
        else
            command->arguments.back() = file.string(); // where the runner would stand
        check_.variant = variant.tag;
        VariantCheck& seen = check_.variants.emplace_back(VariantCheck{.tag = variant.tag});
        const auto ran = checkProgram(*command, bundle_, wish_, progress_, check_,
                                      [this](std::string name, bool good, std::string text) {
                                          if (good)
                                              step(std::move(name), true, std::move(text));
                                          else
                                              failed(std::move(name), error(std::move(text)));
                                      });
        if (!ran)
            failed("run", ran.error());
        seen.outcome = outcomeOf(check_.good, check_.cases);
        if (!check_.good)
            seen.why = check_.problems.back().what;
    }

    /// Where the artifact takes or gives something else than the manifest says, by which golden cases are read.
    std::string otherThanSaid(const device::RunnerModel& loaded) const {
        for (const auto& [what, said, found] : {std::tuple{"input", &bundle_.manifest().inputs, &loaded.inputs},
                                                std::tuple{"output", &bundle_.manifest().outputs, &loaded.outputs}}) {
            if (said->size() != found->size())
                return fmt::format("the artifact has {} {}s, the manifest says {}", found->size(), what, said->size());
            const std::vector<ManifestValue> values = manifestValues(*found);
            for (size_t i = 0; i < said->size(); ++i) {
                if ((*said)[i].dims != values[i].dims)
                    return fmt::format("the dims of {} {} are others than the manifest says", what, i);
                if ((*said)[i].name != (*found)[i].name || *parseDataType((*said)[i].dtype) != (*found)[i].dtype)
                    return fmt::format("{} {} of the artifact is '{}', {}; the manifest says '{}', {}", what, i,
                                       (*found)[i].name, toString((*found)[i].dtype), (*said)[i].name,
                                       (*said)[i].dtype);
            }
        }
        return {};
    }

    enum class Loaded { Yes, NotHere, Bad };
    /// NotHere: another artifact may be for this device; `why` says what this one lacks.
    Loaded load(const ManifestVariant& variant, Diagnostic& why) {
        const fs::path file = bundle_.folder() / variant.path;
        auto command = commandFor(variant);
        if (!command) {
            why = command.error();
            why.file = file.string();
            why.kind = ErrorKind::Invalid; // the bundle's fault, not that of an argument
            return Loaded::NotHere;
        }
        device::RunnerOptions options = runner_.options();
        device::useRunner(options, *std::move(command));
        runner_.setOptions(std::move(options));
        const auto bad = [&](Diagnostic problem) {
            failed("load", std::move(problem));
            return Loaded::Bad;
        };
        auto start = Clock::now();
        auto loaded = runner_.load(file);
        // A later one may be for this device, or for the machine of the CPU that is emulated.
        const bool isOthers = runner_.outcome() == device::RunnerOutcome::Crashed && wish_.device.isEmulated() &&
                              !wish_.device.cpu.empty() && bundle_.manifest().variants.size() > 1;
        if (!loaded && (loaded.error().kind == ErrorKind::Unsupported || isOthers)) {
            why = loaded.error();
            return Loaded::NotHere;
        }
        if (!loaded)
            return bad(loaded.error());
        if (wish_.device.transport == device::Device::Transport::Ssh) { // all that was sent there
            start = Clock::now();
            if (loaded = runner_.load(file); !loaded)
                return bad(loaded.error());
        }
        const double ms = msSince(start);
        if (const std::string other = otherThanSaid(*loaded); !other.empty())
            return bad(error(other, "copy the bundle again: its manifest is of another artifact"));
        if (check_.variant.empty()) {
            check_.variant = variant.tag;
            check_.loadMs = ms;
        }
        outputs_.clear();
        for (const device::RunnerValue& output : loaded->outputs)
            outputs_.push_back(output.name);
        step("load", true, fmt::format("{}, {:.1f} ms", variant.tag, ms));
        return Loaded::Yes;
    }

    /// All: each is the first for somebody.
    void variants() {
        Diagnostic last =
            error("no artifact of this bundle is for this machine", "lathe bundle info says which it has");
        for (const ManifestVariant& variant : bundle_.manifest().variants) {
            VariantCheck seen{.tag = variant.tag};
            if (const Loaded loaded = load(variant, last); loaded == Loaded::NotHere) {
                seen.why = last.what;
            } else {
                const bool isFirst = check_.variant == variant.tag;
                int right = 0;
                const bool good = loaded == Loaded::Yes && cases(isFirst, right) && (!isFirst || twice());
                seen.outcome = outcomeOf(good, right);
                if (!good)
                    seen.why = check_.problems.back().what;
                else if (isFirst)
                    measure();
            }
            check_.variants.push_back(std::move(seen));
            if (runner_.outcome() == device::RunnerOutcome::Cancelled)
                return;
        }
        if (check_.variant.empty()) {
            if (check_.good)
                failed("load", last);
            return;
        }
        for (const VariantCheck& each : check_.variants)
            if (each.outcome == VariantCheck::Outcome::NotRun)
                step("not run", true, fmt::format("{}: {}", each.tag, each.why));
    }

    static VariantCheck::Outcome outcomeOf(bool good, int right) {
        using enum VariantCheck::Outcome;
        return !good ? Wrong : right > 0 ? Right : Loads;
    }

    bool set(const data::GoldenCase& golden) {
        for (size_t i = 0; i < golden.inputs.size(); ++i)
            if (const auto taken = runner_.setInput(bundle_.manifest().inputs[i].name, golden.inputs[i]); !taken)
                return failed(golden.name, taken.error());
        return true;
    }

    /// `right` gets how many of them say something and are right.
    bool cases(bool isFirst, int& right) {
        data::ValueTypes types;
        for (const auto& [values, into] : {std::pair{&bundle_.manifest().inputs, &types.inputs},
                                           std::pair{&bundle_.manifest().outputs, &types.outputs}})
            for (const ManifestValue& value : *values)
                into->push_back(*parseDataType(value.dtype)); // which the manifest's reader has done
        for (const ManifestCase& named : bundle_.manifest().golden) {
            auto golden = data::readCase(bundle_.folder(), named.name, types);
            if (!golden)
                return failed(named.name, golden.error());
            if (!set(*golden))
                return false;
            const auto ran = runner_.run();
            if (!ran)
                return failed(named.name, ran.error());
            if (check_.firstMs == 0)
                check_.firstMs = static_cast<double>(ran->ns.front()) / 1e6;
            const auto got = runner_.outputs();
            if (!got)
                return failed(named.name, got.error());
            const data::CaseResult result = data::compareCase(*golden, *got, outputs_);
            check_.ofRange = std::max(check_.ofRange, result.ofRange);
            if (!result.wrong.empty())
                return failed(named.name, error(fmt::format("{}", fmt::join(result.wrong, "; ")),
                                                "the bundle does not compute here what it should: report it to its "
                                                "maker"));
            right += result.known() > 0;
            check_.cases += isFirst && result.known() > 0;
            check_.unknown += isFirst && result.known() == 0;
            step(named.name, true,
                 result.verdict(fmt::format("outputs as expected, {:.1e} of the range off at most", result.ofRange)));
            if (!first_)
                first_ = *std::move(golden);
        }
        return true;
    }

    /// The same inputs, the same bits.
    bool twice() {
        if (!first_ || std::ranges::count(first_->compared, true) == 0)
            return true;
        if (!set(*first_))
            return false;
        std::vector<model::HostTensor> before;
        for (int run = 0; run < 2; ++run) {
            if (const auto ran = runner_.run(); !ran)
                return failed("repeat", ran.error());
            auto got = runner_.outputs();
            if (!got)
                return failed("repeat", got.error());
            for (size_t i = 0; run == 1 && i < first_->compared.size(); ++i)
                if (first_->compared[i] && (*got)[i] != before[i])
                    return failed("repeat", error(fmt::format("output '{}' differs from run to run", outputs_[i])));
            before = *std::move(got);
        }
        return step("repeat", true, "two runs give the same bits");
    }

    void measure() {
        if (wish_.repeat <= 0 || !first_)
            return;
        if (const auto turn = runner_.leaseDevice(wish_.noted); !turn) {
            failed("latency", turn.error());
            return;
        }
        const auto warm = runner_.run(3);
        const auto times = warm ? runner_.run(wish_.repeat) : warm;
        if (!times) {
            failed("latency", times.error());
            return;
        }
        std::vector<double> ms;
        for (const int64_t ns : times->ns)
            ms.push_back(static_cast<double>(ns) / 1e6);
        const data::Latency latency = data::latencyOf(check_.firstMs, std::move(ms));
        check_.p50Ms = latency.p50;
        check_.p90Ms = latency.p90;
        check_.p99Ms = latency.p99;
        check_.residentBytes = times->residentPeak;
        check_.threads = threads();
        step("latency", true,
             fmt::format("p50 {:.3f} ms, p90 {:.3f}, p99 {:.3f}, first run {:.1f}; {} thread{}, {:.1f} MB resident",
                         check_.p50Ms, check_.p90Ms, check_.p99Ms, check_.firstMs, check_.threads,
                         check_.threads == 1 ? "" : "s", static_cast<double>(check_.residentBytes) / 1e6));
    }

    /// Of a run there: all are the cores that the runner's process may use.
    int threads() {
        if (wish_.threads > 0)
            return wish_.threads;
        if (const auto facts = runner_.facts())
            for (const auto& [name, value] : *facts)
                if (int cores = 0; name == "cores" &&
                                   std::from_chars(value.data(), value.data() + value.size(), cores).ec == std::errc())
                    return cores;
        return 0;
    }

    void limits() {
        Limits limits = wish_.limits.value_or(bundle_.manifest().limits);
        if (wish_.device.isEmulated() || !isRunnable(bundle_.manifest().form))
            limits.p50Ms = limits.p99Ms = limits.loadMs = 0; // its times say nothing of a device's
        std::vector<std::string> over;
        bool any = false;
        const auto hold = [&](const char* what, double found, double most, const char* unit, bool known) {
            any |= most > 0;
            if (most > 0 && !known)
                over.push_back(fmt::format("{} was not measured", what));
            else if (most > 0 && found > most)
                over.push_back(fmt::format("{} is {:.4g} {}, limit {:.4g}", what, found, unit, most));
        };
        const bool timed = check_.p50Ms > 0;
        hold("p50", check_.p50Ms, limits.p50Ms, "ms", timed);
        hold("p99", check_.p99Ms, limits.p99Ms, "ms", timed);
        hold("load", check_.loadMs, limits.loadMs, "ms", check_.loadMs > 0);
        hold("resident", static_cast<double>(check_.residentBytes), static_cast<double>(limits.residentBytes), "bytes",
             timed);
        double size = 0; // as a plan counts it
        for (const ManifestFile& file : bundle_.manifest().files)
            size += static_cast<double>(file.bytes);
        for (const char* file : {"manifest.json", data::sumsName})
            if (std::error_code failed; const uint64_t bytes = fs::file_size(bundle_.folder() / file, failed))
                size += failed ? 0 : static_cast<double>(bytes);
        hold("size", size, static_cast<double>(limits.sizeBytes), "bytes", true);
        if (!any)
            return;
        if (over.empty())
            step("limits", true, "all kept");
        else
            failed("limits", error(fmt::format("{}", fmt::join(over, "; ")),
                                   "tune the model for this machine, or name other limits by --limit"));
    }

    const OpenBundle& bundle_;
    const CheckWish& wish_;
    const std::function<void(const CheckStep&)>& told_;
    const driver::Progress& progress_;
    device::RunnerClient runner_;
    std::vector<std::string> outputs_;
    std::optional<data::GoldenCase> first_;
    BundleCheck check_;
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

std::string_view toString(VariantCheck::Outcome outcome) {
    constexpr std::string_view names[] = {"not run", "loads", "right", "wrong"};
    return names[static_cast<size_t>(outcome)];
}

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
