// SPDX-License-Identifier: Apache-2.0
//
// Inputs, the run itself, outputs.
#include "runtime/context.h"

#include "runtime/dtype.h"
#include "runtime/float_mode.h"
#include "runtime/forms.h"
#include "runtime/tensor.h"

#include <algorithm>
#include <ctime>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace lathe::runtime {

namespace {

bool isAligned(const void* memory) {
    return reinterpret_cast<uintptr_t>(memory) % memoryAlignment == 0;
}

struct Range {
    const void* data;
    int64_t bytes;
};

bool overlap(Range a, Range b) {
    const auto from = reinterpret_cast<uintptr_t>(a.data), other = reinterpret_cast<uintptr_t>(b.data);
    return a.bytes > 0 && b.bytes > 0 && from < other + static_cast<uintptr_t>(b.bytes) &&
           other < from + static_cast<uintptr_t>(a.bytes);
}

/// Data of tensors without elements: generated code may compare with null, never read it.
alignas(memoryAlignment) constinit char noElements[memoryAlignment] = {};

/// splitmix64: neighbouring runs get unrelated seeds.
uint64_t mix(uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

bool flushesSubnormals(const lathe_model_desc& desc) {
    return (desc.flags & LATHE_FLUSH_SUBNORMALS) != 0;
}

int32_t enter(const lathe_model_desc& desc, lathe_exec& exec) {
    const FloatMode mode(flushesSubnormals(desc));
    return desc.entry(&exec);
}

/// A seed that other contexts do not have: of the kernel, or, where it gives none, of the clock and an address. (Not
/// std::random_device: it asks for a newer C library, and throws where /dev is not.)
uint64_t entropy() {
    uint64_t value = 0;
    constexpr unsigned dontWait = 1; // GRND_NONBLOCK
    if (syscall(SYS_getrandom, &value, sizeof value, dontWait) == ssize_t{sizeof value})
        return value;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return mix(static_cast<uint64_t>(now.tv_nsec) ^ mix(reinterpret_cast<uintptr_t>(&value)));
}

} // namespace

Context::Context(std::shared_ptr<const Model> model, const lathe_context_options& options)
    : model_(std::move(model)), memory_(options.allocate, options.release, options.user, options.memory_limit),
      arena_(memory_), states_(*model_, memory_), strings_(*model_, memory_), objects_(memory_, true),
      inputObjects_(memory_, false), pool_(options.threads, flushesSubnormals(model_->desc()), this),
      exec_{this, 0, false} {
    inputs_.reserve(model_->inputTypes().size());
    for (size_t i = 0; i < model_->inputTypes().size(); ++i)
        inputs_.push_back({.own = GrowingBuffer(memory_), .handles = GrowingBuffer(memory_)});
    outputs_.reserve(model_->outputTypes().size());
    for (size_t i = 0; i < model_->outputTypes().size(); ++i)
        outputs_.push_back({.own = GrowingBuffer(memory_), .handles = GrowingBuffer(memory_)});
    describeStates();
    createAbsent();
    seed_ = entropy();
}

lathe_status Context::checkInput(int32_t index, const DLTensor* tensor, int64_t& bytes) {
    const lathe_model_desc& desc = model_->desc();
    if (index < 0 || index >= desc.input_count)
        return error_.set(LATHE_INVALID_ARGUMENT, "the model has no input %d, it has %d inputs", index,
                          desc.input_count);
    if (isComposed(desc.inputs[index]))
        return error_.set(LATHE_MISMATCH, "input '%s' is %s, not a tensor: give it by lathe_set_input_value",
                          desc.inputs[index].name, formName(desc.inputs[index].form));
    return checkTensor(desc.inputs[index], model_->inputTypes()[static_cast<size_t>(index)], "input", tensor, bytes,
                       error_);
}

lathe_status Context::setInput(int32_t index, const DLTensor* tensor) {
    int64_t bytes = 0;
    errorNode_.clear();
    if (const lathe_status bad = checkInput(index, tensor, bytes))
        return bad;
    Input& input = inputs_[static_cast<size_t>(index)];
    memory_.clearRefused();
    input.data = input.own.reserve(bytes);
    if (!input.data)
        return error_.set(LATHE_OUT_OF_MEMORY, "input '%s': no memory for %lld bytes",
                          model_->desc().inputs[index].name, static_cast<long long>(bytes));
    std::copy_n(tensor->shape, tensor->ndim, input.dims);
    input.bytes = bytes;
    copyCompact(*tensor, elementBytes(tensor->dtype), static_cast<char*>(input.data));
    if (!isString(tensor->dtype))
        return LATHE_OK;
    input.data = nullptr;
    if (const lathe_status bad = checkStrings(index, input.own.data(), bytes))
        return bad;
    input.data = copyStrings(input);
    if (!input.data)
        return error_.set(LATHE_OUT_OF_MEMORY, "input '%s': no memory for its strings",
                          model_->desc().inputs[index].name);
    return LATHE_OK;
}

lathe_status Context::bindInput(int32_t index, const DLTensor* tensor) {
    int64_t bytes = 0;
    errorNode_.clear();
    if (const lathe_status bad = checkInput(index, tensor, bytes))
        return bad;
    if (!isCompact(*tensor) || (bytes > 0 && !isAligned(dataOf(*tensor))))
        return error_.set(LATHE_INVALID_ARGUMENT,
                          "input '%s': only compact tensors at 64-byte aligned addresses can be bound; set it instead",
                          model_->desc().inputs[index].name);
    if (const lathe_status bad = isString(tensor->dtype) ? checkStrings(index, dataOf(*tensor), bytes) : LATHE_OK)
        return bad;
    Input& input = inputs_[static_cast<size_t>(index)];
    std::copy_n(tensor->shape, tensor->ndim, input.dims);
    input.bytes = bytes;
    input.data = bytes > 0 ? const_cast<char*>(dataOf(*tensor)) : noElements;
    return LATHE_OK;
}

lathe_status Context::bindOutput(int32_t index, const DLTensor* tensor) {
    const lathe_model_desc& desc = model_->desc();
    errorNode_.clear();
    if (index < 0 || index >= desc.output_count)
        return error_.set(LATHE_INVALID_ARGUMENT, "the model has no output %d, it has %d outputs", index,
                          desc.output_count);
    Output& output = outputs_[static_cast<size_t>(index)];
    if (!tensor) {
        output.bound = nullptr;
        return LATHE_OK;
    }
    if (isComposed(desc.outputs[index]))
        return error_.set(LATHE_MISMATCH, "output '%s' is %s, which cannot be bound to memory",
                          desc.outputs[index].name, formName(desc.outputs[index].form));
    int64_t bytes = 0;
    if (const lathe_status bad = checkTensor(desc.outputs[index], model_->outputTypes()[static_cast<size_t>(index)],
                                             "output", tensor, bytes, error_))
        return bad;
    if (!isCompact(*tensor) || (bytes > 0 && !isAligned(dataOf(*tensor))))
        return error_.set(LATHE_INVALID_ARGUMENT, "output '%s': a bound buffer must be compact and 64-byte aligned",
                          desc.outputs[index].name);
    output.bound = bytes > 0 ? const_cast<char*>(dataOf(*tensor)) : noElements;
    output.boundBytes = bytes;
    return LATHE_OK;
}

void Context::setSeed(uint64_t seed) {
    seedGiven_ = true;
    seed_ = seed;
}

lathe_status Context::checkOverlap() {
    const auto isCallers = [](const Input& input) { return input.data != input.own.data(); };
    const auto isBound = [](const Output& output) { return output.bound != nullptr; };
    const lathe_model_desc& desc = model_->desc();
    if (std::none_of(inputs_.begin(), inputs_.begin() + desc.input_count, isCallers) &&
        std::none_of(outputs_.begin(), outputs_.begin() + desc.output_count, isBound))
        return LATHE_OK; // the context's own pieces, states among them, lie apart
    const auto written = [](const Output& output) -> Range {
        return output.bound ? Range{output.bound, output.boundBytes} : Range{output.own.data(), output.own.capacity()};
    };
    for (int32_t i = 0; i < desc.output_count + desc.state_count; ++i) {
        const Output& output = outputs_[static_cast<size_t>(i)];
        for (int32_t k = 0; k < desc.input_count + desc.state_count; ++k) {
            const Input& input = inputs_[static_cast<size_t>(k)];
            if (overlap(written(output), {input.data, input.bytes}))
                return error_.set(LATHE_INVALID_ARGUMENT,
                                  "output '%s' would be written to memory that input '%s' is read from: give one of "
                                  "them memory of its own",
                                  model_->outputDesc(i).name, model_->inputDesc(k).name);
        }
        for (int32_t k = 0; k < i; ++k)
            if (overlap(written(output), written(outputs_[static_cast<size_t>(k)])))
                return error_.set(LATHE_INVALID_ARGUMENT,
                                  "outputs '%s' and '%s' would be written to the same memory: give each its own",
                                  model_->outputDesc(k).name, model_->outputDesc(i).name);
    }
    return LATHE_OK;
}

void Context::prepareRun() {
    dropOutputs();
    for (Input& input : inputs_)
        input.wasRead = true;
    objects_.startPeak();
    for (size_t i = 0; i < outputs_.size(); ++i) {
        const lathe_value_desc& value = model_->outputDesc(static_cast<int32_t>(i));
        outputs_[i].data = nullptr;
        for (int32_t axis = 0; axis < value.rank; ++axis)
            outputs_[i].dims[axis] = value.dims[axis] >= 0 ? value.dims[axis] : -1;
    }
    failure_ = {};
    tooSmall_ = -1;
    contradicted_ = -1;
    memory_.clearRefused();
    error_.clear();
    runSeed_ = seedGiven_ ? seed_ : mix(seed_++);
    arena_.startRun();
    strings_.startRun();
}

lathe_status Context::run() {
    const lathe_model_desc& desc = model_->desc();
    good_ = false;
    errorNode_.clear();
    for (int32_t i = 0; i < desc.input_count; ++i)
        if (!inputs_[static_cast<size_t>(i)].data && !inputs_[static_cast<size_t>(i)].object)
            return error_.set(LATHE_MISSING_INPUT, "input '%s' is not set", desc.inputs[i].name);
    bindStates();
    if (const lathe_status bad = checkOverlap())
        return bad;
    prepareRun();
    if (!readInputs())
        return error_.set(LATHE_OUT_OF_MEMORY, "no memory for the strings of the inputs");
    pool_.startRun();
    const int32_t status = enter(desc, exec_);
    pool_.endRun();
    lathe_status result = status == 0 ? checkOutputs() : explain(status);
    if (strings_.lacked()) // what was computed from then on says nothing
        result = error_.set(LATHE_OUT_OF_MEMORY, "no memory for a string that the model makes");
    if (result == LATHE_OK)
        writeStrings();
    arena_.endRun();
    good_ = result == LATHE_OK;
    if (good_)
        states_.advance();
    else
        dropOutputs();
    return result;
}

lathe_status Context::explain(int32_t status) {
    if (!failure_.noted)
        failure_ = {true, -1, status};
    if (tooSmall_ >= 0)
        return error_.set(LATHE_MISMATCH, "output '%s' needs %lld bytes, but the buffer bound to it has %lld",
                          model_->outputDesc(tooSmall_).name, static_cast<long long>(neededBytes_),
                          static_cast<long long>(outputs_[static_cast<size_t>(tooSmall_)].boundBytes));
    if (contradicted_ >= 0)
        return contradiction(contradicted_);
    const lathe_status result = describeFailure(model_->desc(), failure_, error_, errorNode_);
    if (failure_.call < 0)
        appendInputDims();
    if (memory_.refused() == 0 || (result != LATHE_OUT_OF_MEMORY && result != LATHE_INTERNAL))
        return result;
    error_.append(" (%lld bytes more than the %lld in use were refused)", static_cast<long long>(memory_.refused()),
                  static_cast<long long>(memory_.used()));
    return LATHE_OUT_OF_MEMORY;
}

void Context::appendInputDims() {
    const lathe_model_desc& desc = model_->desc();
    const char* before = " (with ";
    for (int32_t i = 0; i < desc.input_count; ++i) {
        const lathe_value_desc& input = desc.inputs[i];
        if (isComposed(input) || std::all_of(input.dims, input.dims + input.rank, [](int64_t dim) { return dim >= 0; }))
            continue;
        error_.append("%s%s: %s", before, input.name, textOf(inputs_[static_cast<size_t>(i)].dims, input.rank).text);
        before = ", ";
    }
    if (*before == ',')
        error_.append(")");
}

bool Context::outputFits(int32_t index) const {
    const Output& output = outputs_[static_cast<size_t>(index)];
    int64_t bytes = 0;
    return sizeOf(output.dims, model_->outputDesc(index).rank,
                  storedBytes(model_->outputTypes()[static_cast<size_t>(index)]), bytes) &&
           bytes == output.bytes;
}

lathe_status Context::contradiction(int32_t index) {
    const Output& output = outputs_[static_cast<size_t>(index)];
    return error_.set(LATHE_INTERNAL, "the model asked for %lld bytes for output '%s', which its dims (%s) do not make",
                      static_cast<long long>(output.bytes), model_->outputDesc(index).name,
                      textOf(output.dims, model_->outputDesc(index).rank).text);
}

/// That the entry kept its side: all dims set, all data asked for, and of a state as much as it has.
lathe_status Context::checkOutputs() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
        Output& output = outputs_[i];
        const auto index = static_cast<int32_t>(i);
        const lathe_value_desc& value = model_->outputDesc(index);
        if (isComposed(value)) {
            if (!output.object)
                return error_.set(LATHE_INTERNAL, "the model did not give output '%s'", value.name);
            continue;
        }
        for (int32_t axis = 0; axis < value.rank; ++axis)
            if (output.dims[axis] < 0)
                return error_.set(LATHE_INTERNAL, "the model did not set dim %d of output '%s'", axis, value.name);
        if (!output.data)
            return error_.set(LATHE_INTERNAL, "the model did not write output '%s'", value.name);
        if (!outputFits(index) || (index >= model_->desc().output_count && output.bytes != output.boundBytes))
            return contradiction(index);
        setStrides(value.rank, output.dims, output.strides);
    }
    return LATHE_OK;
}

