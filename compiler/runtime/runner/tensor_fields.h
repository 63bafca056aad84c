// SPDX-License-Identifier: Apache-2.0
//
// How an element type stands in a frame, and how many bytes a tensor has, whatever dims a client names.
#pragma once

#include "abi/dlpack.h"
#include "runtime/runner/protocol.h"

#include <cstdint>

namespace lathe::runtime::runner {

inline void writeType(protocol::Writer& reply, DLDataType type) {
    reply.number(type.code);
    reply.number(type.bits);
}

inline DLDataType readType(protocol::Reader& reader) {
    const auto code = reader.number<uint8_t>();
    const auto bits = reader.number<uint8_t>();
    return {code, bits, 1};
}

/// -1 where that is more than can be counted.
inline int64_t bytesOf(const DLTensor& tensor) {
    int64_t bytes = (int64_t{tensor.dtype.bits} + 7) / 8;
    for (int32_t axis = 0; axis < tensor.ndim; ++axis)
        if (__builtin_mul_overflow(bytes, tensor.shape[axis], &bytes))
            return -1;
    return bytes;
}

} // namespace lathe::runtime::runner
