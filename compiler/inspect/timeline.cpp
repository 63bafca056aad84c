// SPDX-License-Identifier: Apache-2.0
#include "inspect/timeline.h"

#include "base/json.h"
#include "base/new_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>

namespace lathe::inspect {
namespace {

using Event = device::RunnerProfile::Event;

constexpr size_t mostThreads = 4096;
constexpr int eventsOfThread = 1 << 16;
constexpr int wholeCall = -1, waiting = -2; // instead of chunks, as the runtime notes them
constexpr double shortestMs = 1e-3;         // of work between regions: less is the noting itself

Diagnostic impossible(std::string_view why) {
    return error(fmt::format("lathe-runner noted a timeline that cannot be: {}", why),
                 "the model's code may have damaged it; `lathe check` compares its values");
}

/// Fails if two of them overlap, which takes their order into account.
Result<void> putInOrder(std::vector<TimelineBox>& boxes) {
    std::ranges::sort(boxes, {}, [](const TimelineBox& box) { return std::pair(box.beginMs, box.endMs); });
    const auto overlap = [](const TimelineBox& first, const TimelineBox& next) { return next.beginMs < first.endMs; };
    if (std::ranges::adjacent_find(boxes, overlap) != boxes.end())
        return Failure(impossible("a thread does two things at once"));
    return {};
}

/// What the first thread worked in a call outside of regions. `occupied`: its regions, and its waiting for those of others.
/// Where it noted no waiting there were none, or nobody can tell.
void addSerial(const TimelineBox& call, std::span<const TimelineBox> occupied, std::vector<TimelineBox>& into) {
    double from = call.beginMs;
    const auto add = [&](double to) {
        if (to - from >= shortestMs)
            into.push_back({call.call, 0, from, to});
    };
    for (auto box = std::ranges::lower_bound(occupied, call.beginMs, {}, &TimelineBox::beginMs);
         box != occupied.end() && box->beginMs < call.endMs; ++box) {
        add(box->beginMs);
        from = box->endMs;
    }
    add(call.endMs);
}

} // namespace

double Timeline::busy(size_t thread) const {
    double sum = 0;
    for (const TimelineBox& box : threads[thread])
        sum += box.ms();
    return ms > 0 ? sum / ms : 0;
}

Result<Timeline> timelineOf(const device::RunnerProfile& profile, size_t calls, size_t capacity) {
    if (profile.threads.size() > mostThreads)
        return Failure(impossible(fmt::format("{} threads", profile.threads.size())));
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
    for (const std::vector<Event>& events : profile.threads)
        for (const Event& event : events) {
            if (event.beginNs < 0 || event.endNs < event.beginNs)
                return Failure(impossible("something ends before it begins"));
            if (event.call < -1 || event.call >= static_cast<int64_t>(calls))
                return Failure(impossible(fmt::format("there is no call {}", event.call)));
            first = std::min(first, event.beginNs);
            last = std::max(last, event.endNs);
        }
    const auto at = [&](int64_t ns) { return static_cast<double>(ns - first) / 1e6; };
    Timeline timeline;
    timeline.threads.resize(profile.threads.size());
    timeline.ms = last > 0 ? at(last) : 0;
    std::vector<TimelineBox> waits; // of the first thread
    for (size_t thread = 0; thread < profile.threads.size(); ++thread) {
        timeline.complete &= profile.threads[thread].size() < capacity;
        for (const Event& event : profile.threads[thread]) {
            const bool whole = event.chunks == wholeCall, waited = event.chunks == waiting;
            if (event.chunks < waiting || event.chunks == 0 || ((whole || waited) && thread > 0) ||
                (whole && event.call < 0))
                return Failure(impossible("a call on the wrong thread, or a region without chunks"));
            (whole    ? timeline.calls
             : waited ? waits
                      : timeline.threads[thread])
                .push_back({event.call, std::max(0, event.chunks), at(event.beginNs), at(event.endNs)});
        }
        LATHE_CHECKED(putInOrder(timeline.threads[thread]));
    }
    LATHE_CHECKED(putInOrder(timeline.calls));
    // What the first thread does between two calls of its own is no region of either.
    std::vector<double> begins; // of all regions
    for (const auto& boxes : timeline.threads)
        for (const TimelineBox& box : boxes)
            begins.push_back(box.beginMs);
    std::ranges::sort(begins);
    if (timeline.threads.empty())
        return timeline;
    LATHE_CHECKED(putInOrder(waits));
    std::vector<TimelineBox> occupied = timeline.threads.front();
    occupied.insert(occupied.end(), waits.begin(), waits.end());
    LATHE_CHECKED(putInOrder(occupied));
    for (const TimelineBox& call : timeline.calls) {
        const auto isInside = [&](double begin) { return begin <= call.endMs; };
        const auto region = std::ranges::lower_bound(begins, call.beginMs);
        const auto wait = std::ranges::lower_bound(waits, call.beginMs, {}, &TimelineBox::beginMs);
        if (region == begins.end() || !isInside(*region))
            timeline.threads.front().push_back(call);
        else if (wait != waits.end() && isInside(wait->beginMs))
            addSerial(call, occupied, timeline.threads.front());
    }
    LATHE_CHECKED(putInOrder(timeline.threads.front()));
    return timeline;
}

Result<Timeline> recordTimeline(device::RunnerClient& runner, const device::RunnerModel& loaded) {
    LATHE_CHECKED(runner.startProfile(eventsOfThread));
    LATHE_CHECKED(runner.run(1));
    LATHE_CHECKED(runner.stopProfile());
    LATHE_TRY(const device::RunnerProfile profile, runner.readProfile());
    return timelineOf(profile, loaded.calls.size(), eventsOfThread);
}

Result<Timeline> recordUsualRun(device::RunnerClient& runner, const device::RunnerModel& loaded, double lowMs,
                                double medianMs, double highMs, const std::function<bool()>& cancelled) {
    constexpr int mostRuns = 5;
    std::optional<Timeline> best;
    const auto isEnough = [&] {
        return best && ((best->ms >= lowMs && best->ms <= highMs) || (cancelled && cancelled()));
    };
    for (int run = 0; run < mostRuns && !isEnough(); ++run) {
        LATHE_TRY(Timeline timeline, recordTimeline(runner, loaded));
        if (!best || std::abs(timeline.ms - medianMs) < std::abs(best->ms - medianMs))
            best = std::move(timeline);
    }
    return std::move(*best);
}

std::string toTraceEvents(const Timeline& timeline, const device::RunnerModel& loaded) {
    nlohmann::json events = nlohmann::json::array();
    for (size_t thread = 0; thread < timeline.threads.size(); ++thread)
        events.push_back({{"name", "thread_name"},
                          {"ph", "M"},
                          {"pid", 1},
                          {"tid", thread},
                          {"args", {{"name", fmt::format("thread {}", thread)}}}});
    const auto add = [&](const TimelineBox& box, size_t thread, std::string_view category, std::string_view name,
                         nlohmann::json arguments) {
        events.push_back({{"name", name},
                          {"cat", category},
                          {"ph", "X"},
                          {"pid", 1},
                          {"tid", thread},
                          {"ts", box.beginMs * 1e3}, // microseconds
                          {"dur", box.ms() * 1e3},
                          {"args", std::move(arguments)}});
    };
    for (const TimelineBox& box : timeline.calls) {
        const device::RunnerCall& call = loaded.calls[static_cast<size_t>(box.call)];
        add(box, 0, "call", call.function, {{"kernel", call.kernel}, {"nodes", call.nodes}});
    }
    for (size_t thread = 0; thread < timeline.threads.size(); ++thread)
        for (const TimelineBox& box : timeline.threads[thread])
            if (box.chunks > 0)
                add(box, thread, "region",
                    box.call < 0 ? std::string("region") : loaded.calls[static_cast<size_t>(box.call)].function,
                    {{"chunks", box.chunks}});
            else if (!std::ranges::binary_search(timeline.calls, box.endMs, {}, &TimelineBox::endMs) ||
                     !std::ranges::binary_search(timeline.calls, box.beginMs, {}, &TimelineBox::beginMs))
                add(box, thread, "serial", loaded.calls[static_cast<size_t>(box.call)].function,
                    nlohmann::json::object());
    return dump({{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}) + "\n";
}

Result<void> writeTraceEvents(const std::filesystem::path& path, const Timeline& timeline,
                              const device::RunnerModel& loaded) {
    const std::string text = toTraceEvents(timeline, loaded);
    NewFile file(path, NewFile::Kind::Text);
    if (!file.write(std::as_bytes(std::span(text))) || !file.keep())
        return Failure(file.problem());
    return {};
}

} // namespace lathe::inspect
