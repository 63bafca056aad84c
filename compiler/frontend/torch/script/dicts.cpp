// SPDX-License-Identifier: Apache-2.0
//
// Functions of dicts, which keep the order in which keys came.
#include "frontend/torch/script/containers.h"

#include <array>

namespace lathe::frontend::torch::script {
namespace {

using Looked = Builtins::Result;

/// A dict in place of the first argument's. Faults if that is too large.
void setDict(Evaluator& e, const Arguments& a, DictCell dict) {
    if (Builtins::mayMake(e, dict.entries.size()))
        Builtins::heap(e).set(cellAt(a), std::move(dict));
}

Looked makeDict(Evaluator& e, const Arguments& a) {
    if (const DictCell* other = dictAt(e, a))
        return dictOf(e, *other);
    DictCell dict;
    if (const ScriptValues* pairs = a.values.empty() ? nullptr : itemsAt(e, a, 0))
        for (const ScriptValue& pair : *pairs) {
            const TupleValue* entry = pair.as<TupleValue>();
            if (!entry || entry->items->size() != 2)
                return std::nullopt;
            put(e, dict, (*entry->items)[0], (*entry->items)[1]);
        }
    return dictOf(e, std::move(dict));
}
Looked copyOfDict(Evaluator& e, const Arguments& a) {
    return dictAt(e, a) ? makeDict(e, a) : std::nullopt;
}
Looked dictLength(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    return dict ? Looked(Expr(static_cast<int64_t>(dict->entries.size()))) : std::nullopt;
}
Looked dictContains(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    return dict && a.values.size() == 2 ? Looked(entryOf(e, *dict, a.values[1]).has_value()) : std::nullopt;
}
/// A list of what is taken of each entry.
template <class Take>
Looked eachOf(Evaluator& e, const Arguments& a, Take take) {
    const DictCell* dict = dictAt(e, a);
    if (!dict)
        return std::nullopt;
    ScriptValues all;
    for (const auto& [key, value] : dict->entries)
        all.push_back(take(key, value));
    return listOf(e, std::move(all));
}
Looked keysOf(Evaluator& e, const Arguments& a) {
    return eachOf(e, a, [](const ScriptValue& key, const ScriptValue&) { return key; });
}
Looked valuesOf(Evaluator& e, const Arguments& a) {
    return eachOf(e, a, [](const ScriptValue&, const ScriptValue& value) { return value; });
}
Looked entriesOf(Evaluator& e, const Arguments& a) {
    return eachOf(e, a, [](const ScriptValue& key, const ScriptValue& value) { return tupleOf({key, value}); });
}
Looked entryAt(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict || a.values.size() < 2)
        return std::nullopt;
    if (const std::optional<size_t> at = entryOf(e, *dict, a.values[1]))
        return dict->entries[*at].second;
    return a.values.size() > 2 ? a.values[2] : ScriptValue();
}

// ---- dicts that change

Looked setEntry(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict || a.values.size() != 3)
        return std::nullopt;
    DictCell changed = *dict;
    put(e, changed, a.values[1], a.values[2]);
    setDict(e, a, std::move(changed));
    return a.values[0];
}
Looked setDefaultEntry(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict || a.values.size() != 3)
        return std::nullopt;
    if (const std::optional<size_t> at = entryOf(e, *dict, a.values[1]))
        return dict->entries[*at].second;
    setEntry(e, a);
    return a.values[2];
}
Looked updateDict(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    const DictCell* more = a.values.size() == 2 ? Builtins::heap(e).find<DictCell>(a.values[1]) : nullptr;
    if (!dict || !more)
        return std::nullopt;
    DictCell changed = *dict;
    for (const auto& [key, value] : more->entries)
        put(e, changed, key, value);
    setDict(e, a, std::move(changed));
    return ScriptValue();
}
Looked popEntry(Evaluator& e, const Arguments& a) {
    const DictCell* dict = dictAt(e, a);
    if (!dict || a.values.size() < 2)
        return std::nullopt;
    if (const std::optional<size_t> at = entryOf(e, *dict, a.values[1])) {
        DictCell left = *dict;
        ScriptValue value = left.entries[*at].second;
        left.entries.erase(left.entries.begin() + static_cast<std::ptrdiff_t>(*at));
        setDict(e, a, std::move(left));
        return value;
    }
    if (a.values.size() == 3)
        return a.values[2];
    Builtins::fail(e, "a key is taken out of a dict that does not have it");
    return std::nullopt;
}
Looked removeEntry(Evaluator& e, const Arguments& a) {
    const Looked taken = a.values.size() == 2 ? popEntry(e, a) : std::nullopt;
    return taken ? Looked(ScriptValue()) : std::nullopt;
}
Looked clearDict(Evaluator& e, const Arguments& a) {
    if (!dictAt(e, a))
        return std::nullopt;
    setDict(e, a, {});
    return ScriptValue();
}

constexpr auto dictRows = std::to_array<Builtins::Row>({
    {"aten.Delete", removeEntry},
    {"aten.__contains__", dictContains},
    {"aten._set_item", setEntry},
    {"aten.clear", clearDict},
    {"aten.copy", copyOfDict},
    {"aten.dict", makeDict},
    {"aten.get", entryAt},
    {"aten.items", entriesOf},
    {"aten.keys", keysOf},
    {"aten.len", dictLength},
    {"aten.pop", popEntry},
    {"aten.setdefault", setDefaultEntry},
    {"aten.update", updateDict},
    {"aten.values", valuesOf},
    {"python.len", dictLength},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofDicts() {
    return dictRows;
}

} // namespace lathe::frontend::torch::script
