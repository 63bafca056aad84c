// SPDX-License-Identifier: Apache-2.0
//
// The computations, one file a family; topi.cpp dispatches to them by operator. Each takes a call that the type rules
// let through and makes the tensors (or kernels) of its results.
#pragma once

#include "topi/topi.h"

namespace lathe::topi {

using Tensors = std::vector<te::TensorPtr>;

// elementwise.cpp
Tensors computeUnary(const CallContext& call);
Tensors computeBinary(const CallContext& call);
Tensors computeWhere(const CallContext& call);
// cast.cpp
Tensors computeCast(const CallContext& call);
Tensors computeBitCast(const CallContext& call);
// movement.cpp
Tensors computeCopy(const CallContext& call);
Tensors computeShapeOf(const CallContext& call);
Tensors computeReshape(const CallContext& call);
Tensors computeTranspose(const CallContext& call);
Tensors computeBroadcastTo(const CallContext& call);
Tensors computeConcat(const CallContext& call);
Tensors computeSlice(const CallContext& call);
Tensors computeTile(const CallContext& call);
Tensors computeReverse(const CallContext& call);
Tensors computeReverseSequence(const CallContext& call);
Tensors computeDepthToSpace(const CallContext& call);
Tensors computeSpaceToDepth(const CallContext& call);
// pad.cpp
Tensors computePad(const CallContext& call);
// fill.cpp
Tensors computeRange(const CallContext& call);
Tensors computeIota(const CallContext& call);
Tensors computeFull(const CallContext& call);
Tensors computeOneHot(const CallContext& call);
Tensors computeTrilu(const CallContext& call);
DynamicKernel buildRange(const std::string& name, const CallContext& call);
// gather_scatter.cpp
Tensors computeGather(const CallContext& call);
Tensors computeGatherElements(const CallContext& call);
Tensors computeGatherNd(const CallContext& call);
tir::PrimFuncPtr buildScatterElements(const std::string& name, const CallContext& call);
tir::PrimFuncPtr buildScatterNd(const std::string& name, const CallContext& call);
// reduce.cpp
Tensors computeReduce(const CallContext& call);
Tensors computeArgReduce(const CallContext& call);
// softmax.cpp
Tensors computeSoftmax(const CallContext& call);
// normalize.cpp
Tensors computeLayerNorm(const CallContext& call);
Tensors computeBatchNorm(const CallContext& call);
// matmul.cpp
Tensors computeMatMul(const CallContext& call);
// conv.cpp
Tensors computeConv(const CallContext& call);
// winograd.cpp
Tensors computeWinogradWeights(const CallContext& call);
Tensors computeWinogradConv(const CallContext& call);
// pool.cpp
Tensors computeMaxPool(const CallContext& call);
Tensors computeMaxPoolWithIndex(const CallContext& call);
Tensors computeAvgPool(const CallContext& call);
// cumulative.cpp
tir::PrimFuncPtr buildCumSum(const std::string& name, const CallContext& call);
// einsum.cpp
Tensors computeEinsum(const CallContext& call);
// resize.cpp
Tensors computeResize(const CallContext& call);
// vision.cpp
Tensors computeGridSample(const CallContext& call);
tir::PrimFuncPtr buildRoiAlign(const std::string& name, const CallContext& call);
// dft.cpp
Tensors computeDft(const CallContext& call);
// trees.cpp
tir::PrimFuncPtr buildTreeEnsemble(const std::string& name, const CallContext& call);
// random.cpp
Tensors computeRandomUniform(const CallContext& call);
// linalg.cpp
tir::PrimFuncPtr buildDet(const std::string& name, const CallContext& call);
// sort.cpp
tir::PrimFuncPtr buildTopK(const std::string& name, const CallContext& call);
// unique.cpp
DynamicKernel buildUnique(const std::string& name, const CallContext& call);
// nonzero.cpp
DynamicKernel buildNonZero(const std::string& name, const CallContext& call);
DynamicKernel buildCompress(const std::string& name, const CallContext& call);
// dynamic_slice.cpp
DynamicKernel buildDynamicSlice(const std::string& name, const CallContext& call);
// decode_image.cpp
DynamicKernel buildDecodeImage(const std::string& name, const CallContext& call);
// nms.cpp
DynamicKernel buildNonMaxSuppression(const std::string& name, const CallContext& call);
// strings.cpp
tir::PrimFuncPtr buildStringConcat(const std::string& name, const CallContext& call);
tir::PrimFuncPtr buildStringCase(const std::string& name, const CallContext& call);
DynamicKernel buildStringSplit(const std::string& name, const CallContext& call);
tir::PrimFuncPtr buildRegexFullMatch(const std::string& name, const CallContext& call);
tir::PrimFuncPtr buildFormatNumber(const std::string& name, const CallContext& call);
tir::PrimFuncPtr buildParseNumber(const std::string& name, const CallContext& call);
// index_of.cpp
tir::PrimFuncPtr buildIndexOf(const std::string& name, const CallContext& call);

} // namespace lathe::topi
