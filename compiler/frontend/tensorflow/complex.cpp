// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/complex.h"

#include "frontend/common/arithmetic.h"
#include "frontend/common/broadcast.h"
#include "frontend/common/emit.h"
#include "frontend/tensorflow/ops.h"
#include "frontend/tensorflow/table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace lathe::frontend::tensorflow {
namespace {

struct Complex {
    Var re, im;
};

Complex complexOperand(NodeReader& node, size_t i) {
    const Var pairs = node.in(i);
    return {partOf(node.b, pairs, 0), partOf(node.b, pairs, 1)};
}

void giveComplex(NodeReader& node, const Complex& z) {
    node.set(0, joined(node.b, z.re, z.im));
}

Complex productOf(Builder& b, const Complex& x, const Complex& y) {
    return {sub(b, mul(b, x.re, y.re), mul(b, x.im, y.im)), add(b, mul(b, x.re, y.im), mul(b, x.im, y.re))};
}

/// Each part through the operator's own converter, as if numbers were real.
void convertParts(NodeReader& node, Builder& b) {
    const ConvertFn convert = findRow(node.node.op)->convert;
    std::array<std::vector<std::optional<Value>>, 2> parts;
    for (int64_t part = 0; part < 2 && !b.failed(); ++part) {
        Scope names;
        names.outer = &node.scope;
        for (size_t i = 0; i < node.inputs(); ++i) {
            const Value* value = node.value(i);
            if (value && value->var && b.isTensor(value->var) && b.dtype(value->var).isFloat())
                names.values[node.node.inputs[i]].var = partOf(b, value->var, part);
        }
        NodeReader reader(node.node, node.walk, names, b);
        convert(reader, b);
        parts[static_cast<size_t>(part)] = std::move(reader.results);
    }
    for (size_t i = 0; i < node.outputs() && !b.failed(); ++i)
        if (parts[0][i] && parts[1][i])
            node.set(i, joined(b, parts[0][i]->var, parts[1][i]->var));
}

void convertComplexMul(NodeReader& node, Builder& b) {
    const Complex x = complexOperand(node, 0), y = complexOperand(node, 1);
    giveComplex(node, productOf(b, x, y));
}

void convertComplexSquare(NodeReader& node, Builder& b) {
    const Complex x = complexOperand(node, 0);
    giveComplex(node, productOf(b, x, x));
}

/// x / y = x · conj(y) / |y|².
void convertComplexDiv(NodeReader& node, Builder& b) {
    const Complex x = complexOperand(node, 0), y = complexOperand(node, 1);
    const Complex above = productOf(b, x, {y.re, mulBy(b, y.im, -1)});
    const Var below = add(b, mul(b, y.re, y.re), mul(b, y.im, y.im));
    giveComplex(node, {div(b, above.re, below), div(b, above.im, below)});
}

void convertComplexConj(NodeReader& node, Builder& b) {
    const Complex x = complexOperand(node, 0);
    giveComplex(node, {x.re, mulBy(b, x.im, -1)});
}

/// e^(a + bi) = e^a (cos b + i sin b).
void convertComplexExp(NodeReader& node, Builder& b) {
    const Complex x = complexOperand(node, 0);
    const Var size = b.call(Op::Exp, {x.re});
    giveComplex(node, {mul(b, size, b.call(Op::Cos, {x.im})), mul(b, size, b.call(Op::Sin, {x.im}))});
}

void convertComplexAngle(NodeReader& node, Builder& b) {
    const Complex x = complexOperand(node, 0);
    node.set(0, angle(b, x.im, x.re));
}

/// adj_x and adj_y are conjugates too; transpose_a and transpose_b are not.
void convertComplexProduct(NodeReader& node, Builder& b) {
    const bool isBatch = node.has("adj_x") || node.has("adj_y");
    const bool left = node.integer(isBatch ? "adj_x" : "transpose_a", 0) != 0;
    const bool right = node.integer(isBatch ? "adj_y" : "transpose_b", 0) != 0;
    Complex x = complexOperand(node, 0), y = complexOperand(node, 1);
    if (isBatch && left)
        x.im = mulBy(b, x.im, -1);
    if (isBatch && right)
        y.im = mulBy(b, y.im, -1);
    const auto times = [&](Var p, Var q) { return matmul(b, p, q, left, right); };
    giveComplex(node, {sub(b, times(x.re, y.re), times(x.im, y.im)), add(b, times(x.re, y.im), times(x.im, y.re))});
}

std::string typeWord(const model::Node& node, std::string_view attribute) {
    const auto found = std::ranges::find(node.attributes, attribute, &model::Attribute::name);
    const auto* text = found == node.attributes.end() ? nullptr : std::get_if<std::string>(&found->value);
    return text ? *text : std::string();
}

bool isComplexWord(const std::string& word) {
    return word.starts_with("DT_COMPLEX");
}

/// From real numbers and to them: the imaginary part is 0, and left out.
void convertComplexCast(NodeReader& node, Builder& b) {
    const std::string from = typeWord(node.node, "SrcT"), to = typeWord(node.node, "DstT");
    const auto real = [&](Var x) { return cast(b, x, to == "DT_COMPLEX128" ? types::Float64 : types::Float32); };
    if (!isComplexWord(from)) {
        const Var x = real(node.in(0));
        return giveComplex(node, {x, scalarLike(b, 0, x)});
    }
    if (isComplexWord(to)) {
        const Complex x = complexOperand(node, 0);
        return giveComplex(node, {real(x.re), real(x.im)});
    }
    Scope names;
    names.outer = &node.scope;
    names.values[node.node.inputs.at(0)].var = partOf(b, node.in(0), 0);
    NodeReader reader(node.node, node.walk, names, b);
    convertCast(reader, b);
    node.results = std::move(reader.results);
}

struct ComplexRow {
    std::string_view name;
    ConvertFn convert;
};

constexpr auto complexRows = std::to_array<ComplexRow>({
    {"Add", convertParts},
    {"AddN", convertParts},
    {"AddV2", convertParts},
    {"Angle", convertComplexAngle},
    {"BatchMatMul", convertComplexProduct},
    {"BatchMatMulV2", convertComplexProduct},
    {"BatchMatMulV3", convertComplexProduct},
    {"BroadcastTo", convertParts},
    {"Cast", convertComplexCast},
    {"ConcatV2", convertParts},
    {"Conj", convertComplexConj},
    {"Div", convertComplexDiv},
    {"Exp", convertComplexExp},
    {"ExpandDims", convertParts},
    {"Fill", convertParts},
    {"GatherNd", convertParts},
    {"GatherV2", convertParts},
    {"Identity", convertParts},
    {"MatMul", convertComplexProduct},
    {"Mean", convertParts},
    {"MirrorPad", convertParts},
    {"Mul", convertComplexMul},
    {"Neg", convertParts},
    {"Pack", convertParts},
    {"Pad", convertParts},
    {"PadV2", convertParts},
    {"RealDiv", convertComplexDiv},
    {"Reshape", convertParts},
    {"ReverseV2", convertParts},
    {"Select", convertParts},
    {"SelectV2", convertParts},
    {"Slice", convertParts},
    {"Split", convertParts},
    {"SplitV", convertParts},
    {"Square", convertComplexSquare},
    {"Squeeze", convertParts},
    {"StopGradient", convertParts},
    {"StridedSlice", convertParts},
    {"Sub", convertParts},
    {"Sum", convertParts},
    {"Tile", convertParts},
    {"Transpose", convertParts},
    {"Unpack", convertParts},
    {"ZerosLike", convertParts},
});
static_assert(std::ranges::is_sorted(complexRows, {}, &ComplexRow::name));

/// Whose attributes are of complex numbers too, and whose converters know.
constexpr auto ofParts = std::to_array<std::string_view>(
    {"Complex", "ComplexAbs", "FFT", "FFT2D", "IFFT", "IFFT2D", "IRFFT", "Imag", "RFFT", "RFFT2D", "Real"});
static_assert(std::ranges::is_sorted(ofParts));

} // namespace

