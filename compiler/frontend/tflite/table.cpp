// SPDX-License-Identifier: Apache-2.0
//
// One row an operator, sorted by domain and name.
#include "frontend/tflite/table.h"

#include "frontend/tflite/ops.h"
#include "frontend/tflite/option_tables.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::tflite {
namespace {

using enum model::Family;

constexpr std::string_view builtin;

constexpr auto table = std::to_array<Row>({
    {builtin, "ABS", convertAbs, Arithmetic},
    {builtin, "ADD", convertAdd, Arithmetic},
    {builtin, "ADD_N", convertAddN, Arithmetic},
    {builtin, "ARG_MAX", convertArgMax, Reduction},
    {builtin, "ARG_MIN", convertArgMin, Reduction},
    {builtin, "ATAN2", convertAtan2, Arithmetic},
    {builtin, "AVERAGE_POOL_2D", convertAveragePool2d, Reduction},
    {builtin, "BATCH_MATMUL", convertBatchMatmul, Product},
    {builtin, "BITWISE_XOR", convertBitwiseXor, Arithmetic},
    {builtin, "CAST", convertCast, Conversion},
    {builtin, "CEIL", convertCeil, Arithmetic},
    {builtin, "CONV_2D", convertConv2d, Product},
    {builtin, "CONV_3D", convertConv3d, Product},
    {builtin, "CONV_3D_TRANSPOSE", convertConv3dTranspose, Product},
    {builtin, "COS", convertCos, Arithmetic},
    {builtin, "CUMSUM", convertCumsum, Reduction},
    {builtin, "DENSIFY", convertDensify, Movement},
    {builtin, "DEPTHWISE_CONV_2D", convertDepthwiseConv2d, Product},
    {builtin, "DEQUANTIZE", convertDequantize, Dequantization},
    {builtin, "DIV", convertDiv, Arithmetic},
    {builtin, "ELU", convertElu, Activation},
    {builtin, "EQUAL", convertEqual, Logic},
    {builtin, "EXP", convertExp, Arithmetic},
    {builtin, "FAKE_QUANT", convertFakeQuant, Quantization},
    {builtin, "FLOOR", convertFloor, Arithmetic},
    {builtin, "FLOOR_DIV", convertFloorDiv, Arithmetic},
    {builtin, "FLOOR_MOD", convertFloorMod, Arithmetic},
    {builtin, "FULLY_CONNECTED", convertFullyConnected, Product},
    {builtin, "GELU", convertGelu, Activation},
    {builtin, "GREATER", convertGreater, Logic},
    {builtin, "GREATER_EQUAL", convertGreaterEqual, Logic},
    {builtin, "HARD_SWISH", convertHardSwish, Activation},
    {builtin, "L2_NORMALIZATION", convertL2Normalization, Normalization},
    {builtin, "L2_POOL_2D", convertL2Pool2d, Reduction},
    {builtin, "LEAKY_RELU", convertLeakyRelu, Activation},
    {builtin, "LESS", convertLess, Logic},
    {builtin, "LESS_EQUAL", convertLessEqual, Logic},
    {builtin, "LOCAL_RESPONSE_NORMALIZATION", convertLocalResponseNormalization, Normalization},
    {builtin, "LOG", convertLog, Arithmetic},
    {builtin, "LOGICAL_AND", convertLogicalAnd, Logic},
    {builtin, "LOGICAL_NOT", convertLogicalNot, Logic},
    {builtin, "LOGICAL_OR", convertLogicalOr, Logic},
    {builtin, "LOGISTIC", convertLogistic, Activation},
    {builtin, "LOG_SOFTMAX", convertLogSoftmax, Activation},
    {builtin, "MAXIMUM", convertMaximum, Arithmetic},
    {builtin, "MAX_POOL_2D", convertMaxPool2d, Reduction},
    {builtin, "MEAN", convertMean, Reduction},
    {builtin, "MINIMUM", convertMinimum, Arithmetic},
    {builtin, "MUL", convertMul, Arithmetic},
    {builtin, "NEG", convertNeg, Arithmetic},
    {builtin, "NOT_EQUAL", convertNotEqual, Logic},
    {builtin, "POW", convertPow, Arithmetic},
    {builtin, "PRELU", convertPrelu, Activation},
    {builtin, "QUANTIZE", convertQuantize, Quantization},
    {builtin, "REDUCE_ALL", convertReduceAll, Reduction},
    {builtin, "REDUCE_ANY", convertReduceAny, Reduction},
    {builtin, "REDUCE_MAX", convertReduceMax, Reduction},
    {builtin, "REDUCE_MIN", convertReduceMin, Reduction},
    {builtin, "REDUCE_PROD", convertReduceProd, Reduction},
    {builtin, "RELU", convertRelu, Activation},
    {builtin, "RELU6", convertRelu6, Activation},
    {builtin, "RELU_0_TO_1", convertRelu0To1, Activation},
    {builtin, "RELU_N1_TO_1", convertReluN1To1, Activation},
    {builtin, "RESIZE_BILINEAR", convertResizeBilinear, Other},
    {builtin, "RESIZE_NEAREST_NEIGHBOR", convertResizeNearestNeighbor, Other},
    {builtin, "RIGHT_SHIFT", convertRightShift, Arithmetic},
    {builtin, "ROUND", convertRound, Arithmetic},
    {builtin, "RSQRT", convertRsqrt, Arithmetic},
    {builtin, "SELECT", convertSelect, Arithmetic},
    {builtin, "SELECT_V2", convertSelectV2, Arithmetic},
    {builtin, "SIGN", convertSign, Arithmetic},
    {builtin, "SIN", convertSin, Arithmetic},
    {builtin, "SOFTMAX", convertSoftmax, Activation},
    {builtin, "SQRT", convertSqrt, Arithmetic},
    {builtin, "SQUARE", convertSquare, Arithmetic},
    {builtin, "SQUARED_DIFFERENCE", convertSquaredDifference, Arithmetic},
    {builtin, "STABLEHLO_ABS", convertStablehloAbs, Arithmetic},
    {builtin, "STABLEHLO_ADD", convertStablehloAdd, Arithmetic},
    {builtin, "STABLEHLO_AND", convertStablehloAnd, Arithmetic},
    {builtin, "STABLEHLO_CBRT", convertStablehloCbrt, Arithmetic},
    {builtin, "STABLEHLO_CLAMP", convertStablehloClamp, Activation},
    {builtin, "STABLEHLO_COMPARE", convertStablehloCompare, Logic},
    {builtin, "STABLEHLO_CONVERT", convertStablehloConvert, Conversion},
    {builtin, "STABLEHLO_COSINE", convertStablehloCosine, Arithmetic},
    {builtin, "STABLEHLO_DIVIDE", convertStablehloDivide, Arithmetic},
    {builtin, "STABLEHLO_EXPONENTIAL", convertStablehloExponential, Arithmetic},
    {builtin, "STABLEHLO_FLOOR", convertStablehloFloor, Arithmetic},
    {builtin, "STABLEHLO_IOTA", convertStablehloIota, Movement},
    {builtin, "STABLEHLO_LOG", convertStablehloLog, Arithmetic},
    {builtin, "STABLEHLO_LOGISTIC", convertStablehloLogistic, Activation},
    {builtin, "STABLEHLO_MAXIMUM", convertStablehloMaximum, Arithmetic},
    {builtin, "STABLEHLO_MINIMUM", convertStablehloMinimum, Arithmetic},
    {builtin, "STABLEHLO_MULTIPLY", convertStablehloMultiply, Arithmetic},
    {builtin, "STABLEHLO_NEGATE", convertStablehloNegate, Arithmetic},
    {builtin, "STABLEHLO_OR", convertStablehloOr, Arithmetic},
    {builtin, "STABLEHLO_POWER", convertStablehloPower, Arithmetic},
    {builtin, "STABLEHLO_REMAINDER", convertStablehloRemainder, Arithmetic},
    {builtin, "STABLEHLO_RSQRT", convertStablehloRsqrt, Arithmetic},
    {builtin, "STABLEHLO_SELECT", convertStablehloSelect, Arithmetic},
    {builtin, "STABLEHLO_SHIFT_LEFT", convertStablehloShiftLeft, Arithmetic},
    {builtin, "STABLEHLO_SUBTRACT", convertStablehloSubtract, Arithmetic},
    {builtin, "STABLEHLO_TANH", convertStablehloTanh, Activation},
    {builtin, "SUB", convertSub, Arithmetic},
    {builtin, "SUM", convertSum, Reduction},
    {builtin, "TANH", convertTanh, Activation},
    {builtin, "TRANSPOSE_CONV", convertTransposeConv, Product},
    {customDomain, "Convolution2DTransposeBias", convertConvolution2DTransposeBias, Product},
    {customDomain, "MaxPoolingWithArgmax2D", convertMaxPoolingWithArgmax2D, Reduction},
    {customDomain, "MaxUnpooling2D", convertMaxUnpooling2D, Movement},
});

using Key = std::pair<std::string_view, std::string_view>;
constexpr auto keyOf = [](const Row& row) { return Key{row.domain, row.name}; };
static_assert(std::ranges::is_sorted(table, {}, keyOf));

} // namespace

const Row* findRow(std::string_view domain, std::string_view name) {
    const auto found = std::ranges::lower_bound(table, Key{domain, name}, {}, keyOf);
    return found != table.end() && keyOf(*found) == Key{domain, name} ? &*found : nullptr;
}

} // namespace lathe::frontend::tflite
