// SPDX-License-Identifier: Apache-2.0
//
// Values of terms: literals, names, attributes, elements and choices.
#include "frontend/torch/script/containers.h"
#include "frontend/torch/script/numbers.h"

#include "base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lathe::frontend::torch::script {
namespace {

constexpr std::string_view ownNames = "__torch__.", constantNames = "CONSTANTS.";

} // namespace

ScriptValue Evaluator::evaluate(const Term& term) {
    if (!step())
        return {};
    if (++depth_ > limits::textNesting) {
        refuse(fmt::format("values are nested over {} deep", limits::textNesting));
        return {};
    }
    ScriptValue value;
    const auto parts = [&] {
        ScriptValues values;
        for (const TermPtr& part : term.parts)
            values.push_back(evaluate(*part));
        return values;
    };
    switch (term.kind) {
    case Term::Kind::None:
        break;
    case Term::Kind::Bool:
        value = term.whole != 0;
        break;
    case Term::Kind::Int:
        value = Expr(term.whole);
        break;
    case Term::Kind::Float:
        value = term.real;
        break;
    case Term::Kind::Text:
        value = term.text;
        break;
    case Term::Kind::Name:
        value = name(term);
        break;
    case Term::Kind::List:
        value = CellRef{heap_.make(ListCell{parts(), false})};
        break;
    case Term::Kind::Tuple:
        value = tupleOf(parts());
        break;
    case Term::Kind::Dict:
        value = dict(term);
        break;
    case Term::Kind::Attribute: {
        const std::string path = pathOf(term);
        if (path.starts_with(ownNames) || path.starts_with(constantNames)) {
            if (std::optional<ScriptValue> found = global(path))
                value = *std::move(found);
        } else {
            value = attribute(evaluate(*term.parts[0]), term.text);
        }
        break;
    }
    case Term::Kind::Element: {
        const ScriptValue of = evaluate(*term.parts[0]);
        value = element(of, evaluate(*term.parts[1]));
        break;
    }
    case Term::Kind::Call:
        value = call(term);
        break;
    case Term::Kind::Choice:
        value = choice(term);
        break;
    }
    --depth_;
    constexpr size_t lettersInAStep = 8; // each list that has a text copies it when it grows
    if (const std::string* text = value.as<std::string>())
        step(static_cast<int64_t>(text->size() / lettersInAStep));
    if (const TupleValue* tuple = value.as<TupleValue>();
        tuple && (tuple->nesting > limits::textNesting || tuple->elements > limits::sequenceParts))
        refuse(fmt::format("tuples are nested over {} deep, or have more than {} elements", limits::textNesting,
                           limits::sequenceParts));
    return failed() ? ScriptValue() : value;
}

ScriptValue Evaluator::name(const Term& term) {
    if (!frames_.empty()) {
        const Frame& frame = *frames_.back();
        if (const auto found = frame.variables.find(term.text); found != frame.variables.end())
            return found->second;
        if (frame.around)
            if (const auto found = frame.around->find(term.text); found != frame.around->end())
                return found->second;
    }
    if (const std::optional<double> special = specialFloat(term.text))
        return *special;
    fail(fmt::format("'{}' is read, but nothing gives it", term.text), "the file is damaged; save the model again");
    return {};
}

/// Functions, members of Enums and constants, by their whole names.
std::optional<ScriptValue> Evaluator::global(const std::string& path) {
    if (path.starts_with(constantNames))
        return constantAt(path.substr(constantNames.size()));
    const Result<FunctionPtr> function = archive_.findFunction(path);
    if (!function) {
        b_.fail(function.error().what, function.error().hint, function.error().kind);
        return std::nullopt;
    }
    if (*function)
        return Callable{*function, nullptr};
    const size_t dot = path.rfind('.');
    const auto type = archive_.findClass(path.substr(0, dot));
    if (!type) {
        b_.fail(type.error().what, type.error().hint, type.error().kind);
        return std::nullopt;
    }
    if (*type)
        for (const ClassText::Attribute& one : (*type)->attributes)
            if (one.name == path.substr(dot + 1) && one.value)
                return (*type)->base == "Enum"
                           ? EnumMember{path, std::make_shared<const ScriptValue>(evaluate(*one.value))}
                           : evaluate(*one.value);
    fail(fmt::format("'{}' is named, but the archive's code does not have it", path),
         "the file is damaged; save the model again");
    return std::nullopt;
}

ScriptValue Evaluator::dict(const Term& term) {
    DictCell dict;
    for (size_t i = 0; i + 1 < term.parts.size(); i += 2) {
        ScriptValue key = evaluate(*term.parts[i]);
        put(*this, dict, std::move(key), evaluate(*term.parts[i + 1]));
    }
    return CellRef{heap_.make(std::move(dict))};
}

ScriptValue Evaluator::choice(const Term& term) {
    const std::optional<ScriptValue> condition = truthOf(b_, evaluate(*term.parts[1]));
    if (failed())
        return {};
    const bool* known = condition ? condition->as<bool>() : nullptr;
    if (known)
        return evaluate(*term.parts[*known ? 0 : 2]);
    refuse("a choice within a value depends on what is not known before the call",
           "save the model again by PyTorch, which writes it as a branch");
    return {};
}

