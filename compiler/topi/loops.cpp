// SPDX-License-Identifier: Apache-2.0
//
// Statement building for kernels; loops.h says what each function gives.
#include "topi/loops.h"

#include <algorithm>

namespace lathe::topi {

using namespace tir;

Expr load(const BufferPtr& buffer, Indices indices) {
    return arith::load(buffer, std::move(indices));
}

Stmt Loops::loop(const std::string& name, const Expr& extent, const std::function<Stmt(Var)>& body,
                 ForKind kind) const {
    const Var var = arith::var(name);
    return makeStmt(For{var, Expr(0), extent, kind, body(var)}, origin_);
}

Stmt Loops::nest(const std::string& name, const Shape& shape, const std::function<Stmt(const std::vector<Var>&)>& body,
                 ForKind outermost) const {
    std::vector<Var> vars;
    for (size_t d = 0; d < shape.size(); ++d)
        vars.push_back(arith::var(name + std::to_string(d)));
    Stmt result = body(vars);
    for (size_t d = shape.size(); d-- > 0;)
        result = makeStmt(For{vars[d], Expr(0), shape[d], d == 0 ? outermost : ForKind::Serial, result}, origin_);
    return result;
}

Stmt Loops::store(const BufferPtr& buffer, Indices indices, const Expr& value) const {
    return makeStmt(Store{buffer, std::move(indices), value, Expr()}, origin_);
}

Stmt Loops::let(const std::string& name, const Expr& value, const std::function<Stmt(Var)>& body) const {
    const Var var = arith::var(name, value.dtype());
    return makeStmt(Let{var, value, body(var)}, origin_);
}

Stmt Loops::when(const Expr& condition, Stmt thenCase, Stmt elseCase) const {
    return makeStmt(If{condition, std::move(thenCase), std::move(elseCase)}, origin_);
}

Stmt Loops::repeat(const Expr& condition, Stmt body) const {
    return makeStmt(While{condition, std::move(body)}, origin_);
}

Stmt Loops::check(const Expr& condition, CheckKind kind, const std::string& message) const {
    return makeStmt(Check{condition, kind, message, -1}, origin_);
}

Stmt Loops::allocate(const std::vector<BufferPtr>& buffers, Stmt body) const {
    for (const BufferPtr& buffer : buffers)
        body = makeStmt(Allocate{buffer, body}, origin_);
    return body;
}

Stmt Loops::with(const std::vector<Cell>& cells, Stmt body) const {
    for (const Cell& cell : cells)
        body = makeStmt(Allocate{cell.buffer(), body}, origin_);
    return body;
}

Stmt Loops::increment(const Cell& cell) const {
    const Expr value = cell();
    return set(cell, value + arith::one(value.dtype()));
}

KernelBuffers::KernelBuffers(const CallContext& call) {
    for (size_t i = 0; i < call.argTypes.size(); ++i) {
        const relay::TensorType* type = call.argTypes[i];
        // One value given twice is one parameter.
        const auto same = [&](const te::TensorPtr& other) { return type && other == call.args[i]; };
        const auto end = call.args.begin() + static_cast<std::ptrdiff_t>(std::min(i, call.args.size()));
        const auto earlier = i < call.args.size() ? std::find_if(call.args.begin(), end, same) : end;
        if (earlier != end) {
            args.push_back(args[static_cast<size_t>(earlier - call.args.begin())]);
            continue;
        }
        args.push_back(type ? makeBuffer("x" + std::to_string(i), type->dtype, type->shape) : nullptr);
    }
    const relay::TupleType* tuple = relay::asTuple(call.resultType);
    const int fields = tuple ? static_cast<int>(tuple->fields.size()) : 1;
    for (int i = 0; i < fields; ++i) {
        const relay::TensorType& type = resultTensor(call, i);
        results.push_back(makeBuffer("y" + std::to_string(i), type.dtype, type.shape));
    }
}

namespace {

PrimFuncPtr makeFunction(const std::string& name, std::vector<BufferPtr> buffers, int outputs, Stmt body) {
    auto function = std::make_shared<PrimFunc>();
    function->name = name;
    std::vector<Shape> shapes;
    for (const BufferPtr& buffer : buffers) {
        const auto given = [&](const tir::Param& param) { return param.buffer == buffer; };
        if (!buffer || std::any_of(function->params.begin(), function->params.end(), given))
            continue;
        function->params.push_back({buffer, Var()});
        shapes.push_back(buffer->shape);
    }
    for (const Var& symbol : symbolsOf(shapes))
        function->params.push_back({nullptr, symbol});
    function->outputs = outputs;
    function->body = std::move(body);
    return function;
}

void append(std::vector<BufferPtr>& to, const std::vector<BufferPtr>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

} // namespace

PrimFuncPtr KernelBuffers::kernel(const std::string& name, Stmt body) const {
    std::vector<BufferPtr> buffers = args;
    append(buffers, results);
    return makeFunction(name, buffers, static_cast<int>(results.size()), std::move(body));
}

DynamicKernel KernelBuffers::dynamic(const std::string& name, const BufferPtr& sizes, std::vector<BufferPtr> state,
                                     Stmt sizesBody, Stmt fillBody) const {
    std::vector<BufferPtr> sizesParams = args, fillParams = args;
    append(sizesParams, state);
    sizesParams.push_back(sizes);
    append(fillParams, state);
    append(fillParams, results);
    const int written = static_cast<int>(state.size()) + 1;
    return {makeFunction(name + "_sizes", sizesParams, written, std::move(sizesBody)),
            makeFunction(name + "_fill", fillParams, static_cast<int>(results.size()), std::move(fillBody)),
            std::move(state)};
}

std::vector<Var> newSymbols(const CallContext& call) {
    std::vector<Shape> known, made;
    for (const relay::TensorType* type : call.argTypes)
        if (type)
            known.push_back(type->shape);
    const relay::TupleType* tuple = relay::asTuple(call.resultType);
    for (int i = 0; i < (tuple ? static_cast<int>(tuple->fields.size()) : 1); ++i)
        made.push_back(resultTensor(call, i).shape);
    const std::vector<Var> old = symbolsOf(known);
    std::vector<Var> result = symbolsOf(made);
    std::erase_if(result,
                  [&](const Var& v) { return std::ranges::any_of(old, [&](const Var& o) { return o.same(v); }); });
    return result;
}

BufferPtr sizesBuffer(const CallContext& call) {
    return makeBuffer("sizes", types::Int64, {static_cast<int64_t>(newSymbols(call).size())});
}

Stmt storeSize(const Loops& loops, const BufferPtr& sizes, const Expr& value) {
    return arith::isConst(sizes->shape[0], 0) ? nullptr : loops.store(sizes, {0}, value);
}

} // namespace lathe::topi
