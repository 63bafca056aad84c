// SPDX-License-Identifier: Apache-2.0
#include "device/runner_connection.h"

#include "base/printable.h"
#include "base/sha256.h"
#include "runtime/lathe_rt.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace lathe::device {

using namespace runtime::protocol;

namespace {

constexpr size_t readPiece = size_t{64} << 20;
constexpr size_t remotePiece = size_t{64} << 10; // which even a slow connection moves before it counts as silent
constexpr const char* anotherRunner = "lathe-runner is installed beside lathe; $LATHE_RUNNER names another";

const char* nameOf(Kind kind) {
    switch (kind) {
    case Kind::Ping:
        return "start";
    case Kind::Load:
        return "load the artifact";
    case Kind::Input:
        return "take an input";
    case Kind::Run:
        return "run";
    case Kind::Output:
        return "give an output";
    default:
        return "answer";
    }
}

/// What to do about a request that the runner refused.
const char* hintFor(uint32_t status) {
    switch (status) {
    case LATHE_IO_ERROR:
    case LATHE_BAD_ARTIFACT:
        return "compile the model again";
    case LATHE_OUT_OF_MEMORY:
        return "run it at smaller sizes, or raise the memory limit";
    case LATHE_MISMATCH:
    case LATHE_MISSING_INPUT:
    case LATHE_INVALID_ARGUMENT:
        return "lathe inspect shows the inputs with their types and sizes";
    case LATHE_RUN_FAILED:
        return "check the values of the inputs, from which this follows";
    case LATHE_INTERNAL:
        return "please report the model";
    default:
        return "";
    }
}

} // namespace

Diagnostic RunnerConnection::fail(RunnerOutcome how, std::string what, std::string hint) {
    outcome = how;
    return error(std::move(what), std::move(hint));
}

/// "the model", and where it ran.
std::string RunnerConnection::there() const {
    return options.ssh ? " on " + printable(options.ssh->device) : "";
}

/// After a read or write over ssh that did not go through, because the stream has ended.
Diagnostic RunnerConnection::lostRemote() {
    using What = RemoteEnd::What;
    const RemoteEnd end = endOverSsh(child);
    switch (end.what) {
    case What::Lost:
        return fail(RunnerOutcome::Lost,
                    fmt::format("the device {} is lost: {}", printable(options.ssh->device), end.text),
                    fmt::format("look at the device and the network, and try again; 'ssh {}' has to work",
                                printable(options.ssh->host)));
    case What::OutOfMemory:
        return fail(RunnerOutcome::OutOfMemory, fmt::format("the model {}", end.text),
                    "run it at smaller sizes, or limit its memory");
    case What::Deadline:
        return fail(RunnerOutcome::Timeout, fmt::format("the model {}{}", end.text, there()),
                    "allow more time by --timeout");
    case What::Crashed:
        return fail(RunnerOutcome::Crashed, fmt::format("the kernel {}{}", end.text, there()),
                    "please report the model");
    case What::Ended:
        break;
    }
    if (end.code == exitOutside || end.code == exitReadOnly)
        return ended(end.code);
    return fail(RunnerOutcome::Crashed, fmt::format("lathe-runner{} {}", there(), end.text));
}

Diagnostic RunnerConnection::ended(int code) {
    if (code == exitOutside)
        return fail(RunnerOutcome::Crashed, "the kernel touched memory outside its buffers", "please report the model");
    return fail(RunnerOutcome::Overwrote, "the kernel wrote into an input", "please report the model");
}

ChildProcess::Deadline RunnerConnection::patience(ChildProcess::Deadline deadline) const {
    return options.ssh ? std::min(deadline, std::chrono::steady_clock::now() + options.ssh->silence) : deadline;
}

