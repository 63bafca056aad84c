// SPDX-License-Identifier: Apache-2.0
#include "frontend/common/value_type.h"

#include "arith/analysis.h"

namespace lathe::frontend {

model::ValueType valueType(const relay::TensorType& tensor) {
    model::ValueType type{.kind = model::ValueType::Kind::Tensor,
                          .dtype = tensor.dtype,
                          .hasShape = true,
                          .shape = {},
                          .element = nullptr,
                          .quantization = nullptr};
    for (const arith::Expr& dim : tensor.shape) {
        const std::optional<int64_t> size = arith::asInt(dim);
        type.shape.push_back(size ? model::Dim{*size, {}} : model::Dim{-1, toString(dim)});
    }
    return type;
}

} // namespace lathe::frontend
