// SPDX-License-Identifier: Apache-2.0
//
// A model as a program: C source that a compiler of the user's makes one of. What `lathe test --cc` runs.
#pragma once

#include "device/runner_client.h"
#include "driver/compile.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lathe::cli {

class CProgram {
public:
    /// Compiles the model to C; each later step has `timeout`.
    static Result<CProgram> make(const std::filesystem::path& model, const driver::Decisions& decisions,
                                 const driver::Options& options, driver::Trace& trace,
                                 std::chrono::milliseconds timeout);
    /// Makes the program by `compiler`, a command for the shell to which the files and "-o PROGRAM -lm" are added. Fails with
    /// the compiler's words if it does not take the code.
    Result<void> build(const std::string& compiler);

    /// Its inputs and outputs.
    const device::RunnerModel& model() const { return model_; }
    /// What the model gives, in its order. Fails with what the program says, or with how it ended.
    Result<std::vector<model::HostTensor>> run(const std::vector<model::HostTensor>& inputs) const;
    /// How the last step that failed did: Refused, Crashed or Timeout.
    device::RunnerOutcome outcome() const { return outcome_; }

private:
    /// A folder for files, gone with this.
    struct Folder {
        std::filesystem::path path;
        ~Folder();
    };
    std::shared_ptr<const Folder> folder_;
    std::string name_; // of the files
    bool hasWeights_ = false;
    device::RunnerModel model_;
    std::chrono::milliseconds timeout_{};
    mutable device::RunnerOutcome outcome_ = device::RunnerOutcome::Good;
};

} // namespace lathe::cli
