// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/matrices.h"

#include "model/model_graph.h"

namespace lathe::frontend::tensorflow {

Var constantOf(Builder& b, const Matrix& matrix) {
    const auto elements = std::make_shared<std::vector<float>>(matrix.elements);
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = types::Float32;
    tensor->shape = {matrix.rows, matrix.columns};
    tensor->bytes = {elements, std::as_bytes(std::span(*elements))};
    return b.constant(relay::makeConstant(tensor));
}

} // namespace lathe::frontend::tensorflow
