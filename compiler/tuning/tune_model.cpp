// SPDX-License-Identifier: Apache-2.0
#include "tuning/tune_model.h"

#include "base/guarded.h"
#include "driver/extensions.h"
#include "lower/schedule_kernel.h"
#include "tuning/kernel_bench.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace lathe::tuning {
namespace {

/// `again` shows one that failed so once more.
std::string hintOn(tune::Verdict verdict, const std::string& again) {
    switch (verdict) {
    case tune::Verdict::BuildTimeout:
    case tune::Verdict::RunTimeout:
    case tune::Verdict::Disturbed:
        return "try again when the machine is less busy; " + again;
    case tune::Verdict::BuildMemory:
    case tune::Verdict::RunMemory:
        return "try again with more memory; " + again;
    default:
        return "tune other kernels, and report this: " + again;
    }
}

} // namespace

tune::Space templateSpace(const Target& target) {
    const auto generate = [target](const tir::PrimFuncPtr& computation,
                                   const std::shared_ptr<const schedule::Chooser>& chooser) -> Result<tune::Candidate> {
        LATHE_TRY(lower::ScheduledKernel made, lower::scheduleAsAnswered(computation, target, chooser));
        return tune::candidateOf(made.function, std::move(made.schedule.trace), std::move(made.schedule.questions),
                                 *chooser);
    };
    return {"template", 1, generate};
}

inspect::MachinePeaks peaksFor(const TuneOptions& options, const std::function<bool()>& cancelled) {
    if (const auto& device = options.device)
        return {.cpu = device->processor,
                .threads = options.runner.threads > 0 ? options.runner.threads : device->cores,
                .one = {},
                .all = {}};
    return inspect::machinePeaks(options.runner.threads, true, cancelled);
}

bool hadNothingLeft(const tune::Study& study) {
    return std::ranges::any_of(study.tasks, [](const tune::TaskState& state) { return state.known > 0; }) &&
           std::ranges::all_of(study.tasks, [](const tune::TaskState& state) {
               return state.known == state.trials.size() &&
                      (state.done != tune::Done::No || state.wish != tune::Wish::Go);
           });
}

std::optional<Diagnostic> nothingMeasured(const tune::Study& study, const std::filesystem::path& model) {
    if (hadNothingLeft(study))
        return std::nullopt;
    struct Cause {
        int64_t count = 0;
        const tune::TaskState* first = nullptr;
        tune::Verdict verdict = {};
    };
    std::map<std::string, Cause> causes;
    int64_t tried = 0;
    for (const tune::TaskState& state : study.tasks)
        for (size_t i = state.known; i < state.trials.size(); ++i) {
            const tune::Trial& trial = state.trials[i];
            if (trial.verdict == tune::Verdict::Measured || trial.verdict == tune::Verdict::Slow)
                return std::nullopt;
            Cause& cause = causes[fmt::format("{}: {}", toString(trial.verdict), trial.message)];
            ++cause.count;
            ++tried;
            cause.first = cause.first ? cause.first : &state;
            cause.verdict = trial.verdict;
        }
    if (tried == 0)
        return error("nothing was measured", "give it more time, or a machine that is less busy");
    const auto& [what, cause] =
        *std::ranges::max_element(causes, {}, [](const auto& each) { return each.second.count; });
    return error(fmt::format("nothing could be measured: {} of {} {}", cause.count, tried, what),
                 hintOn(cause.verdict, fmt::format("`lathe tune {} --kernel {} --trials 1 --json` shows it again",
                                                   model.string(), cause.first->task.kernel)));
}

const tune::Trial* Tuned::applied(const tune::TaskState& state) const {
    const auto decided = decisions.kernels.find(state.task.workload);
    if (decided == decisions.kernels.end())
        return nullptr;
    const auto found = std::ranges::find_if(state.trials, [&](const tune::Trial& trial) {
        return trial.accepted && trial.candidate.trace == decided->second.trace;
    });
    return found == state.trials.end() ? nullptr : &*found;
}

device::RunnerOptions runnerOfRest(const TuneOptions& options) {
    device::RunnerOptions runner = options.runner;
    runner.cancelled = {};
    if (const auto control = options.control)
        runner.cancelled = [control] { return control->isAborted(); };
    return runner;
}

