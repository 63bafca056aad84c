// SPDX-License-Identifier: Apache-2.0
//
// The record of a compilation: what each pass saw and gave, each kernel at each stage, and the table that leads from
// an instruction back to the model's nodes. It is the product: the workbench shows it, `lathe passes` prints it,
// bisecting replays it. Complete up to the failing pass when one fails.
#pragma once

#include "base/result.h"
#include "model/model_graph.h"
#include "relay/ir.h"
#include "schedule/schedule.h"
#include "tir/ir.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lathe::driver {

enum class Stage { Import, Relay, Lower, Tir, Codegen };
std::string_view toString(Stage stage); // "import", "relay", "lower", "tir", "codegen"

/// One pass over the whole module (stages Import and Relay: before and after are relay modules) or over all kernels (Tir: see KernelRecord).
struct PassRecord {
    std::string name;
    Stage stage = Stage::Relay;
    bool required = true;
    bool ran = true; // false: switched off by Decisions or the optional limit
    bool changed = false;
    double ms = 0;
    int64_t bindings = 0; // after it
    double flops = 0;     // estimate after it, at the known sizes
    int64_t peakBytes = 0;
    std::shared_ptr<const relay::Module> before, after; // null for stages without one
    std::vector<Diagnostic> diagnostics;
};

/// A kernel at each stage: "computation", "schedule", then the TIR passes by name.
struct KernelRecord {
    std::string name;
    std::string workload; // what Decisions name it by: see lower/workload.h
    std::vector<std::pair<std::string, tir::PrimFuncPtr>> stages;
    schedule::Trace schedule;
    /// Made when asked for (compiles the kernel again, keeping text).
    std::function<Result<std::string>()> llvmIr, assembly;
};

/// One kernel call of the entry: what it serves.
struct CallRecord {
    int callId = 0;
    std::string function; // the fused function's name
    std::string kernel;
    std::vector<model::Span> origins; // origin ordinal -> Span
    model::Span span;                 // all of them
    arith::Expr flops, bytes;         // estimates over the model's symbols
};

/// A model node that no longer stands in the code, and what took it: a pass, "import" or "lower".
struct Removed {
    int32_t node = 0;
    std::string pass;
};

struct Trace {
    model::ModelGraphPtr graph;
    std::vector<PassRecord> passes; // in order
    std::vector<KernelRecord> kernels;
    tir::PrimFuncPtr entry;
    std::vector<CallRecord> calls;
    std::vector<Removed> removed;
    std::vector<Diagnostic> diagnostics;
    /// Peak of the run's memory (arena, without constants, inputs and outputs) in bytes, as an expression over the symbols.
    arith::Expr peakBytes;
};

/// Progress of long work, and its cancellation. Called from the compiling thread.
struct Progress {
    std::function<void(std::string_view stage, double fraction)> report; // may be empty
    std::function<bool()> cancelled;                                     // may be empty
};

} // namespace lathe::driver
