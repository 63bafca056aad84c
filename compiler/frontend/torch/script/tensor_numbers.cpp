// SPDX-License-Identifier: Apache-2.0
//
// Numbers out of tensors, and tensors of numbers.
#include "frontend/torch/scalar_type.h"
#include "frontend/torch/script/containers.h"
#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

using Taken = Builtins::Result;

const TensorRef* refAt(const Arguments& a) {
    return a.values.empty() ? nullptr : a.values[0].as<TensorRef>();
}

Taken numberOf(Evaluator& e, const Arguments& a) {
    if (!refAt(a))
        return std::nullopt;
    return fromTensor(Builtins::builder(e), Builtins::read(e, *refAt(a)), "number");
}
/// Of a tensor, or as it is given.
Taken numberIn(Evaluator& e, const Arguments& a) {
    return refAt(a) ? numberOf(e, a) : a.values.empty() ? std::nullopt : Taken(a.values[0]);
}
Taken wholeOf(Evaluator& e, const Arguments& a) {
    const Taken number = numberIn(e, a);
    return number && a.values.size() == 1 ? toInt(Builtins::builder(e), *number) : std::nullopt;
}
Taken realOf(Evaluator& e, const Arguments& a) {
    const Taken number = numberIn(e, a);
    return number && a.values.size() == 1 ? toFloat(Builtins::builder(e), *number) : std::nullopt;
}
Taken truthOfIt(Evaluator& e, const Arguments& a) {
    const Taken number = numberIn(e, a);
    return number && a.values.size() == 1 ? truthOf(Builtins::builder(e), *number) : std::nullopt;
}

/// A tensor of rank 0, as tracing makes of sizes.
Taken tensorOfNumber(Evaluator& e, const Arguments& a) {
    if (a.values.size() != 1 || !isNumber(a.values[0]))
        return std::nullopt;
    Builder& b = Builtins::builder(e);
    return Builtins::made(e, "prim.NumToTensor", a, [&] { return toScalarTensor(b, a.values[0]); });
}

/// Numbers in lists, all of one depth and size, in row order. Nothing for anything else.
struct Elements {
    Ints shape;
    ScriptValues all;
};
bool collect(Evaluator& e, const ScriptValue& value, size_t depth, Elements& elements) {
    const ListCell* list = Builtins::heap(e).find<ListCell>(value);
    const TupleValue* tuple = value.as<TupleValue>();
    const ScriptValues* items = list && !list->hasUnseen ? &list->items : tuple ? tuple->items.get() : nullptr;
    if (!Builtins::mayMake(e, elements.all.size()))
        return false;
    if (!items) {
        elements.all.push_back(value);
        return depth == elements.shape.size() && (isNumber(value) || value.as<TensorRef>());
    }
    if (depth == elements.shape.size() && elements.all.empty())
        elements.shape.push_back(std::ssize(*items));
    if (depth >= elements.shape.size() || elements.shape[depth] != std::ssize(*items) || depth > limits::tensorRank)
        return false;
    return std::ranges::all_of(*items, [&](const ScriptValue& item) { return collect(e, item, depth + 1, elements); });
}