lathe_status Context::output(int32_t index, DLTensor* tensor) {
    const lathe_model_desc& desc = model_->desc();
    errorNode_.clear();
    if (index < 0 || index >= desc.output_count)
        return error_.set(LATHE_INVALID_ARGUMENT, "the model has no output %d, it has %d outputs", index,
                          desc.output_count);
    if (!tensor)
        return error_.set(LATHE_INVALID_ARGUMENT, "output '%s': no tensor given", desc.outputs[index].name);
    if (!good_)
        return error_.set(LATHE_INVALID_ARGUMENT,
                          "there is no output '%s': the last run did not succeed, or there was none",
                          desc.outputs[index].name);
    if (isComposed(desc.outputs[index]))
        return error_.set(LATHE_MISMATCH, "output '%s' is %s, not a tensor: ask for it by lathe_get_output_value",
                          desc.outputs[index].name, formName(desc.outputs[index].form));
    Output& output = outputs_[static_cast<size_t>(index)];
    *tensor = {};
    tensor->data = output.data;
    tensor->device = {kDLCPU, 0};
    tensor->ndim = desc.outputs[index].rank;
    tensor->dtype = model_->outputTypes()[static_cast<size_t>(index)];
    tensor->shape = output.dims;
    tensor->strides = output.strides;
    return LATHE_OK;
}

