// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/channels.h"

#include <fmt/format.h>

namespace lathe::frontend {
namespace {

/// x with dim `from` at place `to` and the others in their order.
Var movedDim(Builder& b, Var x, int64_t from, int64_t to) {
    Ints axes = iotaInts(0, b.rank(x));
    axes.erase(axes.begin() + from);
    axes.insert(axes.begin() + to, from);
    return transpose(b, x, std::move(axes));
}

bool hasChannels(Builder& b, Var x) {
    if (!b.failed() && b.rank(x) < 2)
        b.fail(fmt::format("an operand of rank {} has no channels", b.rank(x)),
               "correct the operand's shape in the model");
    return !b.failed();
}

} // namespace

Var channelsFirst(Builder& b, Var x) {
    return hasChannels(b, x) ? movedDim(b, x, b.rank(x) - 1, 1) : Var{};
}

Var channelsLast(Builder& b, Var x) {
    return hasChannels(b, x) ? movedDim(b, x, 1, b.rank(x) - 1) : Var{};
}

} // namespace lathe::frontend
