// SPDX-License-Identifier: Apache-2.0
//
// From a module of fused functions to kernels and an entry: each primitive function becomes a PrimFunc, equal ones are one;
// the main function becomes the entry PrimFunc with its calls, branches, loops and memory plan, as does each function that
// calls itself.
#pragma once

#include "base/target.h"
#include "lower/placed_buffer.h"
#include "lower/schedule_kernel.h"
#include "model/model_graph.h"
#include "relay/ir.h"
#include "tir/ir.h"

#include <vector>

namespace lathe::lower {

using arith::Expr;

struct CheckInfo {
    tir::CheckKind kind;
    int origin = -1;
    std::string message;
};

/// One kernel of the model, compiled once however many calls it serves.
struct Kernel {
    std::string name;
    tir::PrimFuncPtr computation;    // unscheduled, as topi made it
    tir::PrimFuncPtr lowered;        // after schedule and TIR passes: set by the pipeline
    std::vector<arith::Var> scalars; // of the computation, in parameter order
    Expr workspaceBytes;             // over scalars; null before lowering, 0: no workspace parameter
    std::vector<CheckInfo> checks;
    KernelSchedule schedule; // set by the pipeline
    bool schedulable = true; // false: a TIR builder wrote its loops
};

/// One call in the entry.
struct Call {
    std::string function; // the fused function's name
    int kernel = 0;
    std::vector<model::Span> origins;
    model::Span span;
    Expr flops, bytes;         // over the module's symbols
    std::vector<Expr> scalars; // the kernel's, likewise; in the order of its parameters
};

/// How a primitive function of the module is computed: by one kernel, by a pair around an allocation, or as a view.
struct FunctionPlan {
    enum class Kind { Kernel, Dynamic, View } kind = Kind::Kernel;
    int kernel = -1;           // Kernel; Dynamic: the sizes kernel
    int fill = -1;             // Dynamic
    std::vector<Expr> scalars; // arguments, over the module's symbols; in the order of the kernel's parameters
    std::vector<Expr> fillScalars;
    std::vector<tir::BufferPtr> state; // Dynamic: buffers between the two
    int viewOf = -1;                   // View: which parameter
    std::vector<model::Span> origins;
    model::Span span;
};

struct Kernels {
    std::vector<Kernel> kernels;
    std::map<std::string, FunctionPlan> plans; // by name of the primitive function
};

/// Computations of all primitive functions. Fails where an operator cannot be lowered, naming its node.
Result<Kernels> makeKernels(const relay::Module& module, const model::ModelGraph* graph);

struct Entry {
    tir::PrimFuncPtr function;
    std::vector<tir::PrimFuncPtr> functions; // that it calls, and that call themselves
    std::vector<Call> calls;
    std::vector<relay::ConstantPtr> constants; // by ordinal of RtCall CONSTANT
    std::vector<int> initialStates;            // of each state: the constant that it begins as; -1: zeros
    Expr peakBytes;                            // arena, over the symbols; null: only running tells
    std::vector<PlacedBuffer> buffers;         // what lies there
    std::vector<model::Span> origins;          // of the functions' checks
};

/// The entry of the main function. Kernels must be lowered (their workspace sizes are known).
Result<Entry> makeEntry(const relay::Module& module, const Kernels& kernels, const model::ModelGraph* graph);

/// Estimated work of a computation, over its scalars: floating-point operations; bytes of parameters, each moved once.
/// Loops whose extent is read from memory do not count.
Expr estimateFlops(const tir::PrimFunc& computation);
/// Floating-point operations of one evaluation; a fused multiply-add is two.
int64_t operationsOf(const Expr& expr);
Expr estimateBytes(const tir::PrimFunc& computation);

} // namespace lathe::lower
