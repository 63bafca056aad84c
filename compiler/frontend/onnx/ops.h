// SPDX-License-Identifier: Apache-2.0
//
// The converters, by family of operators (ops_*.cpp). table.cpp says which serves which operator and versions,
// and what each operator is for.
#pragma once

#include "frontend/added_operators.h"
#include "frontend/common/dialect.h"
#include "frontend/onnx/graph_reader.h"

namespace lathe::frontend::onnx {

/// The own converter for a node's domain, operator and version; null if there is none.
ConvertFn findConverter(const model::Node& node, const AddedOperators* added);

/// What a node is for; an operator outside the table is of the family Other.
model::Role roleOf(const model::Node& node);
/// Whether it stands in the table, or ONNX has a schema of it.
bool hasOperator(const std::string& domain, const std::string& name);

// ---- shared by families
/// The element type that an attribute names by its number; `otherwise` if it is absent or 0.
DataType elementType(NodeReader& node, const std::string& attribute, DataType otherwise);
/// x op y, with the attributes by which operators broadcast before opset 7.
Var elementwise(NodeReader& node, Builder& b, Op op);
/// inputs joined from left to right.
Var foldElementwise(NodeReader& node, Builder& b, Op op);
/// A named activation as recurrent operators use them.
Var activation(NodeReader& node, Builder& b, const std::string& name, Var x, double alpha, double beta);

/// What an operator's definition says of its operands' dims and its body takes for granted.
void fitBodyOperands(NodeReader& node, Builder& b, std::vector<Value>& operands);

template <Op op>
void convertUnary(NodeReader& node, Builder& b) {
    node.set(0, b.call(op, {node.in(0)}));
}
template <Op op>
void convertBinary(NodeReader& node, Builder& b) {
    node.set(0, elementwise(node, b, op));
}
template <Op op>
void convertFold(NodeReader& node, Builder& b) {
    node.set(0, foldElementwise(node, b, op));
}

#define LATHE_CONVERTER(name) void convert##name(NodeReader& node, Builder& b);
// math
LATHE_CONVERTER(Mean)
LATHE_CONVERTER(Sum)
LATHE_CONVERTER(Mod)
LATHE_CONVERTER(Pow)
LATHE_CONVERTER(BitShift)
LATHE_CONVERTER(IsInf)
LATHE_CONVERTER(Cast)
LATHE_CONVERTER(CastLike)
LATHE_CONVERTER(BitCast)
LATHE_CONVERTER(Where)
LATHE_CONVERTER(Identity)
LATHE_CONVERTER(Clip)
// activation
LATHE_CONVERTER(LeakyRelu)
LATHE_CONVERTER(ThresholdedRelu)
LATHE_CONVERTER(Elu)
LATHE_CONVERTER(HardSigmoid)
LATHE_CONVERTER(HardSwish)
LATHE_CONVERTER(Softplus)
LATHE_CONVERTER(Softsign)
LATHE_CONVERTER(Mish)
LATHE_CONVERTER(Selu)
LATHE_CONVERTER(Celu)
LATHE_CONVERTER(Shrink)
LATHE_CONVERTER(Swish)
LATHE_CONVERTER(Gelu)
LATHE_CONVERTER(PRelu)
LATHE_CONVERTER(Softmax)
LATHE_CONVERTER(LogSoftmax)
LATHE_CONVERTER(Hardmax)
// text
LATHE_CONVERTER(StringConcat)
LATHE_CONVERTER(StringSplit)
LATHE_CONVERTER(StringNormalizer)
LATHE_CONVERTER(RegexFullMatch)
LATHE_CONVERTER(TfIdfVectorizer)
// category
LATHE_CONVERTER(CategoryMapper)
LATHE_CONVERTER(LabelEncoder)
LATHE_CONVERTER(OneHotEncoder)
LATHE_CONVERTER(ZipMap)
// shape
LATHE_CONVERTER(Constant)
LATHE_CONVERTER(ConstantOfShape)
LATHE_CONVERTER(Shape)
LATHE_CONVERTER(Size)
LATHE_CONVERTER(Reshape)
LATHE_CONVERTER(Flatten)
LATHE_CONVERTER(Squeeze)
LATHE_CONVERTER(Unsqueeze)
LATHE_CONVERTER(Expand)
LATHE_CONVERTER(Range)
LATHE_CONVERTER(EyeLike)
LATHE_CONVERTER(OneHot)
// movement
LATHE_CONVERTER(Transpose)
LATHE_CONVERTER(Concat)
LATHE_CONVERTER(Slice)
LATHE_CONVERTER(Split)
LATHE_CONVERTER(Pad)
LATHE_CONVERTER(Tile)
LATHE_CONVERTER(DepthToSpace)
LATHE_CONVERTER(SpaceToDepth)
LATHE_CONVERTER(Trilu)
LATHE_CONVERTER(ReverseSequence)
// index
LATHE_CONVERTER(Gather)
LATHE_CONVERTER(GatherElements)
LATHE_CONVERTER(GatherND)
LATHE_CONVERTER(ScatterElements)
LATHE_CONVERTER(ScatterND)
LATHE_CONVERTER(TensorScatter)
LATHE_CONVERTER(NonZero)
LATHE_CONVERTER(Compress)
LATHE_CONVERTER(Unique)
LATHE_CONVERTER(TopK)
LATHE_CONVERTER(NonMaxSuppression)
LATHE_CONVERTER(ArrayFeatureExtractor)
LATHE_CONVERTER(Binarizer)
// reduce
LATHE_CONVERTER(ReduceSum)
LATHE_CONVERTER(ReduceMean)
LATHE_CONVERTER(ReduceProd)
LATHE_CONVERTER(ReduceMax)
LATHE_CONVERTER(ReduceMin)
LATHE_CONVERTER(ReduceL1)
LATHE_CONVERTER(ReduceL2)
LATHE_CONVERTER(ReduceLogSum)
LATHE_CONVERTER(ReduceLogSumExp)
LATHE_CONVERTER(ReduceSumSquare)
LATHE_CONVERTER(ArgMax)
LATHE_CONVERTER(ArgMin)
LATHE_CONVERTER(CumSum)
LATHE_CONVERTER(CumProd)
// linear
LATHE_CONVERTER(MatMul)
LATHE_CONVERTER(Gemm)
LATHE_CONVERTER(Einsum)
LATHE_CONVERTER(Det)
// attention
LATHE_CONVERTER(FlexAttention)
// window
LATHE_CONVERTER(Conv)
LATHE_CONVERTER(ConvTranspose)
LATHE_CONVERTER(DeformConv)
LATHE_CONVERTER(MaxPool)
LATHE_CONVERTER(AveragePool)
LATHE_CONVERTER(LpPool)
LATHE_CONVERTER(GlobalAveragePool)
LATHE_CONVERTER(GlobalMaxPool)
LATHE_CONVERTER(GlobalLpPool)
LATHE_CONVERTER(MaxUnpool)
// normalization
LATHE_CONVERTER(BatchNormalization)
LATHE_CONVERTER(GroupNormalization)
LATHE_CONVERTER(InstanceNormalization)
LATHE_CONVERTER(LayerNormalization)
LATHE_CONVERTER(MeanVarianceNormalization)
LATHE_CONVERTER(LpNormalization)
LATHE_CONVERTER(LRN)
LATHE_CONVERTER(Dropout)
// image
LATHE_CONVERTER(Resize)
LATHE_CONVERTER(Upsample)
LATHE_CONVERTER(GridSample)
LATHE_CONVERTER(RoiAlign)
LATHE_CONVERTER(Col2Im)
LATHE_CONVERTER(ImageDecoder)
// signal
LATHE_CONVERTER(DFT)
LATHE_CONVERTER(STFT)
LATHE_CONVERTER(MelWeightMatrix)
// quantization
LATHE_CONVERTER(QuantizeLinear)
LATHE_CONVERTER(DequantizeLinear)
LATHE_CONVERTER(ConvInteger)
LATHE_CONVERTER(MatMulInteger)
LATHE_CONVERTER(QLinearConv)
LATHE_CONVERTER(QLinearMatMul)
LATHE_CONVERTER(QLinearAdd)
// control
LATHE_CONVERTER(If)
LATHE_CONVERTER(Loop)
LATHE_CONVERTER(Scan)
// recurrent
LATHE_CONVERTER(LSTM)
LATHE_CONVERTER(GRU)
LATHE_CONVERTER(RNN)
// random
LATHE_CONVERTER(RandomUniform)
LATHE_CONVERTER(RandomUniformLike)
LATHE_CONVERTER(RandomNormal)
LATHE_CONVERTER(RandomNormalLike)
LATHE_CONVERTER(Bernoulli)
LATHE_CONVERTER(Multinomial)
// sequence
LATHE_CONVERTER(SequenceConstruct)
LATHE_CONVERTER(SequenceEmpty)
LATHE_CONVERTER(SequenceAt)
LATHE_CONVERTER(SequenceInsert)
LATHE_CONVERTER(SequenceErase)
LATHE_CONVERTER(SequenceLength)
LATHE_CONVERTER(SequenceMap)
LATHE_CONVERTER(SplitToSequence)
LATHE_CONVERTER(ConcatFromSequence)
LATHE_CONVERTER(Optional)
LATHE_CONVERTER(OptionalGetElement)
LATHE_CONVERTER(OptionalHasElement)
// trees
LATHE_CONVERTER(TreeEnsemble)
LATHE_CONVERTER(TreeEnsembleClassifier)
LATHE_CONVERTER(TreeEnsembleRegressor)
// classic models
LATHE_CONVERTER(FeatureVectorizer)
LATHE_CONVERTER(Imputer)
LATHE_CONVERTER(LinearClassifier)
LATHE_CONVERTER(LinearRegressor)
LATHE_CONVERTER(Normalizer)
LATHE_CONVERTER(Scaler)
// support vectors
LATHE_CONVERTER(SVMClassifier)
LATHE_CONVERTER(SVMRegressor)
// training
LATHE_CONVERTER(Adagrad)
LATHE_CONVERTER(Adam)
LATHE_CONVERTER(Momentum)
#undef LATHE_CONVERTER

} // namespace lathe::frontend::onnx
