// SPDX-License-Identifier: Apache-2.0
//
// The way from an instruction back to the model: the object's line table leads from the instruction to a statement of the
// lowered kernel, the statement has an origin, and each call of the kernel says which nodes of the model an origin is.
#pragma once

#include "base/result.h"
#include "codegen/codegen.h"
#include "model/span.h"
#include "tir/ir.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::driver {

struct Trace;

struct Instruction {
    uint64_t address = 0; // in the object
    std::string text;     // "vfmadd231ps ymm0, ymm1, ymmword ptr [rsi]"
    bool inLoop = false;
    const tir::StmtNode* stmt = nullptr; // of Listing::function, that it is for; null: no instruction is for any
    int origin = -1;                     // the statement's
};

/// A kernel's code.
struct Listing {
    tir::PrimFuncPtr function; // lowered, as it was compiled
    std::vector<Instruction> instructions;
    std::string llvmIr;                             // optimized, as the object was made of it
    std::vector<const tir::StmtNode*> irStatements; // for each of its lines, as for instructions; null: of none
};

/// Compiles a lowered kernel, and reads the object back.
Result<Listing> listingOf(const tir::PrimFuncPtr& lowered, codegen::CodegenOptions options);

/// For each origin of a kernel the model nodes that it is, in all calls of the kernel together.
std::vector<model::Span> spansByOrigin(const Trace& trace, std::string_view kernel);

/// A line an instruction: address and text; where the statement's nodes change, their names as a comment.
std::string print(const Listing& listing, const Trace& trace);

} // namespace lathe::driver
