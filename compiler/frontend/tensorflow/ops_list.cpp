// SPDX-License-Identifier: Apache-2.0
//
// Lists of tensors. A TensorArray of old models hands its state on as a number, its flow, beside a handle: here the
// flow is the array.
#include "frontend/common/scatter.h"
#include "frontend/common/slice.h"
#include "frontend/tensorflow/lists.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::tensorflow {
namespace {

/// A list of `count` elements of the shape that `dims` says, as far as it does.
Value newList(NodeReader& node, Builder& b, Var count, const std::optional<Ints>& dims, DataType dtype) {
    if (b.failed())
        return {};
    count = cast(b, asScalar(b, count), types::Int64);
    const bool isKnown = dims && std::ranges::none_of(*dims, [](int64_t dim) { return dim < 0; });
    const Value reserved = reservedList(b, count, dtype);
    if (!isKnown)
        return reserved;
    const Dims size = b.symbolic(count, "count");
    Dims shape = toDims(*dims);
    shape.insert(shape.begin(), size.empty() ? Expr(1) : size[0]);
    if (b.failed() || !mayFill(node.b, shape))
        return {};
    const Var zero = assume(b, b.scalar(0, dtype), arith::ge(shape[0], 0), "a list has no negative length");
    return Value{.var = full(b, zero, shape), .sequence = nullptr, .none = false};
}

/// Operand `at` as a shape, or nothing if its rank is not known: a scalar of -1.
std::optional<Ints> elementShape(NodeReader& node, Builder& b, size_t at) {
    const Var operand = node.in(at);
    if (b.failed() || b.rank(operand) != 1)
        return std::nullopt;
    return b.knownInts(operand);
}

Var itemOf(Builder& b, Var list, Var index) {
    return gather(b, list, asScalar(b, index), 0);
}

/// The list with an element in place of that at the index.
Var withItem(Builder& b, Var list, Var index, Var item) {
    const Var at = reshape(b, cast(b, asScalar(b, index), types::Int64), {1, 1});
    return scatter(b, Op::ScatterNd, list, at, unsqueeze(b, item, {0}), "none");
}

/// The list with zeros behind it, as many as it needs to have an element at the last of the places.
Var reaching(Builder& b, Var list, Var last) {
    const Dims place = b.symbolic(asScalar(b, last), "place");
    if (b.failed())
        return {};
    Dims shape = b.shape(list), before(shape.size(), Expr(0)), after = before;
    const Expr missing = arith::simplify(arith::max(place[0] + 1 - shape[0], 0));
    shape[0] = arith::simplify(shape[0] + missing);
    if (!mayFill(b, shape))
        return {};
    after[0] = missing;
    return pad(b, list, "constant", before, after);
}

void giveItem(NodeReader& node, Builder& b, size_t list, size_t index) {
    const Var tensor = listTensor(node, b, list);
    if (node.needRank(tensor, 1))
        node.set(0, itemOf(b, tensor, node.in(index)));
}

/// Gives those of the elements of the list that is operand `list` that the operand `places` names.
void giveItems(NodeReader& node, Builder& b, size_t list, size_t places) {
    const Var tensor = listTensor(node, b, list), indices = node.in(places);
    if (node.needRank(tensor, 1))
        node.set(0, gather(b, tensor, indices, 0));
}

void giveWithItem(NodeReader& node, Builder& b, size_t list, size_t index, size_t item, bool grows) {
    const Value* before = node.value(list);
    const Var element = node.in(item), at = node.in(index);
    if (!before || b.failed())
        return;
    const Var whole = listOf(b, *before, element);
    node.set(0, withItem(b, grows ? reaching(b, whole, at) : whole, at, element));
}

/// Gives the list that operand `list` is with rows at places; `grows` as above.
void giveWithRows(NodeReader& node, Builder& b, const Value& list, Var places, Var rows, bool grows) {
    const Var indices = cast(b, places, types::Int64);
    if (!node.needRank(rows, 1) || !node.needRank(indices, 1))
        return;
    const Value like{.var = rows, .sequence = nullptr, .none = false};
    Var whole = isReserved(list) ? materializedLike(b, list, like).var : list.var;
    if (grows) {
        const Var none = full(b, b.scalarInt(-1), {1}); // there may be no places
        whole = reaching(b, whole, reduce(b, "max", concat(b, {none, indices}, 0), {0}, false));
    }
    node.set(0, scatter(b, Op::ScatterNd, whole, unsqueeze(b, indices, {1}), rows, "none"));
}

/// Elements one behind the other along their first dim; they are all as long.
void giveConcatenated(NodeReader& node, Builder& b, size_t operand) {
    const Var list = listTensor(node, b, operand);
    if (!node.needRank(list, 2))
        return;
    const Dims from = b.shape(list);
    Dims shape(from.begin() + 1, from.end());
    shape[0] = arith::simplify(from[0] * from[1]);
    node.set(0, reshape(b, list, shape));
    node.set(1, full(b, b.scalarOf(from[1]), {from[0]}));
}

} // namespace

void convertTensorListReserve(NodeReader& node, Builder& b) {
    if (const auto dtype = typeNamed(node, "element_dtype"))
        node.set(0, newList(node, b, node.in(1), elementShape(node, b, 0), *dtype));
}

