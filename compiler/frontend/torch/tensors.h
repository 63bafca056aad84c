// SPDX-License-Identifier: Apache-2.0
//
// Tensors of an archive: bytes of a storage, little endian, and where in it the elements of one tensor lie.
#pragma once

#include "frontend/torch/program.h"

namespace lathe::frontend::torch {

/// The tensor that `meta` tells of, in row order; of complex numbers with a last dim of two. Fails if an element lies outside of
/// the storage. What does not lie in row order is copied, which the budget pays for.
Result<model::TensorPtr> makeTensor(const TensorMeta& meta, const model::Bytes& storage, Budget& budget);

} // namespace lathe::frontend::torch
