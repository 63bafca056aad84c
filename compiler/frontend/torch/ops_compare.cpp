// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, conditions, bits, and what is chosen by conditions: element by element.
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

// ---- comparisons

template <Op op>
void convertComparison(Call& call, Builder& b) {
    std::vector<Var> of = operandsOf(call, {"self", "other"});
    if (isBool(b, of[0]) && op != Op::Equal && op != Op::NotEqual)
        for (Var& each : of)
            each = cast(b, each, types::UInt8);
    call.give(b.call(op, of));
}

/// Of the type that the operands have; what is no float is neither NaN nor infinite.
void giveTest(Call& call, Builder& b, bool ofIntegers, const Mapping& fn) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    call.give(isFloat(b, x) ? fn(x) : full(b, b.scalar(ofIntegers ? 1 : 0, types::Bool), b.shape(x)));
}
void convertIsnan(Call& call, Builder& b) {
    giveTest(call, b, false, [&](Var x) { return b.call(Op::IsNan, {x}); });
}
template <bool positive, bool negative>
void convertIsinf(Call& call, Builder& b) {
    IsInfAttrs attrs;
    attrs.positive = positive;
    attrs.negative = negative;
    giveTest(call, b, false, [&](Var x) { return b.call(Op::IsInf, {x}, attrs); });
}
void convertIsfinite(Call& call, Builder& b) {
    giveTest(call, b, true, [&](Var x) {
        const Var infinite = b.call(Op::IsInf, {x}, IsInfAttrs{});
        return b.call(Op::LogicalNot, {b.call(Op::LogicalOr, {infinite, b.call(Op::IsNan, {x})})});
    });
}

// ---- conditions and bits

template <Op op>
void convertLogical(Call& call, Builder& b) {
    const Var x = asBool(b, call.tensor("self")), y = asBool(b, call.tensor("other"));
    call.give(b.call(op, {x, y}));
}
void convertLogicalNot(Call& call, Builder& b) {
    call.give(b.call(Op::LogicalNot, {asBool(b, call.tensor("self"))}));
}

template <Op ofIntegers, Op ofBools>
void convertBitwise(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "other"});
    call.give(b.call(isBool(b, of[0]) ? ofBools : ofIntegers, of));
}
void convertBitwiseNot(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    call.give(b.call(isBool(b, x) ? Op::LogicalNot : Op::BitwiseNot, {x}));
}

/// Shifts by as many bits as there are, or more, or by less than none, leave the sign, or nothing.
template <bool left>
void convertShift(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "other"});
    if (call.failed())
        return;
    const DataType dtype = b.dtype(of[0]);
    if (!dtype.isInt())
        return call.fail("only integers have bits that are shifted");
    const Var zero = b.scalarInt(0, dtype), most = b.scalarInt(dtype.bits - 1, dtype);
    const Var isOut = b.call(Op::LogicalOr, {less(b, of[1], zero), b.call(Op::Greater, {of[1], most})});
    const bool isSigned = dtype.isSigned() && !left;
    const Var by = where(b, isOut, isSigned ? most : zero, of[1]);
    const Var shifted = b.call(left ? Op::LeftShift : Op::RightShift, {of[0], by});
    call.give(isSigned ? shifted : where(b, isOut, zero, shifted));
}

// ---- choices

void convertWhere(Call& call, Builder& b) {
    const Var condition = asBool(b, call.tensor("condition"));
    const std::vector<Var> of = operandsOf(call, {"self", "other"});
    call.give(where(b, condition, of[0], of[1]));
}

void convertMaskedFill(Call& call, Builder& b) {
    const Var x = call.tensor("self"), mask = asBool(b, call.tensor("mask"));
    const Operand value = operandOf(call, "value");
    if (!call.failed())
        call.give(where(b, mask, inType(b, value, b.dtype(x)), x));
}

/// x between bounds, either of which may be absent.
void giveClamped(Call& call, Builder& b, const char* low, const char* high) {
    std::vector<Operand> operands = {call.tensor("self")};
    const bool hasLow = low && !call.isNone(low), hasHigh = high && !call.isNone(high);
    if (hasLow)
        operands.push_back(operandOf(call, low));
    if (hasHigh)
        operands.push_back(operandOf(call, high));
    const std::vector<Var> of = promoted(call, operands);
    Var x = of[0];
    if (hasLow)
        x = maximum(b, x, of[1]);
    if (hasHigh)
        x = minimum(b, x, of.back());
    call.give(x);
}
void convertClamp(Call& call, Builder& b) {
    giveClamped(call, b, "min", "max");
}
void convertClampMin(Call& call, Builder& b) {
    giveClamped(call, b, "min", nullptr);
}
void convertClampMax(Call& call, Builder& b) {
    giveClamped(call, b, nullptr, "max");
}

constexpr double largestOf(DataType dtype) {
    return dtype == types::Float64    ? std::numeric_limits<double>::max()
           : dtype == types::Float16  ? 65504
           : dtype == types::BFloat16 ? 0x1.fep127
                                      : std::numeric_limits<float>::max();
}

void convertNanToNum(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (!isFloat(b, x))
        return call.give(x);
    const double largest = largestOf(b.dtype(x));
    const Var nan = scalarLike(b, call.optionalReal("nan").value_or(0), x);
    const Var above = scalarLike(b, call.optionalReal("posinf").value_or(largest), x);
    const Var below = scalarLike(b, call.optionalReal("neginf").value_or(-largest), x);
    const Var finite =
        where(b, b.call(Op::IsInf, {x}, IsInfAttrs{}), where(b, less(b, x, scalarLike(b, 0, x)), below, above), x);
    call.give(where(b, b.call(Op::IsNan, {x}), nan, finite));
}

