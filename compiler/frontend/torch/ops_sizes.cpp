// SPDX-License-Identifier: Apache-2.0
//
// Operators between tensors and Python's numbers: sizes of tensors, elements as numbers, and what is asserted of them.
#include "frontend/torch/ops.h"

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

void convertSymSize(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (call.failed())
        return;
    const int64_t axis = call.axis(call.integer("dim"), b.rank(x));
    call.giveValue(dim(b, x, axis));
}

void convertSymNumel(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    if (!call.failed())
        call.giveValue(product(b.shape(x)));
}

void convertSymStorageOffset(Call& call, Builder&) {
    call.giveValue(Expr(0)); // tensors that are made here begin their storage
}

void convertItem(Call& call, Builder& b) {
    const Var x = asScalar(b, call.tensor("self"));
    if (call.failed())
        return;
    if (b.dtype(x).isFloat() || b.dtype(x).isBool())
        return call.giveValue(x);
    const std::vector<Expr> known = b.symbolic(x, "item");
    call.giveValue(known.size() == 1 ? known[0] : Expr(0));
}

/// What holds is asserted; the check stands where what depends on it is computed (relay::Builder).
void convertAssertion(Call& call, Builder&) {
    call.giveNothing();
}

constexpr auto sizeRows = std::to_array<Row>({
    {"aten::sym_size.int(Tensor self, int dim) -> SymInt", convertSymSize, Movement},
    {"aten::sym_numel(Tensor self) -> SymInt", convertSymNumel, Movement},
    {"aten::sym_storage_offset(Tensor self) -> SymInt", convertSymStorageOffset, Movement},
    {"aten::item(Tensor self) -> Scalar", convertItem, Movement},
    {"aten::_local_scalar_dense(Tensor self) -> Scalar", convertItem, Movement},
    {"aten::_assert_scalar(Scalar self, str assert_msg) -> ()", convertAssertion, Control},
    {"aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", convertAssertion, Control},
    {"aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, "
     "Device? device=None, Layout? layout=None) -> ()",
     convertAssertion, Control},
    {"aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", convertAssertion, Control},
    {"aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", convertAssertion,
     Control},
});

} // namespace

std::span<const Row> rowsOfSizes() {
    return sizeRows;
}

} // namespace lathe::frontend::torch
