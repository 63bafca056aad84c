// SPDX-License-Identifier: Apache-2.0
//
// A child process with streams to its standard input and output; reading and writing have deadlines and can be cancelled.
// Each stream is a socket of its own, whose writes cannot raise SIGPIPE, so that a child that makes its input non-blocking
// (ssh does) does not do so to the output that it shares with others. All ends are close-on-exec: no other child holds one.
// The way in which compiler and command line start a process: lathe-runner, the workers of `lathe test`, the builders of
// the tuner, the contenders of `lathe bench`.
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lathe {

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
    /// What it writes to its standard error goes to ours, or is kept: see errors().
    enum class Errors { Shown, Kept };
    /// program: a name without a slash is looked for in PATH.
    Result<void> start(const std::filesystem::path& program, const std::vector<std::string>& arguments = {},
                       Errors errors = Errors::Shown);
    /// The last 4 KiB of what was kept, also after the child has ended.
    std::string errors() const;
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
    Io await(int stream, short events, Deadline deadline) const;
    void closeStreams();

    std::function<bool()> cancelled_;
    pid_t pid_ = -1;
    int toChild_ = -1, fromChild_ = -1;
    std::shared_ptr<const int> errors_; // a file in memory
    std::optional<int> exitCode_, signal_;
};

} // namespace lathe
