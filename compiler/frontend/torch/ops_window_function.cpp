// SPDX-License-Identifier: Apache-2.0
//
// Windows that signals are cut with, and the frequencies of Fourier transforms: vectors that a length makes.
#include "frontend/common/bessel.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <functional>
#include <numbers>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

bool isPeriodic(Call& call) {
    return !call.schema.find("periodic") || call.flag("periodic");
}
double realOr(Call& call, const char* name, double otherwise) {
    return call.schema.find(name) ? call.real(name) : otherwise;
}

/// Gives fn of places from 0 to 1 in float64, which the last element stands at, or of a window with a period the one behind
/// it. One element alone is 1.
void giveWindow(Call& call, Builder& b, const std::function<Var(Var place)>& fn) {
    const Expr length = call.size("window_length");
    const DataType dtype = call.dtype("dtype").value_or(defaultFloat);
    if (!call.failed() && !dtype.isFloat())
        return call.fail(fmt::format("a window of {}", toString(dtype)), "windows are of floats");
    if (!call.failed() && arith::bounds(length).lower < 0)
        return call.fail(fmt::format("a window has {} elements", arith::sizeText(length)));
    if (call.failed() || !mayFill(b, {length}))
        return;
    if (arith::isConst(length, 1))
        return call.give(full(b, b.scalar(1, dtype), {1}));
    const Var steps = b.scalarOf(arith::simplify(arith::max(isPeriodic(call) ? length : length - 1, 1)));
    const Var place = div(b, iota(b, {length}, 0, types::Float64), cast(b, steps, types::Float64));
    call.give(cast(b, fn(place), dtype));
}

/// A sum of cosines, that of k turns with weight k.
Var cosines(Builder& b, Var place, std::initializer_list<double> weights) {
    Var sum = scalarLike(b, 0, place);
    double turns = 0;
    for (const double weight : weights) {
        sum = add(b, sum, mulBy(b, b.call(Op::Cos, {mulBy(b, place, 2 * std::numbers::pi * turns)}), weight));
        ++turns;
    }
    return sum;
}

void convertHann(Call& call, Builder& b) {
    giveWindow(call, b, [&](Var place) { return cosines(b, place, {0.5, -0.5}); });
}
void convertHamming(Call& call, Builder& b) {
    const double alpha = realOr(call, "alpha", 0.54), beta = realOr(call, "beta", 0.46);
    giveWindow(call, b, [&](Var place) { return cosines(b, place, {alpha, -beta}); });
}
void convertBlackman(Call& call, Builder& b) {
    giveWindow(call, b, [&](Var place) { return cosines(b, place, {0.42, -0.5, 0.08}); });
}
void convertBartlett(Call& call, Builder& b) {
    giveWindow(call, b, [&](Var place) {
        const Var one = scalarLike(b, 1, place);
        return sub(b, one, b.call(Op::Abs, {sub(b, mulBy(b, place, 2), one)}));
    });
}
void convertKaiser(Call& call, Builder& b) {
    const double beta = realOr(call, "beta", 12);
    giveWindow(call, b, [&](Var place) {
        const Var side = addTo(b, mulBy(b, place, 2), -1), zero = scalarLike(b, 0, place);
        const Var height = maximum(b, sub(b, scalarLike(b, 1, place), mul(b, side, side)), zero);
        const Var top = b.scalar(beta, types::Float64);
        return div(b, besselI(b, mulBy(b, b.call(Op::Sqrt, {height}), beta), BesselOrder::Zero),
                   besselI(b, top, BesselOrder::Zero));
    });
}

/// Of n samples that are d apart: from 0 up and, unless they are of a real signal, then from the least up.
void giveFrequencies(Call& call, Builder& b, bool isReal) {
    const Expr n = call.size("n");
    const double d = call.real("d");
    const DataType dtype = call.dtype("dtype").value_or(defaultFloat);
    if (!call.failed() && arith::bounds(n).lower < 1)
        return call.fail(fmt::format("frequencies of {} samples", arith::sizeText(n)));
    if (call.failed() || !mayFill(b, {n}))
        return;
    const Expr count = isReal ? arith::simplify(arith::floorDiv(n, 2) + 1) : n;
    const Var place = iota(b, {count}, 0, types::Int64);
    const Var isUpper = b.call(Op::Greater, {place, b.scalarOf(arith::simplify(arith::floorDiv(n - 1, 2)))});
    const Var turned = isReal ? place : where(b, isUpper, sub(b, place, b.scalarOf(n)), place);
    const Var span = mulBy(b, cast(b, b.scalarOf(n), types::Float64), d);
    call.give(cast(b, div(b, cast(b, turned, types::Float64), span), dtype));
}
void convertFrequencies(Call& call, Builder& b) {
    giveFrequencies(call, b, false);
}
void convertRealFrequencies(Call& call, Builder& b) {
    giveFrequencies(call, b, true);
}

#define LATHE_MADE                                                                                                     \
    ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"

constexpr auto windowRows = std::to_array<Row>({
    {"aten::hann_window(int window_length" LATHE_MADE, convertHann, Movement},
    {"aten::hann_window.periodic(int window_length, bool periodic" LATHE_MADE, convertHann, Movement},
    {"aten::hamming_window(int window_length" LATHE_MADE, convertHamming, Movement},
    {"aten::hamming_window.periodic(int window_length, bool periodic" LATHE_MADE, convertHamming, Movement},
    {"aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha" LATHE_MADE, convertHamming,
     Movement},
    {"aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta" LATHE_MADE,
     convertHamming, Movement},
    {"aten::blackman_window(int window_length" LATHE_MADE, convertBlackman, Movement},
    {"aten::blackman_window.periodic(int window_length, bool periodic" LATHE_MADE, convertBlackman, Movement},
    {"aten::bartlett_window(int window_length" LATHE_MADE, convertBartlett, Movement},
    {"aten::bartlett_window.periodic(int window_length, bool periodic" LATHE_MADE, convertBartlett, Movement},
    {"aten::kaiser_window(int window_length" LATHE_MADE, convertKaiser, Movement},
    {"aten::kaiser_window.periodic(int window_length, bool periodic" LATHE_MADE, convertKaiser, Movement},
    {"aten::kaiser_window.beta(int window_length, bool periodic, float beta" LATHE_MADE, convertKaiser, Movement},
    {"aten::fft_fftfreq(int n, float d=1.0" LATHE_MADE, convertFrequencies, Movement},
    {"aten::fft_rfftfreq(int n, float d=1.0" LATHE_MADE, convertRealFrequencies, Movement},
});

#undef LATHE_MADE

} // namespace

std::span<const Row> rowsOfWindowFunctions() {
    return windowRows;
}

} // namespace lathe::frontend::torch
