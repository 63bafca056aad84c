// SPDX-License-Identifier: Apache-2.0
//
// `lathe test`: every test in a child process, so that a crash or a hang takes no other test along. Children serve many
// tests one after the other; one that dies is replaced.
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "app/cli/test_case.h"
#include "app/cli/validators.h"
#include "base/child_process.h"
#include "base/json.h"
#include "base/parent_stream.h"
#include "device/device.h"

#include <atomic>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace lathe::cli {
namespace {

std::string toJson(const TestResult& result) {
    nlohmann::json line = {{"path", result.path}, {"outcome", result.outcome},      {"operator", result.op},
                           {"ms", result.ms},     {"compile_ms", result.compileMs}, {"message", result.message}};
    return dump(line);
}

TestResult fromJson(const std::string& path, const std::string& text) {
    TestResult result;
    result.path = path;
    result.outcome = "crashed";
    const auto parsed = parseJson(text);
    if (!parsed || !parsed->is_object())
        return result;
    const nlohmann::json& json = *parsed;
    result.outcome = json.value("outcome", "crashed");
    result.op = json.value("operator", "");
    result.message = json.value("message", "");
    result.ms = json.value("ms", 0.0);
    result.compileMs = json.value("compile_ms", 0.0);
    return result;
}

/// To one device, unless more are asked for: sshd turns away who comes with many others, and the device may be small.
constexpr size_t connectionsAtOnce = 4;

/// How tests are run: what a worker is told first, as JSON.
struct Settings {
    driver::Options options;
    driver::Decisions decisions;
    data::Tolerance tolerance = data::Tolerance::Onnx;
    std::chrono::milliseconds timeout{}; // of one test
    uint64_t seed = 0;
    device::Device device;
    std::string cc;                                   // by way of C source
    std::vector<std::string> plugins, withoutPlugins; // as in Common
};

std::string toJson(const Settings& settings) {
    return dump({{"options", driver::toJson(settings.options)},
                 {"decisions", driver::toJson(settings.decisions)},
                 {"tolerance", data::toString(settings.tolerance)},
                 {"timeout_ms", settings.timeout.count()},
                 {"seed", settings.seed},
                 {"device", toString(settings.device)},
                 {"cc", settings.cc},
                 {"plugins", settings.plugins},
                 {"without_plugins", settings.withoutPlugins}});
}

Result<Settings> parseSettings(const std::string& text) {
    const auto parsed = parseJson(text);
    if (!parsed || !parsed->is_object())
        return failure("a worker of `lathe test` is started by `lathe test` alone");
    const nlohmann::json& json = *parsed;
    Settings settings;
    LATHE_TRY(settings.options, driver::parseOptions(json.value("options", "")));
    LATHE_TRY(settings.decisions, driver::parseDecisions(json.value("decisions", "")));
    LATHE_TRY(settings.tolerance, data::parseTolerance(json.value("tolerance", "")));
    settings.timeout = std::chrono::milliseconds(json.value("timeout_ms", int64_t{0}));
    settings.seed = json.value("seed", uint64_t{0});
    LATHE_TRY(settings.device, device::parseDevice(json.value("device", "")));
    settings.cc = json.value("cc", "");
    Common common;
    common.plugins = json.value("plugins", std::vector<std::string>());
    common.withoutPlugins = json.value("without_plugins", std::vector<std::string>());
    LATHE_TRY(const std::vector<driver::FoundPlugin> plugins, pluginsOf(common));
    settings.options.extensions = driver::extensionsOf(plugins);
    return settings;
}

/// A child that runs tests. It is told its Settings, then paths, each as a message with its length (a path may hold any
/// byte but NUL); it answers each path by a message in JSON.
class Worker {
public:
    explicit Worker(const Settings& settings) : settings_(settings) {}

    TestResult run(const std::string& path) {
        using Io = ChildProcess::Io;
        const auto start = std::chrono::steady_clock::now();
        const auto deadline = start + settings_.timeout;
        const auto finish = [&](TestResult result) {
            if (result.ms == 0)
                result.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
            return result;
        };
        TestResult result;
        result.path = path;
        result.outcome = "crashed";
        Io io = Io::Done;
        if (!child_.running()) {
            if (const auto started = child_.start("/proc/self/exe", {"test-worker"}); !started) {
                result.message = toString(started.error());
                return finish(result);
            }
            io = child_.writeMessage(toJson(settings_), deadline);
        }
        std::string answer;
        if (io == Io::Done)
            io = child_.writeMessage(path, deadline);
        if (io == Io::Done)
            io = child_.readMessage(answer, maximalAnswer, deadline);
        if (io == Io::Done)
            return finish(fromJson(path, answer));
        if (io == Io::TimedOut) {
            child_.kill();
            result.outcome = "timeout";
            result.message = fmt::format("no answer within {} s", double(settings_.timeout.count()) / 1000);
        } else {
            result.message = "the process " + child_.reap();
        }
        return finish(result);
    }

private:
    static constexpr size_t maximalAnswer = size_t{1} << 26;
    const Settings& settings_;
    ChildProcess child_;
};

} // namespace

