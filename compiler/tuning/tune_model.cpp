// SPDX-License-Identifier: Apache-2.0
#include "tuning/tune_model.h"

#include "arith/analysis.h"
#include "base/guarded.h"
#include "lower/schedule_kernel.h"
#include "lower/workload.h"
#include "tuning/kernel_bench.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace lathe::tuning {
namespace {

constexpr double leastFloorUs = 0.2, aboveFloor = 1.05;
constexpr inspect::Measuring profiling{.warmUp = 1,
                                       .leastRuns = 3,
                                       .mostRuns = 20,
                                       .atLeast = std::chrono::milliseconds(200),
                                       .timeline = false,
                                       .counters = false};

double floorOf(double flops, double bytes, const inspect::Peak& peak) {
    const double compute = peak.gflops > 0 ? flops / peak.gflops / 1e3 : 0;
    const double memory = peak.gbs > 0 ? bytes / peak.gbs / 1e3 : 0;
    return aboveFloor * std::max({compute, memory, leastFloorUs});
}

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

/// The sizes that the kernel's calls have where the model's inputs have these shapes, and what it can take there at least.
/// False: they are not known, or there are none, or too many.
bool sizeTask(tune::Task& task, const driver::Trace& trace, const std::vector<driver::Shapes>& samples,
              const inspect::Peak& peak) {
    std::vector<std::pair<int64_t, std::vector<int64_t>>> all; // the bytes that a call moves, and its sizes
    double logFloors = 0;
    for (const driver::Shapes& shapes : samples) {
        const auto symbols = inspect::symbolValues(trace.passes.front().after->main(), shapes);
        for (const driver::CallRecord& call : trace.calls) {
            if (call.kernel != task.kernel)
                continue;
            std::vector<int64_t> sizes;
            for (const arith::Expr& scalar : call.scalars)
                if (const auto size = arith::evaluate(scalar, symbols))
                    sizes.push_back(*size);
            const auto flops = arith::evaluate(call.flops, symbols), bytes = arith::evaluate(call.bytes, symbols);
            if (sizes.size() < call.scalars.size() || !flops || !bytes)
                return false;
            if (std::ranges::find(all, sizes, &std::pair<int64_t, std::vector<int64_t>>::second) != all.end())
                continue;
            all.emplace_back(*bytes, std::move(sizes));
            logFloors += std::log(floorOf(static_cast<double>(*flops), static_cast<double>(*bytes), peak));
        }
    }
    if (all.empty() || all.size() > mostSamples)
        return false;
    task.floorUs = std::exp(logFloors / static_cast<double>(all.size()));
    std::ranges::sort(all, std::ranges::greater());
    task.sizes = std::move(all.front().second);
    for (size_t i = 1; i < all.size(); ++i)
        task.otherSizes.push_back(std::move(all[i].second));
    return true;
}

/// What the model takes with the decisions that are given out, beside what it took.
Result<RunByTurns> wholeByTurns(driver::Session& session, WholeModel& before, const driver::Decisions& decisions,
                                const TuneOptions& options, const driver::Progress& progress) {
    LATHE_TRY(const std::unique_ptr<WholeModel> after,
              wholeModel(session, decisions, options.compile, options.runner, progress, before.inputs));
    return runByTurns(before, *after, options.compile, options.runner, progress);
}

} // namespace

Result<inspect::SweepQuestion> parseTunedSizes(std::string_view text) {
    LATHE_TRY(inspect::SweepQuestion question, inspect::parseSweep(text));
    std::ranges::sort(question.sizes, std::ranges::greater());
    const auto twice = std::ranges::unique(question.sizes);
    question.sizes.erase(twice.begin(), twice.end());
    if (question.sizes.size() > mostSamples)
        return failure(ErrorKind::Usage,
                       fmt::format("'{}' are {} sizes, of {} at most", text, question.sizes.size(), mostSamples),
                       "each candidate is timed at each of them: choose those that matter");
    return question;
}

tune::Machine tuningMachine(const Target& target, const inspect::MachinePeaks& peaks, int threads) {
    tune::Machine machine = tune::machineOf(target, threads > 0 ? threads : peaks.threads);
    if (peaks.one.gflops > 0)
        machine.gflops = peaks.one.gflops;
    if (peaks.of(threads).gbs > 0)
        machine.gbs = peaks.of(threads).gbs;
    return machine;
}

