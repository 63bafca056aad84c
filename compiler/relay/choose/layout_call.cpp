// SPDX-License-Identifier: Apache-2.0
#include "relay/choose/layout_call.h"

#include "relay/transform/make.h"

namespace lathe::relay::choose {

LayoutCall::LayoutCall(BindingPtr binding, const relay::Index& index) : binding_(std::move(binding)), index_(index) {
    for (const Var arg : call().args)
        argTypes_.push_back(arg ? transform::typeOf(index_, arg) : nullptr);
}

PanelRequest LayoutCall::panels() const {
    const PanelRequest request = columns().panels ? columns().panels({call(), argTypes_, type()}) : PanelRequest{};
    return isConstant(request.operand) ? request : PanelRequest{};
}

MadeBlocks LayoutCall::makes() const {
    const MadeBlocks made = columns().makes ? columns().makes({call(), argTypes_, type()}) : MadeBlocks{};
    return made.constant < 0 || isConstant(made.constant) ? made : MadeBlocks{};
}

CarriedBlocks LayoutCall::carries(size_t operand, int dim) const {
    const CarriedBlocks carried = columns().carries
                                      ? columns().carries({call(), argTypes_, type()}, static_cast<int>(operand), dim)
                                      : CarriedBlocks{};
    return carried.constant < 0 || isConstant(carried.constant) ? carried : CarriedBlocks{};
}

int LayoutCall::elementDim(size_t operand, int dim) const {
    const TensorType* tensor = asTensor(argTypes_[operand]);
    for (int own = 0; tensor && own < static_cast<int>(tensor->shape.size()); ++own)
        if (const CarriedBlocks carried = carries(operand, own);
            carried.way == Carriage::Elements && carried.dim == dim)
            return own;
    return -1;
}

bool LayoutCall::isConstant(int operand) const {
    if (operand < 0)
        return false;
    const ConstantPtr constant = transform::constantOf(index_, call().args[static_cast<size_t>(operand)]);
    return constant && !constant->splat && hasLayouts(asTensor(constant->type)->dtype);
}

} // namespace lathe::relay::choose
