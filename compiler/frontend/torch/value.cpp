// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/value.h"

namespace lathe::frontend::torch {

std::string kindOf(const TorchValue& value) {
    struct Words {
        std::string operator()(std::monostate) const { return "None"; }
        std::string operator()(Var) const { return "a tensor"; }
        std::string operator()(const Complex&) const { return "a tensor of complex numbers"; }
        std::string operator()(bool) const { return "a bool"; }
        std::string operator()(const Expr& expr) const { return expr.dtype().isBool() ? "a bool" : "an int"; }
        std::string operator()(double) const { return "a float"; }
        std::string operator()(const std::string&) const { return "a string"; }
        std::string operator()(DataType) const { return "an element type"; }
        std::string operator()(const List&) const { return "a list"; }
    };
    return std::visit(Words(), value.value);
}

std::optional<Scalar> toScalar(Builder& b, const TorchValue& value) {
    using Kind = Scalar::Kind;
    if (const bool* flag = value.as<bool>())
        return Scalar{Kind::Bool, arith::boolImm(*flag), 0, {}};
    if (const Expr* whole = value.as<Expr>())
        return Scalar{whole->dtype().isBool() ? Kind::Bool : Kind::Int, *whole, 0, {}};
    if (const double* real = value.as<double>())
        return Scalar{Kind::Float, {}, *real, {}};
    const Var* element = value.as<Var>();
    if (!element || !b.isTensor(*element) || b.rank(*element) != 0)
        return std::nullopt;
    const DataType dtype = b.dtype(*element);
    return Scalar{dtype.isFloat() ? Kind::Float : dtype.isBool() ? Kind::Bool : Kind::Int, {}, 0, *element};
}

Var toTensor(Builder& b, const Scalar& scalar, DataType dtype) {
    if (scalar.element)
        return cast(b, scalar.element, dtype);
    if (scalar.kind == Scalar::Kind::Float)
        return b.scalar(scalar.real, dtype);
    if (const std::optional<int64_t> known = arith::asInt(scalar.whole))
        return dtype.isInt() ? b.scalarInt(*known, dtype) : b.scalar(static_cast<double>(*known), dtype);
    const bool isBool = scalar.whole.dtype().isBool();
    return cast(b, b.scalarOf(isBool ? arith::select(scalar.whole, 1, 0) : scalar.whole), dtype);
}

} // namespace lathe::frontend::torch