/// tensor(data, *, dtype=None, device=None, requires_grad=False)
Taken tensorOf(Evaluator& e, const Arguments& a) {
    if (a.values.empty())
        return std::nullopt;
    Builder& b = Builtins::builder(e);
    const ScriptValue* given = a.find(1, "dtype");
    const std::optional<int64_t> code = given ? asInt(*given) : std::nullopt;
    const std::optional<DataType> asked = code ? typeOfCode(*code) : std::nullopt;
    if (code && !asked) {
        Builtins::refuse(e, "a tensor is made of an element type that is not supported",
                         "compute with floats, integers or bools");
        return std::nullopt;
    }
    if (refAt(a)) // as_tensor
        return Builtins::made(e, "aten.tensor", a, [&] {
            const Var value = Builtins::read(e, *refAt(a));
            return asked ? cast(b, value, *asked) : b.call(Op::Copy, {value});
        });
    Elements elements;
    if (!collect(e, a.values[0], 0, elements)) {
        Builtins::fail(e, "a tensor is made of something else than numbers in lists of one size");
        return std::nullopt;
    }
    const auto isReal = [](const ScriptValue& one) {
        return one.as<double>() || (one.as<Number>() && !one.as<Number>()->isBool);
    };
    const auto isTruth = [](const ScriptValue& one) {
        return one.as<bool>() || (one.as<Number>() && one.as<Number>()->isBool) ||
               (one.as<Expr>() && one.as<Expr>()->dtype().isBool());
    };
    const bool isEmpty = elements.all.empty();
    const DataType dtype = asked                                                  ? *asked
                           : isEmpty || std::ranges::any_of(elements.all, isReal) ? defaultFloat
                           : std::ranges::all_of(elements.all, isTruth)           ? types::Bool
                                                                                  : types::Int64;
    return Builtins::made(e, "aten.tensor", a, [&]() -> Var {
        const bool areWhole =
            std::ranges::all_of(elements.all, [](const ScriptValue& one) { return toExpr(one).has_value(); });
        if (areWhole && !isEmpty) {
            std::vector<Expr> all;
            for (const ScriptValue& one : elements.all)
                all.push_back(*toExpr(one));
            const Var whole = elements.shape.empty() ? b.scalarOf(all[0]) : b.fromExprs(all);
            return cast(b, elements.shape.size() > 1 ? reshape(b, whole, toDims(elements.shape)) : whole, dtype);
        }
        if (isEmpty)
            return b.constant(relay::makeSplat(dtype, elements.shape, 0));
        std::vector<Var> parts;
        for (const ScriptValue& one : elements.all) {
            const TensorRef* ref = one.as<TensorRef>();
            const double* real = one.as<double>();
            const Var number = real  ? b.scalar(*real, dtype)
                               : ref ? asScalar(b, Builtins::read(e, *ref))
                                     : toScalarTensor(b, one);
            parts.push_back(reshape(b, cast(b, number, dtype), {1}));
        }
        const Var row = parts.size() == 1 ? parts[0] : concat(b, parts, 0);
        return reshape(b, row, toDims(elements.shape));
    });
}

/// Elements that are known, in lists.
Taken listOfElements(Evaluator& e, const Arguments& a) {
    if (!refAt(a))
        return std::nullopt;
    Builder& b = Builtins::builder(e);
    const Var value = Builtins::read(e, *refAt(a));
    if (b.failed())
        return std::nullopt;
    if (b.rank(value) == 0)
        return fromTensor(b, value, "element");
    ScriptValues items;
    if (b.dtype(value).isFloat() && b.rank(value) == 1)
        if (const auto known = b.knownFloats(value))
            for (const double real : *known)
                items.emplace_back(real);
    if (!b.dtype(value).isFloat() && b.rank(value) == 1)
        for (const Expr& element : b.symbolic(value, "element"))
            items.push_back(fromExpr(element));
    const std::optional<int64_t> count = arith::asInt(b.failed() ? Expr(0) : dim(b, value, 0));
    if (b.failed() || !count || *count != std::ssize(items)) {
        Builtins::refuse(e, "elements of a tensor are taken as a list, which are not known before the call",
                         "let the program compute with the tensor");
        return std::nullopt;
    }
    return listOf(e, std::move(items));
}

constexpr auto numberTakingRows = std::to_array<Builtins::Row>({
    {"aten.Bool", truthOfIt},
    {"aten.Float", realOf},
    {"aten.FloatImplicit", realOf},
    {"aten.Int", wholeOf},
    {"aten.IntImplicit", wholeOf},
    {"aten.ScalarImplicit", numberOf},
    {"aten.as_tensor", tensorOf},
    {"aten.item", numberOf},
    {"aten.tensor", tensorOf},
    {"aten.tolist", listOfElements},
    {"prim.NumToTensor", tensorOfNumber},
    {"prim.tolist", listOfElements},
    {"python.bool", truthOfIt},
    {"python.float", realOf},
    {"python.int", wholeOf},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofTensorsAndNumbers() {
    return numberTakingRows;
}

} // namespace lathe::frontend::torch::script
