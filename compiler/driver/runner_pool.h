// SPDX-License-Identifier: Apache-2.0
//
// A few runners for many jobs: `lathe test --jobs N` borrows one for each test, and the children live on from test to
// test. Thread-safe.
#pragma once

#include "driver/runner_client.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace lathe::driver {

class RunnerPool {
public:
    /// A borrowed client; goes back when it goes out of scope. Must not outlive the pool.
    class Lease {
    public:
        Lease(RunnerPool& pool, std::unique_ptr<RunnerClient> client) : pool_(&pool), client_(std::move(client)) {}
        Lease(Lease&& other) noexcept = default;
        Lease& operator=(Lease&&) = delete;
        ~Lease();
        RunnerClient* operator->() const { return client_.get(); }
        RunnerClient& operator*() const { return *client_; }

    private:
        RunnerPool* pool_;
        std::unique_ptr<RunnerClient> client_;
    };

    RunnerPool(int runners, const RunnerOptions& options);
    /// Waits until a client is free.
    Lease borrow();

private:
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<RunnerClient>> free_;
};

} // namespace lathe::driver
