// SPDX-License-Identifier: Apache-2.0
//
// Clients wait in a list; children start when a client first loads.
#include "driver/runner_pool.h"

#include <algorithm>

namespace lathe::driver {

RunnerPool::Lease::~Lease() {
    if (!client_)
        return;
    {
        const std::lock_guard lock(pool_->mutex_);
        pool_->free_.push_back(std::move(client_));
    }
    pool_->freed_.notify_one();
}

RunnerPool::RunnerPool(int runners, const RunnerOptions& options) {
    for (int i = 0; i < std::max(1, runners); ++i)
        free_.push_back(std::make_unique<RunnerClient>(options));
}

RunnerPool::Lease RunnerPool::borrow() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return !free_.empty(); });
    auto client = std::move(free_.back());
    free_.pop_back();
    return {*this, std::move(client)};
}

} // namespace lathe::driver
