// SPDX-License-Identifier: Apache-2.0
//
// Padding: two numbers a dim, those of the last dim first. Negative ones take elements away.
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

/// What PyTorch calls a way to pad, and what it is here.
struct PadMode {
    std::string_view name, mode;
};
constexpr auto padModes = std::to_array<PadMode>(
    {{"constant", "constant"}, {"reflect", "reflect"}, {"replicate", "edge"}, {"circular", "wrap"}});

/// x with its edges repeated, dim by dim. Where a side is negative, elements go first, and where none would be left, the
/// edge that was the nearest stands for all, as PyTorch has it.
Var withRepeatedEdges(Builder& b, Var x, const Dims& before, const Dims& after) {
    for (size_t i = 0; i < before.size() && !b.failed(); ++i) {
        const auto axis = static_cast<int64_t>(i);
        const Expr size = dim(b, x, axis);
        const Expr wanted = arith::simplify(size + before[i] + after[i]);
        const Var place = sub(b, iota(b, {wanted}, 0, types::Int64), b.scalarOf(before[i]));
        const Var last = b.scalarOf(arith::simplify(size - 1));
        x = gather(b, x, maximum(b, minimum(b, place, last), b.scalarInt(0)), axis);
    }
    return x;
}

/// x padded so; value: of the new elements, where the mode is "constant".
Var paddedBy(Call& call, Builder& b, Var x, const Dims& pads, const std::string& mode,
             const std::optional<Scalar>& value) {
    if (call.failed())
        return {};
    const Dims shape = b.shape(x);
    if (pads.size() % 2 != 0 || pads.size() > 2 * shape.size()) {
        call.fail(fmt::format("{} numbers do not pad a tensor with {} dims", pads.size(), shape.size()));
        return {};
    }
    Dims before(shape.size(), Expr(0)), after = before;
    Expr holds = arith::boolImm(true);
    for (size_t i = 0; i < pads.size() / 2; ++i) {
        const size_t axis = shape.size() - 1 - i;
        before[axis] = pads[2 * i];
        after[axis] = pads[2 * i + 1];
        const auto within = [&](const Expr& most) {
            holds = arith::logicalAnd(holds,
                                      arith::logicalAnd(arith::le(before[axis], most), arith::le(after[axis], most)));
        };
        if (mode == "reflect")
            within(shape[axis] - 1);
        if (mode == "wrap")
            within(shape[axis]);
        holds = arith::logicalAnd(holds, arith::ge(shape[axis] + before[axis] + after[axis], 0));
    }
    const auto isCut = [](const Expr& side) { return arith::bounds(side).lower < 0; };
    x = assume(b, x, holds, fmt::format("what is padded to {} has elements for it", text(shape)));
    if (mode == "edge" && (std::ranges::any_of(before, isCut) || std::ranges::any_of(after, isCut)))
        return withRepeatedEdges(b, x, before, after);
    return pad(b, x, mode, before, after, {}, value ? toTensor(b, *value, b.dtype(x)) : Var{});
}

void convertPad(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const std::string name = call.text("mode");
    for (const PadMode& row : padModes)
        if (row.name == name)
            return call.give(paddedBy(call, b, x, call.sizes("pad"), std::string(row.mode),
                                      name == "constant" ? call.optionalScalar("value") : std::nullopt));
    call.fail(fmt::format("there is no way to pad called '{}'", name));
}

void convertConstantPad(Call& call, Builder& b) {
    call.give(paddedBy(call, b, call.tensor("self"), call.sizes("pad"), "constant", call.scalar("value")));
}

void convertReflectionPad(Call& call, Builder& b) {
    call.give(paddedBy(call, b, call.tensor("self"), call.sizes("padding"), "reflect", std::nullopt));
}

void convertReplicationPad(Call& call, Builder& b) {
    call.give(paddedBy(call, b, call.tensor("self"), call.sizes("padding"), "edge", std::nullopt));
}

void convertCircularPad(Call& call, Builder& b) {
    call.give(paddedBy(call, b, call.tensor("self"), call.sizes("pad"), "wrap", std::nullopt));
}

constexpr auto padRows = std::to_array<Row>({
    {"aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor", convertPad, Movement},
    {"aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", convertConstantPad, Movement},
    {"aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor", convertReflectionPad, Movement},
    {"aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor", convertReflectionPad, Movement},
    {"aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor", convertReflectionPad, Movement},
    {"aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor", convertReplicationPad, Movement},
    {"aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor", convertReplicationPad, Movement},
    {"aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor", convertReplicationPad, Movement},
    {"aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor", convertCircularPad, Movement},
});

} // namespace

std::span<const Row> rowsOfPad() {
    return padRows;
}

} // namespace lathe::frontend::torch
