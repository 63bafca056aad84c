// SPDX-License-Identifier: Apache-2.0
//
// The converters, by the classes of layers.
#pragma once

#include "frontend/keras/layer.h"

namespace lathe::frontend::keras {

void convertActivation(NodeReader& node, Builder& b);
void convertAdd(NodeReader& node, Builder& b);
void convertAdditiveAttention(NodeReader& node, Builder& b);
void convertAttention(NodeReader& node, Builder& b);
void convertAverage(NodeReader& node, Builder& b);
void convertAveragePooling1D(NodeReader& node, Builder& b);
void convertAveragePooling2D(NodeReader& node, Builder& b);
void convertAveragePooling3D(NodeReader& node, Builder& b);
void convertBatchNormalization(NodeReader& node, Builder& b);
void convertBidirectional(NodeReader& node, Builder& b);
void convertCenterCrop(NodeReader& node, Builder& b);
void convertConcatenate(NodeReader& node, Builder& b);
void convertConv1D(NodeReader& node, Builder& b);
void convertConv1DTranspose(NodeReader& node, Builder& b);
void convertConv2D(NodeReader& node, Builder& b);
void convertConv2DTranspose(NodeReader& node, Builder& b);
void convertConv3D(NodeReader& node, Builder& b);
void convertConv3DTranspose(NodeReader& node, Builder& b);
void convertConvLSTM1D(NodeReader& node, Builder& b);
void convertConvLSTM2D(NodeReader& node, Builder& b);
void convertConvLSTM3D(NodeReader& node, Builder& b);
void convertCropping1D(NodeReader& node, Builder& b);
void convertCropping2D(NodeReader& node, Builder& b);
void convertCropping3D(NodeReader& node, Builder& b);
void convertDense(NodeReader& node, Builder& b);
void convertDepthwiseConv1D(NodeReader& node, Builder& b);
void convertDepthwiseConv2D(NodeReader& node, Builder& b);
void convertDot(NodeReader& node, Builder& b);
void convertELU(NodeReader& node, Builder& b);
void convertEinsumDense(NodeReader& node, Builder& b);
void convertEmbedding(NodeReader& node, Builder& b);
void convertFlatten(NodeReader& node, Builder& b);
void convertGRU(NodeReader& node, Builder& b);
void convertGlobalAveragePooling1D(NodeReader& node, Builder& b);
void convertGlobalAveragePooling2D(NodeReader& node, Builder& b);
void convertGlobalAveragePooling3D(NodeReader& node, Builder& b);
void convertGlobalMaxPooling1D(NodeReader& node, Builder& b);
void convertGlobalMaxPooling2D(NodeReader& node, Builder& b);
void convertGlobalMaxPooling3D(NodeReader& node, Builder& b);
void convertGroupNormalization(NodeReader& node, Builder& b);
void convertGroupQueryAttention(NodeReader& node, Builder& b);
void convertIdentity(NodeReader& node, Builder& b);
void convertLSTM(NodeReader& node, Builder& b);
void convertLayerNormalization(NodeReader& node, Builder& b);
void convertLeakyReLU(NodeReader& node, Builder& b);
void convertMasking(NodeReader& node, Builder& b);
void convertMaxPooling1D(NodeReader& node, Builder& b);
void convertMaxPooling2D(NodeReader& node, Builder& b);
void convertMaxPooling3D(NodeReader& node, Builder& b);
void convertMaximum(NodeReader& node, Builder& b);
void convertMinimum(NodeReader& node, Builder& b);
void convertMultiHeadAttention(NodeReader& node, Builder& b);
void convertMultiply(NodeReader& node, Builder& b);
void convertNormalization(NodeReader& node, Builder& b);
void convertOpAbs(NodeReader& node, Builder& b);
void convertOpAdd(NodeReader& node, Builder& b);
void convertOpConcatenate(NodeReader& node, Builder& b);
void convertOpDivide(NodeReader& node, Builder& b);
void convertOpExp(NodeReader& node, Builder& b);
void convertOpExpandDims(NodeReader& node, Builder& b);
void convertOpGetItem(NodeReader& node, Builder& b);
void convertOpLog(NodeReader& node, Builder& b);
void convertOpMatmul(NodeReader& node, Builder& b);
void convertOpMax(NodeReader& node, Builder& b);
void convertOpMaximum(NodeReader& node, Builder& b);
void convertOpMean(NodeReader& node, Builder& b);
void convertOpMin(NodeReader& node, Builder& b);
void convertOpMinimum(NodeReader& node, Builder& b);
void convertOpMultiply(NodeReader& node, Builder& b);
void convertOpNegative(NodeReader& node, Builder& b);
void convertOpPower(NodeReader& node, Builder& b);
void convertOpRelu(NodeReader& node, Builder& b);
void convertOpRelu6(NodeReader& node, Builder& b);
void convertOpReshape(NodeReader& node, Builder& b);
void convertOpSigmoid(NodeReader& node, Builder& b);
void convertOpSilu(NodeReader& node, Builder& b);
void convertOpSoftmax(NodeReader& node, Builder& b);
void convertOpSqrt(NodeReader& node, Builder& b);
void convertOpSquare(NodeReader& node, Builder& b);
void convertOpSqueeze(NodeReader& node, Builder& b);
void convertOpSubtract(NodeReader& node, Builder& b);
void convertOpSum(NodeReader& node, Builder& b);
void convertOpTanh(NodeReader& node, Builder& b);
void convertOpTranspose(NodeReader& node, Builder& b);
void convertPReLU(NodeReader& node, Builder& b);
void convertPermute(NodeReader& node, Builder& b);
void convertRMSNormalization(NodeReader& node, Builder& b);
void convertRNN(NodeReader& node, Builder& b);
void convertReLU(NodeReader& node, Builder& b);
void convertRepeatVector(NodeReader& node, Builder& b);
void convertRescaling(NodeReader& node, Builder& b);
void convertReshape(NodeReader& node, Builder& b);
void convertResizing(NodeReader& node, Builder& b);
void convertSeparableConv1D(NodeReader& node, Builder& b);
void convertSeparableConv2D(NodeReader& node, Builder& b);
void convertSimpleRNN(NodeReader& node, Builder& b);
void convertSoftmax(NodeReader& node, Builder& b);
void convertSubtract(NodeReader& node, Builder& b);
void convertThresholdedReLU(NodeReader& node, Builder& b);
void convertTimeDistributed(NodeReader& node, Builder& b);
void convertUnitNormalization(NodeReader& node, Builder& b);
void convertUpSampling1D(NodeReader& node, Builder& b);
void convertUpSampling2D(NodeReader& node, Builder& b);
void convertUpSampling3D(NodeReader& node, Builder& b);
void convertZeroPadding1D(NodeReader& node, Builder& b);
void convertZeroPadding2D(NodeReader& node, Builder& b);
void convertZeroPadding3D(NodeReader& node, Builder& b);

} // namespace lathe::frontend::keras
