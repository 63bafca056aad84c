// SPDX-License-Identifier: Apache-2.0
//
// Judging tests. How to judge follows from what the model is, never from a test's name, with the exceptions
// that the conformance rules state for whole groups of ONNX's data (random data; transforms whose sums cancel).
#include "app/cli/test_case.h"

#include "app/cli/c_program.h"
#include "base/memory_file.h"
#include "data/stated_tolerance.h"
#include "driver/tensor_files.h"
#include "frontend/frontend.h"
#include "inspect/data_set.h"
#include "inspect/inputs.h"
#include "model/random_values.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

const model::Node* producerOf(const model::Graph& graph, const std::string& value) {
    const auto gives = [&](const model::Node& node) {
        return std::ranges::find(node.outputs, value) != node.outputs.end();
    };
    const auto found = std::ranges::find_if(graph.nodes, gives);
    return found == graph.nodes.end() ? nullptr : &*found;
}

std::string checkDropped(const model::ModelGraph& graph, const model::Node& dropout, const inspect::DataSet& data,
                         const std::vector<model::HostTensor>& outputs) {
    const auto given = model::givenTensor(graph, data.inputs, dropout.inputs.at(0));
    const auto ratio = model::dropRatio(graph, data.inputs, dropout);
    const auto outputOf = [&](size_t index) -> const model::HostTensor* {
        for (size_t i = 0; i < outputs.size(); ++i)
            if (index < dropout.outputs.size() && graph.graph->outputs[i].name == dropout.outputs[index])
                return &outputs[i];
        return nullptr;
    };
    const model::HostTensor *dropped = outputOf(0), *mask = outputOf(1);
    if (!given || !ratio || !dropped || dropped->elements() != given->elements())
        return {};
    const std::vector<double> x = data::toDoubles(*given), y = data::toDoubles(*dropped);
    const std::vector<double> keeps = mask ? data::toDoubles(*mask) : std::vector<double>{};
    for (size_t i = 0; i < y.size(); ++i) {
        const double kept = x[i] / (1 - *ratio);
        const bool isKept = std::abs(y[i] - kept) <= 1e-4 * std::abs(kept);
        if (!isKept && y[i] != 0)
            return fmt::format("element {} of a dropout is {}, neither 0 nor {}", i, y[i], kept);
        if (i < keeps.size() && x[i] != 0 && (keeps[i] != 0) != (y[i] != 0))
            return fmt::format("the mask of element {} does not say whether it was kept", i);
    }
    return {};
}

/// What must hold of an output that no other engine can match (conformance rules, random operators).
std::string checkDrawn(const model::ModelGraph& graph, size_t output, const inspect::DataSet& data,
                       const std::vector<model::HostTensor>& outputs) {
    const model::Node* producer = producerOf(*graph.graph, graph.graph->outputs[output].name);
    if (producer && model::roleOf(graph, *producer).family == model::Family::Dropout)
        return checkDropped(graph, *producer, data, outputs);
    while (producer && model::roleOf(graph, *producer).family == model::Family::Conversion)
        producer = producerOf(*graph.graph, producer->inputs.at(0));
    const model::Family family = producer ? model::roleOf(graph, *producer).family : model::Family::Other;
    if ((family != model::Family::Bernoulli && family != model::Family::Logic) ||
        outputs[output].dtype == types::String)
        return {};
    for (const double value : data::toDoubles(outputs[output]))
        if (value != 0 && value != 1)
            return fmt::format("output '{}' may hold 0 and 1 alone, and holds {}", graph.graph->outputs[output].name,
                               value);
    return {};
}

