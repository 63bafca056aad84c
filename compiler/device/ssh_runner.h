// SPDX-License-Identifier: Apache-2.0
//
// lathe-runner on another machine, over ssh: pushed there, started, and spoken to over ssh's own streams, so that nothing
// listens anywhere. Who may log in where is ssh's own affair: its configuration, keys, agent and known hosts; Lathe asks
// for no password and accepts no unknown host. All that is sent to a shell there is one constant text; names and settings
// are lines that it reads.
//
// What is pushed lies in a private folder until it has started, and then removes itself. While it is pushed, the shell
// removes it when the stream ends; so nothing is left there, however this program ends.
#pragma once

#include "base/child_process.h"
#include "base/result.h"
#include "base/target.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lathe::device {

/// The program that is pushed, which needs nothing but a kernel: of share/lathe/runtimes/TRIPLE beside this program. Fails with
/// kind Usage if there is none, and says how to get it.
Result<std::filesystem::path> staticRunner(Architecture architecture);

struct SshRunner {
    std::string device;                            // what it is called
    std::string host;                              // as ssh takes it
    std::string folder;                            // there; empty: $TMPDIR or /tmp
    std::vector<std::string> environment;          // NAME=VALUE
    std::string cores;                             // "0-3,6"; empty: all
    std::optional<Architecture> architecture = {}; // whose code it is to run; nothing: whatever it is
    /// After so long without any sign of life it is lost.
    std::chrono::milliseconds silence{15'000};
    bool operator==(const SshRunner&) const = default;
};

/// Starts it in `child`. Fails, with what happened and what to do, for a host that is not found, does not answer or lets
/// nobody in, another machine, a full disk, a folder that nothing can be started from; as Cancelled if the child's cancelled
/// says so.
Result<void> startOverSsh(const SshRunner& runner, ChildProcess& child);

/// How a runner over ssh ended whose stream has ended.
struct RemoteEnd {
    enum class What {
        Lost,        // the connection or the machine is gone, and with it whatever the runner did
        OutOfMemory, // the system there ended it, since memory ran out
        Crashed,     // by a signal
        Deadline,    // a request took longer than it may
        Ended,       // by itself
    } what = What::Lost;
    int code = 0;     // of Ended
    std::string text; // "crashed with SIGSEGV"
};
/// Waits for ssh to end, which it does with its stream.
RemoteEnd endOverSsh(ChildProcess& child);

} // namespace lathe::device
