// SPDX-License-Identifier: Apache-2.0
//
// New bindings and constants inside passes. As in the Builder each goes through the operator's type rule, so no pass can make
// an untyped or mistyped binding; a rule that fails is a bug of the pass.
#pragma once

#include "relay/attrs.h"
#include "relay/ir.h"

namespace lathe::relay::transform {

/// Makes bindings at one place of a Block; take() gives them in order.
class Maker {
public:
    Maker(Module& module, Span span) : module_(module), span_(span) {}

    struct Value {
        Var var;
        Type type;
    };
    Value call(Op op, const std::vector<Value>& args, AttrsPtr attrs = nullptr);
    template <class A>
    Value call(Op op, const std::vector<Value>& args, A attrs) {
        return call(op, args, AttrsPtr(std::make_shared<A>(std::move(attrs))));
    }
    Value constant(ConstantPtr constant);
    /// The value as dtype; itself, and nothing made, if it is.
    Value cast(Value value, DataType dtype);
    /// The bindings made; the last one takes `var` (whose users stay as they are) and `modelValue`.
    std::vector<BindingPtr> take(Var var, const std::string& modelValue = {});
    bool empty() const { return made_.empty(); }

private:
    Module& module_;
    Span span_;
    std::vector<std::shared_ptr<Binding>> made_;
};

/// The type of a call, or null if the operands do not fit or the result would define symbols or need a check.
Type staticType(Op op, const std::vector<Type>& args, const AttrsPtr& attrs);

/// The constant that an operator gives for constants: small ones now, large ones as a recipe that is evaluated when the
/// artifact is written. Null if the operator is not pure or its result's dims are not constant.
ConstantPtr computeConstant(Module& module, Span span, Op op, const std::vector<ConstantPtr>& args,
                            const AttrsPtr& attrs);
template <class A>
ConstantPtr computeConstant(Module& module, Span span, Op op, const std::vector<ConstantPtr>& args, A attrs) {
    return computeConstant(module, span, op, args, AttrsPtr(std::make_shared<A>(std::move(attrs))));
}

/// The constant as dtype; itself if it is.
ConstantPtr constantAs(Module& module, Span span, ConstantPtr constant, DataType dtype);

/// The type of a Var through an Index; the constant behind it, or null.
const Type& typeOf(const Index& index, Var var);
ConstantPtr constantOf(const Index& index, Var var);

/// The module with fn's body in place of that of each function that is not primitive. fn gives the same Block where nothing
/// changes, and may add to the module what it needs.
Module rewriteBodies(const Module& module, const std::function<BlockPtr(const Function& function, Module& module)>& fn);

/// Applies fn to each binding of each function that is not primitive. The Index is of the function as it was.
using PassFn = std::function<std::vector<BindingPtr>(const BindingPtr& binding, Rewriter& rewriter, const Index& index,
                                                     Module& module)>;
Module rewriteModule(const Module& module, const PassFn& fn);

} // namespace lathe::relay::transform
