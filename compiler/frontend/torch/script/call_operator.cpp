// SPDX-License-Identifier: Apache-2.0
//
// Calls of operators: those of the language on what is known, those on quantized tensors, and those of PyTorch's table, whose
// results lie in the memory as PyTorch's would.
#include "frontend/torch/invoke.h"
#include "frontend/torch/scalar_type.h"
#include "frontend/torch/script/builtins.h"
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"
#include "frontend/torch/script/strides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

constexpr auto reshapingInPlace = std::to_array<std::string_view>({
    "aten.squeeze_",
    "aten.swapaxes_",
    "aten.swapdims_",
    "aten.t_",
    "aten.transpose_",
    "aten.unsqueeze_",
});

bool flagAt(const Schema& schema, const List& arguments, std::string_view name) {
    const std::optional<size_t> at = schema.find(name);
    const bool* flag = at ? arguments[*at].as<bool>() : nullptr;
    return flag && *flag;
}

bool isToldToTrain(const Schema& schema, const List& arguments) {
    return flagAt(schema, arguments, "train") || flagAt(schema, arguments, "training");
}

/// Whether the operator is to drop elements at random, as only training does.
bool isDropping(const Schema& schema, const List& arguments) {
    const std::optional<size_t> ratio = schema.find("p");
    const double* p = ratio ? arguments[*ratio].as<double>() : nullptr;
    return p && *p > 0 && schema.name.contains("dropout");
}

} // namespace

ScriptValue Evaluator::callOperator(std::string name, Arguments arguments) {
    if (failed())
        return {};
    upgrade(name, arguments);
    if (std::optional<ScriptValue> result = Builtins::call(*this, name, arguments); result || failed())
        return failed() ? ScriptValue() : *std::move(result);
    if (std::optional<ScriptValue> result = callQuantized(name, arguments); result || failed())
        return failed() ? ScriptValue() : *std::move(result);
    if (std::optional<ScriptValue> result = callReshaping(name, arguments); result || failed())
        return failed() ? ScriptValue() : *std::move(result);
    ScriptValue out;
    Arguments given;
    for (size_t i = 0; i < arguments.values.size(); ++i)
        if (arguments.names[i] == "out")
            out = arguments.values[i];
        else
            given.add(arguments.values[i], arguments.names[i]);
    const Overload overload = chosenOverload(name, given, heap_);
    if (!overload.op) {
        std::vector<std::string> kinds;
        for (const ScriptValue& value : given.values)
            kinds.push_back(kindOf(value, heap_));
        refuse(isOperator(name)
                   ? fmt::format("operator {} is not supported with {}", shownOperator(name), fmt::join(kinds, ", "))
                   : fmt::format("operator {} is not supported", shownOperator(name)),
               "let the program compute it by other operators of PyTorch's own");
        return {};
    }
    const ScriptValue result = callTable(overload, given);
    if (out.isNone() || failed())
        return result;
    const TensorRef* ref = result.as<TensorRef>();
    if (ref)
        assignTo(out, memory_.read(ref->place));
    else
        refuse("'out' is given to an operator of several results", "let the program use what it returns");
    return out;
}

/// Operators that give a tensor other dims in place: it is a view of what it was, by all its names.
std::optional<ScriptValue> Evaluator::callReshaping(const std::string& name, const Arguments& arguments) {
    const TensorRef* self = arguments.values.empty() ? nullptr : arguments.values[0].as<TensorRef>();
    const bool isOne = std::ranges::find(reshapingInPlace, name) != std::end(reshapingInPlace);
    if (!self || !isOne)
        return std::nullopt;
    const Place before = self->place;
    const ScriptValue result = callOperator(name.substr(0, name.size() - 1), arguments);
    const auto replace = [&](ScriptValue& value) {
        if (value.as<TensorRef>() && value.as<TensorRef>()->place == before)
            value = result;
    };
    for (Frame* frame : frames_)
        for (auto& [variable, value] : frame->variables) {
            const TensorRef* ref = value.as<TensorRef>();
            if (unknown_ > 0 && frame != frames_.back() && ref && ref->place == before)
                refuse("a tensor of another function gets other dims in a branch or loop that is left to run",
                       "let the program make a new tensor");
            replace(value);
        }
    constexpr size_t copiedInAStep = 8;
    step(static_cast<int64_t>(heap_.size() / copiedInAStep));
    for (Cell cell = 0; cell < heap_.size() && !failed(); ++cell) {
        CellContent content = heap_.at(cell);
        bool isThere = false;
        const auto look = [&](ScriptValue& value) {
            isThere = isThere || (value.as<TensorRef>() && value.as<TensorRef>()->place == before);
            replace(value);
        };
        if (auto* list = std::get_if<ListCell>(&content))
            std::ranges::for_each(list->items, look);
        if (auto* dict = std::get_if<DictCell>(&content))
            for (auto& [key, value] : dict->entries)
                look(value);
        if (auto* object = std::get_if<ObjectCell>(&content))
            for (auto& [attributeName, value] : object->attributes)
                look(value);
        if (isThere)
            heap_.set(cell, std::move(content));
    }
    return result;
}

