// SPDX-License-Identifier: Apache-2.0
//
// Sparse constants, made dense. The file keeps the elements that are not 0 in a tree: a level for each dimension of the
// tensor, in any order, and below them a level for each dimension of the blocks, if it is stored in blocks. A dense
// level has all indices of its dimension; a sparse one says which it has, in compressed rows.
#pragma once

#include "base/budget.h"
#include "base/result.h"
#include "model/model_graph.h"

#include <span>

namespace tflite {
struct SparsityParameters;
}

namespace lathe::frontend::tflite {

/// `values`: the stored elements, of `width` bytes each, in the order of the tree. The bytes of the dense tensor are
/// taken from the budget before they are allocated.
Result<model::Bytes> densify(const ::tflite::SparsityParameters& sparsity, std::span<const int64_t> shape, int width,
                             std::span<const std::byte> values, Budget& budget);

} // namespace lathe::frontend::tflite
