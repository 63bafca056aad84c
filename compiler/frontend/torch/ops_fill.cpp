// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are made of numbers: constants, ranges, triangles. What is left empty is filled with zeros.
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

// ---- constants

DataType typeOfScalar(const Scalar& scalar) {
    return scalar.kind == Scalar::Kind::Float  ? defaultFloat
           : scalar.kind == Scalar::Kind::Bool ? types::Bool
                                               : types::Int64;
}

/// Sizes that are asked for; a fault if one is negative.
Dims sizesOf(Call& call, const char* name) {
    Dims sizes = call.sizes(name);
    for (const Expr& size : sizes)
        if (arith::provablyFalse(arith::ge(size, 0)))
            call.fail(fmt::format("argument '{}' has the size {}", name, arith::toString(size)));
    return call.failed() ? Dims{} : sizes;
}

void giveFull(Call& call, Builder& b, const Dims& sizes, const Scalar& value, DataType dtype) {
    if (!call.failed() && mayFill(b, sizes))
        call.give(full(b, toTensor(b, value, dtype), sizes));
}
void giveNumbers(Call& call, Builder& b, const Dims& sizes, int64_t value, DataType dtype) {
    if (!call.failed() && mayFill(b, sizes))
        call.give(
            full(b, dtype.isInt() ? b.scalarInt(value, dtype) : b.scalar(static_cast<double>(value), dtype), sizes));
}

void convertFull(Call& call, Builder& b) {
    const Scalar value = call.scalar("fill_value");
    giveFull(call, b, sizesOf(call, "size"), value, call.dtype("dtype").value_or(typeOfScalar(value)));
}
template <int value>
void convertNumbers(Call& call, Builder& b) {
    giveNumbers(call, b, sizesOf(call, "size"), value, call.dtype("dtype").value_or(defaultFloat));
}

/// The type that is asked for, else that of "self".
DataType likeSelf(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    return call.failed() ? defaultFloat : call.dtype("dtype").value_or(b.dtype(x));
}
Dims shapeOfSelf(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    return call.failed() ? Dims{} : b.shape(x);
}

void convertFullLike(Call& call, Builder& b) {
    giveFull(call, b, shapeOfSelf(call, b), call.scalar("fill_value"), likeSelf(call, b));
}
void convertNewFull(Call& call, Builder& b) {
    giveFull(call, b, sizesOf(call, "size"), call.scalar("fill_value"), likeSelf(call, b));
}
template <int value>
void convertNumbersLike(Call& call, Builder& b) {
    giveNumbers(call, b, shapeOfSelf(call, b), value, likeSelf(call, b));
}
template <int value>
void convertNewNumbers(Call& call, Builder& b) {
    giveNumbers(call, b, sizesOf(call, "size"), value, likeSelf(call, b));
}

/// "self" with all elements another.
void convertFill(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const Operand value = operandOf(call, "value");
    if (!call.failed())
        call.give(full(b, inType(b, value, b.dtype(x)), b.shape(x)));
}
void convertZero(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (!call.failed())
        giveNumbers(call, b, b.shape(x), 0, b.dtype(x));
}

void convertScalarTensor(Call& call, Builder& b) {
    giveFull(call, b, {}, call.scalar("s"), call.dtype("dtype").value_or(defaultFloat));
}

// ---- ranges

/// start, start + step, … before end. Of floats each is rounded once.
void giveRange(Call& call, Builder& b, const Scalar& start, const Scalar& end, const Scalar& step) {
    if (call.failed())
        return;
    const auto isWhole = [](const Scalar& bound) { return bound.kind != Scalar::Kind::Float; };
    const bool whole = isWhole(start) && isWhole(end) && isWhole(step);
    const DataType work = whole ? types::Int64 : types::Float64;
    const Var range = b.call(Op::Range, {toTensor(b, start, work), toTensor(b, end, work), toTensor(b, step, work)});
    call.give(cast(b, range, call.dtype("dtype").value_or(whole ? types::Int64 : defaultFloat)));
}

