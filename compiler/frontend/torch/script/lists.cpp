// SPDX-License-Identifier: Apache-2.0
//
// Functions that make, change and search lists and tuples.
#include "frontend/torch/script/containers.h"
#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

using Listed = Builtins::Result;

/// Whether two values are equal, as Python has it; nothing if that is not known.
Listed equalValues(Evaluator& e, const ScriptValue& x, const ScriptValue& y, int nesting = 0) {
    constexpr int mostNestedLists = 64;
    if (nesting > mostNestedLists || !Builtins::mayMake(e, 1))
        return std::nullopt;
    if (isNumber(x) && isNumber(y))
        return callNumberFunction(Builtins::builder(e), "aten.eq", {x, y});
    const ListCell *p = Builtins::heap(e).find<ListCell>(x), *q = Builtins::heap(e).find<ListCell>(y);
    const TupleValue *s = x.as<TupleValue>(), *t = y.as<TupleValue>();
    const ScriptValues* left = p ? &p->items : s ? s->items.get() : nullptr;
    const ScriptValues* right = q ? &q->items : t ? t->items.get() : nullptr;
    if (!left || !right)
        return isSame(x, y);
    if (left->size() != right->size())
        return false;
    ScriptValue all = true;
    for (size_t i = 0; i < left->size(); ++i) {
        const Listed same = equalValues(e, (*left)[i], (*right)[i], nesting + 1);
        const Listed both = same ? callNumberFunction(Builtins::builder(e), "aten.__and__", {all, *same}) : same;
        if (!both)
            return std::nullopt;
        all = *both;
    }
    return all;
}
/// The first place of a value; the number of them where there is none. Nothing, and a fault, if only running tells.
std::optional<size_t> firstOf(Evaluator& e, const ScriptValues& items, const ScriptValue& value, size_t from = 0) {
    for (size_t i = from; i < items.size(); ++i) {
        const Listed same = equalValues(e, items[i], value);
        const bool* known = same ? same->as<bool>() : nullptr;
        if (!known) {
            Builtins::refuse(e, "a list is searched for a value that is not known before the call",
                             "let the program compute with tensors");
            return std::nullopt;
        }
        if (*known)
            return i;
    }
    return items.size();
}

// ---- lists that change

Listed append(Evaluator& e, const Arguments& a) {
    const ListCell* list = listAt(e, a, 0);
    if (!list || a.values.size() != 2 || !Builtins::mayMake(e, list->items.size() + 1))
        return std::nullopt;
    ListCell grown = *list;
    grown.items.push_back(a.values[1]);
    Builtins::heap(e).set(cellAt(a), std::move(grown));
    return a.values[0];
}
Listed extend(Evaluator& e, const Arguments& a) {
    const ScriptValues *items = itemsAt(e, a, 0), *more = itemsAt(e, a, 1);
    if (!items || !more || !listAt(e, a, 0))
        return std::nullopt;
    ScriptValues all = *items;
    all.insert(all.end(), more->begin(), more->end());
    setList(e, a, std::move(all));
    return a.values[0];
}
Listed insert(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    const std::optional<int64_t> at = items && a.values.size() == 3 ? asInt(a.values[1]) : std::nullopt;
    if (!at)
        return std::nullopt;
    const auto size = static_cast<int64_t>(items->size());
    ScriptValues all = *items;
    all.insert(all.begin() + std::clamp<int64_t>(*at < 0 ? *at + size : *at, 0, size), a.values[2]);
    setList(e, a, std::move(all));
    return ScriptValue();
}
Listed pop(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    const std::optional<size_t> at = placeAt(e, items->size(), a.values.size() == 1 ? Expr(-1) : a.values[1]);
    if (!at)
        return std::nullopt;
    ScriptValues left = *items;
    ScriptValue value = left[*at];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(*at));
    setList(e, a, std::move(left));
    return value;
}
Listed reverse(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    setList(e, a, ScriptValues(items->rbegin(), items->rend()));
    return ScriptValue();
}
Listed clear(Evaluator& e, const Arguments& a) {
    const ListCell* list = listAt(e, a, 0);
    if (list && list->hasUnseen)
        Builtins::refuse(e, "a list is emptied in the loop that it grows in, which is left to run",
                         "let the program make a new list");
    else if (list)
        setList(e, a, {});
    return list ? Listed(ScriptValue()) : std::nullopt;
}
Listed setItem(Evaluator& e, const Arguments& a) {
    if (a.values.size() != 3)
        return std::nullopt;
    const ScriptValues* items = listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    const std::optional<size_t> at = items ? placeAt(e, items->size(), a.values[1]) : std::nullopt;
    if (!at)
        return std::nullopt;
    ScriptValues changed = *items;
    changed[*at] = a.values[2];
    setList(e, a, std::move(changed));
    return a.values[0];
}
Listed removeItem(Evaluator& e, const Arguments& a) {
    const Listed taken = a.values.size() == 2 ? pop(e, a) : std::nullopt;
    return taken ? Listed(ScriptValue()) : std::nullopt;
}
Listed removeValue(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = listAt(e, a, 0) && a.values.size() == 2 ? itemsAt(e, a, 0) : nullptr;
    const std::optional<size_t> at = items ? firstOf(e, *items, a.values[1]) : std::nullopt;
    if (!at)
        return std::nullopt;
    if (*at == items->size()) {
        Builtins::raise(e, "list.remove(x): x not in list");
        return std::nullopt;
    }
    ScriptValues left = *items;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(*at));
    setList(e, a, std::move(left));
    return ScriptValue();
}

