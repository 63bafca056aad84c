// SPDX-License-Identifier: Apache-2.0
#include "base/parent_stream.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace lathe {
namespace {

/// Gives the messages a descriptor of their own; the standard one becomes what `replacement` is.
int takeOver(int standard, int replacement) {
    const int own = fcntl(standard, F_DUPFD_CLOEXEC, 3);
    dup2(replacement, standard);
    return own;
}

/// Ends this process when its parent is gone, even in the middle of its work: nobody is left to stop what hangs.
void endWithParent(int stream) {
    std::thread([stream] {
        pollfd poll{stream, 0, 0}; // POLLHUP comes unasked
        while (::poll(&poll, 1, -1) <= 0 || !(poll.revents & (POLLHUP | POLLERR | POLLNVAL)))
            ;
        _exit(1);
    }).detach();
}

template <class Transfer>
bool all(Transfer transfer, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t more = transfer(done, bytes - done);
        if (more > 0)
            done += static_cast<size_t>(more);
        else if (more == 0 || errno != EINTR)
            return false;
    }
    return true;
}

bool readAll(int descriptor, void* to, size_t bytes) {
    return all([&](size_t at, size_t left) { return ::read(descriptor, static_cast<char*>(to) + at, left); }, bytes);
}

bool writeAll(int descriptor, const void* from, size_t bytes) {
    return all([&](size_t at, size_t left) { return ::write(descriptor, static_cast<const char*>(from) + at, left); },
               bytes);
}

} // namespace

ParentStream::ParentStream() {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    in_ = takeOver(STDIN_FILENO, nothing);
    out_ = takeOver(STDOUT_FILENO, STDERR_FILENO);
    close(nothing);
    endWithParent(in_);
}

bool ParentStream::read(std::string& text, size_t limit) const {
    uint64_t length = 0;
    if (!readAll(in_, &length, sizeof length) || length > limit)
        return false;
    text.resize(length);
    return readAll(in_, text.data(), length);
}

bool ParentStream::write(std::string_view text) const {
    const uint64_t length = text.size();
    return writeAll(out_, &length, sizeof length) && writeAll(out_, text.data(), text.size());
}

} // namespace lathe
