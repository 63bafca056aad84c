// SPDX-License-Identifier: Apache-2.0
//
// `lathe inspect`: what a model is, what it costs, and what of it is not supported.
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"

#include "arith/analysis.h"
#include "arith/print.h"
#include "base/counted.h"
#include "base/json.h"
#include "inspect/inputs.h"
#include "model/host_tensor.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <unordered_map>

namespace lathe::cli {
namespace {

nlohmann::json describe(const std::string& name, const relay::Type& type) {
    nlohmann::json value = {{"name", name}};
    if (const relay::TensorType* tensor = relay::asTensor(type)) {
        value["dtype"] = toString(tensor->dtype);
        value["shape"] = nlohmann::json::array();
        for (const arith::Expr& dim : tensor->shape) {
            if (auto number = arith::asInt(dim))
                value["shape"].push_back(*number);
            else
                value["shape"].push_back(arith::toString(dim));
        }
    } else {
        value["dtype"] = relay::toString(type);
    }
    return value;
}

/// As declared, of a model that is refused: only tensors have a shape, and not all of them.
nlohmann::json describe(const model::Value& value) {
    nlohmann::json json{{"name", value.name}, {"dtype", toString(value.type)}};
    if (value.type.kind != model::ValueType::Kind::Tensor || !value.type.hasShape)
        return json;
    json["dtype"] = toString(value.type.dtype);
    json["shape"] = nlohmann::json::array();
    for (const model::Dim& dim : value.type.shape) {
        if (dim.value >= 0)
            json["shape"].push_back(dim.value);
        else
            json["shape"].push_back(dim.name.empty() ? "?" : dim.name);
    }
    return json;
}

/// " [n,3]"; nothing where there is no shape.
std::string shapeText(const nlohmann::json& value) {
    if (!value.contains("shape"))
        return "";
    std::vector<std::string> dims;
    for (const nlohmann::json& dim : value["shape"])
        dims.push_back(dim.is_string() ? dim.get<std::string>() : dump(dim));
    return fmt::format(" [{}]", fmt::join(dims, ","));
}

/// Of a state ", at first 0 …".
std::string beginsText(const nlohmann::json& value) {
    std::string text;
    for (const nlohmann::json& element : value.value("first", nlohmann::json::array()))
        text +=
            (text.empty() ? ", at first " : " ") + (element.is_string() ? element.get<std::string>() : dump(element));
    return text.empty() ? text : text + " …";
}

/// A size of inputs or a count that is found while running: by these memory grows, and a formula of dozens says less.
std::string memoryText(const arith::Expr& bytes, const std::set<std::string>& ofInputs) {
    constexpr size_t readable = 60; // characters of a formula
    arith::VarNames names;
    std::vector<std::string> sizes, counts;
    for (const arith::Var& var : arith::freeVars(bytes))
        (ofInputs.contains(var->name) ? sizes : counts).push_back(names.of(var));
    std::string text;
    if (!sizes.empty())
        text = fmt::format("by {} (--shape gives them)", fmt::join(sizes, ", "));
    if (!counts.empty())
        text += fmt::format("{}by what only running tells: {}", text.empty() ? "" : ", and ", fmt::join(counts, ", "));
    const std::string formula = arith::toString(bytes);
    return text + (formula.size() <= readable ? ": " + formula : "; --json has the formula");
}

/// What is found of a model, step by step.
struct Found {
    nlohmann::json facts = {{"inputs", nlohmann::json::array()},     {"outputs", nlohmann::json::array()},
                            {"states", nlohmann::json::array()},     {"symbols", nlohmann::json::array()},
                            {"operators", nlohmann::json::object()}, {"unsupported", nlohmann::json::array()}};
    std::map<std::string, int> operators;
    int64_t parameters = 0;
    std::string memory = "only running tells: a loop hands on what grows";
};

/// Also of a model that is refused.
void addGraph(const driver::Trace& trace, Found& found) {
    for (const model::Node* node : trace.graph->nodes)
        if (node)
            ++found.operators[node->domain.empty() || node->domain == "ai.onnx" ? node->op
                                                                                : node->domain + "." + node->op];
    found.facts["operators"] = found.operators;
    if (!trace.graph->signatures.empty()) {
        found.facts["signatures"] = trace.graph->signatures;
        found.facts["signature"] = trace.graph->signature;
    }
    found.parameters = model::countParameters(*trace.graph);
    found.facts["parameters"] = found.parameters;
    for (const Diagnostic& diagnostic : trace.diagnostics)
        if (diagnostic.severity == Severity::Error)
            found.facts["unsupported"].push_back(
                {{"node", diagnostic.node}, {"operator", diagnostic.op}, {"reason", diagnostic.what}});
}

nlohmann::json declared(const std::vector<model::Value>& from) {
    nlohmann::json list = nlohmann::json::array();
    for (const model::Value& value : from)
        list.push_back(describe(value));
    return list;
}

/// What a state begins as: the element that all are, or the first few.
nlohmann::json initialOf(const relay::Constant& initial) {
    constexpr int64_t shown = 4;
    nlohmann::json first = nlohmann::json::array();
    const DataType dtype = relay::asTensor(initial.type)->dtype;
    const int64_t held = initial.recipe ? 0 : initial.splat ? 1 : initial.elements();
    for (int64_t i = 0; i < std::min(held, shown); ++i)
        first.push_back(numberOrText(model::elementAsDouble(dtype, initial.bytes.view, static_cast<size_t>(i))));
    return first;
}

/// Inputs, outputs and states as the import found them, and the open sizes of the inputs.
void addSignature(const relay::Function& main, nlohmann::json& facts) {
    for (const relay::Param& param : relay::inputParams(main))
        facts["inputs"].push_back(describe(param.name, param.type));
    const std::vector<relay::Type> outputs = relay::outputTypes(main);
    for (size_t i = 0; i < outputs.size(); ++i)
        facts["outputs"].push_back(describe(i < main.outputNames.size() ? main.outputNames[i] : "", outputs[i]));
    for (const relay::StateValue& state : main.states) {
        nlohmann::json& described = facts["states"].emplace_back(describe(state.name, state.initial->type));
        described["first"] = initialOf(*state.initial);
    }
    nlohmann::json& symbols = facts["symbols"];
    for (const relay::Param& param : main.params)
        if (const relay::TensorType* type = relay::asTensor(param.type))
            for (const arith::Expr& dim : type->shape)
                for (const arith::Var& var : arith::freeVars(dim))
                    if (std::find(symbols.begin(), symbols.end(), var->name) == symbols.end())
                        symbols.push_back(var->name);
}

/// Work and memory, as far as sizes are known.
void addCosts(const driver::Trace& trace, const std::unordered_map<const arith::ExprNode*, int64_t>& values,
              Found& found) {
    double flops = 0;
    for (const driver::CallRecord& call : trace.calls)
        flops += static_cast<double>(arith::evaluate(call.flops, values).value_or(0));
    found.facts["flops"] = flops;
    found.facts["peak_bytes"] = nullptr; // what loops let grow, only running tells
    if (!trace.peakBytes)
        return;
    const auto peak = arith::evaluate(trace.peakBytes, values);
    if (peak)
        found.facts["peak_bytes"] = *peak;
    found.facts["peak_bytes_expression"] = arith::toString(trace.peakBytes);
    found.memory = peak ? fmt::format("{} bytes", *peak)
                        : memoryText(trace.peakBytes, found.facts["symbols"].get<std::set<std::string>>());
}

void print(const std::string& model, const driver::Trace& trace, const Found& found) {
    printLine("{}: {}, {}, {}", model, trace.graph->producer.empty() ? trace.graph->format : trace.graph->producer,
              counted(model::countNodes(*trace.graph), "node", "nodes"),
              counted(found.parameters, "parameter", "parameters"));
    if (trace.graph->signatures.size() > 1)
        printLine("  signatures {}; this is {}", fmt::join(trace.graph->signatures, ", "),
                  trace.graph->signature.empty() ? "the first graph" : trace.graph->signature);
    for (const char* kind : {"inputs", "outputs", "states"})
        for (const auto& value : found.facts[kind])
            printLine("  {:7} {}: {}{}{}", std::string(kind).substr(0, std::string(kind).size() - 1),
                      value.value("name", ""), value.value("dtype", ""), shapeText(value), beginsText(value));
    for (const auto& [op, count] : found.operators)
        printLine("  {:4} × {}", count, op);
    if (found.facts.contains("flops"))
        printLine("  {:.3f} GFLOP at known sizes; memory of intermediate values: {}",
                  found.facts["flops"].get<double>() / 1e9, found.memory);
    for (const Diagnostic& diagnostic : trace.diagnostics)
        printLine("  {}", toString(diagnostic));
}

} // namespace

void addInspectOptions(CLI::App& app, InspectArgs& args, Common& common) {
    app.add_option("model", args.model, "the model file")->required();
    addTarget(app, common);
    addCompiling(app, common);
    addProgress(app, common);
}

int inspectCommand(const InspectArgs& args, const Common& common) {
    auto options = makeOptions(common);
    auto decisions = makeDecisions(common);
    if (!options || !decisions)
        return report({options ? decisions.error() : options.error()}, common);
    const driver::Shapes shapes = leaveSizesToTheRun(*options, {});
    options->emitCode = false;
    driver::Trace trace;
    auto compiled = driver::compileFile(args.model, {}, *decisions, *options, trace, makeProgress(common));
    if (!trace.graph)
        return report(trace.diagnostics, common);
    if (!compiled && compiled.error().kind == ErrorKind::Usage) // of which the model is innocent
        return report({inFile(compiled.error(), args.model)}, common);

    Found found;
    addGraph(trace, found);
    if (const auto module = trace.passes.empty() ? nullptr : trace.passes.front().after) {
        const relay::Function& main = module->main();
        const auto asDeclared = inspect::asDeclared(trace.graph.get(), shapes);
        if (const auto sizes = inspect::inputShapes(inspect::inputsOf(main), {}, asDeclared); !sizes)
            return report({inFile(sizes.error(), args.model)}, common);
        addSignature(main, found.facts);
        if (compiled)
            addCosts(trace, inspect::symbolValues(main, asDeclared), found);
    } else {
        found.facts["inputs"] = declared(trace.graph->graph->inputs);
        found.facts["outputs"] = declared(trace.graph->graph->outputs);
    }
    if (common.json)
        fmt::print("{}\n", dump(found.facts));
    else
        print(args.model, trace, found);
    return found.facts["unsupported"].empty() ? 0 : 1;
}

} // namespace lathe::cli
