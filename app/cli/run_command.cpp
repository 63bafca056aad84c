// SPDX-License-Identifier: Apache-2.0
//
// `lathe run` and `lathe profile`: a model once, or timed: by fused function, or at several sizes.
#include "app/cli/choices.h"
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_advice.h"
#include "app/cli/print_line.h"
#include "base/counted.h"
#include "base/json.h"
#include "base/printable.h"
#include "data/compare.h"
#include "driver/tensor_files.h"
#include "inspect/profile.h"
#include "inspect/states.h"
#include "inspect/sweep.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::cli {
namespace {

struct Prepared {
    device::RunnerModel loaded;
    driver::Shapes shapes;          // of the inputs
    std::vector<std::string> drawn; // inputs that nothing gives
};

Result<Prepared> prepare(device::RunnerClient& runner, const RunArgs& args, const Common& common,
                         const MemoryFile& memory, driver::Trace& trace) {
    Prepared prepared;
    LATHE_TRY(const driver::InputFiles files, inputFiles(args.inputs));
    LATHE_TRY(const driver::Artifact artifact, artifactFor(args.model, files, memory, common, trace, args.device));
    LATHE_TRY(prepared.loaded, runner.load(artifact.path));
    LATHE_TRY(const inspect::Tensors given, inspect::readInputs(prepared.loaded.inputs, files));
    LATHE_TRY(driver::Options options, makeOptions(common));
    const driver::Shapes asked = inspect::asDeclared(trace.graph.get(), options.shapes);
    LATHE_TRY(prepared.shapes, inspect::setInputs(runner, prepared.loaded, given, asked, args.seed));
    noteOpenSizes(inspect::sizesTakenAsOne(prepared.loaded.inputs, given, asked), common);
    prepared.drawn = inspect::drawnInputs(prepared.loaded.inputs, given);
    noteDrawnInputs(prepared.drawn, common);
    return prepared;
}

/// As the model says, as a run before left them, or as is asked for.
Result<void> beginStates(device::RunnerClient& runner, const RunArgs& args, const device::RunnerModel& loaded) {
    if (loaded.states.empty() && !args.keepStates.empty())
        return failure(ErrorKind::Usage, "the model keeps nothing from one run to the next", "leave out --keep-states");
    inspect::Tensors values;
    if (!args.keepStates.empty() && !args.resetStates) {
        LATHE_TRY(values, inspect::keptStates(loaded.states, args.keepStates));
    }
    inspect::StateBeginnings asked;
    for (const std::string& argument : args.states) {
        const auto state = parseInput(argument);
        if (!state)
            return failure(ErrorKind::Usage, fmt::format("malformed state '{}'", argument),
                           "use NAME=FILE, or NAME=NUMBER for all of its elements");
        if (!asked.emplace(*state).second)
            return failure(ErrorKind::Usage, fmt::format("state '{}' begins in two ways", state->first), "give one");
    }
    LATHE_TRY(const inspect::Tensors given, inspect::readStates(loaded.states, asked));
    for (const auto& [name, value] : given)
        values.insert_or_assign(name, value);
    return inspect::setStates(runner, values);
}

nlohmann::json jsonOf(const model::Number& number) {
    if (const auto* real = std::get_if<double>(&number))
        return numberOrText(*real);
    return std::visit([](auto value) { return nlohmann::json(value); }, number);
}

std::string textOf(const model::Number& number) {
    if (const auto* real = std::get_if<double>(&number))
        return fmt::format("{:.6g}", *real);
    return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

nlohmann::json jsonOf(const model::HostTensor& tensor, size_t place) {
    return tensor.dtype == types::String ? nlohmann::json(tensor.strings[place])
                                         : jsonOf(model::elementOf(tensor.dtype, tensor.bytes, place));
}

/// Of a string the beginning, in quotes.
std::string textOf(const model::HostTensor& tensor, size_t place) {
    if (tensor.dtype != types::String)
        return textOf(model::elementOf(tensor.dtype, tensor.bytes, place));
    constexpr size_t most = 60;
    const std::string& text = tensor.strings[place];
    return fmt::format("\"{}{}\"", printable(text.substr(0, most)), text.size() > most ? "…" : "");
}

/// The choices made for nodes of the row, taken out of `choices`: what only stores an operand otherwise takes less time and
/// comes later.
std::vector<ChoiceLine> takeOf(const inspect::ProfileRow& row, std::vector<ChoiceLine>& choices,
                               const driver::Trace& trace) {
    const auto mid = std::stable_partition(choices.begin(), choices.end(), [&](const ChoiceLine& choice) {
        return std::ranges::none_of(trace.graph->spans->ids(choice.span), [&](int32_t node) {
            return std::ranges::find(row.nodes, node) != row.nodes.end();
        });
    });
    std::vector<ChoiceLine> own(std::move_iterator(mid), std::move_iterator(choices.end()));
    choices.erase(mid, choices.end());
    return own;
}

/// For a line of the terminal: some origins, of each its first node (what layers have in common is of many). --json has them all.
std::string firstOf(const std::vector<std::string>& origins) {
    constexpr size_t shown = 4;
    std::vector<std::string> names;
    for (const std::string& origin : origins) {
        if (names.size() == shown)
            return fmt::format("{}, … {} more", fmt::join(names, ", "), origins.size() - shown);
        const size_t end = origin.find(", ");
        names.push_back(end == std::string::npos ? origin : origin.substr(0, end) + " …");
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

Result<inspect::Sweep> sweepOf(device::RunnerClient& runner, const RunArgs& args, const Common& common,
                               driver::Trace& trace) {
    LATHE_TRY(const inspect::SweepQuestion question, inspect::parseSweep(args.sweep));
    const MemoryFile memory("lathe-model");
    LATHE_TRY(const driver::InputFiles files, inputFiles(args.inputs));
    LATHE_TRY(const driver::Artifact artifact, artifactFor(args.model, files, memory, common, trace, args.device));
    LATHE_TRY(const device::RunnerModel loaded, runner.load(artifact.path));
    LATHE_TRY(const inspect::Tensors given, inspect::readInputs(loaded.inputs, files));
    LATHE_TRY(const driver::Options options, makeOptions(common));
    const driver::Shapes asked = inspect::asDeclared(trace.graph.get(), options.shapes);
    LATHE_TRY(const auto open, inspect::sizesTakenAsOne(loaded, question.name, given, asked));
    noteOpenSizes(open, common);
    LATHE_CHECKED(leaseDevice(runner, common));
    return inspect::sweep(runner, loaded, question, given, asked, args.seed, inspect::measuringOfSize,
                          makeProgress(common));
}

void print(const inspect::Sweep& sweep, const Common& common) {
    noteDrawnInputs(sweep.drawn, common);
    if (!common.json)
        printLine("{:>12} {:>12} {:>12} {:>25} {:>6}", sweep.name, "median ms", "least ms", "half of the runs", "runs");
    for (const inspect::SweepPoint& point : sweep.points) {
        if (common.json)
            fmt::print("{}\n", dump({{"name", sweep.name},
                                     {"size", point.size},
                                     {"median_ms", point.medianMs},
                                     {"least_ms", point.leastMs},
                                     {"low_ms", point.lowMs},
                                     {"high_ms", point.highMs},
                                     {"runs", point.runs},
                                     {"drawn_inputs", sweep.drawn}}));
        else
            printLine("{:12} {:12.4f} {:12.4f} {:>25} {:6}", point.size, point.medianMs, point.leastMs,
                      fmt::format("{:.4f} to {:.4f}", point.lowMs, point.highMs), point.runs);
    }
}

/// The first few.
std::vector<model::Number> headOf(const model::HostTensor& tensor) {
    constexpr size_t most = 6;
    std::vector<model::Number> head;
    for (size_t place = 0; place < std::min(static_cast<size_t>(tensor.elements()), most); ++place)
        head.push_back(model::elementOf(tensor.dtype, tensor.bytes, place));
    return head;
}

/// What the next run goes on from, which is left in the folder that was named.
Result<void> endStates(device::RunnerClient& runner, const RunArgs& args, const device::RunnerModel& loaded,
                       const Common& common) {
    LATHE_TRY(const std::vector<model::HostTensor> values, runner.states());
    if (!args.keepStates.empty())
        LATHE_CHECKED(inspect::keepStates(loaded.states, values, args.keepStates));
    for (size_t i = 0; i < values.size(); ++i) {
        const std::vector<model::Number> head = headOf(values[i]);
        if (common.json) {
            nlohmann::json line = {{"state", loaded.states[i].name},
                                   {"dtype", toString(values[i].dtype)},
                                   {"shape", values[i].shape},
                                   {"first", nlohmann::json::array()}};
            for (const model::Number& value : head)
                line["first"].push_back(jsonOf(value));
            fmt::print("{}\n", dump(line));
            continue;
        }
        std::vector<std::string> texts;
        for (const model::Number& value : head)
            texts.push_back(textOf(value));
        printLine("state {}: {}[{}] {}{}", loaded.states[i].name, toString(values[i].dtype),
                  fmt::join(values[i].shape, ","), fmt::join(texts, " "),
                  static_cast<size_t>(values[i].elements()) > head.size() ? " …" : "");
    }
    return {};
}

int fail(Diagnostic diagnostic, const driver::Trace& trace, const std::string& file, const Common& common) {
    diagnostic = inFile(std::move(diagnostic), file);
    if (trace.graph && diagnostic.op.empty())
        diagnostic = model::withOperator(std::move(diagnostic), *trace.graph);
    std::vector<Diagnostic> all;
    for (const Diagnostic& other : trace.diagnostics)
        if (other.severity == Severity::Error && !(other == diagnostic)) // warnings are printed already
            all.push_back(other);
    all.push_back(diagnostic);
    return report(all, common);
}

/// Each output and what it is made of: of a list x first itself, then x.0, x.1 and so on.
std::vector<std::pair<std::string, const model::HostTensor*>>
partsOf(const std::vector<model::HostTensor>& outputs, const std::vector<device::RunnerValue>& described) {
    std::vector<std::pair<std::string, const model::HostTensor*>> all;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].isComposed())
            all.emplace_back(described[i].name, &outputs[i]);
        for (auto& part : driver::namedParts(described[i].name, outputs[i]))
            all.push_back(std::move(part));
    }
    return all;
}

} // namespace

