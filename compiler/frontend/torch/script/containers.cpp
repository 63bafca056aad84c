// SPDX-License-Identifier: Apache-2.0
//
// Functions of lists, tuples and dicts.
#include "frontend/torch/script/builtins.h"
#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

using Listed = Builtins::Result;

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

/// The items of a list or tuple; null if it is none, or of unknown length, which is a fault.
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
    if (!Builtins::mayMake(e, items.size()))
        return {};
    return CellRef{Builtins::heap(e).make(ListCell{std::move(items), false})};
}

void setList(Evaluator& e, const Arguments& a, ScriptValues items) {
    if (!Builtins::mayMake(e, items.size()))
        return;
    Builtins::heap(e).set(cellAt(a), ListCell{std::move(items), false});
}

std::optional<size_t> placeAt(Evaluator& e, const Arguments& a, size_t argument, size_t size) {
    const std::optional<Expr> index = argument < a.values.size() ? toExpr(a.values[argument]) : std::nullopt;
    if (!index)
        return std::nullopt;
    const Expr place = Builtins::positionIn(e, static_cast<int64_t>(size), *index);
    const std::optional<int64_t> known = arith::asInt(place);
    if (!known)
        Builtins::refuse(e, "which element of a list is meant depends on what is not known before the call",
                         "let it depend on arguments that are fixed: --arg NAME=VALUE");
    return known ? std::optional(static_cast<size_t>(*known)) : std::nullopt;
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
    if (const DictCell* dict = dictAt(e, a); dict && a.values.size() >= 2) {
        DictCell left = *dict;
        for (size_t i = 0; i < left.entries.size(); ++i)
            if (isSame(left.entries[i].first, a.values[1])) {
                ScriptValue value = left.entries[i].second;
                left.entries.erase(left.entries.begin() + static_cast<std::ptrdiff_t>(i));
                Builtins::heap(e).set(cellAt(a), std::move(left));
                return value;
            }
        if (a.values.size() == 3)
            return a.values[2];
        Builtins::fail(e, "a key is taken out of a dict that does not have it");
        return std::nullopt;
    }
    const ScriptValues* items = listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    Arguments asked = a;
    if (asked.values.size() == 1)
        asked.add(Expr(-1));
    const std::optional<size_t> at = placeAt(e, asked, 1, items->size());
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
    if (dictAt(e, a))
        Builtins::heap(e).set(cellAt(a), DictCell());
    else if (listAt(e, a, 0))
        setList(e, a, {});
    else
        return std::nullopt;
    return ScriptValue();
}
Listed setItem(Evaluator& e, const Arguments& a) {
    if (a.values.size() != 3)
        return std::nullopt;
    if (const DictCell* dict = dictAt(e, a)) {
        DictCell changed = *dict;
        const auto found =
            std::ranges::find_if(changed.entries, [&](const auto& entry) { return isSame(entry.first, a.values[1]); });
        if (found != changed.entries.end())
            found->second = a.values[2];
        else
            changed.entries.emplace_back(a.values[1], a.values[2]);
        Builtins::heap(e).set(cellAt(a), std::move(changed));
        return a.values[0];
    }
    const ScriptValues* items = listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    const std::optional<size_t> at = items ? placeAt(e, a, 1, items->size()) : std::nullopt;
    if (!at)
        return std::nullopt;
    ScriptValues changed = *items;
    changed[*at] = a.values[2];
    setList(e, a, std::move(changed));
    return a.values[0];
}
Listed removeItem(Evaluator& e, const Arguments& a) {
    Listed taken = a.values.size() == 2 ? pop(e, a) : std::nullopt;
    return taken ? Listed(ScriptValue()) : std::nullopt;
}
Listed removeValue(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = listAt(e, a, 0) && a.values.size() == 2 ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    ScriptValues left = *items;
    const auto found = std::ranges::find_if(left, [&](const ScriptValue& one) { return isSame(one, a.values[1]); });
    if (found != left.end())
        left.erase(found);
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
    if (const DictCell* dict = dictAt(e, a))
        return Expr(static_cast<int64_t>(dict->entries.size()));
    const ScriptValues* items = itemsAt(e, a, 0);
    return items ? Listed(Expr(static_cast<int64_t>(items->size()))) : std::nullopt;
}
Listed copied(Evaluator& e, const Arguments& a) {
    if (const DictCell* dict = dictAt(e, a))
        return CellRef{Builtins::heap(e).make(DictCell(*dict))};
    if (const std::string* text = a.values.empty() ? nullptr : a.values[0].as<std::string>()) {
        ScriptValues letters;
        for (const char c : *text)
            letters.emplace_back(std::string(1, c));
        return listOf(e, std::move(letters));
    }
    if (const ListCell* list = listAt(e, a, 0); list && !list->hasUnseen)
        return CellRef{Builtins::heap(e).make(ListCell(*list))};
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
    const std::optional<int64_t> times =
        items && a.values.size() == 2 ? asInt(a.values[isFirst ? 1 : 0]) : std::nullopt;
    if (!times || *times * std::ssize(*items) > std::ssize(*items) + limits::knownValueElements)
        return std::nullopt;
    ScriptValues all;
    for (int64_t i = 0; i < *times; ++i)
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
    const auto at = [&](size_t argument, int64_t otherwise) {
        return argument < a.values.size() ? asInt(a.values[argument]).value_or(otherwise) : otherwise;
    };
    const int64_t step = at(3, 1);
    const auto within = [&](int64_t place, int64_t least, int64_t most) {
        return std::clamp(place < 0 ? place + size : place, least, most);
    };
    const int64_t far = std::numeric_limits<int64_t>::max();
    ScriptValues part;
    if (step > 0) {
        const int64_t begin = within(at(1, 0), 0, size), end = within(std::min(at(2, far), size), 0, size);
        for (int64_t i = begin; i < end; i += std::min(step, size + 1))
            part.push_back((*items)[static_cast<size_t>(i)]);
    } else if (step < 0) {
        const bool hasEnd = a.values.size() > 2 && !a.values[2].isNone();
        const int64_t begin = within(std::min(at(1, size - 1), size), -1, size - 1),
                      end = hasEnd ? within(at(2, 0), -1, size - 1) : -1;
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
    if (const DictCell* dict = dictAt(e, a))
        return std::ranges::any_of(dict->entries, [&](const auto& one) { return isSame(one.first, a.values[1]); });
    const std::string *text = a.values[0].as<std::string>(), *part = a.values[1].as<std::string>();
    if (text && part)
        return text->contains(*part);
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
    if (!items)
        return std::nullopt;
    return Expr(static_cast<int64_t>(
        std::ranges::count_if(*items, [&](const ScriptValue& one) { return isSame(one, a.values[1]); })));
}
Listed indexOf(Evaluator& e, const Arguments& a) {
    const ScriptValues* items =
        listAt(e, a, 0) && a.values.size() == 2 && !a.values[1].as<CellRef>() ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    const auto found = std::ranges::find_if(*items, [&](const ScriptValue& one) { return isSame(one, a.values[1]); });
    if (found == items->end()) {
        Builtins::fail(e, "a list does not have the value that is looked for in it");
        return std::nullopt;
    }
    return Expr(found - items->begin());
}

// ---- lists of numbers

/// The one that the function prefers of two.
Listed extreme(Evaluator& e, const Arguments& a, const char* name) {
    const ScriptValues* items = a.values.size() == 1 && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items || items->empty())
        return std::nullopt;
    ScriptValue best = items->front();
    for (size_t i = 1; i < items->size(); ++i) {
        const Listed better = callNumberFunction(Builtins::builder(e), name, {best, (*items)[i]});
        if (!better)
            return std::nullopt;
        best = *better;
    }
    return best;
}
Listed greatest(Evaluator& e, const Arguments& a) {
    return extreme(e, a, "prim.max");
}
Listed least(Evaluator& e, const Arguments& a) {
    return extreme(e, a, "prim.min");
}
Listed sum(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = a.values.size() == 1 && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    return items->empty() ? Listed(Expr(0)) : extreme(e, a, "aten.add");
}
Listed anyOrAll(Evaluator& e, const Arguments& a, const char* name, bool none) {
    const ScriptValues* items = a.values.size() == 1 && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    ScriptValue all = none;
    for (const ScriptValue& one : *items) {
        const Listed truth = truthOf(Builtins::builder(e), one);
        const Listed both = truth ? callNumberFunction(Builtins::builder(e), name, {all, *truth}) : truth;
        if (!both)
            return std::nullopt;
        all = *both;
    }
    return all;
}
Listed any(Evaluator& e, const Arguments& a) {
    return anyOrAll(e, a, "aten.__or__", false);
}
Listed all(Evaluator& e, const Arguments& a) {
    return anyOrAll(e, a, "aten.__and__", true);
}

