// SPDX-License-Identifier: Apache-2.0
#include "tuning/tune_graph.h"

#include "driver/extensions.h"
#include "tuning/kernel_bench.h"
#include "tuning/model_bench.h"
#include "tuning/tune_model.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::tuning {
namespace {

std::set<std::string> workloadsOf(const driver::Trace& trace) {
    std::set<std::string> workloads;
    for (const driver::KernelRecord& kernel : trace.kernels)
        workloads.insert(kernel.workload);
    return workloads;
}

void addStep(std::string_view what, size_t changed, size_t of, const auto& step, std::vector<std::string>& sentences) {
    if (changed > 0)
        sentences.push_back(fmt::format("{}: {} of {} changed: kernels {:.3f} -> {:.3f} ms predicted, {:.3f} measured",
                                        what, changed, of, step.startMs, step.predictedMs, step.measuredMs));
    else if (of > 0 && step.measured == step.planned)
        sentences.push_back(fmt::format("{}: none of {} is better otherwise", what, of));
    if (step.measured < step.planned)
        sentences.push_back(
            fmt::format("{}: {} of {} compilations were measured in the time", what, step.measured, step.planned));
    if (!step.message.empty())
        sentences.push_back(fmt::format("{}: something could not be measured: {}", what, step.message));
}

class GraphTuner {
public:
    GraphTuner(driver::Session& session, WholeModel& before, const TuneOptions& options, tune::TuningBudget& budget,
               const std::function<void(const tune::Study&, const tune::Event&)>& told, Tuned& tuned)
        : session_(session), before_(before), options_(options), budget_(budget), told_(told), tuned_(tuned),
          peaks_(peaksFor(options)), rest_(runnerOfRest(options)) {}

    Result<void> run() {
        TunedGraph& graph = tuned_.graph.emplace();
        before_.runner->stop(); // it would hold the model's memory all the while
        const driver::Decisions schedules = tuned_.decisions;
        graph.layouts.decisions = options_.decisions;
        if (!isCancelled()) {
            const auto work = working();
            graph.layouts = layouts();
        }
        bool more = false;
        if (!isCancelled()) {
            const Result<bool> tried = newSchedules(graph.layouts.decisions);
            more = tried.value_or(false);
            if (!tried)
                graph.noNewSchedules = reason(tried.error());
        }
        graph.fusion.decisions = graph.layouts.decisions;
        if (!isCancelled()) {
            const auto work = working();
            graph.fusion = fusion(graph.layouts.decisions);
        }
        tuned_.study.seconds = budget_.seconds();
        const bool changed = graph.fusion.decisions != options_.decisions;
        const tune::Control::Work work(options_.control.get(), rest_.cancelled);
        return more || changed ? hold(schedules, graph) : Result<void>();
    }

private:
    /// Waits while the study is paused or held.
    tune::Control::Work working() const {
        if (options_.control)
            options_.control->waitToGoOn(options_.runner.cancelled);
        return tune::Control::Work(options_.control.get(), options_.runner.cancelled);
    }
    bool isCancelled() const { return options_.runner.cancelled && options_.runner.cancelled(); }

    /// Schedules that compilations have whose kernels they fit: those that were found, and where there is none what is recorded.
    std::map<std::string, schedule::ScheduleTrace> offered() const {
        std::map<std::string, schedule::ScheduleTrace> all = options_.recorded;
        for (const tune::TaskState& state : tuned_.study.tasks) {
            const std::string& workload = state.task.workload;
            if (state.trials.empty())
                continue;
            if (state.isTaken() && state.trials[state.best].inPlace != tune::InPlace::TakenBack)
                all[workload] = state.trials[state.best].candidate.trace;
            else
                all.erase(workload); // its default was not beaten
        }
        return all;
    }

    CostSearch search(GraphEvent::Step step, double share) const {
        CostSearch search;
        search.caution.leastGain = options_.plan.leastGain;
        if (const double gbs = peaks_.of(options_.runner.threads).gbs; gbs > 0)
            search.gbs = gbs;
        search.isOver = [this, share, begun = budget_.seconds()] {
            const double now = budget_.seconds(), all = budget_.limits().seconds;
            return now >= all || now - begun >= share * all;
        };
        search.cancelled = options_.runner.cancelled;
        search.told = [this, step, startMs = 0.0](size_t measured, size_t of, const GraphRun& run) mutable {
            startMs = measured == 1 ? run.ms : startMs;
            if (options_.toldGraph)
                options_.toldGraph({step, measured, of, startMs, run.ms});
        };
        return search;
    }

