// SPDX-License-Identifier: Apache-2.0
//
// Copies of Blocks with new Vars and symbols: for whatever puts the body of a function at the place of its call.
#pragma once

#include "relay/ir.h"

namespace lathe::relay::transform {

class Cloner {
public:
    Cloner(uint32_t& nextVar) : nextVar_(nextVar) {}

    /// Vars and symbols of the original that stand for something already there: parameters, captures.
    void replace(Var original, Var copy) { vars_[original.id] = copy; }
    arith::VarMap& symbols() { return symbols_; }

    /// The bindings of a Block with fresh Vars; symbols that they define are made anew. Vars from outside stay.
    std::vector<BindingPtr> bindings(const Block& block);
    Var of(Var original) const;
    Type of(const Type& type) const;

private:
    uint32_t& nextVar_;
    std::map<uint32_t, Var> vars_;
    arith::VarMap symbols_;

    BlockPtr block(const BlockPtr& block);
    Var fresh(Var original);
    Param param(const Param& param);
    void renew(const Type& type);
    void renew(const Expr& expr);
};

} // namespace lathe::relay::transform
