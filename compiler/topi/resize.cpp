// SPDX-License-Identifier: Apache-2.0
//
// Resize, one axis after the other (interpolation is separable): first those that shrink, then those that grow, the last
// of them before the others, so that few elements are read by computed indices. For each axis two small tables are made in
// float64, as ONNX's definition computes: where the neighbours of each result position stand and their weights; the
// elements are then weighted sums. Enlarging by a whole factor needs no table of positions: the index is divided.
#include "arith/analysis.h"
#include "topi/expressions.h"
#include "topi/families.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lathe::topi {

namespace {

constexpr DataType real = types::Float64;

Expr lit(double value) {
    return arith::floatImm(value, real);
}
Expr asReal(const Expr& index) {
    return arith::cast(index, real);
}
Expr floorOf(const Expr& x) {
    return arith::call(Intrinsic::Floor, {x}, real);
}
Expr absOf(const Expr& x) {
    return arith::call(Intrinsic::Abs, {x}, real);
}

/// What a call says of one axis, constants or reads of operands.
struct AxisRequest {
    Expr in, out;
    Expr scale;                        // null: out / in
    Expr start = lit(0), end = lit(1); // of the region, as shares of the axis
};

AxisRequest requestOf(const CallContext& call, size_t axis) {
    const auto& attrs = relay::attrs<relay::ResizeAttrs>(call.attrs);
    const Shape& result = resultTensor(call).shape;
    AxisRequest request{.in = call.args[0]->shape[axis], .out = result[axis], .scale = {}};
    const auto read = [&](size_t operand, const std::vector<double>& constants, size_t i) -> Expr {
        if (operand < call.args.size() && call.args[operand])
            return (*call.args[operand])({Expr(static_cast<int64_t>(i))});
        return constants.empty() ? Expr() : lit(constants[i]);
    };
    request.scale = read(1, attrs.scales, axis);
    if (const Expr start = read(2, attrs.roi, axis)) {
        request.start = start;
        request.end = read(2, attrs.roi, axis + result.size());
    }
    return request;
}

/// One axis to resize.
class Axis {
public:
    Axis(const relay::ResizeAttrs& attrs, const AxisRequest& request)
        : attrs_(attrs), in_(request.in), out_(request.out), givenScale_(request.scale), start_(request.start),
          end_(request.end) {
        if (givenScale_)
            constantScale_ = arith::asFloat(givenScale_);
        else if (arith::asInt(in_) && arith::asInt(out_) && *arith::asInt(in_) > 0)
            constantScale_ = static_cast<double>(*arith::asInt(out_)) / static_cast<double>(*arith::asInt(in_));
    }

    bool crops() const { return attrs_.coordinate == "tf_crop_and_resize"; }
    bool isIdentity() const {
        const bool unscaled = !givenScale_ || constantScale_ == 1.0;
        const bool whole = !crops() || (arith::asFloat(start_) == 0.0 && arith::asFloat(end_) == 1.0);
        return unscaled && arith::provablyEqual(in_, out_) && whole;
    }

    /// The factor if every result position i shows operand position i / factor.
    std::optional<int64_t> wholeFactor() const {
        const auto& mode = attrs_.coordinate;
        const bool floors = mode == "asymmetric" && (attrs_.nearest == "floor" || attrs_.nearest == "ceil_if_smaller");
        const bool rounds = (mode == "half_pixel" || mode == "half_pixel_symmetric") &&
                            (attrs_.nearest == "round_prefer_floor" || attrs_.nearest == "round_prefer_ceil");
        return attrs_.mode == "nearest" && (floors || rounds) ? enlargement() : std::nullopt;
    }

    /// The operand position of result position o, rounded down, if the axis grows by a whole factor; null: it does not.
    Expr dividedCoordinate(const Expr& o) const {
        const auto& mode = attrs_.coordinate;
        const bool centred = mode == "half_pixel" || mode == "half_pixel_symmetric" || mode == "pytorch_half_pixel";
        const auto factor = centred || mode == "asymmetric" ? enlargement() : std::nullopt;
        return factor ? arith::floorDiv(centred ? o - Expr(*factor / 2) : o, *factor) : Expr();
    }

    bool shrinks() const { return constantScale_ && *constantScale_ < 1; }

