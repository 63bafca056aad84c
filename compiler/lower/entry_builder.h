// SPDX-License-Identifier: Apache-2.0
//
// The main function as an entry: inputs and their symbols, then each Block's bindings in order. A call of a primitive
// function is a kernel call with addresses; views and tuples cost nothing; `if` and `loop` become branches and loops
// whose Blocks are scopes with frames of their own.
//
// A value whose size is known where its scope's frame is laid out lies in that frame. Results of an `if` or `loop` whose
// size the Blocks decide are handed on by address, and the frames that hold them live as long as the enclosing scope.
//
// Lists, optionals and values of other data types are objects of the runtime, to which the entry has references. Each
// reference has an owner: a Block, from where it got it to the last use of the value, or what it was handed to. Where a
// value is used last its reference is handed on instead of a new one, so that the runtime can change it in place.
//
// Functions that call themselves are lowered likewise, each to a function of its own.
#pragma once

#include "lower/entry_scope.h"
#include "lower/lower.h"

#include <algorithm>
#include <functional>
#include <set>

namespace lathe::lower {

using relay::TensorType;

/// Where a value lies while the entry runs.
struct EntryValue {
    std::vector<EntryValue> fields; // of a tuple
    bool tuple = false;
    TensorType type;
    Expr address;            // of an object: the object
    relay::Type object = {}; // of a data type: its type
    Expr holder = {};        // of a tensor that lies in an object: that, which goes when its last reference does
    bool whole = false;      // it is all of its holder
};

/// What a binding, or a Block, has for itself.
struct Owned {
    std::vector<Expr> places;  // of the frame, to be released after the last use of what the binding gives
    std::vector<Expr> objects; // references, likewise
    std::vector<Expr> ending;  // references whose values are used last here: they may be handed on
};

using Destinations = std::map<uint32_t, Expr>; // Var -> address its value must have

/// How the result of a nested Block reaches the scope around it: copied to a place there, by address, or in an object.
struct Handover {
    TensorType type;
    bool byAddress = false;
    Expr address;            // of the place, if not by address
    relay::Type object = {}; // of a data type: the reference is handed over
    tir::BufferPtr slot;     // by address, or of an object: holds it
    int kept = -1; // of a loop, by address: its value lies in places kept and kept + 1 of the runtime, in turns
    /// Of a loop in a function that calls itself, instead of by address: in an object, since such places are of the run, the
    /// same for all calls of the function.
    bool boxed = false;
    std::vector<std::pair<arith::Var, tir::BufferPtr>> dims; // symbols of `type` that are defined by it
};

/// What a loop stacks up: in a place for all slices if their number is known before it, else in one of the runtime's that
/// grows, or in a list if their size is not known before either, or the function calls itself.
struct Scan {
    TensorType type; // of the stack
    TensorType slice;
    Expr address;                  // fixed
    int kept = -1;                 // growing
    tir::BufferPtr list = nullptr; // holds a list of the slices, whose size is not known before
};

/// What a loop keeps from one iteration to the next.
struct LoopState {
    std::vector<Handover> carried; // in a place of the frame, or by address where their sizes change
    std::vector<Scan> scans;
    Expr trips;               // index; null: unbounded
    tir::BufferPtr going;     // local: whether to go on
    tir::BufferPtr iteration; // local: the number of iterations so far

    bool grows() const {
        return std::ranges::any_of(carried, [](const Handover& handover) { return handover.byAddress; }) ||
               std::ranges::any_of(scans, [](const Scan& scan) { return scan.kept >= 0; });
    }
};

class EntryBuilder {
public:
    EntryBuilder(const relay::Module& module, const Kernels& kernels, const model::ModelGraph* graph)
        : module_(module), kernels_(kernels), graph_(graph) {}

    Result<Entry> build();

private:
    // Inputs, outputs and Blocks: entry.cpp

