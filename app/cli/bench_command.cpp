// SPDX-License-Identifier: Apache-2.0
//
// `lathe bench`: medians of alternating rounds, so that a drifting machine hits all contenders alike. A contender other than
// Lathe is a command, given by --against NAME=COMMAND: started as `COMMAND MODEL THREADS DATAFOLDER`, it prints "ready",
// then for each line "run" on its standard input runs once and prints the nanoseconds.
#include "app/cli/session.h"
#include "app/cli/test_case.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lathe::cli {
namespace {

class Contender {
public:
    Contender(std::string name, const std::string& command, const std::string& model, int threads,
              const std::string& data)
        : name_(std::move(name)) {
        int in[2], out[2];
        if (pipe(in) != 0 || pipe(out) != 0)
            return;
        std::string line = fmt::format("exec {} '{}' {} '{}'", command, model, threads, data);
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            close(in[1]);
            close(out[0]);
            execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        to_ = fdopen(in[1], "w");
        from_ = fdopen(out[0], "r");
        ready_ = readLine() == "ready";
    }
    ~Contender() {
        if (to_)
            std::fclose(to_);
        if (from_)
            std::fclose(from_);
        if (pid_ > 0)
            waitpid(pid_, nullptr, 0);
    }
    const std::string& name() const { return name_; }
    bool ready() const { return ready_; }
    /// Nanoseconds of one run; negative if it failed.
    double run() {
        std::fputs("run\n", to_);
        std::fflush(to_);
        std::string line = readLine();
        return line.empty() ? -1 : std::strtod(line.c_str(), nullptr);
    }

private:
    std::string readLine() {
        char line[256];
        if (!from_ || !std::fgets(line, sizeof(line), from_))
            return {};
        std::string text = line;
        while (!text.empty() && text.back() == '\n')
            text.pop_back();
        return text;
    }
    std::string name_;
    pid_t pid_ = -1;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
    bool ready_ = false;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

struct Row {
    std::string runtime;
    std::vector<double> ns;
    double compileSeconds = 0;
    int64_t peakBytes = 0;
};

void print(const std::string& model, int threads, const Row& row, const Common& common) {
    double middle = median(row.ns) / 1e6,
           least = row.ns.empty() ? 0 : *std::min_element(row.ns.begin(), row.ns.end()) / 1e6;
    if (common.json)
        fmt::print("{}\n", nlohmann::json{{"model", model},
                                          {"threads", threads},
                                          {"runtime", row.runtime},
                                          {"median_ms", middle},
                                          {"min_ms", least},
                                          {"rounds", row.ns.size()},
                                          {"compile_s", row.compileSeconds},
                                          {"peak_bytes", row.peakBytes}}
                               .dump());
    else
        fmt::print("{:28} {:2} threads  {:12} median {:10.3f} ms  min {:10.3f} ms  {} rounds  compiled in {:.2f} s  "
                   "peak {:.1f} MB\n",
                   model, threads, row.runtime, middle, least, row.ns.size(), row.compileSeconds,
                   static_cast<double>(row.peakBytes) / 1e6);
}

Result<std::vector<Row>> benchModel(const std::string& model, int threads, const BenchArgs& args,
                                    const Common& common) {
    const MemoryFile memory("lathe-model");
    driver::Trace trace;
    double seconds = 0;
    LATHE_TRY(std::filesystem::path path, artifactFor(model, memory, common, trace, seconds));
    driver::RunnerOptions options;
    options.threads = threads;
    options.timeout = std::chrono::minutes(10);
    driver::RunnerClient runner(options);
    LATHE_TRY(driver::RunnerModel loaded, runner.load(path));
    TestCase test = testCaseOf(model);
    std::vector<std::string> inputs;
    std::string data;
    if (!test.dataSets.empty()) {
        data = test.dataSets.front().string();
        for (size_t i = 0; i < loaded.inputs.size(); ++i)
            inputs.push_back(fmt::format("{}={}", loaded.inputs[i].name,
                                         (test.dataSets.front() / fmt::format("input_{}.pb", i)).string()));
    }
    LATHE_TRY(driver::Options compileOptions, makeOptions(common));
    LATHE_CHECKED(setInputs(runner, loaded, inputs, 0, compileOptions.shapes));
    std::vector<std::unique_ptr<Contender>> contenders;
    std::vector<Row> rows(1);
    rows[0].runtime = "lathe";
    rows[0].compileSeconds = seconds;
    for (const std::string& against : args.against) {
        size_t equals = against.find('=');
        if (equals == std::string::npos)
            return failure(fmt::format("malformed contender '{}'", against), "use NAME=COMMAND");
        contenders.push_back(
            std::make_unique<Contender>(against.substr(0, equals), against.substr(equals + 1), model, threads, data));
        if (!contenders.back()->ready())
            return failure(fmt::format("contender '{}' did not get ready", against));
        rows.push_back({contenders.back()->name(), {}, 0, 0});
    }
    LATHE_CHECKED(runner.run(2));
    for (auto& contender : contenders)
        contender->run();
    for (int round = 0; round < args.rounds; ++round) {
        LATHE_TRY(driver::RunnerTimes times, runner.run(1));
        rows[0].ns.push_back(static_cast<double>(times.ns.front()));
        rows[0].peakBytes = times.arenaPeak;
        for (size_t i = 0; i < contenders.size(); ++i) {
            double ns = contenders[i]->run();
            if (ns < 0)
                return failure(fmt::format("contender '{}' ended", contenders[i]->name()));
            rows[i + 1].ns.push_back(ns);
        }
    }
    return rows;
}

} // namespace

int benchCommand(const BenchArgs& args, const Common& common) {
    signal(SIGPIPE, SIG_IGN);
    int threads = common.threads > 0 ? common.threads : static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    int code = 0;
    for (const std::string& model : args.models) {
        if (!args.kernel.empty()) {
            code = std::max(code, benchKernel(model, args, common));
            continue;
        }
        auto rows = benchModel(model, threads, args, common);
        if (!rows) {
            code = report({rows.error()}, common);
            continue;
        }
        for (const Row& row : *rows)
            print(model, threads, row, common);
    }
    return code;
}

} // namespace lathe::cli
