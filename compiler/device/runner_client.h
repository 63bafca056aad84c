// SPDX-License-Identifier: Apache-2.0
//
// Runs artifacts in a child process, lathe-runner, so that a bad kernel, a hang or an over-allocation ends the child
// and becomes a Diagnostic. One client has one child, which serves any number of loads and is started anew after it
// died. The child may be one on another machine, over ssh: then artifacts are sent there, and that the machine is lost is told
// apart from what a model does there.
#pragma once

#include "base/result.h"
#include "device/device.h"
#include "model/host_tensor.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe::device {

/// Whether a model's buffers lie between pages that nobody may touch, and which of their ends meets these exactly. Inputs
/// are then pages that nobody may write.
enum class Guard : uint8_t { None, End, Start };

struct RunnerOptions {
    int threads = 0;          // 0: all
    int64_t contextBytes = 0; // arena, outputs, copied inputs and states of a model; 0: no limit
    int64_t processBytes = 0; // writable memory of the whole child; 0: no limit
    std::optional<uint64_t> seed = {};
    Guard guard = Guard::None;
    bool pinned = false;                       // to as many CPUs as threads, not the first ones if there are more
    std::chrono::milliseconds timeout{60'000}; // of each request
    std::function<bool()> cancelled = {};      // asked while a request waits: true ends the child
    std::filesystem::path program = {};        // empty: $LATHE_RUNNER, or lathe-runner beside this program
    std::vector<std::string> arguments = {};   // of it: what an emulator runs (device/device.h)
    std::optional<SshRunner> ssh = {};         // instead of it: one on another machine
};
/// With the runner of this command.
void useRunner(RunnerOptions& options, RunnerCommand command);

/// A dim of a RunnerValue that no input says.
inline constexpr int64_t knownWhileRunning = INT64_MIN;
/// Whether a dim of a RunnerValue is a symbol of the model: a size that its inputs say, and the same wherever it stands.
constexpr bool isSymbol(int64_t dim) {
    return dim < 0 && dim != knownWhileRunning;
}

/// Of an input, where the model says which it takes (relay/taken_integers.h): at least `least`, and less than each limit.
struct InputIntegers {
    struct Limit {
        int64_t dim = 0;  // as in RunnerValue::dims, but not known while running
        int64_t more = 0; // value < size + more
    };
    int64_t least = 0;
    std::vector<Limit> below;
};

struct RunnerValue {
    std::string name;
    DataType dtype;
    std::vector<int64_t> dims;                  // >= 0, or -(symbol + 1), or knownWhileRunning
    std::vector<std::string> sizes = {};        // names of those that are symbols; empty of others
    std::optional<InputIntegers> integers = {}; // of an input
    /// Empty: a tensor. Else what is around its tensors, from outside in: 'l' a list, 'o' an optional. Their dims are sizes, or
    /// knownWhileRunning where each has its own. Of dtype Void: it can only be empty.
    std::string form = {};
};
/// "float32[n,3,?]", "list(float32[?])": open sizes by their names in the model.
std::string typeText(const RunnerValue& value);

struct RunnerCall {
    std::string function; // the fused function
    std::string kernel;
    std::vector<std::string> nodes; // by origin
    double flops = 0, bytes = 0;
};

struct RunnerModel {
    std::string name;
    std::string metadata; // JSON
    std::vector<std::string> symbols;
    std::vector<RunnerValue> inputs, outputs, states;
    std::vector<RunnerCall> calls;
};

struct RunnerTimes {
    std::vector<int64_t> ns;   // of each run
    int64_t arenaPeak = 0;     // bytes in use at most, in the last run
    int64_t arenaReserved = 0; // bytes
    int64_t outputBytes = 0, inputBytes = 0;
    int64_t residentPeak = 0; // bytes of the whole child, since it started
};

struct RunnerProfile {
    struct Entry {
        int64_t count = 0, totalNs = 0, minNs = 0, maxNs = 0;
    };
    struct Event {
        int32_t call = 0;
        int32_t chunks = 0; // -1: the whole call; -2: waiting for other threads
        int64_t beginNs = 0, endNs = 0;
    };
    std::vector<Entry> calls;                // as RunnerModel::calls
    std::vector<std::vector<Event>> threads; // the timeline
};

/// What the processor counted, over all threads of the child.
struct RunnerCounters {
    std::string refused; // why the processor's own counters say nothing, as the system puts it; empty: they do
    struct Count {
        std::string name; // "instructions"
        double perRun = 0;
    };
    std::vector<Count> counts;
};
/// On one line: "1.2e+09 instructions, …, 1.52 instructions a cycle", and that there are none, with the reason.
std::string toString(const RunnerCounters& counters);

/// How a kernel's artifact (driver/kernel_artifact.h) is timed.
struct RunnerBench {
    std::string kernel;                         // the artifact's name
    int64_t which = 0;                          // of its kernels
    std::vector<int64_t> sizes;                 // the kernel's scalars
    int warmUps = 3;                            // calls before the first sample
    int64_t calls = 0;                          // in a sample; 0: as many as `least` takes, which is found by running
    std::chrono::nanoseconds least{10'000'000}; // that a sample takes: as many calls as that needs
    int samples = 10;
    int64_t flushBytes =
        0; // written by the calling thread before each call, so that caches are cold; 0: they stay warm
};

struct RunnerBenchTimes {
    int64_t calls = 0; // in each sample
    struct Sample {
        double ns = 0;        // of a call, a mean
        double lost = 0;      // the share of its time in which the calling thread had no CPU: 0 … 1
        int64_t switches = 0; // how often a thread of the child was put off its CPU against its will
    };
    std::vector<Sample> samples;
};

/// How fast the machine is just now: nanoseconds of some work that is always the same.
struct RunnerProbe {
    double computeNs = 0, readNs = 0;
};

/// How the last request that failed did. Timeout, Cancelled, Crashed, Overwrote, OutOfMemory and Lost have ended the child.
enum class RunnerOutcome {
    Good,
    Refused,     // the runner gave an error status: a bad artifact, a mismatched input, a failed check of the model
    Crashed,     // under a Guard also: it touched memory outside its buffers
    Overwrote,   // under a Guard: it wrote into an input
    OutOfMemory, // what it is sent does not fit into what it may use, or the system of a device over ssh ended it
    Lost,        // the device over ssh, or the connection to it, is gone: this says nothing of the model
    Timeout,
    Cancelled,   // as RunnerOptions::cancelled asked
    Unavailable, // the runner cannot be started, or speaks another protocol
};

class RunnerClient {
public:
    explicit RunnerClient(RunnerOptions options = {});
    ~RunnerClient();
    RunnerClient(const RunnerClient&) = delete;
    RunnerClient& operator=(const RunnerClient&) = delete;

