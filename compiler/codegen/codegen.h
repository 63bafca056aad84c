// SPDX-License-Identifier: Apache-2.0
//
// From lowered loop IR to machine code. One PrimFunc becomes one object; objects and the model's tables are linked to a
// shared object that needs no library: everything it calls is in the runtime's table of functions (abi/abi.h).
// All functions here are thread-safe.
#pragma once

#include "base/hash.h"
#include "base/result.h"
#include "base/target.h"
#include "tir/ir.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lathe::codegen {

struct CodegenOptions {
    Target target;
    /// Whether a product and a sum may become one operation that rounds once, where the target has one. Float functions, whose
    /// errors are stated, always may.
    bool contract = true;
    bool keepIr = false; // fill KernelCode::llvmIr
    /// Asked between the passes of the work, on the thread that does it; what it throws passes through. May be empty.
    std::function<void()> checkpoint = {};
};

/// Provenance: each statement has a debug line, and the object's line table leads from an instruction to the line.
struct LineEntry {
    int line = 0;
    int origin = -1;
    const tir::StmtNode* stmt = nullptr; // of the function that was compiled, which must outlive this
};

struct KernelCode {
    std::vector<std::byte> object;
    std::string llvmIr;
    std::vector<LineEntry> lines; // lines[i].line == i + 1
};

/// Compiles a lowered function (after the required passes of tir/transform). Symbol: the function's name, signature
/// `int32_t NAME(lathe_exec*, buffers…, scalars…)` in the order of its parameters: buffers and handles as pointers, index
/// as int64_t, other scalars as their type (bool as uint8_t); the entry has none. Vectorized and
/// unrolled loops that passes left are compiled as serial loops. Fails for a target that parseTarget would refuse; throws
/// InternalError if LLVM rejects what was made or cannot go on.
Result<KernelCode> compileFunction(const tir::PrimFunc& function, const CodegenOptions& options);

/// What an artifact says of itself: lathe_model_desc in types of ours.
struct ModelTables {
    struct Value {
        std::string name;
        DataType dtype;
        std::vector<int64_t> dims; // >= 0, or -(symbol + 1), or INT64_MIN
        std::string form = {};     // lathe_value_desc::form
        bool holdsNothing = false; // of a form: no type of what it could hold is known
    };
    struct State {
        Value value;
        int initial = -1; // a constant; -1: zeros
    };
    struct Constant {
        Hash128 hash;
        int64_t offset = 0, bytes = 0;
        int64_t strings = 0; // that the bytes hold; 0: they are elements
    };
    struct CheckText {
        int kind = 0, origin = -1;
        std::string message;
    };
    struct Kernel {
        std::string name;
        std::vector<CheckText> checks;
    };
    struct Call {
        std::string function;
        int kernel = 0;
        std::vector<std::string> nodes; // by origin
        double flops = 0, bytes = 0;
    };
    std::string name;
    uint32_t flags = 0;
    std::vector<Value> inputs, outputs;
    std::vector<State> states;
    std::vector<std::string> symbols;
    std::vector<Constant> constants;
    std::vector<Kernel> kernels;
    std::vector<Call> calls;
    std::vector<CheckText> entryChecks;
    std::vector<std::string> entryNodes; // by origin
    std::string metadata;
    std::string entry; // symbol of the entry function
};

/// An object with `lathe_model` (exported) and `lathe_functions_table`, the pointer through which all kernels call.
Result<std::vector<std::byte>> emitModelTables(const ModelTables& tables, const CodegenOptions& options);

/// A shared object in which only `exports` are visible. Fails with the linker's words, for undefined symbols too.
Result<std::vector<std::byte>> linkShared(const std::vector<std::vector<std::byte>>& objects,
                                          const std::vector<std::string>& exports);

struct InstructionOrigin {
    uint64_t address = 0;
    int line = 0;        // KernelCode::lines; 0: none
    bool inLoop = false; // between a backward branch's target and that branch
    std::string text;    // "vfmadd231ps ymm0, ymm1, ymmword ptr [rsi]"
};
/// All instructions of the object's text sections, in order.
Result<std::vector<InstructionOrigin>> disassembleWithLines(const std::vector<std::byte>& object);

} // namespace lathe::codegen
