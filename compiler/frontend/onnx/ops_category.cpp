// SPDX-License-Identifier: Apache-2.0
//
// Categories: labels that are looked up, of ai.onnx.ml.
#include "frontend/common/one_hot.h"
#include "frontend/onnx/features.h"
#include "frontend/onnx/ops.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::onnx {

using namespace relay;

namespace {

Var integerList(Builder& b, std::vector<int64_t> numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    return listConstant(b, types::Int64, {count}, std::move(numbers));
}

/// Of the first key that is equal; the number of keys where none is.
Var placeAmong(Builder& b, Var x, Var keys) {
    return b.call(Op::IndexOf, {x, keys});
}

/// The value at a place among the keys; `otherwise`, of shape [1], behind the last.
Var valueAt(Builder& b, Var place, Var values, Var otherwise) {
    return gather(b, concat(b, {values, otherwise}, 0), place, 0);
}

Var tensorAttribute(NodeReader& node, Builder& b, const std::string& attribute) {
    const model::TensorPtr tensor = node.tensor(attribute);
    return tensor ? b.constant(makeConstant(tensor)) : Var{};
}

/// The keys or the values of a LabelEncoder, whichever attribute has them; none if no attribute does.
Var labels(NodeReader& node, Builder& b, const std::string& side) {
    if (node.has(side + "_tensor")) {
        const Var tensor = tensorAttribute(node, b, side + "_tensor");
        return b.failed() ? tensor : reshape(b, tensor, {product(b.shape(tensor))});
    }
    if (node.has(side + "_strings"))
        return textConstant(b, node.texts(side + "_strings"));
    if (node.has(side + "_int64s"))
        return integerList(b, node.integers(side + "_int64s"));
    if (node.has(side + "_floats")) {
        std::vector<double> floats = node.reals(side + "_floats");
        const auto count = static_cast<int64_t>(floats.size());
        return realConstant(b, types::Float32, {count}, std::move(floats));
    }
    node.fail(fmt::format("none of the attributes {0}_tensor, {0}_strings, {0}_int64s and {0}_floats is there", side));
    return {};
}

/// What stands for a key that there is none of, in the type of the values.
Var fallback(NodeReader& node, Builder& b, DataType dtype) {
    if (node.has("default_tensor")) {
        const Var tensor = tensorAttribute(node, b, "default_tensor");
        return b.failed() ? tensor : reshape(b, tensor, {Expr(1)});
    }
    if (dtype == types::String)
        return textConstant(b, {node.text("default_string", "_Unused")});
    if (dtype.isFloat())
        return cast(b, realConstant(b, types::Float32, {1}, {node.real("default_float", -0.0)}), dtype);
    return cast(b, integerList(b, {node.integer("default_int64", -1)}), dtype);
}

/// Version 1: strings to their places among the classes, or back.
void convertClasses(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const std::vector<std::string> classes = node.texts("classes_strings");
    const auto count = static_cast<int64_t>(classes.size());
    if (b.failed())
        return;
    if (b.dtype(x) == types::String) {
        const Var place = placeAmong(b, x, textConstant(b, classes));
        const Var unknown = equal(b, place, b.scalarInt(count));
        return node.set(0, where(b, unknown, b.scalarInt(node.integer("default_int64", -1)), place));
    }
    std::vector<std::string> all = classes;
    all.push_back(node.text("default_string", "_Unused"));
    const Var known =
        b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {x, b.scalarInt(0)}), less(b, x, b.scalarInt(count))});
    node.set(0, gather(b, textConstant(b, std::move(all)), where(b, known, x, b.scalarInt(count)), 0));
}

} // namespace