    Result<void> lowerMain();
    Result<void> bindInputs(const relay::Function& main, EntryScope& scope);
    Result<void> bindTensor(const relay::Param& param, int32_t input, EntryScope& scope);
    /// What states are before the call lies behind the inputs, what they will be behind the outputs: in memory of its own, so
    /// all of a state may be read after some of it is written.
    void bindStates(const relay::Function& main);
    /// Outputs that a kernel of the main Block makes are written in place. Marked here; the address is taken at the call.
    void markOutputs(const relay::Function& main);
    Expr outputAddress(int32_t output, const TensorType& type, EntryScope& scope);
    Result<void> writeOutputs(const relay::Function& main, EntryScope& scope, Owned& left);
    /// `given`: references that the Block owns from its beginning. Gives those that it still has at its end.
    Result<Owned> lowerBlock(const relay::Block& block, EntryScope& scope, const Destinations& destinations,
                             const std::vector<Expr>& given = {});
    /// Last position in the Block at which each Var bound in it is needed, through views, tuples and nested results.
    std::map<uint32_t, size_t> lifetimes(const relay::Block& block) const;
    bool isView(const relay::Binding& binding) const;
    Result<void> lowerBinding(const relay::Binding& binding, EntryScope& scope, const Destinations& destinations,
                              Owned& owned);
    /// A place for a field of a binding: its destination, an output, or the frame (then it is owned, to be released).
    Expr place(const relay::Binding& binding, const TensorType& type, EntryScope& scope,
               const Destinations& destinations, Owned& owned);
    int constantOrdinal(const relay::ConstantPtr& constant);
    Expr constantAddress(const relay::ConstantPtr& constant);

    // What all parts need

    bool defined(const Expr& expr) const;
    bool defined(const TensorType& type) const;
    void define(const arith::Var& var) { defined_.insert(var.get()); }
    /// span: the nodes that fail with it.
    void check(EntryScope& scope, Expr condition, tir::CheckKind kind, std::string message, model::Span span = {});
    Failure refused(model::Span span, std::string what, std::string hint = {});

    // Calls of kernels, symbols from data, checks: entry_calls.cpp

    Result<void> lowerCall(const relay::Binding& binding, const relay::FunctionCall& call, EntryScope& scope,
                           const Destinations& destinations, Owned& owned);
    /// Sizes first, then the symbols they define, then the results in a new segment.
    Result<void> lowerDynamic(const relay::Binding& binding, const relay::FunctionCall& call, const FunctionPlan& plan,
                              const std::vector<Expr>& inputs, EntryScope& scope, const Destinations& destinations,
                              Owned& owned);
    void callKernel(const std::string& function, int kernelOrdinal, const FunctionPlan& plan,
                    const std::vector<Expr>& buffers, const std::vector<Expr>& scalars, EntryScope& scope);
    EntryValue makeResult(const relay::Binding& binding, EntryScope& scope, const Destinations& destinations,
                          Owned& owned);
    Result<void> lowerBindSymbols(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope);
    Result<void> lowerAssume(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope);
    /// Before memory is asked for: that the value's size is one, and within the limit. `name` begins
    /// the message, for a value that no node makes.
    void checkSizes(const TensorType& type, model::Span span, EntryScope& scope, const std::string& name = {});
    /// The same for the values that a fused function computes on the way: its loops run over them.
    void checkInside(const relay::Function& function, EntryScope& scope);
    /// Over the kernel's scalars: that its index arithmetic on them stays within int64; null if provable.
    Expr indicesComputable(int kernelOrdinal);
    /// A check of sizes, unless the same one stands before it.
    void checkOnce(EntryScope& scope, const Expr& holds, const std::string& message, model::Span span);

    // Functions that call themselves: entry_functions.cpp

    /// What a call hands over, and the sizes that its parameters' symbols have by it.
    struct Passed {
        std::vector<Expr> args;
        arith::VarMap sizes;
    };
    Result<void> lowerFunctionCall(const relay::Binding& binding, const relay::FunctionCall& call, EntryScope& scope,
                                   Owned& owned);
    void pass(const relay::Type& declared, const EntryValue& value, model::Span span, EntryScope& scope, Owned& owned,
              Passed& passed);
    /// Arguments for the symbols of the callee's parameters, within their ranges.
    Result<std::vector<Expr>> sizesFor(const relay::Binding& binding, const relay::FunctionCall& call,
                                       const Passed& passed, EntryScope& scope);
    /// The name of the function's code; from the first call on it is one of those that are lowered.
    std::string symbolOf(const std::string& function);
    /// The body of called_[ordinal].
    Result<void> lowerFunction(size_t ordinal);
    /// Parameters for a value of the type; `objects` gets the references that come with it.
    EntryValue receiveParam(const relay::Type& type, tir::PrimFunc& function, std::vector<Expr>& objects);

