// SPDX-License-Identifier: Apache-2.0
//
// Numbers rounded to as many steps as an integer has, and integers for them.
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {
namespace {

/// x rounded to the steps between `low` and `high`, which are moved so that 0 is on one of them.
Var fakeQuantized(NodeReader& node, Builder& b, Var x, Var low, Var high) {
    const int64_t bits = node.integer("num_bits", 8);
    if (bits < 2 || bits > 16) {
        node.fail(fmt::format("num_bits is {}", bits));
        return {};
    }
    const double least = node.integer("narrow_range", 0) != 0 ? 1 : 0;
    const double most = static_cast<double>((int64_t{1} << bits) - 1);
    const Var scale = mulBy(b, sub(b, high, low), 1 / (most - least));
    const Var leastLike = b.failed() ? Var{} : scalarLike(b, least, x),
              mostLike = b.failed() ? Var{} : scalarLike(b, most, x);
    const Var exact = sub(b, leastLike, div(b, low, scale));
    const Var zero = minimum(b, maximum(b, b.call(Op::Floor, {addTo(b, exact, 0.5)}), leastLike), mostLike);
    const Var nudgedLow = mul(b, sub(b, leastLike, zero), scale), nudgedHigh = mul(b, sub(b, mostLike, zero), scale);
    const Var clipped = sub(b, minimum(b, maximum(b, x, nudgedLow), nudgedHigh), nudgedLow);
    const Var steps = b.call(Op::Floor, {addTo(b, div(b, clipped, scale), 0.5)});
    return add(b, mul(b, steps, scale), nudgedLow);
}

} // namespace

void convertFakeQuantWithMinMaxArgs(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    const Var low = b.scalar(node.real("min", -6), types::Float32),
              high = b.scalar(node.real("max", 6), types::Float32);
    node.set(0, fakeQuantized(node, b, x, low, high));
}
void convertFakeQuantWithMinMaxVars(NodeReader& node, Builder& b) {
    const Var x = node.in(0), low = node.in(1), high = node.in(2);
    node.set(0, fakeQuantized(node, b, x, low, high));
}

} // namespace lathe::frontend::tensorflow
