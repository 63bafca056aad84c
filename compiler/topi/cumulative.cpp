// SPDX-License-Identifier: Apache-2.0
//
// Running sums and products along an axis: one pass a row, several rows at a time, in vectors where they lie side by side.
// Narrow floats accumulate in float32.
#include "arith/analysis.h"
#include "topi/families.h"
#include "topi/loops.h"

#include <algorithm>

namespace lathe::topi {

namespace {

/// Rows at once: an addition waits for the one before, but not for those of other rows.
constexpr int64_t together = 8;
/// Elements of a vector, where rows lie side by side in memory.
constexpr int64_t width = 16;

class Scan {
public:
    explicit Scan(const CallContext& call)
        : buffers_(call), l_(call.origin), attrs_(relay::attrs<relay::CumAttrs>(call.attrs)), x_(buffers_.args[0]),
          y_(buffers_.results[0]), axis_(axisOf(attrs_.axis, x_->shape.size())), dtype_(computeType(x_->dtype)) {}

    tir::PrimFuncPtr kernel(const std::string& name) const {
        Shape rows = x_->shape;
        rows.erase(rows.begin() + static_cast<long>(axis_));
        const bool sideBySide = axis_ + 1 < x_->shape.size() && arith::bounds(rows.back()).lower >= width;
        return buffers_.kernel(name, sideBySide ? vectors(rows) : groups(rows));
    }

private:
    KernelBuffers buffers_;
    Loops l_;
    const relay::CumAttrs& attrs_;
    BufferPtr x_, y_;
    size_t axis_;
    DataType dtype_;

    Stmt clear(const BufferPtr& totals, const Expr& which) const {
        return l_.store(totals, {which}, number(attrs_.product ? 1 : 0, dtype_));
    }

    /// One element of a row.
    Stmt step(const BufferPtr& totals, const Expr& which, const Indices& row, const Expr& i) const {
        Indices at = row;
        at.insert(at.begin() + static_cast<long>(axis_), attrs_.reverse ? x_->shape[axis_] - 1 - i : i);
        const Expr element = convert(load(x_, at), dtype_), total = load(totals, {which});
        const Stmt add = l_.store(totals, {which}, attrs_.product ? total * element : total + element);
        const Stmt put = l_.store(y_, at, convert(total, y_->dtype));
        return attrs_.exclusive ? l_.all({put, add}) : l_.all({add, put});
    }

    Stmt vectors(Shape rows) const {
        const Expr columns = rows.back();
        rows.back() = arith::ceilDiv(columns, Expr(width));
        const BufferPtr total = tir::makeBuffer("total", dtype_, {1}, tir::Scope::Local);
        return l_.nest(
            "r", rows,
            [&](const std::vector<Var>& block) {
                return l_.loop(
                    "v", width,
                    [&](const Var& v) {
                        Indices row = asIndices(block);
                        row.back() = block.back() * width + v;
                        const Stmt scan =
                            l_.loop("i", x_->shape[axis_], [&](const Var& i) { return step(total, 0, row, Expr(i)); });
                        return l_.when(arith::lt(row.back(), columns),
                                       l_.allocate({total}, l_.all({clear(total, 0), scan})));
                    },
                    ForKind::Vectorized);
            },
            ForKind::Parallel);
    }

    /// Fewer rows than a group has go one by one.
    Stmt groups(const Shape& rows) const {
        const Expr count = product(rows);
        const arith::Interval known = arith::bounds(count);
        const int64_t size = std::clamp<int64_t>(known.upper, 1, together);
        const Stmt several = groupsOf(size, rows, count);
        return known.lower >= size ? several : l_.when(arith::ge(count, Expr(size)), several, groupsOf(1, rows, count));
    }

    /// The last group ends with copies of the last row, which are computed alike.
    Stmt groupsOf(int64_t size, const Shape& rows, const Expr& count) const {
        const BufferPtr totals = tir::makeBuffer("totals", dtype_, {Expr(size)}, tir::Scope::Local);
        return l_.loop(
            "r", arith::ceilDiv(count, Expr(size)),
            [&](const Var& group) {
                const auto each = [&](const std::function<Stmt(const Var&)>& body) {
                    return l_.loop("j", size, body, ForKind::Unrolled);
                };
                const Stmt scan = l_.loop("i", x_->shape[axis_], [&](const Var& i) {
                    return each([&](const Var& j) {
                        return step(totals, j, unflatten(arith::min(group * size + j, count - 1), rows), Expr(i));
                    });
                });
                return l_.allocate({totals}, l_.all({each([&](const Var& j) { return clear(totals, j); }), scan}));
            },
            ForKind::Parallel);
    }
};

} // namespace

tir::PrimFuncPtr buildCumSum(const std::string& name, const CallContext& call) {
    return Scan(call).kernel(name);
}

} // namespace lathe::topi
