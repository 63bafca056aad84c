// SPDX-License-Identifier: Apache-2.0
//
// What is measured by a runner: times of a kernel and of the machine, what the processor counts, profiles. No answer is
// believed that cannot be.
#include "device/runner_state.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

namespace lathe::device {

using namespace runtime::protocol;

namespace {

/// Why there are no counters, by the system's number, and what would help.
std::string reasonOf(int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine shows none to programs, as is usual for a virtual one";
    case EACCES:
    case EPERM:
        return "they are not permitted (kernel.perf_event_paranoid of 2 or less permits them)";
    default:
        return std::generic_category().message(error);
    }
}

} // namespace

Result<RunnerBenchTimes> RunnerClient::bench(const RunnerBench& plan) {
    Writer payload;
    payload.string(plan.kernel);
    payload.number(plan.which);
    payload.number(static_cast<uint32_t>(plan.sizes.size()));
    for (const int64_t size : plan.sizes)
        payload.number(size);
    payload.number(static_cast<uint32_t>(std::clamp(plan.warmUps, 0, static_cast<int>(runtime::limits::runsAtOnce))));
    payload.number(std::max<int64_t>(plan.calls, 0));
    payload.number(std::max<int64_t>(plan.least.count(), 0));
    payload.number(
        static_cast<uint32_t>(std::clamp(plan.samples, 1, static_cast<int>(runtime::limits::samplesAtOnce))));
    payload.number(static_cast<uint64_t>(std::clamp<int64_t>(plan.flushBytes, 0, runtime::limits::flushBytes)));
    LATHE_TRY(Reader reader, state_->request(Kind::Bench, payload.bytes()));
    RunnerBenchTimes times;
    times.calls = reader.number<int64_t>();
    times.samples.resize(reader.count(sizeof(RunnerBenchTimes::Sample)));
    bool sound = !times.samples.empty();
    for (RunnerBenchTimes::Sample& sample : times.samples) {
        sample.ns = reader.number<double>();
        sample.lost = reader.number<double>();
        sample.switches = reader.number<int64_t>();
        sound &= std::isfinite(sample.ns) && sample.ns >= 0 && sample.lost >= 0 && sample.lost <= 1;
    }
    if (!reader.finished() || !sound)
        return Failure(state_->outOfStep(Kind::Bench));
    return times;
}

Result<RunnerProbe> RunnerClient::probe() {
    LATHE_TRY(Reader reader, state_->request(Kind::Probe));
    RunnerProbe probe;
    probe.computeNs = reader.number<double>();
    probe.readNs = reader.number<double>();
    if (!reader.finished() || !std::isfinite(probe.computeNs) || !std::isfinite(probe.readNs))
        return Failure(state_->outOfStep(Kind::Probe));
    return probe;
}

Result<void> RunnerClient::startProfile(int timelineEvents) {
    Writer payload;
    payload.number(uint32_t{1});
    payload.number(static_cast<uint32_t>(std::max(0, timelineEvents)));
    return state_->command(Kind::Profile, payload.bytes());
}

Result<void> RunnerClient::stopProfile() {
    Writer payload;
    payload.number(uint32_t{0});
    payload.number(uint32_t{0});
    return state_->command(Kind::Profile, payload.bytes());
}

Result<RunnerCounters> RunnerClient::count(int times) {
    constexpr size_t mostCounts = 64, longestName = 64;
    const int runs = std::clamp(times, 1, static_cast<int>(runtime::limits::runsAtOnce));
    Writer payload;
    payload.number(static_cast<uint32_t>(runs));
    LATHE_TRY(Reader reader, state_->request(Kind::Count, payload.bytes()));
    RunnerCounters counters;
    if (const auto error = reader.number<int32_t>(); error != 0)
        counters.refused = reasonOf(error);
    counters.counts.resize(reader.count(sizeof(uint32_t) + sizeof(double)));
    bool sound = counters.counts.size() <= mostCounts;
    for (RunnerCounters::Count& each : counters.counts) {
        each.name = reader.string();
        each.perRun = reader.number<double>() / runs;
        sound &= each.name.size() <= longestName && std::isfinite(each.perRun) && each.perRun >= 0;
    }
    if (!reader.finished() || !sound)
        return Failure(state_->outOfStep(Kind::Count));
    return counters;
}

std::string toString(const RunnerCounters& counters) {
    std::vector<std::string> parts;
    double instructions = 0, cycles = 0;
    for (const RunnerCounters::Count& each : counters.counts) {
        parts.push_back(fmt::format("{:.3g} {}", each.perRun, each.name));
        if (each.name == "instructions")
            instructions = each.perRun;
        if (each.name == "cycles")
            cycles = each.perRun;
    }
    if (instructions > 0 && cycles > 0)
        parts.push_back(fmt::format("{:.2f} instructions a cycle", instructions / cycles));
    if (!counters.refused.empty())
        parts.push_back(fmt::format("the processor's counters are not available: {}", counters.refused));
    return fmt::format("{}", fmt::join(parts, ", "));
}

Result<RunnerProfile> RunnerClient::readProfile() {
    LATHE_TRY(Reader reader, state_->request(Kind::ReadProfile));
    RunnerProfile profile;
    profile.calls.resize(reader.count(sizeof(RunnerProfile::Entry)));
    for (auto& entry : profile.calls) {
        entry.count = reader.number<int64_t>();
        entry.totalNs = reader.number<int64_t>();
        entry.minNs = reader.number<int64_t>();
        entry.maxNs = reader.number<int64_t>();
    }
    profile.threads.resize(reader.count(sizeof(uint32_t)));
    for (auto& events : profile.threads) {
        events.resize(reader.count(sizeof(RunnerProfile::Event)));
        for (auto& event : events) {
            event.call = reader.number<int32_t>();
            event.chunks = reader.number<int32_t>();
            event.beginNs = reader.number<int64_t>();
            event.endNs = reader.number<int64_t>();
        }
    }
    if (!reader.finished() || profile.calls.size() != state_->callCount)
        return Failure(state_->outOfStep(Kind::ReadProfile));
    return profile;
}

} // namespace lathe::device
