// SPDX-License-Identifier: Apache-2.0
//
// The converters of TFLite's operators, by the files that they lie in.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::tflite {

// ---- ops_activation.cpp
void convertElu(NodeReader& node, Builder& b);
void convertGelu(NodeReader& node, Builder& b);
void convertHardSwish(NodeReader& node, Builder& b);
void convertLeakyRelu(NodeReader& node, Builder& b);
void convertLogSoftmax(NodeReader& node, Builder& b);
void convertLogistic(NodeReader& node, Builder& b);
void convertPrelu(NodeReader& node, Builder& b);
void convertRelu(NodeReader& node, Builder& b);
void convertRelu0To1(NodeReader& node, Builder& b);
void convertRelu6(NodeReader& node, Builder& b);
void convertReluN1To1(NodeReader& node, Builder& b);
void convertSoftmax(NodeReader& node, Builder& b);
void convertTanh(NodeReader& node, Builder& b);

// ---- ops_compare.cpp
void convertBitwiseXor(NodeReader& node, Builder& b);
void convertEqual(NodeReader& node, Builder& b);
void convertGreater(NodeReader& node, Builder& b);
void convertGreaterEqual(NodeReader& node, Builder& b);
void convertLess(NodeReader& node, Builder& b);
void convertLessEqual(NodeReader& node, Builder& b);
void convertLogicalAnd(NodeReader& node, Builder& b);
void convertLogicalNot(NodeReader& node, Builder& b);
void convertLogicalOr(NodeReader& node, Builder& b);
void convertNotEqual(NodeReader& node, Builder& b);
void convertRightShift(NodeReader& node, Builder& b);
void convertSelect(NodeReader& node, Builder& b);
void convertSelectV2(NodeReader& node, Builder& b);

// ---- ops_conv.cpp
void convertConv2d(NodeReader& node, Builder& b);
void convertConv3d(NodeReader& node, Builder& b);
void convertDepthwiseConv2d(NodeReader& node, Builder& b);

// ---- ops_elementwise.cpp
void convertAbs(NodeReader& node, Builder& b);
void convertAdd(NodeReader& node, Builder& b);
void convertAddN(NodeReader& node, Builder& b);
void convertAtan2(NodeReader& node, Builder& b);
void convertCast(NodeReader& node, Builder& b);
void convertCeil(NodeReader& node, Builder& b);
void convertCos(NodeReader& node, Builder& b);
void convertDiv(NodeReader& node, Builder& b);
void convertExp(NodeReader& node, Builder& b);
void convertFloor(NodeReader& node, Builder& b);
void convertFloorDiv(NodeReader& node, Builder& b);
void convertFloorMod(NodeReader& node, Builder& b);
void convertLog(NodeReader& node, Builder& b);
void convertMaximum(NodeReader& node, Builder& b);
void convertMinimum(NodeReader& node, Builder& b);
void convertMul(NodeReader& node, Builder& b);
void convertNeg(NodeReader& node, Builder& b);
void convertPow(NodeReader& node, Builder& b);
void convertRound(NodeReader& node, Builder& b);
void convertRsqrt(NodeReader& node, Builder& b);
void convertSign(NodeReader& node, Builder& b);
void convertSin(NodeReader& node, Builder& b);
void convertSqrt(NodeReader& node, Builder& b);
void convertSquare(NodeReader& node, Builder& b);
void convertSquaredDifference(NodeReader& node, Builder& b);
void convertSub(NodeReader& node, Builder& b);

// ---- ops_image.cpp
void convertResizeBilinear(NodeReader& node, Builder& b);
void convertResizeNearestNeighbor(NodeReader& node, Builder& b);

// ---- ops_linear.cpp
void convertBatchMatmul(NodeReader& node, Builder& b);
void convertFullyConnected(NodeReader& node, Builder& b);

// ---- ops_norm.cpp
void convertL2Normalization(NodeReader& node, Builder& b);
void convertLocalResponseNormalization(NodeReader& node, Builder& b);

// ---- ops_pool.cpp
void convertAveragePool2d(NodeReader& node, Builder& b);
void convertL2Pool2d(NodeReader& node, Builder& b);
void convertMaxPool2d(NodeReader& node, Builder& b);

// ---- ops_quant.cpp
void convertDensify(NodeReader& node, Builder& b);
void convertDequantize(NodeReader& node, Builder& b);
void convertFakeQuant(NodeReader& node, Builder& b);
void convertQuantize(NodeReader& node, Builder& b);

// ---- ops_reduce.cpp
void convertArgMax(NodeReader& node, Builder& b);
void convertArgMin(NodeReader& node, Builder& b);
void convertCumsum(NodeReader& node, Builder& b);
void convertMean(NodeReader& node, Builder& b);
void convertReduceAll(NodeReader& node, Builder& b);
void convertReduceAny(NodeReader& node, Builder& b);
void convertReduceMax(NodeReader& node, Builder& b);
void convertReduceMin(NodeReader& node, Builder& b);
void convertReduceProd(NodeReader& node, Builder& b);
void convertSum(NodeReader& node, Builder& b);

// ---- ops_stablehlo_elementwise.cpp
void convertStablehloAbs(NodeReader& node, Builder& b);
void convertStablehloAdd(NodeReader& node, Builder& b);
void convertStablehloAnd(NodeReader& node, Builder& b);
void convertStablehloCbrt(NodeReader& node, Builder& b);
void convertStablehloClamp(NodeReader& node, Builder& b);
void convertStablehloCompare(NodeReader& node, Builder& b);
void convertStablehloConvert(NodeReader& node, Builder& b);
void convertStablehloCosine(NodeReader& node, Builder& b);
void convertStablehloDivide(NodeReader& node, Builder& b);
void convertStablehloExponential(NodeReader& node, Builder& b);
void convertStablehloFloor(NodeReader& node, Builder& b);
void convertStablehloIota(NodeReader& node, Builder& b);
void convertStablehloLog(NodeReader& node, Builder& b);
void convertStablehloLogistic(NodeReader& node, Builder& b);
void convertStablehloMaximum(NodeReader& node, Builder& b);
void convertStablehloMinimum(NodeReader& node, Builder& b);
void convertStablehloMultiply(NodeReader& node, Builder& b);
void convertStablehloNegate(NodeReader& node, Builder& b);
void convertStablehloOr(NodeReader& node, Builder& b);
void convertStablehloPower(NodeReader& node, Builder& b);
void convertStablehloRemainder(NodeReader& node, Builder& b);
void convertStablehloRsqrt(NodeReader& node, Builder& b);
void convertStablehloSelect(NodeReader& node, Builder& b);
void convertStablehloShiftLeft(NodeReader& node, Builder& b);
void convertStablehloSubtract(NodeReader& node, Builder& b);
void convertStablehloTanh(NodeReader& node, Builder& b);

// ---- ops_transposed_conv.cpp
void convertConv3dTranspose(NodeReader& node, Builder& b);
void convertConvolution2DTransposeBias(NodeReader& node, Builder& b);
void convertTransposeConv(NodeReader& node, Builder& b);

// ---- ops_unpool.cpp
void convertMaxPoolingWithArgmax2D(NodeReader& node, Builder& b);
void convertMaxUnpooling2D(NodeReader& node, Builder& b);

} // namespace lathe::frontend::tflite