// ---- lists and tuples as they are

Listed length(Evaluator& e, const Arguments& a) {
    const ListCell* list = listAt(e, a, 0);
    if (list && !list->hasUnseen) {
        Expr count = 0;
        for (const ScriptValue& item : list->items) {
            const Rows* rows = item.as<Rows>();
            count = count + (rows ? dim(Builtins::builder(e), rows->stacked, 0) : Expr(1));
        }
        return fromExpr(count);
    }
    const ScriptValues* items = itemsAt(e, a, 0);
    return items ? Listed(Expr(static_cast<int64_t>(items->size()))) : std::nullopt;
}
Listed copied(Evaluator& e, const Arguments& a) {
    if (const std::string* text = a.values.empty() ? nullptr : a.values[0].as<std::string>()) {
        if (!Builtins::mayMake(e, text->size()))
            return std::nullopt;
        ScriptValues letters;
        for (const char c : *text)
            letters.emplace_back(std::string(1, c));
        return listOf(e, std::move(letters));
    }
    if (const ListCell* list = listAt(e, a, 0); list && !list->hasUnseen)
        return listOf(e, list->items);
    const ScriptValues* items = itemsAt(e, a, 0);
    return items ? Listed(listOf(e, *items)) : std::nullopt;
}
Listed joined(Evaluator& e, const Arguments& a) {
    if (!listAt(e, a, 0) || !listAt(e, a, 1))
        return std::nullopt;
    const ScriptValues *x = itemsAt(e, a, 0), *y = itemsAt(e, a, 1);
    if (!x || !y)
        return std::nullopt;
    ScriptValues all = *x;
    all.insert(all.end(), y->begin(), y->end());
    return listOf(e, std::move(all));
}
Listed repeated(Evaluator& e, const Arguments& a) {
    const bool isFirst = listAt(e, a, 0) != nullptr;
    const ScriptValues* items = listAt(e, a, isFirst ? 0 : 1) ? itemsAt(e, a, isFirst ? 0 : 1) : nullptr;
    const std::optional<int64_t> asked =
        items && a.values.size() == 2 ? asInt(a.values[isFirst ? 1 : 0]) : std::nullopt;
    if (!asked)
        return std::nullopt;
    const size_t most = limits::sequenceParts, size = items->size();
    const size_t times = size == 0 ? 0 : static_cast<size_t>(std::max<int64_t>(*asked, 0));
    if (!Builtins::mayMake(e, size > 0 && times > most / size ? most + 1 : times * size))
        return std::nullopt;
    ScriptValues all;
    for (size_t i = 0; i < times; ++i)
        all.insert(all.end(), items->begin(), items->end());
    return listOf(e, std::move(all));
}
Listed sliced(Evaluator& e, const Arguments& a) {
    if (a.values.empty() || !(listAt(e, a, 0) || a.values[0].as<TupleValue>()))
        return std::nullopt;
    const ScriptValues* items = itemsAt(e, a, 0);
    if (!items)
        return std::nullopt;
    const auto size = static_cast<int64_t>(items->size());
    const int64_t far = std::numeric_limits<int64_t>::max();
    const std::optional<int64_t> by = boundAt(e, a, 3, 1);
    const int64_t step = by.value_or(1);
    const bool hasEnd = a.values.size() > 2 && !a.values[2].isNone();
    const std::optional<int64_t> first = boundAt(e, a, 1, step > 0 ? 0 : size - 1), last = boundAt(e, a, 2, far);
    if (!by || !first || !last)
        return std::nullopt;
    const auto within = [&](int64_t place, int64_t least, int64_t most) {
        return std::clamp(place < 0 ? place + size : place, least, most);
    };
    ScriptValues part;
    if (step > 0) {
        const int64_t begin = within(*first, 0, size), end = within(std::min(*last, size), 0, size);
        for (int64_t i = begin; i < end; i += std::min(step, size + 1))
            part.push_back((*items)[static_cast<size_t>(i)]);
    } else if (step < 0) {
        const int64_t begin = within(std::min(*first, size), -1, size - 1),
                      end = hasEnd ? within(*last, -1, size - 1) : -1;
        for (int64_t i = begin; i > end; i += std::max(step, -size - 1))
            part.push_back((*items)[static_cast<size_t>(i)]);
    } else {
        Builtins::fail(e, "the step of a slice is 0");
        return std::nullopt;
    }
    return a.values[0].as<TupleValue>() ? tupleOf(std::move(part)) : listOf(e, std::move(part));
}
Listed item(Evaluator& e, const Arguments& a) {
    if (a.values.size() != 2 || !(listAt(e, a, 0) || dictAt(e, a) || a.values[0].as<TupleValue>()))
        return std::nullopt;
    return Builtins::element(e, a.values[0], a.values[1]);
}

