// SPDX-License-Identifier: Apache-2.0
//
// What a block of a branch or loop that is left to run changes: found by what was there before, joined with what other blocks
// change, and put in its place as their results.
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

using Outcome = Joined::Kind;

/// The values that a cell holds, in an order that its keys say.
ScriptValues valuesIn(const CellContent& content) {
    ScriptValues values;
    if (const auto* list = std::get_if<ListCell>(&content))
        return list->items;
    if (const auto* dict = std::get_if<DictCell>(&content))
        for (const auto& [key, value] : dict->entries)
            values.push_back(value);
    if (const auto* object = std::get_if<ObjectCell>(&content))
        for (const auto& [name, value] : object->attributes)
            values.push_back(value);
    return values;
}

CellContent withValues(CellContent content, ScriptValues values) {
    size_t next = 0;
    if (auto* list = std::get_if<ListCell>(&content))
        list->items = std::move(values);
    else if (auto* dict = std::get_if<DictCell>(&content))
        for (auto& [key, value] : dict->entries)
            value = std::move(values[next++]);
    else
        for (auto& [name, value] : std::get<ObjectCell>(content).attributes)
            value = std::move(values[next++]);
    return content;
}

/// Of dicts, or of objects.
bool haveSameKeys(const CellContent& a, const CellContent& b) {
    if (const auto* dict = std::get_if<DictCell>(&a))
        return std::ranges::equal(dict->entries, std::get<DictCell>(b).entries,
                                  [](const auto& x, const auto& y) { return isSame(x.first, y.first); });
    return std::ranges::equal(
        std::get<ObjectCell>(a).attributes, std::get<ObjectCell>(b).attributes, {},
        [](const auto& x) { return x.first; }, [](const auto& x) { return x.first; });
}

bool areSame(const ScriptValue& a, const ScriptValue& b) {
    return isSame(a, b);
}

/// A value of that type in place of what is never read.
Var filler(Builder& b, const Joined& joined) {
    std::vector<int64_t> sizes;
    for (const Expr& dim : joined.dims)
        sizes.push_back(arith::asInt(dim).value_or(1));
    return b.constant(relay::makeSplat(joined.dtype, std::move(sizes), 0));
}

} // namespace

Joined Evaluator::described(const ScriptValue& value, const World& before, int nesting) {
    Joined joined{.keep = value};
    if (!step())
        return joined;
    if (nesting > mostListNesting) {
        refuse(fmt::format("lists are nested over {} deep", mostListNesting));
        return joined;
    }
    const auto ofPlace = [&](Place place) {
        const Var now = memory_.read(place);
        if (failed())
            return;
        joined.dtype = b_.dtype(now);
        joined.dims = b_.shape(now);
        if (memory_.whole(place) < before.names.size())
            joined.sharesWith = {memory_.whole(place)};
    };
    if (const TensorRef* ref = value.as<TensorRef>()) {
        joined.kind = Outcome::Tensor;
        ofPlace(ref->place);
        if (ref->place >= before.names.size()) // its place is one of the block's own
            joined.keep = {};
    } else if (const Quantized* quantized = value.as<Quantized>()) {
        joined.kind = Outcome::Quantized;
        ofPlace(quantized->integers);
    } else if (const TupleValue* tuple = value.as<TupleValue>()) {
        joined.kind = Outcome::Tuple;
        for (const ScriptValue& item : *tuple->items)
            joined.parts.push_back(described(item, before, nesting + 1));
    } else if (const ListCell* list = heap_.find<ListCell>(value);
               list && value.as<CellRef>()->cell >= before.heap.size()) {
        joined.kind = Outcome::List;
        for (const ScriptValue& item : list->items)
            joined.parts.push_back(described(item, before, nesting + 1));
    } else if (const DictCell* dict = heap_.find<DictCell>(value);
               dict && value.as<CellRef>()->cell >= before.heap.size()) {
        joined.kind = Outcome::Dict;
        for (const auto& [key, entry] : dict->entries) {
            joined.keys.push_back(key);
            joined.parts.push_back(described(entry, before, nesting + 1));
        }
    }
    return joined;
}

std::optional<Change> Evaluator::changeOf(Cell cell, const World& before) {
    const CellContent &now = heap_.at(cell), &then = before.heap.at(cell);
    Change change{.kind = Change::Kind::Content, .cell = cell};
    const auto* list = std::get_if<ListCell>(&now);
    const ScriptValues values = valuesIn(now), old = valuesIn(then);
    const bool isGrown = list && !std::get<ListCell>(then).hasUnseen &&
                         (list->hasUnseen ? values.size() == 1 : values.size() == old.size() + 1) &&
                         (list->hasUnseen || std::equal(old.begin(), old.end(), values.begin(), areSame));
    std::vector<Joined>& parts = isGrown ? change.all : change.parts;
    if (isGrown) {
        change.kind = Change::Kind::Grown;
        change.parts = {described(values.back(), before)};
    }
    const bool isOther = list ? list->hasUnseen != std::get<ListCell>(then).hasUnseen : !haveSameKeys(now, then);
    if (!isGrown && isOther) {
        refuse(fmt::format("{} gets or loses elements in a branch or loop that is left to run",
                           kindOf(CellRef{cell}, heap_)),
               "let the program change elements alone there, or append one tensor in each round");
        return std::nullopt;
    }
    for (const ScriptValue& value : values)
        parts.push_back(described(value, before));
    return change;
}