constexpr auto comparisonRows = std::to_array<Row>({
    {"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor", convertComparison<Op::Equal>, Logic},
    {"aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", convertComparison<Op::Equal>, Logic},
    {"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor", convertComparison<Op::NotEqual>, Logic},
    {"aten::ne.Scalar(Tensor self, Scalar other) -> Tensor", convertComparison<Op::NotEqual>, Logic},
    {"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor", convertComparison<Op::Less>, Logic},
    {"aten::lt.Scalar(Tensor self, Scalar other) -> Tensor", convertComparison<Op::Less>, Logic},
    {"aten::le.Tensor(Tensor self, Tensor other) -> Tensor", convertComparison<Op::LessEqual>, Logic},
    {"aten::le.Scalar(Tensor self, Scalar other) -> Tensor", convertComparison<Op::LessEqual>, Logic},
    {"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor", convertComparison<Op::Greater>, Logic},
    {"aten::gt.Scalar(Tensor self, Scalar other) -> Tensor", convertComparison<Op::Greater>, Logic},
    {"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor", convertComparison<Op::GreaterEqual>, Logic},
    {"aten::ge.Scalar(Tensor self, Scalar other) -> Tensor", convertComparison<Op::GreaterEqual>, Logic},
    {"aten::isnan(Tensor self) -> Tensor", convertIsnan, Logic},
    {"aten::isinf(Tensor self) -> Tensor", convertIsinf<true, true>, Logic},
    {"aten::isposinf(Tensor self) -> Tensor", convertIsinf<true, false>, Logic},
    {"aten::isneginf(Tensor self) -> Tensor", convertIsinf<false, true>, Logic},
    {"aten::isfinite(Tensor self) -> Tensor", convertIsfinite, Logic},
    {"aten::logical_and(Tensor self, Tensor other) -> Tensor", convertLogical<Op::LogicalAnd>, Logic},
    {"aten::logical_or(Tensor self, Tensor other) -> Tensor", convertLogical<Op::LogicalOr>, Logic},
    {"aten::logical_xor(Tensor self, Tensor other) -> Tensor", convertLogical<Op::LogicalXor>, Logic},
    {"aten::logical_not(Tensor self) -> Tensor", convertLogicalNot, Logic},
    {"aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", convertWhere, Arithmetic},
    {"aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", convertWhere, Arithmetic},
    {"aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", convertWhere, Arithmetic},
    {"aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", convertWhere, Arithmetic},
    {"aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", convertMaskedFill, Arithmetic},
    {"aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", convertMaskedFill, Arithmetic},
    {"aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", convertClamp, Arithmetic},
    {"aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", convertClamp, Arithmetic},
    {"aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", convertClamp, Arithmetic},
    {"aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", convertClamp, Arithmetic},
    {"aten::clamp_min(Tensor self, Scalar min) -> Tensor", convertClampMin, Arithmetic},
    {"aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", convertClampMin, Arithmetic},
    {"aten::clamp_max(Tensor self, Scalar max) -> Tensor", convertClampMax, Arithmetic},
    {"aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", convertClampMax, Arithmetic},
    {"aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
     convertNanToNum, Arithmetic},
});

constexpr Convert convertAnd = convertBitwise<Op::BitwiseAnd, Op::LogicalAnd>;
constexpr Convert convertOr = convertBitwise<Op::BitwiseOr, Op::LogicalOr>;
constexpr Convert convertXor = convertBitwise<Op::BitwiseXor, Op::LogicalXor>;

constexpr auto bitRows = std::to_array<Row>({
    {"aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", convertAnd, Arithmetic},
    {"aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor", convertAnd, Arithmetic},
    {"aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", convertAnd, Arithmetic},
    {"aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", convertOr, Arithmetic},
    {"aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor", convertOr, Arithmetic},
    {"aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", convertOr, Arithmetic},
    {"aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", convertXor, Arithmetic},
    {"aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor", convertXor, Arithmetic},
    {"aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", convertXor, Arithmetic},
    {"aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor", convertAnd, Arithmetic},
    {"aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor", convertAnd, Arithmetic},
    {"aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor", convertOr, Arithmetic},
    {"aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor", convertOr, Arithmetic},
    {"aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor", convertXor, Arithmetic},
    {"aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor", convertXor, Arithmetic},
    {"aten::bitwise_not(Tensor self) -> Tensor", convertBitwiseNot, Arithmetic},
    {"aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor", convertShift<true>, Arithmetic},
    {"aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", convertShift<true>, Arithmetic},
    {"aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", convertShift<true>, Arithmetic},
    {"aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor", convertShift<false>, Arithmetic},
    {"aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", convertShift<false>, Arithmetic},
    {"aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", convertShift<false>, Arithmetic},
    {"aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor", convertShift<true>, Arithmetic},
    {"aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor", convertShift<true>, Arithmetic},
    {"aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor", convertShift<false>, Arithmetic},
    {"aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor", convertShift<false>, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfComparisons() {
    return comparisonRows;
}
std::span<const Row> rowsOfBits() {
    return bitRows;
}

} // namespace lathe::frontend::torch