void convertEmptyTensorList(NodeReader& node, Builder& b) {
    if (const auto dtype = typeNamed(node, "element_dtype"))
        node.set(0, newList(node, b, b.scalarInt(0), elementShape(node, b, 0), *dtype));
}

void convertTensorListFromTensor(NodeReader& node, Builder&) {
    const Var x = node.in(0);
    if (node.needRank(x, 1))
        node.set(0, x);
}

void convertTensorListGetItem(NodeReader& node, Builder& b) {
    giveItem(node, b, 0, 1);
}
void convertTensorListSetItem(NodeReader& node, Builder& b) {
    giveWithItem(node, b, 0, 1, 2, node.integer("resize_if_index_out_of_bounds", 0) != 0);
}

void convertTensorListGather(NodeReader& node, Builder& b) {
    giveItems(node, b, 0, 1);
}

void convertTensorListScatterIntoExistingList(NodeReader& node, Builder& b) {
    if (const Value* before = node.value(0))
        giveWithRows(node, b, *before, node.in(2), node.in(1), true);
}

/// A new list; without a number of elements as long as the places ask for.
void convertTensorListScatterV2(NodeReader& node, Builder& b) {
    const Var rows = node.in(0);
    const auto count = knownInteger(node, 3, "number of elements");
    if (count && !b.failed())
        giveWithRows(node, b, reservedList(b, b.scalarInt(std::max<int64_t>(*count, 0)), b.dtype(rows)), node.in(1),
                     rows, *count < 0);
}

void convertTensorListPushBack(NodeReader& node, Builder& b) {
    const Value* before = node.value(0);
    const Var element = node.in(1);
    if (before && !b.failed())
        node.set(0, concat(b, {listOf(b, *before, element), unsqueeze(b, element, {0})}, 0));
}

void convertTensorListPopBack(NodeReader& node, Builder& b) {
    const Var list = listTensor(node, b, 0);
    if (!node.needRank(list, 1))
        return;
    const Var some = assume(b, list, arith::gt(dim(b, list, 0), 0), "the list is not empty");
    const Expr last = arith::simplify(dim(b, list, 0) - 1);
    node.set(0, sliceAxis(b, some, 0, 0, last));
    node.set(1, squeeze(b, sliceAxis(b, some, 0, last, 1), {0}));
}

namespace {

/// Gives how many elements the list that is operand `i` has.
void giveLength(NodeReader& node, Builder& b, size_t i) {
    const Value* list = node.value(i);
    if (!list || b.failed())
        return;
    const Var count = isReserved(*list) ? (*list->sequence)[0].var : b.scalarOf(dim(b, list->var, 0));
    node.set(0, cast(b, count, types::Int32));
}

} // namespace

void convertTensorListLength(NodeReader& node, Builder& b) {
    giveLength(node, b, 0);
}

void convertTensorListStack(NodeReader& node, Builder& b) {
    const Value* list = node.value(0);
    if (!list || b.failed())
        return;
    if (!isReserved(*list))
        return node.set(0, *list);
    const auto shape = elementShape(node, b, 1);
    const auto dtype = typeNamed(node, "element_dtype");
    if (!shape || !dtype)
        return node.refuse("nothing says what the elements of the list are, for none was put into it");
    const Value zeros = newList(node, b, (*list->sequence)[0].var, shape, *dtype);
    if (!b.failed() && isReserved(zeros))
        return node.refuse("nothing says what the elements of the list are, for none was put into it");
    node.set(0, zeros);
}

void convertTensorListConcat(NodeReader& node, Builder& b) {
    giveConcatenated(node, b, 0);
}

void convertTensorListResize(NodeReader& node, Builder& b) {
    const Var list = listTensor(node, b, 0);
    const Expr size = integerOf(node, 1, "size");
    if (!node.needRank(list, 1) || !areSizes(node, {size}, "size"))
        return;
    Dims before(static_cast<size_t>(b.rank(list)), Expr(0)), after = before;
    after[0] = arith::simplify(size - dim(b, list, 0));
    node.set(0, pad(b, list, "constant", before, after));
}

void convertTensorArrayV3(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "dtype");
    const Var size = node.in(0);
    if (!dtype || b.failed())
        return;
    const auto shape =
        node.has("element_shape") ? std::optional(node.integers("element_shape")) : std::optional<Ints>();
    node.set(0, b.scalar(0, types::Float32)); // the handle, which nothing is read of
    node.set(1, newList(node, b, size, shape, *dtype));
}

void convertTensorArrayReadV3(NodeReader& node, Builder& b) {
    giveItem(node, b, 2, 1);
}
void convertTensorArrayWriteV3(NodeReader& node, Builder& b) {
    giveWithItem(node, b, 3, 1, 2, false);
}

void convertTensorArrayGatherV3(NodeReader& node, Builder& b) {
    giveItems(node, b, 2, 1);
}

void convertTensorArrayScatterV3(NodeReader& node, Builder& b) {
    if (const Value* before = node.value(3))
        giveWithRows(node, b, *before, node.in(1), node.in(2), false);
}

void convertTensorArraySizeV3(NodeReader& node, Builder& b) {
    giveLength(node, b, 1);
}

void convertTensorArrayConcatV3(NodeReader& node, Builder& b) {
    giveConcatenated(node, b, 1);
}

} // namespace lathe::frontend::tensorflow
