// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/convert_graph.h"

#include "frontend/common/cut_graph.h"
#include "frontend/common/inputs.h"
#include "frontend/common/value_type.h"
#include "frontend/common/walk.h"
#include "model/asked_sizes.h"
#include "relay/data_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::frontend {
namespace {

Diagnostic inFile(Diagnostic diagnostic, const std::string& name) {
    diagnostic.file = name;
    return diagnostic;
}

bool hasErrors(const std::vector<Diagnostic>& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

/// Adds what is not there yet about the same node.
void addReasons(std::vector<Diagnostic>& reasons, std::vector<Diagnostic> more) {
    for (Diagnostic& reason : more) {
        const bool known = reason.nodeId >= 0 && std::ranges::any_of(reasons, [&](const Diagnostic& other) {
                               return other.nodeId == reason.nodeId && other.kind == reason.kind;
                           });
        if (!known)
            reasons.push_back(std::move(reason));
    }
}

/// Every error says what to do, if only this.
void completeHints(std::vector<Diagnostic>& diagnostics) {
    for (Diagnostic& diagnostic : diagnostics)
        if (diagnostic.severity == Severity::Error && diagnostic.hint.empty())
            diagnostic.hint = diagnostic.kind == ErrorKind::Unsupported
                                  ? "the model may be right, but Lathe does not handle this: export it without, or at "
                                    "fixed sizes (--shape)"
                              : diagnostic.node.empty() ? "correct the model, or export it again"
                                                        : "correct this node in the model, or export the model again";
}

/// Whether it is of lists and optionals that are empty, since nobody says what they could hold.
bool holdsNothing(relay::Type type) {
    if (!relay::asDataType(type))
        return false;
    while (relay::asDataType(type))
        type = relay::elementOf(type);
    return !type;
}

Diagnostic onlyEmpty(const std::string& input) {
    Diagnostic warning =
        error(fmt::format("input '{}' can only be given empty: the rank of its elements is not declared", input),
              fmt::format("give their sizes, for example with --shape {}=-1,3, or declare them in the model", input));
    warning.severity = Severity::Warning;
    return warning;
}

void warnOfEmpty(const std::vector<relay::Type>& inputs, model::ModelGraph& graph) {
    for (size_t i = 0; i < inputs.size(); ++i)
        if (holdsNothing(inputs[i]))
            graph.diagnostics.push_back(inFile(onlyEmpty(graph.graph->inputs[i].name), graph.file));
}

relay::Type withoutScalars(const relay::Type& type) {
    const relay::Type element = relay::elementOf(type);
    if (!element)
        return type;
    const relay::TensorType* tensor = relay::asTensor(element);
    const std::string name = relay::isList(type) ? "List" : "Optional";
    return tensor && tensor->shape.empty() ? relay::dataType(name) : relay::dataType(name, {withoutScalars(element)});
}

/// Files write that the elements of a sequence are scalars where they know nothing of their rank. Takes that for undeclared;
/// false if nothing is declared so.
bool withoutScalars(std::vector<relay::Type>& inputs, const model::ModelGraph& graph, const Options& options) {
    bool changed = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const bool given = std::ranges::any_of(
            options.shapes, [&](const auto& shape) { return shape.first == graph.graph->inputs[i].name; });
        const relay::Type other = given ? inputs[i] : withoutScalars(inputs[i]);
        changed |= !relay::sameType(other, inputs[i]);
        inputs[i] = other;
    }
    return changed;
}

/// A Module while it is made.
struct Attempt {
    std::shared_ptr<relay::Module> module;
    relay::Builder builder;
    std::unique_ptr<Conversion> conversion;

    Attempt(model::ModelGraph& graph, const BeginConversion& begin, relay::Evaluator* evaluator, const Options& options)
        : module(emptyModule(graph)), builder(*module, evaluator, options.budget),
          conversion(begin(graph, *module, builder)) {}

