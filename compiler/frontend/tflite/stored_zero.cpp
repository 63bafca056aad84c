// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/stored_zero.h"

#include "frontend/tflite/operands.h"

namespace lathe::frontend::tflite {

Var storedZero(NodeReader& node, size_t i, Var moved) {
    if (node.failed())
        return {};
    const DataType dtype = node.b.dtype(moved);
    const model::ValueType* declared = node.declared(i);
    if (!dtype.isInt() || !isQuantized(node, i) || !declared || !declared->quantization)
        return node.b.scalar(0, dtype);
    const std::vector<int64_t>& zeros = declared->quantization->zeroPoint;
    return node.b.scalarInt(zeros.empty() ? 0 : zeros.front(), dtype);
}

} // namespace lathe::frontend::tflite