lathe_memory_info Context::memoryInfo() const {
    lathe_memory_info info{arena_.peak(), arena_.reserved(), 0, 0};
    for (const GrowingBuffer& kept : kept_) {
        info.arena_peak += kept.capacity();
        info.arena_reserved += kept.capacity();
    }
    info.arena_peak += objects_.peak() + strings_.memory();
    info.arena_reserved += objects_.used() + strings_.memory();
    for (const Output& output : outputs_)
        info.outputs += output.own.capacity() + output.handles.capacity();
    info.inputs = states_.memory() + inputObjects_.used();
    for (const Input& input : inputs_)
        info.inputs += input.own.capacity() + input.handles.capacity();
    return info;
}

int32_t Context::parallel(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks) {
    return pool_.run(exec, task, closure, chunks, profile_.on() ? &profile_ : nullptr);
}

void Context::setOutputDim(int32_t output, int32_t axis, int64_t value) {
    outputs_[static_cast<size_t>(output)].dims[axis] = value;
}

void* Context::outputData(int32_t index, int64_t bytes) {
    Output& output = outputs_[static_cast<size_t>(index)];
    output.bytes = bytes;
    if (!outputFits(index)) {
        contradicted_ = index;
        return nullptr;
    }
    const DLDataType type = model_->outputTypes()[static_cast<size_t>(index)];
    output.data = placeOf(index, bytes / storedBytes(type) * elementBytes(type));
    return output.data && isString(type) ? output.handles.reserve(bytes) : output.data;
}

void* Context::placeOf(int32_t index, int64_t bytes) {
    Output& output = outputs_[static_cast<size_t>(index)];
    if (!output.bound)
        return output.own.reserve(bytes);
    if (bytes <= output.boundBytes)
        return output.bound;
    tooSmall_ = index;
    neededBytes_ = bytes;
    return nullptr;
}

void* Context::pushOutsideRegion(const lathe_exec* exec, int64_t bytes) {
    if (exec->inRegion)
        return nullptr; // the arena belongs to the entry's thread
    return arena_.push(bytes);
}

void* Context::keep(const lathe_exec* exec, int32_t place, int64_t bytes) {
    if (exec->inRegion || place < 0 || place >= limits::keptPlaces)
        return nullptr;
    try {
        while (kept_.size() <= static_cast<size_t>(place))
            kept_.emplace_back(memory_);
    } catch (const std::bad_alloc&) {
        memory_.noteRefused(bytes);
        return nullptr;
    }
    return kept_[static_cast<size_t>(place)].grow(bytes);
}

void Context::noteFailure(int32_t call, int32_t status) {
    if (!failure_.noted)
        failure_ = {true, call, status};
}

} // namespace lathe::runtime
