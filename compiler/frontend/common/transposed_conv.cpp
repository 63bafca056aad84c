// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/transposed_conv.h"

#include "base/rounding.h"
#include "relay/attrs.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace lathe::frontend {

using namespace relay;

namespace {

constexpr int64_t mostPhases = 16;

/// Taps of the longest phase, in each dim.
Ints longestPhases(const Ints& kernel, const Ints& strides) {
    Ints taps;
    for (size_t i = 0; i < kernel.size(); ++i)
        taps.push_back(ceilDiv(kernel[i], strides[i]));
    return taps;
}

/// [M, C, k…] as [M, C, taps, stride, taps, stride …], zeros behind the last tap.
Var splitTaps(Builder& b, Var weights, const Ints& kernel, const Ints& strides, const Ints& taps) {
    const Dims dims = b.shape(weights);
    Dims before(dims.size(), Expr(0)), after = before, split = {dims[0], dims[1]};
    for (size_t i = 0; i < kernel.size(); ++i) {
        after[i + 2] = taps[i] * strides[i] - kernel[i];
        split.insert(split.end(), {taps[i], strides[i]});
    }
    return reshape(b, pad(b, weights, "constant", before, after), split);
}

/// The results of all phases, each with as many taps, as channels of one convolution: [N, M · s…, q…].
Var phasesAsChannels(Builder& b, Var x, Var split, const Ints& taps, ConvAttrs attrs) {
    const auto spatial = static_cast<int64_t>(taps.size());
    // [M, C, taps, s, taps, s …] -> [M, s…, C, taps…] -> [M · s…, C, taps…]
    const Dims dims = b.shape(split);
    Ints order = {0};
    Expr results = dims[0];
    for (int64_t i = 0; i < spatial; ++i) {
        order.push_back(3 + 2 * i);
        results = arith::simplify(results * dims[static_cast<size_t>(3 + 2 * i)]);
    }
    order.push_back(1);
    Dims shape = {results, dims[1]};
    for (int64_t i = 0; i < spatial; ++i) {
        const int64_t own = taps[static_cast<size_t>(i)];
        order.push_back(2 + 2 * i);
        shape.push_back(own);
        attrs.before.push_back(own - 1);
        attrs.after.push_back(own - 1);
    }
    AxesAttrs flip;
    flip.axes = iotaInts(2, spatial + 2);
    const Var weights = b.call(Op::Reverse, {reshape(b, transpose(b, split, order), shape)}, flip);
    return b.call(Op::Conv, {x, weights}, attrs);
}

/// The result of one phase: [N, M, 1, q…].
Var phase(Builder& b, Var x, Var split, const Ints& taps, const Ints& kernel, const Ints& strides, const Ints& at,
          ConvAttrs attrs) {
    Var weights = split;
    Dims shape = {dim(b, split, 0), dim(b, split, 1)};
    for (size_t i = 0; i < taps.size(); ++i) {
        const int64_t own = ceilDiv(kernel[i] - at[i], strides[i]);
        const auto axis = static_cast<int64_t>(2 + 2 * i);
        weights = sliceAxis(b, sliceAxis(b, weights, axis, 0, own), axis + 1, at[i], 1);
        shape.push_back(own);
        attrs.before.push_back(own - 1);
        attrs.after.push_back(taps[i] - 1);
    }
    AxesAttrs flip;
    flip.axes = iotaInts(2, static_cast<int64_t>(taps.size()) + 2);
    weights = b.call(Op::Reverse, {reshape(b, weights, shape)}, flip);
    return unsqueeze(b, b.call(Op::Conv, {x, weights}, attrs), {2});
}

/// The results of all phases, one convolution each: [N, M, s · …, q…].
Var eachPhase(Builder& b, Var x, Var split, const Ints& taps, const Ints& kernel, const Ints& strides,
              const ConvAttrs& attrs) {
    const int64_t count = std::accumulate(strides.begin(), strides.end(), int64_t{1}, std::multiplies());
    std::vector<Var> phases;
    for (int64_t ordinal = 0; ordinal < count; ++ordinal) {
        Ints at(kernel.size());
        int64_t rest = ordinal;
        for (size_t i = kernel.size(); i-- > 0; rest /= strides[i])
            at[i] = rest % strides[i];
        phases.push_back(phase(b, x, split, taps, kernel, strides, at, attrs));
    }
    return concat(b, phases, 2);
}

/// Whether each phase has as many taps as the others.
bool haveEqualPhases(const Ints& kernel, const Ints& strides) {
    bool equal = true, several = false;
    for (size_t i = 0; i < kernel.size(); ++i) {
        equal &= kernel[i] % strides[i] == 0;
        several |= strides[i] > 1;
    }
    return equal && several;
}

/// Whether phases pay: each has a tap, and there are few of them or all have equally many.
bool hasPhases(const Ints& kernel, const Ints& strides) {
    int64_t phases = 1;
    if (haveEqualPhases(kernel, strides))
        return true;
    for (size_t i = 0; i < kernel.size(); ++i)
        phases = strides[i] > kernel[i] ? mostPhases + 1 : std::min(mostPhases + 1, phases * strides[i]);
    return phases > 1 && phases <= mostPhases;
}

/// For each phase p, of as many as the product of the strides, one convolution of x with every s-th tap: y[s·q + p] =
/// sum over j of x[q − j] · w[s·j + p]. Where all have equally many taps, one convolution that has the phases as
/// channels. What they give is interleaved.
Var convolutionByPhases(Builder& b, Var x, Var weights, const Ints& kernel, const Ints& strides, int64_t groups,
                        const Dims& cut, const Dims& size, DataType out) {
    if (b.failed())
        return {};
    ConvAttrs attrs; // of the convolutions, without their paddings
    attrs.strides.assign(kernel.size(), 1);
    attrs.dilations = attrs.strides;
    attrs.groups = groups;
    attrs.outDtype = productType(b, x, weights, out);
    const auto spatial = static_cast<int64_t>(kernel.size());
    const Ints taps = longestPhases(kernel, strides);
    const Var split = splitTaps(b, weights, kernel, strides, taps);
    const Var all = haveEqualPhases(kernel, strides) ? phasesAsChannels(b, x, split, taps, attrs)
                                                     : eachPhase(b, x, split, taps, kernel, strides, attrs);
    if (b.failed())
        return {};
    // [N, M, s…, q…] -> [N, M, q, s, q, s …] -> [N, M, q · s …]
    const Dims found = b.shape(all);
    const size_t first = found.size() - kernel.size();
    Dims apart = {found[0], dim(b, split, 0)}, joined = apart, before(2, Expr(0)), after = before;
    Ints order = {0, 1};
    for (int64_t i = 0; i < spatial; ++i)
        apart.push_back(strides[static_cast<size_t>(i)]);
    for (int64_t i = 0; i < spatial; ++i) {
        const auto place = static_cast<size_t>(i);
        const Expr places = arith::simplify(found[first + place] * strides[place]);
        apart.push_back(found[first + place]);
        order.insert(order.end(), {2 + spatial + i, 2 + i});
        joined.push_back(places);
        before.push_back(arith::simplify(Expr(0) - cut[place]));
        after.push_back(arith::simplify(cut[place] + size[place] - places));
    }
    Var interleaved;
    if (spatial == 2 && strides[0] == strides[1]) { // one operator, which what follows joins
        BlockAttrs blocks;
        blocks.block = strides[0];
        blocks.mode = "CRD";
        const Expr channels = arith::simplify(apart[1] * (strides[0] * strides[1]));
        interleaved =
            b.call(Op::DepthToSpace, {reshape(b, all, {found[0], channels, found[first], found[first + 1]})}, blocks);
    } else
        interleaved = reshape(b, transpose(b, reshape(b, all, apart), order), joined);
    return pad(b, interleaved, "constant", before, after);
}

/// By zeros between the inputs.
Var convolutionOfSpread(Builder& b, Var x, Var weights, const TransposedWindow& window, int64_t groups, const Dims& cut,
                        const Dims& size, DataType out) {
    if (b.failed())
        return {};
    const size_t spatial = window.kernel.size();
    const Dims shape = b.shape(x);
    Dims before(2, Expr(0)), after = before;
    Ints interior = {0, 0};
    for (size_t i = 0; i < spatial; ++i) {
        const int64_t stride = window.strides[i], reach = (window.kernel[i] - 1) * window.dilations[i];
        const Expr places = (shape[i + 2] - 1) * stride + 1;
        before.push_back(arith::simplify(Expr(reach) - cut[i]));
        after.push_back(arith::simplify(size[i] + cut[i] - places));
        interior.push_back(stride - 1);
    }
    AxesAttrs flip;
    flip.axes = iotaInts(2, static_cast<int64_t>(spatial) + 2);
    weights = b.call(Op::Reverse, {weights}, flip);
    ConvAttrs attrs;
    attrs.strides.assign(spatial, 1);
    attrs.dilations = window.dilations;
    attrs.before.assign(spatial, Expr(0));
    attrs.after = attrs.before;
    attrs.groups = groups;
    attrs.outDtype = productType(b, x, weights, out);
    return b.call(Op::Conv, {pad(b, x, "constant", before, after, interior), weights}, attrs);
}

} // namespace

