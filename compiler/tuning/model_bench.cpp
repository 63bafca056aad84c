// SPDX-License-Identifier: Apache-2.0
#include "tuning/model_bench.h"

#include "base/guarded.h"
#include "driver/passes.h"
#include "tuning/disturbance.h"

#include <fmt/format.h>
#include <numeric>

namespace lathe::tuning {
namespace {

constexpr inspect::Measuring byTurns{.warmUp = 1,
                                     .leastRuns = 5,
                                     .mostRuns = 30,
                                     .atLeast = std::chrono::milliseconds(400),
                                     .timeline = false,
                                     .counters = false};

constexpr int insistenceOnModels = 3; // times

/// A call that ran for no time, by the clock; null: there is none. The sum of the others would be that of a very fast model.
const inspect::ProfileRow* untimed(const std::vector<inspect::Profile>& profiles) {
    for (const inspect::Profile& profile : profiles)
        for (const inspect::ProfileRow& row : profile.rows)
            if (!isTime(row.ms))
                return &row;
    return nullptr;
}

double sumOf(const inspect::Profile& profile) {
    return std::accumulate(profile.rows.begin(), profile.rows.end(), 0.0,
                           [](double sum, const inspect::ProfileRow& row) { return sum + row.ms; });
}

} // namespace

ModelBench::ModelBench(driver::Session& session, driver::Decisions reference,
                       std::map<std::string, schedule::ScheduleTrace> offered, driver::Options options,
                       device::RunnerOptions runner, TimedInputs inputs, Profiles profiles)
    : session_(session), referenceDecisions_(std::move(reference)), offered_(std::move(offered)),
      options_(std::move(options)), runner_(std::move(runner)), inputs_(std::move(inputs)),
      profiles_(std::move(profiles)) {}

driver::Decisions ModelBench::withOffered(const driver::Decisions& decisions) const {
    driver::Decisions all = decisions;
    for (const auto& [workload, trace] : offered_)
        all.recorded[workload] = {.trace = trace};
    return all;
}

/// Kernels matter to no choice: they get no schedule, and no pass that they can do without.
Result<GraphChoices> ModelBench::look(const driver::Decisions& decisions) {
    return guarded([&]() -> Result<GraphChoices> {
        driver::Options options = options_;
        options.emitCode = false;
        driver::Decisions graph = decisions;
        graph.kernels.clear();
        for (const driver::Pass& pass : driver::pipelineWith(options_.extensions.get()))
            if (pass.stage == driver::Stage::Tir && !pass.required)
                graph.skipPasses.insert(std::string(pass.name));
        driver::Trace trace;
        LATHE_CHECKED(session_.compile({}, graph, options, trace, {.report = {}, .cancelled = runner_.cancelled}));
        return GraphChoices{std::move(trace.variants), std::move(trace.layouts)};
    });
}

Result<std::vector<inspect::Profile>> ModelBench::profilesOf(const std::vector<inspect::Measured>& models) const {
    for (int time = 1;; ++time) {
        LATHE_CHECKED(models.front().runner->leaseDevice());
        auto profiles = profiles_(models, byTurns, {.report = {}, .cancelled = runner_.cancelled});
        (void)models.front().runner->releaseDevice();
        if (!profiles)
            return profiles;
        const inspect::ProfileRow* row = untimed(*profiles);
        if (!row)
            return profiles;
        if (time == insistenceOnModels)
            return failure(fmt::format("the clock gave kernel '{}' no time", row->kernel),
                           "tune when the machine is less busy");
    }
}

Result<GraphRun> ModelBench::measure(const driver::Decisions& decisions) {
    return guarded([&]() -> Result<GraphRun> {
        const driver::Progress progress{.report = {}, .cancelled = runner_.cancelled};
        if (!reference_) {
            LATHE_TRY(reference_,
                      wholeModel(session_, withOffered(referenceDecisions_), options_, runner_, progress, inputs_));
        }
        std::unique_ptr<WholeModel> other;
        std::vector<inspect::Measured> models{reference_->measured()};
        if (decisions != referenceDecisions_) {
            LATHE_TRY(other, wholeModel(session_, withOffered(decisions), options_, runner_, progress, inputs_));
            models.push_back(other->measured());
        }
        LATHE_TRY(const std::vector<inspect::Profile> profiles, profilesOf(models));
        const double reference = sumOf(profiles.front());
        if (referenceMs_ == 0)
            referenceMs_ = reference;
        return graphRunOf(other ? other->trace : reference_->trace, profiles.back(),
                          reference > 0 ? referenceMs_ / reference : 1); // without kernels there is nothing to scale
    });
}

} // namespace lathe::tuning