    // `if`, and what it has in common with `loop`: entry_control.cpp

    Result<void> lowerIf(const relay::Binding& binding, const relay::If& branch, EntryScope& scope, Owned& owned);
    /// One way that a branch or a match may go. `begin` is called in the scope of its Block before that is lowered, with the
    /// references that the Block gets.
    struct Case {
        Expr holds; // of the last one nothing is asked
        const relay::Block* block;
        std::function<Result<void>(EntryScope& scope, std::vector<Expr>& given)> begin = {};
    };
    Result<void> lowerCases(const relay::Binding& binding, const std::vector<Case>& cases, EntryScope& scope,
                            Owned& owned);
    /// The address of a copy in the scope's frame.
    Expr copied(const EntryValue& value, model::Span span, EntryScope& scope);
    /// The element of a scalar, loaded here.
    Expr loadScalar(const EntryValue& value, const std::string& name, EntryScope& scope);
    /// Fields whose sizes are known here get a place in the scope's frame; the others slots.
    std::vector<Handover> prepare(const relay::Binding& binding, const std::vector<relay::Type>& fields,
                                  EntryScope& scope, Owned& owned);
    /// At the end of a nested Block: its values go where `handovers` say.
    void handOver(const std::vector<Handover>& handovers, const std::vector<EntryValue>& values, EntryScope& scope,
                  Owned& owned, model::Span span);
    /// After the nested statement: the values as the scope around sees them, and the references that it got.
    std::vector<EntryValue> receive(const std::vector<Handover>& handovers, EntryScope& scope,
                                    std::vector<Expr>& objects);
    /// Kernels of the Block that make a result field write it where it is wanted.
    Destinations destinationsFor(const relay::Block& block, const std::vector<Handover>& handovers) const;

    // `loop`: entry_loop.cpp

    Result<void> lowerLoop(const relay::Binding& binding, const relay::Loop& loop, EntryScope& scope, Owned& owned);
    Result<LoopState> prepareLoop(const relay::Binding& binding, const relay::Loop& loop, EntryScope& scope,
                                  Owned& owned);
    Result<EntryScope::Finished> lowerBody(const relay::Binding& binding, const relay::Loop& loop,
                                           const LoopState& state);
    /// After the loop. Dims of the results: the same symbols as the carried params', or new ones that the loop defines.
    std::vector<EntryValue> loopResults(const relay::Binding& binding, const LoopState& state, EntryScope& scope,
                                        Owned& owned);
    /// After the loop: the stack of the slices in its list, which goes.
    EntryValue stackOf(const Scan& scan, model::Span span, EntryScope& scope, Owned& owned);
    Result<std::vector<Scan>> prepareScans(const relay::Binding& binding, std::span<const relay::Type> types,
                                           EntryScope& scope, Owned& owned);
    /// In the loop's body: the slice of this step goes behind the others.
    void appendSlice(const Scan& scan, const EntryValue& slice, const Expr& step, model::Span span, EntryScope& body);
    /// The address of at least `bytes` in place `place` of the runtime.
    Expr keep(const Expr& place, const Expr& bytes, model::Span span, EntryScope& scope);
    /// At the end of the loop's body: the next carried values take their places. One that is another carried value is moved
    /// aside before any of them is overwritten.
    void moveCarried(const std::vector<Handover>& carried, const std::vector<EntryValue>& current,
                     std::vector<EntryValue> next, const Expr& step, model::Span span, EntryScope& body, Owned& owned);
    /// After the loop: dims of a result that are symbols of its own, from what they are now.
    void defineDims(const TensorType& type, const std::vector<Expr>& actual, EntryScope& scope);

    // Lists, optionals and other data types: entry_lists.cpp