std::optional<ScriptValues> sortedItems(Evaluator& e, const Arguments& a) {
    const ScriptValues* items = !a.values.empty() && listAt(e, a, 0) ? itemsAt(e, a, 0) : nullptr;
    if (!items)
        return std::nullopt;
    const auto isKnown = [](const ScriptValue& one) {
        return asInt(one) || one.as<double>() || one.as<std::string>() || one.as<bool>();
    };
    if (!std::ranges::all_of(*items, isKnown)) {
        Builtins::refuse(e, "a list is sorted whose elements are not known before the call",
                         "let the program sort a tensor");
        return std::nullopt;
    }
    const auto number = [](const ScriptValue& one) {
        const double* real = one.as<double>();
        const bool* flag = one.as<bool>();
        return real ? *real : flag ? (*flag ? 1.0 : 0.0) : static_cast<double>(asInt(one).value_or(0));
    };
    ScriptValues ordered = *items;
    std::ranges::sort(ordered, [&](const ScriptValue& x, const ScriptValue& y) {
        const std::string *p = x.as<std::string>(), *q = y.as<std::string>();
        return p && q ? *p < *q : number(x) < number(y);
    });
    const ScriptValue* reversed = a.find(1, "reverse");
    if (reversed && reversed->as<bool>() && *reversed->as<bool>())
        std::ranges::reverse(ordered);
    return ordered;
}
Listed sorted(Evaluator& e, const Arguments& a) {
    std::optional<ScriptValues> items = sortedItems(e, a);
    return items ? Listed(listOf(e, *std::move(items))) : std::nullopt;
}
Listed sortHere(Evaluator& e, const Arguments& a) {
    std::optional<ScriptValues> items = sortedItems(e, a);
    if (!items)
        return std::nullopt;
    setList(e, a, *std::move(items));
    return ScriptValue();
}

