// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/states.h"

#include "frontend/tflite/operands.h"

namespace lathe::frontend::tflite {

void overStates(NodeReader& node, const std::vector<size_t>& operands, const OverStates& fn) {
    std::vector<Var> before;
    for (size_t i : operands) {
        const bool isProduced = node.hasInput(i) && node.scope.find(node.node.inputs[i]);
        before.push_back(isProduced ? realOf(node, i) : Var{});
    }
    fn(before);
}

} // namespace lathe::frontend::tflite
