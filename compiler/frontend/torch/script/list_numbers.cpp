// SPDX-License-Identifier: Apache-2.0
//
// Functions of lists of numbers, and of the ranges that loops go over.
#include "frontend/torch/script/containers.h"
#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lathe::frontend::torch::script {
namespace {

using Counted = Builtins::Result;

// ---- lists of numbers

/// The one that the function prefers of two.
Counted extreme(Evaluator& e, const Arguments& a, const char* name) {
    const ScriptValues* items = a.values.size() == 1 && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items || items->empty())
        return std::nullopt;
    ScriptValue best = items->front();
    for (size_t i = 1; i < items->size(); ++i) {
        const Counted better = callNumberFunction(Builtins::builder(e), name, {best, (*items)[i]});
        if (!better)
            return std::nullopt;
        best = *better;
    }
    return best;
}
Counted greatest(Evaluator& e, const Arguments& a) {
    return extreme(e, a, "prim.max");
}
Counted least(Evaluator& e, const Arguments& a) {
    return extreme(e, a, "prim.min");
}
Counted sum(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = a.values.size() == 1 && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    return items->empty() ? Counted(Expr(0)) : extreme(e, a, "aten.add");
}
Counted anyOrAll(Evaluator& e, const Arguments& a, const char* name, bool none) {
    const ScriptValues* items = a.values.size() == 1 && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    ScriptValue all = none;
    for (const ScriptValue& one : *items) {
        const Counted truth = truthOf(Builtins::builder(e), one);
        const Counted both = truth ? callNumberFunction(Builtins::builder(e), name, {all, *truth}) : truth;
        if (!both)
            return std::nullopt;
        all = *both;
    }
    return all;
}
Counted any(Evaluator& e, const Arguments& a) {
    return anyOrAll(e, a, "aten.__or__", false);
}
Counted all(Evaluator& e, const Arguments& a) {
    return anyOrAll(e, a, "aten.__and__", true);
}

/// Of two known values of one kind; floats that are no numbers come last.
bool comesBefore(const ScriptValue& x, const ScriptValue& y) {
    if (x.as<std::string>())
        return *x.as<std::string>() < *y.as<std::string>();
    if (const double *a = x.as<double>(), *b = y.as<double>(); a && b)
        return *a < *b || (std::isnan(*b) && !std::isnan(*a));
    const auto whole = [](const ScriptValue& one) { return one.as<bool>() ? *one.as<bool>() : asInt(one).value_or(0); };
    return whole(x) < whole(y);
}

std::optional<ScriptValues> sortedItems(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = !a.values.empty() && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    const auto isKnown = [&](const ScriptValue& one) {
        return one.value.index() == items->front().value.index() &&
               (asInt(one) || one.as<double>() || one.as<std::string>() || one.as<bool>());
    };
    if (!std::ranges::all_of(*items, isKnown)) {
        Builtins::refuse(e, "a list is sorted whose elements are not known before the call",
                         "let the program sort a tensor");
        return std::nullopt;
    }
    ScriptValues ordered = *items;
    std::ranges::stable_sort(ordered, comesBefore);
    const ScriptValue* reversed = a.find(1, "reverse");
    if (reversed && reversed->as<bool>() && *reversed->as<bool>())
        std::ranges::reverse(ordered);
    return ordered;
}
Counted sorted(Evaluator& e, const Arguments& a) {
    std::optional<ScriptValues> items = sortedItems(e, a);
    return items ? Counted(listOf(e, *std::move(items))) : std::nullopt;
}
Counted sortHere(Evaluator& e, const Arguments& a) {
    std::optional<ScriptValues> items = sortedItems(e, a);
    if (!items)
        return std::nullopt;
    setList(e, a, *std::move(items));
    return ScriptValue();
}

Counted rangeLength(Evaluator& e, const Arguments& a) {
    if (a.values.size() != 3)
        return std::nullopt;
    const std::optional<Expr> low = toExpr(a.values[0]), high = toExpr(a.values[1]);
    const std::optional<int64_t> step = asInt(a.values[2]);
    if (!low || !high || !step || *step == 0 || *step == std::numeric_limits<int64_t>::min()) {
        Builtins::fail(e, "the step of a range is 0, or not known");
        return std::nullopt;
    }
    const Expr size = *step > 0 ? *high - *low : *low - *high, by = std::abs(*step);
    return fromExpr(arith::max(arith::floorDiv(size + by - 1, by), 0));
}
Counted derivedIndex(Evaluator&, const Arguments& a) {
    const auto whole = [&](size_t i) { return i < a.values.size() ? toExpr(a.values[i]) : std::nullopt; };
    const auto index = whole(0), start = whole(1), step = whole(2);
    return index && start && step ? Counted(fromExpr(*start + *index * *step)) : std::nullopt;
}

constexpr auto numberRows = std::to_array<Builtins::Row>({
    {"aten.__derive_index", derivedIndex},
    {"aten.__range_length", rangeLength},
    {"aten.all", all},
    {"aten.any", any},
    {"aten.max", greatest},
    {"aten.min", least},
    {"aten.sort", sortHere},
    {"aten.sorted", sorted},
    {"aten.sum", sum},
    {"prim.max", greatest},
    {"prim.min", least},
    {"python.max", greatest},
    {"python.min", least},
    {"python.sorted", sorted},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofListsOfNumbers() {
    return numberRows;
}

} // namespace lathe::frontend::torch::script
