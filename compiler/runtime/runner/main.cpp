// SPDX-License-Identifier: Apache-2.0
//
// lathe-runner: runs compiled models in a process of its own, so that a bad kernel ends nobody else. It serves the
// protocol of protocol.h on its standard streams, and makes sure that nothing but the protocol reaches them.
//
//   lathe-runner                                for the program that started it
//   lathe-runner --remote FOLDER [CPUS]         for a client on another machine: FOLDER is a private one with this program in
//                                               it, and is removed; CPUS is a list of those to use, such as 0-3,6
#include "runtime/runner/remote.h"
#include "runtime/runner/server.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace {

/// Gives the protocol a descriptor of its own; the standard one becomes what `replacement` is.
int takeOver(int standard, int replacement) {
    const int own = fcntl(standard, F_DUPFD_CLOEXEC, 3);
    dup2(replacement, standard);
    return own;
}

/// A kernel that hangs must not outlive the one who asked for it, nor a runner that somebody stopped: that the parent is
/// gone wakes it. (The signal comes when the thread ends that started this process, so it must be one that harms nothing.)
void endWithParent() {
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    std::thread([parent = getppid()] {
        while (getppid() == parent)
            std::this_thread::sleep_for(std::chrono::seconds(1));
        _exit(0);
    }).detach();
}

} // namespace

int main(int argc, char** argv) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int in = takeOver(STDIN_FILENO, nothing);
    const int out = takeOver(STDOUT_FILENO, STDERR_FILENO);
    if (in < 0 || out < 0) {
        std::fprintf(stderr, "lathe-runner serves its protocol on standard input and output, which are not open\n");
        return lathe::runtime::protocol::exitMalformed;
    }
    // A crash must show as its signal, at once and without a core file, whatever handlers sanitizers put there.
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        std::signal(signal, SIG_DFL);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a file beyond the limit of the system fails as on a full disk
    const rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    std::optional<lathe::runtime::runner::Remote> remote;
    if (argc > 2 && std::string_view(argv[1]) == "--remote") {
        remote.emplace(argv[2]);
        if (argc > 3 && !lathe::runtime::runner::useCpus(argv[3])) {
            std::fprintf(stderr, "lathe-runner: '%s' are no CPUs of this machine\n", argv[3]);
            return lathe::runtime::protocol::exitMalformed;
        }
    }
    endWithParent();

    const int code = lathe::runtime::runner::Server(in, out, remote ? &*remote : nullptr).serve();
    if (remote)
        remote->lease().release(); // which nothing destroys
    _exit(code);                   // the watching thread has no end of its own
}
