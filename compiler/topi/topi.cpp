// SPDX-License-Identifier: Apache-2.0
//
// Which operator is computed by what: one table, a row an operator, in the order of the enumeration.
#include "topi/topi.h"

#include "topi/families.h"

#include <array>

namespace lathe::topi {

using relay::Op;

namespace {

/// Exactly one of the functions is set; none for structural operators.
struct Row {
    Op op;
    Form form;
    Tensors (*te)(const CallContext&) = nullptr;
    tir::PrimFuncPtr (*kernel)(const std::string&, const CallContext&) = nullptr;
    DynamicKernel (*dynamic)(const std::string&, const CallContext&) = nullptr;
};

constexpr Row te(Op op, Tensors (*fn)(const CallContext&)) {
    return {op, Form::TensorExpression, fn, nullptr, nullptr};
}
constexpr Row kernel(Op op, tir::PrimFuncPtr (*fn)(const std::string&, const CallContext&)) {
    return {op, Form::Kernel, nullptr, fn, nullptr};
}
constexpr Row dynamic(Op op, DynamicKernel (*fn)(const std::string&, const CallContext&)) {
    return {op, Form::Dynamic, nullptr, nullptr, fn};
}

constexpr std::array<Row, static_cast<size_t>(Op::Count_)> rows = {{
    te(Op::Negative, computeUnary),
    te(Op::Abs, computeUnary),
    te(Op::Sign, computeUnary),
    te(Op::Floor, computeUnary),
    te(Op::Ceil, computeUnary),
    te(Op::Round, computeUnary),
    te(Op::Sqrt, computeUnary),
    te(Op::Exp, computeUnary),
    te(Op::Log, computeUnary),
    te(Op::Sin, computeUnary),
    te(Op::Cos, computeUnary),
    te(Op::Tan, computeUnary),
    te(Op::Asin, computeUnary),
    te(Op::Acos, computeUnary),
    te(Op::Atan, computeUnary),
    te(Op::Sinh, computeUnary),
    te(Op::Cosh, computeUnary),
    te(Op::Tanh, computeUnary),
    te(Op::Asinh, computeUnary),
    te(Op::Acosh, computeUnary),
    te(Op::Atanh, computeUnary),
    te(Op::Erf, computeUnary),
    te(Op::Sigmoid, computeUnary),
    te(Op::Reciprocal, computeUnary),
    te(Op::Relu, computeUnary),
    te(Op::LogicalNot, computeUnary),
    te(Op::BitwiseNot, computeUnary),
    te(Op::IsNan, computeUnary),
    te(Op::IsInf, computeUnary),
    te(Op::Cast, computeCast),
    te(Op::BitCast, computeBitCast),
    te(Op::Copy, computeCopy),
    te(Op::Add, computeBinary),
    te(Op::Subtract, computeBinary),
    te(Op::Multiply, computeBinary),
    te(Op::Divide, computeBinary),
    te(Op::Mod, computeBinary),
    te(Op::Power, computeBinary),
    te(Op::Maximum, computeBinary),
    te(Op::Minimum, computeBinary),
    te(Op::Equal, computeBinary),
    te(Op::NotEqual, computeBinary),
    te(Op::Less, computeBinary),
    te(Op::LessEqual, computeBinary),
    te(Op::Greater, computeBinary),
    te(Op::GreaterEqual, computeBinary),
    te(Op::LogicalAnd, computeBinary),
    te(Op::LogicalOr, computeBinary),
    te(Op::LogicalXor, computeBinary),
    te(Op::BitwiseAnd, computeBinary),
    te(Op::BitwiseOr, computeBinary),
    te(Op::BitwiseXor, computeBinary),
    te(Op::LeftShift, computeBinary),
    te(Op::RightShift, computeBinary),
    te(Op::Where, computeWhere),
    te(Op::ShapeOf, computeShapeOf),
    te(Op::Reshape, computeReshape),
    te(Op::Transpose, computeTranspose),
    te(Op::BroadcastTo, computeBroadcastTo),
    te(Op::Concat, computeConcat),
    te(Op::Slice, computeSlice),
    dynamic(Op::DynamicSlice, buildDynamicSlice),
    te(Op::Pad, computePad),
    te(Op::Tile, computeTile),
    te(Op::Gather, computeGather),
    te(Op::GatherElements, computeGatherElements),
    te(Op::GatherNd, computeGatherNd),
    kernel(Op::ScatterElements, buildScatterElements),
    kernel(Op::ScatterNd, buildScatterNd),
    {Op::Range, Form::Dynamic, computeRange, nullptr, buildRange},
    te(Op::Iota, computeIota),
    te(Op::Full, computeFull),
    te(Op::OneHot, computeOneHot),
    te(Op::Trilu, computeTrilu),
    te(Op::ReverseSequence, computeReverseSequence),
    te(Op::Reverse, computeReverse),
    te(Op::Relayout, computeCopy),
    te(Op::Reduce, computeReduce),
    te(Op::ArgReduce, computeArgReduce),
    kernel(Op::CumSum, buildCumSum),
    te(Op::Softmax, computeSoftmax),
    te(Op::LogSoftmax, computeSoftmax),
    te(Op::LayerNorm, computeLayerNorm),
    te(Op::BatchNorm, computeBatchNorm),
    te(Op::Dropout, computeCopy),
    kernel(Op::TopK, buildTopK),
    dynamic(Op::Unique, buildUnique),
    dynamic(Op::NonZero, buildNonZero),
    dynamic(Op::Compress, buildCompress),
    dynamic(Op::DecodeImage, buildDecodeImage),
    dynamic(Op::NonMaxSuppression, buildNonMaxSuppression),
    te(Op::MatMul, computeMatMul),
    te(Op::Conv, computeConv),
    te(Op::WinogradWeights, computeWinogradWeights),
    te(Op::WinogradConv, computeWinogradConv),
    te(Op::MaxPool, computeMaxPool),
    te(Op::MaxPoolWithIndex, computeMaxPoolWithIndex),
    te(Op::AvgPool, computeAvgPool),
    te(Op::Einsum, computeEinsum),
    te(Op::Resize, computeResize),
    te(Op::GridSample, computeGridSample),
    kernel(Op::RoiAlign, buildRoiAlign),
    te(Op::DepthToSpace, computeDepthToSpace),
    te(Op::SpaceToDepth, computeSpaceToDepth),
    kernel(Op::Det, buildDet),
    te(Op::Dft, computeDft),
    kernel(Op::TreeEnsemble, buildTreeEnsemble),
    te(Op::RandomUniform, computeRandomUniform),
    kernel(Op::StringConcat, buildStringConcat),
    kernel(Op::StringCase, buildStringCase),
    dynamic(Op::StringSplit, buildStringSplit),
    kernel(Op::RegexFullMatch, buildRegexFullMatch),
    kernel(Op::FormatNumber, buildFormatNumber),
    kernel(Op::ParseNumber, buildParseNumber),
    kernel(Op::IndexOf, buildIndexOf),
    {Op::BindSymbols, Form::Structural},
    {Op::Assume, Form::Structural},
    {Op::ListLength, Form::Structural},
    {Op::ListGet, Form::Structural},
    {Op::ListInsert, Form::Structural},
    {Op::ListErase, Form::Structural},
    {Op::ListConcat, Form::Structural},
    {Op::ListStack, Form::Structural},
}};

constexpr bool complete() {
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].op != static_cast<Op>(i))
            return false;
    return true;
}
static_assert(complete(), "every operator has its row, in the order of the enumeration");

