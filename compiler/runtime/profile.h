// SPDX-License-Identifier: Apache-2.0
//
// Times of kernel calls: a sum for each call and, if wished, a timeline with one buffer a thread. Buffers are allocated
// when the profile starts, so that measuring neither allocates nor locks.
#pragma once

#include "runtime/lathe_rt.h"

#include <cstdint>
#include <vector>

namespace lathe::runtime {

class Profile {
public:
    /// Nanoseconds of a monotonic clock.
    static int64_t now();

    /// Starts from zero; throws std::bad_alloc.
    void start(int calls, int threads, int timelineEvents);
    void stop() { on_ = false; }
    bool on() const { return on_; }

    /// On the caller's thread, around each kernel call; an unknown call is ignored.
    void noteCall(int32_t call, bool end);
    /// On the thread that ran `chunks` chunks of a region since `begin`.
    void noteRegion(int thread, int32_t chunks, int64_t begin);
    /// On the caller's thread, which waited since `begin` for the other threads of a region.
    void noteWait(int64_t begin);
    /// Whether there is a timeline to note it in.
    bool notesEvents() const { return on_ && timelines_.front().capacity() > 0; }

    const std::vector<lathe_profile_entry>& entries() const { return entries_; }
    const std::vector<std::vector<lathe_timeline_event>>& timelines() const { return timelines_; }

private:
    void append(int thread, const lathe_timeline_event& event);

    bool on_ = false;
    int32_t current_ = -1; // the call that runs
    int64_t begin_ = 0;
    std::vector<lathe_profile_entry> entries_;
    std::vector<std::vector<lathe_timeline_event>> timelines_; // reserved; never grown while measuring
};

} // namespace lathe::runtime