namespace {

class ModelTuner {
public:
    ModelTuner(const std::filesystem::path& model, const TuneOptions& wanted,
               const std::function<void(const tune::Study&, const tune::Event&)>& told,
               const driver::Progress& progress)
        : model_(model), options_(wanted), told_(told), preparing_(progress), rest_(runnerOfRest(wanted)),
          progressOfRest_{progress.report, rest_.cancelled}, session_(model) {
        if (const auto control = options_.control)
            options_.runner.cancelled = [control, cancelled = wanted.runner.cancelled] {
                return control->isEnding() || (cancelled && cancelled());
            };
        if (options_.runner.cancelled)
            preparing_.cancelled = options_.runner.cancelled;
        options_.compile.inputsAtNeed = options_.inputs.files;
    }

    Result<Tuned> run() {
        LATHE_TRY(std::vector<tune::Task> tasks, prepare());
        if (tuned_.failed)
            return std::move(tuned_);
        tune::TuningBudget budget({.seconds = options_.plan.time.count(), .trials = options_.plan.trials},
                                  options_.control.get());
        LATHE_CHECKED(study(std::move(tasks), budget));
        if (tuned_.failed && !hasFound())
            return std::move(tuned_);
        LATHE_CHECKED(hold());
        if (options_.graph && !tuned_.failed)
            LATHE_CHECKED(tuneChoices(budget));
        if (tuned_.decisions != options_.decisions)
            LATHE_CHECKED(timeWhole());
        return std::move(tuned_);
    }

private:
    bool isCancelled() const { return options_.runner.cancelled && options_.runner.cancelled(); }
    bool hasFound() const { return tuned_.study.defaultUs() != tuned_.study.bestUs(); }
    /// Whoever aborts gets nothing; other failures leave what was found until then.
    template <class T>
    static Result<void> unlessAborted(const Result<T>& done) {
        return done || done.error().kind != ErrorKind::Cancelled ? Result<void>() : Failure(done.error());
    }

    /// The model compiled and run. None, where there is nobody who measures: the model is not at fault.
    Result<std::vector<tune::Task>> prepare() {
        const tune::Control::Work work(options_.control.get(), options_.runner.cancelled);
        auto compiled = wholeModel(session_, options_.decisions, options_.compile, options_.runner, preparing_,
                                   TimedInputs{.chosen = options_.inputs});
        if (!compiled && compiled.error().kind != ErrorKind::Cancelled &&
            !device::RunnerClient(options_.runner).facts()) {
            tuned_.failed = compiled.error();
            return std::vector<tune::Task>();
        }
        LATHE_TRY(before_, std::move(compiled));
        LATHE_TRY(const std::vector<driver::Shapes> samples, samplesOf(*before_, options_));
        if (!samples.empty()) { // but files say their sizes themselves
            before_->inputs.shapes =
                inspect::shapesBeside(before_->loaded.inputs, *before_->inputs.given, samples.front());
            LATHE_CHECKED(before_->load(options_.compile, options_.runner));
        }
        LATHE_CHECKED(before_->runner->leaseDevice());
        LATHE_TRY(const inspect::Profile profile,
                  inspect::profile(*before_->runner, before_->loaded, before_->trace, before_->inputs.shapes,
                                   measuringOfTasks, preparing_));
        tuned_.untunedMs = profile.medianMs;
        tuned_.drawn = inspect::drawnInputs(before_->loaded.inputs, *before_->inputs.given);
        if (options_.drew)
            options_.drew(tuned_.drawn);
        LATHE_TRY(std::vector<tune::Task> tasks, tasksOf(profile, samples));
        if (isCancelled())
            throw Cancelled();
        before_->runner->stop(); // it would hold the model's memory all the while
        return tasks;
    }

    /// Fails where there are none.
    Result<std::vector<tune::Task>> tasksOf(const inspect::Profile& profile,
                                            const std::vector<driver::Shapes>& samples) {
        peaks_ = peaksFor(options_, options_.runner.cancelled);
        std::vector<tune::Task> tasks =
            tuningTasks(before_->trace, profile, peaks_, options_.runner.threads, samples, tuned_.leftOut);
        if (!tasks.empty() &&
            std::ranges::none_of(tasks, [&](const tune::Task& task) { return task.kernel.contains(options_.kernel); }))
            return failure(
                fmt::format("no kernel of the model that can be tuned has '{}' in its name", options_.kernel),
                "lathe passes --kernels lists them");
        keepWanted(tasks, options_);
        if (tasks.empty())
            return failure("nothing of the model can be tuned",
                           tuned_.leftOut.empty()
                               ? "its kernels have no schedules that could be others"
                               : "say by --sizes what its open sizes mostly are, or fix them by --shape");
        if (options_.known)
            for (tune::Task& task : tasks)
                task.known = options_.known(task);
        return tasks;
    }

