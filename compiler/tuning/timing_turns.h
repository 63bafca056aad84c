// SPDX-License-Identifier: Apache-2.0
//
// Studies take turns at timing kernels, and at holding them against the model, on a machine. On this one the tuners of a user
// meet at a file (tuning/timing_lock.h); on a device over ssh all that measure there meet at its lease, wherever they run. The
// lease has a connection of its own, since those that time are ended and begun anew within a turn.
#pragma once

#include "device/runner_client.h"
#include "tuning/timing_lock.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lathe::tuning {

/// Held while it lives.
class TimingTurn {
public:
    explicit TimingTurn(TimingLock lock) : lock_(std::move(lock)) {}
    /// Of a client that has the lease.
    explicit TimingTurn(device::RunnerClient& leased) : leased_(&leased) {}

    /// Why others may measure meanwhile; empty: they do not.
    std::string problem() const { return lock_ ? lock_->problem() : std::string(); }

private:
    struct Release {
        void operator()(device::RunnerClient* client) const {
            (void)client->releaseDevice();
        } // a client that is gone has none
    };
    std::optional<TimingLock> lock_;
    std::unique_ptr<device::RunnerClient, Release> leased_;
};

class TimingTurns {
public:
    /// On the machine where `runner` runs; runner.cancelled, which may be empty, ends waiting.
    explicit TimingTurns(device::RunnerOptions runner);

    /// Waits for so many seconds at most, and tells `noted` if it has to; nothing: it was not its turn. The turn lives no longer
    /// than this. Fails as Cancelled, or where a device cannot be reached.
    Result<std::optional<TimingTurn>> take(double seconds, const std::function<void(const std::string&)>& noted);

private:
    device::RunnerClient client_; // of a device over ssh; else it never starts anything
};

} // namespace lathe::tuning