    ModelBench bench(const driver::Decisions& reference) const {
        return {session_, reference, offered(), options_.compile, options_.runner, before_.inputs};
    }

    static std::string reason(const Diagnostic& problem) {
        return problem.kind == ErrorKind::Cancelled ? std::string() : problem.what;
    }

    /// What fails here leaves things as they are.
    ChosenByCosts layouts() const {
        ModelBench models = bench(options_.decisions);
        Result<ChosenByCosts> chosen =
            chooseByCosts(models, options_.decisions, search(GraphEvent::Step::Layouts, layoutsShare));
        if (chosen)
            return *std::move(chosen);
        ChosenByCosts none;
        none.decisions = options_.decisions;
        none.message = reason(chosen.error());
        return none;
    }

    CutGroups fusion(const driver::Decisions& base) const {
        ModelBench models = bench(base);
        Result<CutGroups> cut = cutGroups(models, base, search(GraphEvent::Step::Fusion, fusionShare));
        if (cut)
            return *std::move(cut);
        CutGroups none;
        none.decisions = base;
        none.message = reason(cut.error());
        return none;
    }

    /// The task of the first study that has the workload; the end: none has.
    auto knownOf(const tune::Task& task) const {
        return std::ranges::find(tuned_.study.tasks, task.workload,
                                 [](const tune::TaskState& each) { return each.task.workload; });
    }

    Result<std::vector<tune::Task>> tasksUnder(const driver::Decisions& graph) const {
        const tune::Control::Work work(options_.control.get(), options_.runner.cancelled);
        const driver::Progress quietly{{}, options_.runner.cancelled};
        LATHE_TRY(const std::unique_ptr<WholeModel> whole,
                  wholeModel(session_, graph, options_.compile, options_.runner, quietly, before_.inputs));
        LATHE_CHECKED(whole->runner->leaseDevice());
        LATHE_TRY(const inspect::Profile profile, inspect::profile(*whole->runner, whole->loaded, whole->trace,
                                                                   whole->inputs.shapes, measuringOfTasks, quietly));
        LATHE_TRY(const std::vector<driver::Shapes> samples, samplesOf(*whole, options_));
        whole->runner->stop();
        std::vector<std::string> leftOut;
        return tuningTasks(whole->trace, profile, peaks_, options_.runner.threads, samples, leftOut);
    }

    /// Those that there were not before; all, from where they stand, if there are none.
    std::vector<tune::Task> newOf(std::vector<tune::Task> tasks) const {
        const auto isKnown = [&](const tune::Task& task) { return knownOf(task) != tuned_.study.tasks.end(); };
        keepWanted(tasks, options_);
        if (!std::ranges::all_of(tasks, isKnown))
            std::erase_if(tasks, isKnown);
        for (tune::Task& task : tasks)
            if (const auto known = knownOf(task); known != tuned_.study.tasks.end())
                task.known = {known->trials,           known->seconds,  known->judgements,
                              known->task.known.seeds, known->priority, known->wish};
            else if (options_.known)
                task.known = options_.known(task);
        return tasks;
    }

    /// What a further study found beside what the first one did.
    void add(tune::StudyResult more) {
        if (more.failed && more.failed->kind != ErrorKind::Cancelled)
            tuned_.failed = std::move(more.failed);
        for (tune::TaskState& each : more.study.tasks)
            if (const auto known = knownOf(each.task); known != tuned_.study.tasks.end()) {
                each.known = known->known; // the trials of both studies are this tuning's
                *known = std::move(each);
            } else {
                tuned_.study.tasks.push_back(std::move(each));
            }
        tuned_.study.spent = more.study.spent;
        tuned_.study.timings = tuned_.study.timings + more.study.timings;
        tuned_.study.trials = more.study.trials;
        if (!more.learned.empty()) {
            tuned_.learned = std::move(more.learned);
            tuned_.study.importance = std::move(more.study.importance);
        }
    }