    Result<void> study(std::vector<tune::Task> tasks, tune::TuningBudget& budget) {
        tune::Plan plan = options_.plan;
        const Target& target = options_.compile.target;
        plan.machine = tuningMachine(target, peaks_, options_.runner.threads);
        LATHE_TRY(const tune::Space space,
                  tune::makeSpace(options_.space, templateSpace(target), target, plan.machine.threads,
                                  driver::spacesOf(options_.compile.extensions.get())));
        KernelBench bench(options_.compile, options_.runner);
        if (options_.begins)
            options_.begins();
        tune::StudyResult result =
            tune::runStudy(std::move(tasks), space, plan, bench, budget,
                           options_.graph ? schedulesShare : tune::Share{}, told_, options_.runner.cancelled);
        tuned_.study = std::move(result.study);
        tuned_.learned = std::move(result.learned);
        tuned_.decisions = options_.decisions; // of what cannot be held against the model nothing is given out
        std::optional<Diagnostic> nothing = nothingMeasured(tuned_.study, model_);
        if (result.failed && result.failed->kind != ErrorKind::Cancelled)
            tuned_.failed = std::move(result.failed);
        else if (!isCancelled())
            tuned_.failed = std::move(nothing);
        else if (nothing && !hasFound()) // as before the search: there is nothing to give
            throw Cancelled();
        return {};
    }

    /// Whoever cancels wants to keep what was found: it is still held against the model, in a child that goes on.
    Result<void> hold() {
        const tune::Control::Work work(options_.control.get(), rest_.cancelled);
        const Result<driver::Decisions> held =
            holdInPlace(session_, *before_, options_.decisions, tuned_.study, options_.compile, rest_, progressOfRest_);
        LATHE_CHECKED(unlessAborted(held));
        if (held) {
            tuned_.decisions = *held;
            tuned_.isHeld = *held != options_.decisions;
        } else if (!tuned_.failed) {
            tuned_.failed = held.error();
        }
        return {};
    }

    Result<void> tuneChoices(tune::TuningBudget& budget) {
        const Result<void> done = tuneGraph(session_, *before_, options_, budget, told_, tuned_);
        LATHE_CHECKED(unlessAborted(done));
        if (!done) // the schedules were held against the model before
            tuned_.failed = done.error();
        return {};
    }

    /// What the model takes with the decisions that are given out, beside what it took.
    Result<RunByTurns> wholeByTurns() {
        LATHE_TRY(const std::unique_ptr<WholeModel> after,
                  wholeModel(session_, tuned_.decisions, options_.compile, rest_, progressOfRest_, before_->inputs));
        return runByTurns(*before_, *after, options_.compile, rest_, progressOfRest_);
    }
    Result<void> timeWhole() {
        const tune::Control::Work work(options_.control.get(), rest_.cancelled);
        const Result<RunByTurns> whole = wholeByTurns();
        LATHE_CHECKED(unlessAborted(whole));
        if (whole)
            tuned_.whole = *whole;
        else // what was found was held against the model before
            tuned_.notTimed = whole.error().what;
        return {};
    }

    const std::filesystem::path& model_;
    TuneOptions options_;
    const std::function<void(const tune::Study&, const tune::Event&)>& told_;
    driver::Progress preparing_;
    const device::RunnerOptions rest_;
    const driver::Progress progressOfRest_;
    driver::Session session_;
    std::unique_ptr<WholeModel> before_; // untuned
    inspect::MachinePeaks peaks_;
    Tuned tuned_;
};

} // namespace

Result<Tuned> tuneModel(const std::filesystem::path& model, const TuneOptions& options,
                        const std::function<void(const tune::Study&, const tune::Event&)>& told,
                        const driver::Progress& progress) {
    return guarded([&] { return ModelTuner(model, options, told, progress).run(); });
}

} // namespace lathe::tuning