void addRunOptions(CLI::App& app, RunArgs& args, Common& common) {
    addRunning(app, args, common, "the model or artifact");
    addDevice(app, args.device);
    app.add_option("--save", args.save, "write outputs to this folder as .npy, part i of a list x as x.i.npy");
    app.add_option("--state", args.states,
                   "how a state begins, NAME=FILE (.npy, .npz or .pb) or NAME=NUMBER, which all of its elements are")
        ->allow_extra_args(false);
    CLI::Option* keep =
        app.add_option("--keep-states", args.keepStates,
                       "go on from the states that a run before left in this folder, and leave them there");
    app.add_flag("--reset-states", args.resetStates, "begin anew, and leave the states in the folder")->needs(keep);
}

int runCommand(const RunArgs& args, const Common& common) {
    const MemoryFile memory("lathe-model");
    driver::Trace trace;
    auto where = runnerOptions(args, common);
    if (!where)
        return report({where.error()}, common);
    device::RunnerClient runner(*std::move(where));
    auto prepared = prepare(runner, args, common, memory, trace);
    if (!prepared)
        return fail(prepared.error(), trace, args.model, common);
    if (const auto begun = beginStates(runner, args, prepared->loaded); !begun)
        return fail(begun.error(), trace, args.model, common);
    auto times = runner.run(1);
    if (!times)
        return fail(times.error(), trace, args.model, common);
    auto outputs = runner.outputs();
    if (!outputs)
        return fail(outputs.error(), trace, args.model, common);
    for (const auto& [name, part] : partsOf(*outputs, prepared->loaded.outputs)) {
        const model::HostTensor& tensor = *part;
        const auto count = static_cast<size_t>(tensor.elements());
        const size_t shown = std::min<size_t>(count, 6);
        const auto file = std::filesystem::path(args.save) / (driver::fileNameOf(name) + ".npy");
        const bool isSaved = !args.save.empty() && !tensor.isComposed();
        if (isSaved) { // before a line names the file
            std::error_code failed;
            std::filesystem::create_directories(args.save, failed);
            if (auto written = driver::writeNpy(file, tensor); !written)
                return fail(written.error(), trace, args.model, common);
        }
        if (common.json) {
            nlohmann::json line = {{"output", name}, {"dtype", toString(tensor.dtype)}, {"shape", tensor.shape}};
            if (tensor.isComposed())
                line = {{"output", name},
                        {"form", model::formText(tensor)},
                        {"parts", driver::namedParts(name, tensor).size()}}; // whose lines follow
            if (isSaved)
                line["file"] = file.string();
            for (size_t place = 0; place < shown; ++place)
                line["first"].push_back(jsonOf(tensor, place));
            line["ms"] = static_cast<double>(times->ns.front()) / 1e6;
            line["arena_peak"] = times->arenaPeak;
            line["drawn_inputs"] = prepared->drawn;
            fmt::print("{}\n", dump(line));
        } else {
            std::vector<std::string> texts;
            for (size_t place = 0; place < shown; ++place)
                texts.push_back(textOf(tensor, place));
            printLine("{}: {} {}{}", name, model::formText(tensor), fmt::join(texts, " "), count > shown ? " …" : "");
        }
    }
    if (const auto ended = endStates(runner, args, prepared->loaded, common); !ended)
        return fail(ended.error(), trace, args.model, common);
    if (!common.json && !common.quiet)
        printLine("{:.3f} ms, {:.1f} MB of intermediate values at the peak",
                  static_cast<double>(times->ns.front()) / 1e6, static_cast<double>(times->arenaPeak) / 1e6);
    return 0;
}

