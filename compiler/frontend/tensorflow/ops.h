// SPDX-License-Identifier: Apache-2.0
//
// The converters of TensorFlow's operators, by the files that they lie in.
#pragma once

#include "frontend/common/emit.h"

namespace lathe::frontend::tensorflow {

// ---- ops_activation.cpp
void convertElu(NodeReader& node, Builder& b);
void convertLeakyRelu(NodeReader& node, Builder& b);
void convertLogSoftmax(NodeReader& node, Builder& b);
void convertRelu6(NodeReader& node, Builder& b);
void convertSelu(NodeReader& node, Builder& b);
void convertSoftmax(NodeReader& node, Builder& b);
void convertSoftplus(NodeReader& node, Builder& b);
void convertSoftsign(NodeReader& node, Builder& b);

// ---- ops_audio.cpp
void convertAudioSpectrogram(NodeReader& node, Builder& b);
void convertMfcc(NodeReader& node, Builder& b);

// ---- ops_boxes.cpp
void convertCombinedNonMaxSuppression(NodeReader& node, Builder& b);
void convertNonMaxSuppressionV3(NodeReader& node, Builder& b);
void convertNonMaxSuppressionV4(NodeReader& node, Builder& b);
void convertNonMaxSuppressionV5(NodeReader& node, Builder& b);

// ---- ops_control.cpp
void convertAssignAddVariableOp(NodeReader& node, Builder& b);
void convertAssignSubVariableOp(NodeReader& node, Builder& b);
void convertAssignVariableOp(NodeReader& node, Builder& b);
void convertCase(NodeReader& node, Builder& b);
void convertIf(NodeReader& node, Builder& b);
void convertReadVariableOp(NodeReader& node, Builder& b);
void convertWhile(NodeReader& node, Builder& b);

// ---- ops_conv.cpp
void convertConv2D(NodeReader& node, Builder& b);
void convertConv2DBackpropInput(NodeReader& node, Builder& b);
void convertConv3D(NodeReader& node, Builder& b);
void convertConv3DBackpropInputV2(NodeReader& node, Builder& b);
void convertDepthwiseConv2dNative(NodeReader& node, Builder& b);

// ---- ops_diagonal.cpp
void convertMatrixBandPart(NodeReader& node, Builder& b);
void convertMatrixDiag(NodeReader& node, Builder& b);
void convertMatrixDiagPart(NodeReader& node, Builder& b);
void convertMatrixSetDiag(NodeReader& node, Builder& b);

// ---- ops_elementwise.cpp
void convertAddN(NodeReader& node, Builder& b);
void convertAtan2(NodeReader& node, Builder& b);
void convertBiasAdd(NodeReader& node, Builder& b);
void convertBitcast(NodeReader& node, Builder& b);
void convertCast(NodeReader& node, Builder& b);
void convertClipByValue(NodeReader& node, Builder& b);
void convertDivNoNan(NodeReader& node, Builder& b);
void convertExpm1(NodeReader& node, Builder& b);
void convertFloorDiv(NodeReader& node, Builder& b);
void convertFloorMod(NodeReader& node, Builder& b);
void convertIsFinite(NodeReader& node, Builder& b);
void convertIsInf(NodeReader& node, Builder& b);
void convertLeftShift(NodeReader& node, Builder& b);
void convertLog1p(NodeReader& node, Builder& b);
void convertMulNoNan(NodeReader& node, Builder& b);
void convertRightShift(NodeReader& node, Builder& b);
void convertRsqrt(NodeReader& node, Builder& b);
void convertSelect(NodeReader& node, Builder& b);
void convertSelectV2(NodeReader& node, Builder& b);
void convertSquare(NodeReader& node, Builder& b);
void convertSquaredDifference(NodeReader& node, Builder& b);
void convertTruncateDiv(NodeReader& node, Builder& b);
void convertTruncateMod(NodeReader& node, Builder& b);
void convertXdivy(NodeReader& node, Builder& b);
void convertXlog1py(NodeReader& node, Builder& b);
void convertXlogy(NodeReader& node, Builder& b);

// ---- ops_image.cpp
void convertAdjustContrastv2(NodeReader& node, Builder& b);
void convertCropAndResize(NodeReader& node, Builder& b);
void convertDepthToSpace(NodeReader& node, Builder& b);
void convertHSVToRGB(NodeReader& node, Builder& b);
void convertRGBToHSV(NodeReader& node, Builder& b);
void convertResizeBicubic(NodeReader& node, Builder& b);
void convertResizeBilinear(NodeReader& node, Builder& b);
void convertResizeNearestNeighbor(NodeReader& node, Builder& b);
void convertSpaceToDepth(NodeReader& node, Builder& b);

// ---- ops_index.cpp
void convertBucketize(NodeReader& node, Builder& b);
void convertDenseBincount(NodeReader& node, Builder& b);
void convertDynamicPartition(NodeReader& node, Builder& b);
void convertDynamicStitch(NodeReader& node, Builder& b);
void convertGatherNd(NodeReader& node, Builder& b);
void convertGatherV2(NodeReader& node, Builder& b);
void convertInTopK(NodeReader& node, Builder& b);
void convertInvertPermutation(NodeReader& node, Builder& b);
void convertListDiff(NodeReader& node, Builder& b);
void convertLookupTableFind(NodeReader& node, Builder& b);
void convertLowerBound(NodeReader& node, Builder& b);
void convertOneHot(NodeReader& node, Builder& b);
void convertScatterNd(NodeReader& node, Builder& b);
void convertSparseToDense(NodeReader& node, Builder& b);
void convertTensorScatterAdd(NodeReader& node, Builder& b);
void convertTensorScatterMax(NodeReader& node, Builder& b);
void convertTensorScatterMin(NodeReader& node, Builder& b);
void convertTensorScatterSub(NodeReader& node, Builder& b);
void convertTensorScatterUpdate(NodeReader& node, Builder& b);
void convertTopKV2(NodeReader& node, Builder& b);
void convertUnique(NodeReader& node, Builder& b);
void convertUpperBound(NodeReader& node, Builder& b);
void convertWhere(NodeReader& node, Builder& b);

// ---- ops_linear.cpp
void convertBatchMatMul(NodeReader& node, Builder& b);
void convertCross(NodeReader& node, Builder& b);
void convertEinsum(NodeReader& node, Builder& b);
void convertMatMul(NodeReader& node, Builder& b);

// ---- ops_matrix.cpp
void convertCholesky(NodeReader& node, Builder& b);
void convertLogMatrixDeterminant(NodeReader& node, Builder& b);
void convertMatrixDeterminant(NodeReader& node, Builder& b);
void convertMatrixInverse(NodeReader& node, Builder& b);
void convertMatrixSolve(NodeReader& node, Builder& b);
void convertMatrixTriangularSolve(NodeReader& node, Builder& b);
void convertQr(NodeReader& node, Builder& b);
void convertSelfAdjointEigV2(NodeReader& node, Builder& b);
void convertSvd(NodeReader& node, Builder& b);

// ---- ops_list.cpp
void convertEmptyTensorList(NodeReader& node, Builder& b);
void convertTensorArrayConcatV3(NodeReader& node, Builder& b);
void convertTensorArrayGatherV3(NodeReader& node, Builder& b);
void convertTensorArrayReadV3(NodeReader& node, Builder& b);
void convertTensorArrayScatterV3(NodeReader& node, Builder& b);
void convertTensorArraySizeV3(NodeReader& node, Builder& b);
void convertTensorArrayV3(NodeReader& node, Builder& b);
void convertTensorArrayWriteV3(NodeReader& node, Builder& b);
void convertTensorListConcat(NodeReader& node, Builder& b);
void convertTensorListFromTensor(NodeReader& node, Builder& b);
void convertTensorListGather(NodeReader& node, Builder& b);
void convertTensorListGetItem(NodeReader& node, Builder& b);
void convertTensorListLength(NodeReader& node, Builder& b);
void convertTensorListPopBack(NodeReader& node, Builder& b);
void convertTensorListPushBack(NodeReader& node, Builder& b);
void convertTensorListReserve(NodeReader& node, Builder& b);
void convertTensorListResize(NodeReader& node, Builder& b);
void convertTensorListScatterIntoExistingList(NodeReader& node, Builder& b);
void convertTensorListScatterV2(NodeReader& node, Builder& b);
void convertTensorListSetItem(NodeReader& node, Builder& b);
void convertTensorListStack(NodeReader& node, Builder& b);

// ---- ops_movement.cpp
void convertBatchToSpaceND(NodeReader& node, Builder& b);
void convertConcat(NodeReader& node, Builder& b);
void convertConcatV2(NodeReader& node, Builder& b);
void convertMirrorPad(NodeReader& node, Builder& b);
void convertPack(NodeReader& node, Builder& b);
void convertPad(NodeReader& node, Builder& b);
void convertReverseSequence(NodeReader& node, Builder& b);
void convertReverseV2(NodeReader& node, Builder& b);
void convertRoll(NodeReader& node, Builder& b);
void convertSlice(NodeReader& node, Builder& b);
void convertSpaceToBatchND(NodeReader& node, Builder& b);
void convertSplit(NodeReader& node, Builder& b);
void convertSplitV(NodeReader& node, Builder& b);
void convertStridedSlice(NodeReader& node, Builder& b);
void convertTile(NodeReader& node, Builder& b);
void convertTranspose(NodeReader& node, Builder& b);
void convertUnpack(NodeReader& node, Builder& b);

// ---- ops_norm.cpp
void convertFusedBatchNorm(NodeReader& node, Builder& b);
void convertLRN(NodeReader& node, Builder& b);
void convertSoftmaxCrossEntropyWithLogits(NodeReader& node, Builder& b);
void convertSparseSoftmaxCrossEntropyWithLogits(NodeReader& node, Builder& b);

// ---- ops_pool.cpp
void convertAvgPool(NodeReader& node, Builder& b);
void convertAvgPool3D(NodeReader& node, Builder& b);
void convertExtractImagePatches(NodeReader& node, Builder& b);
void convertMaxPool(NodeReader& node, Builder& b);
void convertMaxPool3D(NodeReader& node, Builder& b);
void convertMaxPoolWithArgmax(NodeReader& node, Builder& b);

// ---- ops_quant.cpp
void convertDequantize(NodeReader& node, Builder& b);
void convertFakeQuantWithMinMaxArgs(NodeReader& node, Builder& b);
void convertFakeQuantWithMinMaxVars(NodeReader& node, Builder& b);
void convertQuantizeAndDequantizeV3(NodeReader& node, Builder& b);
void convertQuantizeV2(NodeReader& node, Builder& b);

// ---- ops_random.cpp
void convertMultinomial(NodeReader& node, Builder& b);
void convertRandomStandardNormal(NodeReader& node, Builder& b);
void convertRandomUniform(NodeReader& node, Builder& b);
void convertRandomUniformInt(NodeReader& node, Builder& b);
void convertStatelessRandomGetAlg(NodeReader& node, Builder& b);
void convertStatelessRandomGetKeyCounter(NodeReader& node, Builder& b);
void convertStatelessRandomNormal(NodeReader& node, Builder& b);
void convertStatelessRandomUniform(NodeReader& node, Builder& b);
void convertStatelessRandomUniformInt(NodeReader& node, Builder& b);
void convertTruncatedNormal(NodeReader& node, Builder& b);

// ---- ops_reduce.cpp
void convertAll(NodeReader& node, Builder& b);
void convertAny(NodeReader& node, Builder& b);
void convertArgMax(NodeReader& node, Builder& b);
void convertArgMin(NodeReader& node, Builder& b);
void convertCumprod(NodeReader& node, Builder& b);
void convertCumsum(NodeReader& node, Builder& b);
void convertEuclideanNorm(NodeReader& node, Builder& b);
void convertL2Loss(NodeReader& node, Builder& b);
void convertMax(NodeReader& node, Builder& b);
void convertMean(NodeReader& node, Builder& b);
void convertMin(NodeReader& node, Builder& b);
void convertProd(NodeReader& node, Builder& b);
void convertSegmentMax(NodeReader& node, Builder& b);
void convertSegmentMean(NodeReader& node, Builder& b);
void convertSegmentMin(NodeReader& node, Builder& b);
void convertSegmentProd(NodeReader& node, Builder& b);
void convertSegmentSum(NodeReader& node, Builder& b);
void convertSum(NodeReader& node, Builder& b);
void convertUnsortedSegmentMax(NodeReader& node, Builder& b);
void convertUnsortedSegmentMin(NodeReader& node, Builder& b);
void convertUnsortedSegmentProd(NodeReader& node, Builder& b);
void convertUnsortedSegmentSum(NodeReader& node, Builder& b);

// ---- ops_resample.cpp
void convertResizeArea(NodeReader& node, Builder& b);
void convertScaleAndTranslate(NodeReader& node, Builder& b);

// ---- ops_shape.cpp
void convertBroadcastTo(NodeReader& node, Builder& b);
void convertEnsureShape(NodeReader& node, Builder& b);
void convertExpandDims(NodeReader& node, Builder& b);
void convertFill(NodeReader& node, Builder& b);
void convertIdentity(NodeReader& node, Builder& b);
void convertIdentityN(NodeReader& node, Builder& b);
void convertLinSpace(NodeReader& node, Builder& b);
void convertOnesLike(NodeReader& node, Builder& b);
void convertRange(NodeReader& node, Builder& b);
void convertRank(NodeReader& node, Builder& b);
void convertReshape(NodeReader& node, Builder& b);
void convertShape(NodeReader& node, Builder& b);
void convertShapeN(NodeReader& node, Builder& b);
void convertSize(NodeReader& node, Builder& b);
void convertSqueeze(NodeReader& node, Builder& b);
void convertZerosLike(NodeReader& node, Builder& b);

// ---- ops_signal.cpp
void convertComplex(NodeReader& node, Builder& b);
void convertComplexAbs(NodeReader& node, Builder& b);
void convertFFT(NodeReader& node, Builder& b);
void convertFFT2D(NodeReader& node, Builder& b);
void convertIFFT(NodeReader& node, Builder& b);
void convertIFFT2D(NodeReader& node, Builder& b);
void convertIRFFT(NodeReader& node, Builder& b);
void convertImag(NodeReader& node, Builder& b);
void convertRFFT(NodeReader& node, Builder& b);
void convertRFFT2D(NodeReader& node, Builder& b);
void convertReal(NodeReader& node, Builder& b);

// ---- ops_special.cpp
void convertBesselI0(NodeReader& node, Builder& b);
void convertBesselI0e(NodeReader& node, Builder& b);
void convertBesselI1(NodeReader& node, Builder& b);
void convertBesselI1e(NodeReader& node, Builder& b);
void convertBetainc(NodeReader& node, Builder& b);
void convertDigamma(NodeReader& node, Builder& b);
void convertErfc(NodeReader& node, Builder& b);
void convertErfinv(NodeReader& node, Builder& b);
void convertIgamma(NodeReader& node, Builder& b);
void convertIgammac(NodeReader& node, Builder& b);
void convertLgamma(NodeReader& node, Builder& b);
void convertNdtri(NodeReader& node, Builder& b);
void convertZeta(NodeReader& node, Builder& b);

// ---- ops_text.cpp
void convertStaticRegexFullMatch(NodeReader& node, Builder& b);
void convertAsString(NodeReader& node, Builder& b);
void convertStringJoin(NodeReader& node, Builder& b);
void convertStringLower(NodeReader& node, Builder& b);
void convertStringToNumber(NodeReader& node, Builder& b);
void convertStringUpper(NodeReader& node, Builder& b);

} // namespace lathe::frontend::tensorflow
