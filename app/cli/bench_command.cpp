// SPDX-License-Identifier: Apache-2.0
//
// `lathe bench`: medians of rounds in which each contender runs once, so that a drifting machine hits all alike. The order
// rotates, so that none always comes after the same one. A contender other than Lathe is a command, given by
// --against NAME=COMMAND, as often as there are such: started as `COMMAND MODEL THREADS FOLDER`, it loads the model with the
// inputs in FOLDER (input_0.npy … in the model's order: those that Lathe runs with), prints "ready", then for each line
// "run" on its standard input runs once and prints the nanoseconds.
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/child_process.h"
#include "base/counted.h"
#include "base/json.h"
#include "driver/tensor_files.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace lathe::cli {
namespace {

constexpr std::chrono::minutes patience{10}; // with one answer of a runtime

class Contender {
public:
    /// Starts it and waits until it is ready. COMMAND may hold arguments; the rest reach it as they are, whatever their names.
    static Result<std::unique_ptr<Contender>> start(const std::string& name, const std::string& command,
                                                    const std::string& model, int threads, const std::string& inputs) {
        auto contender = std::make_unique<Contender>();
        contender->name_ = name;
        LATHE_CHECKED(contender->child_.start(
            "/bin/sh", {"-c", "exec " + command + " \"$@\"", "sh", model, std::to_string(threads), inputs}));
        LATHE_TRY(const std::string line, contender->readLine());
        if (line != "ready")
            return failure(fmt::format("contender '{}' said '{}', not 'ready'", name, line));
        return contender;
    }
    const std::string& name() const { return name_; }
    /// Nanoseconds of one run.
    Result<double> run() {
        constexpr std::string_view request = "run\n";
        if (child_.write(std::as_bytes(std::span(request)), deadline()) != ChildProcess::Io::Done)
            return failure(fmt::format("contender '{}' {}", name_, child_.reap()));
        LATHE_TRY(const std::string line, readLine());
        double ns = 0;
        const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), ns);
        if (status != std::errc() || ns < 0)
            return failure(fmt::format("contender '{}' answered '{}', no number of nanoseconds", name_, line));
        return ns;
    }

private:
    static ChildProcess::Deadline deadline() { return std::chrono::steady_clock::now() + patience; }
    Result<std::string> readLine() {
        std::string line;
        switch (child_.readLine(line, 256, deadline())) {
        case ChildProcess::Io::Done:
            return line;
        case ChildProcess::Io::TimedOut:
            return failure(fmt::format("contender '{}' gave no answer within {} minutes", name_, patience.count()));
        default:
            return failure(fmt::format("contender '{}' {}", name_, child_.reap()));
        }
    }
    std::string name_;
    ChildProcess child_;
};

