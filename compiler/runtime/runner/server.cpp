// SPDX-License-Identifier: Apache-2.0
//
// The runner's answers to each request.
#include "runtime/runner/server.h"

#include "runtime/peak_resident.h"
#include "runtime/runner/bench.h"
#include "runtime/runner/counters.h"
#include "runtime/runner/facts.h"
#include "runtime/runner/pinning.h"
#include "runtime/runner/probe.h"
#include "runtime/runner/stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace lathe::runtime::runner {

using namespace protocol;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LATHE_SANITIZED 1
#endif
#endif

constexpr size_t boundAlignment = 64; // what bound inputs need

/// Limits writable memory; 0 takes the limit away. Sanitizers reserve more address space than any limit: they go
/// without.
void limitProcess([[maybe_unused]] int64_t bytes) {
#if !defined(LATHE_SANITIZED)
    rlimit limit{};
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    const auto wished = bytes > 0 ? static_cast<rlim_t>(bytes) : RLIM_INFINITY;
    limit.rlim_cur = std::min(wished, limit.rlim_max);
    setrlimit(RLIMIT_DATA, &limit);
#endif
}

void writeType(Writer& reply, DLDataType type) {
    reply.number(type.code);
    reply.number(type.bits);
}

DLDataType readType(Reader& reader) {
    const auto code = reader.number<uint8_t>();
    const auto bits = reader.number<uint8_t>();
    return {code, bits, 1};
}

int64_t bytesOf(const DLTensor& tensor) {
    int64_t bytes = (int64_t{tensor.dtype.bits} + 7) / 8;
    for (int32_t axis = 0; axis < tensor.ndim; ++axis)
        if (__builtin_mul_overflow(bytes, tensor.shape[axis], &bytes))
            return -1;
    return bytes;
}

void* allocateGuarded(void* memory, size_t bytes, size_t alignment) {
    return static_cast<GuardedMemory*>(memory)->allocate(bytes, alignment);
}

void releaseGuarded(void* memory, void* data, size_t) {
    static_cast<GuardedMemory*>(memory)->release(data);
}

/// Threads that start later go there as well.
void pin(const cpu_set_t& all, int32_t threads) {
    cpu_set_t chosen = all;
    if (threads > 0 && threads < CPU_COUNT(&all)) {
        CPU_ZERO(&chosen);
        for (const int cpu : cpusToMeasureOn(cpusOf(all), threads))
            CPU_SET(cpu, &chosen);
    }
    sched_setaffinity(0, sizeof chosen, &chosen);
}

} // namespace

Server::Server(int in, int out, Remote* remote) : in_(in), out_(out), remote_(remote) {
    if (remote_)
        remote_->watch(in, out);
    sched_getaffinity(0, sizeof cpus_, &cpus_);
}

int Server::serve() {
    FrameHeader header;
    std::vector<std::byte> payload;
    for (;;) {
        try {
            switch (readFrame(in_, header, payload)) {
            case Got::End:
                return 0;
            case Got::Malformed:
                return exitMalformed;
            case Got::Frame:
                break;
            }
        } catch (const std::bad_alloc&) {
            return exitNoMemory; // the rest of the frame cannot be skipped: the stream is out of step
        }
        Writer reply;
        replyData_ = {};
        Reader reader(payload);
        Answer answer = Answer::Failed;
        if (remote_)
            remote_->begin();
        try {
            answer = handle(header.kind, reader, reply);
        } catch (const std::bad_alloc&) {
            answer = fail(LATHE_OUT_OF_MEMORY, "out of memory");
        }
        if (answer == Answer::Malformed)
            return exitMalformed;
        if (answer == Answer::Failed) {
            reply = {};
            replyData_ = {};
            reply.number(static_cast<uint32_t>(errorStatus_));
            reply.string(errorNode_);
            reply.string(errorMessage_);
        }
        if (remote_)
            remote_->end();
        if (!write(answer == Answer::Ok ? Kind::Ok : Kind::Error, reply) || done_)
            return 0;
    }
}

bool Server::write(Kind kind, const Writer& reply) const {
    std::unique_lock<std::mutex> lock;
    if (remote_)
        lock = std::unique_lock(remote_->output());
    return writeFrame(out_, kind, reply.bytes(), replyData_);
}

