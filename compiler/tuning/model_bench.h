// SPDX-License-Identifier: Apache-2.0
//
// Compilations of a model, timed where the runner runs: each runs by turns with the one that is the reference, and its times
// are said of that one's, so that what was measured at different moments can be compared. In place, kernels have the caches
// that they have in the model, and a layout is paid for where it is.
#pragma once

#include "tuning/graph_run.h"
#include "tuning/whole_model.h"

#include <functional>

namespace lathe::tuning {

class ModelBench final : public GraphBench {
public:
    /// The reference is compiled under `reference`. What `offered` has of schedules is for all compilations, as far as they
    /// have these workloads: what is decided has to be there. All run with these inputs. `profiles` is who measures.
    using Profiles = std::function<Result<std::vector<inspect::Profile>>(
        const std::vector<inspect::Measured>&, const inspect::Measuring&, const driver::Progress&)>;
    ModelBench(driver::Session& session, driver::Decisions reference,
               std::map<std::string, schedule::ScheduleTrace> offered, driver::Options options,
               device::RunnerOptions runner, TimedInputs inputs = {}, Profiles profiles = inspect::profileByTurns);

    Result<GraphChoices> look(const driver::Decisions& decisions) override;
    Result<GraphRun> measure(const driver::Decisions& decisions) override;

private:
    driver::Decisions withOffered(const driver::Decisions& decisions) const;
    Result<std::vector<inspect::Profile>> profilesOf(const std::vector<inspect::Measured>& models) const;

    driver::Session& session_;
    driver::Decisions referenceDecisions_;
    std::map<std::string, schedule::ScheduleTrace> offered_;
    driver::Options options_;
    device::RunnerOptions runner_;
    TimedInputs inputs_;
    Profiles profiles_;
    std::unique_ptr<WholeModel> reference_;
    double referenceMs_ = 0; // as it took first
};

} // namespace lathe::tuning
