// SPDX-License-Identifier: Apache-2.0
//
// Unique elements, or unique slices along an axis, as NumPy's unique: the positions are sorted (stable, so the first of
// equals is its first occurrence), runs of equals become groups. Unsorted order numbers the groups by first occurrence.
#include "topi/expressions.h"
#include "topi/families.h"
#include "topi/sort.h"

namespace lathe::topi {

namespace {

/// Compares entries (elements or slices) number a and b, lexicographically.
class Entries {
public:
    Entries(const Loops& l, BufferPtr x, int64_t axis) : l_(l), x_(std::move(x)), flat_(axis < 0) {
        if (flat_)
            return;
        axis_ = static_cast<size_t>(axis);
        slice_ = x_->shape;
        slice_.erase(slice_.begin() + axis);
    }
    Expr count() const { return flat_ ? product(x_->shape) : x_->shape[axis_]; }
    const Shape& slice() const { return slice_; }
    Indices element(const Expr& entry, const Indices& within) const {
        if (flat_)
            return unflatten(entry, x_->shape);
        Indices indices = within;
        indices.insert(indices.begin() + static_cast<long>(axis_), entry);
        return indices;
    }
    /// result = a stands before b
    Stmt before(const Expr& a, const Expr& b, const Cell& result) const {
        if (flat_)
            return l_.set(result, ascending(load(x_, element(a, {})), load(x_, element(b, {}))));
        const Cell position("position", types::Int64), decided("decided", types::Bool);
        const Expr size = product(slice_);
        const Indices within = unflatten(toIndex(position()), slice_);
        const Expr left = load(x_, element(a, within)), right = load(x_, element(b, within));
        const Stmt step =
            l_.all({l_.set(result, ascending(left, right)),
                    l_.set(decided, arith::logicalOr(result(), ascending(right, left))), l_.increment(position)});
        const Expr open = arith::logicalAnd(arith::lt(toIndex(position()), size), arith::logicalNot(decided()));
        return l_.with({position, decided}, l_.all({l_.set(position, int64(0)), l_.set(decided, arith::boolImm(false)),
                                                    l_.set(result, arith::boolImm(false)), l_.repeat(open, step)}));
    }

private:
    Loops l_;
    BufferPtr x_;
    bool flat_;
    size_t axis_ = 0;
    Shape slice_;
};

} // namespace

DynamicKernel buildUnique(const std::string& name, const CallContext& call) {
    const auto& attrs = relay::attrs<relay::UniqueAttrs>(call.attrs);
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr& x = buffers.args[0];
    const Entries entries(l, x, attrs.axis);
    const Expr n = entries.count();
    const BufferPtr sizes = sizesBuffer(call);
    const BufferPtr inverse = tir::makeBuffer("inverse", types::Int64, {n}),
                    first = tir::makeBuffer("first", types::Int64, {n}),
                    counts = tir::makeBuffer("counts", types::Int64, {n});
    const BufferPtr positions = tir::makeBuffer("positions", types::Int64, {2, n}, tir::Scope::Workspace);
    const BufferPtr firstOf = tir::makeBuffer("first_of", types::Int64, {n}, tir::Scope::Workspace);
    const BufferPtr number = tir::makeBuffer("number", types::Int64, {n}, tir::Scope::Workspace);

    const PositionSort sorted(l, positions, {});
    const Cell groups("groups", types::Int64), differs("differs", types::Bool);
    const Stmt fill = l.loop("i", n, [&](const Var& i) { return sorted.put(i, i); });
    const Stmt sort =
        sorted.sort(n, [&](const Expr& a, const Expr& b, const Cell& result) { return entries.before(a, b, result); });
    // Groups in sorted order; firstOf[group] is the first occurrence, number[entry] the group.
    const Stmt group = l.loop("i", n, [&](const Var& i) {
        const Stmt compare =
            l.when(arith::gt(i, 0), entries.before(sorted.at(arith::max(i - 1, 0)), sorted.at(i), differs),
                   l.set(differs, arith::boolImm(true)));
        const Stmt begin =
            l.all({l.store(firstOf, {toIndex(groups())}, convert(sorted.at(i), types::Int64)), l.increment(groups)});
        return l.all({compare, l.when(differs(), begin), l.store(number, {sorted.at(i)}, groups() - int64(1))});
    });
    // The number of each group in the result: its own, or by first occurrence (kept in `first` at the group until
    // then).
    const Cell next("next", types::Int64);
    const Stmt rename = l.loop("i", n, [&](const Var& i) {
        const Expr g = toIndex(load(number, {i}));
        const Stmt give = l.all({l.store(inverse, {g}, next()), l.increment(next)});
        return l.when(arith::eq(toIndex(load(firstOf, {g})), i), give);
    });
    const Stmt keep = l.loop("g", toIndex(groups()),
                             [&](const Var& g) { return l.store(inverse, {g}, arith::cast(g, types::Int64)); });
    const Stmt place = l.loop("g", toIndex(groups()), [&](const Var& g) {
        const Expr target = toIndex(load(inverse, {g}));
        return l.all({l.store(first, {target}, load(firstOf, {g})), l.store(counts, {target}, int64(0))});
    });
    const Stmt translate =
        l.loop("i", n, [&](const Var& i) { return l.store(number, {i}, load(inverse, {toIndex(load(number, {i}))})); });
    const Stmt finish = l.loop("i", n, [&](const Var& i) {
        const Expr g = toIndex(load(number, {i}));
        return l.all({l.store(inverse, {i}, load(number, {i})), l.store(counts, {g}, load(counts, {g}) + int64(1))});
    });
    const Stmt measure = l.all({l.set(groups, int64(0)), l.set(next, int64(0)), fill, sort, group,
                                attrs.sorted ? keep : rename, place, translate, finish, storeSize(l, sizes, groups())});
    const Stmt measured =
        l.allocate({positions, firstOf, number}, l.with({groups, differs, next}, sorted.with(measure)));

    const BufferPtr& y = buffers.results[0];
    const Expr found = buffers.results[1]->shape[0];
    std::vector<Stmt> stmts;
    stmts.push_back(l.loop("g", found, [&](const Var& g) {
        const Expr entry = toIndex(load(first, {g}));
        const Stmt copy = attrs.axis < 0 ? l.store(y, {g}, load(x, entries.element(entry, {})))
                                         : l.nest(
                                               "e", entries.slice(),
                                               [&](const std::vector<Var>& e) {
                                                   return l.store(y, entries.element(g, asIndices(e)),
                                                                  load(x, entries.element(entry, asIndices(e))));
                                               });
        return l.all({copy, l.store(buffers.results[1], {g}, load(first, {g})),
                      l.store(buffers.results[3], {g}, load(counts, {g}))});
    }));
    stmts.push_back(l.loop("i", n, [&](const Var& i) { return l.store(buffers.results[2], {i}, load(inverse, {i})); }));
    return buffers.dynamic(name, sizes, {inverse, first, counts}, measured, l.all(std::move(stmts)));
}

} // namespace lathe::topi