Server::Answer Server::handle(Kind kind, Reader& reader, Writer& reply) {
    switch (kind) {
    case Kind::Ping:
        return ping(reader, reply);
    case Kind::Load:
        return load(reader, reply);
    case Kind::Limits:
        return limits(reader);
    case Kind::Seed:
        return seed(reader);
    case Kind::Input:
        return input(reader);
    case Kind::Run:
        return run(reader, reply);
    case Kind::Output:
        return output(reader, reply);
    case Kind::Profile:
        return profile(reader);
    case Kind::ReadProfile:
        return readProfile(reader, reply);
    case Kind::Count:
        return count(reader, reply);
    case Kind::Bench:
        return bench(reader, reply);
    case Kind::Probe:
        return probe(reader, reply);
    case Kind::Facts:
        return facts(reader, reply);
    case Kind::Bye:
        return bye(reader);
    case Kind::Deadline:
    case Kind::Put:
    case Kind::LoadPut:
    case Kind::Lease:
    case Kind::Release:
        return remote_ ? handleRemote(kind, reader, reply)
                       : fail(LATHE_UNSUPPORTED, "this runner serves its own machine alone");
    case Kind::Ok:
    case Kind::Error:
    case Kind::Alive:
        break;
    }
    return Answer::Malformed;
}

Server::Answer Server::handleRemote(Kind kind, Reader& reader, Writer& reply) {
    switch (kind) {
    case Kind::Deadline:
        return deadline(reader);
    case Kind::Put:
        return put(reader, reply);
    case Kind::LoadPut:
        return loadPut(reader, reply);
    case Kind::Lease:
        return lease(reader, reply);
    default:
        return release(reader);
    }
}

Server::Answer Server::fail(lathe_status status, std::string message, std::string node) {
    errorStatus_ = status;
    errorMessage_ = std::move(message);
    errorNode_ = std::move(node);
    return Answer::Failed;
}

Server::Answer Server::failContext(lathe_status status) {
    return fail(status, lathe_last_error(context_.get()), lathe_last_error_node(context_.get()));
}

Server::Answer Server::ping(Reader& reader, Writer& reply) {
    if (!reader.finished())
        return Answer::Malformed;
    reply.number(protocolVersion);
    reply.string(lathe_version());
    return Answer::Ok;
}

Server::Answer Server::load(Reader& reader, Writer& reply) {
    const std::string path = reader.string();
    return reader.finished() ? loadFrom(path, reply) : Answer::Malformed;
}

Server::Answer Server::loadFrom(const std::string& path, Writer& reply) {
    context_.reset();
    for (void* const input : bound_)
        memory_.release(input);
    bound_.clear();
    model_.reset();
    lathe_model* model = nullptr;
    if (const lathe_status bad = lathe_model_load(path.c_str(), &model))
        return fail(bad, lathe_thread_error());
    model_.reset(model);
    if (const Answer created = createContext(); created != Answer::Ok)
        return created;
    describeModel(reply);
    return Answer::Ok;
}

Server::Answer Server::loadPut(Reader& reader, Writer& reply) {
    const std::string name = reader.string();
    if (!reader.finished())
        return Answer::Malformed;
    const std::string path = remote_->store().path(name);
    if (path.empty())
        return fail(LATHE_IO_ERROR, "the artifact was not sent");
    Answer answer = Answer::Ok;
    if (const lathe_status bad = lathe_model_verify(path.c_str())) // it came a long way
        answer = fail(bad, lathe_thread_error());
    else
        answer = loadFrom(path, reply);
    if (const size_t at = errorMessage_.find(path); answer == Answer::Failed && at != std::string::npos)
        errorMessage_.replace(at, path.size(), "the artifact"); // that number tells nobody anything
    return answer;
}

Server::Answer Server::put(Reader& reader, Writer& reply) {
    const std::string name = reader.string();
    const auto total = reader.number<uint64_t>();
    const auto offset = reader.number<uint64_t>();
    const auto bytes = reader.raw(reader.number<uint32_t>());
    constexpr size_t longestName = 64;
    if (!reader.finished() || name.size() > longestName || total > limits::frameBytes || bytes.size() > putBytes)
        return Answer::Malformed;
    if (!bytes.empty())
        if (const int error = remote_->store().put(name, total, offset, bytes))
            return fail(error == ENOMEM ? LATHE_OUT_OF_MEMORY : LATHE_IO_ERROR,
                        "the artifact of " + std::to_string(total) + " bytes cannot be kept in " + remote_->folder() +
                            ": " + std::strerror(error));
    reply.number(remote_->store().held(name));
    return Answer::Ok;
}

Server::Answer Server::facts(Reader& reader, Writer& reply) const {
    if (!reader.finished())
        return Answer::Malformed;
    const auto all = runner::facts(remote_ ? remote_->folder() : "");
    reply.number(static_cast<uint32_t>(all.size()));
    for (const auto& [name, value] : all) {
        reply.string(name);
        reply.string(value);
    }
    return Answer::Ok;
}

