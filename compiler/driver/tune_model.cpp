// SPDX-License-Identifier: Apache-2.0
#include "driver/tune_model.h"

#include "base/memory_file.h"
#include "driver/guarded.h"
#include "driver/inputs.h"
#include "driver/kernel_bench.h"
#include "lower/schedule_kernel.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {
namespace {

constexpr double leastFloorUs = 0.2, aboveFloor = 1.05;
constexpr Measuring profiling{.warmUp = 1,
                              .leastRuns = 3,
                              .mostRuns = 20,
                              .atLeast = std::chrono::milliseconds(200),
                              .timeline = false,
                              .counters = false};
constexpr Measuring inPlace{.warmUp = 2,
                            .leastRuns = 9,
                            .mostRuns = 60,
                            .atLeast = std::chrono::seconds(2),
                            .timeline = false,
                            .counters = false};

/// A compilation, loaded in a child of its own.
struct Whole {
    MemoryFile file{"lathe-model"};
    Trace trace;
    std::unique_ptr<RunnerClient> runner;
    RunnerModel loaded;
    Shapes shapes;

    /// In a new child.
    Result<void> load(const TuneOptions& options) {
        runner = std::make_unique<RunnerClient>(options.runner);
        LATHE_TRY(loaded, runner->load(file.path()));
        LATHE_TRY(shapes, setInputs(*runner, loaded, {}, options.compile.shapes, 0, options.runner.cancelled));
        return {};
    }
    Measured measured() const { return {runner.get(), &loaded, &trace, shapes, {}}; }
};

Result<std::unique_ptr<Whole>> compiled(const std::filesystem::path& model, const TuneOptions& options,
                                        const Decisions& decisions, const Progress& progress) {
    auto whole = std::make_unique<Whole>();
    LATHE_CHECKED(compileFile(model, whole->file.path(), decisions, options.compile, whole->trace, progress));
    LATHE_CHECKED(whole->load(options));
    return whole;
}

double floorOf(double flops, double bytes, const Peak& peak) {
    const double compute = peak.gflops > 0 ? flops / peak.gflops / 1e3 : 0;
    const double memory = peak.gbs > 0 ? bytes / peak.gbs / 1e3 : 0;
    return aboveFloor * std::max({compute, memory, leastFloorUs});
}

double msOf(const Profile& profile, const std::string& kernel) {
    double ms = 0;
    for (const ProfileRow& row : profile.rows)
        if (row.kernel == kernel)
            ms += row.ms;
    return ms;
}

Decisions withSchedules(const Decisions& decisions, const tune::Study& study,
                        const std::vector<std::string>& takenBack) {
    Decisions result = decisions;
    for (const tune::TaskState& state : study.tasks)
        if (state.isTaken() && std::ranges::find(takenBack, state.task.workload) == takenBack.end())
            result.kernels[state.task.workload].trace = state.trials[state.best].candidate.trace;
    return result;
}

/// Both models by turns. A tuned kernel that is slower in place than its default is taken back, and what is left is
/// measured again.
Result<void> holdAgainst(const Whole& before, const std::filesystem::path& model, const TuneOptions& options,
                         Tuned& tuned, const Progress& progress) {
    for (bool again = true; again;) {
        again = false;
        const tune::Control::Work work(options.control.get(), options.runner.cancelled);
        tuned.decisions = withSchedules(options.decisions, tuned.study, tuned.takenBack);
        tuned.beforeMs = tuned.afterMs = 0;
        tuned.isFaster = false;
        if (tuned.decisions == options.decisions)
            return {};
        LATHE_TRY(const std::unique_ptr<Whole> after, compiled(model, options, tuned.decisions, progress));
        LATHE_TRY(const std::vector<Profile> profiles,
                  profileByTurns({before.measured(), after->measured()}, inPlace, progress));
        tuned.beforeMs = profiles[0].medianMs;
        tuned.afterMs = profiles[1].medianMs;
        tuned.isFaster = profiles[1].highMs < profiles[0].lowMs;
        for (const tune::TaskState& state : tuned.study.tasks) {
            if (!tuned.decisions.kernels.contains(state.task.workload) ||
                options.decisions.kernels.contains(state.task.workload))
                continue;
            if (msOf(profiles[1], state.task.kernel) > msOf(profiles[0], state.task.kernel)) {
                tuned.takenBack.push_back(state.task.workload);
                again = true;
            }
        }
    }
    return {};
}

} // namespace

tune::Machine machineOf(const Target& target, const MachinePeaks& peaks, int threads) {
    tune::Machine machine = tune::machineOf(target, threads > 0 ? threads : peaks.threads);
    if (peaks.one.gflops > 0)
        machine.gflops = peaks.one.gflops;
    if (peaks.of(threads).gbs > 0)
        machine.gbs = peaks.of(threads).gbs;
    return machine;
}

