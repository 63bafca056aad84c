// SPDX-License-Identifier: Apache-2.0
#include "abi/abi.h"
#include "lower/diagnose.h"
#include "lower/entry_builder.h"
#include "lower/sizes.h"
#include "relay/attrs.h"
#include "relay/data_types.h"
#include "relay/type_map.h"
#include "tir/verify.h"
#include "tir/visit.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {

using relay::asTensor;
using tir::makeStmt;

namespace {

std::vector<relay::Var> outputVars(const relay::Function& main) {
    for (const relay::BindingPtr& binding : main.body->bindings)
        if (binding->var == main.body->result)
            if (const auto* tuple = binding->as<relay::MakeTuple>())
                return tuple->fields;
    return {main.body->result};
}

/// Known to be so without a look at many elements.
bool isZeros(const relay::Constant& constant) {
    return constant.splat &&
           std::ranges::all_of(constant.bytes.view, [](std::byte byte) { return byte == std::byte{}; });
}

/// Whether values of the type can be inputs and outputs. Strings in lists are handles of the run, which nobody turns into text.
bool canCross(relay::Type type) {
    int depth = 0;
    for (; relay::isList(type) || relay::isOptional(type); type = relay::elementOf(type))
        if (!relay::elementOf(type) || ++depth > LATHE_MAX_FORM)
            return depth <= LATHE_MAX_FORM;
    const TensorType* tensor = asTensor(type);
    return tensor && (depth == 0 || tensor->dtype != types::String);
}

} // namespace

tir::Stmt copyBytes(const Expr& to, const Expr& from, const Expr& bytes) {
    return evaluate(rtCall(LATHE_FN_COPY, {to, from, bytes}, types::Void));
}

std::vector<EntryValue> fieldsOf(const EntryValue& value) {
    return value.tuple ? value.fields : std::vector<EntryValue>{value};
}

Result<Entry> EntryBuilder::build() {
    LATHE_CHECKED(lowerMain());
    for (size_t i = 0; i < called_.size(); ++i) // functions call others
        LATHE_CHECKED(lowerFunction(i));
    if (hasObjects_)
        entry_.peakBytes = {}; // what lists hold, only running tells
    return std::move(entry_);
}

Result<void> EntryBuilder::lowerMain() {
    const relay::Function& main = module_.main();
    EntryScope scope(true, calls_);
    LATHE_CHECKED(bindInputs(main, scope));
    bindStates(main);
    markOutputs(main);
    LATHE_TRY(Owned left, lowerBlock(*main.body, scope, {}));
    LATHE_CHECKED(writeOutputs(main, scope, left));
    releaseAll(left.ending, scope);
    auto [body, peak, buffers] = scope.finish();
    for (PlacedBuffer& buffer : buffers)
        if (buffer.lastCall < 0)
            buffer.lastCall = std::max(buffer.firstCall, calls_ - 1);
    auto function = std::make_shared<tir::PrimFunc>();
    function->name = "lathe_entry";
    function->outputs = 0;
    function->isEntry = true;
    function->body = body ? body : tir::seq({evaluate(arith::intImm(0))}, -1);
    entry_.function = function;
    entry_.peakBytes = peak;
    entry_.buffers = std::move(buffers);
    return {};
}

Result<void> EntryBuilder::bindInputs(const relay::Function& main, EntryScope& scope) {
    for (size_t i = 0; i < relay::inputParams(main).size(); ++i) {
        const relay::Param& param = main.params[i];
        const auto input = static_cast<int32_t>(i);
        if (!canCross(param.type))
            return failure(
                ErrorKind::Unsupported,
                fmt::format("input '{}' has type {}, which cannot be run yet", param.name, relay::toString(param.type)),
                "only tensors, and lists and optionals of numbers, can be inputs");
        if (asTensor(param.type)) {
            LATHE_CHECKED(bindTensor(param, input, scope));
            continue;
        }
        hasObjects_ = true;
        values_[param.var.id] = objectValue(
            param.type,
            scope.let(param.name, rtCall(LATHE_FN_OBJECT_INPUT, {arith::intImm(input, types::Int32)}, types::Handle)));
    }
    return {};
}

