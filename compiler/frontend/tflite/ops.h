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

// ---- ops_blocks.cpp
void convertBatchToSpaceNd(NodeReader& node, Builder& b);
void convertDepthToSpace(NodeReader& node, Builder& b);
void convertSpaceToBatchNd(NodeReader& node, Builder& b);
void convertSpaceToDepth(NodeReader& node, Builder& b);

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

// ---- ops_control.cpp
void convertCall(NodeReader& node, Builder& b);
void convertIf(NodeReader& node, Builder& b);
void convertStablehloCase(NodeReader& node, Builder& b);
void convertStablehloComposite(NodeReader& node, Builder& b);
void convertStablehloWhile(NodeReader& node, Builder& b);
void convertWhile(NodeReader& node, Builder& b);

// ---- ops_conv.cpp
void convertConv2d(NodeReader& node, Builder& b);
void convertConv3d(NodeReader& node, Builder& b);
void convertDepthwiseConv2d(NodeReader& node, Builder& b);

// ---- ops_detection.cpp
void convertNonMaxSuppressionV4(NodeReader& node, Builder& b);
void convertNonMaxSuppressionV5(NodeReader& node, Builder& b);
void convertTFLiteDetectionPostProcess(NodeReader& node, Builder& b);

// ---- ops_diagonal.cpp
void convertMatrixDiag(NodeReader& node, Builder& b);
void convertMatrixSetDiag(NodeReader& node, Builder& b);

// ---- ops_elementwise.cpp
void convertAbs(NodeReader& node, Builder& b);
void convertAdd(NodeReader& node, Builder& b);
void convertAddN(NodeReader& node, Builder& b);
void convertAtan2(NodeReader& node, Builder& b);
void convertBitcast(NodeReader& node, Builder& b);
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

// ---- ops_index.cpp
void convertBucketize(NodeReader& node, Builder& b);
void convertEmbeddingLookup(NodeReader& node, Builder& b);
void convertGather(NodeReader& node, Builder& b);
void convertGatherNd(NodeReader& node, Builder& b);
void convertOneHot(NodeReader& node, Builder& b);
void convertScatterNd(NodeReader& node, Builder& b);
void convertSparseToDense(NodeReader& node, Builder& b);
void convertTopkV2(NodeReader& node, Builder& b);
void convertUnique(NodeReader& node, Builder& b);
void convertWhere(NodeReader& node, Builder& b);

// ---- ops_linear.cpp
void convertBatchMatmul(NodeReader& node, Builder& b);
void convertFullyConnected(NodeReader& node, Builder& b);

// ---- ops_movement.cpp
void convertConcatenation(NodeReader& node, Builder& b);
void convertPack(NodeReader& node, Builder& b);
void convertReverseSequence(NodeReader& node, Builder& b);
void convertReverseV2(NodeReader& node, Builder& b);
void convertSplit(NodeReader& node, Builder& b);
void convertSplitV(NodeReader& node, Builder& b);
void convertTile(NodeReader& node, Builder& b);
void convertTranspose(NodeReader& node, Builder& b);
void convertUnpack(NodeReader& node, Builder& b);

// ---- ops_norm.cpp
void convertL2Normalization(NodeReader& node, Builder& b);
void convertLocalResponseNormalization(NodeReader& node, Builder& b);

// ---- ops_padding.cpp
void convertDilate(NodeReader& node, Builder& b);
void convertMirrorPad(NodeReader& node, Builder& b);
void convertPad(NodeReader& node, Builder& b);
void convertPadv2(NodeReader& node, Builder& b);

// ---- ops_pool.cpp
void convertAveragePool2d(NodeReader& node, Builder& b);
void convertL2Pool2d(NodeReader& node, Builder& b);
void convertMaxPool2d(NodeReader& node, Builder& b);

// ---- ops_quant.cpp
void convertDensify(NodeReader& node, Builder& b);
void convertDequantize(NodeReader& node, Builder& b);
void convertFakeQuant(NodeReader& node, Builder& b);
void convertQuantize(NodeReader& node, Builder& b);

// ---- ops_random.cpp
void convertMultinomial(NodeReader& node, Builder& b);
void convertRandomStandardNormal(NodeReader& node, Builder& b);
void convertRandomUniform(NodeReader& node, Builder& b);

