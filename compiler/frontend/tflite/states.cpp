// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/states.h"

#include "base/limits.h"
#include "frontend/tflite/operands.h"
#include "model/host_tensor.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

/// Zeros as the operand stores them; null, and a fault, if its type does not say how many.
relay::ConstantPtr zerosOf(NodeReader& node, size_t i) {
    const model::ValueType* type = node.declared(i);
    std::vector<int64_t> shape;
    bool isKnown = type && type->kind == model::ValueType::Kind::Tensor && type->hasShape;
    for (size_t axis = 0; isKnown && axis < type->shape.size(); ++axis) {
        shape.push_back(type->shape[axis].value);
        isKnown = shape.back() >= 0;
    }
    const auto elements = isKnown ? model::elementsOf(shape) : std::nullopt;
    if (elements && *elements <= limits::filledElements && type->dtype != types::String) {
        const std::vector<int64_t> zeros = type->quantization ? type->quantization->zeroPoint : std::vector<int64_t>();
        return relay::makeSplat(type->dtype, std::move(shape), zeros.empty() ? 0 : static_cast<double>(zeros.front()));
    }
    node.refuse(fmt::format("the state '{}' is of unknown size, or of more than {} elements", node.node.inputs[i],
                            limits::filledElements),
                "convert the model again, with states of fixed sizes");
    return nullptr;
}

} // namespace

void overStates(NodeReader& node, const std::vector<size_t>& operands, const OverStates& fn) {
    std::vector<Var> before;
    std::vector<bool> isKept;
    for (const size_t i : operands) {
        const bool isProduced = node.hasInput(i) && node.scope.find(node.node.inputs[i]);
        isKept.push_back(node.hasInput(i) && !isProduced && !node.failed());
        before.push_back(isProduced ? realOf(node, i) : Var{});
        if (!isKept.back())
            continue;
        const relay::ConstantPtr zeros = zerosOf(node, i);
        if (!zeros)
            return;
        before.back() = realOf(node, i, node.walk.variable(node.node.inputs[i], zeros));
    }
    const std::vector<Var> after = fn(before);
    for (size_t k = 0; k < operands.size() && !node.failed(); ++k)
        if (isKept[k])
            node.walk.assign(node.node.inputs[operands[k]], storedOf(node, operands[k], after.at(k)));
}

} // namespace lathe::frontend::tflite
