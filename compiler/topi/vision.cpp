// SPDX-License-Identifier: Apache-2.0
//
// Sampling of images: GridSample for any number of spatial dims (a tensor expression over a table of coordinates),
// RoiAlign (loops, for how often a bin is sampled depends on the region's size). Both as ONNX defines them.
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

namespace {

constexpr DataType single = types::Float32;

Expr literal(double value) {
    return arith::floatImm(value, single);
}
Expr asSingle(const Expr& index) {
    return arith::cast(index, single);
}
Expr fn(Intrinsic which, const Expr& x) {
    return arith::call(which, {x}, x.dtype());
}
Expr floorIndex(const Expr& x) {
    return arith::cast(arith::cast(fn(Intrinsic::Floor, x), types::Int64), types::Index);
}

/// x mirrored at the borders until it lies between them.
Expr reflected(const Expr& x, const Expr& low, const Expr& high) {
    const auto real = [&](double value) { return number(value, x.dtype()); };
    const Expr range = high - low;
    const Expr below = arith::lt(x, low);
    const Expr distance = arith::select(below, low - x, x - high);
    const Expr turns = fn(Intrinsic::Trunc, arith::div(distance, range));
    const Expr rest = distance - turns * range;
    const Expr even = arith::eq(turns - real(2) * fn(Intrinsic::Floor, turns * real(0.5)), real(0));
    const Expr mirrored = arith::select(arith::eq(even, below), low + rest, high - rest);
    const Expr outside = arith::logicalOr(below, arith::gt(x, high));
    return arith::select(outside, mirrored, x);
}

/// One spatial dim of GridSample.
class GridAxis {
public:
    /// dtype: in which positions and weights are computed.
    GridAxis(const relay::GridSampleAttrs& attrs, Expr size, DataType dtype)
        : attrs_(attrs), size_(std::move(size)), dtype_(dtype) {
        low_ = attrs.alignCorners ? real(0) : real(-0.5);
        high_ = arith::cast(size_, dtype_) - (attrs.alignCorners ? real(1) : real(0.5));
    }
    /// From what the grid says to positions, moved inside as the padding mode wants; of cubic interpolation it moves each
    /// neighbour, as PyTorch and ONNX Runtime do.
    Expr position(const Expr& given) const {
        const Expr length = arith::cast(size_, dtype_);
        Expr x = attrs_.elements       ? given
                 : attrs_.alignCorners ? (given + real(1)) * real(0.5) * (length - real(1))
                                       : ((given + real(1)) * length - real(1)) * real(0.5);
        if (attrs_.mode == "nearest")
            x = fn(Intrinsic::RoundEven, x);
        if (attrs_.padding == "border" && attrs_.mode != "cubic") {
            const Expr outside = arith::logicalOr(arith::lt(x, low_), arith::gt(x, high_));
            return arith::select(outside, clamp(x, real(0), length - real(1)), x);
        }
        return attrs_.padding == "reflection" ? reflected(x, low_, high_) : x;
    }
    struct Neighbour {
        Expr index, weight;
    };
    std::vector<Neighbour> neighbours(const Expr& x) const {
        const Expr base = floorIndex(x);
        const Expr t = x - fn(Intrinsic::Floor, x);
        if (attrs_.mode == "nearest")
            return {inside(base, real(1))};
        if (attrs_.mode == "linear")
            return {inside(base, real(1) - t), inside(base + 1, t)};
        return {inside(base - 1, outer(t + real(1))), inside(base, inner(t)), inside(base + 1, inner(real(1) - t)),
                inside(base + 2, outer(real(2) - t))};
    }

private:
    Expr real(double value) const { return number(value, dtype_); }
    /// Cubic convolution with a = -0.75 (Keys, 1981).
    Expr inner(const Expr& t) const { return ((real(1.25) * t - real(2.25)) * t) * t + real(1); }
    Expr outer(const Expr& t) const { return ((real(-0.75) * t + real(3.75)) * t - real(6)) * t + real(3); }

    Neighbour inside(const Expr& index, const Expr& weight) const {
        if (attrs_.padding == "reflection") {
            const Expr mirrored = reflected(arith::cast(index, dtype_), low_, high_);
            return {clampIndex(arith::cast(arith::cast(mirrored, types::Int64), types::Index), size_), weight};
        }
        if (attrs_.padding == "border")
            return {clampIndex(index, size_), weight};
        const Expr valid = arith::logicalAnd(arith::ge(index, 0), arith::lt(index, size_));
        return {clampIndex(index, size_), arith::select(valid, weight, real(0))};
    }

    const relay::GridSampleAttrs& attrs_;
    Expr size_, low_, high_;
    DataType dtype_;
};

} // namespace

