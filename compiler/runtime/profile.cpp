// SPDX-License-Identifier: Apache-2.0
//
// Adds up the times of kernel calls.
#include "runtime/profile.h"

#include <algorithm>
#include <ctime>

namespace lathe::runtime {

int64_t Profile::now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void Profile::start(int calls, int threads, int timelineEvents) {
    on_ = false;
    entries_.assign(static_cast<size_t>(calls), {});
    timelines_.assign(static_cast<size_t>(threads), {});
    for (auto& timeline : timelines_)
        timeline.reserve(static_cast<size_t>(std::max(0, timelineEvents)));
    current_ = -1;
    on_ = true;
}

void Profile::noteCall(int32_t call, bool end) {
    if (!on_ || call < 0 || static_cast<size_t>(call) >= entries_.size())
        return;
    const int64_t time = now();
    if (!end) {
        current_ = call;
        begin_ = time;
        return;
    }
    if (current_ != call)
        return;
    lathe_profile_entry& entry = entries_[static_cast<size_t>(call)];
    const int64_t spent = time - begin_;
    entry.min_ns = entry.count == 0 ? spent : std::min(entry.min_ns, spent);
    entry.max_ns = std::max(entry.max_ns, spent);
    entry.total_ns += spent;
    ++entry.count;
    append(0, {call, -1, begin_, time});
    current_ = -1;
}

void Profile::noteRegion(int thread, int32_t chunks, int64_t begin) {
    if (on_)
        append(thread, {current_, chunks, begin, now()});
}

void Profile::noteWait(int64_t begin) {
    append(0, {current_, -2, begin, now()});
}

void Profile::append(int thread, const lathe_timeline_event& event) {
    auto& timeline = timelines_[static_cast<size_t>(thread)];
    if (timeline.size() < timeline.capacity())
        timeline.push_back(event);
}

} // namespace lathe::runtime
