// SPDX-License-Identifier: Apache-2.0
//
// Bytes and steps, in doubles where products may be large.
#include "relay/folding.h"

#include "base/limits.h"
#include "relay/attrs.h"
#include "relay/element.h"
#include "relay/type_map.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::relay {
namespace {

constexpr int64_t smallBytes = limits::knownValueElements * 8;
constexpr double most = 0x1p62;

double product(const std::vector<int64_t>& values) {
    double all = 1;
    for (const int64_t value : values)
        all *= static_cast<double>(std::max<int64_t>(value, 1));
    return all;
}

double allElements(const Type& type) {
    double all = 0;
    for (const Type& field : fieldTypes(type)) {
        const TensorType* tensor = asTensor(field);
        if (!tensor)
            continue;
        double each = 1;
        for (const Expr& dim : tensor->shape)
            each *= static_cast<double>(std::max<int64_t>(arith::asInt(dim).value_or(1), 0));
        all += each;
    }
    return all;
}

double extentOf(const Type& type, int64_t axis) {
    const TensorType* tensor = asTensor(type);
    if (!tensor || tensor->shape.empty())
        return 1;
    const auto rank = static_cast<int64_t>(tensor->shape.size());
    const auto at = static_cast<size_t>(std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank - 1));
    return static_cast<double>(std::max<int64_t>(arith::asInt(tensor->shape[at]).value_or(1), 1));
}

/// Steps an element of the result.
double stepsAnElement(const OpCall& call, std::span<const Type> args, const Type& result) {
    const FusionKind kind = info(call.op).fusion;
    switch (call.op) {
    case Op::MatMul:
        return extentOf(args[0], attrs<MatMulAttrs>(call.attrs).transposeA ? -2 : -1);
    case Op::Conv:
        return allElements(args[1]) / extentOf(args[1], 0);
    case Op::WinogradConv:
        return 2 * extentOf(args[1], 1) * extentOf(args[1], 0);
    case Op::WinogradWeights:
        return 9;
    case Op::MaxPool:
    case Op::MaxPoolWithIndex:
    case Op::AvgPool:
        return product(attrs<PoolAttrs>(call.attrs).kernel);
    case Op::Dft:
        return 4 * std::max(extentOf(args[0], attrs<DftAttrs>(call.attrs).axis),
                            extentOf(result, attrs<DftAttrs>(call.attrs).axis));
    case Op::Einsum:
    case Op::Det:
    case Op::NonMaxSuppression:
    case Op::RoiAlign: { // bounds that are far too high: these are not worth more
        double all = 64;
        if (call.op == Op::RoiAlign)
            all *= product({attrs<RoiAlignAttrs>(call.attrs).samplingRatio}) *
                   product({attrs<RoiAlignAttrs>(call.attrs).samplingRatio});
        for (const Type& arg : args)
            all *= arg ? std::max(allElements(arg), 1.0) : 1;
        return all;
    }
    default:
        return kind <= FusionKind::Reduction ? 1 : kind == FusionKind::Opaque ? 4 : 64;
    }
}

} // namespace

std::optional<int64_t> bytesOf(const Type& type) {
    const TensorType* tensor = asTensor(type);
    const std::optional<std::vector<int64_t>> dims =
        tensor ? constantShape(storedShape(tensor->shape, tensor->layout)) : std::nullopt;
    if (!dims)
        return std::nullopt;
    int64_t bytes = tensor->dtype.bytes();
    for (const int64_t dim : *dims)
        if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > limits::tensorBytes)
            return std::nullopt;
    return bytes;
}

Origins::Amount Origins::of(const ConstantPtr& constant) {
    std::vector<const Constant*> open = {constant.get()}; // a stack: chains of recipes are long
    while (!open.empty()) {
        const Constant& at = *open.back();
        const int64_t elements = at.splat ? 1 : at.elements();
        const Amount own{elements * asTensor(at.type)->dtype.bytes(), elements};
        if (!at.recipe || known_.contains(at.hash)) {
            known_.try_emplace(at.hash, own);
            open.pop_back();
            continue;
        }
        Amount sum;
        const size_t before = open.size();
        std::unordered_set<const Constant*> seen;
        for (const ConstantPtr& arg : at.recipeArgs) {
            if (!seen.insert(arg.get()).second)
                continue;
            if (const auto found = known_.find(arg->hash); found == known_.end()) {
                open.push_back(arg.get());
            } else {
                sum.bytes += found->second.bytes;
                sum.elements += found->second.elements;
            }
        }
        if (open.size() > before)
            continue;
        known_[at.hash] = {std::min(own.bytes, sum.bytes), std::min(own.elements, sum.elements)};
        open.pop_back();
    }
    return known_.at(constant->hash);
}

bool paysAsConstant(const Type& result, const Origins::Amount& from) {
    const std::optional<int64_t> bytes = bytesOf(result);
    if (!bytes || *bytes <= smallBytes)
        return bytes.has_value();
    const DataType dtype = asTensor(result)->dtype;
    const int64_t stored = dtype.isFloat() ? std::max(from.bytes, from.elements * dtype.bytes()) : from.bytes;
    return *bytes <= 2 * stored;
}

int64_t stepsOf(const OpCall& call, std::span<const Type> args, const Type& result) {
    double steps = allElements(result) * stepsAnElement(call, args, result);
    for (const Type& arg : args)
        steps += arg ? allElements(arg) : 0;
    return static_cast<int64_t>(std::min(steps, most));
}

} // namespace lathe::relay
