// SPDX-License-Identifier: Apache-2.0
//
// The child of a RunnerClient and the frames to and from it: starts it, asks, and says why no answer came. What is asked is the
// client's.
#pragma once

#include "base/child_process.h"
#include "device/runner_client.h"
#include "runtime/runner/protocol.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lathe::device {

struct RunnerConnection {
    using Kind = runtime::protocol::Kind;
    using Reader = runtime::protocol::Reader;

    RunnerOptions options;
    ChildProcess child;
    RunnerOutcome outcome = RunnerOutcome::Good;
    bool lackedMemory = false;

    ~RunnerConnection() { end(); }

    /// If none is alive.
    Result<void> ensureStarted();
    /// Lets a runner over ssh end by itself, so that it is gone, with all that it had there, when this returns.
    void end();
    /// Sends the payload, then `more`. The reply is read out of memory that holds until the next request.
    Result<Reader> request(Kind kind, std::span<const std::byte> payload = {}, std::span<const std::byte> more = {});
    /// A request whose reply has no payload.
    Result<void> command(Kind kind, std::span<const std::byte> payload = {}, std::span<const std::byte> more = {});
    /// Sends the file, unless the runner has it; what it is called there.
    Result<std::string> put(const std::filesystem::path& file);

    /// Notes how the request failed.
    Diagnostic fail(RunnerOutcome how, std::string what, std::string hint = {});
    /// After a reply that cannot be: ends the child.
    Diagnostic outOfStep(Kind kind);

private:
    std::string there() const;
    Diagnostic lostRemote();
    Diagnostic ended(int code);
    /// Until when the next bytes have to be there, or gone: a device that is silent is lost long before a request's time is over.
    ChildProcess::Deadline patience(ChildProcess::Deadline deadline) const;
    /// After bytes that did not go through until `until`.
    Diagnostic lost(ChildProcess::Io io, Kind kind, ChildProcess::Deadline until, ChildProcess::Deadline deadline);
    Result<void> tellDeadline();
    Result<runtime::protocol::FrameHeader> nextHeader(Kind kind, ChildProcess::Deadline deadline);
    Result<Reader> receive(Kind kind, ChildProcess::Deadline deadline);

    std::vector<std::byte> reply;
    std::chrono::milliseconds deadline{-1}; // that a runner over ssh was told; -1: none yet
};

} // namespace lathe::device
