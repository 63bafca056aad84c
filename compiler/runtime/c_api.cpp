// SPDX-License-Identifier: Apache-2.0
//
// The C interface: checks of pointers and indices, and the border that no exception crosses.
#include "runtime/context.h"
#include "runtime/cpu.h"
#include "runtime/dtype.h"
#include "runtime/limits.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

using namespace lathe::runtime;

namespace {

/// Runs fn, which gives a status; exceptions become statuses.
template <class Fn>
lathe_status guarded(ErrorText& error, Fn&& fn) noexcept {
    try {
        return fn();
    } catch (const std::bad_alloc&) {
        return error.set(LATHE_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception& exception) {
        return error.set(LATHE_INTERNAL, "the runtime failed: %s", exception.what());
    }
}

lathe_status nullArgument(const char* function) {
    return threadError().set(LATHE_INVALID_ARGUMENT, "%s: an argument is null", function);
}

lathe_status noSuch(const char* what, int32_t index) {
    return threadError().set(LATHE_INVALID_ARGUMENT, "the model has no %s %d", what, index);
}

int32_t find(const lathe_value_desc* values, int32_t count, const char* name) {
    for (int32_t i = 0; name && i < count; ++i)
        if (std::strcmp(values[i].name, name) == 0)
            return i;
    return -1;
}

lathe_value_info infoOf(const lathe_value_desc& value, DLDataType type) {
    return {value.name, type, value.rank, value.dims, value.form ? value.form : ""};
}

lathe_status giveModel(std::shared_ptr<const Model> loaded, lathe_model** model) {
    *model = new lathe_model{std::move(loaded)};
    return LATHE_OK;
}

} // namespace

extern "C" {

const char* lathe_version(void) {
    return LATHE_VERSION;
}

int32_t lathe_cpu_supports(const char* isa) {
    return isa && cpuSupports(isa);
}

int32_t lathe_cpu_vector_bits(void) {
    return cpuVectorBits();
}

const char* lathe_status_name(lathe_status status) {
    switch (status) {
    case LATHE_OK:
        return "ok";
    case LATHE_INVALID_ARGUMENT:
        return "invalid argument";
    case LATHE_IO_ERROR:
        return "input/output error";
    case LATHE_BAD_ARTIFACT:
        return "bad artifact";
    case LATHE_UNSUPPORTED:
        return "unsupported";
    case LATHE_OUT_OF_MEMORY:
        return "out of memory";
    case LATHE_MISMATCH:
        return "mismatch";
    case LATHE_MISSING_INPUT:
        return "missing input";
    case LATHE_RUN_FAILED:
        return "run failed";
    case LATHE_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

const char* lathe_thread_error(void) {
    return threadError().c_str();
}

lathe_status lathe_model_load(const char* path, lathe_model** model) {
    if (!path || !model)
        return nullArgument("lathe_model_load");
    *model = nullptr;
    return guarded(threadError(), [&] {
        std::shared_ptr<const Model> loaded;
        const lathe_status bad = Model::load(path, threadError(), loaded);
        return bad ? bad : giveModel(std::move(loaded), model);
    });
}

lathe_status lathe_model_verify(const char* path) {
    if (!path)
        return nullArgument("lathe_model_verify");
    return guarded(threadError(), [&] { return ArtifactFile::verify(path, threadError()); });
}

lathe_status lathe_model_from_memory(const lathe_model_desc* desc, const void* constants, int64_t constant_bytes,
                                     lathe_model** model) {
    if (!desc || !model || constant_bytes < 0 || (constant_bytes > 0 && !constants))
        return nullArgument("lathe_model_from_memory");
    *model = nullptr;
    return guarded(threadError(), [&] {
        std::shared_ptr<const Model> loaded;
        const lathe_status bad = Model::fromMemory(desc, constants, constant_bytes, threadError(), loaded);
        return bad ? bad : giveModel(std::move(loaded), model);
    });
}

void lathe_model_free(lathe_model* model) {
    delete model;
}

const char* lathe_model_name(const lathe_model* model) {
    const char* name = model ? model->model->desc().name : nullptr;
    return name ? name : "";
}
const char* lathe_model_metadata(const lathe_model* model) {
    const char* metadata = model ? model->model->desc().metadata : nullptr;
    return metadata ? metadata : "";
}
int32_t lathe_model_input_count(const lathe_model* model) {
    return model ? model->model->desc().input_count : 0;
}
int32_t lathe_model_output_count(const lathe_model* model) {
    return model ? model->model->desc().output_count : 0;
}
int32_t lathe_model_state_count(const lathe_model* model) {
    return model ? model->model->desc().state_count : 0;
}
int32_t lathe_model_symbol_count(const lathe_model* model) {
    return model ? model->model->desc().symbol_count : 0;
}
int32_t lathe_model_call_count(const lathe_model* model) {
    return model ? model->model->desc().call_count : 0;
}

lathe_status lathe_model_input(const lathe_model* model, int32_t index, lathe_value_info* info) {
    if (!model || !info)
        return nullArgument("lathe_model_input");
    const lathe_model_desc& desc = model->model->desc();
    if (index < 0 || index >= desc.input_count)
        return noSuch("input", index);
    *info = infoOf(desc.inputs[index], model->model->inputTypes()[static_cast<size_t>(index)]);
    return LATHE_OK;
}

lathe_status lathe_model_output(const lathe_model* model, int32_t index, lathe_value_info* info) {
    if (!model || !info)
        return nullArgument("lathe_model_output");
    const lathe_model_desc& desc = model->model->desc();
    if (index < 0 || index >= desc.output_count)
        return noSuch("output", index);
    *info = infoOf(desc.outputs[index], model->model->outputTypes()[static_cast<size_t>(index)]);
    return LATHE_OK;
}

lathe_status lathe_model_state(const lathe_model* model, int32_t index, lathe_value_info* info) {
    if (!model || !info)
        return nullArgument("lathe_model_state");
    const lathe_model_desc& desc = model->model->desc();
    if (index < 0 || index >= desc.state_count)
        return noSuch("state", index);
    *info = infoOf(desc.states[index].value, model->model->inputTypes()[static_cast<size_t>(desc.input_count + index)]);
    return LATHE_OK;
}

lathe_status lathe_model_call(const lathe_model* model, int32_t index, lathe_call_info* info) {
    if (!model || !info)
        return nullArgument("lathe_model_call");
    const lathe_model_desc& desc = model->model->desc();
    if (index < 0 || index >= desc.call_count)
        return noSuch("call", index);
    const lathe_call_desc& call = desc.calls[index];
    *info = {call.function, desc.kernels[call.kernel].name, call.origin_count, call.nodes, call.flops, call.bytes};
    return LATHE_OK;
}

const char* lathe_model_symbol(const lathe_model* model, int32_t index) {
    return index >= 0 && index < lathe_model_symbol_count(model) ? model->model->desc().symbols[index] : nullptr;
}
int32_t lathe_model_find_input(const lathe_model* model, const char* name) {
    return model ? find(model->model->desc().inputs, model->model->desc().input_count, name) : -1;
}
int32_t lathe_model_find_output(const lathe_model* model, const char* name) {
    return model ? find(model->model->desc().outputs, model->model->desc().output_count, name) : -1;
}

int32_t lathe_model_find_state(const lathe_model* model, const char* name) {
    for (int32_t i = 0; name && i < lathe_model_state_count(model); ++i)
        if (std::strcmp(model->model->desc().states[i].value.name, name) == 0)
            return i;
    return -1;
}

lathe_status lathe_context_create(lathe_model* model, const lathe_context_options* options, lathe_context** context) {
    if (!model || !context)
        return nullArgument("lathe_context_create");
    *context = nullptr;
    lathe_context_options complete{};
    if (options)
        std::memcpy(&complete, options, std::min(options->struct_bytes, sizeof complete));
    if (complete.threads < 0 || complete.threads > limits::threads || complete.memory_limit < 0 ||
        !complete.allocate != !complete.release)
        return threadError().set(LATHE_INVALID_ARGUMENT,
                                 "lathe_context_create: threads must be 0 to %d, the memory limit not negative, and an "
                                 "allocator needs both functions",
                                 limits::threads);
    return guarded(threadError(), [&] {
        *context = new lathe_context(model->model, complete);
        return LATHE_OK;
    });
}

void lathe_context_free(lathe_context* context) {
    delete context;
}

const char* lathe_last_error(const lathe_context* context) {
    return context ? context->error().c_str() : "";
}
const char* lathe_last_error_node(const lathe_context* context) {
    return context ? context->errorNode().c_str() : "";
}

lathe_status lathe_set_input(lathe_context* context, int32_t index, const DLTensor* tensor) {
    return context ? context->setInput(index, tensor) : nullArgument("lathe_set_input");
}
lathe_status lathe_bind_input(lathe_context* context, int32_t index, const DLTensor* tensor) {
    return context ? context->bindInput(index, tensor) : nullArgument("lathe_bind_input");
}
lathe_status lathe_bind_output(lathe_context* context, int32_t index, const DLTensor* tensor) {
    return context ? context->bindOutput(index, tensor) : nullArgument("lathe_bind_output");
}
lathe_status lathe_set_seed(lathe_context* context, uint64_t seed) {
    if (!context)
        return nullArgument("lathe_set_seed");
    context->setSeed(seed);
    return LATHE_OK;
}
lathe_status lathe_run(lathe_context* context) {
    if (!context)
        return nullArgument("lathe_run");
    return guarded(context->error(), [&] { return context->run(); });
}
lathe_status lathe_get_output(lathe_context* context, int32_t index, DLTensor* tensor) {
    return context ? context->output(index, tensor) : nullArgument("lathe_get_output");
}
lathe_status lathe_set_input_value(lathe_context* context, int32_t index, const lathe_value* value) {
    if (!context)
        return nullArgument("lathe_set_input_value");
    return guarded(context->error(), [&] { return context->setInputValue(index, value); });
}
lathe_status lathe_get_output_value(lathe_context* context, int32_t index, lathe_value* value) {
    if (!context)
        return nullArgument("lathe_get_output_value");
    return guarded(context->error(), [&] { return context->outputValue(index, value); });
}
lathe_status lathe_reset_states(lathe_context* context) {
    if (!context)
        return nullArgument("lathe_reset_states");
    context->resetStates();
    return LATHE_OK;
}
lathe_status lathe_set_state(lathe_context* context, int32_t index, const DLTensor* tensor) {
    return context ? context->setState(index, tensor) : nullArgument("lathe_set_state");
}
lathe_status lathe_get_state(lathe_context* context, int32_t index, DLTensor* tensor) {
    return context ? context->state(index, tensor) : nullArgument("lathe_get_state");
}
void lathe_memory(const lathe_context* context, lathe_memory_info* info) {
    if (context && info)
        *info = context->memoryInfo();
}

lathe_status lathe_profile_start(lathe_context* context, int32_t timeline_events) {
    if (!context)
        return nullArgument("lathe_profile_start");
    return guarded(context->error(), [&] {
        context->profile().start(context->model().desc().call_count, context->threads(), timeline_events);
        return LATHE_OK;
    });
}
void lathe_profile_stop(lathe_context* context) {
    if (context)
        context->profile().stop();
}
lathe_status lathe_profile_read(const lathe_context* context, int32_t call, lathe_profile_entry* entry) {
    if (!context || !entry)
        return nullArgument("lathe_profile_read");
    const auto& entries = context->profile().entries();
    if (call < 0 || static_cast<size_t>(call) >= entries.size())
        return threadError().set(LATHE_INVALID_ARGUMENT, "there is no profile of call %d", call);
    *entry = entries[static_cast<size_t>(call)];
    return LATHE_OK;
}
int32_t lathe_thread_count(const lathe_context* context) {
    return context ? context->threads() : 0;
}
lathe_status lathe_timeline_read(const lathe_context* context, int32_t thread, const lathe_timeline_event** events,
                                 int32_t* count) {
    if (!context || !events || !count)
        return nullArgument("lathe_timeline_read");
    const auto& timelines = context->profile().timelines();
    if (thread < 0 || static_cast<size_t>(thread) >= timelines.size())
        return threadError().set(LATHE_INVALID_ARGUMENT, "there is no timeline of thread %d", thread);
    *events = timelines[static_cast<size_t>(thread)].data();
    *count = static_cast<int32_t>(timelines[static_cast<size_t>(thread)].size());
    return LATHE_OK;
}

} // extern "C"