Scalar number(int64_t value) {
    return {Scalar::Kind::Int, value, 0, {}};
}
void convertArange(Call& call, Builder& b) {
    giveRange(call, b, number(0), call.scalar("end"), number(1));
}
void convertArangeStart(Call& call, Builder& b) {
    giveRange(call, b, call.scalar("start"), call.scalar("end"), number(1));
}
void convertArangeStep(Call& call, Builder& b) {
    giveRange(call, b, call.scalar("start"), call.scalar("end"), call.scalar("step"));
}

/// "steps" numbers from "start" to "end", counted from the nearer end, as PyTorch does.
Var spaced(Call& call, Builder& b, DataType work) {
    const Expr steps = call.size("steps");
    const auto bound = [&](const char* name) {
        const Operand operand = operandOf(call, name);
        return call.failed() ? Var{} : asScalar(b, inType(b, operand, work));
    };
    const Var start = bound("start"), end = bound("end");
    if (call.failed() || !mayFill(b, {steps}))
        return {};
    if (arith::provablyFalse(arith::ge(steps, 0))) {
        call.fail(fmt::format("argument 'steps' is {}", arith::toString(steps)));
        return {};
    }
    const Var last = cast(b, b.scalarOf(arith::simplify(arith::max(steps - 1, 1))), work);
    const Var step = div(b, sub(b, end, start), last);
    const Var places = iota(b, {steps}, 0, types::Int64);
    const Var left = sub(b, b.scalarOf(arith::simplify(steps - 1)), places);
    const Var isFirstHalf = less(b, places, b.scalarOf(arith::simplify(arith::floorDiv(steps, 2))));
    const Var fromStart = add(b, start, mul(b, step, cast(b, places, work)));
    const Var fromEnd = arith::isConst(steps, 1) ? fromStart : sub(b, end, mul(b, step, cast(b, left, work)));
    return where(b, isFirstHalf, fromStart, fromEnd);
}
/// Integers are cut off of what float32 gives.
void convertLinspace(Call& call, Builder& b) {
    const DataType dtype = call.dtype("dtype").value_or(defaultFloat);
    call.give(cast(b, spaced(call, b, dtype.isInt() ? types::Float32 : types::Float64), dtype));
}
/// Powers of a base with such exponents, which are whole for integers at both ends.
void convertLogspace(Call& call, Builder& b) {
    const DataType dtype = call.dtype("dtype").value_or(defaultFloat);
    const Var exponents = spaced(call, b, types::Float64);
    call.give(cast(b, b.call(Op::Power, {scalarLike(b, call.real("base"), exponents), exponents}), dtype));
}

// ---- matrices

void giveEye(Call& call, Builder& b, const Expr& rows, const Expr& columns) {
    const DataType dtype = call.dtype("dtype").value_or(defaultFloat);
    if (call.failed() || !mayFill(b, {rows, columns}))
        return;
    const Var row = iota(b, {rows, 1}, 0, types::Int64), column = iota(b, {1, columns}, 1, types::Int64);
    call.give(cast(b, equal(b, row, column), dtype));
}
void convertEye(Call& call, Builder& b) {
    giveEye(call, b, call.size("n"), call.size("n"));
}
void convertEyeM(Call& call, Builder& b) {
    giveEye(call, b, call.size("n"), call.size("m"));
}

template <bool upper>
void convertTrilu(Call& call, Builder& b) {
    TriluAttrs attrs;
    attrs.upper = upper;
    attrs.k = call.size("diagonal");
    call.give(b.call(Op::Trilu, {call.tensor("self")}, attrs));
}

#define LATHE_MADE "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
#define LATHE_LIKE LATHE_MADE ", MemoryFormat? memory_format=None) -> Tensor"

