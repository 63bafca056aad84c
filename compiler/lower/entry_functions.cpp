// SPDX-License-Identifier: Apache-2.0
//
// Functions that call themselves, or one another: what "inline functions" leaves. Each becomes a function beside the entry,
// of its kind: it calls kernels, has frames of its own, and says itself what fails in it.
//
// It is handed, as scalars: where the reference to its result goes, where the stack of such functions begins, the sizes that
// its parameters' symbols are, then the parameters: addresses of tensors, which stay the caller's, and references to objects,
// which become its own. Its result is an object, of a tensor a copy, since its frames go with it.
#include "arith/analysis.h"
#include "base/limits.h"
#include "lower/entry_builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {

using relay::asTensor;

namespace {

void addSizes(const relay::Type& type, arith::VarCollector& sizes) {
    if (const TensorType* tensor = asTensor(type))
        std::ranges::for_each(tensor->shape, [&](const Expr& dim) { sizes.add(dim); });
    else if (const relay::TupleType* tuple = relay::asTuple(type))
        std::ranges::for_each(tuple->fields, [&](const relay::Type& field) { addSizes(field, sizes); });
}

/// The symbols of the function's parameters. Those of what an object holds are known when it is taken out.
std::vector<arith::Var> sizesOf(const relay::Function& function) {
    arith::VarCollector sizes;
    for (const relay::Param& param : function.params)
        addSizes(param.type, sizes);
    return sizes.vars();
}

Expr placeOf(const Expr& address) {
    return arith::call(arith::Intrinsic::Reinterpret, {address}, types::Int64);
}

} // namespace

// ---- calls

void EntryBuilder::pass(const relay::Type& declared, const EntryValue& value, model::Span span, EntryScope& scope,
                        Owned& owned, Passed& passed) {
    if (const relay::TupleType* tuple = relay::asTuple(declared)) {
        for (size_t i = 0; i < tuple->fields.size(); ++i)
            pass(tuple->fields[i], value.fields.at(i), span, scope, owned, passed);
        return;
    }
    const TensorType* tensor = asTensor(declared);
    if (!tensor) {
        passed.args.push_back(reference(value, owned, span, scope));
        return;
    }
    for (size_t axis = 0; axis < tensor->shape.size(); ++axis)
        if (tensor->shape[axis].kind() == arith::ExprKind::Var)
            passed.sizes.try_emplace(tensor->shape[axis].get(), value.type.shape.at(axis));
    passed.args.push_back(value.address);
}

Result<std::vector<Expr>> EntryBuilder::sizesFor(const relay::Binding& binding, const relay::FunctionCall& call,
                                                 const Passed& passed, EntryScope& scope) {
    std::vector<Expr> sizes;
    for (const arith::Var& symbol : sizesOf(*module_.functions.at(call.callee))) {
        const auto found = passed.sizes.find(symbol.get());
        if (found == passed.sizes.end())
            return refused(
                binding.span,
                fmt::format("what {} is in function '{}' cannot be told from the arguments", symbol->name, call.callee),
                "give the function a parameter one of whose dims it is");
        const Expr inRange =
            arith::logicalAnd(arith::ge(found->second, symbol->lower), arith::le(found->second, symbol->upper));
        if (!arith::provablyTrue(inRange))
            check(scope, inRange, tir::CheckKind::ShapeMismatch,
                  fmt::format("{} of function '{}' is outside {} … {}", symbol->name, call.callee, symbol->lower,
                              symbol->upper),
                  binding.span);
        sizes.push_back(found->second);
    }
    return sizes;
}

