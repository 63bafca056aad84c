// SPDX-License-Identifier: Apache-2.0
//
// Resize, one axis after the other (interpolation is separable). For each axis two small tables are made in float64, as
// ONNX's definition computes: the first neighbour of each result position and the weights of its neighbours; the
// elements are then weighted sums. Enlarging by a whole factor with nearest neighbours needs no table: the index is
// divided.
#include "arith/analysis.h"
#include "topi/expressions.h"
#include "topi/families.h"

#include <cmath>

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

/// One axis to resize.
class Axis {
public:
    Axis(const relay::ResizeAttrs& attrs, size_t axis, size_t rank, Expr inSize, Expr outSize)
        : attrs_(attrs), in_(std::move(inSize)), out_(std::move(outSize)) {
        scaleGiven_ = !attrs.scales.empty();
        if (scaleGiven_)
            constantScale_ = attrs.scales[axis];
        else if (arith::asInt(in_) && arith::asInt(out_) && *arith::asInt(in_) > 0)
            constantScale_ = static_cast<double>(*arith::asInt(out_)) / static_cast<double>(*arith::asInt(in_));
        if (attrs.roi.size() == 2 * rank && crops()) {
            roiStart_ = attrs.roi[axis];
            roiEnd_ = attrs.roi[axis + rank];
        }
    }

    bool crops() const { return attrs_.coordinate == "tf_crop_and_resize"; }
    bool isIdentity() const {
        const bool unscaled = scaleGiven_ ? constantScale_ == 1.0 : true;
        return unscaled && arith::provablyEqual(in_, out_) && (!crops() || (roiStart_ == 0 && roiEnd_ == 1));
    }

    /// The factor if every result position i shows operand position i / factor.
    std::optional<int64_t> wholeFactor() const {
        const auto& mode = attrs_.coordinate;
        const bool floors = mode == "asymmetric" && attrs_.nearest == "floor";
        const bool rounds = (mode == "half_pixel" || mode == "half_pixel_symmetric") &&
                            (attrs_.nearest == "round_prefer_floor" || attrs_.nearest == "round_prefer_ceil");
        if (attrs_.mode != "nearest" || !(floors || rounds))
            return std::nullopt;
        for (int64_t factor = 2; factor <= 64; ++factor)
            if ((!scaleGiven_ || constantScale_ == static_cast<double>(factor)) &&
                arith::provablyEqual(in_ * factor, out_))
                return factor;
        return std::nullopt;
    }

