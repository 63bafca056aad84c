// SPDX-License-Identifier: Apache-2.0
//
// Each Relay operator's computation: a tensor expression where it is one, a TIR builder where it is not (sort, NonZero,
// NMS). What stands here is correct for every type and shape that the type rules let through; speed comes from
// schedules (topi/default_schedule.h).
#pragma once

#include "base/target.h"
#include "relay/attrs.h"
#include "relay/ir.h"
#include "te/te.h"
#include "tir/ir.h"

namespace lathe::topi {

/// One call to compute. args[i] is null for an absent optional operand.
struct CallContext {
    relay::Op op;
    relay::AttrsPtr attrs;
    std::vector<te::TensorPtr> args;
    std::vector<const relay::TensorType*> argTypes; // null for absent
    relay::Type resultType;
    int origin = 0; // for every tensor made
};

/// How an operator is computed.
enum class Form {
    TensorExpression, // computeTe
    Kernel,           // buildKernel: a PrimFunc of its own; the call is never fused
    Dynamic,          // buildDynamic: result sizes are known only after looking at the data
    Structural,       // no computation: BindSymbols, Assume, lists (the entry does them)
};
/// The form of this very call. definesSymbols: the result type has symbols that nothing before the call defines (a
/// Range of known length is a tensor expression, one of unknown length is Dynamic).
Form formOf(relay::Op op, const relay::AttrsPtr& attrs, const std::vector<const relay::TensorType*>& args,
            bool definesSymbols = true);

/// One tensor a result field. Fails (InternalError) if formOf is not TensorExpression.
std::vector<te::TensorPtr> computeTe(const CallContext& call);

/// Buffer parameters: each present operand, then each result field; then the scalars (symbols of all these types, in
/// order of first occurrence). Reads row-major compact buffers. Strings are handles here, uint64 (abi/abi.h).
tir::PrimFuncPtr buildKernel(const std::string& name, const CallContext& call);

/// Two kernels around an allocation. `sizes` has the operands, then `state` buffers, then one int64[k] buffer with the
/// value of each new symbol of the result type in order of first occurrence, then scalars. `fill` has the operands, the
/// state buffers, the results, then scalars (the new symbols among them).
struct DynamicKernel {
    tir::PrimFuncPtr sizes;
    tir::PrimFuncPtr fill;
    std::vector<tir::BufferPtr> state;
};
DynamicKernel buildDynamic(const std::string& name, const CallContext& call);

/// Symbols (index Vars) of dims, in order of first occurrence over the shapes.
std::vector<arith::Var> symbolsOf(const std::vector<std::vector<arith::Expr>>& shapes);

} // namespace lathe::topi
