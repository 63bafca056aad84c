// SPDX-License-Identifier: Apache-2.0
//
// Operators that give a tensor's elements in their order another shape. Strides do not matter here: what PyTorch can
// only do by copying is the same reshape.
#include "frontend/common/new_shape.h"
#include "frontend/torch/moved.h"
#include "frontend/torch/ops.h"

#include <array>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

void giveShaped(Moved& m, Builder& b, const Dims& wanted) {
    m.give(inNewShape(b, m.x, m.whole(wanted), ZeroDim::Kept));
}

void convertView(Call& call, Builder& b) {
    Moved m(call);
    giveShaped(m, b, call.sizes("size"));
}

void convertReshape(Call& call, Builder& b) {
    Moved m(call);
    giveShaped(m, b, call.sizes("shape"));
}

void convertViewDtype(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    relay::CastAttrs attrs;
    attrs.dtype = call.dtype("dtype").value_or(types::Float32);
    if (call.failed())
        return;
    if (attrs.dtype.bits != b.dtype(x).bits)
        return call.refuse("a view in an element type of another width is not supported");
    call.give(attrs.dtype == b.dtype(x) ? x : b.call(Op::BitCast, {x}, attrs));
}

void convertViewAs(Call& call, Builder& b) {
    Moved m(call);
    const Var other = call.tensor("other");
    if (!call.failed())
        giveShaped(m, b, b.shape(other));
}

void convertFlatten(Call& call, Builder& b) {
    Moved m(call);
    const Dims shape = m.shape();
    if (call.failed())
        return;
    if (shape.empty())
        return giveShaped(m, b, {1});
    const int64_t first = m.axis(call.integer("start_dim")), last = m.axis(call.integer("end_dim"));
    if (call.failed())
        return;
    if (first > last)
        return call.fail("the first of the dims that become one is behind the last");
    Dims wanted(shape.begin(), shape.begin() + first);
    wanted.push_back(product(Dims(shape.begin() + first, shape.begin() + last + 1)));
    wanted.insert(wanted.end(), shape.begin() + last + 1, shape.end());
    m.give(reshape(b, m.x, m.whole(wanted)));
}

void convertRavel(Call& call, Builder& b) {
    Moved m(call);
    m.give(reshape(b, m.x, m.whole(Dims{product(m.shape())})));
}

void convertUnflatten(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = m.axis(call.integer("dim"));
    const Dims sizes = call.sizes("sizes");
    if (call.failed())
        return;
    Dims wanted = m.shape();
    if (wanted.empty())
        return call.fail("a tensor without dims has none to unflatten");
    wanted.erase(wanted.begin() + axis);
    wanted.insert(wanted.begin() + axis, sizes.begin(), sizes.end());
    giveShaped(m, b, wanted);
}

/// Without these of its dims, those alone that are 1. A dim that is not known is taken not to be.
void giveSqueezed(Call& call, Builder& b, Moved& m, const Ints& axes) {
    const Dims shape = m.shape();
    Ints ones;
    Var x = m.x;
    for (const int64_t axis : axes) {
        if (call.failed())
            return;
        const Expr& size = shape[static_cast<size_t>(axis)];
        if (arith::isConst(size, 1))
            ones.push_back(axis);
        else
            x = assume(b, x, arith::ne(size, 1), "a dim of the tensor that is squeezed is not 1");
    }
    m.give(squeeze(b, x, ones));
}

void convertSqueeze(Call& call, Builder& b) {
    Moved m(call);
    giveSqueezed(call, b, m, iotaInts(0, m.rank));
}

void convertSqueezeDims(Call& call, Builder& b) {
    Moved m(call);
    const bool none = call.integers("dim").empty();
    giveSqueezed(call, b, m, m.rank == 0 || none ? Ints{} : call.axes("dim", m.rank));
}

void convertUnsqueeze(Call& call, Builder& b) {
    Moved m(call);
    const int64_t axis = call.axis(call.integer("dim"), m.rank + 1);
    m.give(unsqueeze(b, m.x, {axis}));
}

/// x with at least so many dims: PyTorch puts new ones first, and of the three of a matrix or vector the last behind.
Var withDimsAtLeast(Builder& b, Var x, int64_t least) {
    if (b.failed())
        return {};
    const int64_t rank = b.rank(x);
    if (rank >= least)
        return x;
    if (least == 3 && rank == 2)
        return unsqueeze(b, x, {2});
    if (least == 3 && rank == 1)
        return unsqueeze(b, x, {0, 2});
    return unsqueeze(b, x, iotaInts(0, least - rank));
}