bool isComplex(const model::Node& node) {
    if (std::ranges::binary_search(ofParts, std::string_view(node.op)))
        return false;
    constexpr auto words = std::to_array<std::string_view>({"T", "Tparams", "SrcT", "DstT"});
    return std::ranges::any_of(words, [&](std::string_view word) { return isComplexWord(typeWord(node, word)); });
}

ConvertFn complexConverterOf(std::string_view op) {
    const auto found = std::ranges::lower_bound(complexRows, op, {}, &ComplexRow::name);
    return found != complexRows.end() && found->name == op ? found->convert : nullptr;
}

bool isPairs(Builder& b, Var x) {
    if (!b.failed() && (b.rank(x) == 0 || !b.dtype(x).isFloat() || !arith::isConst(dim(b, x, -1), 2)))
        b.fail("complex numbers are supported only where they come from constants, transforms or real numbers",
               "let the model take and give real numbers", ErrorKind::Unsupported);
    return !b.failed();
}

Var partOf(Builder& b, Var pairs, int64_t part) {
    if (!isPairs(b, pairs))
        return {};
    const int64_t last = b.rank(pairs) - 1;
    return squeeze(b, sliceAxis(b, pairs, last, part, 1), {last});
}

Var joined(Builder& b, Var real, Var imaginary) {
    const std::vector<Var> parts = broadcastTogether(b, {real, imaginary});
    if (b.failed())
        return {};
    const int64_t rank = b.rank(parts[0]);
    return concat(b, {unsqueeze(b, parts[0], {rank}), unsqueeze(b, parts[1], {rank})}, rank);
}

} // namespace lathe::frontend::tensorflow