Listed rangeLength(Evaluator& e, const Arguments& a) {
    if (a.values.size() != 3)
        return std::nullopt;
    const std::optional<Expr> low = toExpr(a.values[0]), high = toExpr(a.values[1]);
    const std::optional<int64_t> step = asInt(a.values[2]);
    if (!low || !high || !step || *step == 0) {
        Builtins::fail(e, "the step of a range is 0, or not known");
        return std::nullopt;
    }
    const Expr size = *step > 0 ? *high - *low : *low - *high, by = std::abs(*step);
    return fromExpr(arith::max(arith::floorDiv(size + by - 1, by), 0));
}
Listed derivedIndex(Evaluator&, const Arguments& a) {
    const auto whole = [&](size_t i) { return i < a.values.size() ? toExpr(a.values[i]) : std::nullopt; };
    const auto index = whole(0), start = whole(1), step = whole(2);
    return index && start && step ? Listed(fromExpr(*start + *index * *step)) : std::nullopt;
}

// ---- dicts

Listed makeDict(Evaluator& e, const Arguments& a) {
    DictCell dict;
    if (const ScriptValues* pairs = a.values.empty() ? nullptr : itemsAt(e, a, 0))
        for (const ScriptValue& pair : *pairs)
            if (const TupleValue* entry = pair.as<TupleValue>(); entry && entry->items->size() == 2)
                dict.entries.emplace_back((*entry->items)[0], (*entry->items)[1]);
    return CellRef{Builtins::heap(e).make(std::move(dict))};
}
Listed keys(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict)
        return std::nullopt;
    ScriptValues all;
    for (const auto& [key, value] : dict->entries)
        all.push_back(key);
    return listOf(e, std::move(all));
}
Listed values(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict)
        return std::nullopt;
    ScriptValues all;
    for (const auto& [key, value] : dict->entries)
        all.push_back(value);
    return listOf(e, std::move(all));
}
Listed items(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict)
        return std::nullopt;
    ScriptValues all;
    for (const auto& [key, value] : dict->entries)
        all.push_back(tupleOf({key, value}));
    return listOf(e, std::move(all));
}
Listed get(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict || a.values.size() < 2)
        return std::nullopt;
    for (const auto& [key, value] : dict->entries)
        if (isSame(key, a.values[1]))
            return value;
    return a.values.size() > 2 ? a.values[2] : ScriptValue();
}
Listed setDefault(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict || a.values.size() != 3)
        return std::nullopt;
    for (const auto& [key, value] : dict->entries)
        if (isSame(key, a.values[1]))
            return value;
    setItem(e, a);
    return a.values[2];
}
Listed update(Evaluator& e, const Arguments& a) {
    const DictCell* more = a.values.size() == 2 ? Builtins::heap(e).find<DictCell>(a.values[1]) : nullptr;
    if (!dictAt(e, a) || !more)
        return std::nullopt;
    for (const auto& [key, value] : std::vector(more->entries)) {
        Arguments one;
        one.add(a.values[0]);
        one.add(key);
        one.add(value);
        setItem(e, one);
    }
    return ScriptValue();
}