Server::Answer Server::lease(Reader& reader, Writer& reply) {
    const std::string who = reader.string();
    constexpr size_t longestName = 200;
    if (!reader.finished() || who.empty() || who.size() > longestName)
        return Answer::Malformed;
    reply.string(remote_->lease().take(who));
    return Answer::Ok;
}

Server::Answer Server::release(Reader& reader) {
    if (!reader.finished())
        return Answer::Malformed;
    remote_->lease().release();
    return Answer::Ok;
}

Server::Answer Server::deadline(Reader& reader) {
    const auto milliseconds = reader.number<uint64_t>();
    constexpr uint64_t longest = uint64_t{366} * 24 * 3600 * 1000;
    if (!reader.finished())
        return Answer::Malformed;
    remote_->setDeadline(std::min(milliseconds, longest));
    return Answer::Ok;
}

Server::Answer Server::bye(Reader& reader) {
    if (!reader.finished())
        return Answer::Malformed;
    done_ = true;
    return Answer::Ok;
}

Server::Answer Server::createContext() {
    lathe_context_options options{};
    options.struct_bytes = sizeof options;
    options.threads = threads_;
    options.memory_limit = contextBytes_;
    if (guard_ != Guard::None) {
        memory_.setFlush(guard_ == Guard::End ? GuardedMemory::Flush::End : GuardedMemory::Flush::Start);
        options.allocate = allocateGuarded;
        options.release = releaseGuarded;
        options.user = &memory_;
    }
    lathe_context* context = nullptr;
    if (const lathe_status bad = lathe_context_create(model_.get(), &options, &context))
        return fail(bad, lathe_thread_error());
    context_.reset(context);
    if (seed_)
        lathe_set_seed(context, *seed_);
    return Answer::Ok;
}

void Server::describeModel(Writer& reply) const {
    const lathe_model* model = model_.get();
    reply.string(lathe_model_name(model));
    reply.string(lathe_model_metadata(model));
    reply.number(static_cast<uint32_t>(lathe_model_symbol_count(model)));
    for (int32_t i = 0; i < lathe_model_symbol_count(model); ++i)
        reply.string(lathe_model_symbol(model, i));
    const auto value = [&](const lathe_value_info& info) {
        reply.string(info.name);
        writeType(reply, info.dtype);
        reply.number(static_cast<uint32_t>(info.rank));
        reply.raw(info.dims, static_cast<size_t>(info.rank) * sizeof(int64_t));
    };
    lathe_value_info info{};
    reply.number(static_cast<uint32_t>(lathe_model_input_count(model)));
    for (int32_t i = 0; lathe_model_input(model, i, &info) == LATHE_OK; ++i)
        value(info);
    reply.number(static_cast<uint32_t>(lathe_model_output_count(model)));
    for (int32_t i = 0; lathe_model_output(model, i, &info) == LATHE_OK; ++i)
        value(info);
    lathe_call_info call{};
    reply.number(static_cast<uint32_t>(lathe_model_call_count(model)));
    for (int32_t i = 0; lathe_model_call(model, i, &call) == LATHE_OK; ++i) {
        reply.string(call.function);
        reply.string(call.kernel);
        reply.number(static_cast<uint32_t>(call.node_count));
        for (int32_t origin = 0; origin < call.node_count; ++origin)
            reply.string(call.nodes[origin] ? call.nodes[origin] : "");
        reply.number(call.flops);
        reply.number(call.bytes);
    }
}

Server::Answer Server::limits(Reader& reader) {
    const auto threads = reader.number<int32_t>();
    const auto contextBytes = reader.number<int64_t>();
    const auto processBytes = reader.number<int64_t>();
    const auto guard = reader.number<uint32_t>(), pinned = reader.number<uint32_t>();
    if (!reader.finished() || threads < 0 || contextBytes < 0 || processBytes < 0 ||
        guard > static_cast<uint32_t>(Guard::Start) || pinned > 1)
        return Answer::Malformed;
    threads_ = threads;
    contextBytes_ = contextBytes;
    guard_ = static_cast<Guard>(guard);
    if (guard_ != Guard::None)
        exitAtFaults();
    pin(cpus_, pinned ? threads : 0);
    limitProcess(processBytes);
    return Answer::Ok;
}

Server::Answer Server::seed(Reader& reader) {
    const auto value = reader.number<uint64_t>();
    if (!reader.finished())
        return Answer::Malformed;
    seed_ = value;
    return Answer::Ok;
}