ScriptValue Evaluator::attribute(const ScriptValue& of, const std::string& name) {
    if (failed())
        return {};
    if (const ObjectCell* object = heap_.find<ObjectCell>(of)) {
        if (const auto found = object->attributes.find(name); found != object->attributes.end())
            return found->second;
        if (object->text)
            for (const ClassText::Attribute& one : object->text->attributes)
                if (one.name == name && one.value)
                    return evaluate(*one.value);
    }
    if (const TupleValue* tuple = of.as<TupleValue>(); tuple && tuple->names)
        for (size_t i = 0; i < tuple->names->size(); ++i)
            if ((*tuple->names)[i] == name)
                return (*tuple->items)[i];
    if (const EnumMember* member = of.as<EnumMember>())
        return name == "value" ? *member->value : ScriptValue(member->name.substr(member->name.rfind('.') + 1));
    if (of.as<TensorRef>() || of.as<Quantized>() || of.as<Complex>()) { // x.dtype of older texts
        Arguments arguments;
        arguments.add(of);
        return callOperator("prim." + name, std::move(arguments));
    }
    fail(fmt::format("{} has no attribute '{}'", kindOf(of, heap_), name), "the file is damaged; save the model again");
    return {};
}

/// From the end if it is negative. A fault if there is none.
Expr Evaluator::positionIn(const Expr& size, const Expr& index) {
    const std::optional<int64_t> all = arith::asInt(size), at = arith::asInt(index);
    if (!all || !at)
        return arith::simplify(
            arith::bounds(index).lower >= 0 ? index : arith::select(arith::lt(index, 0), index + size, index));
    const int64_t place = *at < 0 ? *at + *all : *at;
    if (place < 0 || place >= *all)
        fail(fmt::format("element {} is asked for, there are {}", *at, *all));
    return failed() ? Expr(0) : Expr(place);
}

/// Of a list of unknown length, by a place that is counted from its end.
std::optional<ScriptValue> Evaluator::fromEnd(const ListCell& list, int64_t index) {
    for (size_t i = list.items.size(); i > 0 && index < 0; --i) {
        const ScriptValue item = list.items[i - 1];
        if (const Rows* rows = item.as<Rows>()) {
            Arguments arguments;
            arguments.add(tensor(rows->stacked));
            arguments.add(Expr(0));
            arguments.add(Expr(index));
            return callOperator("aten.select", std::move(arguments));
        }
        if (++index == 0)
            return item;
    }
    return std::nullopt;
}

ScriptValue Evaluator::element(const ScriptValue& of, const ScriptValue& index) {
    if (failed())
        return {};
    if (const DictCell* dict = heap_.find<DictCell>(of)) {
        if (const std::optional<size_t> at = entryOf(*this, *dict, index))
            return dict->entries[*at].second;
        fail("a key is asked for that the dict does not have");
        return {};
    }
    const std::optional<Expr> whole = toExpr(index);
    const ListCell* list = heap_.find<ListCell>(of);
    const TupleValue* tuple = of.as<TupleValue>();
    if (whole && list && !list->hasUnseen && list->items.size() == 1 && list->items[0].as<Rows>()) {
        const Var rows = list->items[0].as<Rows>()->stacked;
        Arguments arguments;
        arguments.add(tensor(rows));
        arguments.add(Expr(0));
        arguments.add(*whole);
        return callOperator("aten.select", std::move(arguments));
    }
    const ScriptValues* items = list ? &list->items : tuple ? tuple->items.get() : nullptr;
    const bool isCounted = items && !(list && list->hasUnseen) &&
                           std::ranges::none_of(*items, [](const ScriptValue& one) { return one.as<Rows>(); });
    if (!whole || !items) {
        if (of.as<TensorRef>() && whole) {
            Arguments arguments;
            arguments.add(of);
            arguments.add(Expr(0));
            arguments.add(*whole);
            return callOperator("aten.select", std::move(arguments));
        }
        if (const std::string* text = of.as<std::string>(); text && whole) {
            const auto at = arith::asInt(positionIn(static_cast<int64_t>(text->size()), *whole));
            return failed() || !at ? ScriptValue() : ScriptValue(text->substr(static_cast<size_t>(*at), 1));
        }
        fail(fmt::format("{} has no elements by {}", kindOf(of, heap_), kindOf(index, heap_)));
        return {};
    }
    if (!isCounted && list && arith::asInt(*whole))
        if (std::optional<ScriptValue> found = fromEnd(*list, *arith::asInt(*whole)))
            return *found;
    if (failed())
        return {};
    if (!isCounted || !arith::asInt(*whole)) {
        refuse(isCounted ? "which element of a list is asked for depends on what is not known before the call"
                         : "an element is asked for of a list of unknown length",
               "let the program stack the list, and take parts of that");
        return {};
    }
    const std::optional<int64_t> at = arith::asInt(positionIn(static_cast<int64_t>(items->size()), *whole));
    return failed() ? ScriptValue() : (*items)[static_cast<size_t>(*at)];
}

} // namespace lathe::frontend::torch::script
