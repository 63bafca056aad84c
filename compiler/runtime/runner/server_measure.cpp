// SPDX-License-Identifier: Apache-2.0
//
// Measures: a profile of what runs take, what the CPU counts meanwhile, times of one kernel, and of the machine itself.
#include "runtime/runner/server.h"

#include "runtime/runner/bench.h"
#include "runtime/runner/counters.h"
#include "runtime/runner/probe.h"

namespace lathe::runtime::runner {

using namespace protocol;

Server::Answer Server::profile(Reader& reader) {
    const auto on = reader.number<uint32_t>();
    const auto events = reader.number<uint32_t>();
    if (!reader.finished() || events > limits::timelineEvents)
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    if (!on) {
        lathe_profile_stop(context_.get());
        return Answer::Ok;
    }
    const lathe_status bad = lathe_profile_start(context_.get(), static_cast<int32_t>(events));
    return bad ? failContext(bad) : Answer::Ok;
}

Server::Answer Server::readProfile(Reader& reader, Writer& reply) {
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    const int32_t calls = lathe_model_call_count(model_.get());
    lathe_profile_entry entry{};
    if (calls > 0 && lathe_profile_read(context_.get(), 0, &entry) != LATHE_OK)
        return fail(LATHE_INVALID_ARGUMENT, "the profile was never switched on");
    reply.number(static_cast<uint32_t>(calls));
    for (int32_t i = 0; i < calls; ++i) {
        lathe_profile_read(context_.get(), i, &entry);
        reply.number(entry.count);
        reply.number(entry.total_ns);
        reply.number(entry.min_ns);
        reply.number(entry.max_ns);
    }
    Writer timelines;
    uint32_t threads = 0;
    const lathe_timeline_event* events = nullptr;
    int32_t count = 0;
    for (; lathe_timeline_read(context_.get(), static_cast<int32_t>(threads), &events, &count) == LATHE_OK; ++threads) {
        timelines.number(static_cast<uint32_t>(count));
        for (int32_t i = 0; i < count; ++i) {
            timelines.number(events[i].call);
            timelines.number(events[i].chunks);
            timelines.number(events[i].begin_ns);
            timelines.number(events[i].end_ns);
        }
    }
    reply.number(threads);
    reply.raw(timelines.bytes().data(), timelines.bytes().size());
    return Answer::Ok;
}

Server::Answer Server::count(Reader& reader, Writer& reply) {
    const auto runs = reader.number<uint32_t>();
    if (!reader.finished() || runs > limits::runsAtOnce)
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    Counters counters;
    counters.start();
    for (uint32_t i = 0; i < runs; ++i)
        if (const lathe_status bad = lathe_run(context_.get()))
            return failContext(bad);
    counters.stop();
    const std::vector<Counters::Count> counts = counters.read();
    reply.number(static_cast<int32_t>(counters.error()));
    reply.number(static_cast<uint32_t>(counts.size()));
    for (const Counters::Count& each : counts) {
        reply.string(each.name);
        reply.number(each.value);
    }
    return Answer::Ok;
}

Server::Answer Server::bench(Reader& reader, Writer& reply) {
    const std::string kernel = reader.string();
    BenchPlan plan;
    plan.which = reader.number<int64_t>();
    plan.sizes.resize(reader.count(sizeof(int64_t)));
    for (int64_t& size : plan.sizes)
        size = reader.number<int64_t>();
    plan.warmUps = reader.number<uint32_t>();
    plan.calls = reader.number<int64_t>();
    plan.leastNs = reader.number<int64_t>();
    plan.samples = reader.number<uint32_t>();
    plan.flushBytes = reader.number<uint64_t>();
    if (!reader.finished() || plan.warmUps > limits::runsAtOnce || plan.calls < 0 || plan.leastNs < 0 ||
        plan.samples > limits::samplesAtOnce || plan.flushBytes > limits::flushBytes)
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    if (lathe_model_name(model_.get()) != kernel)
        return fail(LATHE_INVALID_ARGUMENT, "the artifact is not that of the kernel '" + kernel + "'");
    BenchTimes times;
    if (const lathe_status bad = runner::bench(model_.get(), context_.get(), plan, times))
        return failContext(bad);
    checkBesideOutputs();
    reply.number(times.calls);
    reply.number(static_cast<uint32_t>(times.samples.size()));
    for (const BenchSample& sample : times.samples) {
        reply.number(sample.ns);
        reply.number(sample.lost);
        reply.number(sample.switches);
    }
    return Answer::Ok;
}

Server::Answer Server::probe(Reader& reader, Writer& reply) {
    if (!reader.finished())
        return Answer::Malformed;
    const ProbeTimes times = runner::probe();
    reply.number(times.computeNs);
    reply.number(times.readNs);
    return Answer::Ok;
}

} // namespace lathe::runtime::runner
