// SPDX-License-Identifier: Apache-2.0
//
// Random numbers. Seeds of 0 and 0 ask for others each time; those of stateless operators are operands, and the numbers
// are TensorFlow's own (philox.h).
#include "frontend/common/error_function.h"
#include "frontend/common/random.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "frontend/tensorflow/philox.h"
#include "relay/attrs.h"

#include <fmt/format.h>
#include <numbers>

namespace lathe::frontend::tensorflow {
namespace {

std::optional<double> seedOf(NodeReader& node) {
    return seedOfHalves(node.integer("seed", 0), node.integer("seed2", 0));
}

} // namespace

void convertRandomUniform(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    if (auto shape = shapeToFill(node, 0); shape && dtype)
        node.set(0, cast(b, uniform(node, *std::move(shape), types::Float32, 0, 1, seedOf(node)), *dtype));
}

void convertRandomStandardNormal(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    if (const auto shape = shapeToFill(node, 0); shape && dtype)
        node.set(0, cast(b, normal(node, *shape, seedOf(node)), *dtype));
}

/// Within two deviations.
void convertTruncatedNormal(NodeReader& node, Builder& b) {
    constexpr double share = 0.9544997361036416; // erf(sqrt(2))
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    auto shape = shapeToFill(node, 0);
    if (!shape || !dtype)
        return;
    const Var drawn = uniform(node, *std::move(shape), types::Float32, -share, share, seedOf(node));
    node.set(0, cast(b, mulBy(b, inverseErf(b, drawn), std::numbers::sqrt2), *dtype));
}

/// From the least number on, without the greatest.
void convertRandomUniformInt(NodeReader& node, Builder& b) {
    const Var least = asScalar(b, node.in(1)), end = asScalar(b, node.in(2));
    auto shape = shapeToFill(node, 0);
    if (!shape || b.failed())
        return;
    const Var range = cast(b, sub(b, end, least), types::Float64);
    const Var drawn = mul(b, uniform(node, *std::move(shape), types::Float64, 0, 1, seedOf(node)), range);
    const Var most = addTo(b, range, -1); // what is drawn may have been rounded up
    node.set(0, add(b, least, cast(b, minimum(b, b.call(Op::Floor, {drawn}), most), b.dtype(least))));
}

void convertMultinomial(NodeReader& node, Builder& b) {
    const Var logits = node.in(0);
    const Expr count = integerOf(node, 1, "number of samples");
    const auto dtype = typeNamed(node, "output_dtype", types::Int64);
    if (dtype && node.needRank(logits, 2) && areSizes(node, {count}, "number of samples"))
        node.set(0, cast(b, multinomial(node, logits, count, seedOf(node)), *dtype));
}

namespace {

/// The state that a node has for operands: key, counter and algorithm behind the shape, or in older ones a seed.
std::optional<PhiloxState> stateOf(NodeReader& node) {
    Builder& b = node.b;
    const bool isOld = !node.node.op.ends_with("V2");
    if (isOld)
        return seeded(b, node.in(1));
    constexpr int64_t philoxAlone = 1, chosenByDevice = 3;
    const auto algorithm = knownInteger(node, 3, "algorithm");
    if (algorithm && *algorithm != philoxAlone && *algorithm != chosenByDevice) {
        node.refuse(fmt::format("random numbers of algorithm {} are not supported", *algorithm), "use Philox");
        return std::nullopt;
    }
    return PhiloxState{node.in(1), node.in(2)};
}

/// Of words of 32 bits, float32 of [0, 1): their lowest 23 bits.
Var fractionOf(Builder& b, Var drawn) {
    const Var mantissa = b.call(Op::BitwiseAnd, {drawn, b.scalarInt(0x7FFFFF, types::UInt64)});
    return mulBy(b, cast(b, mantissa, types::Float32), 0x1p-23);
}

/// float32 alone: other types draw otherwise.
bool isSingle(NodeReader& node) {
    const auto dtype = typeNamed(node, "dtype", types::Float32);
    if (dtype && *dtype != types::Float32)
        node.refuse(fmt::format("random numbers of type {} by a seed are not supported", toString(*dtype)),
                    "draw float32 and cast them");
    return !node.failed();
}

/// The words that whole numbers of the node's type are made of: one, or two of which the second is the upper half.
Var bitsOf(NodeReader& node, const PhiloxState& state, const Dims& shape, DataType dtype) {
    Builder& b = node.b;
    const Expr count = product(shape);
    if (dtype.bytes() < 8)
        return words(b, state, count);
    const Var pairs = reshape(b, words(b, state, arith::simplify(count * 2)), {count, 2});
    const auto half = [&](int64_t i) { return squeeze(b, sliceAxis(b, pairs, 1, i, 1), {1}); };
    const Var upper = b.call(Op::LeftShift, {half(1), b.scalarInt(32, types::UInt64)});
    return b.call(Op::BitwiseOr, {half(0), upper});
}

} // namespace

void convertStatelessRandomGetKeyCounter(NodeReader& node, Builder& b) {
    const PhiloxState state = seeded(b, node.in(0));
    node.set(0, state.key);
    node.set(1, state.counter);
}

void convertStatelessRandomGetAlg(NodeReader& node, Builder& b) {
    node.set(0, b.scalarInt(1, types::Int32));
}

void convertStatelessRandomUniform(NodeReader& node, Builder& b) {
    const auto shape = shapeToFill(node, 0);
    const auto state = stateOf(node);
    if (shape && state && isSingle(node))
        node.set(0, reshape(b, fractionOf(b, words(b, *state, product(*shape))), *shape));
}

/// Box and Muller, of each pair of words a sine and a cosine.
void convertStatelessRandomNormal(NodeReader& node, Builder& b) {
    constexpr double smallest = 1e-7; // whose logarithm is taken
    const auto shape = shapeToFill(node, 0);
    const auto state = stateOf(node);
    if (!shape || !state || !isSingle(node))
        return;
    const Expr count = product(*shape), pairs = arith::simplify(arith::floorDiv(count + 1, 2));
    const Var drawn = reshape(b, fractionOf(b, words(b, *state, arith::simplify(pairs * 2))), {pairs, 2});
    const Var first = sliceAxis(b, drawn, 1, 0, 1), second = sliceAxis(b, drawn, 1, 1, 1);
    const Var floor = maximum(b, first, scalarLike(b, smallest, first));
    const Var radius = b.call(Op::Sqrt, {mulBy(b, b.call(Op::Log, {floor}), -2)});
    const Var turn = mulBy(b, second, 2 * std::numbers::pi);
    const Var both = concat(b, {b.call(Op::Sin, {turn}), b.call(Op::Cos, {turn})}, 1);
    const Var all = reshape(b, mul(b, both, radius), {arith::simplify(pairs * 2)});
    node.set(0, reshape(b, sliceAxis(b, all, 0, 0, count), *shape));
}

/// The least number and the rest of the division by how many there are.
void convertStatelessRandomUniformInt(NodeReader& node, Builder& b) {
    const size_t bounds = node.node.op.ends_with("V2") ? 4 : 2;
    const auto shape = shapeToFill(node, 0);
    const auto state = stateOf(node);
    const auto dtype = typeNamed(node, "dtype");
    const auto bound = [&](size_t i) { return cast(b, cast(b, node.in(i), types::Int64), types::UInt64); };
    if (!shape || !state || !dtype)
        return;
    if (*dtype != types::Int32 && *dtype != types::Int64)
        return node.refuse(fmt::format("whole random numbers of type {} are not supported", toString(*dtype)));
    const Var least = bound(bounds), range = sub(b, bound(bounds + 1), least);
    const Var rest = b.call(Op::Mod, {bitsOf(node, *state, *shape, *dtype), range}, relay::ModAttrs());
    const Var sum = b.call(Op::BitCast, {add(b, least, rest)},
                           relay::attrsWith<relay::CastAttrs>([](auto& attrs) { attrs.dtype = types::Int64; }));
    node.set(0, reshape(b, cast(b, sum, *dtype), *shape));
}

} // namespace lathe::frontend::tensorflow
