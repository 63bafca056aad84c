// SPDX-License-Identifier: Apache-2.0
//
// Symbols for dims, and the options that fix them.
#include "frontend/common/inputs.h"

#include "base/limits.h"
#include "frontend/common/sequences.h"
#include "model/asked_sizes.h"
#include "model/size_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace lathe::frontend {
namespace {

class Symbols {
public:
    arith::Expr named(const std::string& name) {
        const auto found = byName_.find(name);
        return found != byName_.end() ? found->second
                                      : byName_.emplace(name, fresh(model::symbolName(name))).first->second;
    }
    arith::Expr fresh(const std::string& hint) {
        std::string name = hint;
        for (int i = 1; !taken_.insert(name).second; ++i)
            name = fmt::format("{}_{}", hint, i);
        return arith::symbol(name, 0, limits::tensorElements);
    }
    void fix(const std::string& name, int64_t value) { byName_[name] = value; }

private:
    std::map<std::string, arith::Expr> byName_;
    std::set<std::string> taken_;
};

/// The declared dims with those that are given, which fit.
Result<std::vector<model::Dim>> dimsOf(const model::Value& input, const model::Sizes& sizes) {
    const auto given = std::ranges::find(sizes, input.name, &model::Sizes::value_type::first);
    std::vector<model::Dim> dims = input.type.shape;
    if (given == sizes.end()) {
        if (!input.type.hasShape)
            return failure(fmt::format("the shape of input '{}' is not declared", input.name),
                           fmt::format("give it, for example with --shape {}=1,3,224,224", input.name));
        return dims;
    }
    dims.resize(given->second.size());
    for (size_t i = 0; i < dims.size(); ++i)
        if (given->second[i] >= 0)
            dims[i].value = given->second[i];
    return dims;
}

/// Of a sequence or an optional, whose tensors have the sizes that are given, else those that are declared; null for what
/// else there may be.
relay::Type composedType(const model::Value& input, const model::Sizes& sizes) {
    using Kind = model::ValueType::Kind;
    std::vector<model::ValueType> levels = {input.type};
    while (levels.back().kind == Kind::Sequence || levels.back().kind == Kind::Optional) {
        if (!levels.back().element)
            return nullptr;
        levels.push_back(model::ValueType(*levels.back().element));
    }
    model::ValueType& tensor = levels.back();
    if (tensor.kind != Kind::Tensor || tensor.dtype == types::Void || tensor.dtype == types::String)
        return nullptr;
    if (const auto given = std::ranges::find(sizes, input.name, &model::Sizes::value_type::first);
        given != sizes.end()) {
        tensor.hasShape = true;
        tensor.shape.assign(given->second.size(), model::Dim());
        for (size_t i = 0; i < given->second.size(); ++i)
            tensor.shape[i].value = given->second[i];
    }
    for (size_t i = levels.size() - 1; i-- > 0;)
        levels[i].element = std::make_shared<model::ValueType>(levels[i + 1]);
    return declaredType(levels.front());
}

Result<void> checkSymbols(const model::Graph& graph, const Options& options) {
    std::set<std::string> names;
    for (const model::Value& input : graph.inputs)
        for (const model::Dim& dim : input.type.shape)
            if (!dim.name.empty())
                names.insert(dim.name);
    for (const auto& [name, value] : options.symbols)
        if (!names.contains(name) || value < 0)
            return failure(fmt::format("the dim '{}' cannot be set to {}", name, value),
                           fmt::format("the named dims are: {}", fmt::join(names, ", ")));
    return {};
}

/// Of an input that no tensor, nor what is made of tensors, is given for.
Diagnostic noTensor(const model::Value& input) {
    if (input.type.kind == model::ValueType::Kind::Unknown)
        return error(
            ErrorKind::Unsupported,
            fmt::format("nobody knows the type of input '{}', or it is one that is not supported, such as complex "
                        "numbers",
                        input.name),
            fmt::format("where it is a tensor of numbers, say so: for example --type {0}=float32 --shape {0}=1,8",
                        input.name));
    return error(ErrorKind::Unsupported,
                 fmt::format("input '{}' is of type {}, which is not supported", input.name, toString(input.type)),
                 "only tensors, and sequences and optionals of them, can be inputs");
}

/// An input that is not supported, told at the first node that reads it.
Failure refusedInput(const model::ModelGraph& graph, const std::string& input, Diagnostic diagnostic) {
    for (const model::Node* node : graph.nodes)
        if (node && std::find(node->inputs.begin(), node->inputs.end(), input) != node->inputs.end()) {
            diagnostic.node = displayName(*node);
            diagnostic.op = operatorName(*node);
            diagnostic.nodeId = node->id;
            break;
        }
    return Failure(std::move(diagnostic));
}

} // namespace