void addProfileOptions(CLI::App& app, RunArgs& args, Common& common) {
    addRunning(app, args, common, "the model or artifact");
    addDevice(app, args.device);
    CLI::Option* choices = app.add_flag("--choices", args.choices,
                                        "with how each function is computed and stored, among what; decisions pin it");
    CLI::Option* counters =
        app.add_flag("--counters", args.counters, "with what the processor counted, where the machine allows that");
    CLI::Option* sweep =
        app.add_option("--sweep", args.sweep,
                       "time whole runs at several sizes instead: NAME=FROM:TO, NAME=FROM:TO:STEP or NAME=1,2,4");
    CLI::Option* timeline = app.add_option(
        "--timeline", args.timeline, "write one more run here, by thread: JSON in the trace event format (Perfetto)");
    CLI::Option* advice = app.add_flag("--advice", args.advice, "with what to do next, and why");
    for (CLI::Option* other : {choices, counters, timeline, advice})
        sweep->excludes(other);
}

int profileCommand(const RunArgs& args, const Common& common) {
    const MemoryFile memory("lathe-model");
    driver::Trace trace;
    auto where = runnerOptions(args, common);
    if (!where)
        return report({where.error()}, common);
    device::RunnerClient runner(*std::move(where));
    if (!args.sweep.empty()) {
        const auto sweep = sweepOf(runner, args, common, trace);
        if (!sweep)
            return fail(sweep.error(), trace, args.model, common);
        print(*sweep, common);
        return 0;
    }
    if (const auto other = keepsFiles(args.timeline, filesOf(args, common), common.tunedFrom); !other)
        return report({other.error()}, common);
    auto prepared = prepare(runner, args, common, memory, trace);
    if (!prepared)
        return fail(prepared.error(), trace, args.model, common);
    if ((args.choices || args.advice) && !trace.graph)
        return fail(error("an artifact does not say what was chosen", "profile the model itself"), trace, args.model,
                    common);
    if (!args.timeline.empty())
        if (const auto other = driver::keepsModel(args.timeline, args.model, trace); !other)
            return fail(other.error(), trace, args.model, common);
    if (const auto turn = leaseDevice(runner, common); !turn)
        return fail(turn.error(), trace, args.model, common);
    inspect::Measuring measuring = args.advice ? inspect::measuringOfRun : inspect::Measuring();
    measuring.timeline = args.advice || !args.timeline.empty();
    measuring.counters = args.counters;
    const auto profile = inspect::profile(runner, prepared->loaded, trace, prepared->shapes, measuring,
                                          common.progress ? makeProgress(common) : driver::Progress{});
    if (!profile)
        return fail(profile.error(), trace, args.model, common);
    if (!args.timeline.empty() && profile->timeline) {
        const auto written = inspect::writeTraceEvents(args.timeline, *profile->timeline, prepared->loaded);
        if (!written)
            return fail(written.error(), trace, args.timeline, common);
    }
    std::vector<ChoiceLine> choices;
    if (args.choices)
        choices = choiceLines(trace);
    double total = 0;
    if (!common.json)
        printLine("{:>9} {:>6} {:>8} {:>7}  {}", "ms", "share", "GFLOP/s", "GB/s", "function  (nodes)");
    for (const inspect::ProfileRow& row : profile->rows) {
        total += row.ms;
        const std::vector<ChoiceLine> own = takeOf(row, choices, trace);
        if (common.json) {
            nlohmann::json line{{"function", row.function}, {"kernel", row.kernel},           {"ms", row.ms},
                                {"share", row.share},       {"gflops", row.gflops()},         {"gbs", row.gbs()},
                                {"nodes", row.origins},     {"drawn_inputs", prepared->drawn}};
            for (const ChoiceLine& choice : own)
                line["choices"].push_back(choice.json);
            fmt::print("{}\n", dump(line));
            continue;
        }
        printLine("{:9.4f} {:5.1f}% {:8.1f} {:7.1f}  {}  ({})", row.ms, row.share * 100, row.gflops(), row.gbs(),
                  row.function, firstOf(row.origins));
        for (const ChoiceLine& choice : own)
            printLine("{:>38}{}", "", choice.text);
    }
    if (!common.json)
        printLine("{:9.4f} ms in {}", total, counted(profile->rows.size(), "call", "calls"));
    if (args.counters && common.json) {
        nlohmann::json line{{"refused", profile->counters.refused}};
        for (const device::RunnerCounters::Count& count : profile->counters.counts)
            line["counters"][count.name] = count.perRun;
        fmt::print("{}\n", dump(line));
    } else if (args.counters) {
        printLine("{}", toString(profile->counters));
    }
    if (args.advice)
        if (const auto said = printAdvice(args, common, trace, *profile); !said)
            return fail(said.error(), trace, args.model, common);
    return 0;
}

} // namespace lathe::cli
