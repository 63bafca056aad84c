// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/reduced_updates.h"

#include "frontend/common/scatter.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace lathe::frontend::torch {
namespace {

/// How PyTorch calls a way to join, and what it is here: of numbers and of bools.
struct Joining {
    std::string_view name, numbers, bools;
};
constexpr auto joinings = std::to_array<Joining>({{"sum", "add", "max"},
                                                  {"add", "add", "max"},
                                                  {"prod", "mul", "min"},
                                                  {"multiply", "mul", "min"},
                                                  {"mean", "add", "max"},
                                                  {"amax", "max", "max"},
                                                  {"amin", "min", "min"}});

/// What joins to anything without changing it.
Var neutral(Builder& b, std::string_view reduction, DataType dtype) {
    if (reduction == "add")
        return b.scalar(0, dtype);
    if (reduction == "mul")
        return b.scalar(1, dtype);
    const bool isMax = reduction == "max";
    if (dtype.isBool())
        return b.scalar(isMax ? 0 : 1, dtype);
    if (dtype.isFloat())
        return b.scalar(isMax ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity(),
                        dtype);
    if (!dtype.isSigned())
        return b.scalarInt(isMax ? 0 : static_cast<int64_t>(~uint64_t{0} >> (64 - std::min<int>(dtype.bits, 63))),
                           dtype);
    const int64_t least = -(int64_t{1} << (dtype.bits - 2)) * 2;
    return b.scalarInt(isMax ? least : -(least + 1), dtype);
}

/// sum / count; of integers rounded down.
Var meanOf(Builder& b, Var sum, Var count) {
    if (b.failed() || b.dtype(sum).isFloat())
        return div(b, sum, cast(b, count, b.failed() ? types::Float32 : b.dtype(sum)));
    const Var divisor = cast(b, count, b.dtype(sum));
    const Var rest = b.call(Op::Mod, {sum, divisor}, relay::ModAttrs{}); // of the divisor's sign
    return div(b, sub(b, sum, rest), divisor);
}

} // namespace

Var withReduced(Call& call, Var x, Var places, Var updates, int64_t axis, const std::string& kind, bool includeSelf) {
    Builder& b = call.b;
    const Joining* joining = nullptr;
    for (const Joining& row : joinings)
        if (row.name == kind)
            joining = &row;
    if (!joining && !call.failed())
        call.fail(fmt::format("there is no way to join updates called '{}'", kind));
    if (call.failed())
        return {};
    const DataType dtype = b.dtype(x);
    const std::string reduction(dtype.isBool() ? joining->bools : joining->numbers);
    const auto put = [&](Var into, Var part, const std::string& how) {
        return scatter(b, Op::ScatterElements, into, places, part, how, axis);
    };
    const Dims shape = b.failed() ? Dims{} : b.shape(updates);
    const Var base = includeSelf ? x : put(x, full(b, neutral(b, reduction, dtype), shape), "none");
    if (kind != "mean")
        return put(base, updates, reduction);
    const Var one = b.scalarInt(1), own = full(b, b.scalarInt(includeSelf ? 1 : 0), b.shape(x));
    const Var count = maximum(b, put(own, full(b, one, shape), "add"), one);
    return inSingle(b, base, [&](Var v) { return meanOf(b, put(v, cast(b, updates, b.dtype(v)), reduction), count); });
}

} // namespace lathe::frontend::torch
