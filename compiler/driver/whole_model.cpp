// SPDX-License-Identifier: Apache-2.0
#include "driver/whole_model.h"

namespace lathe::driver {

Result<void> WholeModel::load(const Options& options, const RunnerOptions& runnerOptions) {
    runner = std::make_unique<RunnerClient>(runnerOptions);
    LATHE_TRY(loaded, runner->load(file.path()));
    if (!inputs.given) {
        LATHE_TRY(Tensors given, readInputs(loaded.inputs, inputs.chosen.files));
        inputs.given = std::make_shared<const Tensors>(std::move(given));
    }
    const Shapes asked = inputs.shapes.empty()
                             ? shapesBeside(loaded.inputs, *inputs.given, asDeclared(trace.graph.get(), options.shapes))
                             : inputs.shapes;
    LATHE_TRY(inputs.shapes,
              setInputs(*runner, loaded, *inputs.given, asked, inputs.chosen.seed, runnerOptions.cancelled));
    return {};
}

Result<std::unique_ptr<WholeModel>> wholeModel(Session& session, const Decisions& decisions, const Options& options,
                                               const RunnerOptions& runner, const Progress& progress,
                                               TimedInputs inputs) {
    auto whole = std::make_unique<WholeModel>();
    whole->inputs = std::move(inputs);
    LATHE_CHECKED(session.compile(whole->file.path(), decisions, options, whole->trace, progress));
    LATHE_CHECKED(whole->load(options, runner));
    return whole;
}

} // namespace lathe::driver
