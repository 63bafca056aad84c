// SPDX-License-Identifier: Apache-2.0
//
// Which converter serves which operator and versions, and what the operator is for: one row an operator, sorted by domain
// and name. An operator without a converter here, or not in this version, is expanded into the body by which ONNX defines
// it, if it has one.
#include "frontend/onnx/ops.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lathe::frontend::onnx {
namespace {

using enum model::Family;

struct Row {
    std::string_view domain, name;
    int minVersion, maxVersion; // since_version of the operator
    ConvertFn convert;          // null if there is none
    model::Family family;       // in every version
};

constexpr std::string_view standard = standardDomain, ml = "ai.onnx.ml", preview = "ai.onnx.preview",
                           training = "ai.onnx.preview.training", microsoft = "com.microsoft";
constexpr int newest = 28;

constexpr auto table = std::to_array<Row>({
    {standard, "Abs", 1, newest, convertUnary<Op::Abs>, Arithmetic},
    {standard, "Acos", 1, newest, convertUnary<Op::Acos>, Arithmetic},
    {standard, "Acosh", 1, newest, convertUnary<Op::Acosh>, Arithmetic},
    {standard, "Add", 1, newest, convertBinary<Op::Add>, Arithmetic},
    {standard, "And", 1, newest, convertBinary<Op::LogicalAnd>, Logic},
    {standard, "ArgMax", 1, newest, convertArgMax, Reduction},
    {standard, "ArgMin", 1, newest, convertArgMin, Reduction},
    {standard, "Asin", 1, newest, convertUnary<Op::Asin>, Arithmetic},
    {standard, "Asinh", 1, newest, convertUnary<Op::Asinh>, Arithmetic},
    {standard, "Atan", 1, newest, convertUnary<Op::Atan>, Arithmetic},
    {standard, "Atanh", 1, newest, convertUnary<Op::Atanh>, Arithmetic},
    {standard, "Attention", 1, newest, nullptr, Product},
    {standard, "AveragePool", 1, newest, convertAveragePool, Reduction},
    {standard, "BatchNormalization", 1, newest, convertBatchNormalization, Normalization},
    {standard, "Bernoulli", 1, newest, convertBernoulli, Bernoulli},
    {standard, "BitCast", 1, newest, convertBitCast, Other},
    {standard, "BitShift", 1, newest, convertBitShift, Arithmetic},
    {standard, "BitwiseAnd", 1, newest, convertBinary<Op::BitwiseAnd>, Arithmetic},
    {standard, "BitwiseNot", 1, newest, convertUnary<Op::BitwiseNot>, Arithmetic},
    {standard, "BitwiseOr", 1, newest, convertBinary<Op::BitwiseOr>, Arithmetic},
    {standard, "BitwiseXor", 1, newest, convertBinary<Op::BitwiseXor>, Arithmetic},
    {standard, "Cast", 1, newest, convertCast, Conversion},
    {standard, "CastLike", 1, newest, convertCastLike, Conversion},
    {standard, "CausalConvWithState", 1, newest, nullptr, Product},
    {standard, "Ceil", 1, newest, convertUnary<Op::Ceil>, Arithmetic},
    {standard, "Celu", 1, newest, convertCelu, Activation},
    {standard, "CenterCropPad", 1, newest, nullptr, Movement},
    {standard, "Clip", 1, newest, convertClip, Activation},
    {standard, "Col2Im", 1, newest, convertCol2Im, Other},
    {standard, "Compress", 1, newest, convertCompress, Movement},
    {standard, "Concat", 1, newest, convertConcat, Movement},
    {standard, "ConcatFromSequence", 1, newest, convertConcatFromSequence, Movement},
    {standard, "Constant", 1, newest, convertConstant, Constant},
    {standard, "ConstantOfShape", 1, newest, convertConstantOfShape, Movement},
    {standard, "Conv", 1, newest, convertConv, Product},
    {standard, "ConvInteger", 1, newest, convertConvInteger, Quantization},
    {standard, "ConvTranspose", 1, newest, convertConvTranspose, Product},
    {standard, "Cos", 1, newest, convertUnary<Op::Cos>, Arithmetic},
    {standard, "Cosh", 1, newest, convertUnary<Op::Cosh>, Arithmetic},
    {standard, "CumProd", 1, newest, convertCumProd, Reduction},
    {standard, "CumSum", 1, newest, convertCumSum, Reduction},
    {standard, "DFT", 1, newest, convertDFT, Transform},
    {standard, "DeformConv", 1, newest, convertDeformConv, Product},
    {standard, "DepthToSpace", 1, newest, convertDepthToSpace, Movement},
    {standard, "DequantizeLinear", 1, newest, convertDequantizeLinear, Dequantization},
    {standard, "Det", 1, newest, convertDet, Other},
    {standard, "Div", 1, newest, convertBinary<Op::Divide>, Arithmetic},
    {standard, "Dropout", 1, newest, convertDropout, Dropout},
    {standard, "DynamicQuantizeLinear", 1, newest, nullptr, Quantization},
    {standard, "DynamicSlice", 9, 9, convertSlice, Movement}, // of ONNX 1.4 alone, an experiment
    {standard, "Einsum", 1, newest, convertEinsum, Product},
    {standard, "Elu", 1, newest, convertElu, Activation},
    {standard, "Equal", 1, newest, convertBinary<Op::Equal>, Logic},
    {standard, "Erf", 1, newest, convertUnary<Op::Erf>, Activation},
    {standard, "Exp", 1, newest, convertUnary<Op::Exp>, Arithmetic},
    {standard, "Expand", 1, newest, convertExpand, Movement},
    {standard, "EyeLike", 1, newest, convertEyeLike, Other},
    {standard, "Flatten", 1, newest, convertFlatten, Movement},
    {standard, "Floor", 1, newest, convertUnary<Op::Floor>, Arithmetic},
    {standard, "GRU", 1, newest, convertGRU, Product},
    {standard, "Gather", 1, newest, convertGather, Movement},
    {standard, "GatherElements", 1, newest, convertGatherElements, Movement},
    {standard, "GatherND", 1, newest, convertGatherND, Movement},
    {standard, "Gelu", 1, newest, convertGelu, Activation},
    {standard, "Gemm", 1, newest, convertGemm, Product},
    {standard, "GlobalAveragePool", 1, newest, convertGlobalAveragePool, Reduction},
    {standard, "GlobalLpPool", 1, newest, convertGlobalLpPool, Reduction},
    {standard, "GlobalMaxPool", 1, newest, convertGlobalMaxPool, Reduction},
    {standard, "Greater", 1, newest, convertBinary<Op::Greater>, Logic},
    {standard, "GreaterOrEqual", 1, newest, convertBinary<Op::GreaterEqual>, Logic},
    {standard, "GridSample", 1, newest, convertGridSample, Other},
    {standard, "GroupNormalization", 18, newest, convertGroupNormalization, Normalization},
    {standard, "HardSigmoid", 1, newest, convertHardSigmoid, Activation},
    {standard, "HardSwish", 1, newest, convertHardSwish, Activation},
    {standard, "Hardmax", 1, newest, convertHardmax, Activation},
    {standard, "Identity", 1, newest, convertIdentity, Movement},
    {standard, "If", 1, newest, convertIf, Control},
    {standard, "ImageDecoder", 1, newest, convertImageDecoder, Other},
    {standard, "InstanceNormalization", 1, newest, convertInstanceNormalization, Normalization},
    {standard, "IsInf", 1, newest, convertIsInf, Logic},
    {standard, "IsNaN", 1, newest, convertUnary<Op::IsNan>, Logic},
    {standard, "LRN", 1, newest, convertLRN, Normalization},
    {standard, "LSTM", 1, newest, convertLSTM, Product},
    {standard, "LayerNormalization", 1, newest, convertLayerNormalization, Normalization},
    {standard, "LeakyRelu", 1, newest, convertLeakyRelu, Activation},
    {standard, "Less", 1, newest, convertBinary<Op::Less>, Logic},
    {standard, "LessOrEqual", 1, newest, convertBinary<Op::LessEqual>, Logic},
    {standard, "LinearAttention", 1, newest, nullptr, Product},
    {standard, "Log", 1, newest, convertUnary<Op::Log>, Arithmetic},
    {standard, "LogSoftmax", 1, newest, convertLogSoftmax, Activation},
    {standard, "Loop", 1, newest, convertLoop, Control},
    {standard, "LpNormalization", 1, newest, convertLpNormalization, Normalization},
    {standard, "LpPool", 1, newest, convertLpPool, Reduction},
    {standard, "MatMul", 1, newest, convertMatMul, Product},
    {standard, "MatMulInteger", 1, newest, convertMatMulInteger, Quantization},
    {standard, "Max", 1, newest, convertFold<Op::Maximum>, Arithmetic},
    {standard, "MaxPool", 1, newest, convertMaxPool, Reduction},
    {standard, "MaxRoiPool", 1, newest, nullptr, Reduction},
    {standard, "MaxUnpool", 1, newest, convertMaxUnpool, Other},
    {standard, "Mean", 1, newest, convertMean, Arithmetic},
    {standard, "MeanVarianceNormalization", 1, newest, convertMeanVarianceNormalization, Normalization},
    {standard, "MelWeightMatrix", 1, newest, convertMelWeightMatrix, Other},
    {standard, "Min", 1, newest, convertFold<Op::Minimum>, Arithmetic},
    {standard, "Mish", 1, newest, convertMish, Activation},
    {standard, "Mod", 1, newest, convertMod, Arithmetic},
    {standard, "Mul", 1, newest, convertBinary<Op::Multiply>, Arithmetic},
    {standard, "Multinomial", 1, newest, convertMultinomial, Random},
    {standard, "Neg", 1, newest, convertUnary<Op::Negative>, Arithmetic},
    {standard, "NonMaxSuppression", 1, newest, convertNonMaxSuppression, Reduction},
    {standard, "NonZero", 1, newest, convertNonZero, Reduction},
    {standard, "Not", 1, newest, convertUnary<Op::LogicalNot>, Logic},
    {standard, "OneHot", 1, newest, convertOneHot, Other},
    {standard, "Optional", 1, newest, convertOptional, Other},
    {standard, "OptionalGetElement", 1, newest, convertOptionalGetElement, Other},
    {standard, "OptionalHasElement", 1, newest, convertOptionalHasElement, Other},
    {standard, "Or", 1, newest, convertBinary<Op::LogicalOr>, Logic},
    {standard, "PRelu", 1, newest, convertPRelu, Activation},
    {standard, "Pad", 1, newest, convertPad, Movement},
    {standard, "Pow", 1, newest, convertPow, Arithmetic},
    {standard, "QLinearConv", 1, newest, convertQLinearConv, Quantization},
    {standard, "QLinearMatMul", 1, newest, convertQLinearMatMul, Quantization},
    {standard, "QuantizeLinear", 1, newest, convertQuantizeLinear, Quantization},
    {standard, "RMSNormalization", 1, newest, nullptr, Normalization},
    {standard, "RNN", 1, newest, convertRNN, Product},
    {standard, "RandomNormal", 1, newest, convertRandomNormal, Random},
    {standard, "RandomNormalLike", 1, newest, convertRandomNormalLike, Random},
    {standard, "RandomUniform", 1, newest, convertRandomUniform, Random},
    {standard, "RandomUniformLike", 1, newest, convertRandomUniformLike, Random},
    {standard, "Range", 1, newest, convertRange, Other},
    {standard, "Reciprocal", 1, newest, convertUnary<Op::Reciprocal>, Arithmetic},
    {standard, "ReduceL1", 1, newest, convertReduceL1, Reduction},
    {standard, "ReduceL2", 1, newest, convertReduceL2, Reduction},
    {standard, "ReduceLogSum", 1, newest, convertReduceLogSum, Reduction},
    {standard, "ReduceLogSumExp", 1, newest, convertReduceLogSumExp, Reduction},
    {standard, "ReduceMax", 1, newest, convertReduceMax, Reduction},
    {standard, "ReduceMean", 1, newest, convertReduceMean, Reduction},
    {standard, "ReduceMin", 1, newest, convertReduceMin, Reduction},
    {standard, "ReduceProd", 1, newest, convertReduceProd, Reduction},
    {standard, "ReduceSum", 1, newest, convertReduceSum, Reduction},
    {standard, "ReduceSumSquare", 1, newest, convertReduceSumSquare, Reduction},
    {standard, "RegexFullMatch", 1, newest, convertRegexFullMatch, Logic},
    {standard, "Relu", 1, newest, convertUnary<Op::Relu>, Activation},
    {standard, "Reshape", 1, newest, convertReshape, Movement},
    {standard, "Resize", 1, newest, convertResize, Movement},
    {standard, "ReverseSequence", 1, newest, convertReverseSequence, Movement},
    {standard, "RoiAlign", 1, newest, convertRoiAlign, Reduction},
    {standard, "Round", 1, newest, convertUnary<Op::Round>, Arithmetic},
    {standard, "STFT", 1, newest, convertSTFT, Transform},
    {standard, "Scan", 1, newest, convertScan, Control},
    {standard, "Scatter", 9, 11, convertScatterElements, Movement},
    {standard, "ScatterElements", 1, newest, convertScatterElements, Movement},
    {standard, "ScatterND", 1, newest, convertScatterND, Movement},
    {standard, "Selu", 1, newest, convertSelu, Activation},
    {standard, "SequenceAt", 1, newest, convertSequenceAt, Other},
    {standard, "SequenceConstruct", 1, newest, convertSequenceConstruct, Other},
    {standard, "SequenceEmpty", 1, newest, convertSequenceEmpty, Other},
    {standard, "SequenceErase", 1, newest, convertSequenceErase, Other},
    {standard, "SequenceInsert", 1, newest, convertSequenceInsert, Other},
    {standard, "SequenceLength", 1, newest, convertSequenceLength, Other},
    {standard, "SequenceMap", 1, newest, convertSequenceMap, Control},
    {standard, "Shape", 1, newest, convertShape, Movement},
    {standard, "Shrink", 1, newest, convertShrink, Activation},
    {standard, "Sigmoid", 1, newest, convertUnary<Op::Sigmoid>, Activation},
    {standard, "Sign", 1, newest, convertUnary<Op::Sign>, Arithmetic},
    {standard, "Sin", 1, newest, convertUnary<Op::Sin>, Arithmetic},
    {standard, "Sinh", 1, newest, convertUnary<Op::Sinh>, Arithmetic},
    {standard, "Size", 1, newest, convertSize, Other},
    {standard, "Slice", 1, newest, convertSlice, Movement},
    {standard, "Softmax", 1, newest, convertSoftmax, Activation},
    {standard, "Softplus", 1, newest, convertSoftplus, Activation},
    {standard, "Softsign", 1, newest, convertSoftsign, Activation},
    {standard, "SpaceToDepth", 1, newest, convertSpaceToDepth, Movement},
    {standard, "Split", 1, newest, convertSplit, Movement},
    {standard, "SplitToSequence", 1, newest, convertSplitToSequence, Movement},
    {standard, "Sqrt", 1, newest, convertUnary<Op::Sqrt>, Arithmetic},
    {standard, "Squeeze", 1, newest, convertSqueeze, Movement},
    {standard, "StringConcat", 1, newest, convertStringConcat, Other},
    {standard, "StringNormalizer", 1, newest, convertStringNormalizer, Other},
    {standard, "StringSplit", 1, newest, convertStringSplit, Other},
    {standard, "Sub", 1, newest, convertBinary<Op::Subtract>, Arithmetic},
    {standard, "Sum", 1, newest, convertSum, Arithmetic},
    {standard, "SwiGLU", 1, newest, nullptr, Activation},
    {standard, "Swish", 1, newest, convertSwish, Activation},
    {standard, "Tan", 1, newest, convertUnary<Op::Tan>, Arithmetic},
    {standard, "Tanh", 1, newest, convertUnary<Op::Tanh>, Activation},
    {standard, "TensorScatter", 1, newest, convertTensorScatter, Movement},
    {standard, "TfIdfVectorizer", 1, newest, convertTfIdfVectorizer, Other},
    {standard, "ThresholdedRelu", 1, newest, convertThresholdedRelu, Activation},
    {standard, "Tile", 1, newest, convertTile, Movement},
    {standard, "TopK", 1, newest, convertTopK, Reduction},
    {standard, "Transpose", 1, newest, convertTranspose, Movement},
    {standard, "Trilu", 1, newest, convertTrilu, Movement},
    {standard, "Unique", 1, newest, convertUnique, Other},
    {standard, "Unsqueeze", 1, newest, convertUnsqueeze, Movement},
    {standard, "Upsample", 1, 10, convertUpsample, Movement},
    {standard, "Where", 1, newest, convertWhere, Arithmetic},
    {standard, "Xor", 1, newest, convertBinary<Op::LogicalXor>, Logic},
    {ml, "ArrayFeatureExtractor", 1, 5, convertArrayFeatureExtractor, Movement},
    {ml, "Binarizer", 1, 5, convertBinarizer, Other},
    {ml, "CategoryMapper", 1, 5, convertCategoryMapper, Other},
    {ml, "FeatureVectorizer", 1, 5, convertFeatureVectorizer, Movement},
    {ml, "Imputer", 1, 5, convertImputer, Movement},
    {ml, "LabelEncoder", 1, 5, convertLabelEncoder, Other},
    {ml, "LinearClassifier", 1, 5, convertLinearClassifier, Product},
    {ml, "LinearRegressor", 1, 5, convertLinearRegressor, Product},
    {ml, "Normalizer", 1, 5, convertNormalizer, Normalization},
    {ml, "OneHotEncoder", 1, 5, convertOneHotEncoder, Other},
    {ml, "SVMClassifier", 1, 5, convertSVMClassifier, Product},
    {ml, "SVMRegressor", 1, 5, convertSVMRegressor, Product},
    {ml, "Scaler", 1, 5, convertScaler, Normalization},
    {ml, "TreeEnsemble", 1, 5, convertTreeEnsemble, Other},
    {ml, "TreeEnsembleClassifier", 1, 5, convertTreeEnsembleClassifier, Other},
    {ml, "TreeEnsembleRegressor", 1, 5, convertTreeEnsembleRegressor, Other},
    {ml, "ZipMap", 1, 5, convertZipMap, Movement},
    {preview, "FlexAttention", 1, 1, convertFlexAttention, Product},
    {training, "Adagrad", 1, 1, convertAdagrad, Other},
    {training, "Adam", 1, 1, convertAdam, Other},
    {training, "Momentum", 1, 1, convertMomentum, Other},
    {microsoft, "DequantizeLinear", 1, 1, nullptr, Dequantization},
    {microsoft, "QLinearAdd", 1, 1, convertQLinearAdd, Quantization},
    {microsoft, "QLinearAveragePool", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearConcat", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearConv", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearGlobalAveragePool", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearLeakyRelu", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearMul", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearReduceMean", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearSigmoid", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearSoftmax", 1, 1, nullptr, Quantization},
    {microsoft, "QLinearWhere", 1, 1, nullptr, Quantization},
    {microsoft, "QuantizeLinear", 1, 1, nullptr, Quantization},
});

constexpr bool before(const Row& a, const Row& b) {
    return a.domain != b.domain ? a.domain < b.domain : a.name < b.name;
}
static_assert(std::is_sorted(table.begin(), table.end(), before));

/// The operator's row, whatever its version; null if it has none.
const Row* findRow(const model::Node& node) {
    const Row wanted{node.domain, node.op, 0, 0, nullptr, Other};
    const auto row = std::lower_bound(table.begin(), table.end(), wanted, before);
    return row == table.end() || before(wanted, *row) ? nullptr : &*row;
}

template <class T>
const T* findAttribute(const model::Node& node, std::string_view name) {
    const auto found = std::ranges::find(node.attributes, name, &model::Attribute::name);
    return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->value);
}