// ---- operators of the table

TorchValue Evaluator::torchValue(const ScriptValue& value, const SchemaType& type, int nesting) {
    if (nesting > mostListNesting)
        refuse(fmt::format("lists are nested over {} deep", mostListNesting));
    if (failed())
        return {};
    const TupleValue* tuple = value.as<TupleValue>();
    const ListCell* list = heap_.find<ListCell>(value);
    if (const ScriptValues* items = list ? &list->items : tuple ? tuple->items.get() : nullptr) {
        List all;
        for (const ScriptValue& item : *items)
            all.push_back(torchValue(item, type, nesting + 1));
        return all;
    }
    if (const TensorRef* ref = value.as<TensorRef>())
        return memory_.read(ref->place);
    if (const Expr* expr = value.as<Expr>()) {
        const std::optional<int64_t> number = type.kind == SchemaType::Kind::Type ? arith::asInt(*expr) : std::nullopt;
        if (!number)
            return *expr;
        const std::optional<DataType> dtype = typeOfCode(*number);
        if (!dtype)
            refuse(fmt::format("element type {} is not supported", *number), "compute with floats, integers or bools");
        return dtype ? TorchValue(*dtype) : TorchValue();
    }
    if (const Number* number = value.as<Number>())
        return number->element;
    if (const Complex* complex = value.as<Complex>())
        return *complex;
    if (const bool* flag = value.as<bool>())
        return *flag;
    if (const double* real = value.as<double>())
        return *real;
    if (const std::string* text = value.as<std::string>())
        return *text;
    if (const Device* device = value.as<Device>())
        return device->name;
    return {};
}

/// Whether the operator is to take moments of the batch and put them where the model has its own, as only training does.
bool Evaluator::isLearning(const Schema& schema, const Arguments& arguments) const {
    const std::optional<size_t> at = schema.name.contains("batch_norm") ? schema.find("running_mean") : std::nullopt;
    const ScriptValue* mean = at ? arguments.find(*at, "running_mean") : nullptr;
    const TensorRef* ref = mean ? mean->as<TensorRef>() : nullptr;
    return ref && storedNames_.contains(memory_.whole(ref->place));
}

ScriptValue Evaluator::callTable(const Overload& overload, const Arguments& arguments) {
    const Operator& op = *overload.op;
    enter(op.schema.name, &op.schema, arguments);
    std::vector<GivenArgument> given;
    for (size_t i = 0; i < arguments.values.size(); ++i) {
        const std::string& name = arguments.names[i];
        const size_t at = name.empty() ? i : op.schema.find(name).value_or(0);
        given.push_back({name, torchValue(arguments.values[i], op.schema.arguments[at].type)});
    }
    const List all = failed() ? List() : filledArguments(op.schema, std::move(given), b_);
    if (!failed() && isToldToTrain(op.schema, all) && (isDropping(op.schema, all) || isLearning(op.schema, arguments)))
        refuse(fmt::format("operator {} is called in training mode", shownOperator(op.schema.name)),
               "call eval() on the model before it is saved");
    List results = invoke(op, all, randomCalls_, b_);
    if (failed())
        return {};
    if (overload.isAssigned) {
        const ScriptValue& to = arguments.values[0];
        assignTo(to, results.empty() ? TorchValue() : results[0]);
        if (!failed())
            note(to);
        return to;
    }
    size_t next = op.schema.results.size();
    for (size_t i = 0; i < op.schema.arguments.size() && next < results.size() && !failed(); ++i)
        if (const ScriptValue* to = arguments.find(i, op.schema.arguments[i].name);
            op.schema.arguments[i].type.isWritten && to && to->as<TensorRef>())
            assignTo(*to, results[next++]);
    const Placing place = placing(op, all, arguments);
    ScriptValues values;
    size_t number = 0;
    for (size_t i = 0; i < std::min(results.size(), op.schema.results.size()) && !failed(); ++i)
        values.push_back(resultOf(results[i], op.schema.results[i], place, number));
    if (failed())
        return {};
    const ScriptValue result = values.empty() ? ScriptValue() : values.size() == 1 ? values[0] : tupleOf(values);
    note(result);
    return failed() ? ScriptValue() : result;
}

