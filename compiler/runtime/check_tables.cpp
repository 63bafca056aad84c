// SPDX-License-Identifier: Apache-2.0
//
// The tables of an artifact, checked: an artifact of another version or a damaged one is refused here.
#include "runtime/dtype.h"
#include "runtime/forms.h"
#include "runtime/model.h"
#include "runtime/tensor.h"

#include <cstdint>

namespace lathe::runtime {

namespace {

constexpr int64_t constantsAlignment = 64;

/// A table of `count` rows must be there if it has rows.
bool tableThere(int32_t count, const void* table) {
    return count == 0 || (count > 0 && table);
}

/// A composed value's dims are numbers, or each element's own.
lathe_status checkForm(const lathe_value_desc& value, const char* kind, ErrorText& error) {
    if (!isComposed(value))
        return LATHE_OK;
    for (int32_t i = 0; value.form[i]; ++i)
        if ((value.form[i] != 'l' && value.form[i] != 'o') || i == LATHE_MAX_FORM)
            return error.set(LATHE_BAD_ARTIFACT, "%s '%s' has an unknown form", kind, value.name);
    for (int32_t axis = 0; axis < value.rank && value.dims && axis < LATHE_MAX_RANK; ++axis)
        if (value.dims[axis] < 0 && value.dims[axis] != INT64_MIN)
            return error.set(LATHE_BAD_ARTIFACT, "%s '%s': dim %d of its elements is no size", kind, value.name, axis);
    return LATHE_OK;
}

lathe_status checkValue(const lathe_model_desc& desc, const lathe_value_desc& value, const char* kind, int32_t index,
                        ErrorText& error) {
    if (!value.name)
        return error.set(LATHE_BAD_ARTIFACT, "%s %d has no name", kind, index);
    if (const lathe_status bad = checkForm(value, kind, error))
        return bad;
    if (isComposed(value) && value.type_code == static_cast<int32_t>(TypeCode::String))
        return error.set(LATHE_UNSUPPORTED, "%s '%s' is a list of strings, which this runtime does not hand over", kind,
                         value.name);
    if (isComposed(value) && value.rank == -1)
        return LATHE_OK;
    DLDataType type;
    if (!toDlpack(value.type_code, value.bits, type))
        return error.set(LATHE_BAD_ARTIFACT, "%s '%s' has the unknown type %d of %d bits", kind, value.name,
                         value.type_code, value.bits);
    if (value.rank < 0 || value.rank > LATHE_MAX_RANK || !tableThere(value.rank, value.dims))
        return error.set(LATHE_BAD_ARTIFACT, "%s '%s' has rank %d", kind, value.name, value.rank);
    for (int32_t axis = 0; axis < value.rank; ++axis) {
        const int64_t dim = value.dims[axis];
        if (dim < 0 && dim != INT64_MIN && -(dim + 1) >= desc.symbol_count)
            return error.set(LATHE_BAD_ARTIFACT, "%s '%s': dim %d names a symbol that does not exist", kind, value.name,
                             axis);
    }
    return LATHE_OK;
}

lathe_status checkConstants(const lathe_model_desc& desc, int64_t bytes, ErrorText& error) {
    for (int32_t i = 0; i < desc.constant_count; ++i) {
        const lathe_constant_desc& constant = desc.constants[i];
        if (constant.offset < 0 || constant.offset % constantsAlignment != 0 || constant.bytes < 0 ||
            constant.offset > bytes || constant.bytes > bytes - constant.offset || constant.strings < 0 ||
            constant.strings > constant.bytes / static_cast<int64_t>(sizeof(uint64_t)))
            return error.set(LATHE_BAD_ARTIFACT,
                             "constant %d (%lld bytes at %lld) does not lie in the %lld bytes of constants", i,
                             static_cast<long long>(constant.bytes), static_cast<long long>(constant.offset),
                             static_cast<long long>(bytes));
    }
    return LATHE_OK;
}

lathe_status checkStates(const lathe_model_desc& desc, ErrorText& error) {
    if (!tableThere(desc.state_count, desc.states) || desc.state_count > INT32_MAX - desc.input_count ||
        desc.state_count > INT32_MAX - desc.output_count)
        return error.set(LATHE_BAD_ARTIFACT, "its table of states is missing");
    for (int32_t i = 0; i < desc.state_count; ++i) {
        const lathe_state_desc& state = desc.states[i];
        if (const lathe_status bad = checkValue(desc, state.value, "state", i, error))
            return bad;
        if (isComposed(state.value))
            return error.set(LATHE_BAD_ARTIFACT, "state '%s' is no tensor", state.value.name);
        if (state.value.type_code == static_cast<int32_t>(TypeCode::String))
            return error.set(LATHE_UNSUPPORTED, "state '%s' is a tensor of strings, which this runtime does not keep",
                             state.value.name);
        DLDataType type;
        int64_t bytes = 0;
        if (!toDlpack(state.value.type_code, state.value.bits, type) ||
            !sizeOf(state.value.dims, state.value.rank, elementBytes(type), bytes))
            return error.set(LATHE_BAD_ARTIFACT, "state '%s' has no size", state.value.name);
        if (state.initial < -1 || state.initial >= desc.constant_count)
            return error.set(LATHE_BAD_ARTIFACT, "state '%s' begins as constant %d, which does not exist",
                             state.value.name, state.initial);
        if (state.initial >= 0 && desc.constants[state.initial].bytes != bytes)
            return error.set(LATHE_BAD_ARTIFACT, "state '%s' has %lld bytes, but begins as a constant of %lld",
                             state.value.name, static_cast<long long>(bytes),
                             static_cast<long long>(desc.constants[state.initial].bytes));
    }
    return LATHE_OK;
}

lathe_status checkCalls(const lathe_model_desc& desc, ErrorText& error) {
    for (int32_t i = 0; i < desc.kernel_count; ++i)
        if (!desc.kernels[i].name || !tableThere(desc.kernels[i].check_count, desc.kernels[i].checks))
            return error.set(LATHE_BAD_ARTIFACT, "kernel %d lacks its name or its checks", i);
    for (int32_t i = 0; i < desc.call_count; ++i) {
        const lathe_call_desc& call = desc.calls[i];
        if (!call.function || call.kernel < 0 || call.kernel >= desc.kernel_count ||
            !tableThere(call.origin_count, call.nodes))
            return error.set(LATHE_BAD_ARTIFACT, "call %d lacks its function's name, its kernel or its nodes", i);
    }
    return LATHE_OK;
}

} // namespace

lathe_status checkTables(const lathe_model_desc& desc, int64_t constantBytes, ErrorText& error) {
    if (desc.abi_version != LATHE_ABI_VERSION)
        return error.set(LATHE_BAD_ARTIFACT, "it is of ABI version %u, this runtime of %d: compile the model again",
                         desc.abi_version, LATHE_ABI_VERSION);
    if (!desc.entry)
        return error.set(LATHE_BAD_ARTIFACT, "it has no entry");
    if (!tableThere(desc.input_count, desc.inputs) || !tableThere(desc.output_count, desc.outputs) ||
        !tableThere(desc.symbol_count, desc.symbols) || !tableThere(desc.constant_count, desc.constants) ||
        !tableThere(desc.kernel_count, desc.kernels) || !tableThere(desc.call_count, desc.calls) ||
        !tableThere(desc.entry_check_count, desc.entry_checks) || !tableThere(desc.entry_node_count, desc.entry_nodes))
        return error.set(LATHE_BAD_ARTIFACT, "one of its tables is missing");
    for (int32_t i = 0; i < desc.input_count; ++i)
        if (const lathe_status bad = checkValue(desc, desc.inputs[i], "input", i, error))
            return bad;
    for (int32_t i = 0; i < desc.output_count; ++i)
        if (const lathe_status bad = checkValue(desc, desc.outputs[i], "output", i, error))
            return bad;
    for (int32_t i = 0; i < desc.symbol_count; ++i)
        if (!desc.symbols[i])
            return error.set(LATHE_BAD_ARTIFACT, "symbol %d has no name", i);
    if (const lathe_status bad = checkConstants(desc, constantBytes, error))
        return bad;
    if (const lathe_status bad = checkStates(desc, error))
        return bad;
    return checkCalls(desc, error);
}

} // namespace lathe::runtime