    /// Of the kernels that these choices make. Whether anything was tried.
    Result<bool> newSchedules(const driver::Decisions& graph) {
        if (budget_.isUsedUp(newSchedulesShare))
            return false;
        LATHE_TRY(std::vector<tune::Task> all, tasksUnder(graph));
        std::vector<tune::Task> tasks = newOf(std::move(all));
        if (tasks.empty())
            return false;
        tune::Plan plan = options_.plan;
        if (!tuned_.learned.empty())
            plan.learned = tuned_.learned;
        const Target& target = options_.compile.target;
        plan.machine = tuningMachine(target, peaks_, options_.runner.threads);
        LATHE_TRY(const tune::Space space,
                  tune::makeSpace(options_.space, templateSpace(target), target, plan.machine.threads,
                                  driver::spacesOf(options_.compile.extensions.get())));
        KernelBench kernels(options_.compile, options_.runner);
        add(tune::runStudy(std::move(tasks), space, plan, kernels, budget_, newSchedulesShare, told_,
                           options_.runner.cancelled));
        return true;
    }

    Result<std::unique_ptr<WholeModel>> compiled(const driver::Decisions& decisions) {
        return wholeModel(session_, decisions, options_.compile, rest_, {}, before_.inputs);
    }

    /// All of it against the schedules alone, and then against the untuned model.
    Result<void> hold(const driver::Decisions& schedules, TunedGraph& graph) {
        const driver::Decisions& changed = graph.fusion.decisions;
        tune::Study study = tuned_.study; // what its trials say of this model is true if it is taken
        driver::Decisions all;
        if (changed == options_.decisions) {
            LATHE_TRY(all, holdInPlace(session_, before_, changed, study, options_.compile, rest_));
        } else {
            LATHE_TRY(const std::unique_ptr<WholeModel> plain, compiled(changed));
            LATHE_TRY(all, holdInPlace(session_, *plain, changed, study, options_.compile, rest_));
        }
        if (all == schedules)
            return {};
        LATHE_TRY(const std::unique_ptr<WholeModel> one, compiled(schedules));
        LATHE_TRY(const std::unique_ptr<WholeModel> other, compiled(all));
        LATHE_TRY(const Compared step, compareInPlace(*one, *other, options_.compile, rest_));
        graph.schedulesMs = step.firstMs;
        graph.wholeMs = step.secondMs;
        if (!step.isFaster)
            return {};
        LATHE_TRY(const Compared whole, compareInPlace(before_, *other, options_.compile, rest_));
        graph.isTaken = whole.isFaster;
        if (graph.isTaken) {
            graph.workloadsBefore = workloadsOf(before_.trace);
            graph.workloads = workloadsOf(other->trace);
            tuned_.study = std::move(study);
            tuned_.decisions = all;
            tuned_.isHeld = true;
        }
        return {};
    }

    driver::Session& session_;
    WholeModel& before_;
    const TuneOptions& options_;
    tune::TuningBudget& budget_;
    const std::function<void(const tune::Study&, const tune::Event&)>& told_;
    Tuned& tuned_;
    inspect::MachinePeaks peaks_;
    device::RunnerOptions rest_;
};

} // namespace

std::vector<std::string> sentencesOf(const TunedGraph& graph) {
    std::vector<std::string> sentences;
    addStep("variants and layouts", graph.layouts.changed, graph.layouts.sites, graph.layouts, sentences);
    if (!graph.noNewSchedules.empty())
        sentences.push_back(
            fmt::format("schedules of the kernels with them: none were tried: {}", graph.noNewSchedules));
    addStep("fused groups", graph.fusion.cut, graph.fusion.groups, graph.fusion, sentences);
    if (graph.layouts.changed + graph.fusion.cut == 0 || graph.isTaken)
        return sentences;
    sentences.push_back(graph.wholeMs > 0 ? fmt::format("the model with them takes {:.3f} ms, {:.3f} with schedules "
                                                        "alone: they stay as they were",
                                                        graph.wholeMs, graph.schedulesMs)
                                          : "the model with them could not be timed: they stay as they were");
    return sentences;
}

std::string_view toString(GraphEvent::Step step) {
    return step == GraphEvent::Step::Layouts ? "layouts" : "fusion";
}

Result<void> tuneGraph(driver::Session& session, WholeModel& before, const TuneOptions& options,
                       tune::TuningBudget& budget,
                       const std::function<void(const tune::Study&, const tune::Event&)>& told, Tuned& tuned) {
    return GraphTuner(session, before, options, budget, told, tuned).run();
}

} // namespace lathe::tuning
