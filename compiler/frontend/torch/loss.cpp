// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/loss.h"

#include "frontend/torch/reduced.h"

#include <fmt/format.h>

namespace lathe::frontend::torch {

Ints everyAxis(Builder& b, Var x) {
    return b.failed() ? Ints{} : iotaInts(0, b.rank(x));
}

Var reducedLoss(Call& call, Builder& b, Var loss) {
    const int64_t reduction = call.integer("reduction");
    if (reduction < AsTheyAre || reduction > Sum)
        call.fail(fmt::format("reduction is {}", reduction), "0, 1 or 2: none, mean or sum");
    return reduction == AsTheyAre ? loss
                                  : reduceOver(b, reduction == Mean ? "mean" : "sum", loss, everyAxis(b, loss), false);
}

} // namespace lathe::frontend::torch
