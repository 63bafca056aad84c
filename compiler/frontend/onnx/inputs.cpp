// SPDX-License-Identifier: Apache-2.0
//
// Symbols for dims, and the options that fix them.
#include "frontend/onnx/inputs.h"

#include "base/limits.h"
#include "model/no_input.h"
#include "model/size_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace lathe::frontend::onnx {
namespace {

/// A dim's name as an identifier, so that it prints and parses as a symbol.
std::string identifier(const std::string& name) {
    std::string result;
    for (char letter : name)
        result += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
    if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
        result = "d" + result;
    return result;
}

class Symbols {
public:
    arith::Expr named(const std::string& name) {
        const auto found = byName_.find(name);
        return found != byName_.end() ? found->second : byName_.emplace(name, fresh(identifier(name))).first->second;
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

const std::vector<int64_t>* givenShape(const Options& options, const std::string& input) {
    for (const auto& [name, shape] : options.shapes)
        if (name == input)
            return &shape;
    return nullptr;
}

/// The declared dims with those that --shape fixes.
Result<std::vector<model::Dim>> dimsOf(const model::Value& input, const Options& options) {
    const std::vector<int64_t>* given = givenShape(options, input.name);
    std::vector<model::Dim> dims = input.type.shape;
    if (!given) {
        if (!input.type.hasShape)
            return failure(fmt::format("the shape of input '{}' is not declared", input.name),
                           fmt::format("give it, for example with --shape {}=1,3,224,224", input.name));
        return dims;
    }
    if (!input.type.hasShape)
        dims.resize(given->size());
    if (dims.size() != given->size())
        return failure(fmt::format("input '{}' has rank {}, but the given shape has {} dims", input.name, dims.size(),
                                   given->size()));
    for (size_t i = 0; i < dims.size(); ++i) {
        if ((*given)[i] < 0)
            continue;
        if (dims[i].value >= 0 && dims[i].value != (*given)[i])
            return failure(fmt::format("dim {} of input '{}' is {} in the model, but {} is given", i, input.name,
                                       dims[i].value, (*given)[i]));
        dims[i].value = (*given)[i];
    }
    return dims;
}

Result<void> checkOptions(const model::Graph& graph, const Options& options) {
    std::vector<std::string> inputs;
    std::set<std::string> names;
    for (const model::Value& input : graph.inputs) {
        inputs.push_back(input.name);
        for (const model::Dim& dim : input.type.shape)
            if (!dim.name.empty())
                names.insert(dim.name);
    }
    for (const auto& [name, shape] : options.shapes)
        if (std::ranges::find(inputs, name) == inputs.end())
            return Failure(model::noInput(name, inputs));
    for (const auto& [name, value] : options.symbols)
        if (!names.contains(name) || value < 0)
            return failure(fmt::format("the dim '{}' cannot be set to {}", name, value),
                           fmt::format("the named dims are: {}", fmt::join(names, ", ")));
    return {};
}

/// An input that is not supported, told at the first node that reads it.
Failure refused(const model::ModelGraph& graph, const std::string& input, Diagnostic diagnostic) {
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
    LATHE_CHECKED(checkOptions(*graph.graph, options));
    Symbols symbols;
    std::vector<std::vector<model::Dim>> shapes;
    for (const auto& [name, value] : options.symbols)
        symbols.fix(name, value);
    for (const model::Value& input : inputs) {
        if (input.type.kind != model::ValueType::Kind::Tensor)
            return refused(
                graph, input.name,
                error(ErrorKind::Unsupported,
                      fmt::format("input '{}' is of type {}, which is not supported", input.name, toString(input.type)),
                      "only tensors can be inputs"));
        if (input.type.dtype == types::Void)
            return refused(
                graph, input.name,
                error(ErrorKind::Unsupported,
                      fmt::format("the element type of input '{}' is not declared or not supported", input.name)));
        Result<std::vector<model::Dim>> declared = dimsOf(input, options);
        if (!declared)
            return refused(graph, input.name, declared.error());
        std::vector<model::Dim>& dims = *declared;
        if (dims.size() > limits::tensorRank)
            return failure(fmt::format("input '{}' has rank {}, more than the limit of {}", input.name, dims.size(),
                                       limits::tensorRank));
        int64_t elements = 1;
        for (size_t i = 0; i < dims.size(); ++i) {
            if (dims[i].value > 0 && elements > limits::tensorElements / dims[i].value)
                return failure(fmt::format("input '{}' has more elements than the limit of {}", input.name,
                                           limits::tensorElements));
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
        std::vector<arith::Expr> shape;
        for (size_t d = 0; d < shapes[i].size(); ++d) {
            const model::Dim& dim = shapes[i][d];
            if (dim.value >= 0)
                shape.emplace_back(dim.value);
            else if (model::isSizeName(dim.name))
                shape.push_back(symbols.named(dim.name));
            else
                shape.push_back(symbols.fresh(fmt::format("size_{}_of_{}", d, identifier(inputs[i].name))));
        }
        types.push_back(relay::tensorType(inputs[i].type.dtype, std::move(shape)));
    }
    return types;
}

} // namespace lathe::frontend::onnx