    /// Position in the operand of result position o (ONNX Resize, coordinate_transformation_mode).
    Expr coordinate(const Expr& o) const {
        const auto& mode = attrs_.coordinate;
        const Expr y = asReal(o), width = asReal(in_), resized = scale() * width;
        const Expr isSingle = arith::eq(resized, lit(1));
        const Expr span = arith::select(isSingle, lit(1), resized - lit(1));
        if (mode == "align_corners")
            return arith::select(isSingle, lit(0), arith::div(y * (width - lit(1)), span));
        if (mode == "asymmetric")
            return arith::div(y, scale());
        if (mode == "tf_crop_and_resize") {
            const Expr extent = lit(roiEnd_) - lit(roiStart_);
            const Expr inside = arith::select(isSingle, arith::div(extent * (width - lit(1)), lit(2)),
                                              arith::div(y * extent * (width - lit(1)), span));
            return inside + lit(roiStart_) * (width - lit(1));
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
        return arith::select(up, low + lit(1), low);
    }

    /// How many neighbours on each side have weight.
    Expr reach() const {
        const int64_t radius = attrs_.mode == "cubic" ? 2 : 1;
        if (!attrs_.antialias)
            return radius;
        if (constantScale_)
            return -static_cast<int64_t>(std::floor(-static_cast<double>(radius) / std::min(*constantScale_, 1.0)));
        // Symbolic sizes: some neighbours more than needed, with weight 0.
        return arith::max(arith::ceilDiv(in_, divisor(out_)), 1) * radius;
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
    Expr scale() const {
        return constantScale_ ? lit(*constantScale_) : arith::div(asReal(out_), asReal(divisor(in_)));
    }

    const relay::ResizeAttrs& attrs_;
    Expr in_, out_;
    bool scaleGiven_ = false;
    std::optional<double> constantScale_;
    double roiStart_ = 0, roiEnd_ = 1;
};

/// int64[out]: the first of the 2 * reach neighbours, or the nearest one.
TensorPtr firstNeighbour(const Axis& axis, bool nearest, int origin) {
    return te::compute(
        "resize_index", {axis.out()},
        [&](const std::vector<Var>& o) {
            if (nearest)
                return arith::cast(axis.nearest(o[0]), types::Int64);
            return arith::cast(floorOf(axis.coordinate(o[0])), types::Int64) +
                   arith::cast(Expr(1) - axis.reach(), types::Int64);
        },
        origin);
}

/// dtype[out, 2 * reach]
TensorPtr weights(const Axis& axis, const TensorPtr& first, DataType dtype, int origin) {
    const Expr taps = arith::simplify(axis.reach() * 2);
    const auto raw = [&](const Expr& o, const Expr& k) {
        const Expr neighbour = toIndex((*first)({o})) + k;
        const Expr weight = axis.weight(asReal(neighbour) - axis.coordinate(o));
        const Expr inside = arith::logicalAnd(arith::ge(neighbour, 0), arith::lt(neighbour, axis.in()));
        return axis.excludesOutside() ? arith::select(inside, weight, lit(0)) : weight;
    };
    TensorPtr sum;
    if (axis.normalises())
        sum = te::reduce(
            "resize_weight_sum", {axis.out()}, te::ReduceKind::Sum, {taps},
            [&](const std::vector<Var>& o, const std::vector<Var>& k) { return raw(o[0], k[0]); }, origin);
    return te::compute(
        "resize_weights", {axis.out(), taps},
        [&](const std::vector<Var>& i) {
            Expr weight = raw(i[0], i[1]);
            if (sum) {
                const Expr total = (*sum)({i[0]});
                weight = arith::div(weight, arith::select(arith::eq(total, lit(0)), lit(1), total));
            }
            return convert(weight, dtype);
        },
        origin);
}

TensorPtr resizeAxis(const TensorPtr& x, size_t d, const Axis& axis, const relay::ResizeAttrs& attrs, DataType dtype,
                     int origin) {
    Shape shape = x->shape;
    shape[d] = axis.out();
    const bool isNearest = attrs.mode == "nearest";
    const std::optional<int64_t> factor = axis.wholeFactor();
    const TensorPtr first = factor ? nullptr : firstNeighbour(axis, isNearest, origin);
    const auto at = [&](const std::vector<Var>& i, const Expr& position) {
        Indices indices = asIndices(i);
        indices[d] = position;
        return (*x)(indices);
    };
    const auto outsideValue = [&](const std::vector<Var>& i, const Expr& value) {
        if (!axis.crops())
            return value;
        const Expr position = axis.coordinate(i[d]);
        const Expr outside = arith::logicalOr(arith::lt(position, lit(0)), arith::gt(position, asReal(axis.in() - 1)));
        return arith::select(outside, number(attrs.extrapolation, value.dtype()), value);
    };
    if (isNearest)
        return te::compute(
            "resize", shape,
            [&](const std::vector<Var>& i) {
                const Expr position =
                    factor ? arith::floorDiv(i[d], *factor) : clampIndex(toIndex((*first)({i[d]})), axis.in());
                return outsideValue(i, at(i, position));
            },
            origin);
    const TensorPtr table = weights(axis, first, dtype, origin);
    const auto term = [&](const std::vector<Var>& i, const Expr& k) {
        const Expr position = clampIndex(toIndex((*first)({i[d]})) + k, axis.in());
        return convert(at(i, position), dtype) * (*table)({i[d], k});
    };
    const std::optional<int64_t> taps = arith::asInt(table->shape[1]);
    if (taps && *taps <= 4)
        return te::compute(
            "resize", shape,
            [&](const std::vector<Var>& i) {
                Expr sum = term(i, 0);
                for (int64_t k = 1; k < *taps; ++k)
                    sum = sum + term(i, k);
                return outsideValue(i, sum);
            },
            origin);
    const TensorPtr sum = te::reduce(
        "resize_sum", shape, te::ReduceKind::Sum, {table->shape[1]},
        [&](const std::vector<Var>& i, const std::vector<Var>& k) { return term(i, k[0]); }, origin);
    if (!axis.crops())
        return sum;
    return te::compute(
        "resize", shape, [&](const std::vector<Var>& i) { return outsideValue(i, (*sum)(asIndices(i))); }, origin);
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
    for (size_t d = 0; d < result.size(); ++d) {
        const Axis axis(attrs, d, result.size(), x->shape[d], result[d]);
        if (!axis.isIdentity())
            x = resizeAxis(x, d, axis, attrs, dtype, call.origin);
    }
    if (x == call.args[0])
        return computeCopy(call);
    return {inResultType(x, resultTensor(call).dtype, call.origin)};
}

} // namespace lathe::topi
