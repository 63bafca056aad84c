// SPDX-License-Identifier: Apache-2.0
//
// The objects of an archive: what its pickles tell of, as values. Modules are concrete from the beginning; of what the pickles
// name only classes of the program's own are made, and nothing is called but their __setstate__, which is evaluated as the rest.
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"
#include "frontend/torch/script/strides.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lathe::frontend::torch::script {
namespace {

using Pickled = PickleValue::Kind;

constexpr int mostNesting = 200;
constexpr const char* damaged = "the file is damaged; save the model again";

std::string below(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

bool isClass(const PickleValue& value) {
    return value.kind == Pickled::Global && value.text.starts_with("__torch__");
}

/// "__torch__.net Net" -> "__torch__.net.Net"
std::string className(const PickleValue& global) {
    std::string name = global.text;
    std::ranges::replace(name, ' ', '.');
    return name;
}

bool isBuiltList(const PickleValue& value) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"intlist", "doublelist", "boollist", "tensorlist"},
        [&](std::string_view kind) { return value.isMadeBy(fmt::format("torch.jit._pickle build_{}", kind), 1); });
}

} // namespace

ScriptValue Evaluator::makeModule(Override override) {
    override_ = std::move(override);
    made_.clear();
    return fromPickle(archive_.module(), {}, false);
}

ScriptValue Evaluator::constantAt(const std::string& name) {
    if (const auto known = constants_.find(name); known != constants_.end())
        return known->second;
    const PickleValue* all = archive_.constants();
    size_t at = 0;
    const auto read = std::from_chars(name.data() + std::min<size_t>(1, name.size()), name.data() + name.size(), at);
    if (!all || all->kind != Pickled::Tuple || !name.starts_with('c') || read.ec != std::errc() ||
        at >= all->items.size()) {
        fail(fmt::format("constants.pkl holds no constant '{}'", name), damaged);
        return {};
    }
    const ScriptValue value = fromPickle(*all->items[at], fmt::format("constants.{}", at), true);
    // A constant that is made within a block is one of that alone.
    if (unknown_ == 0)
        constants_.emplace(name, value);
    return value;
}

ScriptValue Evaluator::fromPickle(const PickleValue& value, const std::string& path, bool isConstant) {
    if (!step())
        return {};
    if (const auto known = made_.find(&value); known != made_.end() && !isConstant)
        return known->second;
    if (override_ && !isConstant)
        if (std::optional<ScriptValue> other = override_(path)) {
            made_.emplace(&value, *other);
            return *std::move(other);
        }
    if (++depth_ > mostNesting) {
        refuse(fmt::format("objects are nested over {} deep", mostNesting), damaged);
        return {};
    }
    const auto all = [&] {
        ScriptValues items;
        for (size_t i = 0; i < value.items.size() && !failed(); ++i)
            items.push_back(fromPickle(*value.items[i], below(path, fmt::format("{}", i)), isConstant));
        return items;
    };
    ScriptValue made;
    switch (value.kind) {
    case Pickled::None:
        break;
    case Pickled::Bool:
        made = value.whole != 0;
        break;
    case Pickled::Int:
        made = Expr(value.whole);
        break;
    case Pickled::Float:
        made = value.real;
        break;
    case Pickled::Text:
        made = value.text;
        break;
    case Pickled::Tuple:
        made = tupleOf(all());
        break;
    case Pickled::List:
        made = CellRef{heap_.make(ListCell{all(), false})};
        break;
    case Pickled::Dict:
        made = dictOf(value, path, isConstant);
        break;
    case Pickled::Object:
        made = objectOf(value, path, isConstant);
        break;
    case Pickled::Global:
    case Pickled::Persistent:
        fail("a pickle holds a class or a storage where it should hold a value", damaged);
        break;
    }
    --depth_;
    const bool mayChange = made.as<TensorRef>() || made.as<CellRef>() || made.as<Quantized>();
    if (!isConstant && mayChange && !failed())
        made_.emplace(&value, made);
    return failed() ? ScriptValue() : made;
}

ScriptValue Evaluator::dictOf(const PickleValue& value, const std::string& path, bool isConstant) {
    DictCell dict;
    for (const auto& [key, entry] : value.entries) {
        ScriptValue name = fromPickle(*key, {}, isConstant);
        const std::string* text = name.as<std::string>();
        const std::string place = text ? *text : fmt::format("{}", dict.entries.size());
        dict.entries.emplace_back(std::move(name), fromPickle(*entry, below(path, place), isConstant));
    }
    return CellRef{heap_.make(std::move(dict))};
}

