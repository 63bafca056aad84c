// SPDX-License-Identifier: Apache-2.0
//
// Sequences and optionals. Where length, places and presence are known while importing they exist only here, as lists of
// values; else they are run-time lists and optionals (frontend/common/sequences.h).
#include "base/limits.h"
#include "frontend/common/emit.h"
#include "frontend/common/sequences.h"
#include "frontend/onnx/ops.h"
#include "relay/data_types.h"

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

/// The elements at operand i if their number is known, else null.
const Sequence* knownAt(NodeReader& node, size_t i) {
    const Value* value = node.value(i);
    return value ? value->sequence.get() : nullptr;
}

/// The sequence at operand i as one that a run has.
Var listAt(NodeReader& node, Builder& b, size_t i) {
    const Value* value = node.value(i);
    if (!value)
        node.fail(fmt::format("operand {} is missing", i));
    const Var list = node.failed() ? Var{} : varOf(b, *value);
    if (!node.failed() && !relay::isList(b.type(list)))
        node.fail(fmt::format("operand {} is {}, not a sequence", i, relay::toString(b.type(list))));
    return list;
}

/// Whether the place at operand i is known, or absent.
bool isPlaceKnown(NodeReader& node, Builder& b, size_t i) {
    return !node.hasInput(i) || b.knownInts(node.in(i));
}

/// A place in a sequence of `size` elements, from operand i; `otherwise` if it is absent.
std::optional<int64_t> placeAt(NodeReader& node, Builder& b, size_t i, int64_t size, int64_t most, int64_t otherwise) {
    if (!node.hasInput(i))
        return otherwise;
    const auto known = b.knownInts(node.in(i));
    if (!known || known->size() != 1) {
        node.fail("a place in a sequence is one integer");
        return std::nullopt;
    }
    const int64_t place = (*known)[0] < 0 ? (*known)[0] + size : (*known)[0];
    if (place < 0 || place > most) {
        node.fail(fmt::format("place {} is outside of a sequence of {} elements", (*known)[0], size));
        return std::nullopt;
    }
    return place;
}

/// The same as an operand of relay's operators on lists.
Var placeOperand(NodeReader& node, Builder& b, size_t i) {
    return cast(b, asScalar(b, node.in(i)), types::Int64);
}

/// An int64 that a run knows, as an expression. Using `x` fails where it is less than `least`.
Expr atLeast(Builder& b, Var integer, int64_t least, const std::string& what, Var& x) {
    const std::vector<Expr> elements = b.symbolic(integer, "size");
    if (b.failed())
        return Expr(least);
    x = assume(b, x, arith::ge(elements[0], Expr(least)), fmt::format("{} is {} at least", what, least));
    return elements[0];
}

/// Places begin … begin + size - 1 of an axis, of which there must be as many.
Var partOf(Builder& b, Var x, int64_t axis, const Expr& begin, const Expr& size) {
    const Expr fits = arith::le(begin + size, dim(b, x, axis));
    return sliceAxis(b, assume(b, x, fits, "the parts fit the dim that is split"), axis, begin, size);
}

/// A list of `trips` elements.
Var listOfParts(Builder& b, Var trips, const std::function<Var(Var iteration)>& part) {
    const Var result = b.loop(trips, {}, {listOf(b, {})}, 0, [&](Var iteration, const std::vector<Var>& carried) {
        return std::vector<Var>{b.call(Op::ListInsert, {carried[0], iteration, part(iteration)})};
    });
    return b.failed() ? Var{} : b.project(result, 0);
}

/// Parts of one size, of which the last one may be smaller.
Var splitEvenly(Builder& b, Var x, int64_t axis, const Expr& each) {
    const Expr size = dim(b, x, axis);
    const Var trips = b.scalarOf(arith::simplify(arith::ceilDiv(size, each)));
    return listOfParts(b, trips, [&](Var iteration) {
        const std::vector<Expr> at = b.symbolic(iteration, "part");
        const Expr begin = b.failed() ? Expr(0) : at[0] * each;
        return partOf(b, x, axis, begin, arith::simplify(arith::min(each, size - begin)));
    });
}