    Result<void> lowerListCall(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope,
                               const Destinations& destinations, Owned& owned);
    void lowerGet(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope, Owned& owned);
    void lowerInsert(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope, Owned& owned);
    void lowerErase(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope, Owned& owned);
    void lowerLength(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope);
    void lowerJoin(const relay::Binding& binding, const relay::OpCall& call, EntryScope& scope,
                   const Destinations& destinations, Owned& owned);
    /// The dim of the first tensor in a list of tensors; 0 if it is empty.
    Expr firstDim(const Expr& list, int64_t axis) const;
    /// Writes the tensors of a list to memory, along an axis.
    void join(const Expr& list, int64_t axis, bool stacks, const TensorType& type, const Expr& address,
              EntryScope& scope);
    Result<void> lowerConstruct(const relay::Binding& binding, const relay::Construct& value, EntryScope& scope,
                                Owned& owned);
    Result<void> lowerMatch(const relay::Binding& binding, const relay::Match& match, EntryScope& scope, Owned& owned);
    /// The fields that an arm names, of `object`; `given` gets the references to them. `handsOn`: the reference to the object
    /// goes with it.
    void takeApart(const relay::MatchArm& arm, const EntryValue& value, bool handsOn, model::Span span,
                   EntryScope& scope, std::vector<Expr>& given);
    /// Whether a Block uses the object, by a Var of the Blocks around it.
    bool reads(const relay::Block& block, const Expr& object) const;
    /// Place operand of a call: 0 … length - 1, or, with `end`, also the length. Checked.
    Expr placeIn(const EntryValue& list, const EntryValue& place, bool end, model::Span span, EntryScope& scope);
    /// What is in `object`, whose type is `type`: a tensor that is held, a tuple, an object. Its symbols are defined.
    EntryValue unpacked(const relay::Type& type, const Expr& object, model::Span span, EntryScope& scope,
                        std::vector<Expr>& objects);
    /// A dim that only this value says becomes known by it; one that is known already is held against it.
    void bindDim(const Expr& dim, const Expr& actual, model::Span span, EntryScope& scope);
    /// A reference to the value as an object: that which ends here, or a new one.
    Expr reference(const EntryValue& value, Owned& owned, model::Span span, EntryScope& scope);
    /// The result of a call that gives a reference, or null where memory is out.
    Expr newObject(const std::string& name, Expr made, model::Span span, EntryScope& scope);
    Expr newTensor(const EntryValue& value, model::Span span, EntryScope& scope);
    void giveObject(const relay::Binding& binding, const Expr& object, Owned& owned);
    void releaseAll(std::vector<Expr>& objects, EntryScope& scope);

    const relay::Module& module_;
    const Kernels& kernels_;
    const model::ModelGraph* graph_;
    Entry entry_;
    std::map<uint32_t, EntryValue> values_;
    std::set<const arith::ExprNode*> defined_;
    std::set<std::string> checked_; // conditions of sizes, outside of nested Blocks
    std::map<int, Expr> indicesComputable_;
    std::map<Hash128, int> constantOrdinals_;
    std::map<model::Span, int> origins_;   // places in entry_.origins
    std::map<uint32_t, int32_t> outputOf_; // Var of the main Block -> the output it is
    std::set<int32_t> writtenInPlace_;
    std::vector<std::string> called_; // functions that call themselves
    Expr stack_;                      // within one of them: an address where their stack begins
    int depth_ = 0;                   // of nested Blocks
    int calls_ = 0;                   // of kernels, so far
    int kept_ = 0;                    // places of the runtime that are given out
    bool hasObjects_ = false;
};

tir::Stmt copyBytes(const Expr& to, const Expr& from, const Expr& bytes);
/// Whether the value is the object or has it in it, or lies in it.
bool refersTo(const EntryValue& value, const Expr& object);
/// A value of a data type.
EntryValue objectValue(const relay::Type& type, const Expr& object);
/// A tuple's, or the one.
std::vector<EntryValue> fieldsOf(const EntryValue& value);
/// The reverse.
EntryValue resultValue(const relay::Type& type, std::vector<EntryValue> fields);
/// Where a value lies after the nested statement: at the address in `slot`, or if there is none, where it was put.
Expr addressAfter(const tir::BufferPtr& slot, const Expr& address, const std::string& name, EntryScope& scope);

} // namespace lathe::lower