/// Ends the child and says why.
Diagnostic RunnerConnection::lost(ChildProcess::Io io, Kind kind, ChildProcess::Deadline until,
                                  ChildProcess::Deadline deadline) {
    if (io == ChildProcess::Io::TimedOut) {
        child.kill();
        if (until != deadline)
            return fail(RunnerOutcome::Lost,
                        fmt::format("the device {} is lost: nothing was heard of it for {} s",
                                    printable(options.ssh->device),
                                    static_cast<double>(options.ssh->silence.count()) / 1000),
                        "look at the device and the network, and try again");
        return fail(RunnerOutcome::Timeout,
                    fmt::format("the model did not {}{} within {} s and was ended", nameOf(kind), there(),
                                static_cast<double>(options.timeout.count()) / 1000));
    }
    if (io == ChildProcess::Io::Cancelled) {
        child.kill();
        outcome = RunnerOutcome::Cancelled;
        return error(ErrorKind::Cancelled, "cancelled");
    }
    if (options.ssh)
        return lostRemote();
    const std::string how = child.reap();
    if (child.exitCode() == exitOutside || child.exitCode() == exitReadOnly)
        return ended(*child.exitCode());
    if (child.exitCode() == exitNoMemory)
        return fail(RunnerOutcome::OutOfMemory, "the memory that the model's process may use does not hold its inputs",
                    options.processBytes > 0 ? "allow it more (--memory), or choose smaller sizes"
                                             : "choose smaller sizes");
    const bool crashed = how.starts_with("crashed");
    return fail(RunnerOutcome::Crashed, crashed ? "the kernel " + how : "lathe-runner " + how,
                crashed                   ? "please report the model"
                : how.contains("outside") ? "the system does so when memory runs out: run it at smaller sizes"
                : options.program.filename().string().starts_with("qemu")
                    ? "the emulator says why; its option -cpu help lists the CPUs that it knows"
                    : anotherRunner);
}

Diagnostic RunnerConnection::outOfStep(Kind kind) {
    child.kill();
    return fail(RunnerOutcome::Crashed, fmt::format("lathe-runner's answer to '{}' is malformed", nameOf(kind)),
                anotherRunner);
}

Result<Reader> RunnerConnection::request(Kind kind, std::span<const std::byte> payload,
                                         std::span<const std::byte> more) {
    if (!child.running())
        return Failure(fail(RunnerOutcome::Unavailable, "no model is loaded in lathe-runner"));
    if (options.ssh && kind != Kind::Deadline && kind != Kind::Ping && deadline != options.timeout)
        LATHE_CHECKED(tellDeadline());
    outcome = RunnerOutcome::Good;
    lackedMemory = false;
    const auto deadline = std::chrono::steady_clock::now() + options.timeout;
    const FrameHeader header{frameMagic, kind, payload.size() + more.size()};
    for (auto rest : {std::as_bytes(std::span(&header, 1)), payload, more})
        while (!rest.empty()) {
            const auto part = rest.first(options.ssh ? std::min(rest.size(), remotePiece) : rest.size());
            const auto until = patience(deadline);
            if (const auto io = child.write(part, until); io != ChildProcess::Io::Done)
                return Failure(lost(io, kind, until, deadline));
            rest = rest.subspan(part.size());
        }
    return receive(kind, deadline);
}

/// What the runner on the device ends by itself, if this is not here any more to end it: a little later than this would.
Result<void> RunnerConnection::tellDeadline() {
    constexpr std::chrono::seconds later{2};
    Writer payload;
    payload.number(static_cast<uint64_t>(std::chrono::milliseconds(options.timeout + later).count()));
    LATHE_CHECKED(command(Kind::Deadline, payload.bytes()));
    deadline = options.timeout;
    return {};
}

/// The next header that is no sign of life.
Result<FrameHeader> RunnerConnection::nextHeader(Kind kind, ChildProcess::Deadline deadline) {
    for (;;) {
        const auto until = patience(deadline);
        FrameHeader header;
        if (const auto io = child.read(std::as_writable_bytes(std::span(&header, 1)), until);
            io != ChildProcess::Io::Done)
            return Failure(lost(io, kind, until, deadline));
        if (!(options.ssh && header.magic == frameMagic && header.kind == Kind::Alive && header.bytes == 0))
            return header;
    }
}

Result<Reader> RunnerConnection::receive(Kind kind, ChildProcess::Deadline deadline) {
    LATHE_TRY(const FrameHeader header, nextHeader(kind, deadline));
    const bool good = header.kind == Kind::Ok;
    if (header.magic != frameMagic || header.bytes > runtime::limits::frameBytes ||
        (!good && header.kind != Kind::Error))
        return Failure(outOfStep(kind));
    reply.clear();
    while (reply.size() < header.bytes) {
        const uint64_t before = reply.size();
        reply.resize(std::min(header.bytes, before + (options.ssh ? remotePiece : readPiece)));
        const auto until = patience(deadline);
        if (const auto io = child.read(std::span(reply).subspan(before), until); io != ChildProcess::Io::Done)
            return Failure(lost(io, kind, until, deadline));
    }
    Reader reader(reply);
    if (good)
        return reader;
    Diagnostic refused;
    const auto status = reader.number<uint32_t>();
    refused.hint = hintFor(status);
    if (status == LATHE_UNSUPPORTED)
        refused.kind = ErrorKind::Unsupported;
    refused.node = reader.string();
    refused.what = reader.string();
    // The message names the node as well; a Diagnostic prints its node itself.
    const std::string prefix = fmt::format("node '{}': ", refused.node);
    if (!refused.node.empty() && refused.what.starts_with(prefix))
        refused.what.erase(0, prefix.size());
    if (!reader.finished())
        return Failure(outOfStep(kind));
    outcome = RunnerOutcome::Refused;
    lackedMemory = status == LATHE_OUT_OF_MEMORY;
    return Failure(std::move(refused));
}

