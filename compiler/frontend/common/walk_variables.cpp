// SPDX-License-Identifier: Apache-2.0
//
// Variables become states of main: what one holds before the call is a parameter, made when it is first asked for, and what
// it holds afterwards a result. Between the two there are values alone, as everywhere.
#include "frontend/common/emit.h"
#include "frontend/common/walk.h"
#include "relay/element.h"

#include <fmt/format.h>

namespace lathe::frontend {

Var GraphWalk::current(const std::string& name, Variable& variable) {
    if (!variable.now) {
        variable.now = builder_.param(name, variable.initial->type);
        states_.push_back(name);
    }
    return variable.now;
}

Var GraphWalk::variable(const std::string& name, const relay::ConstantPtr& initial) {
    if (builder_.failed())
        return {};
    Variable& variable = variables_[name];
    if (!variable.initial)
        variable.initial = initial;
    if (!variable.initial) {
        builder_.fail(fmt::format("variable '{}' is read, but nothing says what it holds before the first call", name),
                      "give the variable an initial value and convert the model again", ErrorKind::Unsupported);
        return {};
    }
    if (initial && !relay::sameType(initial->type, variable.initial->type)) {
        builder_.fail(fmt::format("variable '{}' is read as {}, it is {}", name, toString(initial->type),
                                  toString(variable.initial->type)));
        return {};
    }
    return current(name, variable);
}

const relay::TensorType* GraphWalk::keepable(const std::string& name, Var value) {
    const relay::TensorType* type = builder_.isTensor(value) ? &builder_.tensor(value) : nullptr;
    if (!type || type->dtype == types::String)
        builder_.fail(fmt::format("variable '{}' would hold what is no tensor of numbers", name),
                      "keep tensors of numbers from one call to the next", ErrorKind::Unsupported);
    else if (!relay::constantShape(type->shape))
        builder_.fail(fmt::format("variable '{}' would hold {}, whose size is not known before the call", name,
                                  toString(builder_.type(value))),
                      "fix the sizes of the inputs: --shape NAME=SIZES", ErrorKind::Unsupported);
    return builder_.failed() ? nullptr : type;
}

void GraphWalk::setInitial(const std::string& name, Variable& variable, Var value) {
    const relay::ConstantPtr constant = builder_.constantOf(value);
    if (!constant)
        builder_.fail(fmt::format("what variable '{}' holds before the first call is no constant", name),
                      "initialize it with a constant and convert the model again", ErrorKind::Unsupported);
    else if (variable.now)
        builder_.fail(fmt::format("variable '{}' is initialized after it was used", name));
    else if (keepable(name, value))
        variable.initial = constant;
}

void GraphWalk::assign(const std::string& name, Var value) {
    if (builder_.failed())
        return;
    Variable& variable = variables_[name];
    if (isInitial_)
        return setInitial(name, variable, value);
    if (!builder_.isOutermost())
        return builder_.fail(
            fmt::format("variable '{}' is assigned in a branch or a loop, which is not supported", name),
            "give the new value out of the branch or loop, and assign it there", ErrorKind::Unsupported);
    if (!variable.initial) { // assigned before it is read, so nothing will show what it held before
        const relay::TensorType* type = keepable(name, value);
        if (!type)
            return;
        variable.initial = relay::makeSplat(type->dtype, *relay::constantShape(type->shape), 0);
    }
    const Var before = current(name, variable);
    if (!builder_.isTensor(value) || builder_.dtype(value) != builder_.dtype(before) ||
        builder_.rank(value) != builder_.rank(before))
        return builder_.fail(fmt::format("variable '{}' is {}, and is assigned {}", name,
                                         toString(builder_.type(before)), toString(builder_.type(value))));
    variable.now = withDims(builder_, value, builder_.shape(before)); // checked in the call where only that will tell
}

void GraphWalk::initially(const std::function<void()>& fn) {
    const bool around = isInitial_;
    isInitial_ = true;
    fn();
    isInitial_ = around;
}

} // namespace lathe::frontend
