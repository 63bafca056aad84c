// SPDX-License-Identifier: Apache-2.0
//
// Special functions, element by element: the gamma function and its kin, erf's kin, Bessel functions.
#include "frontend/common/arithmetic.h"
#include "frontend/common/bessel.h"
#include "frontend/common/error_function.h"
#include "frontend/common/gamma_function.h"
#include "frontend/common/incomplete_gamma.h"
#include "frontend/torch/elementwise.h"
#include "frontend/torch/ops.h"

#include "relay/attrs.h"

#include <array>
#include <fmt/format.h>
#include <limits>

namespace lathe::frontend::torch {
namespace {

using namespace relay;
using enum model::Family;

// ---- of one operand: those that compute in float64 and round once themselves

template <Var (*fn)(Builder&, Var)>
void convertSpecial(Call& call, Builder& b) {
    call.give(fn(b, promotedToFloat(call, call.tensor("self"))));
}
template <BesselOrder order>
void convertBesselI(Call& call, Builder& b) {
    call.give(besselI(b, promotedToFloat(call, call.tensor("self")), order));
}
template <BesselOrder order>
void convertScaledBesselI(Call& call, Builder& b) {
    call.give(scaledBesselI(b, promotedToFloat(call, call.tensor("self")), order));
}

void convertPolygamma(Call& call, Builder& b) {
    const int64_t order = call.integer("n");
    const Var x = promotedToFloat(call, call.tensor("self"));
    constexpr int64_t most = 170; // beyond it the factorial is infinite
    if (!call.failed() && (order < 0 || order > most))
        return call.fail(fmt::format("the derivative {} of the digamma function", order));
    call.give(order == 0 ? digamma(b, x) : polygamma(b, order, x));
}

/// The logarithm of the multivariate gamma function of dimension p.
void convertMultigamma(Call& call, Builder& b) {
    const int64_t p = call.integer("p");
    const Var given = promotedToFloat(call, call.tensor("self"));
    constexpr int64_t most = 100; // each is a sum of its own
    if (!call.failed() && (p < 1 || p > most))
        return call.fail(fmt::format("the gamma function of dimension {}", p));
    call.give(inDouble(b, given, [&](Var x) {
        const auto size = static_cast<double>(p);
        Var sum = scalarLike(b, size * (size - 1) / 4 * 1.1447298858494001741, x); // log(π)
        for (int64_t i = 0; i < p; ++i)
            sum = add(b, sum, logGamma(b, addTo(b, x, -static_cast<double>(i) / 2)));
        return sum;
    }));
}

/// -x log(x): 0 at 0, and nothing below.
void convertEntropy(Call& call, Builder& b) {
    giveFloat(call, [&](Var x) {
        const Var zero = scalarLike(b, 0, x), product = b.call(Op::Negative, {mul(b, x, b.call(Op::Log, {x}))});
        const Var none = scalarLike(b, -std::numeric_limits<double>::infinity(), x);
        return where(b, less(b, x, zero), none, where(b, equal(b, x, zero), zero, product));
    });
}

// ---- of two

template <Var (*fn)(Builder&, Var, Var)>
void convertSpecialPair(Call& call, Builder& b) {
    const std::vector<Var> of = operandsOf(call, {"self", "other"}, Integers::BecomeFloat);
    call.give(fn(b, of[0], of[1]));
}

/// x log(1 + y): 0 at x = 0, unless y is NaN.
void convertXlog1py(Call& call, Builder& b) {
    call.give(
        roundedOnce(b, operandsOf(call, {"self", "other"}, Integers::BecomeFloat), [&](const std::vector<Var>& of) {
            const Var zero = scalarLike(b, 0, of[0]);
            const Var isZero =
                b.call(Op::LogicalAnd, {equal(b, of[0], zero), b.call(Op::LogicalNot, {b.call(Op::IsNan, {of[1]})})});
            return where(b, isZero, zero, mul(b, of[0], logOfOnePlus(b, of[1])));
        }));
}

constexpr auto gammaRows = std::to_array<Row>({
    {"aten::erfc(Tensor self) -> Tensor", convertSpecial<complementOfErf>, Arithmetic},
    {"aten::erfinv(Tensor self) -> Tensor", convertSpecial<inverseErf>, Arithmetic},
    {"aten::special_erfcx(Tensor self) -> Tensor", convertSpecial<scaledComplementOfErf>, Arithmetic},
    {"aten::special_ndtr(Tensor self) -> Tensor", convertSpecial<normalShare>, Arithmetic},
    {"aten::special_log_ndtr(Tensor self) -> Tensor", convertSpecial<logNormalShare>, Arithmetic},
    {"aten::special_ndtri(Tensor self) -> Tensor", convertSpecial<normalQuantile>, Arithmetic},
    {"aten::lgamma(Tensor self) -> Tensor", convertSpecial<logGamma>, Arithmetic},
    {"aten::digamma(Tensor self) -> Tensor", convertSpecial<digamma>, Arithmetic},
    {"aten::polygamma(int n, Tensor self) -> Tensor", convertPolygamma, Arithmetic},
    {"aten::mvlgamma(Tensor self, int p) -> Tensor", convertMultigamma, Arithmetic},
    {"aten::igamma(Tensor self, Tensor other) -> Tensor", convertSpecialPair<gammaShareBelow>, Arithmetic},
    {"aten::igammac(Tensor self, Tensor other) -> Tensor", convertSpecialPair<gammaShareAbove>, Arithmetic},
    {"aten::special_zeta(Tensor self, Tensor other) -> Tensor", convertSpecialPair<hurwitzZeta>, Arithmetic},
    {"aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", convertSpecialPair<hurwitzZeta>,
     Arithmetic},
    {"aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", convertSpecialPair<hurwitzZeta>,
     Arithmetic},
    {"aten::i0(Tensor self) -> Tensor", convertBesselI<BesselOrder::Zero>, Arithmetic},
    {"aten::special_i1(Tensor self) -> Tensor", convertBesselI<BesselOrder::One>, Arithmetic},
    {"aten::special_i0e(Tensor self) -> Tensor", convertScaledBesselI<BesselOrder::Zero>, Arithmetic},
    {"aten::special_i1e(Tensor self) -> Tensor", convertScaledBesselI<BesselOrder::One>, Arithmetic},
    {"aten::special_modified_bessel_i0(Tensor self) -> Tensor", convertBesselI<BesselOrder::Zero>, Arithmetic},
    {"aten::special_modified_bessel_i1(Tensor self) -> Tensor", convertBesselI<BesselOrder::One>, Arithmetic},
    {"aten::special_entr(Tensor self) -> Tensor", convertEntropy, Arithmetic},
    {"aten::special_xlog1py(Tensor self, Tensor other) -> Tensor", convertXlog1py, Arithmetic},
    {"aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", convertXlog1py, Arithmetic},
    {"aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor", convertXlog1py, Arithmetic},
});

} // namespace

std::span<const Row> rowsOfGamma() {
    return gammaRows;
}

} // namespace lathe::frontend::torch