Var transposedConvolution(Builder& b, Var x, Var weights, const TransposedWindow& window, int64_t groups,
                          const Dims& cut, const Dims& size, DataType out) {
    const bool isDilated = std::ranges::any_of(window.dilations, [](int64_t dilation) { return dilation != 1; });
    // Of a single place any stride gives the same; one as long as the kernel makes a product of it, without padding.
    Ints apart = window.strides;
    for (size_t i = 0; i < apart.size(); ++i)
        if (arith::isConst(dim(b, x, static_cast<int64_t>(i) + 2), 1))
            apart[i] = window.kernel[i];
    return !isDilated && hasPhases(window.kernel, apart)
               ? convolutionByPhases(b, x, weights, window.kernel, apart, groups, cut, size, out)
               : convolutionOfSpread(b, x, weights, window, groups, cut, size, out);
}

/// [C, M/g, k…] -> [g, C/g, M/g, k…] -> [g, M/g, C/g, k…] -> [M, C/g, k…]
Var withResultsFirst(Builder& b, Var weights, int64_t groups) {
    if (!needRank(b, weights, 2))
        return {};
    const Dims shape = b.shape(weights), window(shape.begin() + 2, shape.end());
    const Expr inputs = arith::simplify(arith::floorDiv(shape[0], groups)), results = shape[1];
    if (groups > 1) {
        Dims split = {groups, inputs, results};
        split.insert(split.end(), window.begin(), window.end());
        weights = reshape(b, weights, split);
    }
    const int64_t lead = groups > 1 ? 1 : 0;
    Ints axes = groups > 1 ? Ints{0, 2, 1} : Ints{1, 0};
    for (size_t i = 0; i < window.size(); ++i)
        axes.push_back(static_cast<int64_t>(i) + 2 + lead);
    weights = transpose(b, weights, axes);
    if (groups > 1) {
        Dims joined = {arith::simplify(results * groups), inputs};
        joined.insert(joined.end(), window.begin(), window.end());
        weights = reshape(b, weights, joined);
    }
    return weights;
}

} // namespace lathe::frontend