/// What ONNX's runner feeds a light_ model: float32, element i is i / n.
Result<inspect::DataSet> lightData(const fs::path& output, const device::RunnerModel& loaded) {
    inspect::DataSet data;
    LATHE_TRY(const driver::Shapes shapes, inspect::inputShapes(loaded.inputs, {}, {}));
    for (size_t input = 0; input < loaded.inputs.size(); ++input) {
        model::HostTensor tensor;
        tensor.dtype = loaded.inputs[input].dtype;
        if (tensor.dtype != types::Float32)
            return failure(fmt::format("input '{}' of a light model is {}, not float32", shapes[input].first,
                                       toString(tensor.dtype)));
        tensor.shape = shapes[input].second;
        int64_t count = tensor.elements();
        tensor.bytes.resize(static_cast<size_t>(count) * 4);
        for (int64_t i = 0; i < count; ++i) {
            float value = static_cast<float>(static_cast<double>(i) / static_cast<double>(count));
            std::memcpy(tensor.bytes.data() + i * 4, &value, 4);
        }
        data.inputs.push_back(std::move(tensor));
    }
    LATHE_TRY(model::HostTensor expected, driver::readTensorFile(output, {.dtype = types::Float32}));
    data.outputs.push_back(std::move(expected));
    return data;
}

/// One test on its way: compiled, loaded, run with each set of data and judged, until something says how it ends.
class TestRun {
public:
    TestRun(const TestCase& test, data::Tolerance tolerance, const driver::Options& options,
            const driver::Decisions& decisions, device::RunnerClient& runner, const std::string& cc)
        : test_(test), tolerance_(tolerance), options_(options), decisions_(decisions), runner_(runner), cc_(cc) {
        result_.path = test.model.string();
    }

