// SPDX-License-Identifier: Apache-2.0
//
// States that a client gives and asks for: what a stream went on from is kept by whoever runs it.
#include "runtime/runner/server.h"

#include "runtime/runner/tensor_fields.h"

#include <algorithm>

namespace lathe::runtime::runner {

using namespace protocol;

Server::Answer Server::setState(Reader& reader) {
    const std::string name = reader.string();
    DLTensor tensor{};
    tensor.device = {kDLCPU, 0};
    tensor.dtype = readType(reader);
    const auto rank = reader.number<uint32_t>();
    if (!reader.good() || rank > LATHE_MAX_RANK)
        return Answer::Malformed;
    int64_t dims[LATHE_MAX_RANK] = {};
    for (uint32_t axis = 0; axis < rank; ++axis)
        dims[axis] = reader.number<int64_t>();
    tensor.ndim = static_cast<int32_t>(rank);
    tensor.shape = dims;
    const auto bytes = reader.number<uint64_t>();
    const auto data = reader.raw(bytes);
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    const int32_t index = lathe_model_find_state(model_.get(), name.c_str());
    if (index < 0)
        return fail(LATHE_INVALID_ARGUMENT, "the model has no state '" + name + "'");
    const bool negative = std::any_of(dims, dims + rank, [](int64_t dim) { return dim < 0; });
    if (negative || bytesOf(tensor) != static_cast<int64_t>(bytes))
        return fail(LATHE_MISMATCH, "state '" + name + "': dims and bytes of the tensor contradict each other");
    tensor.data = const_cast<std::byte*>(data.data());
    const lathe_status bad = lathe_set_state(context_.get(), index, &tensor);
    return bad ? failContext(bad) : Answer::Ok;
}

Server::Answer Server::state(Reader& reader, Writer& reply) {
    const auto index = reader.number<int32_t>();
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    DLTensor tensor{};
    if (const lathe_status bad = lathe_get_state(context_.get(), index, &tensor))
        return failContext(bad);
    writeType(reply, tensor.dtype);
    reply.number(static_cast<uint32_t>(tensor.ndim));
    reply.raw(tensor.shape, static_cast<size_t>(tensor.ndim) * sizeof(int64_t));
    const int64_t bytes = bytesOf(tensor);
    if (bytes < 0 || static_cast<uint64_t>(bytes) > limits::frameBytes - reply.bytes().size() - sizeof(uint64_t))
        return fail(LATHE_OUT_OF_MEMORY,
                    "state " + std::to_string(index) + " is larger than what lathe-runner can send");
    reply.number(static_cast<uint64_t>(bytes));
    replyData_ = {static_cast<const std::byte*>(tensor.data), static_cast<size_t>(bytes)};
    return Answer::Ok;
}

} // namespace lathe::runtime::runner
