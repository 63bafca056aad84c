// SPDX-License-Identifier: Apache-2.0
//
// posix_spawnp, two socket pairs, poll.
#include "base/child_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace lathe {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds cancellationPeriod{20};

std::string signalName(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

void closeIfOpen(int descriptor) {
    if (descriptor >= 0)
        close(descriptor);
}

pid_t waitFor(pid_t pid, int* status, int flags) {
    pid_t result = 0;
    do
        result = waitpid(pid, status, flags);
    while (result < 0 && errno == EINTR);
    return result;
}

} // namespace

std::filesystem::path programBeside(const char* name, const char* variable) {
    if (const char* given = std::getenv(variable); given && *given)
        return given;
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / name;
}

Result<void> ChildProcess::start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                 Errors errors) {
    kill();
    exitCode_ = signal_ = std::nullopt;
    errors_.reset();
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out) != 0) {
        const int problem = errno;
        for (const int end : in)
            closeIfOpen(end);
        return failure(fmt::format("cannot make a socket for {}: {}", program.string(), std::strerror(problem)));
    }
    if (errors == Errors::Kept)
        errors_ = std::shared_ptr<const int>(new int(memfd_create("lathe-errors", MFD_CLOEXEC)), [](const int* file) {
            closeIfOpen(*file);
            delete file;
        });
    // dup2 in the child makes copies without close-on-exec; signals get the state that a fresh process has.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (errors_ && *errors_ >= 0)
        posix_spawn_file_actions_adddup2(&actions, *errors_, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::string name = program.string();
    std::vector<std::string> words = arguments;
    std::vector<char*> argv = {name.data()};
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const int problem = posix_spawnp(&pid_, name.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(in[1]);
    close(out[1]);
    if (problem != 0) {
        close(in[0]);
        close(out[0]);
        pid_ = -1;
        return failure(fmt::format("cannot start {}: {}", name, std::strerror(problem)));
    }
    toChild_ = in[0];
    fromChild_ = out[0];
    for (const int stream : {toChild_, fromChild_})
        fcntl(stream, F_SETFL, fcntl(stream, F_GETFL) | O_NONBLOCK);
    return {};
}

std::string ChildProcess::errors() const {
    constexpr off_t most = 4096;
    struct stat status{};
    if (!errors_ || fstat(*errors_, &status) != 0)
        return "";
    std::string text(static_cast<size_t>(std::min(status.st_size, most)), '\0');
    const ssize_t got = pread(*errors_, text.data(), text.size(), status.st_size - static_cast<off_t>(text.size()));
    text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

ChildProcess::Io ChildProcess::await(int stream, short events, Deadline deadline) const {
    for (;;) {
        if (cancelled_ && cancelled_())
            return Io::Cancelled;
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
        if (left.count() <= 0)
            return Io::TimedOut;
        constexpr milliseconds longest = std::chrono::hours(1); // poll takes an int
        pollfd poll{stream, events, 0};
        const auto wait = std::min(left, cancelled_ ? cancellationPeriod : longest);
        const int ready = ::poll(&poll, 1, static_cast<int>(wait.count()));
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return Io::Done; // if something is wrong, the read or write that follows says what
    }
}

ChildProcess::Io ChildProcess::write(std::span<const std::byte> bytes, Deadline deadline) {
    while (!bytes.empty()) {
        const ssize_t put = send(toChild_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put > 0)
            bytes = bytes.subspan(static_cast<size_t>(put));
        else if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (const Io io = await(toChild_, POLLOUT, deadline); io != Io::Done)
                return io;
        } else if (errno != EINTR)
            return Io::Closed;
    }
    return Io::Done;
}

ChildProcess::Io ChildProcess::read(std::span<std::byte> bytes, Deadline deadline) {
    while (!bytes.empty()) {
        const ssize_t got = recv(fromChild_, bytes.data(), bytes.size(), 0);
        if (got > 0)
            bytes = bytes.subspan(static_cast<size_t>(got));
        else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (const Io io = await(fromChild_, POLLIN, deadline); io != Io::Done)
                return io;
        } else if (got == 0 || errno != EINTR)
            return Io::Closed;
    }
    return Io::Done;
}

ChildProcess::Io ChildProcess::writeMessage(std::string_view text, Deadline deadline) {
    const uint64_t length = text.size();
    if (const Io io = write(std::as_bytes(std::span(&length, 1)), deadline); io != Io::Done)
        return io;
    return write(std::as_bytes(std::span(text)), deadline);
}

ChildProcess::Io ChildProcess::readMessage(std::string& text, size_t limit, Deadline deadline) {
    uint64_t length = 0;
    if (const Io io = read(std::as_writable_bytes(std::span(&length, 1)), deadline); io != Io::Done)
        return io;
    if (length > limit)
        return Io::Closed;
    text.resize(length);
    return read(std::as_writable_bytes(std::span(text)), deadline);
}

ChildProcess::Io ChildProcess::readLine(std::string& line, size_t limit, Deadline deadline) {
    line.clear();
    for (;;) {
        char next = 0;
        if (const Io io = read(std::as_writable_bytes(std::span(&next, 1)), deadline); io != Io::Done)
            return io;
        if (next == '\n')
            return Io::Done;
        if (line.size() == limit)
            return Io::Closed;
        line += next;
    }
}

void ChildProcess::endInput() {
    shutdown(toChild_, SHUT_WR);
}

ChildProcess::Io ChildProcess::readToEnd(std::string& text, size_t limit, Deadline deadline) {
    text.clear();
    constexpr size_t piece = 64 << 10;
    for (;;) {
        const size_t before = text.size();
        text.resize(before + piece);
        const ssize_t got = recv(fromChild_, text.data() + before, piece, 0);
        text.resize(before + size_t(std::max<ssize_t>(got, 0)));
        if (got == 0)
            return Io::Done;
        if (text.size() > limit)
            return Io::Closed;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (const Io io = await(fromChild_, POLLIN, deadline); io != Io::Done)
                return io;
        } else if (got < 0 && errno != EINTR)
            return Io::Closed;
    }
}

void ChildProcess::kill() {
    closeStreams();
    if (pid_ <= 0)
        return;
    ::kill(pid_, SIGKILL);
    waitFor(pid_, nullptr, 0);
    pid_ = -1;
}

std::string ChildProcess::reap() {
    closeStreams();
    if (pid_ <= 0)
        return "was not running";
    // It closed its stream, so it is about to end; but a kernel may have closed it and go on.
    int status = 0;
    pid_t ended = 0;
    for (const auto deadline = Clock::now() + milliseconds(2000); ended == 0 && Clock::now() < deadline;) {
        ended = waitFor(pid_, &status, WNOHANG);
        if (ended == 0)
            std::this_thread::sleep_for(milliseconds(1));
    }
    if (ended == 0) {
        kill();
        return "closed its connection";
    }
    pid_ = -1;
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        signal_ = signal;
        // No program sends itself these: the system does, when memory runs out, or a person.
        const bool fromOutside = signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
        return fmt::format("{} {}", fromOutside ? "was ended from outside by" : "crashed with", signalName(signal));
    }
    exitCode_ = WEXITSTATUS(status);
    return fmt::format("ended with exit code {}", *exitCode_);
}

void ChildProcess::closeStreams() {
    for (int* stream : {&toChild_, &fromChild_}) {
        closeIfOpen(*stream);
        *stream = -1;
    }
}

} // namespace lathe
