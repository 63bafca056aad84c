// SPDX-License-Identifier: Apache-2.0
//
// What only a client on another machine asks for: its artifacts are sent and kept here, its turn at measuring is taken
// among others' (lease.h), and a deadline ends a server that nobody hears any more.
#include "runtime/runner/server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lathe::runtime::runner {

using namespace protocol;

Server::Answer Server::handleRemote(Kind kind, Reader& reader, Writer& reply) {
    switch (kind) {
    case Kind::Deadline:
        return deadline(reader);
    case Kind::Put:
        return put(reader, reply);
    case Kind::LoadPut:
        return loadPut(reader, reply);
    case Kind::Lease:
        return lease(reader, reply);
    default:
        return release(reader);
    }
}

Server::Answer Server::put(Reader& reader, Writer& reply) {
    const std::string name = reader.string();
    const auto total = reader.number<uint64_t>();
    const auto offset = reader.number<uint64_t>();
    const auto bytes = reader.raw(reader.number<uint32_t>());
    constexpr size_t longestName = 64;
    if (!reader.finished() || name.size() > longestName || total > limits::frameBytes || bytes.size() > putBytes)
        return Answer::Malformed;
    if (!bytes.empty())
        if (const int error = remote_->store().put(name, total, offset, bytes))
            return fail(error == ENOMEM ? LATHE_OUT_OF_MEMORY : LATHE_IO_ERROR,
                        "the artifact of " + std::to_string(total) + " bytes cannot be kept in " + remote_->folder() +
                            ": " + std::strerror(error));
    reply.number(remote_->store().held(name));
    return Answer::Ok;
}

Server::Answer Server::loadPut(Reader& reader, Writer& reply) {
    const std::string name = reader.string();
    if (!reader.finished())
        return Answer::Malformed;
    const std::string path = remote_->store().path(name);
    if (path.empty())
        return fail(LATHE_IO_ERROR, "the artifact was not sent");
    Answer answer = Answer::Ok;
    if (const lathe_status bad = lathe_model_verify(path.c_str())) // it came a long way
        answer = fail(bad, lathe_thread_error());
    else
        answer = loadFrom(path, reply);
    if (const size_t at = errorMessage_.find(path); answer == Answer::Failed && at != std::string::npos)
        errorMessage_.replace(at, path.size(), "the artifact"); // that number tells nobody anything
    return answer;
}

Server::Answer Server::lease(Reader& reader, Writer& reply) {
    const std::string who = reader.string();
    constexpr size_t longestName = 200;
    if (!reader.finished() || who.empty() || who.size() > longestName)
        return Answer::Malformed;
    reply.string(remote_->lease().take(who));
    return Answer::Ok;
}

Server::Answer Server::release(Reader& reader) {
    if (!reader.finished())
        return Answer::Malformed;
    remote_->lease().release();
    return Answer::Ok;
}

Server::Answer Server::deadline(Reader& reader) {
    const auto milliseconds = reader.number<uint64_t>();
    constexpr uint64_t longest = uint64_t{366} * 24 * 3600 * 1000;
    if (!reader.finished())
        return Answer::Malformed;
    remote_->setDeadline(std::min(milliseconds, longest));
    return Answer::Ok;
}

} // namespace lathe::runtime::runner
