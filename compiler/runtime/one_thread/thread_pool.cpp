// SPDX-License-Identifier: Apache-2.0
//
// A ThreadPool without threads, for systems that have none and programs that want none: all chunks run on the caller's thread,
// in their order. It takes the place of runtime/thread_pool.cpp in liblathe_rt_nothreads.a.
#include "runtime/thread_pool.h"

namespace lathe::runtime {

ThreadPool::ThreadPool(int, bool flushesSubnormals, Context* context)
    : threads_(1), flushesSubnormals_(flushesSubnormals), execs_{{context, 0, true}} {}

ThreadPool::~ThreadPool() = default;

int32_t ThreadPool::run(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks, Profile*) {
    return runInline(exec->inRegion ? exec : &execs_[0], task, closure, chunks);
}

int32_t ThreadPool::runInline(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks) {
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
        if (const int32_t status = task(closure, chunk, exec))
            return status;
    return 0;
}

} // namespace lathe::runtime
