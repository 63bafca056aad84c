// SPDX-License-Identifier: Apache-2.0
//
// Lists that a loop fills which is left to run: of what each of its rounds appends, as many as it has rounds.
#include "frontend/torch/script/containers.h"
#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

using Stacked = Builtins::Result;

/// Stacked along a new dim, or joined along one.
Stacked ofRows(Evaluator& e, const Arguments& a, bool isStacked) {
    const ListCell* list = listAt(e, a, 0);
    if (!list || isCounted(*list))
        return std::nullopt;
    if (list->hasUnseen) {
        Builtins::refuse(e, "a list is joined in the loop that it grows in, which is left to run",
                         "let the program join it after the loop");
        return std::nullopt;
    }
    if (!std::ranges::all_of(list->items, [](const ScriptValue& one) { return one.as<Rows>() || one.as<TensorRef>(); }))
        return std::nullopt;
    const ScriptValue* given = a.find(1, "dim");
    const std::optional<int64_t> axis = given ? asInt(*given) : 0;
    if (!axis)
        return std::nullopt;
    Builder& b = Builtins::builder(e);
    return Builtins::made(e, isStacked ? "aten.stack.default" : "aten.cat.default", a, [&]() -> Var {
        std::vector<Var> parts;
        for (const ScriptValue& one : list->items)
            parts.push_back(one.as<Rows>() ? one.as<Rows>()->stacked
                                           : unsqueeze(b, Builtins::read(e, *one.as<TensorRef>()), {0}));
        const Var rows = parts.size() == 1 ? parts[0] : concat(b, parts, 0);
        if (b.failed())
            return {};
        const int64_t rank = b.rank(rows), all = isStacked ? rank : rank - 1;
        const int64_t at = *axis < 0 ? *axis + all : *axis;
        if (at < 0 || at >= all) {
            b.fail("a list is joined along a dim that its tensors do not have");
            return {};
        }
        // The dim of rows to its place; joined, it is the outer part of the one there.
        Ints order = iotaInts(1, rank);
        order.insert(order.begin() + at, 0);
        const Var moved = at == 0 ? rows : transpose(b, rows, order);
        if (isStacked || b.failed())
            return moved;
        Dims shape = b.shape(moved);
        const auto place = static_cast<size_t>(at);
        shape[place] = arith::simplify(shape[place] * shape[place + 1]);
        shape.erase(shape.begin() + at + 1);
        return reshape(b, moved, shape);
    });
}
Stacked stack(Evaluator& e, const Arguments& a) {
    return ofRows(e, a, true);
}
Stacked cat(Evaluator& e, const Arguments& a) {
    return ofRows(e, a, false);
}

constexpr auto rowsRows = std::to_array<Builtins::Row>({
    {"aten.cat", cat},
    {"aten.concat", cat},
    {"aten.stack", stack},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofUncountedLists() {
    return rowsRows;
}

} // namespace lathe::frontend::torch::script