/// Parts of the sizes that a vector has, which only a run knows.
Var splitBySizes(Builder& b, Var x, int64_t axis, Var sizes) {
    const Var all = reduce(b, "sum", sizes, {0}, false);
    const std::vector<Expr> sum = b.symbolic(all, "size");
    if (b.failed())
        return {};
    x = assume(b, x, arith::eq(sum[0], dim(b, x, axis)), "the parts cover the dim that is split");
    const Var trips = b.scalarOf(dim(b, sizes, 0));
    const Var result =
        b.loop(trips, {}, {listOf(b, {}), b.scalarInt(0)}, 0, [&](Var iteration, const std::vector<Var>& carried) {
            const Var size = gather(b, sizes, iteration, 0);
            Var whole = x;
            const Expr begin = atLeast(b, carried[1], 0, "where a part begins", whole),
                       extent = atLeast(b, size, 0, "the size of a part", whole);
            const Var part = partOf(b, whole, axis, begin, extent);
            return std::vector<Var>{b.call(Op::ListInsert, {carried[0], iteration, part}), add(b, carried[1], size)};
        });
    return b.failed() ? Var{} : b.project(result, 0);
}

/// SplitToSequence where only a run knows how many parts there are.
Var splitWhileRunning(NodeReader& node, Builder& b, Var x, int64_t axis, bool keep) {
    if (!keep) // parts of one, without their dim
        return listOfParts(b, b.scalarOf(dim(b, x, axis)), [&](Var part) { return gather(b, x, part, axis); });
    if (!node.hasInput(1))
        return splitEvenly(b, x, axis, Expr(1));
    const Var split = cast(b, node.in(1), types::Int64);
    if (b.failed())
        return {};
    if (b.rank(split) != 0)
        return splitBySizes(b, x, axis, split);
    const Expr each = atLeast(b, split, 1, "the size of the parts", x);
    return splitEvenly(b, x, axis, arith::max(each, Expr(1))); // what is divided by is never 0
}

/// SequenceMap over a sequence whose length only a run knows.
void mapWhileRunning(NodeReader& node, Builder& b, const model::Graph& body) {
    std::vector<Var> lists(node.inputs());
    Var trips;
    for (size_t i = 0; i < node.inputs() && !b.failed(); ++i) {
        const Value* operand = node.value(i);
        if (!operand)
            return node.fail(fmt::format("operand {} is missing", i));
        if (!operand->sequence && !isRunTimeList(b, *operand))
            continue;
        lists[i] = listAt(node, b, i);
        const Var length = b.call(Op::ListLength, {lists[i]});
        if (!trips) {
            trips = length;
            continue;
        }
        const std::vector<Expr> first = b.symbolic(trips, "length"), own = b.symbolic(length, "length");
        if (!b.failed())
            trips = assume(b, trips, arith::eq(first[0], own[0]), "the sequences have the same length");
    }
    if (!trips)
        return node.fail("operand 0 is no sequence");
    const std::vector<Var> begin(node.outputs(), listOf(b, {}));
    const Var result = b.loop(trips, {}, begin, 0, [&](Var iteration, const std::vector<Var>& carried) {
        std::vector<Value> inputs;
        for (size_t i = 0; i < node.inputs(); ++i)
            inputs.push_back(lists[i] ? elementValue(b.call(Op::ListGet, {lists[i], iteration})) : *node.value(i));
        const std::vector<Value> mapped = node.walk.run(body, &node.scope, inputs);
        std::vector<Var> longer;
        for (size_t i = 0; i < carried.size() && !b.failed(); ++i)
            longer.push_back(b.call(Op::ListInsert, {carried[i], iteration, varOf(b, mapped[i])}));
        return longer;
    });
    for (size_t i = 0; i < node.outputs() && !b.failed(); ++i)
        node.set(i, b.project(result, static_cast<int>(i)));
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
    const Sequence* values = knownAt(node, 0);
    if (!values || !isPlaceKnown(node, b, 1))
        return node.set(0, b.call(Op::ListGet, {listAt(node, b, 0), placeOperand(node, b, 1)}));
    const auto size = static_cast<int64_t>(values->size());
    if (const auto place = placeAt(node, b, 1, size, size - 1, 0))
        node.set(0, (*values)[static_cast<size_t>(*place)]);
}

void convertSequenceInsert(NodeReader& node, Builder& b) {
    const Sequence* values = knownAt(node, 0);
    const Value* added = node.value(1);
    if (!added)
        return node.fail("operand 1 is missing");
    if (!values || !isPlaceKnown(node, b, 2)) {
        const Var list = listAt(node, b, 0), element = varOf(b, *added);
        const Var place = node.hasInput(2) ? placeOperand(node, b, 2) : b.call(Op::ListLength, {list});
        return node.set(0, b.call(Op::ListInsert, {list, place, element}));
    }
    const auto size = static_cast<int64_t>(values->size());
    if (const auto place = placeAt(node, b, 2, size, size, size)) {
        Sequence longer = *values;
        longer.insert(longer.begin() + *place, *added);
        node.set(0, sequenceValue(std::move(longer)));
    }
}

