// SPDX-License-Identifier: Apache-2.0
//
// Finding and replacing parts of a PrimFunc's body: statements are immutable, so a change rebuilds the path from the
// root. A Path goes stale with the first change; what is found again is found by name (block) or variable (loop).
#pragma once

#include "tir/visit.h"

#include <string_view>

namespace lathe::schedule {

using arith::Expr;
using arith::Var;
using tir::BufferPtr;
using tir::Stmt;

/// Root first, the statement that was looked for last; empty: not found.
using Path = std::vector<Stmt>;

Path findBlock(const Stmt& root, std::string_view name);
Path findLoop(const Stmt& root, const Var& loopVar);
Path findAllocate(const Stmt& root, const tir::Buffer* buffer);
/// All blocks in program order; blocks inside blocks are part of them.
std::vector<Path> findBlocks(const Stmt& root);
bool contains(const Stmt& root, const tir::StmtNode* node);

inline const tir::Block& blockOf(const Path& path) {
    return *path.back()->as<tir::Block>();
}
inline const tir::For& loopOf(const Path& path) {
    return *path.back()->as<tir::For>();
}
/// The loops on the path, outermost first, the last statement included if it is one.
std::vector<const tir::For*> loopsOf(const Path& path);
/// Whether the path goes on below the loop that `loop` ends at.
inline bool isUnder(const Path& path, const Path& loop) {
    return path.size() > loop.size() && path[loop.size() - 1] == loop.back();
}

/// The root with path.back() replaced. Null removes it, and the loops and conditions that become empty with it.
Stmt replaceAt(const Path& path, const Stmt& with);
/// The root with `stmt` before or after path.back().
Stmt insertBefore(const Path& path, const Stmt& stmt);
Stmt insertAfter(const Path& path, const Stmt& stmt);
/// The statement with another block node of the same origin.
Stmt withBlock(const Path& path, tir::Block block);
/// The loops, outermost first, around the statement.
Stmt wrap(std::vector<tir::For> loops, Stmt body, int origin);

/// Every load from and store to `buffer`, in blocks or out of them. The path ends at the Block, or at the statement
/// where there is no block around.
struct Access {
    Path path;
    std::vector<Expr> indices;
    bool write = false;
};
std::vector<Access> accessesOf(const Stmt& root, const tir::Buffer* buffer);
/// The buffers that are loaded from or stored to in the statement.
std::vector<BufferPtr> buffersIn(const Stmt& root);
/// The Vars that occur in the statement's expressions, without those that it binds itself.
std::vector<Var> freeVarsOf(const Stmt& stmt);

bool writes(const tir::Block& block, const tir::Buffer* buffer);
bool reads(const tir::Block& block, const tir::Buffer* buffer);
/// The block's reads and writes as its body has them: a region a distinct access, points, or the whole dimension where
/// the index depends on data or on loops within the body. What it reads of its own result comes last, if it has no
/// init.
void refreshRegions(tir::Block& block);

/// The only store of a block whose body is that store, maybe under one condition; null otherwise.
const tir::Store* soleStore(const tir::Block& block);
/// Whether the loop moves what the block reduces along; whether it moves where its results stand.
bool reducesAlong(const tir::Block& block, const Var& loopVar);
bool spatialAlong(const tir::Block& block, const Var& loopVar);
/// Replaces expressions of one buffer's loads and indices of its stores: fn(indices) gives the new indices.
Stmt rewriteAccesses(const Stmt& root, const tir::Buffer* from, const BufferPtr& to,
                     const std::function<std::vector<Expr>(const std::vector<Expr>&)>& fn);

} // namespace lathe::schedule
