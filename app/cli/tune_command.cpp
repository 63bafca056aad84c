// SPDX-License-Identifier: Apache-2.0
//
// `lathe tune`: a line a second while it goes on, then a table of what was found. Ctrl+C ends the search; what was found until
// then is still checked and given; before anything was measured nothing is, and nothing is written. A second Ctrl+C ends the
// program.
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/interrupts.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "app/cli/print_tuned.h"
#include "app/cli/validators.h"
#include "base/json.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "device/device.h"
#include "records/recorded_tuning.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <optional>

namespace lathe::cli {
namespace {

/// "4:05"
std::string minutes(double seconds) {
    const auto whole = static_cast<int64_t>(std::max(seconds, 0.0));
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// A line a second for people; for programs one for each trial, batch, and verdict of a paired test.
class Watch {
public:
    Watch(const Common& common, double seconds) : common_(common), seconds_(seconds) {}

    void tell(const tune::Study& study, const tune::Event& event) {
        if (common_.quiet)
            return;
        if (event.kind == tune::Event::Kind::Note)
            return note(study, event.note);
        if (common_.json)
            return printEvent(study, event);
        if (study.seconds - last_ < 1 && event.kind != tune::Event::Kind::Accepted)
            return;
        last_ = study.seconds;
        const tune::TaskState& state = study.tasks[event.task];
        int64_t failed = 0;
        for (const auto& [verdict, count] : verdictsOf(study))
            if (verdict != tune::Verdict::Measured && verdict != tune::Verdict::Slow)
                failed += count;
        printStderr("{:>6} left  {:6} trials, {} failed  kernels {:.3f} -> {:.3f} ms  {}: {:.2f} -> {:.2f} us\n",
                    minutes(seconds_ - study.seconds), study.trials, failed, study.defaultUs() / 1e3,
                    study.bestUs() / 1e3, state.task.kernel, state.defaultUs(), state.bestUs());
    }

    /// The step over the graph: a line for each compilation, which takes seconds.
    void tell(const tuning::GraphEvent& event) const {
        if (common_.quiet)
            return;
        const std::string_view step = tuning::toString(event.step);
        if (common_.json) {
            print({{"event", "graph"},
                   {"step", step},
                   {"measured", event.measured},
                   {"of", event.of},
                   {"start_ms", event.startMs},
                   {"ms", event.ms}});
        } else {
            printStderr("{}: {} of {} compilations measured, kernels {:.3f} ms, {:.3f} as they were\n", step,
                        event.measured, event.of, event.ms, event.startMs);
        }
    }

private:
    void note(const tune::Study& study, const std::string& text) const {
        if (!common_.json)
            return printStderr("{:>6} left  {}\n", minutes(seconds_ - study.seconds), text);
        print({{"event", "note"}, {"seconds", study.seconds}, {"text", text}});
    }

    static void printEvent(const tune::Study& study, const tune::Event& event) {
        using Kind = tune::Event::Kind;
        const tune::TaskState& state = study.tasks[event.task];
        switch (event.kind) {
        case Kind::TaskBegun: // its default; what is known of before has been said before
            return printTrials(state, state.known, study.seconds);
        case Kind::Trials:
            printTrials(state, event.firstTrial, study.seconds);
            return printJudgement(state, study);
        case Kind::Accepted:
        case Kind::Rejected:
            return print(foundOf(state, event.firstTrial, study.seconds, "verdict"));
        default:
            return;
        }
    }

    static void printTrials(const tune::TaskState& state, size_t first, double seconds) {
        for (size_t i = first; i < state.trials.size(); ++i) {
            const tune::Candidate& candidate = state.trials[i].candidate;
            nlohmann::json line = foundOf(state, i, seconds, "trial");
            line["made"] = tune::toString(candidate.made);
            line["prior_us"] = candidate.prior;
            line["predicted"] = predictedOf(candidate);
            line["answers"] = candidate.answers;
            print(line);
        }
    }
    /// What is known of a trial by now.
    static nlohmann::json foundOf(const tune::TaskState& state, size_t number, double seconds, const char* event) {
        const tune::Trial& trial = state.trials[number];
        return {{"event", event},
                {"seconds", seconds},
                {"workload", state.task.workload},
                {"kernel", state.task.kernel},
                {"trial", number},
                {"round", trial.round},
                {"verdict", tune::toString(trial.verdict)},
                {"message", trial.message},
                {"us", trial.us},
                {"ratio", trial.ratio.middle},
                {"accepted", trial.accepted}};
    }
    static void print(const nlohmann::json& line) {
        fmt::print("{}\n", dump(line));
        std::fflush(stdout);
    }
    static nlohmann::json predictedOf(const tune::Candidate& candidate) {
        return candidate.predicted ? nlohmann::json(*candidate.predicted) : nlohmann::json();
    }

    static void printJudgement(const tune::TaskState& state, const tune::Study& study) {
        const tune::Judgement& judgement = state.judgements.back();
        const tune::Spent& spent = study.spent;
        print({{"event", "round"},
               {"seconds", study.seconds},
               {"workload", state.task.workload},
               {"kernel", state.task.kernel},
               {"round", state.trials.back().round},
               {"asked", tune::toString(judgement.asked)},
               {"prior", toJson(judgement.prior)},
               {"model", toJson(judgement.model)},
               {"model_of_random", toJson(judgement.random)},
               {"not_built", state.refused},
               {"spent",
                {{"search", spent.search},
                 {"build", spent.build},
                 {"measure", spent.measure},
                 {"learn", spent.train},
                 {"record", spent.tell}}}});
    }
    static nlohmann::json toJson(const tune::Quality& quality) {
        if (quality.count == 0)
            return nullptr;
        return {{"count", quality.count},       {"spearman", quality.spearman},
                {"pairs", quality.pairs.right}, {"pairs_told", quality.pairs.count},
                {"recall1", quality.recall1},   {"recall5", quality.recall5},
                {"recall16", quality.recall16}, {"peak5", quality.peak5}};
    }

    const Common& common_;
    double seconds_;
    double last_ = -1;
};

constexpr size_t longestName = 200; // bytes

/// A study's name stands in lines of its own, for people.
Result<void> checkName(const std::string& name) {
    if (name.size() > longestName)
        return failure(ErrorKind::Usage, fmt::format("a study's name of {} bytes is too long", name.size()),
                       fmt::format("--study takes up to {}", longestName));
    if (printable(name) != name)
        return failure(ErrorKind::Usage, fmt::format("a study's name has to be text on one line, not '{}'", name),
                       "leave control characters out of --study");
    return {};
}

/// What is compiled for, and where it is measured.
Result<void> measureOn(const std::string& name, const Common& common, tuning::TuneOptions& options) {
    LATHE_TRY(const device::Device device, device::parseDevice(name));
    if (device.isEmulated())
        return failure(ErrorKind::Usage, "times under an emulator say nothing of a device: there is nothing to tune by",
                       "tune on the device itself: --device ssh:HOST");
    LATHE_TRY(options.compile, makeRunOptions(common, name));
    if (device.isLocal())
        return {};
    LATHE_TRY(device::RunnerCommand command, device::runnerCommand(device, options.compile.target));
    device::useRunner(options.runner, std::move(command));
    LATHE_TRY(options.device, tuning::askDevice(options.runner));
    return {};
}

Result<tuning::TuneOptions> tuneOptionsOf(const TuneArgs& args, const Common& common) {
    tuning::TuneOptions options;
    options.runner.threads = common.threads;
    options.runner.cancelled = Interrupts::asked;
    LATHE_CHECKED(measureOn(args.device, common, options));
    LATHE_TRY(options.decisions, makeDecisions(common));
    LATHE_TRY(options.inputs.files, inputFiles(args.inputs));
    options.plan.time = std::chrono::duration<double>(args.seconds);
    options.plan.trials = args.trials;
    options.plan.seed = args.seed;
    options.plan.search = args.search;
    options.plan.leastGain = args.leastGain / 100;
    options.space = args.space;
    options.kernel = args.kernel;
    options.graph = !args.noLayouts && args.kernel.empty();
    if (!args.sizes.empty()) {
        LATHE_TRY(options.sizes, tuning::parseTunedSizes(args.sizes));
    }
    return options;
}

/// Which study begins, and where it is recorded.
void sayBegins(const records::StudyRecords& records, bool resumed, const Common& common) {
    const records::Study& study = records.study();
    const std::string path = records.file().path().string();
    if (common.json)
        fmt::print("{}\n", dump({{"event", "study"},
                                 {"study", study.id},
                                 {"name", study.name},
                                 {"resumed", resumed},
                                 {"records", path}}));
    else if (!common.quiet)
        printStderr("{} study '{}', recorded in {}\n", resumed ? "goes on with" : "begins", printable(study.name),
                    path);
}

Result<tuning::Tuned> tuned(const TuneArgs& args, const Common& common) {
    const Interrupts interrupts;
    LATHE_TRY(tuning::TuneOptions options, tuneOptionsOf(args, common));
    Watch watch(common, args.seconds);
    const records::StudyRecords* recordedIn = nullptr;
    options.drew = [&](const std::vector<std::string>& names) { noteDrawnInputs(names, common); };
    options.begins = [&] {
        if (recordedIn)
            sayBegins(*recordedIn, args.resume, common);
    };
    options.toldGraph = [&](const tuning::GraphEvent& event) { watch.tell(event); };
    const records::ToldOfTuning told = {
        .opened = [&](const records::StudyRecords* records) { recordedIn = records; },
        .told = [&](const tune::Study& study, const tune::Event& event) { watch.tell(study, event); },
        .warned = [&](const std::vector<Diagnostic>& warnings) { report(warnings, common); }};
    const records::StudyWish wish = {.model = args.model,
                                     .file = args.records,
                                     .name = args.study,
                                     .id = {},
                                     .resume = args.resume,
                                     .isRecorded = !args.noRecords};
    // On a terminal it would stand between the lines of the watch.
    return records::recordedTuning(wish, std::move(options), told,
                                   common.progress ? makeProgress(common) : driver::Progress{});
}

} // namespace

void addTuneOptions(CLI::App& app, TuneArgs& args, Common& common) {
    app.add_option("model", args.model, "the model file")->required();
    app.add_option("-o,--output", args.out, "write what was found as decisions, for --decisions of other commands");
    app.add_option("--time", args.seconds,
                   "how long to look, 90s, 5m or 1h, once the model was compiled and run; what was found is then "
                   "still checked")
        ->transform(duration());
    app.add_option("--trials", args.trials, "try at most so many")->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
    oneOf(app.add_option("--search", args.search, "how candidates are chosen"),
          "evolution|annealing|genetic|descent|random|grid|replay");
    oneOf(app.add_option("--space", args.space, "what may be tried"), "template|sketch|rules|all");
    app.add_option("--kernel", args.kernel, "only kernels whose names have this in them");
    app.add_option("--sizes", args.sizes,
                   "what a size that the model leaves open mostly is, NAME=7,64,128: its kernels are to be fast at "
                   "these, four at most");
    addInputs(app, args.inputs);
    app.add_option("--min-gain", args.leastGain, "per cent that a schedule must gain")->check(between(0, 50));
    app.add_option("--seed", args.seed, "of what is drawn")->check(seed());
    app.add_flag("--no-layouts", args.noLayouts, "schedules alone: no other variants, layouts or fusion");
    CLI::Option* resume = app.add_flag("--resume", args.resume, "go on with the last study of this model");
    CLI::Option* study = app.add_option("--study", args.study, "the study's name, or that of the one to go on with");
    CLI::Option* recordsFile =
        app.add_option("--records", args.records, "write what is tried to another file of records");
    app.add_flag("--no-records", args.noRecords, "neither read nor write records")
        ->excludes(resume)
        ->excludes(study)
        ->excludes(recordsFile);
    app.add_option("--device", args.device,
                   "where it measures: local, ssh:HOST, or a name of lathe devices; --target says what is compiled "
                   "for")
        ->type_name(deviceType);
    addTarget(app, common);
    addCompiling(app, common);
    addProgress(app, common);
}

int tuneCommand(const TuneArgs& args, const Common& common) {
    if (const auto good = checkName(args.study); !good)
        return report({good.error()}, common);
    if (const auto file = needsFile(args.model); !file)
        return report({file.error()}, common);
    if (const auto other = keepsFiles(args.out, {args.model, common.decisionsFile, common.tunedFrom}, args.records);
        !other)
        return report({other.error()}, common);
    std::optional<NewFile> out; // whether it can be written is known before minutes were spent
    if (!args.out.empty() && !out.emplace(args.out, NewFile::Kind::Text).write({}))
        return report({out->problem()}, common);
    const auto done = tuned(args, common);
    if (!done) {
        const int code = report({done.error()}, common);
        return done.error().kind == ErrorKind::Cancelled ? Interrupts::code() : code;
    }
    for (const std::string& kernel : done->leftOut) {
        Diagnostic left = error(fmt::format("kernel '{}' is left out: its sizes are open", kernel),
                                "say by --sizes what they mostly are, or fix them by --shape");
        left.severity = Severity::Warning;
        left.file = args.model;
        report({left}, common);
    }
    if (common.json)
        printTunedJson(*done);
    else
        printTuned(*done, args.leastGain);
    // What could not be held against the model is not written over what an earlier study found.
    if (const std::string text = driver::toJson(done->decisions);
        out && !(done->failed && !done->isHeld) && !(out->write(std::as_bytes(std::span(text))) && out->keep()))
        return report({out->problem()}, common);
    if (done->failed) {
        Diagnostic failed = *done->failed;
        failed.file = args.model;
        report({failed}, common);
        return 3;
    }
    return 0;
}

} // namespace lathe::cli
