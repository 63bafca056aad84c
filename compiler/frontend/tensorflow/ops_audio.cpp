// SPDX-License-Identifier: Apache-2.0
//
// Spectra of sound and what speech is recognised by. Band weights and cosines are constant matrices.
#include "frontend/tensorflow/matrices.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

namespace lathe::frontend::tensorflow {

/// Operand 0 is [samples, channels]; the result [channels, frames, frequencies].
void convertAudioSpectrogram(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const int64_t window = node.integer("window_size", 0), stride = node.integer("stride", 0);
    if (!node.needRank(x, 2))
        return;
    if (window < 2 || window > 1 << 20 || stride < 1 || stride > 1 << 20)
        return node.fail(fmt::format("a window of {} samples moves by {}", window, stride));
    const auto length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window)));
    const Expr frames = arith::simplify(arith::max(arith::floorDiv(dim(b, x, 0) - window, stride) + 1, 0));
    const Dims grid = {frames, window};
    if (!mayFill(node.b, grid))
        return;
    const Var begins = mul(b, iota(b, grid, 0, types::Int64), b.scalarInt(stride));
    const Var places = add(b, begins, iota(b, grid, 1, types::Int64));
    const Var framed = transpose(b, gather(b, x, places, 0), {2, 0, 1});
    Matrix hann(1, window);
    for (int64_t i = 0; i < window; ++i)
        hann.at(0, i) = static_cast<float>(
            0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(window)));
    const Var padded = pad(b, mul(b, framed, constantOf(b, hann)), "constant", {0, 0, 0}, {0, 0, length - window});
    relay::DftAttrs attrs;
    attrs.axis = 2;
    attrs.onesided = true;
    attrs.length = length;
    const Var pairs = b.call(Op::Dft, {unsqueeze(b, padded, {3})}, attrs);
    const Var power = reduce(b, "sum", mul(b, pairs, pairs), {3}, false);
    node.set(0, node.integer("magnitude_squared", 0) != 0 ? power : b.call(Op::Sqrt, {power}));
}

namespace {

double melOf(double frequency) {
    return 1127 * std::log1p(frequency / 700);
}

/// Triangles that overlap by half, evenly spaced as the ear hears them: what each frequency gives to each band.
Matrix bandWeights(int64_t bins, int64_t bands, double rate, double lowest, double highest) {
    Matrix weights(bins, bands);
    const double low = melOf(lowest), spacing = (melOf(highest) - low) / static_cast<double>(bands + 1);
    const auto center = [&](int64_t band) { return low + spacing * static_cast<double>(band + 1); };
    const double step = 0.5 * rate / static_cast<double>(bins - 1);
    const auto first = static_cast<int64_t>(1.5 + lowest / step);
    const auto last = static_cast<int64_t>(std::min(highest / step, static_cast<double>(bins - 1)));
    int64_t next = 0; // the first band whose center is not below
    for (int64_t bin = first; bin <= last; ++bin) {
        const double mel = melOf(static_cast<double>(bin) * step);
        while (next < bands && center(next) < mel)
            ++next;
        const double below = next == 0 ? low : center(next - 1);
        const double share = (center(next) - mel) / (center(next) - below);
        if (next > 0)
            weights.at(bin, next - 1) = static_cast<float>(share);
        if (next < bands)
            weights.at(bin, next) = static_cast<float>(1 - share);
    }
    return weights;
}

/// The same for a rate that is known while running, float32 of rank 0.
Var bandWeightsAt(Builder& b, Var rate, int64_t bins, int64_t bands, double lowest, double highest) {
    const double low = melOf(lowest), spacing = (melOf(highest) - low) / static_cast<double>(bands + 1);
    Matrix centers(1, bands);
    for (int64_t band = 0; band < bands; ++band)
        centers.at(0, band) = static_cast<float>(low + spacing * static_cast<double>(band + 1));
    const Var step = mulBy(b, rate, 0.5 / static_cast<double>(bins - 1));
    const Var bin = iota(b, {Expr(bins), Expr(1)}, 0, types::Float32);
    const Var mel = mulBy(b, b.call(Op::Log, {addTo(b, mulBy(b, mul(b, bin, step), 1 / 700.0), 1)}), 1127);
    const Var away = b.call(Op::Abs, {sub(b, mel, constantOf(b, centers))});
    const Var triangles = b.call(Op::Relu, {addTo(b, mulBy(b, away, -1 / spacing), 1)});
    const auto steps = [&](double frequency) { return div(b, scalarLike(b, frequency, step), step); };
    const Var first = b.call(Op::Floor, {addTo(b, steps(lowest), 1.5)});
    const Var isHeard = b.call(Op::LogicalAnd, {b.call(Op::GreaterEqual, {bin, first}),
                                                b.call(Op::LessEqual, {bin, b.call(Op::Floor, {steps(highest)})})});
    return where(b, isHeard, triangles, scalarLike(b, 0, triangles));
}

} // namespace

/// Of a spectrum of powers: the cosine transform of the logarithms of bands.
void convertMfcc(NodeReader& node, Builder& b) {
    const Var power = node.in(0);
    const Var given = asScalar(b, node.in(1));
    const auto known = b.failed() ? std::nullopt : b.knownInts(given);
    const int64_t rate = known && known->size() == 1 ? (*known)[0] : 1; // any, where it is known only while running
    const double highest = node.real("upper_frequency_limit", 4000), lowest = node.real("lower_frequency_limit", 20);
    const int64_t bands = node.integer("filterbank_channel_count", 40),
                  count = node.integer("dct_coefficient_count", 13);
    if (!node.needRank(power, 3))
        return;
    const auto bins = arith::asInt(dim(b, power, -1));
    if (!bins || *bins < 2)
        return node.refuse("the number of frequencies is not known when the model is compiled");
    if (rate < 1 || bands < 1 || count < 1 || count > bands || bands > mostMatrixElements / *bins ||
        bands > mostMatrixElements / count || !(lowest >= 0 && lowest < highest && highest < 1e9))
        return node.fail(fmt::format("{} bands of {} to {} Hz at a rate of {} give {} numbers", bands, lowest, highest,
                                     rate, count));
    Matrix cosines(bands, count);
    const double norm = std::sqrt(2.0 / static_cast<double>(bands));
    for (int64_t band = 0; band < bands; ++band)
        for (int64_t i = 0; i < count; ++i)
            cosines.at(band, i) =
                static_cast<float>(norm * std::cos(std::numbers::pi / static_cast<double>(bands) *
                                                   static_cast<double>(i) * (static_cast<double>(band) + 0.5)));
    const Var weights = known ? constantOf(b, bandWeights(*bins, bands, static_cast<double>(rate), lowest, highest))
                              : bandWeightsAt(b, cast(b, given, types::Float32), *bins, bands, lowest, highest);
    const Var energies = matmul(b, b.call(Op::Sqrt, {power}), weights);
    const Var logs = b.failed() ? Var{} : b.call(Op::Log, {maximum(b, energies, scalarLike(b, 1e-12, energies))});
    node.set(0, matmul(b, logs, constantOf(b, cosines)));
}

} // namespace lathe::frontend::tensorflow
