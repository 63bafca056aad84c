// SPDX-License-Identifier: Apache-2.0
//
// The runner's protocol on both sides: a client that sends anything to the runner, and a runner that answers anything to the
// client; and artifacts that are damaged.
#include "device/runner_client.h"
#include "driver/compile.h"
#include "fuzz/targets.h"
#include "runtime/lathe_rt.h"
#include "runtime/runner/server.h"
#include "support/onnx_model.h"

#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace lathe::fuzz {
namespace {

using runtime::protocol::FrameHeader;
using runtime::protocol::Kind;

/// An artifact of a small model: made once in a process.
const std::string& artifact() {
    static const std::string bytes = [] {
        const std::string model =
            testing::graphBytes("small (float[n,4] x) => (float[n,3] y) <float[4,3] w = {1,2,3,4,5,6,7,8,9,10,11,12}> {"
                                " a = MatMul (x, w)  y = Relu (a) }");
        driver::Options options;
        options.cache = false;
        options.threads = 1;
        options.target = *codegen::parseTarget("x86-64-v3"); // the same patches meet the same bytes on every machine
        const MemoryFile out("artifact");
        driver::Trace trace;
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(model)), "small.onnx", out.path(), {}, options, trace);
        require(compiled.has_value(), compiled ? "" : toString(compiled.error()));
        std::ifstream stream(out.path(), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    }();
    return bytes;
}

template <class T>
T& at(std::string& bytes, size_t offset) {
    return *reinterpret_cast<T*>(bytes.data() + offset);
}

/// The requests, each able to end soon: what the protocol lets a client ask for may take hours, or end the process, and is no
/// fault. Loads are of the artifact that the process has.
std::string tamed(std::string_view stream, const std::string& path) {
    std::string result;
    FrameHeader header;
    while (stream.size() >= sizeof header) {
        std::memcpy(&header, stream.data(), sizeof header);
        const std::string_view payload = stream.substr(sizeof header, header.bytes);
        stream.remove_prefix(sizeof header + payload.size());
        std::string frame(payload);
        const auto limit = [&](size_t offset, uint32_t most) {
            if (frame.size() >= offset + sizeof(uint32_t))
                at<uint32_t>(frame, offset) %= most;
        };
        switch (header.kind) {
        case Kind::Load:
            if (payload == "@") {
                runtime::protocol::Writer writer;
                writer.string(path);
                frame.assign(reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size());
                header.bytes = frame.size();
            }
            break;
        case Kind::Limits: // threads and the guard, whose handler of faults would hide those that are looked for
            limit(0, 4);
            limit(20, 1);
            break;
        case Kind::Run:
        case Kind::Count:
            limit(0, 4);
            break;
        case Kind::Profile:
            limit(4, 1000);
            break;
        case Kind::Bench:
        case Kind::Probe: // measure
            continue;
        default:
            break;
        }
        result.append(reinterpret_cast<const char*>(&header), sizeof header).append(frame);
    }
    return result.append(stream);
}

/// A corpus outlives versions of the protocol: what the first reply says of its own becomes this one.
std::string ofThisVersion(std::string_view stream) {
    std::string result(stream);
    FrameHeader header;
    if (result.size() >= sizeof header + sizeof(uint32_t)) {
        std::memcpy(&header, result.data(), sizeof header);
        if (header.kind == Kind::Ok && header.bytes >= sizeof(uint32_t))
            std::memcpy(result.data() + sizeof header, &runtime::protocol::protocolVersion, sizeof(uint32_t));
    }
    return result;
}

} // namespace

bool serveRequests(std::string_view stream) {
    static const MemoryFile model = fileOf(artifact());
    static const int nowhere = open("/dev/null", O_WRONLY);
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    const MemoryFile requests = fileOf(tamed(stream, model.path().string()));
    const int in = open(requests.path().c_str(), O_RDONLY | O_CLOEXEC);
    runtime::runner::Server server(in, nowhere);
    const int code = server.serve();
    close(in);
    sched_setaffinity(0, sizeof cpus, &cpus);
    require(code == 0 || code == runtime::protocol::exitMalformed || code == runtime::protocol::exitNoMemory,
            "the runner ended with " + std::to_string(code));
    return code == 0;
}

bool readReplies(std::string_view stream) {
    const MemoryFile replies = fileOf(ofThisVersion(stream));
    device::RunnerOptions options;
    // A runner that says what it says, whatever it is asked; it takes requests to the end, and says no more.
    options.program = "/bin/sh";
    options.arguments = {"-c", "cat \"$0\"; exec cat > /dev/null", replies.path().string()};
    options.timeout = std::chrono::seconds(5);
    device::RunnerClient client(options);
    const auto loaded = client.load("/dev/null");
    if (!loaded)
        return false;
    for (const device::RunnerValue& input : loaded->inputs)
        (void)device::typeText(input);
    const auto ran = client.run(1);
    if (!ran)
        return false;
    (void)client.outputs();
    (void)client.readProfile();
    (void)client.facts();
    (void)client.count(1);
    (void)client.bench({.kernel = "k", .sizes = {4}, .samples = 2});
    return true;
}

/// Patches of eight bytes: where, how many bytes, what is done (the last bit: counted from the end), and a value.
bool loadArtifact(std::string_view patches) {
    std::string bytes = artifact();
    for (; patches.size() >= 8 && !bytes.empty(); patches.remove_prefix(8)) {
        uint32_t place = 0;
        uint16_t count = 0;
        std::memcpy(&place, patches.data(), 4);
        std::memcpy(&count, patches.data() + 4, 2);
        const auto what = static_cast<unsigned char>(patches[6]);
        const size_t position = (what & 1) ? bytes.size() - 1 - place % bytes.size() : place % bytes.size();
        const size_t length = std::min<size_t>(count, bytes.size() - position);
        switch ((what >> 1) % 5) {
        case 0:
            bytes[position] = patches[7];
            break;
        case 1:
            bytes.replace(position, length, length, patches[7]);
            break;
        case 2:
            bytes.erase(position, length);
            break;
        case 3:
            bytes.insert(position, count, patches[7]);
            break;
        default:
            bytes.resize(position);
        }
    }
    const MemoryFile file = fileOf(bytes);
    bool isLoaded = false;
    for (const bool verify : {true, false}) {
        lathe_model* model = nullptr;
        const lathe_status status =
            verify ? lathe_model_verify(file.path().c_str()) : lathe_model_load(file.path().c_str(), &model);
        require(status == LATHE_OK || std::strlen(lathe_thread_error()) > 0, "refused without a word");
        require(verify || (status == LATHE_OK) == (model != nullptr), "a model and a refusal");
        isLoaded = isLoaded || model;
        lathe_model_free(model);
    }
    return isLoaded;
}

} // namespace lathe::fuzz
