// SPDX-License-Identifier: Apache-2.0
//
// Type rules and value rules of the operator table.
#pragma once

#include "relay/attrs.h"
#include "relay/ir.h"

namespace lathe::relay {

/// What a type rule may look at and ask for.
class RuleContext {
public:
    virtual ~RuleContext() = default;
    virtual const std::vector<Type>& args() const = 0; // null for an absent operand
    virtual const std::vector<Expr>* known(int arg) const = 0;
    virtual AttrsPtr attrs() const = 0;
    /// A fresh symbol that this call defines.
    virtual Expr freshSymbol(const std::string& hint, int64_t lower, int64_t upper) = 0;
    /// A condition that must hold when running (dims that should be equal but are not provably so).
    virtual void require(const Expr& condition, const std::string& message) = 0;
};

/// The type of a call, or why its operands do not fit (without naming the node: the Builder adds that).
Result<Type> inferType(Op op, RuleContext& context);

/// Elements of a call's result from known elements of its operands (null where unknown); nothing if the operator has no
/// value rule or too little is known. Never fails. Results of several fields: not folded here.
std::optional<std::vector<Expr>> inferValue(Op op, const Type& result, const std::vector<Type>& args,
                                            const std::vector<const std::vector<Expr>*>& known, const AttrsPtr& attrs);

/// NumPy broadcasting of symbolic shapes: dims not provably equal give select(a == 1, b, a) and a requirement.
Result<std::vector<Expr>> broadcastShapes(const std::vector<Expr>& a, const std::vector<Expr>& b, RuleContext* context);

} // namespace lathe::relay
