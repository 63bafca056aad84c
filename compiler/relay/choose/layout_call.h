// SPDX-License-Identifier: Apache-2.0
//
// A call as choosing layouts sees it: its operator's layout columns (relay/layout_columns.h), asked with the types at hand. What
// depends on a constant operand is only said where that is one: numbers, not one value repeated, of a type with layouts.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::choose {

/// Element types that are stored in blocks and panels: what the rules say was measured with this one.
inline bool hasLayouts(DataType dtype) {
    return dtype == types::Float32;
}

class LayoutCall {
public:
    /// Of a binding of a call of an operator. index outlives it.
    LayoutCall(BindingPtr binding, const relay::Index& index);

    Var var() const { return binding_->var; }
    const std::vector<Var>& args() const { return call().args; }
    const Type& argType(size_t operand) const { return argTypes_[operand]; } // null for an absent one
    const Type& type() const { return binding_->type; }

    PanelRequest panels() const;
    BlockRequest blocks() const { return info(call().op).layouts.blocks; }
    MadeBlocks makes() const;
    CarriedBlocks carries(size_t operand, int dim) const;
    /// The dim of an operand whose blocks would be those of the result along `dim`, element by element; -1: none.
    int elementDim(size_t operand, int dim) const;

private:
    const OpCall& call() const { return *binding_->as<OpCall>(); }
    const LayoutColumns& columns() const { return info(call().op).layouts; }
    bool isConstant(int operand) const;

    BindingPtr binding_;
    const relay::Index& index_;
    std::vector<Type> argTypes_;
};

} // namespace lathe::relay::choose