    /// Position in the operand of result position o (ONNX Resize, coordinate_transformation_mode).
    Expr coordinate(const Expr& o) const {
        const auto& mode = attrs_.coordinate;
        const Expr y = asReal(o), width = asReal(in_);
        // Where sizes are given, the size itself: out / in * in - 1 would be fused, and miss a whole position.
        const Expr resized = givenScale_ ? scale() * width : asReal(out_);
        const Expr isSingle = arith::eq(resized, lit(1));
        const Expr span = arith::select(isSingle, lit(1), resized - lit(1));
        if (mode == "align_corners")
            return arith::select(isSingle, lit(0), arith::div(y * (width - lit(1)), span));
        if (mode == "asymmetric")
            return arith::div(y, scale());
        if (mode == "tf_crop_and_resize") {
            const Expr extent = end_ - start_;
            const Expr inside = arith::select(isSingle, arith::div(extent * (width - lit(1)), lit(2)),
                                              arith::div(y * extent * (width - lit(1)), span));
            return inside + start_ * (width - lit(1));
        }
        if (mode == "tf_half_pixel_for_nn")
            return arith::div(y + lit(0.5), scale());
        const Expr halfPixel = arith::div(y + lit(0.5), scale()) - lit(0.5);
        if (mode == "pytorch_half_pixel")
            return arith::select(isSingle, lit(-0.5), halfPixel);
        if (mode == "half_pixel_symmetric") {
            const Expr adjustment = arith::div(asReal(out_), resized);
            return arith::div(width, lit(2)) * (lit(1) - adjustment) + halfPixel;
        }
        return halfPixel;
    }

    /// Operand position of the nearest neighbour, not yet clamped.
    Expr nearest(const Expr& o) const {
        const Expr x = coordinate(o), low = floorOf(x), fraction = x - low;
        const auto& mode = attrs_.nearest;
        Expr up = arith::gt(fraction, lit(0.5));
        if (mode == "round_prefer_ceil")
            up = arith::ge(fraction, lit(0.5));
        else if (mode == "floor")
            up = arith::boolImm(false);
        else if (mode == "ceil")
            up = arith::gt(fraction, lit(0));
        else if (mode == "ceil_if_smaller")
            up = arith::logicalAnd(arith::gt(fraction, lit(0)), arith::lt(scale(), lit(1)));
        return arith::select(up, low + lit(1), low);
    }

    /// How many neighbours on each side have weight.
    Expr reach() const {
        const int64_t radius = attrs_.mode == "cubic" ? 2 : 1;
        if (!attrs_.antialias)
            return radius;
        if (constantScale_)
            return -static_cast<int64_t>(std::floor(-static_cast<double>(radius) / std::min(*constantScale_, 1.0)));
        // Symbolic sizes: some neighbours more than needed, with weight 0. A given scale is at least (out - 1) / in.
        const Expr least = givenScale_ ? arith::max(out_ - 1, 1) : divisor(out_);
        return arith::max(arith::ceilDiv(in_, least), 1) * radius;
    }

    /// Weight of a neighbour at `distance` (neighbour - coordinate), before normalising.
    Expr weight(Expr distance) const {
        if (attrs_.antialias)
            distance = distance * arith::min(scale(), lit(1));
        const Expr d = absOf(distance);
        if (attrs_.mode != "cubic")
            return arith::max(lit(1) - d, lit(0));
        const double a = attrs_.cubicCoefficient;
        const Expr inner = ((lit(a + 2) * d - lit(a + 3)) * d) * d + lit(1);
        const Expr outer = ((lit(a) * d - lit(5 * a)) * d + lit(8 * a)) * d - lit(4 * a);
        return arith::select(arith::le(d, lit(1)), inner, arith::select(arith::lt(d, lit(2)), outer, lit(0)));
    }

    bool normalises() const { return attrs_.antialias || attrs_.excludeOutside; }
    bool excludesOutside() const { return attrs_.excludeOutside; }
    const Expr& in() const { return in_; }
    const Expr& out() const { return out_; }

private:
    /// A factor from 2 that the result's size is the operand's times.
    std::optional<int64_t> enlargement() const {
        for (int64_t factor = 2; factor <= 64; ++factor)
            if ((!givenScale_ || constantScale_ == static_cast<double>(factor)) &&
                arith::provablyEqual(in_ * factor, out_))
                return factor;
        return std::nullopt;
    }
    Expr scale() const {
        if (constantScale_)
            return lit(*constantScale_);
        return givenScale_ ? givenScale_ : arith::div(asReal(out_), asReal(divisor(in_)));
    }

