// SPDX-License-Identifier: Apache-2.0
//
// `lathe test`: every test in a child process, so that a crash or a hang takes no other test along. Children serve many
// tests one after the other; one that dies is replaced.
#include "app/cli/commands.h"
#include "app/cli/test_case.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lathe::cli {
namespace {

std::string toJson(const TestResult& result) {
    nlohmann::json line = {{"path", result.path}, {"outcome", result.outcome},      {"operator", result.op},
                           {"ms", result.ms},     {"compile_ms", result.compileMs}, {"message", result.message}};
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A child that runs tests: a line with a path in, a JSON line out.
class Worker {
public:
    Worker(std::vector<std::string> command) : command_(std::move(command)) {}
    ~Worker() { stop(); }

    TestResult run(const std::string& path, double seconds) {
        TestResult result;
        result.path = path;
        auto start = std::chrono::steady_clock::now();
        auto elapsed = [&] {
            return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        };
        if (pid_ <= 0 && !launch()) {
            result.outcome = "crashed";
            result.message = "the test process could not be started";
            return result;
        }
        std::string line = path + "\n";
        if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            return died(result, elapsed());
        std::string answer;
        while (answer.find('\n') == std::string::npos) {
            double left = seconds * 1000 - elapsed();
            pollfd waiting{from_, POLLIN, 0};
            int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left) + 1) : 0;
            if (ready == 0) {
                kill(pid_, SIGKILL);
                stop();
                result.outcome = "timeout";
                result.ms = elapsed();
                result.message = fmt::format("no answer within {} s", seconds);
                return result;
            }
            char buffer[65536];
            ssize_t count = ready > 0 ? read(from_, buffer, sizeof(buffer)) : -1;
            if (count <= 0)
                return died(result, elapsed());
            answer.append(buffer, static_cast<size_t>(count));
        }
        nlohmann::json json = nlohmann::json::parse(answer, nullptr, false);
        if (!json.is_object())
            return died(result, elapsed());
        result.outcome = json.value("outcome", "crashed");
        result.op = json.value("operator", "");
        result.message = json.value("message", "");
        result.ms = json.value("ms", 0.0);
        result.compileMs = json.value("compile_ms", 0.0);
        return result;
    }

private:
    TestResult died(TestResult result, double ms) {
        int status = 0;
        if (pid_ > 0)
            waitpid(pid_, &status, 0);
        pid_ = -1;
        stop();
        result.outcome = "crashed";
        result.ms = ms;
        result.message = WIFSIGNALED(status) ? fmt::format("the process ended by signal {} ({})", WTERMSIG(status),
                                                           strsignal(WTERMSIG(status)))
                                             : fmt::format("the process ended with status {}", WEXITSTATUS(status));
        return result;
    }

    bool launch() {
        int in[2], out[2];
        if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
            return false;
        std::vector<char*> argv;
        for (std::string& word : command_)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            execv("/proc/self/exe", argv.data());
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        to_ = in[1];
        from_ = out[0];
        return pid_ > 0;
    }

    void stop() {
        if (to_ >= 0)
            close(to_);
        if (from_ >= 0)
            close(from_);
        to_ = from_ = -1;
        if (pid_ > 0)
            waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

    std::vector<std::string> command_;
    pid_t pid_ = -1;
    int to_ = -1, from_ = -1;
};

std::vector<std::string> workerCommand(const TestArgs& args, const Common& common) {
    std::vector<std::string> command = {"lathe",       "test-worker",
                                        "--tolerance", args.tolerance,
                                        "--target",    common.target,
                                        "--numerics",  common.numerics,
                                        "--threads",   std::to_string(common.threads),
                                        "--timeout",   std::to_string(args.timeout),
                                        "--seed",      std::to_string(args.seed)};
    if (common.optionalLimit >= 0)
        command.insert(command.end(), {"--optional-limit", std::to_string(common.optionalLimit)});
    if (!common.decisionsFile.empty())
        command.insert(command.end(), {"--decisions", common.decisionsFile});
    for (const std::string& shape : common.shapes)
        command.insert(command.end(), {"--shape", shape});
    if (common.verify)
        command.push_back("--verify");
    if (common.noCache)
        command.push_back("--no-cache");
    return command;
}

} // namespace

