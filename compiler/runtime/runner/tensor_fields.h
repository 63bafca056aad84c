// SPDX-License-Identifier: Apache-2.0
//
// How a tensor stands in a frame: element type, rank, dims, bytes; and how many bytes it has, whatever dims a client names.
#pragma once

#include "abi/dlpack.h"
#include "runtime/runner/protocol.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lathe::runtime::runner {

inline void writeType(protocol::Writer& reply, DLDataType type) {
    reply.number(type.code);
    reply.number(type.bits);
}

/// -1 where that is more than can be counted.
inline int64_t bytesOf(const DLTensor& tensor) {
    int64_t bytes = (int64_t{tensor.dtype.bits} + 7) / 8;
    for (int32_t axis = 0; axis < tensor.ndim; ++axis)
        if (__builtin_mul_overflow(bytes, tensor.shape[axis], &bytes))
            return -1;
    return bytes;
}

/// A tensor that was read, which points to its dims here; its elements stay where the frame has them.
struct ReadTensor {
    ReadTensor() = default;
    ReadTensor(const ReadTensor&) = delete;
    ReadTensor& operator=(const ReadTensor&) = delete;

    /// False if it is malformed.
    bool read(protocol::Reader& reader);
    /// No dim is negative, and its bytes can be counted.
    bool hasSizes() const;
    /// The frame has as many bytes as the dims say.
    bool isWhole() const { return hasSizes() && bytesOf(tensor) == static_cast<int64_t>(data.size()); }

    DLTensor tensor{};
    std::vector<int64_t> dims;
    std::span<const std::byte> data;
};

/// All but the bytes.
void writeHead(protocol::Writer& reply, const DLTensor& tensor);

} // namespace lathe::runtime::runner
