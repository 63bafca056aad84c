// SPDX-License-Identifier: Apache-2.0
//
// Compilations of a model, timed where the runner runs: each runs by turns with the one that is the reference, and its times
// are said of that one's, so that what was measured at different moments can be compared. In place, kernels have the caches
// that they have in the model, and a layout is paid for where it is.
#pragma once

#include "driver/graph_run.h"
#include "driver/whole_model.h"

#include <functional>

namespace lathe::driver {

class ModelBench final : public GraphBench {
public:
    /// The reference is compiled under `reference`. What `offered` has of schedules is for all compilations, as far as they
    /// have these workloads: what is decided has to be there. All run with these inputs. `profiles` is who measures.
    using Profiles =
        std::function<Result<std::vector<Profile>>(const std::vector<Measured>&, const Measuring&, const Progress&)>;
    ModelBench(Session& session, Decisions reference, std::map<std::string, schedule::ScheduleTrace> offered,
               Options options, RunnerOptions runner, TimedInputs inputs = {}, Profiles profiles = profileByTurns);

    Result<GraphChoices> look(const Decisions& decisions) override;
    Result<GraphRun> measure(const Decisions& decisions) override;

private:
    Decisions withOffered(const Decisions& decisions) const;
    Result<std::vector<Profile>> profilesOf(const std::vector<Measured>& models) const;

    Session& session_;
    Decisions referenceDecisions_;
    std::map<std::string, schedule::ScheduleTrace> offered_;
    Options options_;
    RunnerOptions runner_;
    TimedInputs inputs_;
    Profiles profiles_;
    std::unique_ptr<WholeModel> reference_;
    double referenceMs_ = 0; // as it took first
};

} // namespace lathe::driver
