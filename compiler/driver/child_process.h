// SPDX-License-Identifier: Apache-2.0
//
// A child process with a stream to its standard input and output, every operation with a deadline. The stream is a
// socket, whose writes cannot raise SIGPIPE; all descriptors are close-on-exec.
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <sys/types.h>

namespace lathe::driver {

class ChildProcess {
public:
    using Deadline = std::chrono::steady_clock::time_point;
    enum class Io { Done, Closed, TimedOut };

    ChildProcess() = default;
    ~ChildProcess() { kill(); }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    Result<void> start(const std::filesystem::path& program);
    bool running() const { return pid_ > 0; }
    /// All of the bytes, or why not.
    Io write(std::span<const std::byte> bytes, Deadline deadline);
    Io read(std::span<std::byte> bytes, Deadline deadline);
    /// Ends it at once.
    void kill();
    /// For a child that closed its stream: how it ended, "crashed with SIGSEGV" or "ended with exit code 2".
    std::string reap();

private:
    bool await(short events, Deadline deadline) const;
    void closeStream();

    pid_t pid_ = -1;
    int stream_ = -1;
};

} // namespace lathe::driver
