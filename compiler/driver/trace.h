// SPDX-License-Identifier: Apache-2.0
//
// The record of a compilation: what each pass saw and gave, each kernel at each stage, and the way from an instruction
// back to the model's nodes (driver/listing.h). It is the product: the workbench shows it, `lathe passes` prints it,
// bisecting replays it. Complete up to the failing pass when one fails.
#pragma once

#include "base/result.h"
#include "base/target.h"
#include "driver/graph_decisions.h"
#include "driver/listing.h"
#include "lower/placed_buffer.h"
#include "lower/schedule_kernel.h"
#include "model/model_graph.h"
#include "relay/ir.h"
#include "tir/ir.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::driver {

struct Extensions; // driver/extensions.h

enum class Stage { Import, Relay, Lower, Tir, Codegen };
std::string_view toString(Stage stage); // "import", "relay", "lower", "tir", "codegen"

using ModulePtr = std::shared_ptr<const relay::Module>;

/// One pass over the whole module (Relay: before and after it), over all kernels (Tir: see KernelRecord), or a step that
/// makes something new of them. There is one for each pass of the pipeline (driver/passes.h), in its order, from the start.
struct PassRecord {
    std::string name;
    std::string plugin; // that adds it; empty: none, it is Lathe's own
    Stage stage = Stage::Relay;
    bool required = true;
    bool enabled = true;              // false: switched off by Decisions, the optional limit or the numerics
    bool ran = false;                 // false: off, not reached, or there was nothing that it is for
    bool changed = false;             // Import, Relay, Tir: the text after it is not the text before it
    bool changedConstants = false;    // it changed what constants were computed with, or failed there: constantKernels
    double ms = 0;                    // Tir, Codegen: the sum over all kernels, whose work goes on side by side
    std::optional<int64_t> bindings;  // after it, where a module stands
    std::optional<double> flops;      // of one run, where the sizes are known
    std::optional<int64_t> peakBytes; // of the run's arena, likewise
    ModulePtr before, after;          // null for stages without one; one object if nothing changed
    std::vector<Diagnostic> diagnostics;
};

/// "off", "not run", "failed", "changed"; of a pass that ran and changed nothing "unchanged", of a step that makes something
/// new "done".
std::string_view outcomeOf(const PassRecord& record);

/// A kernel at each stage: "computation", "schedule", then the TIR passes by name. A pass that is off has no stage; one
/// that changed nothing has the PrimFunc of the stage before.
struct KernelRecord {
    std::string name;
    std::string workload; // what Decisions name it by: see lower/workload.h
    std::vector<std::pair<std::string, tir::PrimFuncPtr>> stages;
    bool schedulable = true;                      // false: its loops were written by hand, no schedule is made
    lower::KernelSchedule schedule;               // its trace, what it asked, what it tried and was refused
    Target target;                                // that it was lowered for
    std::shared_ptr<const Extensions> extensions; // that it was lowered with; null: none
    bool cached = false;                          // its object was found in the cache of kernels
    double codeMs = 0;                            // to make the object, or to find it
    /// Made when asked for: compiles the kernel again, keeping what the object does not need.
    std::function<Result<Listing>()> listing;
};

/// One kernel call of the entry, at the place of its id: what it serves.
struct CallRecord {
    std::string function; // the fused function's name
    std::string kernel;
    /// Origin ordinal -> Span: the model nodes that it works for, in the order of computing. Constants are no work, and have
    /// none.
    std::vector<model::Span> origins;
    model::Span span;                 // all of them: who asks which nodes a call works for asks this
    arith::Expr flops, bytes;         // estimates over the model's symbols
    std::vector<arith::Expr> scalars; // of the kernel's computation, likewise; in the order of its parameters
};

/// The first model node that a call works for: its time counts to the groups around this one, so that groups add up to what is
/// around them. -1: it works for none.
int32_t homeOf(const CallRecord& call, const model::SpanTable& spans);

/// A model node that no longer stands in the code, and what took it: a pass, "import" or "lower".
struct Removed {
    int32_t node = 0;
    std::string pass;
};

struct Trace {
    model::ModelGraphPtr graph;
    std::vector<std::filesystem::path>
        files;                           // that the model was read from: its own, and those that its tensors lie in
    std::set<std::string> plugins;       // whose operators the model has
    bool fixedAtNeed = false;            // the model could not be imported without Options::shapesAtNeed, inputsAtNeed
    std::vector<PassRecord> passes;      // all of the pipeline, in order
    std::vector<VariantRecord> variants; // the choices of "choose variants"
    std::vector<LayoutRecord> layouts;   // those of "choose layouts"
    FusionRecord fusion;                 // of "fuse"
    std::vector<KernelRecord> kernels;
    /// What constants were computed with while the model was compiled: each workload once, in no particular order.
    std::vector<KernelRecord> constantKernels;
    tir::PrimFuncPtr entry;
    std::vector<tir::PrimFuncPtr> entryFunctions; // that it calls, and that call themselves
    std::vector<CallRecord> calls;
    std::vector<Removed> removed;
    std::vector<Diagnostic> diagnostics;
    /// Peak of the run's memory (arena, without constants, inputs and outputs) in bytes, as an expression over the symbols;
    /// null where a loop hands on values that grow: only a run tells.
    arith::Expr peakBytes;
    std::vector<lower::PlacedBuffer> buffers; // that lie there
};

/// Those that go by the name: their own, their workload's, or that of a fused function that calls them; all for an empty one.
std::vector<const KernelRecord*> kernelsNamed(const Trace& trace, std::string_view name);

/// Progress of long work, and its cancellation. Either may be empty.
struct Progress {
    /// Called from the compiling thread alone, the one that called compile.
    std::function<void(std::string_view stage, double fraction)> report;
    /// Called from all threads that work for it.
    std::function<bool()> cancelled;
};

/// Fails, with kind Usage, if `out` is the file `model` or another one that the model was read from: what is written there would
/// destroy it.
Result<void> keepsModel(const std::filesystem::path& out, const std::filesystem::path& model, const Trace& trace);

} // namespace lathe::driver