const Row& rowOf(Op op) {
    return rows.at(static_cast<size_t>(op));
}

} // namespace

Form formOf(Op op, const relay::AttrsPtr&, const std::vector<const relay::TensorType*>&, bool definesSymbols) {
    const Row& row = rowOf(op);
    return row.form == Form::Dynamic && row.te && !definesSymbols ? Form::TensorExpression : row.form;
}

std::vector<te::TensorPtr> computeTe(const CallContext& call) {
    const Row& row = rowOf(call.op);
    LATHE_ASSERT(row.te, "the operator is not a tensor expression: " + std::string(relay::info(call.op).name));
    return row.te(call);
}

tir::PrimFuncPtr buildKernel(const std::string& name, const CallContext& call) {
    const Row& row = rowOf(call.op);
    LATHE_ASSERT(row.kernel, "the operator has no kernel: " + std::string(relay::info(call.op).name));
    return row.kernel(name, call);
}

DynamicKernel buildDynamic(const std::string& name, const CallContext& call) {
    const Row& row = rowOf(call.op);
    LATHE_ASSERT(row.dynamic, "the operator has no dynamic kernel: " + std::string(relay::info(call.op).name));
    return row.dynamic(name, call);
}

std::vector<arith::Var> symbolsOf(const std::vector<std::vector<arith::Expr>>& shapes) {
    arith::VarCollector symbols;
    for (const auto& shape : shapes)
        for (const arith::Expr& dim : shape)
            symbols.add(dim);
    return symbols.vars();
}

} // namespace lathe::topi