template <int64_t Least>
void convertAtLeast(Call& call, Builder& b) {
    call.give(withDimsAtLeast(b, call.tensor("self"), Least));
}

template <int64_t Least>
void convertAllAtLeast(Call& call, Builder& b) {
    std::vector<Var> all = call.tensors("tensors");
    for (Var& x : all)
        x = withDimsAtLeast(b, x, Least);
    call.give(std::move(all));
}

/// The shape that -1 in `size` means: the own dim there.
void convertExpand(Call& call, Builder& b) {
    Moved m(call);
    Dims size = call.sizes("size");
    const Dims shape = m.shape();
    if (call.failed())
        return;
    if (size.size() < shape.size())
        return call.fail("a tensor cannot be expanded to fewer dims than it has");
    const size_t added = size.size() - shape.size();
    for (size_t i = 0; i < size.size(); ++i) {
        if (!arith::isConst(size[i], -1))
            continue;
        if (i < added)
            return call.fail("a dim that expanding adds cannot be -1");
        size[i] = shape[i - added];
    }
    const Var x = unsqueeze(b, m.x, iotaInts(0, static_cast<int64_t>(added)));
    m.give(expand(b, x, m.whole(size)));
}

void convertExpandAs(Call& call, Builder& b) {
    const Var x = call.tensor("self"), other = call.tensor("other");
    if (!call.failed())
        call.give(expand(b, x, b.shape(other)));
}

void convertSame(Call& call, Builder&) {
    Moved m(call);
    m.give(m.x);
}

void convertCopy(Call& call, Builder& b) {
    const Var x = call.tensor("self"), from = call.tensor("src");
    if (!call.failed())
        call.give(expand(b, cast(b, from, b.dtype(x)), b.shape(x)));
}

constexpr auto viewRows = std::to_array<Row>({
    {"aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", convertView, Movement},
    {"aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)", convertViewDtype, Movement},
    {"aten::view_copy(Tensor self, SymInt[] size) -> Tensor", convertView, Movement},
    {"aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", convertView, Movement},
    {"aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)", convertView, Movement},
    {"aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", convertViewAs, Movement},
    {"aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", convertReshape, Movement},
    {"aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", convertViewAs, Movement},
    {"aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", convertFlatten,
     Movement},
    {"aten::ravel(Tensor(a) self) -> Tensor(a)", convertRavel, Movement},
    {"aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)", convertUnflatten, Movement},
    {"aten::squeeze(Tensor(a) self) -> Tensor(a)", convertSqueeze, Movement},
    {"aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", convertSqueezeDims, Movement},
    {"aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", convertSqueezeDims, Movement},
    {"aten::squeeze_copy(Tensor self) -> Tensor", convertSqueeze, Movement},
    {"aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor", convertSqueezeDims, Movement},
    {"aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor", convertSqueezeDims, Movement},
    {"aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", convertUnsqueeze, Movement},
    {"aten::unsqueeze_copy(Tensor self, int dim) -> Tensor", convertUnsqueeze, Movement},
    {"aten::atleast_1d(Tensor(a) self) -> Tensor(a)", convertAtLeast<1>, Movement},
    {"aten::atleast_2d(Tensor(a) self) -> Tensor(a)", convertAtLeast<2>, Movement},
    {"aten::atleast_3d(Tensor(a) self) -> Tensor(a)", convertAtLeast<3>, Movement},
    {"aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]", convertAllAtLeast<1>, Movement},
    {"aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]", convertAllAtLeast<2>, Movement},
    {"aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]", convertAllAtLeast<3>, Movement},
    {"aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)", convertExpand, Movement},
    {"aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor", convertExpand, Movement},
    {"aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", convertExpandAs, Movement},
    {"aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)", convertExpand, Movement},
    {"aten::lift(Tensor self) -> Tensor", convertSame, Movement},
    {"aten::resolve_neg(Tensor(a) self) -> Tensor(a)", convertSame, Movement},
    {"aten::resolve_conj(Tensor(a) self) -> Tensor(a)", convertSame, Movement},
    {"aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor", convertCopy, Movement},
});

} // namespace

std::span<const Row> rowsOfView() {
    return viewRows;
}

} // namespace lathe::frontend::torch