std::vector<Change> Evaluator::changesSince(const World& before) {
    std::vector<Change> changes;
    for (const auto& [name, value] : frames_.back()->variables)
        if (const auto old = before.variables.find(name); old == before.variables.end() || !isSame(old->second, value))
            changes.push_back({.kind = Change::Kind::Variable, .name = name, .parts = {described(value, before)}});
    for (Cell cell = 0; cell < before.heap.size() && !failed(); ++cell)
        if (!heap_.isSame(cell, before.heap))
            if (std::optional<Change> change = changeOf(cell, before))
                changes.push_back(*std::move(change));
    for (const Place place : memory_.changedSince(before.memory))
        changes.push_back(
            {.kind = Change::Kind::Storage, .place = place, .parts = {described(TensorRef{place}, before)}});
    for (Change& change : changes)
        if (change.kind == Change::Kind::Storage) // its elements, not what it is
            change.parts[0].sharesWith.clear();
    return changes;
}

Change Evaluator::unchanged(const Change& change, const World& before) {
    Change old = change;
    old.parts.clear();
    switch (change.kind) {
    case Change::Kind::Variable: {
        const auto found = before.variables.find(change.name);
        old.parts.push_back(found == before.variables.end() ? Joined{.keep = Uninitialized()}
                                                            : described(found->second, before));
        break;
    }
    case Change::Kind::Content:
        for (const ScriptValue& value : valuesIn(before.heap.at(change.cell)))
            old.parts.push_back(described(value, before));
        break;
    case Change::Kind::Grown:
        old.parts = change.parts;
        break;
    case Change::Kind::Storage:
        old.parts.push_back(described(TensorRef{change.place}, before));
        old.parts[0].sharesWith.clear();
        break;
    }
    return old;
}

std::vector<Change> Evaluator::joinAll(const std::vector<Change>& a, const std::vector<Change>& b,
                                       const World& before) {
    std::vector<Change> all;
    const auto add = [&](const Change& x, const Change& y) {
        Change joined = x;
        if (x.parts.size() != y.parts.size())
            return refuse("a list has another length each time in a branch or loop that is left to run",
                          "append as many elements in each branch, or one tensor in each round of a loop");
        for (size_t i = 0; i < x.parts.size() && !failed(); ++i) {
            auto part = join(x.parts[i], y.parts[i]);
            if (part)
                joined.parts[i] = *std::move(part);
            else
                refuse(fmt::format("{} in a branch or loop that is left to run{}", part.error(),
                                   x.name.empty() ? std::string() : fmt::format(" ('{}')", x.name)),
                       "let the program give tensors and numbers there, of one type each");
        }
        all.push_back(std::move(joined));
    };
    const auto find = [](const std::vector<Change>& in, const Change& change) {
        const auto found = std::ranges::find_if(in, [&](const Change& one) { return one.isOfSame(change); });
        return found == in.end() ? nullptr : &*found;
    };
    for (const Change& change : a) {
        const Change* other = find(b, change);
        add(change, other ? *other : unchanged(change, before));
    }
    for (const Change& change : b)
        if (!find(a, change))
            add(unchanged(change, before), change);
    // Storages first: what may be a view of one is a view of what it holds then.
    std::ranges::stable_partition(all, [](const Change& change) { return change.kind == Change::Kind::Storage; });
    return all;
}

/// Whether what is kept is there after the block that made it.
bool Evaluator::outlives(const Joined& joined, const World& before) const {
    const CellRef* ref = joined.keep.as<CellRef>();
    const Complex* complex = joined.keep.as<Complex>();
    const Rows* rows = joined.keep.as<Rows>();
    const Quantized* quantized = joined.keep.as<Quantized>();
    const bool isKept = joined.kind == Outcome::Same || joined.kind == Outcome::Quantized;
    const bool isGone =
        isKept && ((ref && ref->cell >= before.heap.size()) || (complex && !b_.isVisible(complex->parts)) ||
                   (rows && !b_.isVisible(rows->stacked)) || (quantized && !b_.isVisible(quantized->by.scale)));
    return !isGone && std::ranges::all_of(joined.parts, [&](const Joined& part) { return outlives(part, before); });
}

void Evaluator::requireOutliving(const std::vector<Change>& changes, const World& before) {
    for (const Change& change : changes)
        for (const Joined& part : change.parts)
            if (!failed() && !outlives(part, before))
                refuse(
                    fmt::format("an object, a complex or a quantized tensor is made in a branch or loop that is left "
                                "to run, and used after it{}",
                                change.name.empty() ? std::string() : fmt::format(" ('{}')", change.name)),
                    "let the program make it of tensors afterwards");
}

// ---- results

