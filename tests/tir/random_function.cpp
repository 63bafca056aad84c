// SPDX-License-Identifier: Apache-2.0
//
// The generator behind random_function.h.
#include "tests/tir/random_function.h"

#include <limits>

using namespace lathe;
using namespace lathe::arith;
using namespace lathe::tir;

RandomFunction::RandomFunction(unsigned seed) : random_(seed) {}

int RandomFunction::below(int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(random_);
}

std::string RandomFunction::name() {
    static const char* const names[] = {"i", "i",        "A",   "A_1", "for", "conv1/weights:0",
                                        "",  "a`b\\c\n", "ünï", "exp", "x.y"};
    return names[below(11)];
}

Expr RandomFunction::index(int depth) {
    if (depth == 0 || below(4) == 0)
        return below(2) == 0 || vars_.empty() ? Expr(below(50) - 10)
                                              : Expr(vars_[static_cast<size_t>(below(static_cast<int>(vars_.size())))]);
    Expr a = index(depth - 1);
    Expr b = index(depth - 1);
    switch (below(9)) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return floorDiv(a, b);
    case 4:
        return floorMod(a, b);
    case 5:
        return min(a, b);
    case 6:
        return select(condition(0), a, b);
    case 7:
        return cast(cast(a, types::Int32), types::Index);
    default:
        return mod(a, b);
    }
}

Expr RandomFunction::condition(int depth) {
    Expr a = index(1);
    switch (below(depth > 0 ? 7 : 4)) {
    case 0:
        return lt(a, index(1));
    case 1:
        return eq(a, index(1));
    case 2:
        return ge(a, index(1));
    case 3:
        return boolImm(below(2) == 0);
    case 4:
        return logicalAnd(condition(depth - 1), condition(depth - 1));
    case 5:
        return logicalOr(condition(depth - 1), condition(depth - 1));
    default:
        return logicalNot(condition(depth - 1));
    }
}

Expr RandomFunction::value(int depth) {
    static const double numbers[] = {0.0,
                                     -0.0,
                                     0.1,
                                     1e-38,
                                     -3.5,
                                     1e30,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN()};
    if (depth == 0)
        return below(2) == 0 ? floatImm(numbers[below(9)], types::Float32) : cast(index(1), types::Float32);
    Expr a = value(depth - 1);
    switch (below(8)) {
    case 0:
        return a + value(depth - 1);
    case 1:
        return a - value(depth - 1);
    case 2:
        return div(a, value(depth - 1));
    case 3:
        return max(a, value(depth - 1));
    case 4:
        return call(Intrinsic::Tanh, {a}, types::Float32);
    case 5:
        return call(Intrinsic::Fma, {a, a, value(depth - 1)}, types::Float32);
    case 6:
        return cast(cast(a, types::BFloat16), types::Float32);
    default: {
        const BufferPtr& from = anyBuffer();
        return from->dtype == types::Float32 ? access(from) : a;
    }
    }
}

std::vector<Expr> RandomFunction::indicesOf(const BufferPtr& buffer) {
    std::vector<Expr> indices;
    for (size_t i = 0; i < buffer->shape.size(); ++i)
        indices.push_back(index(2));
    return indices;
}

Expr RandomFunction::access(const BufferPtr& buffer) {
    return below(6) == 0 ? loadMasked(buffer, indicesOf(buffer), condition(0), buffer->dtype)
                         : load(buffer, indicesOf(buffer));
}

const BufferPtr& RandomFunction::anyBuffer() {
    return buffers_[static_cast<size_t>(below(static_cast<int>(buffers_.size())))];
}

BufferPtr RandomFunction::buffer(Scope scope) {
    auto result = std::make_shared<Buffer>();
    result->name = name();
    result->dtype = below(4) == 0 ? types::UInt64 : types::Float32;
    result->scope = scope;
    for (int i = below(4); i > 0; --i)
        result->shape.push_back(index(1));
    if (below(4) == 0)
        for (size_t i = 0; i < result->shape.size(); ++i)
            result->strides.push_back(index(1));
    if (below(4) == 0)
        result->offset = index(1);
    if (below(4) == 0)
        result->alignment = 16;
    return result;
}

