// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a runner, as runtime/runner/protocol.h has it.
#include "device/runner_client.h"

#include "abi/packed_strings.h"
#include "base/printable.h"
#include "device/input_integers.h"
#include "device/runner_state.h"
#include "runtime/lathe_rt.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace lathe::device {

using namespace runtime::protocol;
using model::HostTensor;

namespace {

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

/// Of strings: what lathe_rt.h says.
constexpr uint8_t stringBits = 8 * sizeof(lathe_string);

DataType readType(Reader& reader) {
    const auto code = reader.number<uint8_t>();
    const auto bits = reader.number<uint8_t>();
    if (code == kDLOpaqueHandle && bits == stringBits)
        return types::String;
    for (const TypePair& pair : typePairs)
        if (pair.theirs == code && bits > 0)
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
    std::vector<RunnerValue> values(reader.count(14));
    for (RunnerValue& value : values) {
        value.name = reader.string();
        value.dtype = readType(reader);
        value.dims = readDims(reader);
        value.form = reader.string();
        for (const int64_t dim : value.dims) {
            const bool known = isSymbol(dim) && static_cast<size_t>(-(dim + 1)) < symbols.size();
            value.sizes.push_back(known ? symbols[static_cast<size_t>(-(dim + 1))] : "");
        }
    }
    return values;
}

/// As the protocol has a value; false for types that no run has.
bool writeValue(Writer& payload, const HostTensor& value) {
    payload.number(static_cast<uint8_t>(value.form));
    if (value.isComposed()) {
        payload.number(static_cast<uint32_t>(value.parts.size()));
        return std::ranges::all_of(value.parts, [&](const HostTensor& part) { return writeValue(payload, part); });
    }
    const auto pair = std::ranges::find(typePairs, value.dtype.code, &TypePair::ours);
    if (pair == std::end(typePairs))
        return false;
    payload.number(pair->theirs);
    payload.number(value.dtype.bits);
    payload.number(static_cast<uint32_t>(value.shape.size()));
    for (const int64_t dim : value.shape)
        payload.number(dim);
    payload.number(uint64_t{value.bytes.size()});
    payload.raw(value.bytes.data(), value.bytes.size());
    return true;
}

bool readValue(Reader& reader, HostTensor& value, int depth) {
    const auto form = reader.number<uint8_t>();
    if (!reader.good() || form > static_cast<uint8_t>(HostTensor::Form::Optional) || depth > LATHE_MAX_FORM)
        return false;
    value.form = static_cast<HostTensor::Form>(form);
    if (value.isComposed()) {
        value.parts.resize(reader.count(5));
        return reader.good() &&
               std::ranges::all_of(value.parts, [&](HostTensor& part) { return readValue(reader, part, depth + 1); });
    }
    value.dtype = readType(reader);
    value.shape = readDims(reader);
    const auto data = reader.raw(reader.number<uint64_t>());
    if (!reader.good() || model::byteSize(value.dtype, value.shape) != std::ssize(data))
        return false;
    value.bytes.assign(data.begin(), data.end());
    return true;
}

/// "ann@desk", for whoever waits for a device.
std::string userHere() {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    const char* user = std::getenv("USER");
    return fmt::format("{:.64}@{}", user && *user ? user : std::to_string(getuid()), *host ? host : "somewhere");
}

Result<void> sendOptions(RunnerConnection& connection) {
    const RunnerOptions& options = connection.options;
    Writer limits;
    limits.number(int32_t{options.threads});
    limits.number(options.contextBytes);
    limits.number(options.processBytes);
    limits.number(static_cast<uint32_t>(options.guard));
    limits.number(uint32_t{options.pinned});
    LATHE_CHECKED(connection.command(Kind::Limits, limits.bytes()));
    if (!options.seed)
        return {};
    Writer seed;
    seed.number(*options.seed);
    return connection.command(Kind::Seed, seed.bytes());
}

} // namespace

