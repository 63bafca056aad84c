// SPDX-License-Identifier: Apache-2.0
//
// Operators that only move elements: each is an index map from result to operand. Reshape keeps dims that survive as
// they are and divides only within groups of dims that are really merged or split, so that fusion sees simple indices.
#include "arith/analysis.h"
#include "topi/expressions.h"
#include "topi/families.h"

namespace lathe::topi {

namespace {

Tensors mapped(const CallContext& call, const char* name,
               const std::function<Indices(const std::vector<Var>&)>& indices) {
    const TensorPtr& x = call.args[0];
    return {te::compute(
        name, resultTensor(call).shape, [&](const std::vector<Var>& i) { return (*x)(indices(i)); }, call.origin)};
}

/// A run of result dims that holds the same elements as a run of operand dims.
struct Group {
    size_t resultBegin, resultEnd, operandBegin, operandEnd;
};

/// Shortest runs from the left whose products are provably equal.
std::vector<Group> groupDims(const Shape& result, const Shape& operand) {
    std::vector<Group> groups;
    size_t r = 0, o = 0;
    const auto next = [&]() -> Group {
        for (size_t length = 2; length <= (result.size() - r) + (operand.size() - o); ++length)
            for (size_t fromResult = 1; fromResult < length; ++fromResult) {
                const Group group{r, r + fromResult, o, o + length - fromResult};
                if (group.resultEnd > result.size() || group.operandEnd > operand.size())
                    continue;
                const bool rest = group.resultEnd == result.size() && group.operandEnd == operand.size();
                if (rest ||
                    arith::provablyEqual(product(result, r, group.resultEnd), product(operand, o, group.operandEnd)))
                    return group;
            }
        return {r, result.size(), o, operand.size()};
    };
    while (r < result.size() || o < operand.size()) {
        // Dims of 1 on one side only carry nothing.
        const bool sameOne =
            r < result.size() && o < operand.size() && arith::isConst(result[r], 1) && arith::isConst(operand[o], 1);
        if (!sameOne && r < result.size() && arith::isConst(result[r], 1)) {
            ++r;
        } else if (!sameOne && o < operand.size() && arith::isConst(operand[o], 1)) {
            groups.push_back({r, r, o, o + 1});
            ++o;
        } else {
            groups.push_back(next());
            r = groups.back().resultEnd;
            o = groups.back().operandEnd;
        }
    }
    return groups;
}

Indices reshapedIndices(const std::vector<Var>& axes, const Shape& result, const Shape& operand) {
    Indices indices(operand.size(), Expr(0));
    for (const Group& group : groupDims(result, operand)) {
        Indices part;
        Shape partShape;
        for (size_t i = group.resultBegin; i < group.resultEnd; ++i) {
            part.push_back(axes[i]);
            partShape.push_back(result[i]);
        }
        const Shape target(operand.begin() + static_cast<long>(group.operandBegin),
                           operand.begin() + static_cast<long>(group.operandEnd));
        const Indices found = unflatten(flatten(part, partShape), target);
        for (size_t i = 0; i < found.size(); ++i)
            indices[group.operandBegin + i] = arith::isConst(target[i], 1) ? Expr(0) : found[i];
    }
    return indices;
}

} // namespace

Tensors computeCopy(const CallContext& call) {
    return mapped(call, "copy", asIndices);
}

Tensors computeShapeOf(const CallContext& call) {
    const Shape& dims = call.args[0]->shape;
    return {te::compute(
        "shape_of", {static_cast<int64_t>(dims.size())},
        [&](const std::vector<Var>& i) {
            // A rank of 0 has no elements, but an expression is wanted all the same.
            return dims.empty() ? arith::zero(types::Int64) : convert(selectAt(i[0], dims), types::Int64);
        },
        call.origin)};
}

Tensors computeReshape(const CallContext& call) {
    const Shape& result = resultTensor(call).shape;
    return mapped(call, "reshape",
                  [&](const std::vector<Var>& i) { return reshapedIndices(i, result, call.args[0]->shape); });
}

Tensors computeTranspose(const CallContext& call) {
    const auto& axes = relay::attrs<relay::TransposeAttrs>(call.attrs).axes;
    return mapped(call, "transpose", [&](const std::vector<Var>& i) {
        Indices indices(i.size());
        for (size_t d = 0; d < axes.size(); ++d)
            indices[axisOf(axes[d], i.size())] = i[d];
        return indices;
    });
}

Tensors computeBroadcastTo(const CallContext& call) {
    return mapped(call, "broadcast_to", [&](const std::vector<Var>& i) {
        return broadcastIndices(call.args[0]->shape, resultTensor(call).shape, i);
    });
}

Tensors computeConcat(const CallContext& call) {
    const Shape& result = resultTensor(call).shape;
    const size_t axis = axisOf(relay::attrs<relay::AxisAttrs>(call.attrs).axis, result.size());
    std::vector<TensorPtr> parts;
    for (const TensorPtr& arg : call.args)
        if (!arith::isConst(arg->shape[axis], 0))
            parts.push_back(arg);
    if (parts.empty())
        parts.push_back(call.args[0]);
    return {te::compute(
        "concat", result,
        [&](const std::vector<Var>& i) {
            Expr end = 0;
            std::vector<Expr> starts;
            for (const TensorPtr& part : parts) {
                starts.push_back(end);
                end = arith::simplify(end + part->shape[axis]);
            }
            Expr value;
            for (size_t p = parts.size(); p-- > 0;) {
                Indices indices = asIndices(i);
                indices[axis] =
                    parts.size() == 1 ? Expr(i[axis]) : clampIndex(i[axis] - starts[p], parts[p]->shape[axis]);
                const Expr element = (*parts[p])(indices);
                value = value ? arith::select(arith::lt(i[axis], starts[p + 1]), element, value) : element;
            }
            return value;
        },
        call.origin)};
}

Tensors computeSlice(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::SliceAttrs>(call.attrs);
    return mapped(call, "slice", [&](const std::vector<Var>& i) {
        Indices indices;
        for (size_t d = 0; d < i.size(); ++d)
            indices.push_back(attrs.begin[d] + i[d] * arith::intImm(attrs.step.empty() ? 1 : attrs.step[d]));
        return indices;
    });
}

Tensors computeTile(const CallContext& call) {
    const Shape& shape = call.args[0]->shape;
    const auto& repeats = relay::attrs<relay::TileAttrs>(call.attrs).repeats;
    return mapped(call, "tile", [&](const std::vector<Var>& i) {
        Indices indices;
        for (size_t d = 0; d < i.size(); ++d)
            indices.push_back(arith::isConst(repeats[d], 1) ? Expr(i[d]) : arith::floorMod(i[d], divisor(shape[d])));
        return indices;
    });
}

Tensors computeReverse(const CallContext& call) {
    const Shape& shape = call.args[0]->shape;
    return mapped(call, "reverse", [&](const std::vector<Var>& i) {
        Indices indices = asIndices(i);
        for (int64_t axis : relay::attrs<relay::AxesAttrs>(call.attrs).axes) {
            const size_t d = axisOf(axis, i.size());
            indices[d] = shape[d] - 1 - i[d];
        }
        return indices;
    });
}

Tensors computeReverseSequence(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::ReverseAttrs>(call.attrs);
    const Shape& shape = call.args[0]->shape;
    const size_t time = axisOf(attrs.timeAxis, shape.size());
    const size_t batch = axisOf(attrs.batchAxis, shape.size());
    return mapped(call, "reverse_sequence", [&](const std::vector<Var>& i) {
        const Expr length = toIndex((*call.args[1])({i[batch]}));
        Indices indices = asIndices(i);
        indices[time] =
            clampIndex(arith::select(arith::lt(i[time], length), length - 1 - i[time], i[time]), shape[time]);
        return indices;
    });
}

Tensors computeDepthToSpace(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::BlockAttrs>(call.attrs);
    const Shape& result = resultTensor(call).shape;
    const Expr block = attrs.block;
    return mapped(call, "depth_to_space", [&](const std::vector<Var>& i) {
        const Expr row = arith::floorMod(i[2], block), column = arith::floorMod(i[3], block);
        const Expr inner = row * block + column;
        const Expr channel = attrs.mode == "CRD" ? i[1] * (block * block) + inner : inner * result[1] + i[1];
        return Indices{i[0], channel, arith::floorDiv(i[2], block), arith::floorDiv(i[3], block)};
    });
}

Tensors computeSpaceToDepth(const CallContext& call) {
    const Expr block = relay::attrs<relay::BlockAttrs>(call.attrs).block;
    const Expr channels = divisor(call.args[0]->shape[1]);
    return mapped(call, "space_to_depth", [&](const std::vector<Var>& i) {
        const Expr inner = arith::floorDiv(i[1], channels);
        return Indices{i[0], arith::floorMod(i[1], channels), i[2] * block + arith::floorDiv(inner, block),
                       i[3] * block + arith::floorMod(inner, block)};
    });
}

} // namespace lathe::topi
