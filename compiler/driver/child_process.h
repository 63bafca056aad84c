// SPDX-License-Identifier: Apache-2.0
//
// A child process with a stream to its standard input and output; reading and writing have deadlines and can be cancelled.
// The stream is a socket, whose writes cannot raise SIGPIPE; both ends are close-on-exec, so that no other child holds one.
// The way in which compiler and command line start a process: lathe-runner, the workers of `lathe test`, the builders of
// the tuner, the contenders of `lathe bench`.
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lathe::driver {

/// What the environment variable names, else the program of that name beside this one.
std::filesystem::path programBeside(const char* name, const char* variable);

class ChildProcess {
public:
    using Deadline = std::chrono::steady_clock::time_point;
    enum class Io { Done, Closed, TimedOut, Cancelled };

    ChildProcess() = default;
    ~ChildProcess() { kill(); }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Asked about every 20 ms while an operation waits, on the thread that called it; may be empty.
    void setCancelled(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }
    /// program: a name without a slash is looked for in PATH.
    Result<void> start(const std::filesystem::path& program, const std::vector<std::string>& arguments = {});
    bool running() const { return pid_ > 0; }
    /// All of the bytes, or why not. After anything but Done the stream is out of step: kill() or reap().
    Io write(std::span<const std::byte> bytes, Deadline deadline);
    Io read(std::span<std::byte> bytes, Deadline deadline);
    /// A text with its length before it (uint64_t of this machine), so that it may hold any bytes. A longer one than
    /// `limit` reads as Closed.
    Io writeMessage(std::string_view text, Deadline deadline);
    Io readMessage(std::string& text, size_t limit, Deadline deadline);
    /// Up to a newline, without it. A longer one than `limit` reads as Closed.
    Io readLine(std::string& line, size_t limit, Deadline deadline);
    /// The child reads the end of its input; what it writes can still be read.
    void endInput();
    /// Done: the child has closed its output, and `text` is all that was left of it. Closed: it is longer than `limit`.
    Io readToEnd(std::string& text, size_t limit, Deadline deadline);
    /// Ends it at once.
    void kill();
    /// For a child that closed its stream: how it ended, "crashed with SIGSEGV", "was ended from
    /// outside by SIGKILL" or "ended with exit code 2".
    std::string reap();
    /// Whether reap() found that the child had ended with exit code 0.
    bool succeeded() const { return exitCode_ == 0; }
    /// What reap() found, if the child had ended by itself; and the signal that ended it, if one did.
    std::optional<int> exitCode() const { return exitCode_; }
    std::optional<int> signal() const { return signal_; }

private:
    Io await(short events, Deadline deadline) const;
    void closeStream();

    std::function<bool()> cancelled_;
    pid_t pid_ = -1;
    int stream_ = -1;
    std::optional<int> exitCode_, signal_;
};

} // namespace lathe::driver
