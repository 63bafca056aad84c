// SPDX-License-Identifier: Apache-2.0
//
// The memory of states, and what lies in it at first; what a context offers of them.
#include "runtime/context_states.h"

#include "runtime/context.h"
#include "runtime/dtype.h"
#include "runtime/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace lathe::runtime {

ContextStates::ContextStates(const Model& model, Memory& memory) : model_(model) {
    const lathe_model_desc& desc = model.desc();
    states_.reserve(static_cast<size_t>(desc.state_count));
    for (int32_t i = 0; i < desc.state_count; ++i) {
        const int32_t input = desc.input_count + i;
        const lathe_value_desc& value = model.inputDesc(input);
        State& state = states_.emplace_back(State{0, GrowingBuffer(memory), GrowingBuffer(memory)});
        sizeOf(value.dims, value.rank, elementBytes(model.inputTypes()[static_cast<size_t>(input)]), state.bytes);
        if (!state.first.reserve(state.bytes) || !state.second.reserve(state.bytes))
            throw std::bad_alloc();
    }
    reset();
}

void* ContextStates::memoryOf(int32_t index, bool second) const {
    const State& state = states_[static_cast<size_t>(index)];
    return const_cast<void*>(second ? state.second.data() : state.first.data());
}

void ContextStates::reset() {
    for (int32_t i = 0; i < count(); ++i) {
        const int32_t initial = model_.desc().states[i].initial;
        if (initial < 0)
            std::memset(now(i), 0, static_cast<size_t>(bytes(i)));
        else if (bytes(i) > 0)
            std::memcpy(now(i), model_.constant(initial), static_cast<size_t>(bytes(i)));
    }
}

void ContextStates::set(int32_t index, const DLTensor& tensor) {
    copyCompact(tensor, elementBytes(tensor.dtype), static_cast<char*>(now(index)));
}

int64_t ContextStates::memory() const {
    int64_t bytes = 0;
    for (const State& state : states_)
        bytes += state.first.capacity() + state.second.capacity();
    return bytes;
}

lathe_status Context::checkState(int32_t index) {
    errorNode_.clear();
    if (index < 0 || index >= states_.count())
        return error_.set(LATHE_INVALID_ARGUMENT, "the model has no state %d, it has %d states", index,
                          states_.count());
    return LATHE_OK;
}

lathe_status Context::setState(int32_t index, const DLTensor* tensor) {
    if (const lathe_status bad = checkState(index))
        return bad;
    const int32_t input = model_->desc().input_count + index;
    int64_t bytes = 0;
    if (const lathe_status bad = checkTensor(model_->inputDesc(input), model_->inputTypes()[static_cast<size_t>(input)],
                                             "state", tensor, bytes, error_))
        return bad;
    states_.set(index, *tensor);
    return LATHE_OK;
}

lathe_status Context::state(int32_t index, DLTensor* tensor) {
    if (const lathe_status bad = checkState(index))
        return bad;
    if (!tensor)
        return error_.set(LATHE_INVALID_ARGUMENT, "state '%s': no tensor given",
                          model_->desc().states[index].value.name);
    const auto input = static_cast<size_t>(model_->desc().input_count + index);
    *tensor = {};
    tensor->data = states_.now(index);
    tensor->device = {kDLCPU, 0};
    tensor->ndim = model_->desc().states[index].value.rank;
    tensor->dtype = model_->inputTypes()[input];
    tensor->shape = inputs_[input].dims;
    tensor->strides = outputs_[static_cast<size_t>(model_->desc().output_count + index)].strides;
    return LATHE_OK;
}

void Context::resetStates() {
    states_.reset();
}

/// What does not change from run to run: their dims.
void Context::describeStates() {
    const lathe_model_desc& desc = model_->desc();
    for (int32_t i = 0; i < desc.state_count; ++i) {
        const lathe_value_desc& value = desc.states[i].value;
        Input& input = inputs_[static_cast<size_t>(desc.input_count + i)];
        std::copy_n(value.dims, value.rank, input.dims);
        input.bytes = states_.bytes(i);
        outputs_[static_cast<size_t>(desc.output_count + i)].boundBytes = states_.bytes(i);
        setStrides(value.rank, input.dims, outputs_[static_cast<size_t>(desc.output_count + i)].strides);
    }
}

void Context::bindStates() {
    const lathe_model_desc& desc = model_->desc();
    for (int32_t i = 0; i < desc.state_count; ++i) {
        inputs_[static_cast<size_t>(desc.input_count + i)].data = states_.now(i);
        outputs_[static_cast<size_t>(desc.output_count + i)].bound = states_.next(i);
    }
}

} // namespace lathe::runtime
