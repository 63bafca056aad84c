// SPDX-License-Identifier: Apache-2.0
//
// Checks and copies of DLTensors.
#include "runtime/tensor.h"

#include "runtime/dtype.h"

#include <cstring>

namespace lathe::runtime {

namespace {

/// Bytes of a tensor of these dims; false if a dim is negative or the size does not fit.
bool sizeOf(const int64_t* dims, int32_t rank, int64_t elementBytes, int64_t& bytes) {
    bool empty = false;
    bytes = elementBytes;
    for (int32_t axis = 0; axis < rank; ++axis) {
        if (dims[axis] < 0)
            return false;
        empty |= dims[axis] == 0;
    }
    for (int32_t axis = 0; axis < rank && !empty; ++axis)
        if (__builtin_mul_overflow(bytes, dims[axis], &bytes))
            return false;
    if (empty)
        bytes = 0;
    return true;
}

} // namespace

lathe_status checkTensor(const lathe_value_desc& value, DLDataType type, const char* kind, const DLTensor* tensor,
                         int64_t& bytes, ErrorText& error) {
    if (!tensor)
        return error.set(LATHE_INVALID_ARGUMENT, "%s '%s': no tensor given", kind, value.name);
    const DLDeviceType device = tensor->device.device_type;
    if (device != kDLCPU && device != kDLCUDAHost && device != kDLROCMHost)
        return error.set(LATHE_INVALID_ARGUMENT, "%s '%s': the tensor is not in the host's memory", kind, value.name);
    if (!sameType(tensor->dtype, type))
        return error.set(LATHE_MISMATCH, "%s '%s' is %s, but the tensor is %s", kind, value.name, nameOf(type).text,
                         nameOf(tensor->dtype).text);
    if (tensor->ndim != value.rank || (tensor->ndim > 0 && !tensor->shape))
        return error.set(LATHE_MISMATCH, "%s '%s' has %d dims, but the tensor has %d", kind, value.name, value.rank,
                         tensor->ndim);
    if (!sizeOf(tensor->shape, tensor->ndim, elementBytes(type), bytes))
        return error.set(LATHE_INVALID_ARGUMENT, "%s '%s': a dim of the tensor is negative, or its size overflows",
                         kind, value.name);
    if (bytes > 0 && !tensor->data)
        return error.set(LATHE_INVALID_ARGUMENT, "%s '%s': the tensor has no data", kind, value.name);
    for (int32_t axis = 0; axis < value.rank; ++axis)
        if (value.dims[axis] >= 0 && value.dims[axis] != tensor->shape[axis])
            return error.set(LATHE_MISMATCH, "%s '%s': dim %d is %lld in the model, but %lld in the tensor", kind,
                             value.name, axis, static_cast<long long>(value.dims[axis]),
                             static_cast<long long>(tensor->shape[axis]));
    return LATHE_OK;
}

bool isCompact(const DLTensor& tensor) {
    if (!tensor.strides)
        return true;
    int64_t expected = 1;
    for (int32_t axis = tensor.ndim - 1; axis >= 0; --axis) {
        if (tensor.shape[axis] == 0)
            return true;
        if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected)
            return false;
        expected *= tensor.shape[axis];
    }
    return true;
}

const char* dataOf(const DLTensor& tensor) {
    return static_cast<const char*>(tensor.data) + tensor.byte_offset;
}

void copyCompact(const DLTensor& tensor, int64_t elementBytes, char* to) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < tensor.ndim; ++axis)
        count *= tensor.shape[axis];
    if (count == 0)
        return;
    const char* from = dataOf(tensor);
    if (isCompact(tensor)) {
        std::memcpy(to, from, static_cast<size_t>(count * elementBytes));
        return;
    }
    int64_t index[LATHE_MAX_RANK] = {};
    for (int64_t element = 0; element < count; ++element) {
        int64_t offset = 0;
        for (int32_t axis = 0; axis < tensor.ndim; ++axis)
            offset += index[axis] * tensor.strides[axis];
        std::memcpy(to + element * elementBytes, from + offset * elementBytes, static_cast<size_t>(elementBytes));
        for (int32_t axis = tensor.ndim - 1; axis >= 0 && ++index[axis] == tensor.shape[axis]; --axis)
            index[axis] = 0;
    }
}

} // namespace lathe::runtime