Server::Answer Server::input(Reader& reader) {
    const std::string name = reader.string();
    DLTensor tensor{};
    tensor.device = {kDLCPU, 0};
    tensor.dtype = readType(reader);
    const auto rank = reader.number<uint32_t>();
    if (!reader.good() || rank > LATHE_MAX_RANK)
        return Answer::Malformed;
    int64_t dims[LATHE_MAX_RANK] = {};
    for (uint32_t axis = 0; axis < rank; ++axis)
        dims[axis] = reader.number<int64_t>();
    tensor.ndim = static_cast<int32_t>(rank);
    tensor.shape = dims;
    const auto bytes = reader.number<uint64_t>();
    const auto data = reader.raw(bytes);
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    const int32_t index = lathe_model_find_input(model_.get(), name.c_str());
    if (index < 0)
        return fail(LATHE_INVALID_ARGUMENT, "the model has no input '" + name + "'");
    const bool negative = std::any_of(dims, dims + rank, [](int64_t dim) { return dim < 0; });
    if (negative || bytesOf(tensor) != static_cast<int64_t>(bytes))
        return fail(LATHE_MISMATCH, "input '" + name + "': dims and bytes of the tensor contradict each other");
    tensor.data = const_cast<std::byte*>(data.data());
    const lathe_status bad = giveInput(index, tensor, bytes);
    return bad ? failContext(bad) : Answer::Ok;
}

/// Under a guard in pages of its own, which nobody may write from then on.
lathe_status Server::giveInput(int32_t index, DLTensor& tensor, size_t bytes) {
    if (guard_ == Guard::None)
        return lathe_set_input(context_.get(), index, &tensor);
    void* const own = memory_.allocate(bytes, boundAlignment);
    if (!own)
        throw std::bad_alloc();
    std::memcpy(own, tensor.data, bytes);
    memory_.protect(own);
    tensor.data = own;
    const lathe_status bad = lathe_bind_input(context_.get(), index, &tensor);
    if (bad) {
        memory_.release(own);
        return bad;
    }
    bound_.resize(std::max(bound_.size(), static_cast<size_t>(index) + 1));
    memory_.release(std::exchange(bound_[static_cast<size_t>(index)], own));
    return bad;
}

/// An output's pages are longer than it is: what was written there was written by a kernel that goes too far.
void Server::checkBesideOutputs() {
    if (guard_ == Guard::None)
        return;
    DLTensor tensor{};
    for (int32_t i = 0; lathe_get_output(context_.get(), i, &tensor) == LATHE_OK; ++i)
        if (!memory_.isIntactBeside(tensor.data, static_cast<size_t>(bytesOf(tensor))))
            _exit(exitOutside);
}

Server::Answer Server::run(Reader& reader, Writer& reply) {
    const auto times = reader.number<uint32_t>();
    if (!reader.finished() || times > limits::runsAtOnce)
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    std::vector<int64_t> samples(times);
    for (int64_t& sample : samples) {
        const int64_t begin = now();
        const lathe_status bad = lathe_run(context_.get());
        sample = now() - begin;
        if (bad)
            return failContext(bad);
    }
    checkBesideOutputs();
    reply.number(times);
    reply.raw(samples.data(), samples.size() * sizeof(int64_t));
    lathe_memory_info memory{};
    lathe_memory(context_.get(), &memory);
    reply.number(memory.arena_peak);
    reply.number(memory.arena_reserved);
    reply.number(memory.outputs);
    reply.number(memory.inputs);
    reply.number(peakResident());
    return Answer::Ok;
}

Server::Answer Server::output(Reader& reader, Writer& reply) {
    const auto index = reader.number<int32_t>();
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    DLTensor tensor{};
    if (const lathe_status bad = lathe_get_output(context_.get(), index, &tensor))
        return failContext(bad);
    writeType(reply, tensor.dtype);
    reply.number(static_cast<uint32_t>(tensor.ndim));
    reply.raw(tensor.shape, static_cast<size_t>(tensor.ndim) * sizeof(int64_t));
    const int64_t bytes = bytesOf(tensor);
    if (bytes < 0 || static_cast<uint64_t>(bytes) > limits::frameBytes - reply.bytes().size() - sizeof(uint64_t))
        return fail(LATHE_OUT_OF_MEMORY,
                    "output " + std::to_string(index) + " is larger than what lathe-runner can send");
    reply.number(static_cast<uint64_t>(bytes));
    replyData_ = {static_cast<const std::byte*>(tensor.data), static_cast<size_t>(bytes)};
    return Answer::Ok;
}

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