Result<void> EntryBuilder::lowerFunctionCall(const relay::Binding& binding, const relay::FunctionCall& call,
                                             EntryScope& scope, Owned& owned) {
    if (call.callee == "main")
        return refused(binding.span, "the main function calls itself",
                       "move what calls itself into a function of its own");
    for (const relay::Type& field : relay::fieldTypes(binding.type))
        if (const TensorType* tensor = asTensor(field))
            for (const Expr& dim : tensor->shape)
                if (dim.kind() != arith::ExprKind::Var && !defined(dim))
                    return refused(binding.span,
                                   fmt::format("a size of what function '{}' gives is computed from one that is not "
                                               "known before: {}",
                                               call.callee, arith::sizeText(dim)),
                                   "state it as a size of its own");
    const relay::Function& callee = *module_.functions.at(call.callee);
    hasObjects_ = true;
    const tir::BufferPtr result = scope.local("result", types::Handle);
    const Expr place = arith::call(arith::Intrinsic::AddressOf, {load(result)}, types::Handle);
    if (stack_) {
        const Expr depth = arith::max(placeOf(stack_) - placeOf(place), placeOf(place) - placeOf(stack_));
        check(scope, arith::le(depth, arith::intImm(limits::stackBytes, types::Int64)), tir::CheckKind::InvalidValue,
              fmt::format("functions call themselves too deeply: their stack is over {} bytes", limits::stackBytes),
              binding.span);
    }
    Passed passed;
    for (size_t i = 0; i < callee.params.size(); ++i)
        pass(callee.params[i].type, EntryValue(values_.at(call.args.at(i).id)), binding.span, scope, owned, passed);
    std::vector<Expr> args{place, stack_ ? stack_ : place};
    LATHE_TRY(const std::vector<Expr> sizes, sizesFor(binding, call, passed, scope));
    args.insert(args.end(), sizes.begin(), sizes.end());
    args.insert(args.end(), passed.args.begin(), passed.args.end());
    scope.add(tir::makeStmt(tir::CallKernel{symbolOf(call.callee), std::move(args), -1}, -1));
    const Expr object = scope.let("given", load(result));
    owned.objects.push_back(object);
    values_[binding.var.id] = unpacked(binding.type, object, binding.span, scope, owned.objects);
    return {};
}

std::string EntryBuilder::symbolOf(const std::string& function) {
    auto found = std::ranges::find(called_, function);
    if (found == called_.end())
        found = called_.insert(called_.end(), function);
    return fmt::format("lathe_function_{}", found - called_.begin());
}

// ---- functions

EntryValue EntryBuilder::receiveParam(const relay::Type& type, tir::PrimFunc& function, std::vector<Expr>& objects) {
    if (const relay::TupleType* tuple = relay::asTuple(type)) {
        EntryValue value{{}, true, {}, {}};
        for (const relay::Type& field : tuple->fields)
            value.fields.push_back(receiveParam(field, function, objects));
        return value;
    }
    const arith::Var given = arith::var("given", types::Handle);
    function.params.push_back({nullptr, given});
    if (const TensorType* tensor = asTensor(type))
        return {{}, false, *tensor, given};
    objects.emplace_back(given);
    return objectValue(type, objects.back());
}

Result<void> EntryBuilder::lowerFunction(size_t ordinal) {
    const relay::Function& function = *module_.functions.at(called_.at(ordinal));
    defined_.clear();
    checked_.clear();
    outputOf_.clear();
    auto made = std::make_shared<tir::PrimFunc>();
    made->name = symbolOf(called_[ordinal]);
    made->outputs = 0;
    made->isEntry = true;
    const arith::Var result = arith::var("result_at", types::Handle), stack = arith::var("stack", types::Handle);
    made->params = {{nullptr, result}, {nullptr, stack}};
    stack_ = stack;
    for (const arith::Var& size : sizesOf(function)) {
        made->params.push_back({nullptr, size});
        define(size);
    }
    std::vector<Expr> given;
    for (const relay::Param& param : function.params)
        values_[param.var.id] = receiveParam(param.type, *made, given);
    EntryScope scope(false, calls_);
    LATHE_TRY(Owned left, lowerBlock(*function.body, scope, {}, given));
    const Expr object = reference(EntryValue(values_.at(function.body->result.id)), left, {}, scope);
    releaseAll(left.ending, scope);
    const tir::BufferPtr view = tir::makeBuffer("result", types::Handle, {Expr(1)});
    scope.bind(view, result);
    store(view, object, scope);
    auto finished = scope.finish();
    made->body = std::move(finished.stmt);
    for (PlacedBuffer& buffer : finished.buffers) {
        buffer.offset = {}; // above whatever those have that call it
        if (buffer.lastCall < 0)
            buffer.lastCall = std::max(buffer.firstCall, calls_ - 1);
        entry_.buffers.push_back(std::move(buffer));
    }
    entry_.functions.push_back(std::move(made));
    return {};
}

} // namespace lathe::lower