constexpr auto fillRows = std::to_array<Row>({
    {"aten::full(SymInt[] size, Scalar fill_value, *, " LATHE_MADE ") -> Tensor", convertFull, Movement},
    {"aten::zeros(SymInt[] size, *, " LATHE_MADE ") -> Tensor", convertNumbers<0>, Movement},
    {"aten::ones(SymInt[] size, *, " LATHE_MADE ") -> Tensor", convertNumbers<1>, Movement},
    {"aten::empty.memory_format(SymInt[] size, *, " LATHE_LIKE, convertNumbers<0>, Movement},
    {"aten::empty_strided(SymInt[] size, SymInt[] stride, *, " LATHE_MADE ") -> Tensor", convertNumbers<0>, Movement},
    {"aten::empty_permuted(SymInt[] size, int[] physical_layout, *, " LATHE_MADE ") -> Tensor", convertNumbers<0>,
     Movement},
    {"aten::full_like(Tensor self, Scalar fill_value, *, " LATHE_LIKE, convertFullLike, Movement},
    {"aten::zeros_like(Tensor self, *, " LATHE_LIKE, convertNumbersLike<0>, Movement},
    {"aten::ones_like(Tensor self, *, " LATHE_LIKE, convertNumbersLike<1>, Movement},
    {"aten::empty_like(Tensor self, *, " LATHE_LIKE, convertNumbersLike<0>, Movement},
    {"aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, " LATHE_MADE ") -> Tensor", convertNewFull,
     Movement},
    {"aten::new_zeros(Tensor self, SymInt[] size, *, " LATHE_MADE ") -> Tensor", convertNewNumbers<0>, Movement},
    {"aten::new_ones(Tensor self, SymInt[] size, *, " LATHE_MADE ") -> Tensor", convertNewNumbers<1>, Movement},
    {"aten::new_empty(Tensor self, SymInt[] size, *, " LATHE_MADE ") -> Tensor", convertNewNumbers<0>, Movement},
    {"aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, " LATHE_MADE ") -> Tensor",
     convertNewNumbers<0>, Movement},
    {"aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", convertFill, Movement},
    {"aten::fill.Tensor(Tensor self, Tensor value) -> Tensor", convertFill, Movement},
    {"aten::zero(Tensor self) -> Tensor", convertZero, Movement},
    {"aten::scalar_tensor(Scalar s, *, " LATHE_MADE ") -> Tensor", convertScalarTensor, Movement},
    {"aten::arange(Scalar end, *, " LATHE_MADE ") -> Tensor", convertArange, Movement},
    {"aten::arange.start(Scalar start, Scalar end, *, " LATHE_MADE ") -> Tensor", convertArangeStart, Movement},
    {"aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, " LATHE_MADE ") -> Tensor", convertArangeStep,
     Movement},
    {"aten::linspace(Scalar start, Scalar end, int steps, *, " LATHE_MADE ") -> Tensor", convertLinspace, Movement},
    {"aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, " LATHE_MADE ") -> Tensor", convertLinspace,
     Movement},
    {"aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, " LATHE_MADE ") -> Tensor", convertLinspace,
     Movement},
    {"aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, " LATHE_MADE ") -> Tensor", convertLinspace,
     Movement},
    {"aten::logspace(Scalar start, Scalar end, int steps, float base=10.0, *, " LATHE_MADE ") -> Tensor",
     convertLogspace, Movement},
    {"aten::logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, *, " LATHE_MADE ") -> Tensor",
     convertLogspace, Movement},
    {"aten::logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, *, " LATHE_MADE ") -> Tensor",
     convertLogspace, Movement},
    {"aten::logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, *, " LATHE_MADE ") -> Tensor",
     convertLogspace, Movement},
    {"aten::eye(SymInt n, *, " LATHE_MADE ") -> Tensor", convertEye, Movement},
    {"aten::eye.m(SymInt n, SymInt m, *, " LATHE_MADE ") -> Tensor", convertEyeM, Movement},
    {"aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", convertTrilu<false>, Movement},
    {"aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", convertTrilu<true>, Movement},
});

#undef LATHE_LIKE
#undef LATHE_MADE

} // namespace

std::span<const Row> rowsOfFills() {
    return fillRows;
}

} // namespace lathe::frontend::torch
