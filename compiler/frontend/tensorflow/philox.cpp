// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/philox.h"

#include <array>

namespace lathe::frontend::tensorflow {
namespace {

/// Words of 32 bits in integers of 64, so that a product is whole.
using FourWords = std::array<Var, 4>;
using TwoWords = std::array<Var, 2>;

constexpr int rounds = 10;
constexpr int64_t factors[2] = {0xD2511F53, 0xCD9E8D57}, weyl[2] = {0x9E3779B9, 0xBB67AE85};

Var wide(Builder& b, int64_t value) {
    return b.scalarInt(value, types::UInt64);
}

Var low(Builder& b, Var x) {
    return b.call(Op::BitwiseAnd, {x, wide(b, 0xFFFFFFFF)});
}

Var high(Builder& b, Var x) {
    return b.call(Op::RightShift, {x, wide(b, 32)});
}

Var exclusive(Builder& b, Var x, Var y, Var z) {
    return b.call(Op::BitwiseXor, {b.call(Op::BitwiseXor, {x, y}), z});
}

/// Two words as one of 64 bits.
Var together(Builder& b, Var lower, Var upper) {
    return b.call(Op::BitwiseOr, {lower, b.call(Op::LeftShift, {upper, wide(b, 32)})});
}

Var wordAt(Builder& b, Var x, int64_t i) {
    return squeeze(b, sliceAxis(b, x, 0, i, 1), {0});
}

FourWords philox(Builder& b, FourWords counter, TwoWords key) {
    for (int round = 0; round < rounds; ++round) {
        const Var first = mul(b, counter[0], wide(b, factors[0])), second = mul(b, counter[2], wide(b, factors[1]));
        counter = {exclusive(b, high(b, second), counter[1], key[0]), low(b, second),
                   exclusive(b, high(b, first), counter[3], key[1]), low(b, first)};
        for (size_t i = 0; i < key.size(); ++i)
            key[i] = low(b, add(b, key[i], wide(b, weyl[i])));
    }
    return counter;
}

} // namespace

/// The seed is a counter under a key of TensorFlow's own, so that all of its bits count.
PhiloxState seeded(Builder& b, Var seed) {
    const Var halves = cast(b, cast(b, seed, types::Int64), types::UInt64);
    const Var first = wordAt(b, halves, 0), second = wordAt(b, halves, 1);
    const FourWords mixed = philox(b, {low(b, first), high(b, first), low(b, second), high(b, second)},
                                   {wide(b, 0x3EC8F720), wide(b, 0x02461E29)});
    const auto list = [&](Var x) { return unsqueeze(b, x, {0}); };
    return {list(together(b, mixed[0], mixed[1])),
            concat(b, {list(wide(b, 0)), list(together(b, mixed[2], mixed[3]))}, 0)};
}

Var words(Builder& b, const PhiloxState& state, const Expr& count) {
    if (b.failed())
        return {};
    const Expr blocks = arith::simplify(arith::floorDiv(count + 3, 4));
    const Var key = wordAt(b, state.key, 0), lower = wordAt(b, state.counter, 0), upper = wordAt(b, state.counter, 1);
    const Var sum = add(b, lower, cast(b, iota(b, {blocks}, 0, types::Int64), types::UInt64));
    const Var carry = cast(b, less(b, sum, lower), types::UInt64);
    const Var next = add(b, upper, carry);
    const FourWords drawn =
        philox(b, {low(b, sum), high(b, sum), low(b, next), high(b, next)}, {low(b, key), high(b, key)});
    std::vector<Var> columns;
    for (const Var word : drawn)
        columns.push_back(unsqueeze(b, word, {1}));
    const Var all = reshape(b, concat(b, columns, 1), {arith::simplify(blocks * 4)});
    return sliceAxis(b, all, 0, 0, count);
}

} // namespace lathe::frontend::tensorflow
