// SPDX-License-Identifier: Apache-2.0
#include "moves/inlining.h"

#include "tir/access.h"

namespace lathe::moves {
namespace {

constexpr int64_t inlinedNodes = 1024;

} // namespace

bool staysSmall(const tir::Store& reader, const tir::Store& made) {
    const int64_t size = tir::treeSize(made.value, nullptr, 1, inlinedNodes);
    return tir::treeSize(reader.value, made.buffer.get(), size, inlinedNodes) < inlinedNodes;
}

} // namespace lathe::moves