std::string typeText(const RunnerValue& value) {
    std::vector<std::string> dims;
    for (size_t i = 0; i < value.dims.size(); ++i)
        dims.push_back(value.dims[i] >= 0                                  ? std::to_string(value.dims[i])
                       : i < value.sizes.size() && !value.sizes[i].empty() ? value.sizes[i]
                                                                           : "?");
    std::string text =
        value.dtype == types::Void ? "nothing" : fmt::format("{}[{}]", toString(value.dtype), fmt::join(dims, ","));
    for (const char form : value.form | std::views::reverse)
        text = fmt::format("{}({})", form == 'l' ? "list" : "optional", text);
    return text;
}

void useRunner(RunnerOptions& options, RunnerCommand command) {
    options.program = std::move(command.program);
    options.arguments = std::move(command.arguments);
    options.ssh = std::move(command.ssh);
}

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
    LATHE_CHECKED(sendOptions(*state_));
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
    model.states = readValues(reader, model.symbols);
    readIntegers(model);
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
    state_->composed.clear();
    for (const RunnerValue& output : model.outputs)
        state_->composed.push_back(!output.form.empty());
    state_->hasStates = !model.states.empty();
    state_->callCount = model.calls.size();
    state_->stateCount = static_cast<int32_t>(model.states.size());
    return model;
}

Result<void> RunnerClient::setInput(const std::string& name, const HostTensor& tensor) {
    if (tensor.isComposed()) {
        Writer payload;
        payload.string(name);
        if (!writeValue(payload, tensor))
            return Failure(
                state_->fail(RunnerOutcome::Refused, fmt::format("input '{}': a tensor of it cannot be run", name)));
        return state_->command(Kind::InputValue, payload.bytes());
    }
    const bool strings = tensor.dtype == types::String;
    const auto pair = std::ranges::find(typePairs, tensor.dtype.code, &TypePair::ours);
    if (!strings && pair == std::end(typePairs))
        return Failure(state_->fail(RunnerOutcome::Refused, fmt::format("input '{}': tensors of {} cannot be run", name,
                                                                        toString(tensor.dtype))));
    Writer payload;
    payload.string(name);
    payload.number(strings ? uint8_t{kDLOpaqueHandle} : pair->theirs);
    payload.number(strings ? stringBits : tensor.dtype.bits);
    payload.number(static_cast<uint32_t>(tensor.shape.size()));
    for (const int64_t dim : tensor.shape)
        payload.number(dim);
    const std::vector<std::byte> packed = strings ? abi::packStrings(tensor.strings) : std::vector<std::byte>();
    const std::span<const std::byte> data = strings ? std::span(packed) : std::span(tensor.bytes);
    payload.number(uint64_t{data.size()});
    return state_->command(Kind::Input, payload.bytes(), data);
}

Result<void> RunnerClient::resetStates() {
    return state_->hasStates ? state_->command(Kind::ResetStates) : Result<void>();
}

Result<void> RunnerClient::setState(const std::string& name, const HostTensor& tensor) {
    const auto pair = std::ranges::find(typePairs, tensor.dtype.code, &TypePair::ours);
    if (pair == std::end(typePairs))
        return Failure(state_->fail(RunnerOutcome::Refused, fmt::format("state '{}': tensors of {} cannot be run", name,
                                                                        toString(tensor.dtype))));
    Writer payload;
    payload.string(name);
    payload.number(pair->theirs);
    payload.number(tensor.dtype.bits);
    payload.number(static_cast<uint32_t>(tensor.shape.size()));
    for (const int64_t dim : tensor.shape)
        payload.number(dim);
    payload.number(uint64_t{tensor.bytes.size()});
    return state_->command(Kind::SetState, payload.bytes(), tensor.bytes);
}

Result<std::vector<HostTensor>> RunnerClient::states() {
    std::vector<HostTensor> states;
    for (int32_t index = 0; index < state_->stateCount; ++index) {
        Writer payload;
        payload.number(index);
        LATHE_TRY(Reader reader, state_->request(Kind::State, payload.bytes()));
        HostTensor& tensor = states.emplace_back();
        tensor.dtype = readType(reader);
        tensor.shape = readDims(reader);
        const auto data = reader.raw(reader.number<uint64_t>());
        if (!reader.finished() || model::byteSize(tensor.dtype, tensor.shape) != std::ssize(data))
            return Failure(state_->outOfStep(Kind::State));
        tensor.bytes.assign(data.begin(), data.end());
    }
    return states;
}

