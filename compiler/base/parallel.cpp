// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lathe {

void parallelFor(size_t count, int threads, const std::function<void(size_t)>& fn,
                 const std::function<void(size_t)>& finished) {
    size_t workers = threads > 0 ? static_cast<size_t>(threads) : std::max(1u, std::thread::hardware_concurrency());
    workers = std::min(workers, count);
    std::atomic<size_t> next = 0, done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    std::exception_ptr failed;
    std::mutex mutex;
    auto work = [&] {
        for (size_t i = next++; i < count; i = next++) {
            try {
                fn(i);
                ++done;
                if (finished && std::this_thread::get_id() == caller)
                    finished(done);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!failed)
                    failed = std::current_exception();
                next = count;
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (size_t i = 1; i < workers; ++i)
            others.emplace_back(work);
        work();
    }
    if (failed)
        std::rethrow_exception(failed);
}

} // namespace lathe
