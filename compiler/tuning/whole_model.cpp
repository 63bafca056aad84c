// SPDX-License-Identifier: Apache-2.0
#include "tuning/whole_model.h"

namespace lathe::tuning {

Result<void> WholeModel::load(const driver::Options& options, const device::RunnerOptions& runnerOptions) {
    runner = std::make_unique<device::RunnerClient>(runnerOptions);
    LATHE_TRY(loaded, runner->load(file.path()));
    if (!inputs.given) {
        LATHE_TRY(inspect::Tensors given, inspect::readInputs(loaded.inputs, inputs.chosen.files));
        inputs.given = std::make_shared<const inspect::Tensors>(std::move(given));
    }
    const driver::Shapes asked = inputs.shapes.empty()
                                     ? inspect::shapesBeside(loaded.inputs, *inputs.given,
                                                             inspect::asDeclared(trace.graph.get(), options.shapes))
                                     : inputs.shapes;
    LATHE_TRY(inputs.shapes,
              inspect::setInputs(*runner, loaded, *inputs.given, asked, inputs.chosen.seed, runnerOptions.cancelled));
    return {};
}

Result<std::unique_ptr<WholeModel>> wholeModel(driver::Session& session, const driver::Decisions& decisions,
                                               const driver::Options& options, const device::RunnerOptions& runner,
                                               const driver::Progress& progress, TimedInputs inputs) {
    auto whole = std::make_unique<WholeModel>();
    whole->inputs = std::move(inputs);
    LATHE_CHECKED(session.compile(whole->file.path(), decisions, options, whole->trace, progress));
    LATHE_CHECKED(whole->load(options, runner));
    return whole;
}

} // namespace lathe::tuning
