// SPDX-License-Identifier: Apache-2.0
//
// The client's side of runtime/runner/protocol.h.
#include "driver/runner_client.h"

#include "base/printable.h"
#include "base/sha256.h"
#include "driver/child_process.h"
#include "runtime/lathe_rt.h"
#include "runtime/runner/protocol.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace lathe::driver {

using namespace runtime::protocol;
using model::HostTensor;

namespace {

constexpr uint64_t readPiece = uint64_t{64} << 20;

struct TypePair {
    TypeCode ours;
    uint8_t theirs;
};
constexpr TypePair typePairs[] = {
    {TypeCode::Bool, kDLBool},
    {TypeCode::Int, kDLInt},
    {TypeCode::UInt, kDLUInt},
    {TypeCode::Float, kDLFloat},
    {TypeCode::BFloat, kDLBfloat},
    {TypeCode::Float8E4M3FN, kDLFloat8_e4m3fn},
    {TypeCode::Float8E4M3FNUZ, kDLFloat8_e4m3fnuz},
    {TypeCode::Float8E5M2, kDLFloat8_e5m2},
    {TypeCode::Float8E5M2FNUZ, kDLFloat8_e5m2fnuz},
    {TypeCode::Float8E8M0, kDLFloat8_e8m0fnu},
    {TypeCode::Float4E2M1, kDLFloat4_e2m1fn},
};

DataType readType(Reader& reader) {
    const auto code = reader.number<uint8_t>();
    const auto bits = reader.number<uint8_t>();
    for (const TypePair& pair : typePairs)
        if (pair.theirs == code)
            return {pair.ours, bits};
    return types::Void;
}

std::vector<int64_t> readDims(Reader& reader) {
    std::vector<int64_t> dims(reader.count(sizeof(int64_t)));
    for (int64_t& dim : dims)
        dim = reader.number<int64_t>();
    return dims;
}

std::vector<std::string> readStrings(Reader& reader) {
    std::vector<std::string> strings(reader.count(sizeof(uint32_t)));
    for (std::string& text : strings)
        text = reader.string();
    return strings;
}

std::vector<RunnerValue> readValues(Reader& reader, const std::vector<std::string>& symbols) {
    std::vector<RunnerValue> values(reader.count(10));
    for (RunnerValue& value : values) {
        value.name = reader.string();
        value.dtype = readType(reader);
        value.dims = readDims(reader);
        for (const int64_t dim : value.dims) {
            const bool known = isSymbol(dim) && static_cast<size_t>(-(dim + 1)) < symbols.size();
            value.sizes.push_back(known ? symbols[static_cast<size_t>(-(dim + 1))] : "");
        }
    }
    return values;
}

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

/// Why there are no counters, by the system's number, and what would help.
std::string reasonOf(int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine shows none to programs, as is usual for a virtual one";
    case EACCES:
    case EPERM:
        return "they are not permitted (kernel.perf_event_paranoid of 2 or less permits them)";
    default:
        return std::generic_category().message(error);
    }
}

/// "ann@desk", for whoever waits for a device.
std::string userHere() {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    const char* user = std::getenv("USER");
    return fmt::format("{:.64}@{}", user && *user ? user : std::to_string(getuid()), *host ? host : "somewhere");
}

constexpr const char* anotherRunner = "lathe-runner is installed beside lathe; $LATHE_RUNNER names another";

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

std::string typeText(const RunnerValue& value) {
    std::vector<std::string> dims;
    for (size_t i = 0; i < value.dims.size(); ++i)
        dims.push_back(value.dims[i] >= 0                                  ? std::to_string(value.dims[i])
                       : i < value.sizes.size() && !value.sizes[i].empty() ? value.sizes[i]
                                                                           : "?");
    return fmt::format("{}[{}]", toString(value.dtype), fmt::join(dims, ","));
}

void useRunner(RunnerOptions& options, RunnerCommand command) {
    options.program = std::move(command.program);
    options.arguments = std::move(command.arguments);
    options.ssh = std::move(command.ssh);
}

struct RunnerClient::State {
    RunnerOptions options;
    ChildProcess child;
    RunnerOutcome outcome = RunnerOutcome::Good;
    bool lackedMemory = false;
    int outputCount = 0;
    std::vector<std::byte> reply;
    std::chrono::milliseconds deadline{-1}; // that a runner over ssh was told; -1: none yet

    ~State() { end(); }

    Diagnostic fail(RunnerOutcome how, std::string what, std::string hint = {}) {
        outcome = how;
        return error(std::move(what), std::move(hint));
    }