Result<void> RunnerConnection::command(Kind kind, std::span<const std::byte> payload, std::span<const std::byte> more) {
    LATHE_TRY(const Reader reader, request(kind, payload, more));
    if (!reader.finished())
        return Failure(outOfStep(kind));
    return {};
}

Result<void> RunnerConnection::ensureStarted() {
    if (child.running())
        return {};
    std::string what;
    if (options.ssh) {
        deadline = std::chrono::milliseconds(-1);
        if (auto started = startOverSsh(*options.ssh, child); !started) {
            const bool asked = started.error().kind == ErrorKind::Cancelled;
            outcome = asked ? RunnerOutcome::Cancelled : RunnerOutcome::Unavailable;
            return started;
        }
        what = "the runner on " + printable(options.ssh->device);
    } else {
        const auto program = options.program.empty() ? programBeside("lathe-runner", "LATHE_RUNNER") : options.program;
        if (auto started = child.start(program, options.arguments); !started)
            return Failure(fail(RunnerOutcome::Unavailable, started.error().what, anotherRunner));
        what = program.string();
    }
    LATHE_TRY(Reader reader, request(Kind::Ping));
    if (const auto version = reader.number<uint32_t>(); version != protocolVersion) {
        child.kill();
        return Failure(fail(RunnerOutcome::Unavailable,
                            fmt::format("{} speaks version {} of the protocol, this program version {}", what, version,
                                        protocolVersion),
                            "programs and runtimes have to be of one version of Lathe: install both again"));
    }
    return {};
}

void RunnerConnection::end() {
    if (options.ssh && child.running()) {
        constexpr std::chrono::seconds wait{2};
        const FrameHeader bye{frameMagic, Kind::Bye, 0};
        const auto deadline = std::chrono::steady_clock::now() + wait;
        std::string rest;
        child.setCancelled({});
        if (child.write(std::as_bytes(std::span(&bye, 1)), deadline) == ChildProcess::Io::Done &&
            child.readToEnd(rest, readPiece, deadline) == ChildProcess::Io::Done)
            child.reap();
        child.setCancelled(options.cancelled);
    }
    child.kill();
}

Result<std::string> RunnerConnection::put(const std::filesystem::path& file) {
    const auto unreadable = [&] {
        return Failure(fail(RunnerOutcome::Refused, fmt::format("cannot read '{}'", file.string())));
    };
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> piece(putBytes);
    const auto next = [&] {
        stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        return std::as_bytes(std::span(piece).first(static_cast<size_t>(stream.gcount())));
    };
    Sha256 hash;
    uint64_t total = 0;
    for (auto bytes = next(); !bytes.empty(); bytes = next()) {
        hash.add(bytes);
        total += bytes.size();
    }
    if (total == 0)
        return unreadable();
    const std::string name = hash.finish();
    const auto send = [&](uint64_t offset, std::span<const std::byte> bytes) -> Result<uint64_t> {
        Writer payload;
        payload.string(name);
        payload.number(total);
        payload.number(offset);
        payload.number(static_cast<uint32_t>(bytes.size()));
        LATHE_TRY(Reader reader, request(Kind::Put, payload.bytes(), bytes));
        const auto held = reader.number<uint64_t>();
        if (!reader.finished() || held > total)
            return Failure(outOfStep(Kind::Put));
        return held;
    };
    LATHE_TRY(uint64_t held, send(0, {}));
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(held));
    while (held < total) {
        const auto bytes = next();
        if (bytes.empty())
            return unreadable();
        const uint64_t before = held;
        LATHE_TRY(held, send(before, bytes));
        if (held != before + bytes.size())
            return Failure(outOfStep(Kind::Put));
    }
    return name;
}

} // namespace lathe::device