void convertLabelEncoder(NodeReader& node, Builder& b) {
    if (node.version() < 2)
        return convertClasses(node, b);
    const Var keys = labels(node, b, "keys"), values = labels(node, b, "values");
    if (b.failed())
        return;
    const auto counts = std::pair(arith::asInt(dim(b, keys, 0)), arith::asInt(dim(b, values, 0)));
    if (counts.first != counts.second)
        return node.fail(
            fmt::format("it has {} keys and {} values", counts.first.value_or(0), counts.second.value_or(0)));
    const Var x = node.in(0);
    Var place = placeAmong(b, x, keys);
    if (!b.failed() && node.version() < 4 && b.dtype(x).isFloat()) // in these versions NaN is no key
        place = where(b, b.call(Op::IsNan, {x}), b.scalarInt(counts.first.value_or(0)), place);
    node.set(0, valueAt(b, place, values, fallback(node, b, b.dtype(values))));
}

void convertCategoryMapper(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const std::vector<std::string> texts = node.texts("cats_strings");
    const Ints numbers = node.integers("cats_int64s");
    if (b.failed())
        return;
    if (texts.size() != numbers.size())
        return node.fail(fmt::format("it has {} strings for {} integers", texts.size(), numbers.size()));
    const bool toNumbers = b.dtype(x) == types::String;
    const Var names = textConstant(b, texts), ids = integerList(b, numbers);
    const Var otherwise = fallback(node, b, toNumbers ? types::Int64 : types::String);
    const Var place = placeAmong(b, x, toNumbers ? names : ids);
    node.set(0, valueAt(b, place, toNumbers ? ids : names, otherwise));
}

void convertOneHotEncoder(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const std::vector<std::string> texts = node.texts("cats_strings");
    const Ints numbers = node.integers("cats_int64s");
    if (b.failed())
        return;
    const bool ofTexts = b.dtype(x) == types::String;
    const auto count = static_cast<int64_t>(ofTexts ? texts.size() : numbers.size());
    if (count == 0)
        return node.fail(fmt::format("it has no categories in '{}', where the input is {}",
                                     ofTexts ? "cats_strings" : "cats_int64s", toString(b.dtype(x))));
    Var place = ofTexts ? placeAmong(b, x, textConstant(b, texts))
                        : placeAmong(b, cast(b, x, types::Int64), integerList(b, numbers));
    if (node.integer("zeros", 1) == 0) // what is no category has no place here, and the run fails
        place = gather(b, iota(b, {count}, 0, types::Int64), place, 0);
    node.set(0, b.failed() ? Var{} : cast(b, oneHot(b, place, count, b.rank(x)), types::Float32));
}

namespace {

/// Places of the keys in ascending order; a fault if two are equal, of which a map has one.
template <class Key>
Ints ascending(NodeReader& node, const std::vector<Key>& keys) {
    Ints places = iotaInts(0, static_cast<int64_t>(keys.size()));
    const auto keyAt = [&](int64_t place) -> const Key& { return keys[static_cast<size_t>(place)]; };
    std::ranges::sort(places, {}, keyAt);
    if (std::ranges::adjacent_find(places, {}, keyAt) != places.end())
        node.fail("two keys of the map are equal", "the model is malformed; export it again");
    return places;
}

} // namespace

/// The keys of all maps are known: their values stand for them, those of a map in a row, in ascending order of keys.
void convertZipMap(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const std::vector<std::string> texts = node.texts("classlabels_strings");
    const Ints numbers = node.integers("classlabels_int64s");
    if (!node.needRank(x, 1))
        return;
    if (b.rank(x) > 2 || texts.empty() == numbers.empty())
        return node.fail(fmt::format("it has {} keys that are strings and {} that are integers for {}", texts.size(),
                                     numbers.size(), text(b.shape(x))));
    const Ints order = texts.empty() ? ascending(node, numbers) : ascending(node, texts);
    const auto count = static_cast<int64_t>(order.size());
    const Var rows = asRows(b, x), whole = b.failed() ? Var{} : withDims(b, rows, {dim(b, rows, 0), Expr(count)});
    node.set(0, std::ranges::is_sorted(order) ? whole : gather(b, whole, integerList(b, order), 1));
}

} // namespace lathe::frontend::onnx