    /// "the model", and where it ran.
    std::string there() const { return options.ssh ? " on " + printable(options.ssh->device) : ""; }

    /// After a read or write over ssh that did not go through, because the stream has ended.
    Diagnostic lostRemote() {
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

    Diagnostic ended(int code) {
        if (code == exitOutside)
            return fail(RunnerOutcome::Crashed, "the kernel touched memory outside its buffers",
                        "please report the model");
        return fail(RunnerOutcome::Overwrote, "the kernel wrote into an input", "please report the model");
    }

    /// After a read or write that did not go through: ends the child and says why.
    Diagnostic lost(ChildProcess::Io io, Kind kind) {
        if (io == ChildProcess::Io::TimedOut) {
            child.kill();
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
        const bool crashed = how.starts_with("crashed");
        return fail(RunnerOutcome::Crashed, crashed ? "the kernel " + how : "lathe-runner " + how,
                    crashed                   ? "please report the model"
                    : how.contains("outside") ? "the system does so when memory runs out: run it at smaller sizes"
                                              : anotherRunner);
    }

    Diagnostic outOfStep(Kind kind) {
        child.kill();
        return fail(RunnerOutcome::Crashed, fmt::format("lathe-runner's answer to '{}' is malformed", nameOf(kind)),
                    anotherRunner);
    }

    Result<Reader> request(Kind kind, std::span<const std::byte> payload = {}, std::span<const std::byte> more = {}) {
        if (!child.running())
            return Failure(fail(RunnerOutcome::Unavailable, "no model is loaded in lathe-runner"));
        if (options.ssh && kind != Kind::Deadline && kind != Kind::Ping && deadline != options.timeout)
            LATHE_CHECKED(tellDeadline());
        outcome = RunnerOutcome::Good;
        lackedMemory = false;
        const auto deadline = std::chrono::steady_clock::now() + options.timeout;
        const FrameHeader header{frameMagic, kind, payload.size() + more.size()};
        for (const auto part : {std::as_bytes(std::span(&header, 1)), payload, more})
            if (const auto io = child.write(part, deadline); io != ChildProcess::Io::Done)
                return Failure(lost(io, kind));
        return receive(kind, deadline);
    }

    /// What the runner on the device ends by itself, if this is not here any more to end it: a little later than this would.
    Result<void> tellDeadline() {
        constexpr std::chrono::seconds later{2};
        Writer payload;
        payload.number(static_cast<uint64_t>(std::chrono::milliseconds(options.timeout + later).count()));
        LATHE_CHECKED(command(Kind::Deadline, payload.bytes()));
        deadline = options.timeout;
        return {};
    }

    /// The next header that is no sign of life. A device that gives none is lost long before the request's time is over.
    Result<FrameHeader> nextHeader(Kind kind, ChildProcess::Deadline deadline) {
        for (;;) {
            auto until = deadline;
            if (options.ssh)
                until = std::min(until, std::chrono::steady_clock::now() + options.ssh->silence);
            FrameHeader header;
            const auto io = child.read(std::as_writable_bytes(std::span(&header, 1)), until);
            if (io == ChildProcess::Io::TimedOut && until != deadline) {
                child.kill();
                return Failure(fail(RunnerOutcome::Lost,
                                    fmt::format("the device {} is lost: nothing was heard of it for {} s",
                                                printable(options.ssh->device),
                                                static_cast<double>(options.ssh->silence.count()) / 1000),
                                    "look at the device and the network, and try again"));
            }
            if (io != ChildProcess::Io::Done)
                return Failure(lost(io, kind));
            if (!(options.ssh && header.magic == frameMagic && header.kind == Kind::Alive && header.bytes == 0))
                return header;
        }
    }

    Result<Reader> receive(Kind kind, ChildProcess::Deadline deadline) {
        LATHE_TRY(const FrameHeader header, nextHeader(kind, deadline));
        const bool good = header.kind == Kind::Ok;
        if (header.magic != frameMagic || header.bytes > runtime::limits::frameBytes ||
            (!good && header.kind != Kind::Error))
            return Failure(outOfStep(kind));
        reply.clear();
        while (reply.size() < header.bytes) {
            const uint64_t before = reply.size();
            reply.resize(std::min(header.bytes, before + readPiece));
            if (const auto io = child.read(std::span(reply).subspan(before), deadline); io != ChildProcess::Io::Done)
                return Failure(lost(io, kind));
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

    /// A request whose reply has no payload.
    Result<void> command(Kind kind, std::span<const std::byte> payload = {}, std::span<const std::byte> more = {}) {
        LATHE_TRY(const Reader reader, request(kind, payload, more));
        if (!reader.finished())
            return Failure(outOfStep(kind));
        return {};
    }

    Result<void> ensureStarted() {
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
            const auto program =
                options.program.empty() ? programBeside("lathe-runner", "LATHE_RUNNER") : options.program;
            if (auto started = child.start(program, options.arguments); !started)
                return Failure(fail(RunnerOutcome::Unavailable, started.error().what, anotherRunner));
            what = program.string();
        }
        LATHE_TRY(Reader reader, request(Kind::Ping));
        if (const auto version = reader.number<uint32_t>(); version != protocolVersion) {
            child.kill();
            return Failure(fail(RunnerOutcome::Unavailable,
                                fmt::format("{} speaks version {} of the protocol, this program version {}", what,
                                            version, protocolVersion),
                                "programs and runtimes have to be of one version of Lathe: install both again"));
        }
        return {};
    }

    /// Lets a runner over ssh end by itself, so that it is gone, with all that it had there, when this returns.
    void end() {
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

    /// Sends the file, unless the runner has it; what it is called there.
    Result<std::string> put(const std::filesystem::path& file) {
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

    Result<void> sendOptions() {
        Writer limits;
        limits.number(int32_t{options.threads});
        limits.number(options.contextBytes);
        limits.number(options.processBytes);
        limits.number(static_cast<uint32_t>(options.guard));
        limits.number(uint32_t{options.pinned});
        LATHE_CHECKED(command(Kind::Limits, limits.bytes()));
        if (!options.seed)
            return {};
        Writer seed;
        seed.number(*options.seed);
        return command(Kind::Seed, seed.bytes());
    }
};

RunnerClient::RunnerClient(RunnerOptions options) : state_(std::make_unique<State>()) {
    setOptions(std::move(options));
}
RunnerClient::~RunnerClient() = default;

const RunnerOptions& RunnerClient::options() const {
    return state_->options;
}

void RunnerClient::setOptions(RunnerOptions options) {
    // The runner cannot forget a seed; a fresh one has none.
    if (options.program != state_->options.program || options.arguments != state_->options.arguments ||
        options.ssh != state_->options.ssh || (state_->options.seed && !options.seed))
        stop();
    state_->child.setCancelled(options.cancelled);
    state_->options = std::move(options);
}

Result<RunnerModel> RunnerClient::load(const std::filesystem::path& artifact) {
    LATHE_CHECKED(state_->ensureStarted());
    LATHE_CHECKED(state_->sendOptions());
    Writer path;
    std::error_code ignored;
    if (state_->options.ssh) {
        LATHE_TRY(const std::string name, state_->put(artifact));
        path.string(name);
    } else {
        path.string(std::filesystem::absolute(artifact, ignored).string());
    }
    LATHE_TRY(Reader reader, state_->request(state_->options.ssh ? Kind::LoadPut : Kind::Load, path.bytes()));
    RunnerModel model;
    model.name = reader.string();
    model.metadata = reader.string();
    model.symbols = readStrings(reader);
    model.inputs = readValues(reader, model.symbols);
    model.outputs = readValues(reader, model.symbols);
    model.calls.resize(reader.count(28));
    for (RunnerCall& call : model.calls) {
        call.function = reader.string();
        call.kernel = reader.string();
        call.nodes = readStrings(reader);
        call.flops = reader.number<double>();
        call.bytes = reader.number<double>();
    }
    if (!reader.finished())
        return Failure(state_->outOfStep(Kind::Load));
    state_->outputCount = static_cast<int>(model.outputs.size());
    return model;
}

Result<void> RunnerClient::setInput(const std::string& name, const HostTensor& tensor) {
    const auto pair = std::ranges::find(typePairs, tensor.dtype.code, &TypePair::ours);
    if (pair == std::end(typePairs))
        return Failure(state_->fail(RunnerOutcome::Refused, fmt::format("input '{}': tensors of {} cannot be run", name,
                                                                        toString(tensor.dtype))));
    Writer payload;
    payload.string(name);
    payload.number(pair->theirs);
    payload.number(tensor.dtype.bits);
    payload.number(static_cast<uint32_t>(tensor.shape.size()));
    for (const int64_t dim : tensor.shape)
        payload.number(dim);
    payload.number(uint64_t{tensor.bytes.size()});
    return state_->command(Kind::Input, payload.bytes(), tensor.bytes);
}

Result<RunnerTimes> RunnerClient::run(int times) {
    Writer payload;
    payload.number(static_cast<uint32_t>(std::clamp(times, 0, static_cast<int>(runtime::limits::runsAtOnce))));
    LATHE_TRY(Reader reader, state_->request(Kind::Run, payload.bytes()));
    RunnerTimes result;
    result.ns = readDims(reader);
    for (int64_t* field :
         {&result.arenaPeak, &result.arenaReserved, &result.outputBytes, &result.inputBytes, &result.residentPeak})
        *field = reader.number<int64_t>();
    if (!reader.finished())
        return Failure(state_->outOfStep(Kind::Run));
    return result;
}

Result<RunnerBenchTimes> RunnerClient::bench(const RunnerBench& plan) {
    Writer payload;
    payload.string(plan.kernel);
    payload.number(plan.which);
    payload.number(static_cast<uint32_t>(plan.sizes.size()));
    for (const int64_t size : plan.sizes)
        payload.number(size);
    payload.number(static_cast<uint32_t>(std::clamp(plan.warmUps, 0, static_cast<int>(runtime::limits::runsAtOnce))));
    payload.number(std::max<int64_t>(plan.calls, 0));
    payload.number(std::max<int64_t>(plan.least.count(), 0));
    payload.number(
        static_cast<uint32_t>(std::clamp(plan.samples, 1, static_cast<int>(runtime::limits::samplesAtOnce))));
    payload.number(static_cast<uint64_t>(std::clamp<int64_t>(plan.flushBytes, 0, runtime::limits::flushBytes)));
    LATHE_TRY(Reader reader, state_->request(Kind::Bench, payload.bytes()));
    RunnerBenchTimes times;
    times.calls = reader.number<int64_t>();
    times.samples.resize(reader.count(sizeof(RunnerBenchTimes::Sample)));
    bool sound = !times.samples.empty();
    for (RunnerBenchTimes::Sample& sample : times.samples) {
        sample.ns = reader.number<double>();
        sample.lost = reader.number<double>();
        sample.switches = reader.number<int64_t>();
        sound &= std::isfinite(sample.ns) && sample.ns >= 0 && sample.lost >= 0 && sample.lost <= 1;
    }
    if (!reader.finished() || !sound)
        return Failure(state_->outOfStep(Kind::Bench));
    return times;
}

Result<RunnerProbe> RunnerClient::probe() {
    LATHE_TRY(Reader reader, state_->request(Kind::Probe));
    RunnerProbe probe;
    probe.computeNs = reader.number<double>();
    probe.readNs = reader.number<double>();
    if (!reader.finished() || !std::isfinite(probe.computeNs) || !std::isfinite(probe.readNs))
        return Failure(state_->outOfStep(Kind::Probe));
    return probe;
}

Result<std::vector<std::pair<std::string, std::string>>> RunnerClient::facts() {
    constexpr size_t most = 64;
    LATHE_CHECKED(state_->ensureStarted());
    LATHE_TRY(Reader reader, state_->request(Kind::Facts));
    std::vector<std::pair<std::string, std::string>> facts(reader.count(2 * sizeof(uint32_t)));
    for (auto& [name, value] : facts) {
        name = reader.string();
        value = reader.string();
    }
    if (!reader.finished() || facts.size() > most)
        return Failure(state_->outOfStep(Kind::Facts));
    return facts;
}

Result<void> RunnerClient::leaseDevice(std::function<void(const std::string&)> noted) {
    using std::chrono::steady_clock;
    if (!state_->options.ssh)
        return {};
    LATHE_CHECKED(state_->ensureStarted());
    Writer who;
    who.string(userHere());
    for (const auto begun = steady_clock::now();; std::this_thread::sleep_for(std::chrono::milliseconds(200))) {
        LATHE_TRY(Reader reader, state_->request(Kind::Lease, who.bytes()));
        const std::string holder = printable(reader.string());
        if (!reader.finished())
            return Failure(state_->outOfStep(Kind::Lease));
        if (holder.empty())
            return {};
        const std::string text = fmt::format("{} measures on {}", holder, printable(state_->options.ssh->device));
        if (state_->options.cancelled && state_->options.cancelled()) {
            state_->outcome = RunnerOutcome::Cancelled;
            return failure(ErrorKind::Cancelled, "cancelled");
        }
        if (steady_clock::now() - begun >= state_->options.timeout)
            return Failure(state_->fail(RunnerOutcome::Unavailable, text, "wait until that is done"));
        if (noted)
            noted(text + ": waiting");
        noted = {};
    }
}

Result<void> RunnerClient::releaseDevice() {
    return state_->options.ssh && state_->child.running() ? state_->command(Kind::Release) : Result<void>();
}

Result<HostTensor> RunnerClient::output(int index) {
    Writer payload;
    payload.number(int32_t{index});
    LATHE_TRY(Reader reader, state_->request(Kind::Output, payload.bytes()));
    HostTensor tensor;
    tensor.dtype = readType(reader);
    tensor.shape = readDims(reader);
    const auto data = reader.raw(reader.number<uint64_t>());
    if (!reader.finished())
        return Failure(state_->outOfStep(Kind::Output));
    tensor.bytes.assign(data.begin(), data.end());
    return tensor;
}

Result<std::vector<HostTensor>> RunnerClient::outputs() {
    std::vector<HostTensor> result;
    for (int i = 0; i < state_->outputCount; ++i) {
        LATHE_TRY(HostTensor tensor, output(i));
        result.push_back(std::move(tensor));
    }
    return result;
}

Result<void> RunnerClient::startProfile(int timelineEvents) {
    Writer payload;
    payload.number(uint32_t{1});
    payload.number(static_cast<uint32_t>(std::max(0, timelineEvents)));
    return state_->command(Kind::Profile, payload.bytes());
}

Result<void> RunnerClient::stopProfile() {
    Writer payload;
    payload.number(uint32_t{0});
    payload.number(uint32_t{0});
    return state_->command(Kind::Profile, payload.bytes());
}

Result<RunnerCounters> RunnerClient::count(int times) {
    constexpr size_t mostCounts = 64, longestName = 64;
    const int runs = std::clamp(times, 1, static_cast<int>(runtime::limits::runsAtOnce));
    Writer payload;
    payload.number(static_cast<uint32_t>(runs));
    LATHE_TRY(Reader reader, state_->request(Kind::Count, payload.bytes()));
    RunnerCounters counters;
    if (const auto error = reader.number<int32_t>(); error != 0)
        counters.refused = reasonOf(error);
    counters.counts.resize(reader.count(sizeof(uint32_t) + sizeof(double)));
    bool sound = counters.counts.size() <= mostCounts;
    for (RunnerCounters::Count& each : counters.counts) {
        each.name = reader.string();
        each.perRun = reader.number<double>() / runs;
        sound &= each.name.size() <= longestName && std::isfinite(each.perRun) && each.perRun >= 0;
    }
    if (!reader.finished() || !sound)
        return Failure(state_->outOfStep(Kind::Count));
    return counters;
}

std::string toString(const RunnerCounters& counters) {
    std::vector<std::string> parts;
    double instructions = 0, cycles = 0;
    for (const RunnerCounters::Count& each : counters.counts) {
        parts.push_back(fmt::format("{:.3g} {}", each.perRun, each.name));
        if (each.name == "instructions")
            instructions = each.perRun;
        if (each.name == "cycles")
            cycles = each.perRun;
    }
    if (instructions > 0 && cycles > 0)
        parts.push_back(fmt::format("{:.2f} instructions a cycle", instructions / cycles));
    if (!counters.refused.empty())
        parts.push_back(fmt::format("the processor's counters are not available: {}", counters.refused));
    return fmt::format("{}", fmt::join(parts, ", "));
}

Result<RunnerProfile> RunnerClient::readProfile() {
    LATHE_TRY(Reader reader, state_->request(Kind::ReadProfile));
    RunnerProfile profile;
    profile.calls.resize(reader.count(sizeof(RunnerProfile::Entry)));
    for (auto& entry : profile.calls) {
        entry.count = reader.number<int64_t>();
        entry.totalNs = reader.number<int64_t>();
        entry.minNs = reader.number<int64_t>();
        entry.maxNs = reader.number<int64_t>();
    }
    profile.threads.resize(reader.count(sizeof(uint32_t)));
    for (auto& events : profile.threads) {
        events.resize(reader.count(sizeof(RunnerProfile::Event)));
        for (auto& event : events) {
            event.call = reader.number<int32_t>();
            event.chunks = reader.number<int32_t>();
            event.beginNs = reader.number<int64_t>();
            event.endNs = reader.number<int64_t>();
        }
    }
    if (!reader.finished())
        return Failure(state_->outOfStep(Kind::ReadProfile));
    return profile;
}

RunnerOutcome RunnerClient::outcome() const {
    return state_->outcome;
}

bool RunnerClient::lackedMemory() const {
    return state_->lackedMemory;
}

void RunnerClient::stop() {
    state_->end();
}

} // namespace lathe::driver