/// A folder of the inputs that all contenders run with; removed with this object.
class InputFolder {
public:
    static Result<std::unique_ptr<InputFolder>> make() {
        auto folder = std::make_unique<InputFolder>();
        std::string pattern = (std::filesystem::temp_directory_path() / "lathe-bench-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            return failure("no folder for the contenders' inputs can be made", "make the temporary folder writable");
        folder->path_ = pattern;
        return folder;
    }
    InputFolder() = default;
    ~InputFolder() {
        std::error_code ignored;
        if (!path_.empty())
            std::filesystem::remove_all(path_, ignored);
    }
    InputFolder(const InputFolder&) = delete;
    InputFolder& operator=(const InputFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Gives Lathe and, if there are contenders, the folder the same tensors: the given ones, the others at random.
Result<void> shareInputs(device::RunnerClient& runner, const device::RunnerModel& loaded, const inspect::Tensors& given,
                         const driver::Shapes& asked, const InputFolder* folder) {
    const inspect::TakeInput take = [&](size_t i, const model::HostTensor& tensor) -> Result<void> {
        if (folder && tensor.isComposed())
            return failure(ErrorKind::Unsupported,
                           fmt::format("input '{}' is {}, which the other runtimes are not given",
                                       loaded.inputs[i].name, model::formText(tensor)),
                           "bench it without them");
        if (folder)
            LATHE_CHECKED(driver::writeNpy(folder->path() / fmt::format("input_{}.npy", i), tensor));
        return runner.setInput(loaded.inputs[i].name, tensor);
    };
    LATHE_CHECKED(inspect::drawInputs(loaded.inputs, given, asked, 0, take));
    return {};
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

struct Row {
    std::string runtime;
    std::vector<double> ns;
    double compileSeconds = 0;
    int64_t peakBytes = 0;
    std::vector<std::string> drawn = {}; // inputs that nothing gives
};

void print(const std::string& model, int threads, const Row& row, const Common& common) {
    double middle = median(row.ns) / 1e6,
           least = row.ns.empty() ? 0 : *std::min_element(row.ns.begin(), row.ns.end()) / 1e6;
    if (common.json)
        fmt::print("{}\n", dump({{"model", model},
                                 {"threads", threads},
                                 {"runtime", row.runtime},
                                 {"median_ms", middle},
                                 {"min_ms", least},
                                 {"rounds", row.ns.size()},
                                 {"compile_s", row.compileSeconds},
                                 {"peak_bytes", row.peakBytes},
                                 {"drawn_inputs", row.drawn}}));
    else
        printLine("{:28} {:>10}  {:12} median {:10.3f} ms  min {:10.3f} ms  {}  compiled in {:.2f} s  "
                  "peak {:.1f} MB",
                  model, counted(threads, "thread", "threads"), row.runtime, middle, least,
                  counted(row.ns.size(), "round", "rounds"), row.compileSeconds,
                  static_cast<double>(row.peakBytes) / 1e6);
}

/// Who runs at this turn of a round. Of two, the one that ended a round would begin the next if the order rotated.
size_t inTurn(size_t round, size_t turn, size_t contenders) {
    return contenders > 2 ? (round + turn) % contenders : turn;
}

Result<std::vector<Row>> benchModel(const std::string& model, int threads, const BenchArgs& args,
                                    const Common& common) {
    const MemoryFile memory("lathe-model");
    driver::Trace trace;
    LATHE_TRY(const driver::InputFiles files, inputFiles(args.inputs));
    LATHE_TRY(const driver::Artifact artifact, artifactFor(model, files, memory, common, trace, args.device));
    RunArgs where;
    where.model = model;
    where.device = args.device;
    LATHE_TRY(device::RunnerOptions options, runnerOptions(where, common));
    if (args.device == "local") // elsewhere all cores are others than here
        options.threads = threads;
    options.seed = std::nullopt;
    options.timeout = patience;
    device::RunnerClient runner(options);
    LATHE_TRY(device::RunnerModel loaded, runner.load(artifact.path));
    LATHE_TRY(const inspect::Tensors given, inspect::readInputs(loaded.inputs, files));
    LATHE_TRY(driver::Options compileOptions, makeOptions(common));
    std::unique_ptr<InputFolder> folder;
    if (!args.against.empty()) {
        LATHE_TRY(folder, InputFolder::make());
    }
    LATHE_CHECKED(leaseDevice(runner, common));
    const driver::Shapes asked = inspect::asDeclared(trace.graph.get(), compileOptions.shapes);
    LATHE_CHECKED(shareInputs(runner, loaded, given, asked, folder.get()));
    noteOpenSizes(inspect::sizesTakenAsOne(loaded.inputs, given, asked), common);
    const std::vector<std::string> drawn = inspect::drawnInputs(loaded.inputs, given);
    noteDrawnInputs(drawn, common);
    std::vector<std::unique_ptr<Contender>> contenders;
    std::vector<Row> rows(1);
    rows[0].drawn = drawn;
    rows[0].runtime = "lathe";
    rows[0].compileSeconds = artifact.seconds;
    for (const std::string& against : args.against) {
        size_t equals = against.find('=');
        if (equals == std::string::npos)
            return failure(ErrorKind::Usage, fmt::format("malformed contender '{}'", against), "use NAME=COMMAND");
        LATHE_TRY(auto contender, Contender::start(against.substr(0, equals), against.substr(equals + 1), model,
                                                   threads, folder->path().string()));
        rows.push_back({contender->name(), {}, 0, 0, drawn});
        contenders.push_back(std::move(contender));
    }
    const auto runOnce = [&](size_t i) -> Result<double> {
        if (i > 0)
            return contenders[i - 1]->run();
        LATHE_TRY(const device::RunnerTimes times, runner.run(1));
        rows[0].peakBytes = times.arenaPeak;
        return static_cast<double>(times.ns.front());
    };
    for (size_t i = 0; i < rows.size(); ++i)
        for (int warmup = 0; warmup < 2; ++warmup)
            LATHE_CHECKED(runOnce(i));
    for (int round = 0; round < args.rounds; ++round)
        for (size_t turn = 0; turn < rows.size(); ++turn) {
            const size_t i = inTurn(static_cast<size_t>(round), turn, rows.size());
            LATHE_TRY(const double ns, runOnce(i));
            rows[i].ns.push_back(ns);
        }
    return rows;
}

} // namespace

void addBenchOptions(CLI::App& app, BenchArgs& args, Common& common) {
    app.add_option("models", args.models, "model files")->required();
    app.add_option("--rounds", args.rounds, "rounds")->check(CLI::Range(1, 100000));
    CLI::Option* kernel = app.add_option("--kernel", args.kernel, "time this kernel alone: its name, or its workload");
    app.add_option("--against", args.against, "another runtime: NAME=COMMAND; may be given several times")
        ->allow_extra_args(false)
        ->excludes(kernel);
    app.add_option("--size", args.sizes, "a size of that kernel: NAME=VALUE")->allow_extra_args(false)->needs(kernel);
    app.add_flag("--cold", args.cold, "flush the caches before each call of that kernel")->needs(kernel);
    for (CLI::Option* input : addInputs(app, args.inputs))
        input->excludes(kernel);
    addDevice(app, args.device);
    addTarget(app, common);
    addCompiling(app, common);
    addProgress(app, common);
    addTuned(app, common);
}

int benchCommand(const BenchArgs& args, const Common& common) {
    int threads = common.threads > 0 ? common.threads : static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    if (!args.against.empty() && args.device != "local")
        return report(
            {error(ErrorKind::Usage, "other runtimes run on this machine alone", "leave out --against, or --device")},
            common);
    int code = 0;
    for (const std::string& model : args.models) {
        if (!args.kernel.empty()) {
            code = std::max(code, benchKernel(model, args, common));
            continue;
        }
        auto rows = benchModel(model, threads, args, common);
        if (!rows) {
            code = std::max(code, report({inFile(rows.error(), model)}, common));
            continue;
        }
        for (const Row& row : *rows)
            print(model, threads, row, common);
    }
    return code;
}

} // namespace lathe::cli
