// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/new_shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend {
namespace {

/// Whether an element of a new shape may turn out to be -1 while the model runs: it is data, not made from dims.
bool mayBeMarker(const Expr& size) {
    if (arith::isConst(size) || arith::bounds(size).lower >= 0)
        return false;
    const auto symbols = arith::freeVars(size);
    return std::any_of(symbols.begin(), symbols.end(), [](const arith::Var& symbol) { return symbol->lower < 0; });
}

/// The new shape from elements of which some are data: 0 copies a dim, -1 stands for what the others leave. A copied
/// dim is on both sides and does not count, be it 0. `inferable`: whether -1 occurs only where the others are not 0.
Dims runtimeShape(const Dims& wanted, const Dims& from, ZeroDim zero, Expr& inferable) {
    Dims shape = wanted;
    Expr others = 1, elements = 1, marked = arith::boolImm(false);
    for (size_t i = 0; i < std::max(shape.size(), from.size()); ++i) {
        if (i >= shape.size()) {
            elements = elements * from[i];
            continue;
        }
        const Expr marker = arith::eq(wanted[i], -1);
        Expr skipped = marker;
        if (zero == ZeroDim::Copied && i < from.size()) {
            const Expr copied = arith::eq(wanted[i], 0);
            shape[i] = arith::select(copied, from[i], wanted[i]);
            skipped = arith::logicalOr(marker, copied);
            elements = elements * arith::select(copied, 1, from[i]);
        } else if (i < from.size()) {
            elements = elements * from[i];
        }
        others = others * arith::select(skipped, 1, wanted[i]);
        marked = arith::logicalOr(marked, marker);
    }
    inferable = arith::logicalOr(arith::logicalNot(marked), arith::gt(others, 0));
    const Expr rest = arith::floorDiv(elements, arith::max(others, 1));
    for (size_t i = 0; i < shape.size(); ++i)
        shape[i] = arith::simplify(arith::select(arith::eq(wanted[i], -1), rest, shape[i]));
    return shape;
}

/// Where the other dims are 0 any size would do for -1. NumPy refuses that, and so do we. (A dim that only running
/// tells to be 0 is a 0, not one to be copied.)
Var inferred(Builder& b, Var x, const Expr& inferable, const Dims& wanted) {
    return assume(b, x, inferable, fmt::format("no dim of the new shape {} is 0 beside -1", text(wanted)));
}

} // namespace

bool mayHoldMarker(const Dims& wanted) {
    return std::ranges::any_of(wanted, mayBeMarker);
}

Var inNewShape(Builder& b, Var x, const Dims& wanted, ZeroDim zero) {
    if (b.failed())
        return {};
    const auto fault = [&](std::string what) {
        b.fail(std::move(what));
        return Var{};
    };
    const Dims from = b.shape(x);
    Dims shape, given, left = from; // left: without those that are copied, which may be 0 and still leave -1 to infer
    std::optional<size_t> marker;
    if (mayHoldMarker(wanted)) {
        Expr inferable;
        shape = runtimeShape(wanted, from, zero, inferable);
        return reshape(b, inferred(b, x, inferable, wanted), std::move(shape));
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
        const Expr& size = wanted[i];
        if (arith::isConst(size, 0) && zero == ZeroDim::Copied) {
            if (i >= from.size())
                return fault(fmt::format("dim {} of the new shape is to be copied, but the operand has rank {}", i,
                                         from.size()));
            shape.push_back(from[i]);
            left[i] = 1;
            continue;
        } else if (arith::isConst(size, -1)) {
            if (marker)
                return fault("more than one dim of the new shape is to be inferred");
            marker = i;
            shape.push_back(1);
            continue;
        } else if (const auto value = arith::asInt(size); value && *value < 0) {
            return fault(fmt::format("the new shape has the dim {}", *value));
        }
        shape.push_back(size);
        given.push_back(size);
    }
    if (marker) {
        const Quotient rest = quotient(left, given);
        shape[*marker] = rest.value;
        x = inferred(b, x, arith::gt(rest.divisor, 0), wanted);
    }
    return reshape(b, x, std::move(shape));
}

Var withoutDims(Builder& b, Var x, const Ints& axes) {
    if (b.failed())
        return {};
    const Dims shape = b.shape(x);
    for (int64_t axis : axes) {
        if (b.failed())
            return {};
        const Expr& size = shape[static_cast<size_t>(axis)];
        if (arith::asInt(size).value_or(1) != 1) {
            b.fail(fmt::format("dim {} is {}, so it cannot be dropped", axis, arith::toString(size)));
            return {};
        }
        x = assume(b, x, arith::eq(size, 1), fmt::format("dim {} of {}, which is dropped, is 1", axis, text(shape)));
    }
    return squeeze(b, x, axes);
}

Var withoutOnes(Builder& b, Var x) {
    if (b.failed())
        return {};
    const Dims shape = b.shape(x);
    Ints ones;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (arith::isConst(shape[i], 1))
            ones.push_back(static_cast<int64_t>(i));
        else // the result would have another rank, which is fixed here
            x = assume(b, x, arith::ne(shape[i], 1),
                       fmt::format("dim {} of {} is not 1, which a squeeze without axes would drop", i, text(shape)));
    }
    return withoutDims(b, x, ones);
}

} // namespace lathe::frontend
