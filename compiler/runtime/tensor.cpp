// SPDX-License-Identifier: Apache-2.0
//
// Checks and copies of DLTensors.
#include "runtime/tensor.h"

#include "runtime/dtype.h"
#include "runtime/limits.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace lathe::runtime {

bool sizeOf(const int64_t* dims, int32_t rank, int64_t elementBytes, int64_t& bytes) {
    bool empty = false;
    int64_t elements = 1;
    for (int32_t axis = 0; axis < rank; ++axis) {
        const int64_t dim = dims[axis];
        if (dim < 0 || dim > limits::tensorElements / elements)
            return false;
        empty |= dim == 0;
        elements *= std::max<int64_t>(dim, 1);
    }
    bytes = empty ? 0 : elements * elementBytes;
    return true;
}

DimsText textOf(const int64_t* dims, int32_t rank) {
    DimsText result{};
    size_t used = 0;
    for (int32_t axis = 0; axis < rank && used < sizeof result.text; ++axis)
        used += static_cast<size_t>(std::snprintf(result.text + used, sizeof result.text - used, "%s%lld",
                                                  axis > 0 ? " x " : "", static_cast<long long>(dims[axis])));
    return result;
}

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
        return error.set(LATHE_INVALID_ARGUMENT,
                         "%s '%s': a dim of the tensor is negative, or its dims (%s) make more than %lld elements",
                         kind, value.name, textOf(tensor->shape, tensor->ndim).text,
                         static_cast<long long>(limits::tensorElements));
    if (bytes > 0 && !tensor->data)
        return error.set(LATHE_INVALID_ARGUMENT, "%s '%s': the tensor has no data", kind, value.name);
    for (int32_t axis = 0; axis < value.rank; ++axis)
        if (value.dims[axis] >= 0 && value.dims[axis] != tensor->shape[axis])
            return error.set(LATHE_MISMATCH, "%s '%s': dim %d is %lld in the model, but %lld in the tensor", kind,
                             value.name, axis, static_cast<long long>(value.dims[axis]),
                             static_cast<long long>(tensor->shape[axis]));
    return LATHE_OK;
}

void setStrides(int32_t rank, const int64_t* dims, int64_t* strides) {
    int64_t stride = 1;
    for (int32_t axis = rank - 1; axis >= 0; --axis) {
        strides[axis] = stride;
        stride *= std::max<int64_t>(dims[axis], 1);
    }
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
