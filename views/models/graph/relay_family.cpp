// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/relay_family.h"

namespace lathe::views::models {

using model::Family;
using relay::Op;

Family familyOf(Op op) {
    switch (op) {
    case Op::MatMul:
    case Op::Conv:
    case Op::WinogradWeights:
    case Op::WinogradConv:
    case Op::Einsum:
        return Family::Product;
    case Op::Relu:
    case Op::Sigmoid:
    case Op::Tanh:
    case Op::Erf:
    case Op::Softmax:
    case Op::LogSoftmax:
        return Family::Activation;
    case Op::LayerNorm:
    case Op::BatchNorm:
        return Family::Normalization;
    case Op::Reduce:
    case Op::ArgReduce:
    case Op::CumSum:
    case Op::TopK:
    case Op::MaxPool:
    case Op::MaxPoolWithIndex:
    case Op::AvgPool:
        return Family::Reduction;
    case Op::Cast:
    case Op::BitCast:
        return Family::Conversion;
    case Op::Dropout:
        return Family::Dropout;
    case Op::Dft:
        return Family::Transform;
    case Op::RandomUniform:
        return Family::Random;
    default:
        break;
    }
    // The others stand by kinds in the table of operators.
    if (op >= Op::Equal && op <= Op::LogicalXor)
        return Family::Logic;
    if (op < Op::ShapeOf)
        return Family::Arithmetic;
    if (op <= Op::Relayout || op == Op::DepthToSpace || op == Op::SpaceToDepth)
        return Family::Movement;
    return Family::Other;
}

} // namespace lathe::views::models