bool areComparable(Evaluator& e, const Arguments& a) {
    const auto isKnown = [&](const ScriptValue& value) {
        return value.as<std::string>() || value.as<TupleValue>() || value.isNone() || value.as<EnumMember>() ||
               value.as<Device>() || Builtins::heap(e).find<ListCell>(value);
    };
    return a.values.size() == 2 && isKnown(a.values[0]) && isKnown(a.values[1]);
}
Listed areEqual(Evaluator& e, const Arguments& a) {
    return areComparable(e, a) ? equalValues(e, a.values[0], a.values[1]) : std::nullopt;
}
Listed areUnequal(Evaluator& e, const Arguments& a) {
    const Listed same = areEqual(e, a);
    return same ? callNumberFunction(Builtins::builder(e), "aten.__not__", {*same}) : std::nullopt;
}
Listed isIdentical(Evaluator&, const Arguments& a) {
    return a.values.size() == 2 ? Listed(isSame(a.values[0], a.values[1])) : std::nullopt;
}
Listed isNotIdentical(Evaluator&, const Arguments& a) {
    return a.values.size() == 2 ? Listed(!isSame(a.values[0], a.values[1])) : std::nullopt;
}

Listed contains(Evaluator& e, const Arguments& a) {
    if (a.values.size() != 2)
        return std::nullopt;
    const ScriptValues* items = itemsAt(e, a, 0);
    if (!items)
        return std::nullopt;
    ScriptValue found = false;
    for (const ScriptValue& one : *items) {
        const Listed same = equalValues(e, one, a.values[1]);
        const Listed either = same ? callNumberFunction(Builtins::builder(e), "aten.__or__", {found, *same}) : same;
        if (!either)
            return std::nullopt;
        found = *either;
    }
    return found;
}
Listed count(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = listAt(e, a, 0) && a.values.size() == 2 ? itemsAt(e, a, 0) : nullptr;
    int64_t found = 0;
    for (std::optional<size_t> at = items ? firstOf(e, *items, a.values[1]) : std::nullopt; at;
         at = firstOf(e, *items, a.values[1], *at + 1)) {
        if (*at == items->size())
            return Expr(found);
        ++found;
    }
    return std::nullopt;
}
Listed indexOf(Evaluator& e, const Arguments& a) {
    const ScriptValues* items =
        listAt(e, a, 0) && a.values.size() == 2 && !a.values[1].as<CellRef>() ? itemsAt(e, a, 0) : nullptr;
    const std::optional<size_t> at = items ? firstOf(e, *items, a.values[1]) : std::nullopt;
    if (!at)
        return std::nullopt;
    if (*at == items->size()) {
        Builtins::raise(e, "the value is not in the list");
        return std::nullopt;
    }
    return Expr(static_cast<int64_t>(*at));
}

constexpr auto listRows = std::to_array<Builtins::Row>({
    {"aten.Delete", removeItem},
    {"aten.__contains__", contains},
    {"aten.__getitem__", item},
    {"aten.__is__", isIdentical},
    {"aten.__isnot__", isNotIdentical},
    {"aten._set_item", setItem},
    {"aten.add", joined},
    {"aten.add_", extend},
    {"aten.append", append},
    {"aten.clear", clear},
    {"aten.copy", copied},
    {"aten.count", count},
    {"aten.eq", areEqual},
    {"aten.extend", extend},
    {"aten.index", indexOf},
    {"aten.insert", insert},
    {"aten.len", length},
    {"aten.list", copied},
    {"aten.mul", repeated},
    {"aten.ne", areUnequal},
    {"aten.pop", pop},
    {"aten.remove", removeValue},
    {"aten.reverse", reverse},
    {"aten.select", item},
    {"aten.slice", sliced},
    {"python.len", length},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofLists() {
    return listRows;
}

} // namespace lathe::frontend::torch::script