ScriptValue Evaluator::resultOf(const TorchValue& result, const SchemaType& type, const Placing& place,
                                size_t& number) {
    if (const List* list = result.as<List>()) {
        ListCell items;
        for (const TorchValue& item : *list)
            items.items.push_back(resultOf(item, type, place, number));
        return CellRef{heap_.make(std::move(items))};
    }
    if (const Var* value = result.as<Var>()) {
        const size_t own = number++;
        if (!*value)
            return {}; // nothing that the program could read
        if (type.kind != SchemaType::Kind::Tensor && type.kind != SchemaType::Kind::Any)
            return fromTensor(b_, *value, "number");
        return TensorRef{place(own, *value)};
    }
    if (const Complex* complex = result.as<Complex>())
        return *complex;
    if (const Expr* expr = result.as<Expr>())
        return fromExpr(*expr);
    if (const bool* flag = result.as<bool>())
        return *flag;
    if (const double* real = result.as<double>())
        return *real;
    if (const std::string* text = result.as<std::string>())
        return *text;
    return {};
}

Sharing Evaluator::sharingWith(Place of, const Operator& op, const List& arguments, Var result) {
    const Var from = memory_.read(of);
    if (failed())
        return Sharing::Never;
    const std::optional<Ints> sizes = knownSizes(b_.shape(from)), wanted = knownSizes(b_.shape(result));
    const std::optional<Ints>& strides = strides_[of];
    const bool isInRows = op.schema.name == "aten.contiguous.default";
    if (isInRows)
        return !sizes || !strides               ? Sharing::Perhaps
               : isContiguous(*sizes, *strides) ? Sharing::Always
                                                : Sharing::Never;
    if (isConversion(op.schema))
        return b_.dtype(from) == b_.dtype(result) && !flagAt(op.schema, arguments, "copy") ? Sharing::Always
                                                                                           : Sharing::Never;
    if (!isReshape(op.schema) || (sizes && sizes == wanted))
        return Sharing::Always;
    if (!sizes || !wanted || !strides)
        return Sharing::Perhaps;
    return hasView(*sizes, *strides, *wanted) ? Sharing::Always : Sharing::Never;
}

Evaluator::Placing Evaluator::placing(const Operator& op, const List& arguments, const Arguments& given) {
    const std::optional<size_t> at = viewedArgument(op.schema);
    const ScriptValue* viewed = at ? given.find(*at, op.schema.arguments[*at].name) : nullptr;
    const TensorRef* self = viewed ? viewed->as<TensorRef>() : nullptr;
    // A new tensor lies in rows if all that it is made of do.
    bool isInRows = true;
    for (const ScriptValue& value : given.values)
        if (const TensorRef* ref = value.as<TensorRef>()) {
            const std::optional<Ints> sizes = failed() ? std::nullopt : knownSizes(b_.shape(memory_.read(ref->place)));
            isInRows = isInRows && sizes && strides_[ref->place] && isContiguous(*sizes, *strides_[ref->place]);
        }
    isInRows = isInRows || isReshape(op.schema) || op.schema.name == "aten.contiguous.default";
    const auto fresh = [this, isInRows](Var value) {
        const Var made = checked(value);
        const Place place = memory_.make(made);
        return newPlace(place, isInRows && !failed() ? contiguous(b_.shape(made)) : std::nullopt, {});
    };
    if (!self)
        return [fresh](size_t, Var value) { return fresh(value); };
    const Place parent = self->place;
    return [this, fresh, parent, &op, arguments, self = *at](size_t number, Var value) {
        const Sharing sharing = sharingWith(parent, op, arguments, value);
        if (failed() || sharing == Sharing::Never)
            return fresh(value);
        if (sharing == Sharing::Perhaps)
            return newPlace(memory_.makePerhaps({&parent, 1}, value), std::nullopt, {});
        const std::optional<Ints> sizes = knownSizes(b_.shape(memory_.read(parent))),
                                  result = knownSizes(b_.shape(value));
        const std::optional<Ints> strides = strides_[parent];
        return newPlace(memory_.makeView(parent, op, arguments, self, number, value),
                        sizes && result && strides ? viewStrides(op.schema, arguments, *sizes, *strides, *result)
                                                   : std::nullopt,
                        {});
    };
}

std::optional<Memory::Place> Evaluator::assignTo(const ScriptValue& to, const TorchValue& value) {
    const TensorRef* ref = to.as<TensorRef>();
    const Var* assigned = value.as<Var>();
    if (!ref || !assigned) {
        refuse(fmt::format("{} is assigned to", kindOf(to, heap_)), "let the program make a new tensor");
        return std::nullopt;
    }
    const Var before = memory_.read(ref->place);
    const Var result = failed() ? Var{} : cast(b_, *assigned, b_.dtype(before));
    if (!failed() && b_.rank(result) != b_.rank(before))
        fail(
            fmt::format("{} is assigned to a tensor that is {}", toString(b_.type(result)), toString(b_.type(before))));
    if (failed())
        return std::nullopt;
    memory_.assign(ref->place, withDims(b_, result, b_.shape(before)));
    written_.insert(memory_.whole(ref->place));
    return ref->place;
}

} // namespace lathe::frontend::torch::script