    TestResult run() {
        if (!test_.fixture && test_.model.filename() == "meta.json")
            return finish("refused", fmt::format("error: {}: this is no description of a test (copy the folder again)",
                                                 test_.model.string()));
        const bool isToRefuse = test_.fixture && test_.fixture->expect == inspect::Fixture::Expect::Refuse;
        if (test_.fixture)
            runs_ = inspect::runsOf(*test_.fixture, test_.model);
        if (!isToRefuse)
            for (const inspect::FixtureRun& run : runs_)
                if (const auto there = inspect::checkFiles(*test_.fixture, run); !there)
                    return finish("refused", toString(there.error()));
        const Result<void> compiled = compile(runs_.empty() ? nullptr : &runs_.front());
        result_.compileMs = ms();
        if (!compiled)
            return finishRefused(compiled.error(), isToRefuse);
        if (isToRefuse)
            return finish("accepted", fmt::format("it is compiled, and has to be refused: {}", test_.fixture->why));
        const auto loaded = load();
        if (!loaded)
            return finishFailed(loaded.error());
        if (test_.dataSets.empty() && test_.lightOutput.empty() && runs_.empty())
            return finish("refused", fmt::format("error: {}: there is no data to compare with", test_.model.string()));
        if (auto ended = test_.fixture ? runFixture(*loaded) : runDataSets(*loaded))
            return *std::move(ended);
        return finish("passed",
                      isKnown_ ? spread_ : "nothing is known of its values: what is expected has no finite number");
    }

private:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }
    TestResult finish(std::string outcome, std::string message) {
        result_.outcome = std::move(outcome);
        result_.message = std::move(message);
        result_.ms = ms();
        return result_;
    }
    TestResult finishRefused(const Diagnostic& diagnostic, bool isToRefuse) {
        if (diagnostic.kind == ErrorKind::Internal)
            return finish("crashed", toString(diagnostic));
        if (isToRefuse && (diagnostic.kind == ErrorKind::Invalid || diagnostic.kind == ErrorKind::Unsupported))
            return finish("passed", toString(diagnostic));
        result_.op = diagnostic.op;
        return finish("refused", toString(diagnostic));
    }
    TestResult finishFailed(const Diagnostic& diagnostic) {
        switch (program_ ? program_->outcome() : runner_.outcome()) {
        case device::RunnerOutcome::Timeout:
            return finish("timeout", toString(diagnostic));
        case device::RunnerOutcome::Crashed:
        case device::RunnerOutcome::OutOfMemory:
        case device::RunnerOutcome::Lost:
        case device::RunnerOutcome::Unavailable:
            return finish("crashed", toString(diagnostic));
        default:
            return finish("wrong", toString(diagnostic));
        }
    }

    /// For that run of a fixture, which may be of a signature of its own; null: there are none.
    Result<void> compile(const inspect::FixtureRun* run) {
        trace_ = {};
        driver::Options with = options_;
        if (!test_.dataSets.empty() && options_.shapes.empty())
            with.inputsAtNeed = {.folder = test_.dataSets.front().string()};
        if (run && options_.shapes.empty())
            with.inputsAtNeed = inspect::inputFilesOf(*test_.fixture, *run);
        if (run && !run->signature.empty())
            with.signature = run->signature;
        if (run && !test_.fixture->cut.empty())
            with.cut.inputs = {test_.fixture->cut};
        if (run && frontend::takesArguments(test_.model))
            with.arguments = run->arguments;
        if (cc_.empty()) {
            LATHE_CHECKED(driver::compileFile(test_.model, artifact_.path(), decisions_, with, trace_));
        } else {
            LATHE_TRY(program_, CProgram::make(test_.model, decisions_, with, trace_, runner_.options().timeout));
        }
        return {};
    }
    Result<device::RunnerModel> load() {
        if (!program_)
            return runner_.load(artifact_.path());
        LATHE_CHECKED(program_->build(cc_));
        return program_->model();
    }
    Result<std::vector<model::HostTensor>> outputsOf(const std::vector<model::HostTensor>& inputs,
                                                     const device::RunnerModel& loaded) {
        if (program_)
            return program_->run(inputs);
        for (size_t i = 0; i < inputs.size(); ++i)
            LATHE_CHECKED(runner_.setInput(loaded.inputs[i].name, inputs[i]));
        LATHE_CHECKED(runner_.run(1));
        return runner_.outputs();
    }

    /// Nothing, as of what it calls: all outputs are right.
    std::optional<TestResult> runDataSets(const device::RunnerModel& loaded) {
        rules_ = inspect::rulesFor(*trace_.graph, tolerance_);
        std::vector<fs::path> sets = test_.dataSets;
        if (sets.empty())
            sets.push_back({});
        for (const fs::path& set : sets) {
            const std::string where = sets.size() > 1 ? set.filename().string() + ": " : "";
            const auto data = set.empty() ? lightData(test_.lightOutput, loaded) : inspect::readDataSet(set, loaded);
            if (!data)
                return finish("refused", toString(data.error()));
            if (const auto begun = program_ ? Result<void>() : runner_.resetStates(); !begun)
                return finishFailed(begun.error());
            if (auto ended = runOn(*data, where, loaded))
                return ended;
        }
        return std::nullopt;
    }
    /// The runs of a fixture go on from each other: states are what the run before left.
    std::optional<TestResult> runFixture(device::RunnerModel loaded) {
        const auto stated = data::parseStated(test_.fixture->tolerance);
        if (!stated)
            return finish("refused", toString(stated.error()));
        rules_.stated = *stated;
        const inspect::FixtureRun* last = runs_.empty() ? nullptr : &runs_.front();
        for (const inspect::FixtureRun& run : runs_) {
            const inspect::FixtureRun& before = *std::exchange(last, &run);
            const bool sharesStates = run.signature != before.signature;
            if (sharesStates || !servesArguments(run, before, loaded)) {
                if (!sharesStates)
                    states_.clear(); // a program for other constants, which may be kept as well: it begins anew
                else if (const auto noted = noteStates(loaded); !noted)
                    return finishFailed(noted.error());
                if (const auto compiled = compile(&run); !compiled)
                    return finishRefused(compiled.error(), false);
                const auto again = load();
                if (!again)
                    return finishFailed(again.error());
                loaded = *again;
                if (const auto begun = goOn(loaded); !begun)
                    return finishFailed(begun.error());
            }
            const std::string where = runs_.size() > 1 ? run.inputs + ": " : "";
            const auto arrays = inspect::readRun(*test_.fixture, run, loaded);
            if (!arrays)
                return finish("refused", where + toString(arrays.error()));
            const auto data = inspect::byPosition(*arrays, run, loaded);
            if (!data)
                return finish("wrong", where + toString(data.error()));
            if (auto ended = runOn(*data, where, loaded))
                return ended;
        }
        return std::nullopt;
    }
    /// What is loaded is one signature of a model whose states all of them share, by their names.
    Result<void> noteStates(const device::RunnerModel& loaded) {
        if (program_ || loaded.states.empty())
            return {};
        LATHE_TRY(std::vector<model::HostTensor> values, runner_.states());
        for (size_t i = 0; i < std::min(values.size(), loaded.states.size()); ++i)
            states_[loaded.states[i].name] = std::move(values[i]);
        return {};
    }
    Result<void> goOn(const device::RunnerModel& loaded) {
        for (const device::RunnerValue& state : loaded.states)
            if (const auto kept = states_.find(state.name); kept != states_.end() && !program_)
                LATHE_CHECKED(runner_.setState(state.name, kept->second));
        return {};
    }
    /// Whether what is compiled is for the arguments of a run too: a function of some format is one for each constant among its
    /// arguments, and where its model declares no ranks, for the sizes of its inputs.
    bool servesArguments(const inspect::FixtureRun& run, const inspect::FixtureRun& before,
                         const device::RunnerModel& loaded) const {
        if (!frontend::takesArguments(test_.model))
            return true;
        if (run.arguments != before.arguments)
            return false;
        const auto arrays = inspect::readRun(*test_.fixture, run, loaded);
        if (!trace_.fixedAtNeed || !arrays)
            return true;
        const auto data = inspect::byPosition(*arrays, run, loaded);
        return data && inspect::checkSizes(*data, loaded).has_value();
    }
    std::optional<TestResult> runOn(const inspect::DataSet& data, const std::string& where,
                                    const device::RunnerModel& loaded) {
        if (const auto fits = inspect::checkSizes(data, loaded); trace_.fixedAtNeed && !fits)
            return finish("refused", where + toString(fits.error()));
        const auto outputs = outputsOf(data.inputs, loaded);
        if (!outputs)
            return finishFailed(outputs.error());
        if (outputs->size() != data.outputs.size())
            return finish("wrong",
                          fmt::format("{}{} outputs, expected {}", where, outputs->size(), data.outputs.size()));
        const std::vector<bool> random = model::randomOutputs(*trace_.graph, data.inputs);
        for (size_t i = 0; i < outputs->size(); ++i)
            if (std::string problem = judge(i, random.at(i), data, *outputs, loaded.outputs[i].name, where);
                !problem.empty())
                return finish("wrong", where + problem);
        return std::nullopt;
    }
    /// What is wrong with an output; empty: nothing.
    std::string judge(size_t i, bool isRandom, const inspect::DataSet& data,
                      const std::vector<model::HostTensor>& outputs, const std::string& name,
                      const std::string& where) {
        const model::HostTensor &output = outputs[i], &expected = data.outputs[i];
        const data::Comparison comparison = data::compare(output, expected, rules_);
        isKnown_ |= comparison.elements > comparison.nan + comparison.infinite || isRandom;
        const bool shapeRight = output.dtype == expected.dtype && output.shape == expected.shape;
        if (!comparison.right && !(shapeRight && isRandom))
            return fmt::format("output '{}': {}", name, comparison.message);
        if (tolerance_ == data::Tolerance::Model || test_.fixture)
            spread_ += fmt::format("{}{}{}: d/m {:.2g}, 2-norm {:.2g}", spread_.empty() ? "" : "; ", where, name,
                                   comparison.ofRange, comparison.normRatio);
        return isRandom ? checkDrawn(*trace_.graph, i, data, outputs) : std::string();
    }

    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const TestCase& test_;
    const data::Tolerance tolerance_;
    const driver::Options& options_;
    const driver::Decisions& decisions_;
    device::RunnerClient& runner_;
    const std::string& cc_;
    const MemoryFile artifact_{"lathe-model"};
    driver::Trace trace_;
    std::optional<CProgram> program_; // by way of C source
    std::vector<inspect::FixtureRun> runs_;
    inspect::Tensors states_; // that runs of other signatures left
    data::CompareRules rules_;
    TestResult result_;
    std::string spread_;   // how far off outputs are
    bool isKnown_ = false; // whether what is expected says anything
};

} // namespace

TestResult runTest(const TestCase& test, data::Tolerance tolerance, const driver::Options& options,
                   const driver::Decisions& decisions, device::RunnerClient& runner, const std::string& cc) {
    return TestRun(test, tolerance, options, decisions, runner, cc).run();
}

} // namespace lathe::cli
