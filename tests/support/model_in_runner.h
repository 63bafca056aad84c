// SPDX-License-Identifier: Apache-2.0
//
// A model that was compiled into a folder of its own, in a runner that is kept from one run to the next.
#pragma once

#include "device/runner_client.h"
#include "driver/compile.h"

#include <QTemporaryDir>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lathe::testing {

using Inputs = std::vector<std::pair<std::string, model::HostTensor>>;

class ModelInRunner {
public:
    /// Compiles to the path that it is given.
    using Compile = std::function<Result<driver::Artifact>(const std::filesystem::path& out, driver::Trace& trace)>;

    explicit ModelInRunner(const Compile& compile) {
        const auto path = std::filesystem::path(folder_.filePath("model.so").toStdString());
        device::RunnerOptions where;
        where.program = LATHE_BINARY_DIR "/lathe-runner";
        runner_.setOptions(where);
        if (const auto compiled = compile(path, trace); !compiled)
            problem = toString(compiled.error());
        else if (const auto loaded = runner_.load(path); !loaded)
            problem = toString(loaded.error());
    }

    /// All outputs; none, and what went wrong in `problem`, otherwise. What went wrong stays until it is cleared.
    std::vector<model::HostTensor> run(const Inputs& inputs) {
        for (const auto& [name, value] : inputs)
            if (const auto set = runner_.setInput(name, value); problem.empty() && !set)
                problem = toString(set.error());
        const auto times = problem.empty() ? runner_.run() : Result<device::RunnerTimes>(failure(problem));
        if (!times) {
            problem = toString(times.error());
            return {};
        }
        peak = times->arenaPeak;
        return runner_.outputs().value_or(std::vector<model::HostTensor>());
    }

    driver::Trace trace;
    std::string problem;
    int64_t peak = 0; // bytes of the last run's arena

private:
    QTemporaryDir folder_;
    device::RunnerClient runner_;
};

} // namespace lathe::testing
