// SPDX-License-Identifier: Apache-2.0
//
// Takes inputs, runs the model, gives outputs. Under a guard an input lies in pages of its own, and what was written
// beside an output ends the process.
#include "runtime/runner/server.h"

#include "runtime/dtype.h"
#include "runtime/peak_resident.h"
#include "runtime/runner/bench.h"
#include "runtime/runner/tensor_fields.h"
#include "runtime/runner/value_fields.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <unistd.h>
#include <utility>

namespace lathe::runtime::runner {

using namespace protocol;

namespace {

constexpr size_t boundAlignment = 64; // what bound inputs need

} // namespace

Server::Answer Server::input(Reader& reader) {
    const std::string name = reader.string();
    ReadTensor read;
    if (!read.read(reader) || !reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    const int32_t index = lathe_model_find_input(model_.get(), name.c_str());
    if (index < 0)
        return fail(LATHE_INVALID_ARGUMENT, "the model has no input '" + name + "'");
    DLTensor& tensor = read.tensor;
    const bool strings = isString(tensor.dtype);
    std::vector<lathe_string> texts;
    if (!(strings ? read.hasSizes() && readStrings(read.data, tensor, texts) : read.isWhole()))
        return fail(LATHE_MISMATCH, "input '" + name + "': dims and bytes of the tensor contradict each other");
    if (strings) { // copied, under a guard too: no kernel is given their bytes
        tensor.data = texts.data();
        const lathe_status bad = lathe_set_input(context_.get(), index, &tensor);
        return bad ? failContext(bad) : Answer::Ok;
    }
    const lathe_status bad = giveInput(index, tensor, read.data.size());
    return bad ? failContext(bad) : Answer::Ok;
}

/// Under a guard in pages of its own, which nobody may write from then on.
lathe_status Server::giveInput(int32_t index, DLTensor& tensor, size_t bytes) {
    if (guard_ == Guard::None)
        return lathe_set_input(context_.get(), index, &tensor);
    void* const own = memory_.allocate(bytes, boundAlignment);
    if (!own)
        throw std::bad_alloc();
    std::memcpy(own, tensor.data, bytes);
    memory_.protect(own);
    tensor.data = own;
    const lathe_status bad = lathe_bind_input(context_.get(), index, &tensor);
    if (bad) {
        memory_.release(own);
        return bad;
    }
    bound_.resize(std::max(bound_.size(), static_cast<size_t>(index) + 1));
    memory_.release(std::exchange(bound_[static_cast<size_t>(index)], own));
    return bad;
}

/// An output's pages are longer than it is, and a state's: what was written there was written by a kernel that goes too far.
void Server::checkBesideOutputs() {
    if (guard_ == Guard::None)
        return;
    DLTensor tensor{};
    for (int32_t i = 0; i < lathe_model_output_count(model_.get()); ++i)
        if (lathe_get_output(context_.get(), i, &tensor) == LATHE_OK) // of lists nothing lies in pages of its own
            checkBeside(tensor);
    for (int32_t i = 0; lathe_get_state(context_.get(), i, &tensor) == LATHE_OK; ++i)
        checkBeside(tensor);
}

void Server::checkBeside(const DLTensor& tensor) const {
    if (!memory_.isIntactBeside(tensor.data, static_cast<size_t>(bytesOf(tensor))))
        _exit(exitOutside);
}

Server::Answer Server::inputValue(Reader& reader) {
    const std::string name = reader.string();
    ReadValue read;
    lathe_value value{};
    if (!read.read(reader, value) || !reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    const int32_t index = lathe_model_find_input(model_.get(), name.c_str());
    if (index < 0)
        return fail(LATHE_INVALID_ARGUMENT, "the model has no input '" + name + "'");
    const lathe_status bad = lathe_set_input_value(context_.get(), index, &value);
    return bad ? failContext(bad) : Answer::Ok;
}

Server::Answer Server::outputValue(Reader& reader, Writer& reply) {
    const auto index = reader.number<int32_t>();
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    lathe_value value{};
    if (const lathe_status bad = lathe_get_output_value(context_.get(), index, &value))
        return failContext(bad);
    if (writtenBytes(value) > limits::frameBytes)
        return fail(LATHE_OUT_OF_MEMORY,
                    "output " + std::to_string(index) + " is larger than what lathe-runner can send");
    writeValue(reply, value);
    return Answer::Ok;
}

Server::Answer Server::resetStates(Reader& reader) {
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    const lathe_status bad = lathe_reset_states(context_.get());
    return bad ? failContext(bad) : Answer::Ok;
}

Server::Answer Server::run(Reader& reader, Writer& reply) {
    const auto times = reader.number<uint32_t>();
    if (!reader.finished() || times > limits::runsAtOnce)
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    std::vector<int64_t> samples(times);
    for (int64_t& sample : samples) {
        const int64_t begin = now();
        const lathe_status bad = lathe_run(context_.get());
        sample = now() - begin;
        if (bad)
            return failContext(bad);
    }
    checkBesideOutputs();
    reply.number(times);
    reply.raw(samples.data(), samples.size() * sizeof(int64_t));
    lathe_memory_info memory{};
    lathe_memory(context_.get(), &memory);
    reply.number(memory.arena_peak);
    reply.number(memory.arena_reserved);
    reply.number(memory.outputs);
    reply.number(memory.inputs);
    reply.number(peakResident());
    return Answer::Ok;
}

Server::Answer Server::output(Reader& reader, Writer& reply) {
    const auto index = reader.number<int32_t>();
    if (!reader.finished())
        return Answer::Malformed;
    if (!context_)
        return fail(LATHE_INVALID_ARGUMENT, "no model is loaded");
    DLTensor tensor{};
    if (const lathe_status bad = lathe_get_output(context_.get(), index, &tensor))
        return failContext(bad);
    return sendTensor(reply, tensor, "output " + std::to_string(index));
}

Server::Answer Server::sendTensor(Writer& reply, const DLTensor& tensor, const std::string& what) {
    writeHead(reply, tensor);
    std::vector<std::byte> strings;
    if (isString(tensor.dtype))
        strings = packedStrings(tensor);
    const int64_t bytes = isString(tensor.dtype) ? static_cast<int64_t>(strings.size()) : bytesOf(tensor);
    if (bytes < 0 || static_cast<uint64_t>(bytes) > limits::frameBytes - reply.bytes().size() - sizeof(uint64_t))
        return fail(LATHE_OUT_OF_MEMORY, what + " is larger than what lathe-runner can send");
    reply.number(static_cast<uint64_t>(bytes));
    if (isString(tensor.dtype))
        reply.raw(strings.data(), strings.size());
    else
        replyData_ = {static_cast<const std::byte*>(tensor.data), static_cast<size_t>(bytes)};
    return Answer::Ok;
}

} // namespace lathe::runtime::runner