void convertSequenceErase(NodeReader& node, Builder& b) {
    const Sequence* values = knownAt(node, 0);
    if (!values || !isPlaceKnown(node, b, 1)) {
        const Var place = node.hasInput(1) ? placeOperand(node, b, 1) : b.scalarInt(-1);
        return node.set(0, b.call(Op::ListErase, {listAt(node, b, 0), place}));
    }
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
    if (const Sequence* values = knownAt(node, 0))
        return node.set(0, b.scalarInt(static_cast<int64_t>(values->size())));
    node.set(0, b.call(Op::ListLength, {listAt(node, b, 0)}));
}

void convertSequenceMap(NodeReader& node, Builder& b) {
    const Sequence* values = knownAt(node, 0);
    const auto body = node.graph("body");
    if (b.failed())
        return;
    if (body->inputs.size() != node.inputs() || body->outputs.size() < node.outputs())
        return node.fail(fmt::format("the body has {} inputs and {} outputs, the node {} and {}", body->inputs.size(),
                                     body->outputs.size(), node.inputs(), node.outputs()));
    bool isKnown = values != nullptr;
    for (size_t i = 1; i < node.inputs() && !b.failed(); ++i)
        if (const Value* operand = node.value(i))
            isKnown = isKnown && !isRunTimeList(b, *operand);
    if (!isKnown)
        return mapWhileRunning(node, b, *body);
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
    const bool keep = given || node.integer("keepdims", 1) != 0;
    if (b.failed())
        return;
    if (!size || !split || split->empty())
        return node.set(0, splitWhileRunning(node, b, x, axis, keep));
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
    Sequence values;
    int64_t begin = 0;
    for (int64_t part : parts) {
        if (part < 0 || part > *size - begin)
            return node.fail(fmt::format("the parts do not fit a dim of {}", *size));
        const Var slice = sliceAxis(b, x, axis, begin, part);
        values.push_back(elementValue(keep ? slice : squeeze(b, slice, {axis})));
        begin += part;
    }
    if (begin != *size)
        return node.fail(fmt::format("the parts cover {} elements of a dim of {}", begin, *size));
    node.set(0, sequenceValue(std::move(values)));
}

namespace {

void joinWhileRunning(NodeReader& node, Builder& b, bool stack) {
    const Var list = listAt(node, b, 0);
    if (b.failed())
        return;
    const relay::TensorType* element = relay::asTensor(relay::elementOf(b.type(list)));
    relay::AxisAttrs attrs;
    if (element && (stack || !element->shape.empty()))
        attrs.axis = node.axis(node.integer("axis", 0), static_cast<int64_t>(element->shape.size()) + (stack ? 1 : 0));
    node.set(0, b.call(stack ? Op::ListStack : Op::ListConcat, {list}, attrs));
}

} // namespace

void convertConcatFromSequence(NodeReader& node, Builder& b) {
    const Sequence* values = knownAt(node, 0);
    const bool stack = node.integer("new_axis", 0) != 0;
    if (!values)
        return joinWhileRunning(node, b, stack);
    if (values->empty())
        return node.fail("the sequence is empty");
    for (const Value& value : *values)
        if (value.sequence || value.none || !b.isTensor(value.var))
            return node.fail("an element of the sequence is no tensor");
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

void convertOptionalGetElement(NodeReader& node, Builder& b) {
    const Value* value = node.value(0);
    if (!value)
        return node.fail("operand 0 is missing");
    if (value->none)
        return node.fail("the optional has no value");
    if (isRunTimeOptional(b, *value))
        return node.set(0, withoutOptional(b, value->var));
    node.set(0, *value);
}

void convertOptionalHasElement(NodeReader& node, Builder& b) {
    const Value* value = node.value(0);
    if (value && isRunTimeOptional(b, *value))
        return node.set(0, less(b, b.scalarInt(0), b.call(Op::ListLength, {value->var})));
    node.set(0, b.scalar(value && !value->none ? 1 : 0, types::Bool));
}

} // namespace lathe::frontend::onnx