int testWorkerCommand(const Common& common) {
    const ParentStream parent;
    std::string text;
    const auto settings = parent.read(text) ? parseSettings(text) : parseSettings("");
    if (!settings)
        return report({settings.error()}, common);
    device::RunnerOptions runnerOptions;
    runnerOptions.threads = settings->options.threads > 0 ? settings->options.threads : 1;
    runnerOptions.timeout = settings->timeout;
    runnerOptions.seed = settings->seed;
    auto command = device::runnerCommand(settings->device, settings->options.target);
    if (!command)
        return report({command.error()}, common);
    device::useRunner(runnerOptions, *std::move(command));
    device::RunnerClient runner(runnerOptions);
    while (parent.read(text) && parent.write(toJson(runTest(testCaseOf(text), settings->tolerance, settings->options,
                                                            settings->decisions, runner, settings->cc))))
        ;
    return 0;
}

void addTestOptions(CLI::App& app, TestArgs& args, Common& common) {
    app.add_option("paths", args.paths, "folders or models")->required();
    app.add_option("--except", args.except, "leave out tests whose path contains this")->allow_extra_args(false);
    app.add_option("--jobs", args.jobs, "tests at one time (0: one a core)");
    app.add_option("--cc", args.cc, "by way of C source, which this command compiles: \"gcc -std=c99 -O2\"");
    addTolerance(app, args.tolerance, "output");
    app.add_option("--timeout", args.timeout, "seconds for one test, compilation included")->check(seconds());
    app.add_option("--seed", args.seed, "seed of random operators")->check(seed());
    addDevice(app, args.device);
    addTarget(app, common);
    addCompiling(app, common);
}

int testCommand(const TestArgs& args, const Common& common) {
    const auto tolerance = data::parseTolerance(args.tolerance);
    if (!tolerance)
        return report({tolerance.error()}, common);
    auto options = args.cc.empty() ? makeRunOptions(common, args.device) : makeSourceOptions(common);
    auto decisions = makeDecisions(common);
    const auto device = device::parseDevice(args.device);
    if (!options || !decisions || !device)
        return report({!options ? options.error() : !decisions ? decisions.error() : device.error()}, common);
    const Settings settings{*options,
                            *decisions,
                            *tolerance,
                            std::chrono::milliseconds(static_cast<int64_t>(args.timeout * 1000)),
                            args.seed,
                            *device,
                            args.cc,
                            common.plugins,
                            common.withoutPlugins};
    std::vector<TestCase> tests = findTests(args.paths);
    std::erase_if(tests, [&](const TestCase& test) {
        return std::any_of(args.except.begin(), args.except.end(), [&](const std::string& name) {
            return test.model.string().find(name) != std::string::npos;
        });
    });
    if (tests.empty())
        return report(
            {error(ErrorKind::Usage, fmt::format("no test below {}", fmt::join(args.paths, ", ")),
                   "a test is a model beside folders test_data_set_N, or beside a meta.json that names its runs")},
            common);
    std::map<std::string, int> counts;
    std::mutex mutex;
    std::atomic<size_t> next = 0;
    auto work = [&] {
        Worker worker(settings);
        for (size_t i = next++; i < tests.size(); i = next++) {
            TestResult result = worker.run(tests[i].model.string());
            std::lock_guard lock(mutex);
            ++counts[result.outcome];
            if (common.json)
                fmt::print("{}\n", toJson(result));
            else if (!common.quiet || result.outcome != "passed")
                printLine("{:8} {:8.0f} ms ({:.0f} to compile)  {}{}{}", result.outcome, result.ms, result.compileMs,
                          result.path, result.message.empty() ? "" : "  ", result.message);
            std::fflush(stdout);
        }
    };
    size_t jobs = args.jobs > 0 ? static_cast<size_t>(args.jobs) : std::max(1u, std::thread::hardware_concurrency());
    if (args.jobs == 0 && device->transport == device::Device::Transport::Ssh)
        jobs = std::min(jobs, connectionsAtOnce);
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < std::min(jobs, tests.size()); ++i)
            threads.emplace_back(work);
    }
    if (common.json)
        fmt::print("{}\n", dump({{"passed", counts["passed"]},
                                 {"wrong", counts["wrong"]},
                                 {"accepted", counts["accepted"]},
                                 {"refused", counts["refused"]},
                                 {"crashed", counts["crashed"]},
                                 {"timeout", counts["timeout"]}}));
    else
        printLine("{} passed, {} wrong, {} accepted, {} refused, {} crashed, {} timeout", counts["passed"],
                  counts["wrong"], counts["accepted"], counts["refused"], counts["crashed"], counts["timeout"]);
    return counts["wrong"] + counts["accepted"] + counts["crashed"] + counts["timeout"] > 0 ? 1 : 0;
}

} // namespace lathe::cli