Result<void> EntryBuilder::bindTensor(const relay::Param& param, int32_t input, EntryScope& scope) {
    const TensorType* type = asTensor(param.type);
    auto actual = [&](size_t axis) {
        return rtCall(LATHE_FN_INPUT_DIM,
                      {arith::intImm(input, types::Int32), arith::intImm(static_cast<int64_t>(axis), types::Int32)},
                      types::Index);
    };
    std::vector<size_t> given; // axes whose dims are known otherwise
    for (size_t axis = 0; axis < type->shape.size(); ++axis) {
        const Expr& dim = type->shape[axis];
        if (dim.kind() != arith::ExprKind::Var || defined(dim)) {
            given.push_back(axis);
            continue;
        }
        arith::Var var(dim.node());
        scope.define(var, actual(axis));
        define(var);
        check(scope, arith::logicalAnd(arith::ge(var, dim->lower), arith::le(var, dim->upper)),
              tir::CheckKind::ShapeMismatch,
              fmt::format("input '{}': dim {} ({}) is outside {} … {}", param.name, axis, dim->name, dim->lower,
                          dim->upper));
    }
    checkSizes(*type, {}, scope, fmt::format("input '{}'", param.name));
    for (size_t axis : given) {
        const Expr& dim = type->shape[axis];
        check(scope, arith::eq(actual(axis), dim), tir::CheckKind::ShapeMismatch,
              fmt::format("input '{}': dim {} is not {}{}", param.name, axis, arith::sizeText(dim),
                          arith::asInt(dim) ? "" : ", as the other inputs say"));
    }
    values_[param.var.id] = {
        {}, false, *type, rtCall(LATHE_FN_INPUT_DATA, {arith::intImm(input, types::Int32)}, types::Handle)};
    return {};
}

void EntryBuilder::bindStates(const relay::Function& main) {
    for (size_t i = relay::inputParams(main).size(); i < main.params.size(); ++i)
        values_[main.params[i].var.id] = {
            {},
            false,
            *asTensor(main.params[i].type),
            rtCall(LATHE_FN_INPUT_DATA, {arith::intImm(static_cast<int64_t>(i), types::Int32)}, types::Handle)};
    for (const relay::StateValue& state : main.states)
        entry_.initialStates.push_back(isZeros(*state.initial) ? -1 : constantOrdinal(state.initial));
}

void EntryBuilder::markOutputs(const relay::Function& main) {
    std::vector<relay::Var> vars = outputVars(main);
    for (size_t i = 0; i < vars.size(); ++i)
        if (std::count(vars.begin(), vars.end(), vars[i]) == 1)
            outputOf_[vars[i].id] = static_cast<int32_t>(i);
}

Expr EntryBuilder::outputAddress(int32_t output, const TensorType& type, EntryScope& scope) {
    const std::vector<Expr> shape = relay::storedShape(type.shape, type.layout); // a constant is evaluated as stored
    for (size_t axis = 0; axis < shape.size(); ++axis)
        scope.add(evaluate(rtCall(
            LATHE_FN_OUTPUT_DIM,
            {arith::intImm(output, types::Int32), arith::intImm(static_cast<int64_t>(axis), types::Int32), shape[axis]},
            types::Void)));
    Expr address =
        scope.let(fmt::format("out{}", output),
                  rtCall(LATHE_FN_OUTPUT_DATA, {arith::intImm(output, types::Int32), bytesOf(type)}, types::Handle));
    check(scope, isGiven(address), tir::CheckKind::OutOfMemory, fmt::format("not enough memory for output {}", output));
    return address;
}

Result<void> EntryBuilder::writeOutputs(const relay::Function& main, EntryScope& scope, Owned& left) {
    const std::vector<relay::Type> types = relay::fieldTypes(main.resultType);
    std::vector<relay::Var> vars = outputVars(main);
    int32_t ordinal = 0;
    for (relay::Var var : vars) {
        for (const EntryValue& value : fieldsOf(values_.at(var.id))) {
            if (value.object) {
                const relay::Type& type = types.at(static_cast<size_t>(ordinal));
                if (!canCross(type))
                    return failure(
                        ErrorKind::Unsupported,
                        fmt::format("output {} has type {}, which cannot be run yet", ordinal, relay::toString(type)),
                        "only tensors, and lists and optionals of numbers, can be outputs");
                scope.add(evaluate(rtCall(LATHE_FN_OBJECT_OUTPUT,
                                          {arith::intImm(ordinal++, types::Int32), reference(value, left, {}, scope)},
                                          types::Void)));
                continue;
            }
            checkSizes(value.type, {}, scope, fmt::format("output {}", ordinal));
            if (!writtenInPlace_.contains(ordinal))
                scope.add(copyBytes(outputAddress(ordinal, value.type, scope), value.address, bytesOf(value.type)));
            ++ordinal;
        }
    }
    return {};
}

namespace {

/// Those that end at a position, taken out.
std::vector<Expr> endingAt(std::multimap<size_t, Expr>& ends, size_t position) {
    const auto [first, end] = ends.equal_range(position);
    std::vector<Expr> ending;
    for (auto it = first; it != end; ++it)
        ending.push_back(it->second);
    ends.erase(first, end);
    return ending;
}

} // namespace

bool refersTo(const EntryValue& value, const Expr& object) {
    return (value.object && value.address.same(object)) || (value.holder && value.holder.same(object)) ||
           std::ranges::any_of(value.fields, [&](const EntryValue& field) { return refersTo(field, object); });
}

