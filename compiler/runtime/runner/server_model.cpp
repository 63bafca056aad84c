// SPDX-License-Identifier: Apache-2.0
//
// Loads the model that a server holds, says of what it consists, and sets what its runs get: threads, memory, a seed.
#include "runtime/runner/server.h"

#include "runtime/runner/pinning.h"
#include "runtime/runner/tensor_fields.h"

#include <algorithm>
#include <sys/resource.h>

namespace lathe::runtime::runner {

using namespace protocol;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LATHE_SANITIZED 1
#endif
#endif

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
        const auto rank = static_cast<uint32_t>(std::max(info.rank, 0));
        reply.number(rank);
        reply.raw(info.dims, rank * sizeof(int64_t));
        reply.string(info.form);
    };
    lathe_value_info info{};
    reply.number(static_cast<uint32_t>(lathe_model_input_count(model)));
    for (int32_t i = 0; lathe_model_input(model, i, &info) == LATHE_OK; ++i)
        value(info);
    reply.number(static_cast<uint32_t>(lathe_model_output_count(model)));
    for (int32_t i = 0; lathe_model_output(model, i, &info) == LATHE_OK; ++i)
        value(info);
    reply.number(static_cast<uint32_t>(lathe_model_state_count(model)));
    for (int32_t i = 0; lathe_model_state(model, i, &info) == LATHE_OK; ++i)
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

} // namespace lathe::runtime::runner
