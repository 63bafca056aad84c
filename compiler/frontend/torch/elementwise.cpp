// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/elementwise.h"

namespace lathe::frontend::torch {

Operand operandOf(Call& call, const char* name) {
    const TorchValue& value = call.value(name);
    const bool isTensor = call.schema.arguments[*call.schema.find(name)].type.kind == SchemaType::Kind::Tensor;
    if (value.as<Complex>() || (isTensor && value.as<Var>()))
        return call.tensor(name);
    return call.scalar(name);
}

std::vector<Var> operandsOf(Call& call, std::initializer_list<const char*> names, Integers integers) {
    std::vector<Operand> operands;
    for (const char* name : names)
        operands.push_back(operandOf(call, name));
    return promoted(call, operands, integers);
}

Var roundedOnce(Builder& b, const std::vector<Var>& operands, const Combination& fn) {
    if (b.failed())
        return {};
    const DataType dtype = b.dtype(operands[0]), compute = lathe::computeType(dtype);
    if (dtype == compute)
        return fn(operands);
    std::vector<Var> wide;
    for (const Var operand : operands)
        wide.push_back(cast(b, operand, compute));
    const Var result = fn(wide);
    return b.failed() || b.dtype(result) != compute ? result : cast(b, result, dtype);
}

Var asBool(Builder& b, Var x) {
    return isBool(b, x) ? x : b.call(Op::NotEqual, {x, scalarLike(b, 0, x)});
}

bool isBool(Builder& b, Var x) {
    return !b.failed() && b.dtype(x).isBool();
}

bool isFloat(Builder& b, Var x) {
    return !b.failed() && b.dtype(x).isFloat();
}

void giveMapped(Call& call, const Mapping& fn) {
    call.give(inSingle(call.b, call.tensor("self"), fn));
}

void giveFloat(Call& call, const Mapping& fn) {
    call.give(inSingle(call.b, promotedToFloat(call, call.tensor("self")), fn));
}

} // namespace lathe::frontend::torch
