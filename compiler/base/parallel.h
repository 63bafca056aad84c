// SPDX-License-Identifier: Apache-2.0
//
// Independent pieces of work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace lathe {

/// fn(0) … fn(count - 1) on up to `threads` threads (0: all cores). The first exception is thrown again here, after all
/// threads have stopped taking work. `finished`, if given, is called on the calling thread with how many are done, each
/// time that one of its own is.
void parallelFor(size_t count, int threads, const std::function<void(size_t)>& fn,
                 const std::function<void(size_t)>& finished = {});

} // namespace lathe
