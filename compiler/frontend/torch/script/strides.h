// SPDX-License-Identifier: Apache-2.0
//
// Where PyTorch lays the elements of tensors: strides, in elements, of tensors whose sizes are known. They decide whether a
// reshape gives a view or a copy, and nothing else.
#pragma once

#include "frontend/torch/schema.h"

namespace lathe::frontend::torch::script {

/// Of a tensor in row order; nothing if not all sizes are known.
std::optional<Ints> contiguous(const Dims& shape);
bool isContiguous(const Ints& sizes, const Ints& strides);
std::optional<Ints> knownSizes(const Dims& shape);

/// Of what a view operator gives of a tensor: `arguments` of its call, and the sizes of the result. Nothing if that is not known.
std::optional<Ints> viewStrides(const Schema& schema, const List& arguments, const Ints& sizes, const Ints& strides,
                                const Ints& result);

} // namespace lathe::frontend::torch::script