ScriptValue Evaluator::objectOf(const PickleValue& value, const std::string& path, bool isConstant) {
    if (isSavedTensor(value))
        return storedTensor(value, path, isConstant);
    if (isBuiltList(value))
        return fromPickle(value.argument(0), path, isConstant);
    if (value.isMadeBy("torch.jit._pickle restore_type_tag", 1))
        return fromPickle(value.argument(0), path, isConstant);
    if (value.isMadeBy("torch device", 1) && value.argument(0).kind == Pickled::Text)
        return Device{value.argument(0).text};
    if (value.isMadeBy("collections OrderedDict", 0))
        return dictOf(value, path, isConstant);
    if (value.items.size() == 2 && isClass(*value.items[0]))
        return instanceOf(value, path, isConstant);
    fail(fmt::format("a pickle makes something by '{}', which no TorchScript program needs",
                     value.items[0]->text.substr(0, 80)),
         "do not trust the file; save the model again by torch.jit.save");
    return {};
}

ScriptValue Evaluator::instanceOf(const PickleValue& value, const std::string& path, bool isConstant) {
    const std::string type = className(*value.items[0]);
    const auto text = archive_.findClass(type);
    if (!text) {
        b_.fail(text.error().what, text.error().hint, text.error().kind);
        return {};
    }
    const bool isBound = type.starts_with("__torch__.torch.classes.");
    if (!*text && !isBound) {
        fail(fmt::format("data.pkl names class '{}', which the archive's code does not have", type), damaged);
        return {};
    }
    if (*text && (*text)->base == "Enum") {
        Arguments arguments;
        if (value.items[1]->kind == Pickled::Tuple && !value.items[1]->items.empty())
            arguments.add(fromPickle(value.argument(0), path, isConstant));
        return construct(type, std::move(arguments));
    }
    if (*text && (*text)->base == "NamedTuple") {
        Arguments arguments;
        for (const PickleValue* item : value.items[1]->items)
            arguments.add(fromPickle(*item, path, isConstant));
        return construct(type, std::move(arguments));
    }
    const Cell cell = heap_.make(ObjectCell{type, isBound ? nullptr : *text, {}, path});
    made_.emplace(&value, CellRef{cell}); // objects may hold each other
    if (value.state)
        setState(cell, *value.state, isConstant);
    return CellRef{cell};
}

void Evaluator::setState(Cell cell, const PickleValue& state, bool isConstant) {
    const ObjectCell object = std::get<ObjectCell>(heap_.at(cell));
    const bool isPacked = !object.text;
    if (isPacked || state.kind != Pickled::Dict || object.text->find("__setstate__")) {
        ScriptValue value = fromPickle(state, object.path, isConstant);
        if (isPacked) {
            ObjectCell packed = object;
            packed.attributes["state"] = std::move(value);
            return heap_.set(cell, std::move(packed));
        }
        Arguments arguments;
        arguments.add(std::move(value));
        callMethod(CellRef{cell}, "__setstate__", std::move(arguments));
        return;
    }
    Variables attributes;
    for (const auto& [key, entry] : state.entries) {
        if (key->kind != Pickled::Text)
            return fail("an object has an attribute without a name", damaged);
        attributes[key->text] = fromPickle(*entry, below(object.path, key->text), isConstant);
    }
    ObjectCell filled = object;
    filled.attributes = std::move(attributes);
    heap_.set(cell, std::move(filled));
}

ScriptValue Evaluator::storedTensor(const PickleValue& value, const std::string& path, bool isConstant) {
    bool isComplex = false;
    Result<model::TensorPtr> tensor = archive_.tensor(value, isConstant, isComplex, budget_);
    if (!tensor) {
        b_.fail(tensor.error().what, tensor.error().hint, tensor.error().kind);
        return {};
    }
    const Var constant = b_.constant(relay::makeConstant(*tensor));
    if (isComplex)
        return Complex{constant};
    const ScriptValue made = this->tensor(constant);
    const Place place = made.as<TensorRef>()->place;
    storedNames_[place] = path;
    trace_.reserve(path);
    storedTensors_[path] = *tensor;
    names_[place] = path;
    b_.nameValue(constant, path);
    return value.isMadeBy("torch._utils _rebuild_qtensor", 5) ? quantizedTensor(value, made, isConstant) : made;
}

