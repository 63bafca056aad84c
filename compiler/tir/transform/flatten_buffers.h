// SPDX-License-Identifier: Apache-2.0
//
// Flatten buffers (required): one index an access, and a place for every buffer.
//
// Before, an access has an index per dimension and a buffer has shape, strides and offset. Afterwards every buffer is
// one-dimensional and every access has one index, in elements: sum(index * stride) + offset. Code generation then needs
// no notion of shape.
//
// Memory gets its place here. Workspace buffers of a kernel share one piece of memory that the memory plan provides as a
// trailing parameter `workspace` (a handle); each is bound at a 64-byte aligned offset in it. A Workspace buffer inside
// a parallel loop needs one piece for each task: the loop is then split into as many tasks of consecutive iterations as
// a parallel region has chunks at most (parallel_regions.h). A Local buffer whose size is bounded by a constant, at most
// `localBytes`, stays on the stack; a larger one becomes workspace. Its rows begin cache lines if they are longer than one.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

inline constexpr int64_t localBytes = 64 * 1024;

struct Flattened {
    PrimFuncPtr function;
    Expr workspaceBytes; // over the scalar parameters; a multiple of 64; 0 if the function has no `workspace` parameter
};

Flattened flattenBuffers(const PrimFuncPtr& function);

/// The element index of an access: sum of index * stride + offset; row-major if the buffer has no strides.
Expr flatIndex(const Buffer& buffer, std::span<const Expr> indices);
/// Elements from the buffer's start to its last element, offset included.
Expr flatExtent(const Buffer& buffer);

} // namespace lathe::tir
