// SPDX-License-Identifier: Apache-2.0
//
// Serves the protocol of protocol.h: holds the loaded model and its context.
#pragma once

#include "runtime/lathe_rt.h"
#include "runtime/runner/guarded_memory.h"
#include "runtime/runner/protocol.h"
#include "runtime/runner/remote.h"

#include <memory>
#include <optional>
#include <sched.h>
#include <string>
#include <vector>

namespace lathe::runtime::runner {

struct FreeModel {
    void operator()(lathe_model* model) const { lathe_model_free(model); }
};
struct FreeContext {
    void operator()(lathe_context* context) const { lathe_context_free(context); }
};

class Server {
public:
    /// remote: for a client on another machine, or null.
    Server(int in, int out, Remote* remote = nullptr);
    /// Serves until the stream ends; the exit code of the program.
    int serve();

private:
    using Reader = protocol::Reader;
    using Writer = protocol::Writer;

    /// What a handler gives. Malformed: the payload was not what the kind asks for.
    enum class Answer { Ok, Failed, Malformed };

    Answer handle(protocol::Kind kind, Reader& reader, Writer& reply);
    Answer handleRemote(protocol::Kind kind, Reader& reader, Writer& reply);
    Answer ping(Reader& reader, Writer& reply);
    Answer load(Reader& reader, Writer& reply);
    Answer loadPut(Reader& reader, Writer& reply);
    Answer loadFrom(const std::string& path, Writer& reply);
    Answer put(Reader& reader, Writer& reply);
    Answer facts(Reader& reader, Writer& reply) const;
    Answer lease(Reader& reader, Writer& reply);
    Answer release(Reader& reader);
    Answer deadline(Reader& reader);
    Answer bye(Reader& reader);
    bool write(protocol::Kind kind, const Writer& reply) const;
    Answer limits(Reader& reader);
    Answer seed(Reader& reader);
    Answer input(Reader& reader);
    Answer inputValue(Reader& reader);
    Answer resetStates(Reader& reader);
    Answer setState(Reader& reader);
    Answer state(Reader& reader, Writer& reply);
    Answer run(Reader& reader, Writer& reply);
    Answer output(Reader& reader, Writer& reply);
    Answer outputValue(Reader& reader, Writer& reply);
    Answer profile(Reader& reader);
    Answer readProfile(Reader& reader, Writer& reply);
    Answer count(Reader& reader, Writer& reply);
    Answer bench(Reader& reader, Writer& reply);
    Answer probe(Reader& reader, Writer& reply);

    Answer fail(lathe_status status, std::string message, std::string node = {});
    Answer failContext(lathe_status status);
    Answer sendTensor(Writer& reply, const DLTensor& tensor, const std::string& what);
    Answer createContext();
    lathe_status giveInput(int32_t index, DLTensor& tensor, size_t bytes);
    void checkBeside(const DLTensor& tensor) const;
    void checkBesideOutputs();
    void describeModel(Writer& reply) const;

    int in_, out_;
    Remote* remote_;
    bool done_ = false; // the client said so
    int32_t threads_ = 0;
    int64_t contextBytes_ = 0;
    std::optional<uint64_t> seed_;
    protocol::Guard guard_ = protocol::Guard::None;
    cpu_set_t cpus_{};         // that the process began with
    GuardedMemory memory_;     // outlives the context
    std::vector<void*> bound_; // there, by input
    std::unique_ptr<lathe_model, FreeModel> model_;
    std::unique_ptr<lathe_context, FreeContext> context_;
    lathe_status errorStatus_ = LATHE_OK;
    std::string errorNode_, errorMessage_;
    std::span<const std::byte> replyData_; // follows the reply: an output's elements, without a copy
};

} // namespace lathe::runtime::runner