/// (storage, offset, sizes, strides, (kind, scale, zero point, axis), …)
ScriptValue Evaluator::quantizedTensor(const PickleValue& value, const ScriptValue& integers, bool isConstant) {
    const PickleValue& by = value.argument(4);
    Quantized made{.integers = integers.as<TensorRef>()->place, .by = {}, .isPerChannel = false};
    const bool isTuple = by.kind == Pickled::Tuple && by.items.size() >= 3;
    if (isTuple && by.items[0]->isGlobal("torch per_tensor_affine") && by.items[1]->kind == Pickled::Float &&
        by.items[2]->kind == Pickled::Int) {
        made.by.scale = b_.scalar(by.items[1]->real, types::Float32);
        made.by.zero = b_.scalarInt(by.items[2]->whole, b_.dtype(memory_.read(made.integers)));
        return made;
    }
    if (!isTuple || by.items.size() != 4 || !by.items[0]->isGlobal("torch per_channel_affine") ||
        by.items[3]->kind != Pickled::Int) {
        refuse("a tensor is quantized in a way that is not supported", "quantize it by one scale, or one each channel");
        return {};
    }
    const ScriptValue scales = fromPickle(*by.items[1], {}, isConstant),
                      zeros = fromPickle(*by.items[2], {}, isConstant);
    const TensorRef *scale = scales.as<TensorRef>(), *zero = zeros.as<TensorRef>();
    if (failed() || !scale || !zero) {
        fail("a quantized tensor has no scales", damaged);
        return {};
    }
    const Var stored = memory_.read(made.integers);
    made.by.scale = cast(b_, read(*scale), types::Float32);
    made.by.zero = cast(b_, read(*zero), b_.dtype(stored));
    made.by.axis = by.items[3]->whole;
    if (made.by.axis < 0 || made.by.axis >= b_.rank(stored) || b_.rank(made.by.scale) != 1 ||
        b_.rank(made.by.zero) != 1) {
        fail("a tensor is quantized along a dim that it does not have, or not by a scale for each slice", damaged);
        return {};
    }
    made.isPerChannel = true;
    return made;
}

relay::ConstantPtr Evaluator::initialOf(const std::string& path) const {
    const auto found = storedTensors_.find(path);
    return found == storedTensors_.end() ? nullptr : relay::makeConstant(found->second);
}

// ---- leaves

Evaluator::Leaves Evaluator::leavesOf(const ScriptValue& root) {
    Leaves leaves;
    std::set<Cell> seen;
    addLeaves(root, {}, seen, leaves);
    return leaves;
}

void Evaluator::addLeaves(const ScriptValue& value, const std::string& path, std::set<Cell>& seen, Leaves& leaves,
                          int nesting) {
    if (!step())
        return;
    if (nesting > mostNesting)
        return refuse(fmt::format("objects are nested over {} deep", mostNesting), "let them hold less of each other");
    if (const TupleValue* tuple = value.as<TupleValue>()) {
        for (size_t i = 0; i < tuple->items->size(); ++i)
            addLeaves((*tuple->items)[i], below(path, fmt::format("{}", i)), seen, leaves, nesting + 1);
        return;
    }
    const CellRef* ref = value.as<CellRef>();
    if (!ref) {
        leaves.emplace(path, value);
        return;
    }
    if (!seen.insert(ref->cell).second)
        return;
    const CellContent& content = heap_.at(ref->cell);
    if (const auto* object = std::get_if<ObjectCell>(&content)) {
        // By the place where it was made: that of others may be another one.
        const std::string& own = object->path.empty() ? path : object->path;
        for (const auto& [name, attribute] : object->attributes)
            addLeaves(attribute, below(own, name), seen, leaves, nesting + 1);
    } else if (const auto* list = std::get_if<ListCell>(&content)) {
        for (size_t i = 0; i < list->items.size(); ++i)
            addLeaves(list->items[i], below(path, fmt::format("{}", i)), seen, leaves, nesting + 1);
    } else {
        const DictCell& dict = std::get<DictCell>(content);
        for (size_t i = 0; i < dict.entries.size(); ++i) {
            const std::string* text = dict.entries[i].first.as<std::string>();
            addLeaves(dict.entries[i].second, below(path, text ? *text : fmt::format("{}", i)), seen, leaves,
                      nesting + 1);
        }
    }
}

} // namespace lathe::frontend::torch::script
