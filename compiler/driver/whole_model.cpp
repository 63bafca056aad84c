// SPDX-License-Identifier: Apache-2.0
#include "driver/whole_model.h"

namespace lathe::driver {

Result<void> WholeModel::load(const Options& options, const RunnerOptions& runnerOptions) {
    runner = std::make_unique<RunnerClient>(runnerOptions);
    LATHE_TRY(loaded, runner->load(file.path()));
    LATHE_TRY(shapes,
              setInputs(*runner, loaded, {}, shapes.empty() ? asDeclared(trace.graph.get(), options.shapes) : shapes, 0,
                        runnerOptions.cancelled));
    return {};
}

Result<std::unique_ptr<WholeModel>> wholeModel(Session& session, const Decisions& decisions, const Options& options,
                                               const RunnerOptions& runner, const Progress& progress, Shapes shapes) {
    auto whole = std::make_unique<WholeModel>();
    whole->shapes = std::move(shapes);
    LATHE_CHECKED(session.compile(whole->file.path(), decisions, options, whole->trace, progress));
    LATHE_CHECKED(whole->load(options, runner));
    return whole;
}

} // namespace lathe::driver