    static std::shared_ptr<relay::Module> emptyModule(const model::ModelGraph& graph) {
        auto module = std::make_shared<relay::Module>();
        module->spans = graph.spans;
        return module;
    }
};

/// The Module of what was read; null, and diagnostics of the graph, if it is refused.
std::shared_ptr<relay::Module> moduleOf(model::ModelGraph& graph, const BeginConversion& begin,
                                        relay::Evaluator* evaluator, const Options& options) {
    Attempt attempt(graph, begin, evaluator, options);
    if (hasErrors(graph.diagnostics)) {
        addReasons(graph.diagnostics, attempt.conversion->unsupported());
        return nullptr;
    }
    Result<std::vector<relay::Type>> inputs = inputTypes(graph, options);
    if (!inputs) {
        graph.diagnostics.push_back(inFile(inputs.error(), graph.file));
        addReasons(graph.diagnostics, attempt.conversion->unsupported());
        return nullptr;
    }
    attempt.conversion->convertMain(*inputs);
    if (attempt.builder.failed() && withoutScalars(*inputs, graph, options)) {
        Attempt again(graph, begin, evaluator, options);
        again.conversion->convertMain(*inputs);
        if (!again.builder.failed()) {
            warnOfEmpty(*inputs, graph);
            return again.module;
        }
    }
    if (attempt.builder.failed()) {
        graph.diagnostics.push_back(attempt.builder.error());
        addReasons(graph.diagnostics, attempt.conversion->unsupported());
        return nullptr;
    }
    warnOfEmpty(*inputs, graph);
    return attempt.module;
}

/// The type of a value by converting what it is computed by; of kind Unknown where that is refused.
model::ValueType typeByConverting(model::ModelGraph part, const std::string& value, const BeginConversion& begin,
                                  relay::Evaluator* evaluator, Options options) {
    options.symbols.clear(); // of inputs that the part need not have
    options.shapes.clear();
    const auto unknown = [](const model::Node&, size_t) { return model::ValueType(); };
    if (!cutGraph(part, {.inputs = {}, .outputs = {value}}, unknown))
        return {};
    const auto module = moduleOf(part, begin, evaluator, options);
    const auto types = module ? relay::fieldTypes(module->main().resultType) : std::vector<relay::Type>();
    const relay::TensorType* tensor = types.empty() ? nullptr : relay::asTensor(types[0]);
    return tensor ? valueType(*tensor) : model::ValueType();
}

/// Gives inputs that nobody knows the type of, as those behind what is left out, the element types that the user says.
void takeTypes(model::ModelGraph& model, const Options& options) {
    using Told = std::pair<std::string, DataType>;
    if (!model.graph)
        return; // it could not be read, which is told
    auto graph = std::make_shared<model::Graph>(*model.graph);
    bool isTaken = false;
    for (model::Value& input : graph->inputs) {
        const auto told = std::ranges::find(options.types, input.name, &Told::first);
        if (input.type.kind != model::ValueType::Kind::Unknown || told == options.types.end())
            continue;
        input.type.kind = model::ValueType::Kind::Tensor;
        input.type.dtype = told->second;
        isTaken = true;
    }
    if (!isTaken)
        return;
    model.graph = std::move(graph);
    indexNodes(model);
}

/// Says of nodes whose operator is not supported how to do without them, where that is possible.
void suggestCut(model::ModelGraph& graph, const Dialect& dialect) {
    const auto isRefused = [&](const model::Node& node) { return dialect.refusalOf(node).has_value(); };
    const auto first = std::ranges::find_if(graph.diagnostics, [&](const Diagnostic& fault) {
        const model::Node* node = fault.nodeId >= 0 && fault.nodeId < std::ssize(graph.nodes)
                                      ? graph.nodes[static_cast<size_t>(fault.nodeId)]
                                      : nullptr;
        return fault.severity == Severity::Error && fault.kind == ErrorKind::Unsupported && node && isRefused(*node);
    });
    if (first == graph.diagnostics.end())
        return;
    const auto suggest = [&](const char* side, const char* option, const std::vector<std::string>& names) {
        if (!names.empty())
            first->hint += fmt::format("{}compile what comes {} alone: {} {}", first->hint.empty() ? "" : "; or ", side,
                                       option, fmt::join(names, ","));
        return !names.empty();
    };
    if (!suggest("behind", "--inputs", inputsBehind(graph, isRefused)))
        suggest("before", "--outputs", outputsBefore(graph, isRefused));
}

} // namespace

Imported convertGraph(std::shared_ptr<model::ModelGraph> graph, const BeginConversion& begin,
                      relay::Evaluator* evaluator, const Options& options) {
    if (const auto named = model::nameSizes(*graph, options.sizeNames, options.sizesBesideNames); !named)
        graph->diagnostics.push_back(inFile(named.error(), graph->file));
    Imported result;
    result.module = moduleOf(*graph, begin, evaluator, options);
    completeHints(graph->diagnostics);
    result.diagnostics = graph->diagnostics;
    result.graph = std::move(graph);
    return result;
}

Imported convertGraph(std::shared_ptr<model::ModelGraph> graph, Dialect& dialect, relay::Evaluator* evaluator,
                      const Options& options) {
    const BeginConversion walk = [&](model::ModelGraph& model, relay::Module& module, Builder& builder) {
        return std::make_unique<GraphWalk>(model, dialect, module, builder);
    };
    if (!options.cut.empty()) {
        const auto typeOf = [&, whole = *graph](const model::Node& node, size_t result) {
            model::ValueType type = typeByConverting(whole, node.outputs[result], walk, evaluator, options);
            return type.kind == model::ValueType::Kind::Unknown ? dialect.typeOf(node, result) : type;
        };
        if (const auto cut = cutGraph(*graph, options.cut, typeOf); !cut)
            graph->diagnostics.push_back(inFile(cut.error(), graph->file));
    }
    if (!options.types.empty())
        takeTypes(*graph, options);
    Imported imported = convertGraph(graph, walk, evaluator, options);
    if (!imported.module) {
        suggestCut(*graph, dialect);
        imported.diagnostics = graph->diagnostics;
    }
    return imported;
}

Imported unreadable(Diagnostic reason, const std::string& file) {
    Imported result;
    result.diagnostics.push_back(inFile(std::move(reason), file));
    completeHints(result.diagnostics);
    return result;
}

} // namespace lathe::frontend
