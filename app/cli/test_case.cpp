// SPDX-License-Identifier: Apache-2.0
//
// Finding and judging tests. How to judge follows from what the model is, never from a test's name, with the exceptions
// that the conformance rules state for whole groups of ONNX's data (random data; transforms whose sums cancel).
#include "app/cli/test_case.h"

#include "base/memory_file.h"
#include "driver/inputs.h"
#include "driver/tensor_files.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace lathe::cli {
namespace {

namespace fs = std::filesystem;

Result<model::HostTensor> readFile(const fs::path& path, DataType wanted) {
    LATHE_TRY(model::HostTensor host, driver::readTensorFile(path));
    // Some old data stores bfloat16 under the type uint16: the graph's type says how to read the bits.
    if (wanted == types::BFloat16 && host.dtype == types::UInt16)
        host.dtype = wanted;
    return host;
}

/// Nodes of the model by operator, nested graphs and inlined functions included.
std::set<std::string> operatorsOf(const model::ModelGraph& graph) {
    std::set<std::string> operators;
    for (const model::Node* node : graph.nodes)
        if (node)
            operators.insert(node->op);
    return operators;
}

driver::CompareRules rulesFor(const model::ModelGraph& graph, driver::Tolerance tolerance) {
    driver::CompareRules rules;
    rules.tolerance = tolerance;
    std::set<std::string> operators = operatorsOf(graph);
    for (const std::string& op : operators) {
        if (op == "QuantizeLinear" || op == "DynamicQuantizeLinear" || op == "ConvInteger" || op == "MatMulInteger" ||
            op.starts_with("QLinear"))
            rules.network = driver::NetworkKind::Quantized;
        if (op == "DFT" || op == "STFT")
            rules.absoluteOfRange = 1e-6;
    }
    if (rules.network == driver::NetworkKind::Float) {
        auto half = [](DataType dtype) { return dtype == types::Float16 || dtype == types::BFloat16; };
        bool found = false;
        for (const model::Value& value : graph.graph->inputs)
            found |= half(value.type.dtype);
        for (const model::Initializer& initializer : graph.graph->initializers)
            found |= half(initializer.tensor->dtype);
        for (const model::Node* node : graph.nodes)
            for (const model::Attribute& attribute : node ? node->attributes : std::vector<model::Attribute>{}) {
                if (const auto* tensor = std::get_if<model::TensorPtr>(&attribute.value))
                    found |= *tensor && half((*tensor)->dtype);
                if (attribute.name == "to")
                    if (const auto* to = std::get_if<int64_t>(&attribute.value))
                        found |= *to == 10 || *to == 16;
            }
        if (found)
            rules.network = driver::NetworkKind::Half;
    }
    return rules;
}

/// Expected data that no engine can match: what must hold instead (conformance rules, random operators).
std::string checkRandom(const std::string& op, const std::vector<model::HostTensor>& inputs,
                        const std::vector<model::HostTensor>& outputs) {
    if (op == "Bernoulli") {
        for (double value : driver::toDoubles(outputs.at(0)))
            if (value != 0 && value != 1)
                return fmt::format("Bernoulli gave {}", value);
        return {};
    }
    std::vector<double> x = driver::toDoubles(inputs.at(0)), y = driver::toDoubles(outputs.at(0));
    double ratio = inputs.size() > 1 ? driver::toDoubles(inputs[1]).at(0) : 0.5;
    for (size_t i = 0; i < y.size(); ++i) {
        double kept = x[i] / (1 - ratio);
        bool isKept = std::abs(y[i] - kept) <= 1e-4 * std::abs(kept);
        if (!isKept && y[i] != 0)
            return fmt::format("element {} of a dropout is {}, neither 0 nor {}", i, y[i], kept);
        if (outputs.size() > 1 && x[i] != 0 && (outputs[1].bytes.at(i) != std::byte{0}) != (y[i] != 0))
            return fmt::format("the mask of element {} does not say whether it was kept", i);
    }
    return {};
}

/// "Bernoulli" or "Dropout" if the model's outputs are drawn at random, "" otherwise.
std::string randomOperator(const model::ModelGraph& graph, const std::vector<model::HostTensor>& inputs) {
    std::set<std::string> operators = operatorsOf(graph);
    if (operators.contains("Bernoulli") || operators.contains("RandomUniformLike"))
        return "Bernoulli";
    bool training = inputs.size() > 2 && inputs[2].dtype == types::Bool && inputs[2].bytes.at(0) != std::byte{0};
    if (operators.contains("Dropout") && training && driver::toDoubles(inputs[1]).at(0) != 0)
        return "Dropout";
    return {};
}

struct Data {
    std::vector<model::HostTensor> inputs, outputs;
};

Result<Data> readData(const fs::path& folder, const driver::RunnerModel& loaded) {
    Data data;
    for (size_t i = 0; i < loaded.inputs.size(); ++i) {
        fs::path file = folder / fmt::format("input_{}.pb", i);
        if (!fs::exists(file))
            return failure(fmt::format("the data set lacks {}", file.filename().string()));
        LATHE_TRY(model::HostTensor tensor, readFile(file, loaded.inputs[i].dtype));
        data.inputs.push_back(std::move(tensor));
    }
    size_t outputs = 0;
    while (fs::exists(folder / fmt::format("output_{}.pb", outputs)))
        ++outputs;
    for (size_t i = 0; i < outputs; ++i) {
        LATHE_TRY(model::HostTensor tensor,
                  readFile(folder / fmt::format("output_{}.pb", i),
                           i < loaded.outputs.size() ? loaded.outputs[i].dtype : types::Void));
        data.outputs.push_back(std::move(tensor));
    }
    return data;
}

/// What ONNX's runner feeds a light_ model: float32, element i is i / n.
Result<Data> lightData(const fs::path& output, const driver::RunnerModel& loaded) {
    Data data;
    LATHE_TRY(const driver::Shapes shapes, driver::inputShapes(loaded.inputs, {}, {}));
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
    LATHE_TRY(model::HostTensor expected, readFile(output, types::Float32));
    data.outputs.push_back(std::move(expected));
    return data;
}

std::vector<fs::path> sorted(std::vector<fs::path> paths) {
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace

TestCase testCaseOf(const fs::path& model) {
    TestCase test;
    test.model = model;
    fs::path folder = model.parent_path();
    std::string stem = model.stem().string();
    std::error_code ignored;
    std::vector<fs::path> sets;
    if (fs::is_directory(folder / ("ref_" + stem), ignored))
        sets.push_back(folder / ("ref_" + stem));
    if (stem == "model" || sets.empty())
        for (const auto& entry : fs::directory_iterator(folder, ignored))
            if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
                sets.push_back(entry.path());
    test.dataSets = sorted(std::move(sets));
    fs::path light = folder / (stem + "_output_0.pb");
    if (stem.starts_with("light_") && fs::exists(light))
        test.lightOutput = light;
    return test;
}

std::vector<TestCase> findTests(const std::vector<std::string>& paths) {
    std::vector<fs::path> models;
    for (const std::string& path : paths) {
        std::error_code failed;
        if (fs::is_regular_file(path, failed)) {
            models.push_back(path);
            continue;
        }
        for (auto it = fs::recursive_directory_iterator(
                 path, fs::directory_options::skip_permission_denied | fs::directory_options::follow_directory_symlink,
                 failed);
             !failed && it != fs::recursive_directory_iterator(); it.increment(failed))
            if (it->path().extension() == ".onnx")
                models.push_back(it->path());
    }
    std::vector<TestCase> tests;
    for (const fs::path& model : sorted(std::move(models)))
        tests.push_back(testCaseOf(model));
    return tests;
}

TestResult runTest(const TestCase& test, driver::Tolerance tolerance, const driver::Options& options,
                   const driver::Decisions& decisions, driver::RunnerClient& runner) {
    auto start = std::chrono::steady_clock::now();
    TestResult result;
    result.path = test.model.string();
    auto finish = [&](std::string outcome, std::string message) {
        result.outcome = std::move(outcome);
        result.message = std::move(message);
        result.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return result;
    };
    const MemoryFile artifact("lathe-model");
    driver::Trace trace;
    auto compiled = driver::compileFile(test.model, artifact.path(), decisions, options, trace);
    result.compileMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!compiled) {
        const Diagnostic& diagnostic = compiled.error();
        if (diagnostic.kind == ErrorKind::Internal)
            return finish("crashed", toString(diagnostic));
        result.op = diagnostic.op;
        return finish("refused", toString(diagnostic));
    }
    auto loaded = runner.load(artifact.path());
    auto runnerFailure = [&](const Diagnostic& diagnostic) {
        switch (runner.outcome()) {
        case driver::RunnerOutcome::Timeout:
            return finish("timeout", toString(diagnostic));
        case driver::RunnerOutcome::Crashed:
        case driver::RunnerOutcome::Unavailable:
            return finish("crashed", toString(diagnostic));
        default:
            return finish("wrong", toString(diagnostic));
        }
    };
    if (!loaded)
        return runnerFailure(loaded.error());
    if (test.dataSets.empty() && test.lightOutput.empty())
        return finish("refused", fmt::format("error: {}: there is no data to compare with", test.model.string()));
    driver::CompareRules rules = rulesFor(*trace.graph, tolerance);
    std::vector<fs::path> sets = test.dataSets;
    if (sets.empty())
        sets.push_back({});
    std::string spread;
    for (const fs::path& set : sets) {
        auto data = set.empty() ? lightData(test.lightOutput, *loaded) : readData(set, *loaded);
        if (!data)
            return finish("refused", toString(data.error()));
        std::string where = sets.size() > 1 ? set.filename().string() + ": " : "";
        for (size_t i = 0; i < data->inputs.size(); ++i)
            if (auto set = runner.setInput(loaded->inputs[i].name, data->inputs[i]); !set)
                return runnerFailure(set.error());
        if (auto ran = runner.run(1); !ran)
            return runnerFailure(ran.error());
        auto outputs = runner.outputs();
        if (!outputs)
            return runnerFailure(outputs.error());
        if (outputs->size() != data->outputs.size())
            return finish("wrong",
                          fmt::format("{}{} outputs, expected {}", where, outputs->size(), data->outputs.size()));
        std::string random = randomOperator(*trace.graph, data->inputs);
        for (size_t i = 0; i < outputs->size(); ++i) {
            driver::Comparison comparison = driver::compare((*outputs)[i], data->outputs[i], rules);
            bool shapeRight =
                (*outputs)[i].dtype == data->outputs[i].dtype && (*outputs)[i].shape == data->outputs[i].shape;
            if (!comparison.right && !(shapeRight && !random.empty()))
                return finish("wrong",
                              fmt::format("{}output '{}': {}", where, loaded->outputs[i].name, comparison.message));
            if (tolerance == driver::Tolerance::Model)
                spread += fmt::format("{}{}{}: d/m {:.2g}, 2-norm {:.2g}", spread.empty() ? "" : "; ", where,
                                      loaded->outputs[i].name, comparison.ofRange, comparison.normRatio);
        }
        if (!random.empty())
            if (std::string problem = checkRandom(random, data->inputs, *outputs); !problem.empty())
                return finish("wrong", where + problem);
    }
    return finish("passed", spread);
}

} // namespace lathe::cli
