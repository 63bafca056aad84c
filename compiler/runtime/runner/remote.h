// SPDX-License-Identifier: Apache-2.0
//
// What the runner does for a client on another machine, and needs not for one on this: it keeps artifacts, leaves nothing
// behind, says every two seconds that it is alive, and ends when the client is gone or a request takes longer than the client
// waits, since then nobody else ends it.
#pragma once

#include "runtime/runner/lease.h"
#include "runtime/runner/protocol.h"
#include "runtime/runner/store.h"

#include <mutex>
#include <string>

namespace lathe::runtime::runner {

class Remote {
public:
    /// folder: a private one, with this program in it. Both are removed at once; files go into the folder around it. One in
    /// a process, since it owns its alarm.
    explicit Remote(const std::string& folder);
    Remote(const Remote&) = delete;
    Remote& operator=(const Remote&) = delete;

    /// Starts to watch a client's streams.
    void watch(int in, int out);
    /// Of each request from now on, in milliseconds; 0: none.
    void setDeadline(uint64_t milliseconds) { deadline_ = milliseconds; }
    /// Around each request.
    void begin() const;
    void end() const;

    const std::string& folder() const { return folder_; }
    Store& store() { return store_; }
    Lease& lease() { return lease_; }
    std::mutex& output() { return output_; } // held by who writes to the client

private:
    std::string folder_;
    Store store_;
    Lease lease_;
    std::mutex output_;
    uint64_t deadline_ = 0;
};

/// "0-3,6": the CPUs that this process and its threads use. False for what is no list of some that there are.
bool useCpus(const std::string& list);

} // namespace lathe::runtime::runner
