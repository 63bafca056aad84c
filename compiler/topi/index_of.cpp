// SPDX-License-Identifier: Apache-2.0
//
// Looks values up among keys: a hash table with open addressing, at most half full, is made of the keys, then each value is
// looked for. So many keys and many values cost their sum, not their product. A key stands there by its place; of keys that
// are equal the first counts.
#include "topi/families.h"
#include "topi/loops.h"

#include <limits>

namespace lathe::topi {

namespace {

/// 64 bits that are equal exactly for equal values; not a number is one value.
Expr bitsOf(const Expr& value) {
    const DataType dtype = value.dtype();
    if (!dtype.isFloat())
        return dtype.isSigned() ? convert(convert(value, types::Int64), types::UInt64) : convert(value, types::UInt64);
    const Expr ordered = arith::select(arith::eq(value, number(0, dtype)), number(0, dtype), value);
    const Expr one =
        arith::select(arith::eq(value, value), ordered, number(std::numeric_limits<double>::quiet_NaN(), dtype));
    const DataType bits = dtype == types::Float64 ? types::UInt64 : types::UInt32;
    return convert(arith::call(Intrinsic::Reinterpret, {one}, bits), types::UInt64);
}

/// Where the search begins: the golden ratio spreads addresses, whose low bits are alike, and numbers in sequence.
Expr firstSlot(const Expr& bits, const Expr& capacity) {
    const Expr product = bits * arith::intImm(static_cast<int64_t>(0x9e3779b97f4a7c15U), types::UInt64);
    const Expr high = arith::make(arith::ExprKind::Shr, {product, arith::intImm(32, types::UInt64)}, types::UInt64);
    return arith::floorMod(toIndex(high), capacity);
}

} // namespace

tir::PrimFuncPtr buildIndexOf(const std::string& name, const CallContext& call) {
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &keys = buffers.args[1], &y = buffers.results[0];
    const Expr count = keys->shape[0], capacity = count * 2 + 1, none = convert(count, types::Int64);
    const BufferPtr slots = tir::makeBuffer("slots", types::Int64, {capacity}, tir::Scope::Workspace);
    const Cell slot("slot", types::Int64);
    const Expr held = load(slots, {toIndex(slot())});
    // slot becomes the one that holds the key with these bits, or the free one where it would be.
    const auto search = [&](const Expr& bits) {
        const Expr next = slot() + int64(1);
        const Expr other = bitsOf(load(keys, {clampIndex(toIndex(held), count)}));
        return l.all(
            {l.set(slot, convert(firstSlot(bits, capacity), types::Int64)),
             l.repeat(arith::logicalAnd(arith::ne(held, none), arith::ne(other, bits)),
                      l.set(slot, arith::select(arith::eq(next, convert(capacity, types::Int64)), int64(0), next)))});
    };
    const Stmt clear = l.loop("s", capacity, [&](const Var& s) { return l.store(slots, {s}, none); });
    const Stmt fill = l.loop("k", count, [&](const Var& k) {
        return l.let("bits", bitsOf(load(keys, {k})), [&](const Var& bits) {
            return l.all({search(bits),
                          l.when(arith::eq(held, none), l.store(slots, {toIndex(slot())}, convert(k, types::Int64)))});
        });
    });
    const Stmt find = l.nest("i", x->shape, [&](const std::vector<Var>& i) {
        return l.let("bits", bitsOf(load(x, asIndices(i))),
                     [&](const Var& bits) { return l.all({search(bits), l.store(y, asIndices(i), held)}); });
    });
    const Stmt nothing =
        l.nest("i", x->shape, [&](const std::vector<Var>& i) { return l.store(y, asIndices(i), none); });
    const Stmt all = l.when(arith::gt(count, 0), l.all({clear, fill, find}), nothing);
    return buffers.kernel(name, l.allocate({slots}, l.with({slot}, all)));
}

} // namespace lathe::topi
