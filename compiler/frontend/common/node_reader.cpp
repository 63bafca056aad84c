// SPDX-License-Identifier: Apache-2.0
//
// Reading a node: operands by place, attributes by name and type, results.
#include "frontend/common/node_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend {

const Value* Scope::find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
        if (const auto found = scope->values.find(name); found != scope->values.end())
            return &found->second;
    return nullptr;
}

const model::ValueType* Scope::declared(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
        if (const auto found = scope->types.find(name); found != scope->types.end())
            return found->second;
    return nullptr;
}

bool needRank(Builder& b, Var var, int atLeast) {
    if (b.failed())
        return false;
    if (b.rank(var) >= atLeast)
        return true;
    b.fail(fmt::format("the operand has rank {} where at least {} is needed", b.rank(var), atLeast));
    return false;
}

int64_t axisOf(Builder& b, int64_t value, int64_t rank) {
    if (value >= -rank && value < rank)
        return value < 0 ? value + rank : value;
    b.fail(fmt::format("axis {} is out of range for a tensor of rank {}", value, rank),
           "correct the axis in the model");
    return 0;
}

NodeReader::NodeReader(const model::Node& read, Walk& in, const Scope& around, Builder& builder)
    : node(read), walk(in), scope(around), b(builder), results(read.outputs.size()), read_(read.attributes.size()) {}

const Value* NodeReader::value(size_t i) {
    if (!hasInput(i))
        return nullptr;
    const Value* found = scope.find(node.inputs[i]);
    if (!found)
        fail(fmt::format("the node reads '{}', which nothing produces", node.inputs[i]));
    return found;
}

const model::ValueType* NodeReader::declared(size_t i) const {
    return hasInput(i) ? scope.declared(node.inputs[i]) : nullptr;
}

const model::ValueType* NodeReader::declaredResult(size_t i) const {
    return wants(i) ? scope.declared(node.outputs[i]) : nullptr;
}

Var NodeReader::in(size_t i) {
    if (!hasInput(i)) {
        fail(fmt::format("operand {} is missing", i), "the model is malformed; export it again");
        return {};
    }
    return optional(i);
}

Var NodeReader::optional(size_t i) {
    const Value* found = value(i);
    if (!found)
        return {};
    if (found->sequence || found->none) {
        fail(fmt::format("operand {} is a {} where a tensor is needed", i,
                         found->none ? "optional without value" : "sequence"));
        return {};
    }
    if (found->var && !b.failed() && !b.isTensor(found->var)) {
        fail(fmt::format("operand {} is {} where a tensor is needed", i, relay::toString(b.type(found->var))));
        return {};
    }
    return found->var;
}

void NodeReader::set(size_t i, Var var) {
    set(i, Value{.var = var, .sequence = nullptr, .none = false});
}

void NodeReader::set(size_t i, Value value) {
    if (i < results.size())
        results[i] = std::move(value);
}

const model::AttributeValue* NodeReader::find(const std::string& attribute) const {
    for (size_t i = 0; i < node.attributes.size(); ++i) {
        if (node.attributes[i].name == attribute) {
            read_[i] = true;
            return &node.attributes[i].value;
        }
    }
    return nullptr;
}

std::vector<std::string> NodeReader::unread() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < node.attributes.size(); ++i)
        if (!read_[i])
            names.push_back(node.attributes[i].name);
    return names;
}

bool NodeReader::has(const std::string& attribute) const {
    return find(attribute) != nullptr;
}

template <class T>
const T* NodeReader::get(const std::string& attribute) {
    const model::AttributeValue* value = find(attribute);
    if (!value)
        return nullptr;
    const T* typed = std::get_if<T>(value);
    if (!typed)
        fail(fmt::format("attribute '{}' has the wrong type", attribute), "the model is malformed; export it again");
    return typed;
}

int64_t NodeReader::integer(const std::string& attribute, int64_t otherwise) {
    const int64_t* value = get<int64_t>(attribute);
    return value ? *value : otherwise;
}

double NodeReader::real(const std::string& attribute, double otherwise) {
    const double* value = get<double>(attribute);
    return value ? *value : otherwise;
}

std::string NodeReader::text(const std::string& attribute, const std::string& otherwise) {
    const std::string* value = get<std::string>(attribute);
    return value ? *value : otherwise;
}

std::vector<int64_t> NodeReader::integers(const std::string& attribute) {
    const auto* value = get<std::vector<int64_t>>(attribute);
    return value ? *value : std::vector<int64_t>{};
}

std::vector<double> NodeReader::reals(const std::string& attribute) {
    const model::AttributeValue* any = find(attribute);
    if (any && std::holds_alternative<std::vector<int64_t>>(*any) && std::get<std::vector<int64_t>>(*any).empty())
        return {}; // an empty list of an old file has no type
    const auto* value = get<std::vector<double>>(attribute);
    return value ? *value : std::vector<double>{};
}

std::vector<std::string> NodeReader::texts(const std::string& attribute) {
    const auto* value = get<std::vector<std::string>>(attribute);
    return value ? *value : std::vector<std::string>{};
}

model::TensorPtr NodeReader::tensor(const std::string& attribute) {
    const model::TensorPtr* value = get<model::TensorPtr>(attribute);
    return value ? *value : nullptr;
}

std::shared_ptr<const model::Graph> NodeReader::graph(const std::string& attribute) {
    const auto* value = get<std::shared_ptr<const model::Graph>>(attribute);
    if (!value)
        fail(fmt::format("the graph '{}' is missing", attribute), "the model is malformed; export it again");
    return value ? *value : nullptr;
}

std::vector<std::shared_ptr<const model::Graph>> NodeReader::graphs(const std::string& attribute) {
    const auto* value = get<std::vector<std::shared_ptr<const model::Graph>>>(attribute);
    return value ? *value : std::vector<std::shared_ptr<const model::Graph>>{};
}

std::vector<int64_t> NodeReader::axes(std::vector<int64_t> values, int64_t rank) {
    for (int64_t& value : values)
        value = axis(value, rank);
    std::sort(values.begin(), values.end());
    if (std::adjacent_find(values.begin(), values.end()) != values.end())
        fail("an axis is named twice", "correct the axes in the model");
    return values;
}

} // namespace lathe::frontend
