// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lathe::frontend::torch::script {

/// Whether an operator is one that makes quantized tensors or that only these have: it stands in no table of PyTorch's other ones.
bool isQuantizedOperator(std::string_view name);

} // namespace lathe::frontend::torch::script
