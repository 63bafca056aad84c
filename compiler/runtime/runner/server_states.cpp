// SPDX-License-Identifier: Apache-2.0
//
// States that a client gives and asks for: what a stream went on from is kept by whoever runs it.
#include "runtime/runner/server.h"

#include "runtime/runner/tensor_fields.h"

namespace lathe::runtime::runner {

using namespace protocol;

Server::Answer Server::setState(Reader& reader) {
    const std::string name = reader.string();
    ReadTensor read;
    if (!read.read(reader) || !reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    const int32_t index = lathe_model_find_state(model_.get(), name.c_str());
    if (index < 0)
        return fail(LATHE_INVALID_ARGUMENT, "the model has no state '" + name + "'");
    if (!read.isWhole())
        return fail(LATHE_MISMATCH, "state '" + name + "': dims and bytes of the tensor contradict each other");
    const lathe_status bad = lathe_set_state(context_.get(), index, &read.tensor);
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
    return sendTensor(reply, tensor, "state " + std::to_string(index));
}

} // namespace lathe::runtime::runner
