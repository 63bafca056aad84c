// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning_tasks.h"

#include "arith/analysis.h"
#include "lower/workload.h"
#include "tuning/tune_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lathe::tuning {
namespace {

constexpr double leastFloorUs = 0.2, aboveFloor = 1.05;

double floorOf(double flops, double bytes, const Peak& peak) {
    return aboveFloor * std::max(peak.leastUs(flops, bytes), leastFloorUs);
}

/// The sizes that the kernel's calls have where the model's inputs have these shapes, and what it can take there at least.
/// False: they are not known, or there are none, or too many.
bool sizeTask(tune::Task& task, const driver::Trace& trace, const std::vector<driver::Shapes>& samples,
              const Peak& peak) {
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

MachineModel tuningMachine(const Target& target, const inspect::MachinePeaks& peaks, int threads) {
    MeasuredRates measured;
    if (peaks.one.gflops > 0)
        measured.gflops = peaks.one.gflops;
    if (peaks.of(threads).gbs > 0)
        measured.gbs = peaks.of(threads).gbs;
    return machineModel(target, threads > 0 ? threads : peaks.threads, measured);
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

void keepWanted(std::vector<tune::Task>& tasks, const TuneOptions& options) {
    std::erase_if(tasks, [&](const tune::Task& task) {
        return options.decisions.kernels.contains(task.workload) || !task.kernel.contains(options.kernel) ||
               (options.chosen && !options.chosen(task));
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

} // namespace lathe::tuning