Stmt RandomFunction::simple() {
    int origin = below(4) - 1;
    switch (below(5)) {
    case 0:
        return makeStmt(
            Check{condition(1), static_cast<CheckKind>(below(5)), "size of \"" + name() + "\"", below(3) - 1}, origin);
    case 1:
        return makeStmt(CallKernel{name(), {index(1), access(anyBuffer())}, below(3) - 1}, origin);
    case 2:
        return makeStmt(Evaluate{call(Intrinsic::RtCall, {Expr(3), index(1)}, types::Handle)}, origin);
    default: {
        BufferPtr to = anyBuffer();
        Expr stored =
            to->dtype == types::Float32 ? value(3) : cast(index(2), types::UInt64) + intImm(-1, types::UInt64);
        return makeStmt(Store{to, indicesOf(to), stored, below(5) == 0 ? condition(0) : Expr()}, origin);
    }
    }
}

Stmt RandomFunction::scope(int depth) {
    int origin = below(3);
    if (below(2) == 0) {
        Var var = arith::var(name(), types::Index, 0, below(2) == 0 ? 7 : std::numeric_limits<int64_t>::max());
        Expr value = index(2);
        vars_.push_back(var);
        Stmt body = below(8) == 0 ? nullptr : stmt(depth - 1);
        vars_.pop_back();
        return makeStmt(Let{var, value, body}, origin);
    }
    BufferPtr memory = buffer(below(2) == 0 ? Scope::Local : Scope::Workspace);
    Expr address = call(Intrinsic::AddressOf, {access(anyBuffer())}, types::Handle);
    buffers_.push_back(memory);
    Stmt body = stmt(depth - 1);
    buffers_.pop_back();
    return below(3) == 0 ? makeStmt(BindBuffer{memory, address, body}, origin)
                         : makeStmt(Allocate{memory, body}, origin);
}

Stmt RandomFunction::block(int depth) {
    Block result;
    result.name = name();
    for (int i = below(3); i > 0; --i)
        result.iters.push_back({arith::var(name()), index(1), static_cast<IterKind>(below(3)), index(2)});
    if (below(2) == 0)
        result.predicate = condition(1);
    for (const IterVar& iter : result.iters)
        vars_.push_back(iter.var);
    for (auto* regions : {&result.reads, &result.writes}) {
        Region region{anyBuffer(), {}};
        for (size_t i = 0; i < region.buffer->shape.size(); ++i)
            region.ranges.emplace_back(index(1), index(1));
        regions->push_back(region);
    }
    if (below(2) == 0)
        result.init = stmt(0);
    result.body = stmt(depth - 1);
    vars_.resize(vars_.size() - result.iters.size());
    return makeStmt(std::move(result), below(3));
}

Stmt RandomFunction::stmt(int depth) {
    if (depth <= 0)
        return simple();
    int origin = below(3) - 1;
    switch (below(8)) {
    case 0:
    case 1: {
        For loop;
        bool narrow = below(4) == 0;
        loop.var = arith::var(name(), narrow ? types::Int32 : types::Index);
        loop.min = narrow ? intImm(below(3), types::Int32) : Expr(below(2));
        loop.extent = narrow ? intImm(9, types::Int32) : index(2);
        loop.kind = static_cast<ForKind>(below(4));
        if (!narrow)
            vars_.push_back(loop.var);
        loop.body = below(10) == 0 ? nullptr : stmt(depth - 1);
        if (!narrow)
            vars_.pop_back();
        return makeStmt(std::move(loop), origin);
    }
    case 2:
        return block(depth);
    case 3:
        return makeStmt(If{condition(2), stmt(depth - 1), below(2) == 0 ? stmt(depth - 1) : nullptr}, origin);
    case 4:
        return below(3) == 0 ? makeStmt(While{condition(1), stmt(depth - 1)}, origin) : scope(depth);
    case 5:
        return scope(depth);
    default: {
        Seq list;
        for (int i = below(5); i > 0; --i)
            list.stmts.push_back(stmt(depth - 1));
        return makeStmt(std::move(list), origin);
    }
    }
}

PrimFunc RandomFunction::make() {
    PrimFunc result;
    result.name = name();
    result.isEntry = below(3) == 0;
    Var n = symbol(name(), 1, 100);
    vars_ = {n, symbol(name())}; // the second one is free
    for (int i = 0; i < 3; ++i)
        buffers_.push_back(buffer(Scope::Global));
    for (int i = 0; i < 2; ++i)
        result.params.push_back({buffers_[static_cast<size_t>(i)], {}});
    result.params.push_back({nullptr, n});
    result.body = stmt(6);
    return result;
}