bool EntryBuilder::reads(const relay::Block& block, const Expr& object) const {
    return std::ranges::any_of(lifetimes(block), [&](const auto& use) {
        const auto value = values_.find(use.first);
        return value != values_.end() && refersTo(value->second, object);
    });
}

Result<Owned> EntryBuilder::lowerBlock(const relay::Block& block, EntryScope& scope, const Destinations& destinations,
                                       const std::vector<Expr>& given) {
    const std::map<uint32_t, size_t> last = lifetimes(block);
    std::multimap<size_t, Expr> places, objects; // by the position at which they end
    std::vector<Expr> unused;
    for (const Expr& object : given) {
        std::optional<size_t> until;
        for (const auto& [var, position] : last)
            if (const auto value = values_.find(var); value != values_.end() && refersTo(value->second, object))
                until = std::max(until.value_or(0), position);
        if (until)
            objects.emplace(*until, object);
        else
            unused.push_back(object);
    }
    releaseAll(unused, scope);
    for (size_t i = 0; i < block.bindings.size(); ++i) {
        const relay::Binding& binding = *block.bindings[i];
        const auto known = last.find(binding.var.id);
        const size_t until = known == last.end() ? i : known->second;
        Owned owned;
        owned.ending = endingAt(objects, i);
        LATHE_CHECKED(lowerBinding(binding, scope, destinations, owned));
        for (const Expr& address : owned.places)
            places.emplace(until, address);
        for (const Expr& object : owned.objects)
            objects.emplace(until, object);
        for (const Expr& address : endingAt(places, i))
            scope.release(address);
        releaseAll(owned.ending, scope);
        std::vector<Expr> unread = endingAt(objects, i);
        releaseAll(unread, scope);
    }
    Owned left;
    left.ending = endingAt(objects, block.bindings.size());
    return left;
}

std::map<uint32_t, size_t> EntryBuilder::lifetimes(const relay::Block& block) const {
    std::map<uint32_t, size_t> last;
    size_t end = block.bindings.size();
    // What a nested Block gives may be what it reads, by address; of an object it gives a reference of its own.
    std::set<uint32_t> objects;
    for (const relay::BindingPtr& binding : block.bindings)
        if (relay::asDataType(binding->type))
            objects.insert(binding->var.id);
    const auto isObject = [&](relay::Var var) {
        const auto known = values_.find(var.id);
        return objects.contains(var.id) || (known != values_.end() && known->second.object);
    };
    auto extend = [&](relay::Var var, size_t position) {
        if (var) {
            auto [it, fresh] = last.emplace(var.id, position);
            if (!fresh)
                it->second = std::max(it->second, position);
        }
    };
    extend(block.result, end);
    for (size_t i = end; i-- > 0;) {
        const relay::Binding& binding = *block.bindings[i];
        auto own = last.find(binding.var.id);
        size_t until = own == last.end() ? i : own->second;
        bool aliases = isView(binding);
        for (relay::Var var : relay::operands(binding.rhs))
            extend(var, aliases ? until : i);
        if (const auto* loop = binding.as<relay::Loop>())
            for (relay::Var var : loop->init) // a loop that does not run gives what it was given
                extend(var, isObject(var) ? i : until);
        std::vector<const relay::Block*> pending;
        for (const relay::BlockPtr& nested : relay::blocksOf(binding.rhs))
            pending.push_back(nested.get());
        while (!pending.empty()) {
            const relay::Block* nested = pending.back();
            pending.pop_back();
            extend(nested->result, isObject(nested->result) ? i : until);
            for (const relay::BindingPtr& inner : nested->bindings) {
                for (relay::Var var : relay::operands(inner->rhs))
                    extend(var, isObject(var) ? i : until);
                for (const relay::BlockPtr& deeper : relay::blocksOf(inner->rhs))
                    pending.push_back(deeper.get());
            }
        }
    }
    return last;
}

bool EntryBuilder::isView(const relay::Binding& binding) const {
    if (binding.as<relay::MakeTuple>() || binding.as<relay::Projection>())
        return true;
    if (const auto* call = binding.as<relay::OpCall>())
        return call->op == relay::Op::BindSymbols || call->op == relay::Op::Assume;
    if (const auto* call = binding.as<relay::FunctionCall>()) {
        auto plan = kernels_.plans.find(call->callee);
        return plan != kernels_.plans.end() && plan->second.kind == FunctionPlan::Kind::View;
    }
    return false;
}

