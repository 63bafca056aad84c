// SPDX-License-Identifier: Apache-2.0
#include "model/asked_sizes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>

namespace lathe::model {
namespace {

bool isOpen(const Dim& dim) {
    return dim.value < 0 && isSizeName(dim.name);
}

/// Names of the open sizes, each once.
std::vector<std::string> openSizes(std::span<const SizedInput> inputs) {
    std::vector<std::string> sizes;
    for (const SizedInput& input : inputs)
        for (const Dim& dim : input.dims)
            if (isOpen(dim) && std::ranges::find(sizes, dim.name) == sizes.end())
                sizes.push_back(dim.name);
    return sizes;
}

/// Of a size that is asked for by its own name, to which something else than a number was given.
Failure takesNumber(const std::string& size) {
    return failure(ErrorKind::Usage, fmt::format("'{}' is a size, which takes one number", size),
                   fmt::format("{}=5; an input's sizes may be given names: INPUT=n,3", size));
}

/// Whether the input can have these sizes.
bool canHave(const SizedInput& input, const std::vector<int64_t>& asked) {
    if (!input.hasShape)
        return true;
    bool fits = asked.size() == input.dims.size();
    for (size_t i = 0; fits && i < asked.size(); ++i)
        fits = asked[i] < 0 || input.dims[i].value < 0 || input.dims[i].value == asked[i];
    return fits;
}

template <typename Sizes>
Failure cannotBe(const std::string& input, const Sizes& asked, const std::string& declared) {
    return failure(
        ErrorKind::Usage,
        fmt::format("input '{}' is to be [{}], but is {} in the model", input, fmt::join(asked, ","), declared),
        "lathe inspect shows the inputs with their types and sizes");
}

/// Calls a size by a name, and so all that must equal it: those that had its name before.
void rename(Graph& graph, Dim& dim, std::string name) {
    if (const auto known = sizeMeant(openSizes(sizedInputs(graph)), name))
        name = *known; // as the model writes it
    const std::string before = std::exchange(dim.name, name);
    if (!isSizeName(before))
        return;
    for (std::vector<Value>* values : {&graph.inputs, &graph.outputs, &graph.values})
        for (Value& value : *values)
            for (Dim& other : value.type.shape)
                if (other.name == before)
                    other.name = name;
}

/// Gives the dims of an input that have no name the sizes that are asked for.
void fix(std::vector<Dim>& dims, const std::string& input, const std::vector<std::string>& names, const Sizes& sizes) {
    for (const auto& [name, own] : sizes)
        for (size_t i = 0; name == input && own.size() == dims.size() && i < dims.size(); ++i)
            if (own[i] >= 0 && !isSizeName(names[i]))
                dims[i].value = own[i];
}

/// Collects what is asked for, input by input.
class Asked {
public:
    explicit Asked(std::span<const SizedInput> inputs) : inputs_(inputs) {}

    Result<void> take(const std::string& name, const std::vector<int64_t>& sizes) {
        if (const auto input = std::ranges::find(inputs_, name, &SizedInput::name); input != inputs_.end())
            return takeInput(*input, sizes);
        const auto size = sizeMeant(openSizes(inputs_), name);
        if (!size)
            return Failure(noInput(name, inputs_));
        if (sizes.size() != 1 || sizes.front() < 0)
            return takesNumber(*size);
        for (const SizedInput& input : inputs_) {
            std::vector<int64_t> own(input.dims.size(), -1);
            for (size_t i = 0; i < own.size(); ++i)
                if (isOpen(input.dims[i]) && input.dims[i].name == *size)
                    own[i] = sizes.front();
            if (std::ranges::find(own, sizes.front()) != own.end())
                LATHE_CHECKED(takeInput(input, own));
        }
        return {};
    }
    Sizes byInput() && { return std::move(byInput_); }

private:
    Result<void> takeInput(const SizedInput& input, const std::vector<int64_t>& sizes) {
        if (!canHave(input, sizes))
            return cannotBe(input.name, sizes, input.type);
        auto known = std::ranges::find(byInput_, input.name, &Sizes::value_type::first);
        if (known == byInput_.end())
            known = byInput_.insert(known, {input.name, std::vector<int64_t>(sizes.size(), -1)});
        bool agrees = known->second.size() == sizes.size();
        for (size_t i = 0; agrees && i < sizes.size(); ++i)
            agrees = known->second[i] < 0 || sizes[i] < 0 || known->second[i] == sizes[i];
        if (!agrees)
            return failure(ErrorKind::Usage,
                           fmt::format("input '{}' is to be [{}] and [{}]", input.name, fmt::join(known->second, ","),
                                       fmt::join(sizes, ",")),
                           "give its sizes once");
        for (size_t i = 0; i < sizes.size(); ++i)
            if (sizes[i] >= 0) {
                known->second[i] = sizes[i];
                LATHE_CHECKED(bind(input, i, sizes[i]));
            }
        return {};
    }

