// SPDX-License-Identifier: Apache-2.0
#include "device/ssh_runner.h"

#include "base/printable.h"
#include "codegen/target.h"
#include "runtime/runner/protocol.h"

#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <span>

namespace lathe::device {
namespace {

namespace fs = std::filesystem;
using Io = ChildProcess::Io;
using std::chrono::steady_clock;

constexpr std::chrono::seconds startWait{60}; // for a connection, and for a megabyte over a slow one
constexpr size_t longestGreeting = size_t{64} << 10, longestLine = 4096;

/// Exit codes of the script below, beside those of the runner and 128 + the signal that ended it: 100 and 101 if there is no
/// folder, or the runner does not fit into it.
constexpr int outOfMemory = 102, notStarted = 126, signalled = 128, lost = 255;

/// What the shell there does. It reads a line with the folder, lines with the environment, an empty line; says what machine it
/// is; reads a line with the program's size and the cores, then the program; tries whether it starts, with nothing to read;
/// says so, and starts it. No byte of the protocol is sent before it has said so, so it does not matter how far head reads
/// ahead. The shell stays, to say how the runner ended: sshd passes on exit codes, but not signals as all clients show them.
/// It has no quotes of the kind that it is put into, and no '!', which some login shells take for themselves.
constexpr std::string_view script =
    R"sh(umask 077; export LC_ALL=C; IFS= read -r folder || exit 0; test -n "$folder" || folder=${TMPDIR:-/tmp}; )sh"
    R"sh(while IFS= read -r line && test -n "$line"; do export "$line"; done; )sh"
    R"sh(d=$(mktemp -d "$folder/lathe-runner.XXXXXX") || exit 100; )sh"
    R"sh(trap "rm -rf \"\$d\"" EXIT; trap "exit 129" HUP INT TERM; )sh"
    R"sh(find "$folder" -maxdepth 1 -type d -name "lathe-runner.??????" -user "$(id -u)" -mtime +0 )sh"
    R"sh(-exec rm -rf {} + 2>/dev/null; )sh"
    R"sh(echo "lathe-device 1 $(uname -m)"; )sh"
    R"sh(read -r bytes cores || exit 0; )sh"
    R"sh(head -c "$bytes" > "$d/lathe-runner" || exit 101; )sh"
    R"sh(test "$(wc -c < "$d/lathe-runner")" -eq "$bytes" || exit 101; chmod 700 "$d/lathe-runner" || exit 101; )sh"
    R"sh(oom() { while read -r key count; do test "$key" = oom_kill && echo "$count"; done < /proc/vmstat; }; )sh"
    R"sh(before=$(oom); )sh"
    R"sh("$d/lathe-runner" < /dev/null > /dev/null || exit $?; echo "lathe-device pushed"; )sh"
    R"sh("$d/lathe-runner" --remote "$d" $cores; code=$?; )sh"
    R"sh(if test $code -eq 137; then test "$before" = "$(oom)" || exit 102; fi; exit $code)sh";

std::string lastLine(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.remove_suffix(1);
    const size_t begin = text.find_last_of('\n');
    return printable(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

/// What ssh or the shell there said, in words that say what to do.
struct Saying {
    std::string_view part;
    std::string_view what, hint; // {0}: the device, {1}: the host
};
constexpr Saying sayings[] = {
    {"HOST IDENTIFICATION HAS CHANGED", "the host key of {0} is another one than before",
     "somebody may be in between: find out why; 'ssh {1}' says which line of known_hosts it is"},
    {"Host key verification failed", "the host key of {0} is not known here",
     "'ssh {1}' once, and compare the key that it shows with the device's own"},
    {"Could not resolve hostname", "there is no host {1}", "look at the name, and at ~/.ssh/config"},
    {"Connection refused", "{0} refuses connections", "start sshd there, or say the port in ~/.ssh/config"},
    {"timed out", "{0} does not answer", "look whether it is switched on and reachable"},
    {"No route to host", "there is no way to {0}", "look whether it is switched on and reachable"},
    {"Network is unreachable", "there is no way to {0}", "look at the network of this machine"},
    {"No space left on device", "the disk of {0} is full, where the runner is put",
     "free some space there, or name another folder: lathe devices add NAME ssh:{1} --folder FOLDER"},
    {"Disk quota exceeded", "the disk of {0} is full, where the runner is put",
     "free some space there, or name another folder: lathe devices add NAME ssh:{1} --folder FOLDER"},
    {"Read-only file system", "nothing can be written where the runner is put on {0}",
     "name another folder: lathe devices add NAME ssh:{1} --folder FOLDER"},
    {"failed to create directory", "there is no folder for the runner on {0}",
     "name another one: lathe devices add NAME ssh:{1} --folder FOLDER"},
};

std::string filled(std::string_view text, const SshRunner& runner) {
    return fmt::format(fmt::runtime(text), printable(runner.device), printable(runner.host));
}

/// "Permission denied (publickey,password)."
Diagnostic refusedKey(const SshRunner& runner, std::string_view said) {
    const bool asks =
        said.find("password") != std::string_view::npos || said.find("keyboard-interactive") != std::string_view::npos;
    return error(fmt::format("{} does not let anybody in with the keys that ssh has{}", printable(runner.device),
                             asks ? ", and would ask for a password, which Lathe never gives" : ""),
                 fmt::format("'ssh-copy-id {0}' puts your key there; 'ssh -o BatchMode=yes {0}' has to work",
                             printable(runner.host)));
}

/// After the stream ended before the runner had started.
Diagnostic notReached(const SshRunner& runner, ChildProcess& child) {
    const std::string how = child.reap();
    const int code = child.exitCode().value_or(lost);
    const std::string said = child.errors();
    for (const Saying& saying : sayings)
        if (said.find(saying.part) != std::string::npos)
            return error(filled(saying.what, runner), filled(saying.hint, runner));
    if (code == lost && said.find("Permission denied (") != std::string::npos)
        return refusedKey(runner, said);
    if (code == notStarted || said.find("Permission denied") != std::string::npos)
        return error(
            fmt::format("the runner cannot be started on {}, from the folder that it was put into: {}",
                        printable(runner.device), lastLine(said)),
            fmt::format("that folder is mounted noexec, or not yours: name another one: lathe devices add NAME "
                        "ssh:{} --folder FOLDER",
                        printable(runner.host)));
    return error(fmt::format("the runner was not started on {}: {}", printable(runner.device),
                             said.empty() ? "ssh " + how : lastLine(said)),
                 fmt::format("'ssh {}' has to give a POSIX shell with mktemp and head", printable(runner.host)));
}

Failure stopped(Io io, const SshRunner& runner, ChildProcess& child) {
    if (io == Io::Closed)
        return Failure(notReached(runner, child));
    child.kill();
    if (io == Io::Cancelled)
        return Failure(error(ErrorKind::Cancelled, "cancelled"));
    return Failure(
        error(fmt::format("{} did not start the runner within {} s", printable(runner.device), startWait.count()),
              "look whether it is reachable, and how slow the connection is"));
}

/// The next line that is ours. A login shell may say things before.
Result<std::string> nextLine(const SshRunner& runner, ChildProcess& child, ChildProcess::Deadline deadline) {
    constexpr std::string_view mark = "lathe-device ";
    std::string line;
    for (size_t read = 0; read < longestGreeting; read += line.size() + 1) {
        if (const Io io = child.readLine(line, longestLine, deadline); io != Io::Done)
            return stopped(io, runner, child);
        if (line.starts_with(mark))
            return line.substr(mark.size());
    }
    child.kill();
    return failure(fmt::format("{} says more than a shell would", printable(runner.device)),
                   "a login there must print little where there is no terminal");
}

Result<Architecture> architectureOf(std::string_view name, const SshRunner& runner) {
    for (const Architecture architecture : {Architecture::X86_64, Architecture::AArch64, Architecture::RiscV64})
        if (name == codegen::nameOf(architecture) || (architecture == Architecture::AArch64 && name == "arm64"))
            return architecture;
    return failure(fmt::format("{} is {}, which Lathe has no runtime for", printable(runner.device), printable(name)),
                   "x86_64, aarch64 and riscv64 are the machines that it knows");
}

Result<void> send(const fs::path& file, const SshRunner& runner, ChildProcess& child, ChildProcess::Deadline deadline) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    if (!stream || bytes.empty())
        return failure(fmt::format("cannot read '{}'", file.string()), "install Lathe's runtimes again");
    const std::string line = fmt::format("{} {}\n", bytes.size(), runner.cores);
    for (const std::string* text : {&line, &bytes})
        if (const Io io = child.write(std::as_bytes(std::span(*text)), deadline); io != Io::Done)
            return stopped(io, runner, child);
    return {};
}

Result<void> push(const SshRunner& runner, ChildProcess& child, ChildProcess::Deadline deadline) {
    std::string settings = runner.folder + "\n";
    for (const std::string& each : runner.environment)
        settings += each + "\n";
    settings += "\n";
    if (const Io io = child.write(std::as_bytes(std::span(settings)), deadline); io != Io::Done)
        return stopped(io, runner, child);
    LATHE_TRY(const std::string hello, nextLine(runner, child, deadline));
    const size_t blank = hello.find(' ');
    LATHE_TRY(const Architecture architecture,
              architectureOf(blank == std::string::npos ? "" : std::string_view(hello).substr(blank + 1), runner));
    if (runner.architecture && *runner.architecture != architecture)
        return failure(
            ErrorKind::Unsupported,
            fmt::format("the code is for {}, and {} is {}", codegen::nameOf(*runner.architecture),
                        printable(runner.device), codegen::nameOf(architecture)),
            fmt::format("compile the model for that device: --target {}", codegen::libraryTriple(architecture)));
    LATHE_TRY(const fs::path program, staticRunner(architecture));
    LATHE_CHECKED(send(program, runner, child, deadline));
    LATHE_TRY(const std::string pushed, nextLine(runner, child, deadline));
    return {};
}

} // namespace

Result<fs::path> staticRunner(Architecture architecture) {
    std::error_code ignored;
    fs::path runner = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share" / "lathe" /
                      "runtimes" / codegen::libraryTriple(architecture) / "bin" / "lathe-runner";
    if (fs::exists(runner, ignored))
        return runner;
    return failure(ErrorKind::Usage,
                   fmt::format("there is no runtime for {} beside this program: {} is missing",
                               codegen::libraryTriple(architecture), runner.string()),
                   "install Lathe's runtimes, or build them: ./dev build release runtimes");
}

Result<void> startOverSsh(const SshRunner& runner, ChildProcess& child) {
    const auto deadline = steady_clock::now() + startWait;
    // Forwardings and commands of the user's configuration are for his own sessions.
    auto started = child.start("ssh",
                               {"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes", "-o",
                                "RemoteCommand=none", "--", runner.host, fmt::format("exec /bin/sh -c '{}'", script)},
                               ChildProcess::Errors::Kept);
    if (!started)
        return failure(ErrorKind::Usage, started.error().what, "install openssh-client");
    auto pushed = push(runner, child, deadline);
    if (!pushed)
        child.kill();
    return pushed;
}

RemoteEnd endOverSsh(ChildProcess& child) {
    using What = RemoteEnd::What;
    const std::string how = child.reap();
    const std::string said = lastLine(child.errors());
    const int code = child.exitCode().value_or(lost);
    if (code == outOfMemory)
        return {What::OutOfMemory, code, "was ended there, since memory ran out"};
    if (code == runtime::protocol::exitDeadline)
        return {What::Deadline, code, "took longer than it may"};
    if (code > signalled && code < lost) {
        const char* name = sigabbrev_np(code - signalled);
        const int signal = code - signalled;
        const bool fromOutside = signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
        return {What::Crashed, code,
                fmt::format("{} {}", fromOutside ? "was ended from outside by" : "crashed with",
                            name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal))};
    }
    if (code == lost || code == 0) // the runner ends so when its own stream has ended
        return {What::Lost, code, said.empty() ? "ssh " + how : said};
    return {What::Ended, code, fmt::format("ended with exit code {}{}{}", code, said.empty() ? "" : ": ", said)};
}

} // namespace lathe::device
