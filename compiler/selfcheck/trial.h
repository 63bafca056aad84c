// SPDX-License-Identifier: Apache-2.0
//
// One artifact of a bundle in this process: loaded, run with tensors, timed.
#pragma once

#include "base/result.h"
#include "data/golden_case.h"
#include "data/latency.h"
#include "model/host_tensor.h"
#include "runtime/linked_model.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lathe::selfcheck {

/// The element type by the runtime's description; Void for one that no tensor here can have.
DataType typeOf(DLDataType type);

class Trial {
public:
    Trial() = default;
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    /// Verifies code and constants against the artifact's own hashes, and loads it. ErrorKind::Unsupported if it is for another
    /// machine or CPU.
    Result<void> load(const std::filesystem::path& bundle, const std::string& path);
    /// A model that is part of this program, whose bytes nobody verifies: they are the program that runs.
    Result<void> open(const lathe_linked_model& linked);
    const lathe_model* model() const { return model_; }
    data::ValueTypes types() const;
    std::vector<std::string> outputNames() const;
    double loadMs() const { return loadMs_; }

    /// Outputs of a run on `threads` (0: all) in a context of its own.
    Result<std::vector<model::HostTensor>> run(const std::vector<model::HostTensor>& inputs, int threads);
    /// Runs `runs` times after a first one, which no earlier run has warmed the context for, as far as latency.h has time.
    Result<data::Latency> time(const std::vector<model::HostTensor>& inputs, int threads, int runs);

    /// Of the last run: how many threads it had, and the most bytes of its arena.
    int threads() const { return threads_; }
    int64_t arenaPeak() const { return arenaPeak_; }

private:
    lathe_model* model_ = nullptr;
    double loadMs_ = 0;
    int threads_ = 0;
    int64_t arenaPeak_ = 0;
};

} // namespace lathe::selfcheck