    const RunnerOptions& options() const;
    /// Holds for requests from now on; threads, seed and memory limits for models loaded from now on.
    void setOptions(RunnerOptions options);

    /// Starts the child if none is alive, and loads the artifact in place of the one before.
    Result<RunnerModel> load(const std::filesystem::path& artifact);
    /// A tensor, or a list or an optional.
    Result<void> setInput(const std::string& name, const model::HostTensor& value);
    /// What the model keeps from one run to the next is as it was when it was loaded.
    Result<void> resetStates();
    /// What the next run goes on from.
    Result<void> setState(const std::string& name, const model::HostTensor& tensor);
    /// Of all states, in the model's order.
    Result<std::vector<model::HostTensor>> states();
    /// Runs `times` times; timeout() holds for all of them together.
    Result<RunnerTimes> run(int times = 1);
    /// Runs `times` times, and counts.
    Result<RunnerCounters> count(int times);
    /// Of a loaded kernel artifact whose inputs but the last one are set.
    Result<RunnerBenchTimes> bench(const RunnerBench& plan);
    Result<RunnerProbe> probe();
    /// Names and values of what the machine where the child runs is: runtime/runner/facts.h. Starts the child if none is
    /// alive.
    Result<std::vector<std::pair<std::string, std::string>>> facts();
    /// Of a device over ssh: asks for having it until the child ends or releaseDevice(). Empty: it has, as it has other
    /// devices always; else who has it. Starts the child if none is alive.
    Result<std::string> tryLease();
    /// The same until it has it, or so much time is over; tells `noted` once if it has to wait. Fails as Cancelled too.
    Result<std::string> waitForLease(std::chrono::nanoseconds most,
                                     const std::function<void(const std::string&)>& noted = {});
    /// The same for as long as a request may take; then it fails, as Unavailable.
    Result<void> leaseDevice(const std::function<void(const std::string&)>& noted = {});
    Result<void> releaseDevice();
    Result<model::HostTensor> output(int index);
    /// All outputs, in the model's order.
    Result<std::vector<model::HostTensor>> outputs();
    /// timelineEvents: capacity a thread; 0: sums alone.
    Result<void> startProfile(int timelineEvents = 0);
    Result<void> stopProfile();
    Result<RunnerProfile> readProfile();

    RunnerOutcome outcome() const;
    /// Whether it was Refused since there is no memory for it.
    bool lackedMemory() const;
    /// Ends the child.
    void stop();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace lathe::device