Tensors computeGridSample(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::GridSampleAttrs>(call.attrs);
    const TensorPtr &x = call.args[0], &grid = call.args[1];
    const size_t spatial = x->shape.size() - 2;
    const DataType work = x->dtype == types::Float64 || grid->dtype == types::Float64 ? types::Float64 : types::Float32;
    std::vector<GridAxis> axes;
    for (size_t d = 0; d < spatial; ++d)
        axes.emplace_back(attrs, x->shape[d + 2], work);
    // Coordinates stand in the grid with the innermost dim first; all channels share them.
    const TensorPtr positions = te::compute(
        "grid_positions", grid->shape,
        [&](const std::vector<Var>& i) {
            std::vector<Expr> choices;
            const Expr value = convert((*grid)(asIndices(i)), work);
            for (size_t c = 0; c < spatial; ++c)
                choices.push_back(axes[spatial - 1 - c].position(value));
            return selectAt(i.back(), choices);
        },
        call.origin);
    const DataType dtype = resultTensor(call).dtype;
    return {te::compute(
        "grid_sample", resultTensor(call).shape,
        [&](const std::vector<Var>& i) {
            const std::function<Expr(size_t, Indices, Expr)> sum = [&](size_t d, const Indices& at,
                                                                       const Expr& weight) {
                if (d == spatial)
                    return attrs.mode == "nearest" && attrs.padding != "zeros"
                               ? convert((*x)(at), work)
                               : arith::select(arith::eq(weight, number(0, work)), number(0, work),
                                               convert((*x)(at), work) * weight);
                Indices position{i[0]};
                position.insert(position.end(), i.begin() + 2, i.end());
                position.push_back(static_cast<int64_t>(spatial - 1 - d));
                Expr total;
                for (const auto& neighbour : axes[d].neighbours((*positions)(position))) {
                    Indices next = at;
                    next.push_back(neighbour.index);
                    const Expr term = sum(d + 1, next, weight ? weight * neighbour.weight : neighbour.weight);
                    total = total ? total + term : term;
                }
                return total;
            };
            return convert(sum(0, {i[0], i[1]}, Expr()), dtype);
        },
        call.origin)};
}

namespace {

/// Along one dim: low and high neighbour and the share of the high one. Positions outside [-1, size] count as nothing.
struct Sample {
    Expr valid, low, high, share;

    Sample(const Expr& position, const Expr& size) {
        const Expr length = asSingle(size);
        valid = arith::logicalAnd(arith::ge(position, literal(-1)), arith::le(position, length));
        const Expr inside = clamp(position, literal(0), length - literal(1));
        low = clampIndex(floorIndex(inside), size);
        high = clampIndex(low + 1, size);
        share = inside - asSingle(low);
    }
};

} // namespace

tir::PrimFuncPtr buildRoiAlign(const std::string& name, const CallContext& call) {
    const auto& attrs = relay::attrs<relay::RoiAlignAttrs>(call.attrs);
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &rois = buffers.args[1], &batches = buffers.args[2], &y = buffers.results[0];
    const Expr height = x->shape[2], width = x->shape[3];
    const bool halfPixel = attrs.coordinate == "half_pixel";
    const bool isMax = attrs.mode == "max";

    const auto region = [&](const Var& r) {
        const auto corner = [&](int64_t i) {
            const Expr value = convert(load(rois, {r, i}), single) * literal(attrs.spatialScale);
            return halfPixel ? value - literal(0.5) : value;
        };
        const auto extent = [&](int64_t from, int64_t to) {
            const Expr size = corner(to) - corner(from);
            return halfPixel ? size : arith::max(size, literal(1));
        };
        const Expr binHeight = arith::div(extent(1, 3), literal(static_cast<double>(attrs.height)));
        const Expr binWidth = arith::div(extent(0, 2), literal(static_cast<double>(attrs.width)));
        const auto samples = [&](const Expr& bin) {
            const Expr wanted = arith::cast(fn(Intrinsic::Ceil, bin), types::Int64);
            return attrs.samplingRatio > 0 ? Expr(attrs.samplingRatio) : arith::max(toIndex(wanted), 0);
        };
        const auto position = [&](const Expr& start, const Expr& bin, const Expr& cell, const Expr& sample,
                                  const Expr& count) {
            return start + asSingle(cell) * bin + arith::div((asSingle(sample) + literal(0.5)) * bin, asSingle(count));
        };
        const Expr batch = toIndex(load(batches, {r}));
        const Expr batchInRange = arith::logicalAnd(arith::ge(batch, 0), arith::lt(batch, x->shape[0]));
        const Cell total("total", single), first("first", types::Bool);
        const Stmt bins = l.let("rows", samples(binHeight), [&](const Var& rows) {
            return l.let("columns", samples(binWidth), [&](const Var& columns) {
                return l.nest("b", {x->shape[1], attrs.height, attrs.width}, [&](const std::vector<Var>& b) {
                    const Stmt sum = l.nest("s", {rows, columns}, [&](const std::vector<Var>& s) {
                        const Sample v(position(corner(1), binHeight, b[1], s[0], rows), height);
                        const Sample h(position(corner(0), binWidth, b[2], s[1], columns), width);
                        const auto part = [&](const Expr& row, const Expr& column, const Expr& share) {
                            return convert(load(x, {batch, b[0], row, column}), single) * share;
                        };
                        const Expr one = literal(1);
                        const Expr parts[] = {part(v.low, h.low, (one - v.share) * (one - h.share)),
                                              part(v.low, h.high, (one - v.share) * h.share),
                                              part(v.high, h.low, v.share * (one - h.share)),
                                              part(v.high, h.high, v.share * h.share)};
                        Expr value = isMax ? arith::max(arith::max(parts[0], parts[1]), arith::max(parts[2], parts[3]))
                                           : parts[0] + parts[1] + parts[2] + parts[3];
                        value = arith::select(arith::logicalAnd(v.valid, h.valid), value, literal(0));
                        if (!isMax)
                            return l.set(total, total() + value);
                        return l.all({l.set(total, arith::select(first(), value, arith::max(total(), value))),
                                      l.set(first, arith::boolImm(false))});
                    });
                    const Expr count = asSingle(arith::max(rows * columns, 1));
                    const Expr value = isMax ? total() : arith::div(total(), count);
                    return l.all({l.set(total, literal(0)), l.set(first, arith::boolImm(true)), sum,
                                  l.store(y, {r, b[0], b[1], b[2]}, convert(value, y->dtype))});
                });
            });
        });
        return l.all({l.check(batchInRange, tir::CheckKind::IndexOutOfRange, "batch index of a region out of range"),
                      l.with({total, first}, bins)});
    };
    return buffers.kernel(name, l.loop("r", y->shape[0], region, ForKind::Parallel));
}

} // namespace lathe::topi
