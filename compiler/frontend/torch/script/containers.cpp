// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/containers.h"

#include "frontend/torch/script/numbers.h"

#include <algorithm>

namespace lathe::frontend::torch::script {

const ListCell* listAt(Evaluator& e, const Arguments& a, size_t place) {
    return place < a.values.size() ? Builtins::heap(e).find<ListCell>(a.values[place]) : nullptr;
}
const DictCell* dictAt(Evaluator& e, const Arguments& a) {
    return a.values.empty() ? nullptr : Builtins::heap(e).find<DictCell>(a.values[0]);
}
Cell cellAt(const Arguments& a) {
    return a.values[0].as<CellRef>()->cell;
}

bool isCounted(const ListCell& list) {
    return !list.hasUnseen &&
           std::ranges::none_of(list.items, [](const ScriptValue& item) { return item.as<Rows>() != nullptr; });
}

const ScriptValues* itemsAt(Evaluator& e, const Arguments& a, size_t place) {
    const TupleValue* tuple = place < a.values.size() ? a.values[place].as<TupleValue>() : nullptr;
    const ListCell* list = listAt(e, a, place);
    if (list && !isCounted(*list)) {
        Builtins::refuse(e, "a list of unknown length is used otherwise than to stack or join it",
                         "let the program stack the list, and take parts of that");
        return nullptr;
    }
    return list ? &list->items : tuple ? tuple->items.get() : nullptr;
}

ScriptValue listOf(Evaluator& e, ScriptValues items) {
    constexpr size_t keptInAStep = 2; // as long as the evaluation
    if (!Builtins::mayMake(e, items.size()) || !Builtins::mayTake(e, items.size() / keptInAStep))
        return {};
    return CellRef{Builtins::heap(e).make(ListCell{std::move(items), false})};
}

void setList(Evaluator& e, const Arguments& a, ScriptValues items) {
    if (!Builtins::mayMake(e, items.size()))
        return;
    Builtins::heap(e).set(cellAt(a), ListCell{std::move(items), false});
}

std::optional<size_t> placeAt(Evaluator& e, size_t size, const ScriptValue& index) {
    const std::optional<Expr> whole = toExpr(index);
    if (!whole)
        return std::nullopt;
    const Expr place = Builtins::positionIn(e, static_cast<int64_t>(size), *whole);
    if (Builtins::builder(e).failed())
        return std::nullopt;
    const std::optional<int64_t> known = arith::asInt(place);
    if (!known)
        Builtins::refuse(e, "which element of a list is meant depends on what is not known before the call",
                         "let it depend on arguments that are fixed: --arg NAME=VALUE");
    return known ? std::optional(static_cast<size_t>(*known)) : std::nullopt;
}

std::optional<int64_t> boundAt(Evaluator& e, const Arguments& a, size_t argument, int64_t otherwise) {
    if (argument >= a.values.size() || a.values[argument].isNone())
        return otherwise;
    const std::optional<int64_t> known = asInt(a.values[argument]);
    if (!known)
        Builtins::refuse(e, "which part of a list is meant depends on what is not known before the call",
                         "let it depend on arguments that are fixed: --arg NAME=VALUE, or fix sizes: --shape");
    return known;
}

std::optional<size_t> entryOf(Evaluator& e, const DictCell& dict, const ScriptValue& key) {
    if ((key.as<Expr>() && !asInt(key)) || key.as<Number>()) {
        Builtins::refuse(e, "which key of a dict is meant depends on what is not known before the call",
                         "let it depend on arguments that are fixed: --arg NAME=VALUE, or fix sizes: --shape");
        return std::nullopt;
    }
    constexpr size_t comparedInAStep = 64;
    if (!Builtins::mayTake(e, dict.entries.size() / comparedInAStep + 1))
        return std::nullopt;
    const auto found = std::ranges::find_if(dict.entries, [&](const auto& entry) { return isSame(entry.first, key); });
    return found == dict.entries.end() ? std::nullopt
                                       : std::optional(static_cast<size_t>(found - dict.entries.begin()));
}

ScriptValue dictOf(Evaluator& e, DictCell dict) {
    constexpr size_t keptInAStep = 2;
    if (!Builtins::mayMake(e, dict.entries.size()) || !Builtins::mayTake(e, dict.entries.size() / keptInAStep))
        return {};
    return CellRef{Builtins::heap(e).make(std::move(dict))};
}

void put(Evaluator& e, DictCell& dict, ScriptValue key, ScriptValue value) {
    if (const std::optional<size_t> at = entryOf(e, dict, key))
        dict.entries[*at].second = std::move(value);
    else
        dict.entries.emplace_back(std::move(key), std::move(value));
}

} // namespace lathe::frontend::torch::script