// ---- lists of unknown length

/// Stacked along a new dim, or joined along one.
Listed ofRows(Evaluator& e, const Arguments& a, bool isStacked) {
    const ListCell* list = listAt(e, a, 0);
    if (!list || isCounted(*list))
        return std::nullopt;
    if (list->hasUnseen) {
        Builtins::refuse(e, "a list is joined in the loop that it grows in, which is left to run",
                         "let the program join it after the loop");
        return std::nullopt;
    }
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
Listed stack(Evaluator& e, const Arguments& a) {
    return ofRows(e, a, true);
}
Listed cat(Evaluator& e, const Arguments& a) {
    return ofRows(e, a, false);
}

constexpr auto listRows = std::to_array<Builtins::Row>({
    {"aten.Delete", removeItem},
    {"aten.__contains__", contains},
    {"aten.__derive_index", derivedIndex},
    {"aten.__getitem__", item},
    {"aten.__is__", isIdentical},
    {"aten.__isnot__", isNotIdentical},
    {"aten.__range_length", rangeLength},
    {"aten._set_item", setItem},
    {"aten.add", joined},
    {"aten.add_", extend},
    {"aten.all", all},
    {"aten.any", any},
    {"aten.append", append},
    {"aten.cat", cat},
    {"aten.clear", clear},
    {"aten.concat", cat},
    {"aten.copy", copied},
    {"aten.count", count},
    {"aten.dict", makeDict},
    {"aten.eq", areEqual},
    {"aten.extend", extend},
    {"aten.get", get},
    {"aten.index", indexOf},
    {"aten.insert", insert},
    {"aten.items", items},
    {"aten.keys", keys},
    {"aten.len", length},
    {"aten.list", copied},
    {"aten.max", greatest},
    {"aten.min", least},
    {"aten.mul", repeated},
    {"aten.ne", areUnequal},
    {"aten.pop", pop},
    {"aten.remove", removeValue},
    {"aten.reverse", reverse},
    {"aten.select", item},
    {"aten.setdefault", setDefault},
    {"aten.slice", sliced},
    {"aten.sort", sortHere},
    {"aten.sorted", sorted},
    {"aten.stack", stack},
    {"aten.sum", sum},
    {"aten.update", update},
    {"aten.values", values},
    {"prim.max", greatest},
    {"prim.min", least},
    {"python.len", length},
    {"python.max", greatest},
    {"python.min", least},
    {"python.sorted", sorted},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofLists() {
    return listRows;
}

} // namespace lathe::frontend::torch::script
