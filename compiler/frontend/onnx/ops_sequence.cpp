// SPDX-License-Identifier: Apache-2.0
//
// Sequences and optionals whose length and presence are known while importing: they exist only here, as lists of
// values.
#include "base/limits.h"
#include "frontend/common/emit.h"
#include "frontend/onnx/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

using Sequence = std::vector<Value>;

Value sequenceValue(Sequence values) {
    return Value{.var = {}, .sequence = std::make_shared<const Sequence>(std::move(values)), .none = false};
}
Value elementValue(Var var) {
    return Value{.var = var, .sequence = nullptr, .none = false};
}

const Sequence* sequenceAt(NodeReader& node, size_t i) {
    const Value* value = node.value(i);
    if (value && value->sequence)
        return value->sequence.get();
    node.refuse(fmt::format("operand {} is no sequence whose length is known when the model is compiled", i));
    return nullptr;
}

/// A place in a sequence of `size` elements, from operand i; `otherwise` if it is absent.
std::optional<int64_t> placeAt(NodeReader& node, Builder& b, size_t i, int64_t size, int64_t most, int64_t otherwise) {
    if (!node.hasInput(i))
        return otherwise;
    const auto known = b.knownInts(node.in(i));
    if (!known || known->size() != 1) {
        node.refuse("a place in a sequence must be known when the model is compiled");
        return std::nullopt;
    }
    const int64_t place = (*known)[0] < 0 ? (*known)[0] + size : (*known)[0];
    if (place < 0 || place > most) {
        node.fail(fmt::format("place {} is outside of a sequence of {} elements", (*known)[0], size));
        return std::nullopt;
    }
    return place;
}

} // namespace

void convertSequenceEmpty(NodeReader& node, Builder&) {
    node.set(0, sequenceValue({}));
}

void convertSequenceConstruct(NodeReader& node, Builder&) {
    Sequence values;
    for (size_t i = 0; i < node.inputs(); ++i)
        values.push_back(elementValue(node.in(i)));
    node.set(0, sequenceValue(std::move(values)));
}

void convertSequenceAt(NodeReader& node, Builder& b) {
    const Sequence* values = sequenceAt(node, 0);
    if (!values)
        return;
    const auto size = static_cast<int64_t>(values->size());
    if (const auto place = placeAt(node, b, 1, size, size - 1, 0))
        node.set(0, (*values)[static_cast<size_t>(*place)]);
}

void convertSequenceInsert(NodeReader& node, Builder& b) {
    const Sequence* values = sequenceAt(node, 0);
    const Value* added = node.value(1);
    if (!values || !added)
        return;
    const auto size = static_cast<int64_t>(values->size());
    if (const auto place = placeAt(node, b, 2, size, size, size)) {
        Sequence longer = *values;
        longer.insert(longer.begin() + *place, *added);
        node.set(0, sequenceValue(std::move(longer)));
    }
}

void convertSequenceErase(NodeReader& node, Builder& b) {
    const Sequence* values = sequenceAt(node, 0);
    if (!values)
        return;
    const auto size = static_cast<int64_t>(values->size());
    if (size == 0)
        return node.fail("the sequence is empty");
    if (const auto place = placeAt(node, b, 1, size, size - 1, size - 1)) {
        Sequence shorter = *values;
        shorter.erase(shorter.begin() + *place);
        node.set(0, sequenceValue(std::move(shorter)));
    }
}

void convertSequenceLength(NodeReader& node, Builder& b) {
    if (const Sequence* values = sequenceAt(node, 0))
        node.set(0, b.scalarInt(static_cast<int64_t>(values->size())));
}

