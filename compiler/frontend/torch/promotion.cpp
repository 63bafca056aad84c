// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/promotion.h"

#include <fmt/format.h>

namespace lathe::frontend::torch {
namespace {

constexpr int kindRank(DataType dtype) {
    return dtype.isBool() ? 0 : dtype.isFloat() ? 2 : 1;
}

/// PyTorch has types that it stores and converts, but does not promote.
constexpr bool isBare(DataType dtype) {
    return dtype.code == TypeCode::UInt && dtype.bits > 8;
}
constexpr bool isNarrowFloat(DataType dtype) {
    return dtype.isFloat() && dtype.bits <= 8;
}

DataType typeOfNumber(const Scalar& scalar) {
    switch (scalar.kind) {
    case Scalar::Kind::Bool:
        return types::Bool;
    case Scalar::Kind::Int:
        return types::Int64;
    case Scalar::Kind::Float:
        return defaultFloat;
    }
    return types::Int64;
}

/// What operands of two classes give, `first` being of the class that decides. Void: no operand of that class.
std::optional<DataType> combine(DataType first, DataType second) {
    if (first == types::Void || second == types::Void)
        return first == types::Void ? second : first;
    return kindRank(first) >= kindRank(second) ? first : promoteTypes(first, second);
}

} // namespace

std::optional<DataType> promoteTypes(DataType a, DataType b) {
    if (a == b)
        return a;
    if (isNarrowFloat(a) || isNarrowFloat(b))
        return std::nullopt;
    if (kindRank(a) != kindRank(b) && (kindRank(a) == 2 || kindRank(b) == 2))
        return kindRank(a) == 2 ? a : b;
    if (isBare(a) || isBare(b))
        return std::nullopt;
    if (kindRank(a) != kindRank(b))
        return kindRank(a) > kindRank(b) ? a : b;
    if (a.isFloat()) {
        if (a.bits == b.bits) // float16 and bfloat16
            return types::Float32;
        return a.bits > b.bits ? a : b;
    }
    if (a.code == b.code)
        return a.bits > b.bits ? a : b;
    const DataType isSigned = a.isSigned() ? a : b; // beside uint8
    return isSigned.bits > 8 ? isSigned : types::Int16;
}

DataType promotedType(Call& call, const std::vector<Operand>& operands, Integers integers) {
    Builder& b = call.b;
    if (call.failed())
        return defaultFloat;
    DataType dims = types::Void, rankZero = types::Void, numbers = types::Void;
    bool works = true;
    for (const Operand& operand : operands) {
        const Var* tensor = std::get_if<Var>(&operand);
        DataType& kind = !tensor ? numbers : b.rank(*tensor) > 0 ? dims : rankZero;
        const DataType dtype = tensor ? b.dtype(*tensor) : typeOfNumber(std::get<Scalar>(operand));
        const std::optional<DataType> both = kind == types::Void ? dtype : promoteTypes(kind, dtype);
        works = works && both;
        kind = both.value_or(kind);
    }
    std::optional<DataType> all = combine(rankZero, numbers);
    all = all ? combine(dims, *all) : std::nullopt;
    if (!works || !all) {
        call.fail("the operands are of types that PyTorch promotes to no common one",
                  "convert them to one type in the program");
        return defaultFloat;
    }
    return integers == Integers::BecomeFloat && !all->isFloat() ? defaultFloat : *all;
}

std::vector<Var> promoted(Call& call, const std::vector<Operand>& operands, Integers integers) {
    const DataType dtype = promotedType(call, operands, integers);
    std::vector<Var> all;
    for (const Operand& operand : operands)
        all.push_back(inType(call.b, operand, dtype));
    return all;
}

Var promotedToFloat(Call& call, Var x) {
    return promoted(call, {x}, Integers::BecomeFloat)[0];
}

Var inType(Builder& b, const Operand& operand, DataType dtype) {
    const Var* tensor = std::get_if<Var>(&operand);
    return tensor ? cast(b, *tensor, dtype) : toTensor(b, std::get<Scalar>(operand), dtype);
}

} // namespace lathe::frontend::torch