void Evaluator::addVars(const Joined& joined, const ScriptValue& value, std::vector<Var>& vars) {
    const bool isMissing = value.as<Uninitialized>();
    switch (joined.kind) {
    case Outcome::Same:
        return;
    case Outcome::Tensor:
        vars.push_back(isMissing ? filler(b_, joined) : memory_.read(value.as<TensorRef>()->place));
        return;
    case Outcome::Quantized:
        vars.push_back(isMissing ? filler(b_, joined) : memory_.read(value.as<Quantized>()->integers));
        return;
    case Outcome::Int:
        vars.push_back(isMissing ? b_.scalarInt(0) : b_.scalarOf(*toExpr(value)));
        return;
    case Outcome::Float:
        vars.push_back(isMissing ? b_.scalar(0, types::Float64) : cast(b_, toScalarTensor(b_, value), types::Float64));
        return;
    case Outcome::Bool:
        vars.push_back(isMissing ? b_.scalarInt(0, types::Bool) : toScalarTensor(b_, value));
        return;
    case Outcome::Tuple:
    case Outcome::List:
    case Outcome::Dict: {
        const TupleValue* tuple = value.as<TupleValue>();
        const CellRef* ref = value.as<CellRef>();
        const ScriptValues items = tuple ? *tuple->items : ref ? valuesIn(heap_.at(ref->cell)) : ScriptValues();
        for (size_t i = 0; i < joined.parts.size(); ++i)
            addVars(joined.parts[i], i < items.size() ? items[i] : ScriptValue(Uninitialized()), vars);
        return;
    }
    }
}

std::vector<Var> Evaluator::varsOf(const std::vector<Change>& changes) {
    std::vector<Var> vars;
    for (const Change& change : changes) {
        if (failed())
            return {};
        ScriptValues values;
        if (change.kind == Change::Kind::Variable) {
            const auto found = frames_.back()->variables.find(change.name);
            values = {found == frames_.back()->variables.end() ? ScriptValue(Uninitialized()) : found->second};
        } else if (change.kind == Change::Kind::Storage) {
            values = {TensorRef{change.place}};
        } else if (change.kind == Change::Kind::Content) {
            values = valuesIn(heap_.at(change.cell));
        }
        for (size_t i = 0; i < values.size() && i < change.parts.size(); ++i)
            addVars(change.parts[i], values[i], vars);
    }
    return vars;
}

ScriptValue Evaluator::valueOf(const Joined& joined, const std::vector<Var>& vars, size_t& next, bool isResult) {
    switch (joined.kind) {
    case Outcome::Same:
        return joined.keep;
    case Outcome::Tensor: {
        const Var value = vars[next++];
        const std::vector<Place> shared(joined.sharesWith.begin(), joined.sharesWith.end());
        const Place place = shared.empty() ? memory_.make(value) : memory_.makePerhaps(shared, value);
        const ScriptValue made = TensorRef{newPlace(place, std::nullopt, isResult ? "" : "carried")};
        if (isResult)
            note(made);
        return made;
    }
    case Outcome::Quantized: {
        Quantized quantized = *joined.keep.as<Quantized>();
        quantized.integers = newPlace(memory_.make(vars[next++]), std::nullopt, "carried");
        return quantized;
    }
    case Outcome::Int:
        return fromTensor(b_, vars[next++], "joined");
    case Outcome::Float:
    case Outcome::Bool:
        return Number{vars[next++], joined.kind == Outcome::Bool};
    case Outcome::Tuple:
    case Outcome::List:
    case Outcome::Dict: {
        ScriptValues items;
        for (const Joined& part : joined.parts)
            items.push_back(valueOf(part, vars, next, isResult));
        if (joined.kind == Outcome::List)
            return CellRef{heap_.make(ListCell{std::move(items)})};
        if (joined.kind == Outcome::Dict) {
            DictCell dict;
            for (size_t i = 0; i < items.size(); ++i)
                dict.entries.emplace_back(joined.keys[i], std::move(items[i]));
            return CellRef{heap_.make(std::move(dict))};
        }
        const TupleValue* like = joined.keep.as<TupleValue>();
        return tupleOf(std::move(items), like ? like->names : nullptr);
    }
    }
    return {};
}

void Evaluator::apply(const std::vector<Change>& changes, const std::vector<Var>& vars, bool isResult) {
    size_t next = 0;
    for (const Change& change : changes) {
        if (failed())
            return;
        if (change.kind == Change::Kind::Grown) {
            heap_.set(change.cell, ListCell{{}, true});
            continue;
        }
        ScriptValues values;
        if (change.kind == Change::Kind::Storage) {
            if (change.parts[0].kind == Outcome::Tensor)
                memory_.assign(change.place, vars[next++]);
            if (isResult)
                note(TensorRef{change.place});
            continue;
        }
        for (const Joined& part : change.parts)
            values.push_back(valueOf(part, vars, next, isResult));
        if (change.kind == Change::Kind::Variable)
            frames_.back()->variables[change.name] = values[0];
        else
            heap_.set(change.cell, withValues(heap_.at(change.cell), std::move(values)));
    }
}

} // namespace lathe::frontend::torch::script
