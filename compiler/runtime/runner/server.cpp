// SPDX-License-Identifier: Apache-2.0
//
// The loop of a server: a request in, what its handler says out. The handlers stand by what they are about: the model
// and what it runs within (server_model.cpp), runs (server_run.cpp), measuring (server_measure.cpp), and what only a
// client on another machine asks for (server_remote.cpp).
#include "runtime/runner/server.h"

#include "runtime/runner/facts.h"
#include "runtime/runner/stream.h"

#include <new>
#include <utility>

namespace lathe::runtime::runner {

using namespace protocol;

Server::Server(int in, int out, Remote* remote) : in_(in), out_(out), remote_(remote) {
    if (remote_)
        remote_->watch(in, out);
    sched_getaffinity(0, sizeof cpus_, &cpus_);
}

int Server::serve() {
    FrameHeader header;
    std::vector<std::byte> payload;
    for (;;) {
        try {
            switch (readFrame(in_, header, payload)) {
            case Got::End:
                return 0;
            case Got::Malformed:
                return exitMalformed;
            case Got::Frame:
                break;
            }
        } catch (const std::bad_alloc&) {
            return exitNoMemory; // the rest of the frame cannot be skipped: the stream is out of step
        }
        Writer reply;
        replyData_ = {};
        Reader reader(payload);
        Answer answer = Answer::Failed;
        if (remote_)
            remote_->begin();
        try {
            answer = handle(header.kind, reader, reply);
        } catch (const std::bad_alloc&) {
            answer = fail(LATHE_OUT_OF_MEMORY, "out of memory");
        }
        if (answer == Answer::Malformed)
            return exitMalformed;
        if (answer == Answer::Failed) {
            reply = {};
            replyData_ = {};
            reply.number(static_cast<uint32_t>(errorStatus_));
            reply.string(errorNode_);
            reply.string(errorMessage_);
        }
        if (remote_)
            remote_->end();
        if (!write(answer == Answer::Ok ? Kind::Ok : Kind::Error, reply) || done_)
            return 0;
    }
}

bool Server::write(Kind kind, const Writer& reply) const {
    std::unique_lock<std::mutex> lock;
    if (remote_)
        lock = std::unique_lock(remote_->output());
    return writeFrame(out_, kind, reply.bytes(), replyData_);
}

Server::Answer Server::handle(Kind kind, Reader& reader, Writer& reply) {
    switch (kind) {
    case Kind::Ping:
        return ping(reader, reply);
    case Kind::Load:
        return load(reader, reply);
    case Kind::Limits:
        return limits(reader);
    case Kind::Seed:
        return seed(reader);
    case Kind::Input:
        return input(reader);
    case Kind::InputValue:
        return inputValue(reader);
    case Kind::ResetStates:
        return resetStates(reader);
    case Kind::SetState:
        return setState(reader);
    case Kind::State:
        return state(reader, reply);
    case Kind::Run:
        return run(reader, reply);
    case Kind::Output:
        return output(reader, reply);
    case Kind::OutputValue:
        return outputValue(reader, reply);
    case Kind::Profile:
        return profile(reader);
    case Kind::ReadProfile:
        return readProfile(reader, reply);
    case Kind::Count:
        return count(reader, reply);
    case Kind::Bench:
        return bench(reader, reply);
    case Kind::Probe:
        return probe(reader, reply);
    case Kind::Facts:
        return facts(reader, reply);
    case Kind::Bye:
        return bye(reader);
    case Kind::Deadline:
    case Kind::Put:
    case Kind::LoadPut:
    case Kind::Lease:
    case Kind::Release:
        return remote_ ? handleRemote(kind, reader, reply)
                       : fail(LATHE_UNSUPPORTED, "this runner serves its own machine alone");
    case Kind::Ok:
    case Kind::Error:
    case Kind::Alive:
        break;
    }
    return Answer::Malformed;
}

Server::Answer Server::fail(lathe_status status, std::string message, std::string node) {
    errorStatus_ = status;
    errorMessage_ = std::move(message);
    errorNode_ = std::move(node);
    return Answer::Failed;
}

Server::Answer Server::failContext(lathe_status status) {
    return fail(status, lathe_last_error(context_.get()), lathe_last_error_node(context_.get()));
}

Server::Answer Server::ping(Reader& reader, Writer& reply) {
    if (!reader.finished())
        return Answer::Malformed;
    reply.number(protocolVersion);
    reply.string(lathe_version());
    return Answer::Ok;
}

Server::Answer Server::facts(Reader& reader, Writer& reply) const {
    if (!reader.finished())
        return Answer::Malformed;
    const auto all = runner::facts(remote_ ? remote_->folder() : "");
    reply.number(static_cast<uint32_t>(all.size()));
    for (const auto& [name, value] : all) {
        reply.string(name);
        reply.string(value);
    }
    return Answer::Ok;
}

Server::Answer Server::bye(Reader& reader) {
    if (!reader.finished())
        return Answer::Malformed;
    done_ = true;
    return Answer::Ok;
}

} // namespace lathe::runtime::runner