Result<void> EntryBuilder::lowerBinding(const relay::Binding& binding, EntryScope& scope,
                                        const Destinations& destinations, Owned& owned) {
    if (const auto* call = binding.as<relay::FunctionCall>())
        return lowerCall(binding, *call, scope, destinations, owned);
    if (const auto* constant = binding.as<relay::ConstantRef>()) {
        values_[binding.var.id] = {{}, false, *asTensor(binding.type), constantAddress(constant->constant)};
        return {};
    }
    if (const auto* tuple = binding.as<relay::MakeTuple>()) {
        EntryValue value{{}, true, {}, {}};
        for (relay::Var field : tuple->fields)
            value.fields.push_back(values_.at(field.id));
        values_[binding.var.id] = std::move(value);
        return {};
    }
    if (const auto* projection = binding.as<relay::Projection>()) {
        values_[binding.var.id] =
            EntryValue(values_.at(projection->tuple.id).fields.at(static_cast<size_t>(projection->index)));
        return {};
    }
    if (const auto* branch = binding.as<relay::If>())
        return lowerIf(binding, *branch, scope, owned);
    if (const auto* loop = binding.as<relay::Loop>())
        return lowerLoop(binding, *loop, scope, owned);
    if (const auto* call = binding.as<relay::OpCall>()) {
        if (call->op == relay::Op::BindSymbols)
            return lowerBindSymbols(binding, *call, scope);
        if (call->op == relay::Op::Assume)
            return lowerAssume(binding, *call, scope);
        if (relay::worksOnList(call->op))
            return lowerListCall(binding, *call, scope, destinations, owned);
        return refused(binding.span,
                       fmt::format("operator {} stands outside a fused function", relay::info(call->op).name));
    }
    if (const auto* value = binding.as<relay::Construct>())
        return lowerConstruct(binding, *value, scope, owned);
    if (const auto* match = binding.as<relay::Match>())
        return lowerMatch(binding, *match, scope, owned);
    return refused(binding.span, "function values cannot be lowered yet", "call functions by their names");
}

Expr EntryBuilder::place(const relay::Binding& binding, const TensorType& type, EntryScope& scope,
                         const Destinations& destinations, Owned& owned) {
    if (auto it = destinations.find(binding.var.id); it != destinations.end())
        return it->second;
    if (auto it = outputOf_.find(binding.var.id); it != outputOf_.end() && depth_ == 0) {
        writtenInPlace_.insert(it->second);
        return outputAddress(it->second, type, scope);
    }
    Expr address = scope.allocate(bytesOf(type), {.name = binding.modelValue, .span = binding.span});
    owned.places.push_back(address);
    return address;
}

int EntryBuilder::constantOrdinal(const relay::ConstantPtr& constant) {
    auto [it, fresh] = constantOrdinals_.emplace(constant->hash, static_cast<int>(entry_.constants.size()));
    if (fresh)
        entry_.constants.push_back(constant);
    return it->second;
}

Expr EntryBuilder::constantAddress(const relay::ConstantPtr& constant) {
    return rtCall(LATHE_FN_CONSTANT, {arith::intImm(constantOrdinal(constant), types::Int32)}, types::Handle);
}

bool EntryBuilder::defined(const Expr& expr) const {
    for (const arith::Var& var : arith::freeVars(expr))
        if (!defined_.contains(var.get()))
            return false;
    return true;
}

bool EntryBuilder::defined(const TensorType& type) const {
    return std::all_of(type.shape.begin(), type.shape.end(), [&](const Expr& dim) { return defined(dim); });
}

void EntryBuilder::check(EntryScope& scope, Expr condition, tir::CheckKind kind, std::string message,
                         model::Span span) {
    int origin = -1;
    if (!span.empty()) {
        const auto [place, fresh] = origins_.try_emplace(span, static_cast<int>(entry_.origins.size()));
        if (fresh)
            entry_.origins.push_back(span);
        origin = place->second;
    }
    scope.add(makeStmt(tir::Check{std::move(condition), kind, std::move(message)}, origin));
}

Failure EntryBuilder::refused(model::Span span, std::string what, std::string hint) {
    return Failure(refuse(span, *module_.spans, graph_, std::move(what), std::move(hint)));
}

Result<Entry> makeEntry(const relay::Module& module, const Kernels& kernels, const model::ModelGraph* graph) {
    LATHE_TRY(Entry entry, EntryBuilder(module, kernels, graph).build());
    std::unordered_map<std::string, tir::PrimFuncPtr> callees;
    for (const Kernel& kernel : kernels.kernels)
        callees[kernel.name] = kernel.lowered;
    for (const tir::PrimFuncPtr& function : entry.functions)
        callees[function->name] = function;
    const auto verify = [&](const tir::PrimFuncPtr& function) {
        auto verified = tir::verifyCalls(*function, callees);
        LATHE_ASSERT(verified.has_value(), toString(verified.error()));
    };
    verify(entry.function);
    std::ranges::for_each(entry.functions, verify);
    return entry;
}

} // namespace lathe::lower