int testWorkerCommand(const TestArgs& args, const Common& common) {
    auto options = makeOptions(common);
    auto decisions = makeDecisions(common);
    if (!options || !decisions)
        return report({options ? decisions.error() : options.error()}, common);
    driver::RunnerOptions runnerOptions;
    runnerOptions.threads = common.threads > 0 ? common.threads : 1;
    runnerOptions.timeout = std::chrono::milliseconds(static_cast<int64_t>(args.timeout * 1000));
    runnerOptions.seed = args.seed;
    driver::RunnerClient runner(runnerOptions);
    driver::Tolerance tolerance = args.tolerance == "model" ? driver::Tolerance::Model : driver::Tolerance::Onnx;
    for (std::string path; std::getline(std::cin, path);) {
        TestResult result = runTest(testCaseOf(path), tolerance, *options, *decisions, runner);
        fmt::print("{}\n", toJson(result));
        std::fflush(stdout);
    }
    return 0;
}

int testCommand(const TestArgs& args, const Common& common) {
    signal(SIGPIPE, SIG_IGN);
    if (args.tolerance != "onnx" && args.tolerance != "model") {
        fmt::print(stderr, "unknown tolerance '{}': use onnx or model\n", args.tolerance);
        return 2;
    }
    auto options = makeOptions(common);
    auto decisions = makeDecisions(common);
    if (!options || !decisions)
        return report({options ? decisions.error() : options.error()}, common);
    std::vector<TestCase> tests = findTests(args.paths);
    std::erase_if(tests, [&](const TestCase& test) {
        return std::any_of(args.except.begin(), args.except.end(), [&](const std::string& name) {
            return test.model.string().find(name) != std::string::npos;
        });
    });
    if (tests.empty()) {
        fmt::print(stderr, "error: no ONNX test below {}\n", fmt::join(args.paths, ", "));
        return 1;
    }
    std::map<std::string, int> counts;
    std::mutex mutex;
    std::atomic<size_t> next = 0;
    auto work = [&] {
        Worker worker(workerCommand(args, common));
        for (size_t i = next++; i < tests.size(); i = next++) {
            TestResult result = worker.run(tests[i].model.string(), args.timeout);
            std::lock_guard lock(mutex);
            ++counts[result.outcome];
            if (common.json)
                fmt::print("{}\n", toJson(result));
            else if (!common.quiet || result.outcome != "passed")
                fmt::print("{:8} {:8.0f} ms ({:.0f} to compile)  {}{}{}\n", result.outcome, result.ms, result.compileMs,
                           result.path, result.message.empty() ? "" : "  ", result.message);
            std::fflush(stdout);
        }
    };
    size_t jobs = args.jobs > 0 ? static_cast<size_t>(args.jobs) : std::max(1u, std::thread::hardware_concurrency());
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < std::min(jobs, tests.size()); ++i)
            threads.emplace_back(work);
    }
    if (common.json)
        fmt::print("{}\n", nlohmann::json{{"passed", counts["passed"]},
                                          {"wrong", counts["wrong"]},
                                          {"refused", counts["refused"]},
                                          {"crashed", counts["crashed"]},
                                          {"timeout", counts["timeout"]}}
                               .dump());
    else
        fmt::print("{} passed, {} wrong, {} refused, {} crashed, {} timeout\n", counts["passed"], counts["wrong"],
                   counts["refused"], counts["crashed"], counts["timeout"]);
    return counts["wrong"] + counts["crashed"] + counts["timeout"] > 0 ? 1 : 0;
}

} // namespace lathe::cli
