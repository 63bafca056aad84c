// SPDX-License-Identifier: Apache-2.0
//
// How a block's statement touches memory: what default schedules decide from.
#pragma once

#include "base/target.h"
#include "tir/ir.h"

#include <map>
#include <optional>
#include <set>

namespace lathe::tir {

/// One load or the store of a block: how each iteration variable moves its flat element index.
struct AccessPattern {
    BufferPtr buffer;
    std::map<const arith::ExprNode*, arith::Expr> stride; // coefficient of each variable that has one
    std::set<const arith::ExprNode*> irregular;           // variables that move it otherwise (clamped, divided, loaded)
    /// Variables that a layout splits (floordiv and floormod of one factor): the stride is that within a panel of so many.
    std::map<const arith::ExprNode*, int64_t> panel;

    /// Irregular variables that move it as floordiv(var, n) alone: so many in a row, from a multiple, read the same.
    std::map<const arith::ExprNode*, int64_t> steady;

    bool affine() const { return irregular.empty(); }
    /// Coefficient of var: 0 if it does not occur; nothing if it has none or none that is known.
    std::optional<int64_t> constantStride(const arith::Var& var) const;
    bool uses(const arith::Var& var) const { return stride.contains(var.get()) || irregular.contains(var.get()); }
};

/// The block's single store; null if its body is anything else (checks, lets, several stores).
const Store* onlyStore(const Block& block);
AccessPattern accessPatternOf(const BufferPtr& buffer, const std::vector<arith::Expr>& indices, const Block& block);
/// Loads in the stored value that read other buffers than the one written.
std::vector<AccessPattern> readsOf(const Block& block);

/// Lanes, as Target counts them, of what the block stores, or of the widest of that and what it reads.
int64_t lanesOf(const Block& block, const Target& target);
int64_t lanesOfWidest(const Block& block, const Target& target);

/// The dim of the buffer whose index in the block's reads is `var` and nothing else; -1: none.
int dimAlong(const Block& block, const Buffer* buffer, const arith::Var& var);

/// Whether the block writes what is seen outside of the kernel.
bool isOutput(const Block& block);
bool isReduction(const Block& block);
/// A block that computes each element once, without checks.
bool isInjective(const Block& block);
/// Cheap enough to compute again at every use: loads, selects, index arithmetic, at most a few operations.
bool isCheap(const Block& block);

/// Whether what is stored is chosen between others (Select): an operand with padding that is not stored, for one.
bool chooses(const Store& store);

/// Nodes of an expression written out as a tree, so that what is shared counts each time, up to `most`. A load of `buffer`
/// counts as `loaded`.
int64_t treeSize(const Expr& expr, const Buffer* buffer, int64_t loaded, int64_t most);
/// Whether all reads go along with the store or stay where they are: then one loop can stand for all.
bool isFlat(const Block& block);
/// The axis along which a read is contiguous that vectors along the innermost axis have to gather: a transpose.
std::optional<size_t> gatheredAlong(const Block& block);
/// Whether a reduction reads along its last axis, which is reduced: neighbouring elements, or the same all the way.
bool followsReduction(const Block& block);
/// Whether `next` computes an element from each result of `block`, over the same axes in the same order.
bool followsResults(const Block& next, const Block& block);

/// sum over reduce variables of a product of two loads (each perhaps cast).
struct Contraction {
    AccessPattern a, b, output;
};
std::optional<Contraction> asContraction(const Block& block);

} // namespace lathe::tir