/// Whether a Dropout can be in training mode, where alone it drops: an attribute says so before opset 7, an operand
/// since 12.
bool mayDrop(const model::Node& node) {
    if (node.version >= 12)
        return node.inputs.size() > 2 && !node.inputs[2].empty();
    const auto* isTest = findAttribute<int64_t>(node, "is_test");
    return node.version < 7 && isTest && *isTest == 0;
}

} // namespace

ConvertFn findConverter(const model::Node& node, const AddedOperators* added) {
    const Row* row = findRow(node);
    if (row && node.version >= row->minVersion && node.version <= row->maxVersion)
        return row->convert;
    const OperatorRow* more = findOperator(added, node);
    return more ? more->convert : nullptr;
}

bool hasOperator(const std::string& domain, const std::string& name) {
    model::Node node;
    node.domain = domain;
    node.op = name;
    return findRow(node) || findSchema(domain, name, newestOpset());
}

model::Role roleOf(const model::Node& node) {
    model::Role role;
    const Row* row = findRow(node);
    if (row && (row->family != Dropout || mayDrop(node)))
        role.family = row->family;
    if (const auto* to = findAttribute<int64_t>(node, "to"))
        role.named = fromProto(*to).value_or(types::Void);
    return role;
}

} // namespace lathe::frontend::onnx
