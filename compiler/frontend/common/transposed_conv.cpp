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

/// The result of one phase: [N, M, 1, q…].
Var phase(Builder& b, Var x, Var split, const Ints& taps, const Ints& kernel, const Ints& strides, const Ints& at,
          int64_t groups) {
    ConvAttrs attrs;
    attrs.strides.assign(taps.size(), 1);
    attrs.dilations = attrs.strides;
    attrs.groups = groups;
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

} // namespace

bool hasPhases(const Ints& kernel, const Ints& strides) {
    int64_t phases = 1;
    for (size_t i = 0; i < kernel.size(); ++i)
        phases = strides[i] > kernel[i] ? mostPhases + 1 : std::min(mostPhases + 1, phases * strides[i]);
    return phases > 1 && phases <= mostPhases;
}

Var convolutionByPhases(Builder& b, Var x, Var weights, const Ints& kernel, const Ints& strides, int64_t groups,
                        const Dims& cut, const Dims& size) {
    if (b.failed())
        return {};
    const auto spatial = static_cast<int64_t>(kernel.size());
    const Ints taps = longestPhases(kernel, strides);
    const Var split = splitTaps(b, weights, kernel, strides, taps);
    const int64_t count = std::accumulate(strides.begin(), strides.end(), int64_t{1}, std::multiplies());
    std::vector<Var> phases;
    for (int64_t ordinal = 0; ordinal < count; ++ordinal) {
        Ints at(kernel.size());
        for (int64_t i = spatial, rest = ordinal; i-- > 0; rest /= strides[static_cast<size_t>(i)])
            at[static_cast<size_t>(i)] = rest % strides[static_cast<size_t>(i)];
        phases.push_back(phase(b, x, split, taps, kernel, strides, at, groups));
    }
    const Var all = concat(b, phases, 2);
    if (b.failed())
        return {};
    // [N, M, s…, q…] -> [N, M, q, s, q, s …] -> [N, M, q · s …]
    const Dims found = b.shape(all);
    Dims apart = {found[0], found[1]}, joined = apart, before(2, Expr(0)), after = before;
    Ints order = {0, 1};
    for (int64_t i = 0; i < spatial; ++i)
        apart.push_back(strides[static_cast<size_t>(i)]);
    for (int64_t i = 0; i < spatial; ++i) {
        const auto place = static_cast<size_t>(i);
        const Expr places = arith::simplify(found[place + 3] * strides[place]);
        apart.push_back(found[place + 3]);
        order.insert(order.end(), {2 + spatial + i, 2 + i});
        joined.push_back(places);
        before.push_back(arith::simplify(Expr(0) - cut[place]));
        after.push_back(arith::simplify(cut[place] + size[place] - places));
    }
    return pad(b, reshape(b, transpose(b, reshape(b, all, apart), order), joined), "constant", before, after);
}

} // namespace lathe::frontend