Result<RunnerTimes> RunnerClient::run(int times) {
    const int runs = std::clamp(times, 0, static_cast<int>(runtime::limits::runsAtOnce));
    Writer payload;
    payload.number(static_cast<uint32_t>(runs));
    LATHE_TRY(Reader reader, state_->request(Kind::Run, payload.bytes()));
    RunnerTimes result;
    result.ns = readDims(reader);
    for (int64_t* field :
         {&result.arenaPeak, &result.arenaReserved, &result.outputBytes, &result.inputBytes, &result.residentPeak})
        *field = reader.number<int64_t>();
    if (!reader.finished() || std::ssize(result.ns) != runs ||
        !std::ranges::all_of(result.ns, [](int64_t ns) { return ns >= 0; }))
        return Failure(state_->outOfStep(Kind::Run));
    return result;
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

Result<std::string> RunnerClient::tryLease() {
    if (!state_->options.ssh)
        return "";
    LATHE_CHECKED(state_->ensureStarted());
    Writer who;
    who.string(userHere());
    LATHE_TRY(Reader reader, state_->request(Kind::Lease, who.bytes()));
    std::string holder = printable(reader.string());
    if (!reader.finished())
        return Failure(state_->outOfStep(Kind::Lease));
    return holder;
}

Result<std::string> RunnerClient::waitForLease(std::chrono::nanoseconds most,
                                               const std::function<void(const std::string&)>& noted) {
    using std::chrono::steady_clock;
    if (state_->options.ssh)
        LATHE_CHECKED(state_->ensureStarted()); // which is no waiting
    const auto begun = steady_clock::now();
    for (bool isFirst = true;; isFirst = false) {
        LATHE_TRY(std::string holder, tryLease());
        if (holder.empty())
            return holder;
        if (state_->options.cancelled && state_->options.cancelled()) {
            state_->outcome = RunnerOutcome::Cancelled;
            return failure(ErrorKind::Cancelled, "cancelled");
        }
        if (steady_clock::now() - begun >= most)
            return holder;
        if (isFirst && noted)
            noted(fmt::format("{} measures on {}: waiting", holder, printable(state_->options.ssh->device)));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

Result<void> RunnerClient::leaseDevice(const std::function<void(const std::string&)>& noted) {
    LATHE_TRY(const std::string holder, waitForLease(state_->options.timeout, noted));
    if (holder.empty())
        return {};
    return Failure(state_->fail(RunnerOutcome::Unavailable,
                                fmt::format("{} measures on {}", holder, printable(state_->options.ssh->device)),
                                "wait until that is done"));
}

Result<void> RunnerClient::releaseDevice() {
    return state_->options.ssh && state_->child.running() ? state_->command(Kind::Release) : Result<void>();
}

Result<HostTensor> RunnerClient::output(int index) {
    Writer payload;
    payload.number(int32_t{index});
    if (index >= 0 && static_cast<size_t>(index) < state_->composed.size() &&
        state_->composed[static_cast<size_t>(index)]) {
        LATHE_TRY(Reader reader, state_->request(Kind::OutputValue, payload.bytes()));
        HostTensor value;
        if (!readValue(reader, value, 0) || !reader.finished())
            return Failure(state_->outOfStep(Kind::OutputValue));
        return value;
    }
    LATHE_TRY(Reader reader, state_->request(Kind::Output, payload.bytes()));
    HostTensor tensor;
    tensor.dtype = readType(reader);
    tensor.shape = readDims(reader);
    const auto data = reader.raw(reader.number<uint64_t>());
    const auto count = model::elementsOf(tensor.shape);
    if (tensor.dtype == types::String) {
        if (reader.finished() && count &&
            abi::unpackStrings(data, static_cast<uint64_t>(*count),
                               [&](std::string_view text) { tensor.strings.emplace_back(text); }))
            return tensor;
        return Failure(state_->outOfStep(Kind::Output));
    }
    if (!reader.finished() || model::byteSize(tensor.dtype, tensor.shape) != std::ssize(data))
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

RunnerOutcome RunnerClient::outcome() const {
    return state_->outcome;
}

bool RunnerClient::lackedMemory() const {
    return state_->lackedMemory;
}

void RunnerClient::stop() {
    state_->end();
}

} // namespace lathe::device
