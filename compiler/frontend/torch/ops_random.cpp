// SPDX-License-Identifier: Apache-2.0
//
// Random numbers. They are of the distribution that PyTorch's are of, and not the same: its generator is not a part of
// the program.
#include "frontend/common/random.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

namespace lathe::frontend::torch {
namespace {

using enum model::Family;

RandomSource sourceOf(Call& call) {
    return {call.b, [&call] { return call.nextRandomCall(); }};
}

/// The shape and type of what is drawn: those of a tensor, or given. `otherwise`: the type without one.
struct Drawn {
    Dims shape;
    DataType dtype;

    Drawn(Call& call, Builder& b, DataType otherwise) : dtype(otherwise) {
        if (call.schema.find("self")) {
            const Var like = call.tensor("self");
            if (call.failed())
                return;
            shape = b.shape(like);
            dtype = b.dtype(like);
        } else {
            shape = call.sizes("size");
        }
        dtype = call.schema.find("dtype") ? call.dtype("dtype").value_or(dtype) : dtype;
        for (const Expr& size : shape)
            if (arith::bounds(size).lower < 0)
                call.fail(fmt::format("a size is {}", arith::sizeText(size)));
    }
    DataType work() const { return dtype == types::Float64 ? types::Float64 : types::Float32; }
};

Var uniformOf(Call& call, const Drawn& drawn, double low, double high) {
    return uniform(sourceOf(call), drawn.shape, drawn.work(), low, high, std::nullopt);
}

void convertRand(Call& call, Builder& b) {
    const Drawn drawn(call, b, defaultFloat);
    call.give(cast(b, uniformOf(call, drawn, 0, 1), drawn.dtype));
}

void convertUniform(Call& call, Builder& b) {
    const Drawn drawn(call, b, defaultFloat);
    call.give(cast(b, uniformOf(call, drawn, call.real("from"), call.real("to")), drawn.dtype));
}

void convertRandn(Call& call, Builder& b) {
    const Drawn drawn(call, b, defaultFloat);
    call.give(cast(b, normal(sourceOf(call), drawn.shape, std::nullopt), drawn.dtype));
}

void convertNormal(Call& call, Builder& b) {
    const Drawn drawn(call, b, defaultFloat);
    const double mean = call.real("mean"), deviation = call.real("std");
    const Var z = normal(sourceOf(call), drawn.shape, std::nullopt);
    call.give(cast(b, addTo(b, mulBy(b, z, deviation), mean), drawn.dtype));
}

/// Mean and deviation are tensors, or one of them is.
void convertNormalOf(Call& call, Builder& b) {
    const Var mean = call.tensor("mean"), deviation = call.tensor("std");
    if (call.failed())
        return;
    const bool byMean = b.rank(mean) >= b.rank(deviation);
    const Var like = add(b, mean, cast(b, deviation, b.dtype(mean)));
    if (call.failed())
        return;
    const Var z = cast(b, normal(sourceOf(call), b.shape(like), std::nullopt), b.dtype(byMean ? mean : deviation));
    const DataType dtype = b.dtype(z);
    call.give(add(b, cast(b, mean, dtype), mul(b, z, cast(b, deviation, dtype))));
}

/// Whole numbers of [low, high).
void giveIntegers(Call& call, Builder& b, double low, double high) {
    const Drawn drawn(call, b, types::Int64);
    if (call.failed())
        return;
    if (!(low < high) || std::abs(low) > 0x1p53 || std::abs(high) > 0x1p53)
        return call.fail(fmt::format("there are no integers from {} to {}", low, high));
    // float64 holds all of them; what is rounded up to the end is taken back.
    const Var x = uniform(sourceOf(call), drawn.shape, types::Float64, low, high, std::nullopt);
    const Var whole = minimum(b, b.call(Op::Floor, {x}), b.scalar(high - 1, types::Float64));
    call.give(cast(b, whole, drawn.dtype));
}

void convertRandint(Call& call, Builder& b) {
    const double low = call.schema.find("low") ? static_cast<double>(call.integer("low")) : 0;
    giveIntegers(call, b, low, static_cast<double>(call.integer("high")));
}

/// Gives fn of uniform numbers of (0, 1): where a distribution has come to them.
void giveByQuantile(Call& call, Builder& b, const std::function<Var(Var)>& fn) {
    const Drawn drawn(call, b, defaultFloat);
    const Var u = maximum(b, uniformOf(call, drawn, 0, 1), b.scalar(0x1p-24, drawn.work())); // 0 is drawn too
    call.give(cast(b, fn(u), drawn.dtype));
}
void convertExponential(Call& call, Builder& b) {
    const double rate = call.real("lambd");
    giveByQuantile(call, b, [&](Var u) { return mulBy(b, b.call(Op::Log, {u}), -1 / rate); });
}
void convertCauchy(Call& call, Builder& b) {
    const double median = call.real("median"), width = call.real("sigma");
    giveByQuantile(call, b, [&](Var u) {
        return addTo(b, mulBy(b, b.call(Op::Tan, {mulBy(b, addTo(b, u, -0.5), std::numbers::pi)}), width), median);
    });
}
/// How many trials it takes until one succeeds.
void convertGeometric(Call& call, Builder& b) {
    const double p = call.real("p");
    if (!call.failed() && !(p > 0 && p < 1))
        return call.fail(fmt::format("a probability is {}", p));
    giveByQuantile(call, b,
                   [&](Var u) { return b.call(Op::Ceil, {mulBy(b, b.call(Op::Log, {u}), 1 / std::log1p(-p))}); });
}
void convertLogNormal(Call& call, Builder& b) {
    const Drawn drawn(call, b, defaultFloat);
    const double mean = call.real("mean"), deviation = call.real("std");
    const Var z = normal(sourceOf(call), drawn.shape, std::nullopt);
    call.give(cast(b, b.call(Op::Exp, {addTo(b, mulBy(b, z, deviation), mean)}), drawn.dtype));
}

/// Ones with the probability that p, of x's dims, says.
void giveBernoulli(Call& call, Builder& b, Var x, Var p) {
    if (call.failed())
        return;
    const Var draw = uniform(sourceOf(call), b.shape(x), types::Float32, 0, 1, std::nullopt);
    call.give(cast(b, less(b, draw, cast(b, p, types::Float32)), b.dtype(x)));
}

void convertBernoulli(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    giveBernoulli(call, b, x, x);
}

void convertBernoulliOf(Call& call, Builder& b) {
    giveBernoulli(call, b, call.tensor("self"), call.tensor("p"));
}

void convertMultinomial(Call& call, Builder& b) {
    const Var x = call.tensor("self");
    const Expr count = call.size("num_samples");
    const bool again = call.flag("replacement");
    if (call.failed())
        return;
    const int64_t rank = b.rank(x);
    if (rank != 1 && rank != 2)
        return call.fail(fmt::format("probabilities with {} dims", rank));
    if (!again && !arith::isConst(count, 1))
        return call.refuse("classes drawn without replacement are not supported");
    const Var rows = rank == 2 ? x : unsqueeze(b, x, {0});
    const Var drawn = multinomial(sourceOf(call), b.call(Op::Log, {rows}), count, std::nullopt);
    call.give(rank == 2 ? drawn : squeeze(b, drawn, {0}));
}

/// The order of random numbers.
void convertRandperm(Call& call, Builder& b) {
    const Expr n = call.size("n");
    const DataType dtype = call.dtype("dtype").value_or(types::Int64);
    if (call.failed())
        return;
    if (arith::bounds(n).lower < 0)
        return call.fail(fmt::format("an order of {} numbers", arith::sizeText(n)));
    relay::TopKAttrs attrs;
    attrs.k = n;
    attrs.axis = 0;
    const Var keys = uniform(sourceOf(call), {n}, types::Float64, 0, 1, std::nullopt);
    const Var sorted = b.call(Op::TopK, {keys}, attrs);
    call.give(cast(b, b.failed() ? Var{} : b.project(sorted, 1), dtype));
}

constexpr auto randomRows = std::to_array<Row>({
    {"aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
     "pin_memory=None) -> Tensor",
     convertRand, Random},
    {"aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
     "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
     convertRand, Random},
    {"aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
     "pin_memory=None) -> Tensor",
     convertRandn, Random},
    {"aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
     "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
     convertRandn, Random},
    {"aten::randint(SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, "
     "bool? pin_memory=None) -> Tensor",
     convertRandint, Random},
    {"aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, "
     "Device? device=None, bool? pin_memory=None) -> Tensor",
     convertRandint, Random},
    {"aten::randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? "
     "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
     convertRandint, Random},
    {"aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? "
     "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
     convertRandint, Random},
    {"aten::randperm(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? "
     "pin_memory=None) -> Tensor",
     convertRandperm, Random},
    {"aten::uniform(Tensor self, float from=0, float to=1, *, Generator? generator=None) -> Tensor", convertUniform,
     Random},
    {"aten::normal_functional(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor",
     convertNormal, Random},
    {"aten::normal(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor", convertNormal,
     Random},
    {"aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? "
     "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
     convertNormal, Random},
    {"aten::normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor", convertNormalOf,
     Random},
    {"aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor", convertNormalOf,
     Random},
    {"aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", convertNormalOf,
     Random},
    {"aten::exponential(Tensor self, float lambd=1, *, Generator? generator=None) -> Tensor", convertExponential,
     Random},
    {"aten::cauchy(Tensor self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor", convertCauchy,
     Random},
    {"aten::geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", convertGeometric, Random},
    {"aten::log_normal(Tensor self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor",
     convertLogNormal, Random},
    {"aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", convertBernoulli, Bernoulli},
    {"aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor", convertBernoulliOf, Bernoulli},
    {"aten::bernoulli.float(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor", convertBernoulliOf,
     Bernoulli},
    {"aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor", convertBernoulliOf,
     Bernoulli},
    {"aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> "
     "Tensor",
     convertMultinomial, Random},
});

} // namespace

std::span<const Row> rowsOfRandom() {
    return randomRows;
}

} // namespace lathe::frontend::torch
