// SPDX-License-Identifier: Apache-2.0
//
// Parts of tensors, taken out and put in. Bounds may be computed while the model runs.
#include "frontend/common/strided_slice.h"
#include "frontend/tflite/integers.h"
#include "frontend/tflite/operands.h"
#include "frontend/tflite/ops.h"
#include "frontend/tflite/update_slice.h"

namespace lathe::frontend::tflite {
void convertStridedSlice(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    m.give(0, stridedSlice(node, b, x));
}

void convertSlice(NodeReader& node, Builder& b) {
    Movement m(node, {0});
    const Var x = m.in(0);
    m.give(0, sizedSlice(node, b, x));
}

void convertDynamicUpdateSlice(NodeReader& node, Builder& b) {
    Movement m(node, {0, 1});
    const Var x = m.in(0), update = m.in(1);
    const Dims start = integersOf(node, 2, "start");
    m.give(0, withUpdate(b, x, update, start));
}

} // namespace lathe::frontend::tflite
