// SPDX-License-Identifier: Apache-2.0
//
// Text of the loop IR. Stable, complete, and read back to the same structure, names, attributes and origins:
// printing, reading and printing again gives the same bytes.
#pragma once

#include "tir/ir.h"

namespace lathe::tir {

struct PrintOptions {
    bool origins = true;
    bool names = true; // false: names by order of occurrence, so that functions alike up to names print alike
    /// If set, gets for each printed line the statement that begins there (null if none), for views.
    std::vector<const StmtNode*>* lines = nullptr;
};

std::string print(const PrimFunc& function, const PrintOptions& options = {});
std::string print(const Stmt& stmt, const PrintOptions& options = {});

/// A Diagnostic with the line for malformed text, unknown names, nesting above limits::textNesting, and
/// more scopes than limits::textScopes.
Result<PrimFuncPtr> parsePrimFunc(std::string_view text);

} // namespace lathe::tir
