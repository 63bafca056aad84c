// SPDX-License-Identifier: Apache-2.0
//
// In doubles: products may be large.
#include "relay/operator_steps.h"

#include "relay/attrs.h"
#include "relay/folding.h"

#include <algorithm>

namespace lathe::relay {
namespace {

constexpr double mostSteps = 0x1p62;

double windowOf(const std::vector<int64_t>& values) {
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

} // namespace

namespace steps {

double matMul(const TypedCall& call) {
    return extentOf(call.args[0], attrs<MatMulAttrs>(call.call.attrs).transposeA ? -2 : -1);
}

double conv(const TypedCall& call) {
    return allElements(call.args[1]) / extentOf(call.args[1], 0);
}

double winogradConv(const TypedCall& call) {
    return 2 * extentOf(call.args[1], 1) * extentOf(call.args[1], 0);
}

double pool(const TypedCall& call) {
    return windowOf(attrs<PoolAttrs>(call.call.attrs).kernel);
}

double dft(const TypedCall& call) {
    const int64_t axis = attrs<DftAttrs>(call.call.attrs).axis;
    return 4 * std::max(extentOf(call.args[0], axis), extentOf(call.result, axis));
}

double anyWithAny(const TypedCall& call) {
    double all = 64;
    for (const Type& arg : call.args)
        all *= arg ? std::max(allElements(arg), 1.0) : 1;
    return all;
}

double roiAlign(const TypedCall& call) {
    const int64_t samples = attrs<RoiAlignAttrs>(call.call.attrs).samplingRatio;
    return windowOf({samples, samples}) * anyWithAny(call);
}

} // namespace steps

int64_t stepsOf(const OpCall& call, std::span<const Type> args, const Type& result) {
    double steps = allElements(result) * info(call.op).steps({call, args, result});
    for (const Type& arg : args)
        steps += arg ? allElements(arg) : 0;
    return static_cast<int64_t>(std::min(steps, mostSteps));
}

} // namespace lathe::relay