Result<std::vector<relay::Type>> inputTypes(const model::ModelGraph& graph, const Options& options) {
    const std::vector<model::Value>& inputs = graph.graph->inputs;
    // Before anything is said of a node, which is innocent of what is given.
    LATHE_TRY(const model::Sizes sizes, model::sizesByInput(model::sizedInputs(*graph.graph), options.shapes));
    LATHE_CHECKED(checkSymbols(*graph.graph, options));
    Symbols symbols;
    std::vector<std::vector<model::Dim>> shapes;
    std::map<std::string, relay::Type> composed; // of inputs that are no tensors
    for (const auto& [name, value] : options.symbols)
        symbols.fix(name, value);
    for (const model::Value& input : inputs) {
        if (input.type.kind != model::ValueType::Kind::Tensor) {
            const relay::Type type = composedType(input, sizes);
            if (!type)
                return refusedInput(graph, input.name, noTensor(input));
            composed[input.name] = type;
            shapes.emplace_back();
            continue;
        }
        if (input.type.dtype == types::Void)
            return refusedInput(
                graph, input.name,
                error(ErrorKind::Unsupported,
                      fmt::format("the element type of input '{}' is not declared or not supported", input.name)));
        Result<std::vector<model::Dim>> declared = dimsOf(input, sizes);
        if (!declared)
            return refusedInput(graph, input.name, declared.error());
        std::vector<model::Dim>& dims = *declared;
        if (dims.size() > limits::tensorRank)
            return failure(ErrorKind::Unsupported,
                           fmt::format("input '{}' has rank {}, more than the limit of {}", input.name, dims.size(),
                                       limits::tensorRank),
                           "take dims together when exporting the model, or leave out those of 1");
        int64_t elements = 1;
        for (size_t i = 0; i < dims.size(); ++i) {
            if (dims[i].value > 0 && elements > limits::tensorElements / dims[i].value)
                return failure(ErrorKind::Unsupported,
                               fmt::format("input '{}' has more elements than the limit of {}", input.name,
                                           limits::tensorElements),
                               "give smaller sizes, or split the input when exporting the model");
            elements *= std::max<int64_t>(dims[i].value, 1);
            // A shape given for one input fixes a dim's name for all.
            if (dims[i].value >= 0 && i < input.type.shape.size() && input.type.shape[i].value < 0 &&
                model::isSizeName(input.type.shape[i].name))
                symbols.fix(input.type.shape[i].name, dims[i].value);
        }
        shapes.push_back(std::move(dims));
    }
    std::vector<relay::Type> types;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (const auto type = composed.find(inputs[i].name); type != composed.end()) {
            types.push_back(type->second);
            continue;
        }
        std::vector<arith::Expr> shape;
        for (size_t d = 0; d < shapes[i].size(); ++d) {
            const model::Dim& dim = shapes[i][d];
            if (dim.value >= 0)
                shape.emplace_back(dim.value);
            else if (model::isSizeName(dim.name))
                shape.push_back(symbols.named(dim.name));
            else
                shape.push_back(symbols.fresh(fmt::format("size_{}_of_{}", d, model::symbolName(inputs[i].name))));
        }
        types.push_back(relay::tensorType(inputs[i].type.dtype, std::move(shape)));
    }
    return types;
}

} // namespace lathe::frontend