std::vector<tune::Task> tuningTasks(const Trace& trace, const Profile& profile, const MachinePeaks& peaks, int threads,
                                    std::vector<std::string>& leftOut) {
    std::vector<std::pair<double, tune::Task>> found; // ms of the model
    for (const KernelRecord& kernel : trace.kernels) {
        if (!kernel.schedulable || kernel.schedule.questions.empty())
            continue;
        tune::Task task;
        task.workload = kernel.workload;
        task.kernel = kernel.name;
        task.computation = kernel.stages.front().second;
        task.calls = 0;
        for (const ProfileRow& row : profile.rows)
            if (row.kernel == kernel.name) {
                ++task.calls;
                task.flops = row.flops;
                task.bytes = row.bytes;
            }
        if (task.calls == 0)
            continue;
        if (std::ranges::any_of(task.computation->params, [](const tir::Param& param) { return !param.buffer; })) {
            leftOut.push_back(kernel.name);
            continue;
        }
        task.floorUs = floorOf(task.flops, task.bytes, peaks.of(threads));
        found.emplace_back(msOf(profile, kernel.name), std::move(task));
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<double, tune::Task>::first);
    std::vector<tune::Task> tasks;
    for (auto& [ms, task] : found)
        tasks.push_back(std::move(task));
    return tasks;
}

tune::Space templateSpace(const Target& target) {
    const auto generate = [target](const tir::PrimFuncPtr& computation,
                                   const std::shared_ptr<const schedule::Chooser>& chooser) -> Result<tune::Candidate> {
        LATHE_TRY(lower::ScheduledKernel made, lower::scheduleAsAnswered(computation, target, chooser));
        return tune::candidateOf(made.function, std::move(made.schedule.trace), std::move(made.schedule.questions),
                                 *chooser);
    };
    return {"template", 1, generate};
}

Result<Tuned> tuneModel(const std::filesystem::path& model, const TuneOptions& wanted,
                        const std::function<void(const tune::Study&, const tune::Event&)>& told,
                        const Progress& progress) {
    return guarded([&]() -> Result<Tuned> {
        TuneOptions options = wanted;
        if (const auto control = options.control)
            options.runner.cancelled = [control, cancelled = wanted.runner.cancelled] {
                return control->isEnding() || (cancelled && cancelled());
            };
        Progress preparing = progress;
        if (options.runner.cancelled)
            preparing.cancelled = options.runner.cancelled;
        std::optional<tune::Control::Work> work(std::in_place, options.control.get(), options.runner.cancelled);
        LATHE_TRY(const std::unique_ptr<Whole> before, compiled(model, options, options.decisions, preparing));
        LATHE_TRY(const Profile profile, driver::profile(*before->runner, before->loaded, before->trace, before->shapes,
                                                         profiling, preparing));
        Tuned tuned;
        const MachinePeaks peaks = machinePeaks(options.runner.threads, true, options.runner.cancelled);
        std::vector<tune::Task> tasks =
            tuningTasks(before->trace, profile, peaks, options.runner.threads, tuned.leftOut);
        std::erase_if(tasks, [&](const tune::Task& task) {
            return options.decisions.kernels.contains(task.workload) || !task.kernel.contains(options.kernel) ||
                   (options.chosen && !options.chosen(task));
        });
        if (tasks.empty())
            return failure("nothing of the model can be tuned",
                           tuned.leftOut.empty() ? "its kernels have no schedules that could be others"
                                                 : "fix the sizes that it leaves open by --shape");
        if (options.known)
            for (tune::Task& task : tasks)
                task.known = options.known(task);
        if (options.runner.cancelled && options.runner.cancelled())
            throw Cancelled();
        before->runner->stop(); // it would hold the model's memory all the while
        work.reset();
        tune::Plan plan = options.plan;
        plan.machine = machineOf(options.compile.target, peaks, options.runner.threads);
        KernelBench bench(options.compile, options.runner);
        tune::StudyResult result = tune::runStudy(std::move(tasks), templateSpace(options.compile.target), plan, bench,
                                                  told, options.runner.cancelled, options.control.get());
        tuned.study = std::move(result.study);
        tuned.learned = std::move(result.learned);
        if (result.failed && result.failed->kind != ErrorKind::Cancelled)
            return Failure(*result.failed);
        // Whoever cancels wants to keep what was found: it is still held against the model, in a child that goes on.
        TuneOptions last = options;
        last.runner.cancelled = {};
        if (const auto control = options.control)
            last.runner.cancelled = [control] { return control->isAborted(); };
        LATHE_CHECKED(before->load(last));
        LATHE_CHECKED(holdAgainst(*before, model, last, tuned, {progress.report, last.runner.cancelled}));
        return tuned;
    });
}

} // namespace lathe::driver