std::vector<tune::Task> tuningTasks(const driver::Trace& trace, const inspect::Profile& profile,
                                    const inspect::MachinePeaks& peaks, int threads,
                                    const std::vector<driver::Shapes>& samples, std::vector<std::string>& leftOut) {
    std::vector<std::pair<double, tune::Task>> found; // ms of the model
    for (const driver::KernelRecord& kernel : trace.kernels) {
        if (!kernel.schedulable || kernel.schedule.questions.empty())
            continue;
        tune::Task task;
        task.workload = kernel.workload;
        task.kernel = kernel.name;
        task.computation = kernel.stages.front().second;
        task.calls = 0;
        for (const inspect::ProfileRow& row : profile.rows)
            if (row.kernel == kernel.name) {
                ++task.calls;
                task.flops = row.flops;
                task.bytes = row.bytes;
            }
        if (task.calls == 0)
            continue;
        task.us = 1e3 * msOf(profile, kernel.name) / task.calls;
        task.floorUs = floorOf(task.flops, task.bytes, peaks.of(threads));
        if (lower::hasOpenSizes(*task.computation) && !sizeTask(task, trace, samples, peaks.of(threads))) {
            leftOut.push_back(kernel.name);
            continue;
        }
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

Result<std::vector<driver::Shapes>> samplesOf(const WholeModel& model, const TuneOptions& options) {
    std::vector<driver::Shapes> samples;
    if (options.sizes)
        for (const int64_t size : options.sizes->sizes) {
            LATHE_TRY(driver::Shapes shapes,
                      inspect::shapesAt(model.loaded, options.sizes->name, size, {},
                                        inspect::asDeclared(model.trace.graph.get(), options.compile.shapes)));
            samples.push_back(std::move(shapes));
        }
    return samples;
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

Result<Tuned> tuneModel(const std::filesystem::path& model, const TuneOptions& wanted,
                        const std::function<void(const tune::Study&, const tune::Event&)>& told,
                        const driver::Progress& progress) {
    return guarded([&]() -> Result<Tuned> {
        TuneOptions options = wanted;
        if (const auto control = options.control)
            options.runner.cancelled = [control, cancelled = wanted.runner.cancelled] {
                return control->isEnding() || (cancelled && cancelled());
            };
        driver::Progress preparing = progress;
        if (options.runner.cancelled)
            preparing.cancelled = options.runner.cancelled;
        std::optional<tune::Control::Work> work(std::in_place, options.control.get(), options.runner.cancelled);
        driver::Session session(model);
        options.compile.inputsAtNeed = options.inputs.files;
        auto compiled = wholeModel(session, options.decisions, options.compile, options.runner, preparing,
                                   TimedInputs{.chosen = options.inputs});
        if (!compiled && compiled.error().kind != ErrorKind::Cancelled &&
            !device::RunnerClient(options.runner).facts()) {
            Tuned none; // there is nobody who measures: the model is not at fault
            none.failed = compiled.error();
            return none;
        }
        LATHE_TRY(const std::unique_ptr<WholeModel> before, std::move(compiled));
        LATHE_TRY(const std::vector<driver::Shapes> samples, samplesOf(*before, options));
        if (!samples.empty()) { // but files say their sizes themselves
            before->inputs.shapes =
                inspect::shapesBeside(before->loaded.inputs, *before->inputs.given, samples.front());
            LATHE_CHECKED(before->load(options.compile, options.runner));
        }
        LATHE_CHECKED(before->runner->leaseDevice());
        LATHE_TRY(const inspect::Profile profile, inspect::profile(*before->runner, before->loaded, before->trace,
                                                                   before->inputs.shapes, profiling, preparing));
        Tuned tuned;
        tuned.untunedMs = profile.medianMs;
        tuned.drawn = inspect::drawnInputs(before->loaded.inputs, *before->inputs.given);
        if (options.drew)
            options.drew(tuned.drawn);
        const inspect::MachinePeaks peaks = peaksFor(options, options.runner.cancelled);
        std::vector<tune::Task> tasks =
            tuningTasks(before->trace, profile, peaks, options.runner.threads, samples, tuned.leftOut);
        if (!tasks.empty() &&
            std::ranges::none_of(tasks, [&](const tune::Task& task) { return task.kernel.contains(options.kernel); }))
            return failure(fmt::format("no kernel of the model that can be tuned has '{}' in its name", options.kernel),
                           "lathe passes --kernels lists them");
        std::erase_if(tasks, [&](const tune::Task& task) {
            return options.decisions.kernels.contains(task.workload) || !task.kernel.contains(options.kernel) ||
                   (options.chosen && !options.chosen(task));
        });
        if (tasks.empty())
            return failure("nothing of the model can be tuned",
                           tuned.leftOut.empty()
                               ? "its kernels have no schedules that could be others"
                               : "say by --sizes what its open sizes mostly are, or fix them by --shape");
        if (options.known)
            for (tune::Task& task : tasks)
                task.known = options.known(task);
        if (options.runner.cancelled && options.runner.cancelled())
            throw Cancelled();
        before->runner->stop(); // it would hold the model's memory all the while
        work.reset();
        tune::TuningBudget budget({.seconds = options.plan.time.count(), .trials = options.plan.trials},
                                  options.control.get());
        tune::Plan plan = options.plan;
        const Target& target = options.compile.target;
        plan.machine = tuningMachine(target, peaks, options.runner.threads);
        LATHE_TRY(const tune::Space space,
                  tune::makeSpace(options.space, templateSpace(target), target, plan.machine.threads));
        KernelBench bench(options.compile, options.runner);
        if (options.begins)
            options.begins();
        tune::StudyResult result =
            tune::runStudy(std::move(tasks), space, plan, bench, budget, options.graph ? schedulesShare : tune::Share{},
                           told, options.runner.cancelled);
        tuned.study = std::move(result.study);
        tuned.learned = std::move(result.learned);
        const bool hasFound = tuned.study.defaultUs() != tuned.study.bestUs();
        std::optional<Diagnostic> nothing = nothingMeasured(tuned.study, model);
        if (result.failed && result.failed->kind != ErrorKind::Cancelled)
            tuned.failed = std::move(result.failed);
        else if (!(options.runner.cancelled && options.runner.cancelled()))
            tuned.failed = std::move(nothing);
        else if (nothing && !hasFound) // as before the search: there is nothing to give
            throw Cancelled();
        tuned.decisions = options.decisions; // of what cannot be held against the model nothing is given out
        if (tuned.failed && !hasFound)
            return tuned;
        // Whoever cancels wants to keep what was found: it is still held against the model, in a child that goes on.
        TuneOptions last = options;
        last.runner.cancelled = {};
        if (const auto control = options.control)
            last.runner.cancelled = [control] { return control->isAborted(); };
        work.emplace(options.control.get(), last.runner.cancelled);
        const Result<driver::Decisions> held =
            holdInPlace(session, *before, options.decisions, tuned.study, last.compile, last.runner,
                        {progress.report, last.runner.cancelled});
        if (held) {
            tuned.decisions = *held;
            tuned.isHeld = *held != options.decisions;
        } else if (held.error().kind == ErrorKind::Cancelled) {
            return Failure(held.error());
        } else if (!tuned.failed) {
            tuned.failed = held.error();
        }
        work.reset();
        if (options.graph && !tuned.failed)
            if (const auto done = tuneGraph(session, *before, options, budget, told, tuned); !done) {
                if (done.error().kind == ErrorKind::Cancelled)
                    return Failure(done.error());
                tuned.failed = done.error(); // the schedules were held against the model before
            }
        if (tuned.decisions == options.decisions)
            return tuned;
        work.emplace(options.control.get(), last.runner.cancelled);
        auto whole = wholeByTurns(session, *before, tuned.decisions, last,
                                  {.report = progress.report, .cancelled = last.runner.cancelled});
        if (whole)
            tuned.whole = *whole;
        else if (whole.error().kind == ErrorKind::Cancelled)
            return Failure(whole.error());
        else // what was found was held against the model before
            tuned.notTimed = whole.error().what;
        return tuned;
    });
}

} // namespace lathe::tuning
