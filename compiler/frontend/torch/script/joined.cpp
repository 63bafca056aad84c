// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/joined.h"

#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <bit>

namespace lathe::frontend::torch::script {
namespace {

using Outcome = Joined::Kind;
using Agreed = std::expected<Joined, std::string>;

/// What a number is where it is not known; Same: it is none.
Outcome numberKind(const Joined& value) {
    if (value.kind != Outcome::Same)
        return value.kind == Outcome::Int || value.kind == Outcome::Float || value.kind == Outcome::Bool
                   ? value.kind
                   : Outcome::Same;
    if (value.keep.as<bool>())
        return Outcome::Bool;
    if (const Expr* expr = value.keep.as<Expr>())
        return expr->dtype().isBool() ? Outcome::Bool : Outcome::Int;
    if (const Number* number = value.keep.as<Number>())
        return number->isBool ? Outcome::Bool : Outcome::Float;
    return value.keep.as<double>() ? Outcome::Float : Outcome::Same;
}

bool isUninitialized(const Joined& value) {
    return value.kind == Outcome::Same && value.keep.as<Uninitialized>();
}

/// A number that is not known may be one of a block alone.
Joined withoutUnknown(const Joined& value) {
    const Expr* expr = value.keep.as<Expr>();
    const bool isUnknown = value.kind == Outcome::Same && (value.keep.as<Number>() || (expr && !arith::asInt(*expr)));
    return isUnknown ? Joined{.kind = numberKind(value)} : value;
}

bool haveSameScale(const Joined& a, const Joined& b) {
    const Quantized &x = *a.keep.as<Quantized>(), &y = *b.keep.as<Quantized>();
    return x.by.scale == y.by.scale && x.by.zero == y.by.zero && x.by.axis == y.by.axis &&
           x.isPerChannel == y.isPerChannel;
}

bool haveEqualKeys(const Joined& a, const Joined& b) {
    return std::ranges::equal(a.keys, b.keys, [](const ScriptValue& x, const ScriptValue& y) { return isSame(x, y); });
}

/// Whether it is a tensor, a new one or one that was there before.
bool isTensor(const Joined& value) {
    return value.kind == Outcome::Tensor || (value.kind == Outcome::Same && value.keep.as<TensorRef>());
}

/// The tensor that was there before.
Joined kept(Joined tensor) {
    tensor.kind = Outcome::Same;
    return tensor;
}

Agreed joinParts(const Joined& a, const Joined& b) {
    Joined joined = a;
    for (size_t i = 0; i < a.parts.size(); ++i) {
        Agreed part = join(a.parts[i], b.parts[i]);
        if (!part)
            return part;
        joined.parts[i] = *std::move(part);
    }
    return joined;
}

Joined joinTensors(const Joined& a, const Joined& b) {
    Joined joined = a;
    joined.kind = Outcome::Tensor;
    joined.keep = {}; // it is neither
    for (size_t i = 0; i < std::min(a.dims.size(), b.dims.size()); ++i)
        if (!arith::asInt(a.dims[i]))
            joined.dims[i] = b.dims[i];
    joined.sharesWith.insert(b.sharesWith.begin(), b.sharesWith.end());
    return joined;
}

} // namespace

bool isSame(const ScriptValue& a, const ScriptValue& b) {
    if (a.value.index() != b.value.index())
        return false;
    if (const TensorRef* ref = a.as<TensorRef>())
        return ref->place == b.as<TensorRef>()->place;
    if (const CellRef* ref = a.as<CellRef>())
        return ref->cell == b.as<CellRef>()->cell;
    if (const Expr* expr = a.as<Expr>())
        return expr->same(*b.as<Expr>()) ||
               (expr->dtype() == b.as<Expr>()->dtype() && arith::structurallyEqual(*expr, *b.as<Expr>()));
    if (const bool* flag = a.as<bool>())
        return *flag == *b.as<bool>();
    if (const double* real = a.as<double>())
        return std::bit_cast<uint64_t>(*real) == std::bit_cast<uint64_t>(*b.as<double>());
    if (const std::string* text = a.as<std::string>())
        return *text == *b.as<std::string>();
    if (const Number* number = a.as<Number>())
        return number->element == b.as<Number>()->element;
    if (const Complex* complex = a.as<Complex>())
        return complex->parts == b.as<Complex>()->parts;
    if (const Quantized* quantized = a.as<Quantized>())
        return quantized->integers == b.as<Quantized>()->integers;
    if (const Rows* rows = a.as<Rows>())
        return rows->stacked == b.as<Rows>()->stacked;
    if (const TupleValue* tuple = a.as<TupleValue>())
        return tuple->items == b.as<TupleValue>()->items ||
               std::ranges::equal(*tuple->items, *b.as<TupleValue>()->items,
                                  [](const ScriptValue& x, const ScriptValue& y) { return isSame(x, y); });
    if (const Callable* callable = a.as<Callable>())
        return callable->function == b.as<Callable>()->function;
    if (const EnumMember* member = a.as<EnumMember>())
        return member->name == b.as<EnumMember>()->name;
    if (const Device* device = a.as<Device>())
        return device->name == b.as<Device>()->name;
    return true; // None, Uninitialized
}

bool isSame(const Joined& a, const Joined& b) {
    return a.kind == b.kind && (a.kind != Outcome::Same || isSame(a.keep, b.keep)) &&
           a.parts.size() == b.parts.size() && haveEqualKeys(a, b) && a.sharesWith == b.sharesWith &&
           std::ranges::equal(a.parts, b.parts, [](const Joined& x, const Joined& y) { return isSame(x, y); });
}

size_t slotsOf(const Joined& joined) {
    if (joined.kind == Outcome::Same)
        return 0;
    if (joined.kind != Outcome::Tuple && joined.kind != Outcome::List && joined.kind != Outcome::Dict)
        return 1;
    size_t count = 0;
    for (const Joined& part : joined.parts)
        count += slotsOf(part);
    return count;
}

Agreed join(const Joined& a, const Joined& b) {
    // What is not initialized is never read.
    if (isUninitialized(a) || isUninitialized(b))
        return withoutUnknown(isUninitialized(a) ? b : a);
    if (a.kind == Outcome::Same && b.kind == Outcome::Same && isSame(a.keep, b.keep))
        return a;
    if (const Outcome x = numberKind(a), y = numberKind(b); x != Outcome::Same && x == y)
        return Joined{.kind = x};
    if (isTensor(a) && isTensor(b))
        return a.keep.as<TensorRef>() && isSame(a.keep, b.keep) && !a.sharesWith.empty() ? kept(a) : joinTensors(a, b);
    const bool areParts = a.kind == b.kind && a.parts.size() == b.parts.size();
    if (areParts &&
        (a.kind == Outcome::Tuple || a.kind == Outcome::List || (a.kind == Outcome::Dict && haveEqualKeys(a, b))))
        return joinParts(a, b);
    if (a.kind == Outcome::Quantized && b.kind == Outcome::Quantized)
        return haveSameScale(a, b) ? Agreed(a) : std::unexpected("a tensor is quantized otherwise each time");
    if (a.kind == Outcome::Dict && b.kind == Outcome::Dict)
        return std::unexpected("a dict has other keys each time");
    if (a.kind == Outcome::List && b.kind == Outcome::List)
        return std::unexpected("a list has another length each time");
    return std::unexpected("a value is of another kind each time, or it is known but differs, and is no number");
}

} // namespace lathe::frontend::torch::script