    /// Sizes of one name are one size.
    Result<void> bind(const SizedInput& input, size_t i, int64_t size) {
        if (!input.hasShape || !isOpen(input.dims[i]))
            return {};
        const int64_t other = named_.try_emplace(input.dims[i].name, size).first->second;
        if (other == size)
            return {};
        return failure(ErrorKind::Usage,
                       fmt::format("dim {} of input '{}' is {}, but another dim that must equal it is {}", i,
                                   input.name, size, other),
                       "lathe inspect shows which dims are the same symbol");
    }

    std::span<const SizedInput> inputs_;
    Sizes byInput_;
    std::map<std::string, int64_t> named_;
};

} // namespace

std::vector<SizedInput> sizedInputs(const Graph& graph) {
    std::vector<SizedInput> inputs;
    for (const Value& value : graph.inputs)
        inputs.push_back({value.name, value.type.kind == ValueType::Kind::Tensor && value.type.hasShape,
                          value.type.shape, toString(value.type)});
    return inputs;
}

Result<void> nameSizes(ModelGraph& model, const SizeNames& asked, const Sizes& beside) {
    if (asked.empty())
        return {};
    const auto graph = std::make_shared<Graph>(*model.graph);
    for (const auto& [name, names] : asked) {
        const auto input = std::ranges::find(graph->inputs, name, &Value::name);
        if (input == graph->inputs.end()) {
            const std::vector<SizedInput> inputs = sizedInputs(*graph);
            const auto size = sizeMeant(openSizes(inputs), name);
            return size ? takesNumber(*size) : Failure(noInput(name, inputs));
        }
        std::vector<Dim>& dims = input->type.shape;
        if (!std::exchange(input->type.hasShape, true)) {
            dims.resize(names.size());
            fix(dims, name, names, beside);
        }
        bool fits = dims.size() == names.size();
        for (size_t i = 0; fits && i < names.size(); ++i)
            fits = dims[i].value < 0 || !isSizeName(names[i]);
        if (!fits) {
            std::vector<std::string> texts = names;
            std::ranges::replace(texts, "", "?");
            return cannotBe(name, texts, toString(input->type));
        }
        for (size_t i = 0; i < names.size(); ++i)
            if (isSizeName(names[i]))
                rename(*graph, dims[i], names[i]);
    }
    model.graph = graph;
    indexNodes(model);
    return {};
}

Result<Sizes> sizesByInput(std::span<const SizedInput> inputs, const Sizes& asked) {
    Asked all(inputs);
    for (const auto& [name, sizes] : asked)
        LATHE_CHECKED(all.take(name, sizes));
    return std::move(all).byInput();
}

Diagnostic noInput(const std::string& name, std::span<const SizedInput> inputs) {
    std::vector<std::string> names;
    for (const SizedInput& input : inputs)
        names.push_back(input.name);
    const std::vector<std::string> sizes = openSizes(inputs);
    std::string there = names.empty() ? "it has none" : fmt::format("its inputs are: {}", fmt::join(names, ", "));
    if (!sizes.empty())
        there += fmt::format("; its open sizes: {}", fmt::join(sizes, ", "));
    return error(ErrorKind::Usage, fmt::format("the model has no input '{}'", name), std::move(there));
}

} // namespace lathe::model
