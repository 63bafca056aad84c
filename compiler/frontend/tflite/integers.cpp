// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/integers.h"

namespace lathe::frontend::tflite {

DataType integerType(NodeReader& node, const std::string& attribute) {
    return node.text(attribute, "INT32") == "INT64" ? types::Int64 : types::Int32;
}

void giveIntegers(NodeReader& node, size_t i, Var integers) {
    const model::ValueType* declared = node.declaredResult(i);
    const bool isInteger = declared && declared->kind == model::ValueType::Kind::Tensor && declared->dtype.isInt();
    node.set(i, cast(node.b, integers, isInteger ? declared->dtype : types::Int32));
}

} // namespace lathe::frontend::tflite