void convertSequenceMap(NodeReader& node, Builder& b) {
    const Sequence* values = sequenceAt(node, 0);
    const auto body = node.graph("body");
    if (!values || b.failed())
        return;
    if (body->inputs.size() != node.inputs() || body->outputs.size() < node.outputs())
        return node.fail(fmt::format("the body has {} inputs and {} outputs, the node {} and {}", body->inputs.size(),
                                     body->outputs.size(), node.inputs(), node.outputs()));
    std::vector<Sequence> results(node.outputs());
    for (size_t place = 0; place < values->size(); ++place) {
        std::vector<Value> inputs;
        for (size_t i = 0; i < node.inputs(); ++i) {
            const Value* operand = node.value(i);
            if (!operand)
                return node.fail(fmt::format("operand {} is missing", i));
            if (operand->sequence && operand->sequence->size() != values->size())
                return node.fail(fmt::format("operand {} is a sequence of {} elements, operand 0 of {}", i,
                                             operand->sequence->size(), values->size()));
            inputs.push_back(operand->sequence ? (*operand->sequence)[place] : *operand);
        }
        const std::vector<Value> mapped = node.walk.run(*body, &node.scope, inputs);
        if (b.failed())
            return;
        for (size_t i = 0; i < results.size(); ++i)
            results[i].push_back(mapped[i]);
    }
    for (size_t i = 0; i < results.size(); ++i)
        node.set(i, sequenceValue(std::move(results[i])));
}

void convertSplitToSequence(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (!node.needRank(x, 1))
        return;
    const int64_t axis = node.axis(node.integer("axis", 0), b.rank(x));
    const auto size = arith::asInt(dim(b, x, axis));
    const bool given = node.hasInput(1);
    const auto split = given ? b.knownInts(node.in(1)) : Ints{1};
    if (!size || !split || split->empty())
        return node.refuse("the sizes of the parts must be known when the model is compiled");
    Ints parts = *split;
    if (!given || b.rank(node.in(1)) == 0) { // one size for all; the last part may be smaller
        if (parts[0] < 1)
            return node.fail(fmt::format("the size of the parts is {}", parts[0]));
        const int64_t each = parts[0];
        if ((*size - 1) / each >= static_cast<int64_t>(limits::sequenceParts))
            return node.refuse(fmt::format("the sequence would have more than {} elements", limits::sequenceParts));
        parts.clear();
        for (int64_t at = 0; at < *size; at += each)
            parts.push_back(std::min(each, *size - at));
    }
    const bool keep = given || node.integer("keepdims", 1) != 0;
    Sequence values;
    int64_t begin = 0;
    for (int64_t part : parts) {
        if (part < 0 || begin + part > *size)
            return node.fail(fmt::format("the parts do not fit a dim of {}", *size));
        const Var slice = sliceAxis(b, x, axis, begin, part);
        values.push_back(elementValue(keep ? slice : squeeze(b, slice, {axis})));
        begin += part;
    }
    if (begin != *size)
        return node.fail(fmt::format("the parts cover {} elements of a dim of {}", begin, *size));
    node.set(0, sequenceValue(std::move(values)));
}

void convertConcatFromSequence(NodeReader& node, Builder& b) {
    const Sequence* values = sequenceAt(node, 0);
    if (!values)
        return;
    if (values->empty())
        return node.fail("the sequence is empty");
    const bool stack = node.integer("new_axis", 0) != 0;
    if (!stack && !node.needRank((*values)[0].var, 1))
        return;
    const int64_t rank = b.rank((*values)[0].var) + (stack ? 1 : 0);
    const int64_t axis = node.axis(node.integer("axis", 0), rank);
    std::vector<Var> parts;
    for (const Value& value : *values)
        parts.push_back(stack ? unsqueeze(b, value.var, {axis}) : value.var);
    node.set(0, parts.size() == 1 ? parts[0] : concat(b, std::move(parts), axis));
}

void convertOptional(NodeReader& node, Builder&) {
    if (const Value* value = node.value(0))
        node.set(0, *value);
    else
        node.set(0, Value{.var = {}, .sequence = nullptr, .none = true});
}

void convertOptionalGetElement(NodeReader& node, Builder&) {
    const Value* value = node.value(0);
    if (!value)
        return node.fail("operand 0 is missing");
    if (value->none)
        return node.fail("the optional has no value");
    node.set(0, *value);
}

void convertOptionalHasElement(NodeReader& node, Builder& b) {
    const Value* value = node.value(0);
    node.set(0, b.scalar(value && !value->none ? 1 : 0, types::Bool));
}

} // namespace lathe::frontend::onnx