    const relay::ResizeAttrs& attrs_;
    Expr in_, out_;
    Expr givenScale_; // null: out / in
    Expr start_, end_;
    std::optional<double> constantScale_;
};

/// The first of the 2 * reach neighbours of result position o, which may lie outside.
Expr firstNeighbour(const Axis& axis, const Expr& o) {
    return toIndex(arith::cast(floorOf(axis.coordinate(o)), types::Int64)) + 1 - axis.reach();
}

/// dtype[2 * reach, out]
TensorPtr weights(const Axis& axis, DataType dtype, int origin) {
    const Expr taps = arith::simplify(axis.reach() * 2);
    const auto raw = [&](const Expr& k, const Expr& o) {
        const Expr neighbour = firstNeighbour(axis, o) + k;
        const Expr weight = axis.weight(asReal(neighbour) - axis.coordinate(o));
        const Expr inside = arith::logicalAnd(arith::ge(neighbour, 0), arith::lt(neighbour, axis.in()));
        return axis.excludesOutside() ? arith::select(inside, weight, lit(0)) : weight;
    };
    TensorPtr sum;
    if (axis.normalises())
        sum = te::reduce(
            "resize_weight_sum", {axis.out()}, te::ReduceKind::Sum, {taps},
            [&](const std::vector<Var>& o, const std::vector<Var>& k) { return raw(k[0], o[0]); }, origin);
    return te::compute(
        "resize_weights", {taps, axis.out()},
        [&](const std::vector<Var>& i) {
            Expr weight = raw(i[0], i[1]);
            if (sum) {
                const Expr total = (*sum)({i[1]});
                weight = arith::div(weight, arith::select(arith::eq(total, lit(0)), lit(1), total));
            }
            return convert(weight, dtype);
        },
        origin);
}

/// Indices into the axis, made once: of 32 bits where they fit, of which a vector holds more.
TensorPtr positions(const Axis& axis, const Shape& shape, const std::function<Expr(const std::vector<Var>&)>& position,
                    int origin) {
    const bool narrow = arith::bounds(axis.in()).upper <= std::numeric_limits<int32_t>::max();
    return te::compute(
        "resize_index", shape,
        [&](const std::vector<Var>& i) {
            return arith::cast(clampIndex(position(i), axis.in()), narrow ? types::Int32 : types::Int64);
        },
        origin);
}

/// The last axis with `border` repetitions of its ends: what reads it at divided indices need not test them.
TensorPtr withinEdges(const TensorPtr& x, const Expr& border, int origin) {
    Shape shape = x->shape;
    shape.back() = arith::simplify(shape.back() + border * 2);
    return te::compute(
        "resize_edges", shape,
        [&](const std::vector<Var>& i) {
            Indices indices = asIndices(i);
            const Expr position = i.back() - border;
            const auto at = [&](const Expr& index) {
                indices.back() = index;
                return (*x)(indices);
            };
            const Expr inside = at(clampIndex(position, x->shape.back()));
            const Expr upTo = arith::select(arith::lt(position, x->shape.back()), inside, at(x->shape.back() - 1));
            return arith::select(arith::lt(position, 0), at(0), upTo);
        },
        origin);
}

TensorPtr resizeNearest(const TensorPtr& x, size_t d, const Axis& axis, const Shape& shape,
                        const std::function<Expr(const std::vector<Var>&, const Expr&)>& unlessOutside, int origin) {
    const std::optional<int64_t> factor = axis.wholeFactor();
    const TensorPtr index =
        factor ? nullptr
               : positions(
                     axis, {axis.out()},
                     [&](const std::vector<Var>& o) { return toIndex(arith::cast(axis.nearest(o[0]), types::Int64)); },
                     origin);
    return te::compute(
        "resize", shape,
        [&](const std::vector<Var>& i) {
            Indices indices = asIndices(i);
            indices[d] = factor ? arith::floorDiv(i[d], *factor) : toIndex((*index)({i[d]}));
            return unlessOutside(i, (*x)(indices));
        },
        origin);
}

TensorPtr resizeAxis(const TensorPtr& x, size_t d, const Axis& axis, const relay::ResizeAttrs& attrs, DataType dtype,
                     int origin) {
    Shape shape = x->shape;
    shape[d] = axis.out();
    const auto unlessOutside = [&](const std::vector<Var>& i, const Expr& value) {
        if (!axis.crops())
            return value;
        const Expr position = axis.coordinate(i[d]);
        const Expr outside = arith::logicalOr(arith::lt(position, lit(0)), arith::gt(position, asReal(axis.in() - 1)));
        return arith::select(outside, number(attrs.extrapolation, value.dtype()), value);
    };
    if (attrs.mode == "nearest")
        return resizeNearest(x, d, axis, shape, unlessOutside, origin);
    const TensorPtr table = weights(axis, dtype, origin);
    const std::optional<int64_t> taps = arith::asInt(table->shape[0]);
    const bool divides = axis.dividedCoordinate(0) && arith::bounds(axis.in()).lower > 0;
    const bool bordered = divides && d + 1 == shape.size();
    const TensorPtr operand = bordered ? withinEdges(x, axis.reach(), origin) : x;
    const TensorPtr index =
        divides ? nullptr
                : positions(
                      axis, table->shape, [&](const std::vector<Var>& i) { return firstNeighbour(axis, i[1]) + i[0]; },
                      origin);
    const auto term = [&](const std::vector<Var>& i, const Expr& k) {
        Indices indices = asIndices(i);
        const Expr neighbour = divides ? axis.dividedCoordinate(i[d]) + 1 - axis.reach() + k : Expr();
        indices[d] = bordered  ? neighbour + axis.reach()
                     : divides ? clampIndex(neighbour, axis.in())
                               : toIndex((*index)({k, i[d]}));
        return convert((*operand)(indices), dtype) * (*table)({k, i[d]});
    };
    if (taps && *taps <= 4)
        return te::compute(
            "resize", shape,
            [&](const std::vector<Var>& i) {
                Expr sum = term(i, 0);
                for (int64_t k = 1; k < *taps; ++k)
                    sum = sum + term(i, k);
                return unlessOutside(i, sum);
            },
            origin);
    const TensorPtr sum = te::reduce(
        "resize_sum", shape, te::ReduceKind::Sum, {table->shape[0]},
        [&](const std::vector<Var>& i, const std::vector<Var>& k) { return term(i, k[0]); }, origin);
    if (!axis.crops())
        return sum;
    return te::compute(
        "resize", shape, [&](const std::vector<Var>& i) { return unlessOutside(i, (*sum)(asIndices(i))); }, origin);
}

/// Integers are rounded half to even and saturate, as ONNX's reference has it.
TensorPtr inResultType(const TensorPtr& values, DataType dtype, int origin) {
    if (values->dtype == dtype)
        return values;
    return te::compute(
        "resize_result", values->shape,
        [&](const std::vector<Var>& i) {
            Expr value = (*values)(asIndices(i));
            if (!dtype.isFloat())
                value = arith::call(Intrinsic::RoundEven, {value}, value.dtype());
            return arith::cast(value, dtype);
        },
        origin);
}

} // namespace

Tensors computeResize(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::ResizeAttrs>(call.attrs);
    TensorPtr x = call.args[0];
    const Shape& result = resultTensor(call).shape;
    // Sums of integers are exact enough for rounding only in float64.
    const DataType dtype = x->dtype.isFloat() ? computeType(x->dtype) : types::Float64;
    const auto axisAt = [&](size_t d) { return Axis(attrs, requestOf(call, d)); };
    std::vector<size_t> order(result.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::reverse(std::ranges::stable_partition(order, [&](size_t d) { return axisAt(d).shrinks(); }));
    for (const size_t d : order)
        if (const Axis axis = axisAt(d); !axis.isIdentity())
            x = resizeAxis(x, d, axis, attrs, dtype, call.origin);
    if (x == call.args[0])
        return computeCopy(call);
    return {inResultType(x, resultTensor(call).dtype, call.origin)};
}

} // namespace lathe::topi
