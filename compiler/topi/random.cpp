// SPDX-License-Identifier: Apache-2.0
//
// Uniform random numbers from a counter-based generator: element i of a call is a pure function of (seed, call, i), so
// any number of threads gives the same values. bits(seed, i) is Intrinsic::RandomBits (SplitMix64's output for position
// i); the seed of a call is the model's attribute, or the run's, mixed with the call's number so that calls are
// independent.
//   float32: u = (bits >> 8) * 2^-24;  float64: u = ((bits(2i) >> 5) * 2^26 + (bits(2i + 1) >> 6)) * 2^-53
//   result = low + u * (high - low)
#include "abi/abi.h"
#include "topi/expressions.h"
#include "topi/families.h"

#include <bit>

namespace lathe::topi {

namespace {

/// SplitMix64's finalizer.
uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

Expr unsigned64(uint64_t value) {
    return arith::intImm(static_cast<int64_t>(value), types::UInt64);
}

Expr bits(const Expr& seed, const Expr& counter) {
    return arith::call(Intrinsic::RandomBits, {seed, counter}, types::UInt32);
}

Expr uniform(const Expr& seed, const Expr& position, DataType dtype) {
    const Expr counter = arith::cast(position, types::UInt64);
    const auto shifted = [&](const Expr& drawn, int by) {
        return arith::cast(arith::make(arith::ExprKind::Shr, {drawn, arith::intImm(by, types::UInt32)}, types::UInt32),
                           dtype);
    };
    if (dtype != types::Float64)
        return shifted(bits(seed, counter), 8) * arith::floatImm(0x1p-24, dtype);
    const Expr even = counter * unsigned64(2);
    const Expr high = shifted(bits(seed, even), 5), low = shifted(bits(seed, even + unsigned64(1)), 6);
    return (high * arith::floatImm(0x1p26, dtype) + low) * arith::floatImm(0x1p-53, dtype);
}

} // namespace

Tensors computeRandomUniform(const CallContext& call) {
    const auto& attrs = relay::attrs<relay::RandomAttrs>(call.attrs);
    const uint64_t callKey = mix(static_cast<uint64_t>(attrs.call));
    const DataType dtype = computeType(attrs.dtype);
    TensorPtr runSeed;
    // A stage of its own, so that the runtime is asked once: what calls the runtime is never inlined.
    if (!attrs.hasSeed)
        runSeed = te::compute(
            "random_seed", {},
            [&](const std::vector<Var>&) {
                const Expr seed = arith::call(Intrinsic::RtCall, {arith::intImm(LATHE_FN_SEED)}, types::UInt64);
                return arith::make(arith::ExprKind::BitXor, {seed, unsigned64(callKey)}, types::UInt64);
            },
            call.origin);
    return {te::compute(
        "random_uniform", attrs.shape,
        [&](const std::vector<Var>& i) {
            const Expr seed = runSeed ? (*runSeed)({}) : unsigned64(mix(std::bit_cast<uint64_t>(attrs.seed) ^ callKey));
            const Expr u = uniform(seed, flatten(asIndices(i), attrs.shape), dtype);
            return convert(u * number(attrs.high - attrs.low, dtype) + number(attrs.low, dtype), attrs.dtype);
        },
        call.origin)};
}

} // namespace lathe::topi