// ---- ops_recurrent.cpp
void convertBidirectionalSequenceLstm(NodeReader& node, Builder& b);
void convertBidirectionalSequenceRnn(NodeReader& node, Builder& b);
void convertLstm(NodeReader& node, Builder& b);
void convertRnn(NodeReader& node, Builder& b);
void convertUnidirectionalSequenceLstm(NodeReader& node, Builder& b);
void convertUnidirectionalSequenceRnn(NodeReader& node, Builder& b);

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

// ---- ops_reduce_window.cpp
void convertReduceWindow(NodeReader& node, Builder& b);

// ---- ops_segment.cpp
void convertSegmentSum(NodeReader& node, Builder& b);
void convertUnsortedSegmentMax(NodeReader& node, Builder& b);
void convertUnsortedSegmentMin(NodeReader& node, Builder& b);
void convertUnsortedSegmentProd(NodeReader& node, Builder& b);
void convertUnsortedSegmentSum(NodeReader& node, Builder& b);

// ---- ops_shape.cpp
void convertBroadcastArgs(NodeReader& node, Builder& b);
void convertBroadcastTo(NodeReader& node, Builder& b);
void convertExpandDims(NodeReader& node, Builder& b);
void convertFill(NodeReader& node, Builder& b);
void convertRange(NodeReader& node, Builder& b);
void convertRank(NodeReader& node, Builder& b);
void convertReshape(NodeReader& node, Builder& b);
void convertShape(NodeReader& node, Builder& b);
void convertSqueeze(NodeReader& node, Builder& b);
void convertZerosLike(NodeReader& node, Builder& b);

// ---- ops_signal.cpp
void convertComplexAbs(NodeReader& node, Builder& b);
void convertImag(NodeReader& node, Builder& b);
void convertReal(NodeReader& node, Builder& b);
void convertRfft2d(NodeReader& node, Builder& b);

// ---- ops_slice.cpp
void convertDynamicUpdateSlice(NodeReader& node, Builder& b);
void convertSlice(NodeReader& node, Builder& b);
void convertStridedSlice(NodeReader& node, Builder& b);

// ---- ops_stablehlo.cpp
void convertStablehloBroadcastInDim(NodeReader& node, Builder& b);
void convertStablehloConcatenate(NodeReader& node, Builder& b);
void convertStablehloDynamicSlice(NodeReader& node, Builder& b);
void convertStablehloDynamicUpdateSlice(NodeReader& node, Builder& b);
void convertStablehloPad(NodeReader& node, Builder& b);
void convertStablehloReshape(NodeReader& node, Builder& b);
void convertStablehloSlice(NodeReader& node, Builder& b);
void convertStablehloTranspose(NodeReader& node, Builder& b);

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

// ---- ops_stablehlo_index.cpp
void convertStablehloGather(NodeReader& node, Builder& b);
void convertStablehloScatter(NodeReader& node, Builder& b);

// ---- ops_stablehlo_products.cpp
void convertStablehloConvolution(NodeReader& node, Builder& b);
void convertStablehloDotGeneral(NodeReader& node, Builder& b);
void convertStablehloReduce(NodeReader& node, Builder& b);
void convertStablehloReduceWindow(NodeReader& node, Builder& b);
void convertStablehloSort(NodeReader& node, Builder& b);

// ---- ops_svdf.cpp
void convertSvdf(NodeReader& node, Builder& b);

// ---- ops_transposed_conv.cpp
void convertConv3dTranspose(NodeReader& node, Builder& b);
void convertConvolution2DTransposeBias(NodeReader& node, Builder& b);
void convertTransposeConv(NodeReader& node, Builder& b);

// ---- ops_unpool.cpp
void convertMaxPoolingWithArgmax2D(NodeReader& node, Builder& b);
void convertMaxUnpooling2D(NodeReader& node, Builder& b);

// ---- ops_variable.cpp
void convertAssignVariable(NodeReader& node, Builder& b);
void convertCallOnce(NodeReader& node, Builder& b);
void convertReadVariable(NodeReader& node, Builder& b);
void convertVarHandle(NodeReader& node, Builder& b);

} // namespace lathe::frontend::tflite
