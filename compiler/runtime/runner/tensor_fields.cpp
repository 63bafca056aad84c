// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/tensor_fields.h"

#include "runtime/lathe_rt.h"

#include <algorithm>

namespace lathe::runtime::runner {

bool ReadTensor::read(protocol::Reader& reader) {
    tensor.device = {kDLCPU, 0};
    const auto code = reader.number<uint8_t>();
    const auto bits = reader.number<uint8_t>();
    tensor.dtype = {code, bits, 1};
    const auto rank = reader.number<uint32_t>();
    if (!reader.good() || rank > LATHE_MAX_RANK)
        return false;
    dims.resize(rank);
    for (int64_t& dim : dims)
        dim = reader.number<int64_t>();
    tensor.ndim = static_cast<int32_t>(rank);
    tensor.shape = dims.data();
    data = reader.raw(reader.number<uint64_t>());
    tensor.data = const_cast<std::byte*>(data.data());
    return reader.good();
}

bool ReadTensor::hasSizes() const {
    return std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim >= 0; }) && bytesOf(tensor) >= 0;
}

void writeHead(protocol::Writer& reply, const DLTensor& tensor) {
    writeType(reply, tensor.dtype);
    reply.number(static_cast<uint32_t>(tensor.ndim));
    reply.raw(tensor.shape, static_cast<size_t>(tensor.ndim) * sizeof(int64_t));
}

} // namespace lathe::runtime::runner
