// SPDX-License-Identifier: Apache-2.0
//
// The main function as an entry: inputs and their symbols, then each Block's bindings in order. A call of a primitive
// function is a kernel call with addresses; views and tuples cost nothing; `if` and `loop` become branches and loops
// whose Blocks are regions with frames of their own.
//
// A value whose size is known where its region's frame is laid out lies in that frame. Results of an `if` or `loop` whose
// size the Blocks decide are handed on by address, and the frames that hold them live as long as the enclosing region.
#include "lower/diagnose.h"
#include "lower/lower.h"
#include "lower/region.h"
#include "lower/sizes.h"
#include "relay/attrs.h"
#include "runtime/abi.h"
#include "tir/visit.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {
namespace {

using relay::asTensor;
using relay::TensorType;
using tir::makeStmt;

/// Where a value lies while the entry runs.
struct Value {
    std::vector<Value> fields; // of a tuple
    bool tuple = false;
    TensorType type;
    Expr address;
};

tir::Stmt copyBytes(const Expr& to, const Expr& from, const Expr& bytes) {
    return evaluate(rtCall(LATHE_FN_COPY, {to, from, bytes}, types::Void));
}

std::vector<relay::Type> fieldTypes(const relay::Type& type) {
    if (const relay::TupleType* tuple = relay::asTuple(type))
        return tuple->fields;
    return {type};
}

class EntryBuilder {
public:
    EntryBuilder(const relay::Module& module, const Kernels& kernels, const model::ModelGraph* graph)
        : module_(module), kernels_(kernels), graph_(graph) {}

    Result<Entry> build() {
        const relay::Function& main = module_.main();
        Region region(true);
        LATHE_CHECKED(bindInputs(main, region));
        outputs_ = main.body->result;
        LATHE_CHECKED(lowerBlock(*main.body, region, outputDestinations(main)));
        LATHE_CHECKED(writeOutputs(main, region));
        auto [body, peak] = region.finish();
        auto function = std::make_shared<tir::PrimFunc>();
        function->name = "lathe_entry";
        function->outputs = 0;
        function->isEntry = true;
        function->body = body ? body : tir::seq({evaluate(arith::intImm(0))}, -1);
        entry_.function = function;
        entry_.peakBytes = peak;
        return std::move(entry_);
    }

private:
    using Destinations = std::map<uint32_t, Expr>; // Var -> address its value must have

    Failure refused(model::Span span, std::string what, std::string hint = {}) {
        return Failure(refuse(span, *module_.spans, graph_, std::move(what), std::move(hint)));
    }

    // ---- inputs and outputs

    Result<void> bindInputs(const relay::Function& main, Region& region) {
        for (size_t i = 0; i < main.params.size(); ++i) {
            const relay::Param& param = main.params[i];
            const TensorType* type = asTensor(param.type);
            if (!type || type->dtype == types::String)
                return failure(fmt::format("input '{}' has type {}, which cannot be run yet", param.name,
                                           relay::toString(param.type)),
                               "only numeric tensors can be inputs");
            int32_t input = static_cast<int32_t>(i);
            for (size_t axis = 0; axis < type->shape.size(); ++axis) {
                const Expr& dim = type->shape[axis];
                Expr actual = rtCall(
                    LATHE_FN_INPUT_DIM,
                    {arith::intImm(input, types::Int32), arith::intImm(static_cast<int64_t>(axis), types::Int32)},
                    types::Index);
                if (dim.kind() == arith::ExprKind::Var && !defined(dim)) {
                    arith::Var var(dim.node());
                    region.define(var, actual);
                    define(var);
                    inputSymbols_.insert(var.get());
                    if (dim->lower > 0 || dim->upper < (int64_t{1} << 40))
                        check(region, arith::logicalAnd(arith::ge(var, dim->lower), arith::le(var, dim->upper)),
                              tir::CheckKind::ShapeMismatch,
                              fmt::format("input '{}': dim {} ({}) is outside {} … {}", param.name, axis, dim->name,
                                          dim->lower, dim->upper));
                } else {
                    check(region, arith::eq(actual, dim), tir::CheckKind::ShapeMismatch,
                          fmt::format("input '{}': dim {} is not {}{}", param.name, axis, arith::toString(dim),
                                      arith::asInt(dim) ? "" : ", as the other inputs say"));
                }
            }
            values_[param.var.id] = {
                {}, false, *type, rtCall(LATHE_FN_INPUT_DATA, {arith::intImm(input, types::Int32)}, types::Handle)};
            persistent_.insert(param.var.id);
        }
        return {};
    }

    std::vector<relay::Var> outputVars(const relay::Function& main) {
        for (const relay::BindingPtr& binding : main.body->bindings)
            if (binding->var == main.body->result)
                if (const auto* tuple = binding->as<relay::MakeTuple>())
                    return tuple->fields;
        return {main.body->result};
    }

    /// Outputs that a kernel of the main Block makes are written in place. Marked here; the address is taken at the call.
    Destinations outputDestinations(const relay::Function& main) {
        Destinations result;
        std::vector<relay::Var> vars = outputVars(main);
        for (size_t i = 0; i < vars.size(); ++i)
            if (std::count(vars.begin(), vars.end(), vars[i]) == 1)
                outputOf_[vars[i].id] = static_cast<int32_t>(i);
        return result;
    }

    Expr outputAddress(int32_t output, const TensorType& type, Region& region) {
        for (size_t axis = 0; axis < type.shape.size(); ++axis)
            region.add(evaluate(rtCall(LATHE_FN_OUTPUT_DIM,
                                       {arith::intImm(output, types::Int32),
                                        arith::intImm(static_cast<int64_t>(axis), types::Int32), type.shape[axis]},
                                       types::Void)));
        Expr address = region.let(
            fmt::format("out{}", output),
            rtCall(LATHE_FN_OUTPUT_DATA, {arith::intImm(output, types::Int32), bytesOf(type)}, types::Handle));
        Expr bits = arith::call(arith::Intrinsic::Reinterpret, {address}, types::Int64);
        check(region, arith::ne(bits, arith::intImm(0, types::Int64)), tir::CheckKind::OutOfMemory,
              fmt::format("not enough memory for output {}", output));
        return address;
    }

    Result<void> writeOutputs(const relay::Function& main, Region& region) {
        std::vector<relay::Var> vars = outputVars(main);
        int32_t ordinal = 0;
        for (relay::Var var : vars) {
            std::vector<Value> fields =
                values_.at(var.id).tuple ? values_.at(var.id).fields : std::vector<Value>{values_.at(var.id)};
            for (const Value& value : fields) {
                if (!writtenInPlace_.contains(ordinal))
                    region.add(
                        copyBytes(outputAddress(ordinal, value.type, region), value.address, bytesOf(value.type)));
                ++ordinal;
            }
        }
        return {};
    }

    // ---- symbols and checks

    bool defined(const Expr& expr) const {
        for (const arith::Var& var : arith::freeVars(expr))
            if (!defined_.contains(var.get()))
                return false;
        return true;
    }
    bool defined(const TensorType& type) const {
        return std::all_of(type.shape.begin(), type.shape.end(), [&](const Expr& dim) { return defined(dim); });
    }
    void define(const arith::Var& var) { defined_.insert(var.get()); }

    void check(Region& region, Expr condition, tir::CheckKind kind, std::string message) {
        int ordinal = static_cast<int>(entry_.checks.size());
        entry_.checks.push_back({kind, -1, message});
        region.add(makeStmt(tir::Check{std::move(condition), kind, std::move(message), ordinal}, -1));
    }

    // ---- Blocks

    /// Last position in the Block at which each Var bound in it is needed, through views, tuples and nested results.
    std::map<uint32_t, size_t> lifetimes(const relay::Block& block) const {
        std::map<uint32_t, size_t> last;
        size_t end = block.bindings.size();
        auto extend = [&](relay::Var var, size_t position) {
            if (var) {
                auto [it, fresh] = last.emplace(var.id, position);
                if (!fresh)
                    it->second = std::max(it->second, position);
            }
        };
        extend(block.result, end);
        for (size_t i = end; i-- > 0;) {
            const relay::Binding& binding = *block.bindings[i];
            auto own = last.find(binding.var.id);
            size_t until = own == last.end() ? i : own->second;
            bool aliases = isView(binding);
            for (relay::Var var : relay::operands(binding.rhs))
                extend(var, aliases ? until : i);
            std::vector<const relay::Block*> pending;
            for (const relay::BlockPtr& nested : relay::blocksOf(binding.rhs))
                pending.push_back(nested.get());
            while (!pending.empty()) {
                const relay::Block* nested = pending.back();
                pending.pop_back();
                extend(nested->result, until);
                for (const relay::BindingPtr& inner : nested->bindings) {
                    for (relay::Var var : relay::operands(inner->rhs))
                        extend(var, until);
                    for (const relay::BlockPtr& deeper : relay::blocksOf(inner->rhs))
                        pending.push_back(deeper.get());
                }
            }
        }
        return last;
    }

    bool isView(const relay::Binding& binding) const {
        if (binding.as<relay::MakeTuple>() || binding.as<relay::Projection>())
            return true;
        if (const auto* call = binding.as<relay::OpCall>())
            return call->op == relay::Op::BindSymbols || call->op == relay::Op::Assume;
        if (const auto* call = binding.as<relay::FunctionCall>()) {
            auto plan = kernels_.plans.find(call->callee);
            return plan != kernels_.plans.end() && plan->second.kind == Plan::Kind::View;
        }
        return false;
    }

    Result<void> lowerBlock(const relay::Block& block, Region& region, const Destinations& destinations) {
        std::map<uint32_t, size_t> last = lifetimes(block);
        std::multimap<size_t, Expr> expires; // position -> address
        for (size_t i = 0; i < block.bindings.size(); ++i) {
            const relay::Binding& binding = *block.bindings[i];
            size_t until = last.contains(binding.var.id) ? last[binding.var.id] : i;
            std::vector<Expr> owned;
            LATHE_CHECKED(lowerBinding(binding, region, destinations, owned));
            for (const Expr& address : owned)
                expires.emplace(until, address);
            auto [first, end] = expires.equal_range(i);
            for (auto it = first; it != end; ++it)
                region.release(it->second);
            expires.erase(first, end);
        }
        return {};
    }

    /// A place for a field of a binding: its destination, an output, or the frame (then it is owned, to be released).
    Expr place(const relay::Binding& binding, const TensorType& type, Region& region, const Destinations& destinations,
               std::vector<Expr>& owned) {
        if (auto it = destinations.find(binding.var.id); it != destinations.end())
            return it->second;
        if (auto it = outputOf_.find(binding.var.id); it != outputOf_.end() && depth_ == 0) {
            writtenInPlace_.insert(it->second);
            return outputAddress(it->second, type, region);
        }
        Expr address = region.allocate(bytesOf(type));
        owned.push_back(address);
        return address;
    }

    Result<void> lowerBinding(const relay::Binding& binding, Region& region, const Destinations& destinations,
                              std::vector<Expr>& owned) {
        if (const auto* call = binding.as<relay::FunctionCall>())
            return lowerCall(binding, *call, region, destinations, owned);
        if (const auto* constant = binding.as<relay::ConstantRef>()) {
            values_[binding.var.id] = {{}, false, *asTensor(binding.type), constantAddress(constant->constant)};
            return {};
        }
        if (const auto* tuple = binding.as<relay::MakeTuple>()) {
            Value value{{}, true, {}, {}};
            for (relay::Var field : tuple->fields)
                value.fields.push_back(values_.at(field.id));
            values_[binding.var.id] = std::move(value);
            return {};
        }
        if (const auto* projection = binding.as<relay::Projection>()) {
            values_[binding.var.id] =
                Value(values_.at(projection->tuple.id).fields.at(static_cast<size_t>(projection->index)));
            return {};
        }
        if (const auto* branch = binding.as<relay::If>())
            return lowerIf(binding, *branch, region, owned);
        if (const auto* loop = binding.as<relay::Loop>())
            return lowerLoop(binding, *loop, region, owned);
        if (const auto* call = binding.as<relay::OpCall>()) {
            if (call->op == relay::Op::BindSymbols)
                return lowerBindSymbols(binding, *call, region);
            if (call->op == relay::Op::Assume)
                return lowerAssume(binding, *call, region);
            return refused(binding.span,
                           fmt::format("operator {} stands outside a fused function", relay::info(call->op).name));
        }
        return refused(binding.span, "lists, optionals and function values cannot be lowered yet",
                       "use tensors instead of sequences");
    }

    Expr constantAddress(const relay::ConstantPtr& constant) {
        auto [it, fresh] = constantOrdinals_.emplace(constant->hash, static_cast<int>(entry_.constants.size()));
        if (fresh)
            entry_.constants.push_back(constant);
        return rtCall(LATHE_FN_CONSTANT, {arith::intImm(it->second, types::Int32)}, types::Handle);
    }

    // ---- kernel calls

    void callKernel(const std::string& function, int kernelOrdinal, const Plan& plan, const std::vector<Expr>& buffers,
                    const std::vector<Expr>& scalars, Region& region) {
        const Kernel& kernel = kernels_.kernels[static_cast<size_t>(kernelOrdinal)];
        std::vector<Expr> args = buffers;
        args.insert(args.end(), scalars.begin(), scalars.end());
        arith::VarMap map;
        for (size_t i = 0; i < kernel.scalars.size(); ++i)
            map[kernel.scalars[i].get()] = scalars[i];
        auto here = [&](const Expr& expr) { return arith::simplify(arith::substitute(expr, map)); };
        Expr workspace;
        if (kernel.workspaceBytes && !arith::isConst(kernel.workspaceBytes, 0)) {
            workspace = region.allocate(here(kernel.workspaceBytes));
            args.push_back(workspace);
        }
        int callId = static_cast<int>(entry_.calls.size());
        Call call{function,
                  kernelOrdinal,
                  plan.origins,
                  plan.span,
                  here(estimateFlops(*kernel.computation)),
                  here(estimateBytes(*kernel.computation))};
        entry_.calls.push_back(std::move(call));
        region.add(makeStmt(tir::CallKernel{kernel.name, std::move(args), callId}, -1));
        if (workspace)
            region.release(workspace);
    }

    Result<void> lowerCall(const relay::Binding& binding, const relay::FunctionCall& call, Region& region,
                           const Destinations& destinations, std::vector<Expr>& owned) {
        auto found = kernels_.plans.find(call.callee);
        if (found == kernels_.plans.end())
            return refused(
                binding.span,
                fmt::format("call of function '{}' cannot be lowered: only fused functions are", call.callee),
                "recursion is not supported");
        const Plan& plan = found->second;
        if (plan.kind == Plan::Kind::View) {
            Value value = values_.at(call.args.at(static_cast<size_t>(plan.viewOf)).id);
            value.type = *asTensor(binding.type);
            values_[binding.var.id] = std::move(value);
            return {};
        }
        std::vector<Expr> inputs;
        for (relay::Var arg : call.args)
            inputs.push_back(values_.at(arg.id).address);
        if (plan.kind == Plan::Kind::Dynamic)
            return lowerDynamic(binding, call, plan, inputs, region, destinations, owned);
        std::vector<Expr> buffers = inputs;
        Value result = makeResult(binding, region, destinations, owned);
        appendAddresses(result, buffers);
        callKernel(call.callee, plan.kernel, plan, buffers, plan.scalars, region);
        values_[binding.var.id] = std::move(result);
        return {};
    }

    Value makeResult(const relay::Binding& binding, Region& region, const Destinations& destinations,
                     std::vector<Expr>& owned) {
        Value result;
        if (const relay::TupleType* tuple = relay::asTuple(binding.type)) {
            result.tuple = true;
            for (const relay::Type& field : tuple->fields) {
                const TensorType& type = *asTensor(field);
                checkSizes(type, binding.span, region);
                Expr address = region.allocate(bytesOf(type));
                owned.push_back(address);
                result.fields.push_back({{}, false, type, address});
            }
        } else {
            const TensorType& type = *asTensor(binding.type);
            checkSizes(type, binding.span, region);
            result = {{}, false, type, place(binding, type, region, destinations, owned)};
        }
        return result;
    }

    static void appendAddresses(const Value& value, std::vector<Expr>& addresses) {
        if (!value.tuple)
            addresses.push_back(value.address);
        for (const Value& field : value.fields)
            addresses.push_back(field.address);
    }

    /// Sizes first, then the symbols they define, then the results in a new segment.
    Result<void> lowerDynamic(const relay::Binding& binding, const relay::FunctionCall& call, const Plan& plan,
                              const std::vector<Expr>& inputs, Region& region, const Destinations& destinations,
                              std::vector<Expr>& owned) {
        std::vector<arith::Var> fresh;
        for (const relay::Type& type : fieldTypes(binding.type))
            for (const Expr& dim : asTensor(type)->shape)
                for (const arith::Var& var : arith::freeVars(dim))
                    if (!defined(var)) {
                        fresh.push_back(var);
                        define(var);
                    }
        std::vector<Expr> buffers = inputs;
        std::vector<Expr> state;
        for (const tir::BufferPtr& buffer : plan.state)
            state.push_back(region.allocate(
                arith::simplify(elementsOf(buffer->shape) * static_cast<int64_t>(buffer->dtype.bytes()))));
        buffers.insert(buffers.end(), state.begin(), state.end());
        Expr sizes = region.allocate(static_cast<int64_t>(8 * std::max<size_t>(1, fresh.size())));
        buffers.push_back(sizes);
        callKernel(call.callee, plan.kernel, plan, buffers, plan.scalars, region);
        tir::BufferPtr view =
            tir::makeBuffer("sizes", types::Int64, {Expr(static_cast<int64_t>(std::max<size_t>(1, fresh.size())))});
        region.bind(view, sizes);
        for (size_t i = 0; i < fresh.size(); ++i)
            region.define(fresh[i], arith::cast(arith::load(view, {Expr(static_cast<int64_t>(i))}), types::Index));
        region.newSegment();
        std::vector<Expr> fillBuffers = inputs;
        fillBuffers.insert(fillBuffers.end(), state.begin(), state.end());
        Value result = makeResult(binding, region, destinations, owned);
        appendAddresses(result, fillBuffers);
        callKernel(call.callee, plan.fill, plan, fillBuffers, plan.fillScalars, region);
        for (const Expr& address : state)
            region.release(address);
        values_[binding.var.id] = std::move(result);
        return {};
    }

    // ---- symbols from data, checks

    Result<void> lowerBindSymbols(const relay::Binding& binding, const relay::OpCall& call, Region& region) {
        const Value& value = values_.at(call.args.front().id);
        const auto& symbols = relay::attrs<relay::BindSymbolsAttrs>(call.attrs).symbols;
        tir::BufferPtr view =
            tir::makeBuffer("elements", value.type.dtype, {Expr(static_cast<int64_t>(symbols.size()))});
        region.bind(view, value.address);
        for (size_t i = 0; i < symbols.size(); ++i) {
            if (!symbols[i] || symbols[i].kind() != arith::ExprKind::Var || defined(symbols[i]))
                continue;
            arith::Var var(symbols[i].node());
            region.define(var, arith::cast(arith::load(view, {Expr(static_cast<int64_t>(i))}), types::Index));
            define(var);
            constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
            if (var->lower != least || var->upper != most)
                check(region, arith::logicalAnd(arith::ge(var, var->lower), arith::le(var, var->upper)),
                      tir::CheckKind::InvalidValue,
                      describe(binding.span, fmt::format("{} is outside {} … {}", var->name, var->lower, var->upper)));
        }
        region.newSegment();
        values_[binding.var.id] = Value(value);
        return {};
    }

    Result<void> lowerAssume(const relay::Binding& binding, const relay::OpCall& call, Region& region) {
        const auto& attrs = relay::attrs<relay::AssumeAttrs>(call.attrs);
        check(region, attrs.condition, tir::CheckKind::ShapeMismatch,
              describe(binding.span, "it does not hold that " + attrs.message));
        Value value = values_.at(call.args.front().id);
        if (const TensorType* type = asTensor(binding.type))
            value.type = *type;
        values_[binding.var.id] = std::move(value);
        return {};
    }

    /// Before memory is asked for, that sizes made by data are sizes.
    void checkSizes(const TensorType& type, model::Span span, Region& region) {
        for (const SizeCondition& size : sizeConditions(type, inputSymbols_))
            if (depth_ > 0 || sizesChecked_.insert(arith::toString(size.holds)).second)
                check(region, size.holds, tir::CheckKind::InvalidValue, describe(span, size.message));
    }

    std::string describe(model::Span span, const std::string& what) const {
        std::string nodes = nodeNames(span, *module_.spans, graph_);
        return nodes.empty() ? what : fmt::format("node '{}': {}", nodes, what);
    }

    Result<void> lowerIf(const relay::Binding& binding, const relay::If& branch, Region& region,
                         std::vector<Expr>& owned);
    Result<void> lowerLoop(const relay::Binding& binding, const relay::Loop& loop, Region& region,
                           std::vector<Expr>& owned);

    /// The first element of a scalar tensor, loaded here.
    Expr loadScalar(relay::Var var, const std::string& name, Region& region) {
        const Value& value = values_.at(var.id);
        tir::BufferPtr view = tir::makeBuffer(name + "_at", value.type.dtype, {Expr(1)});
        region.bind(view, value.address);
        return region.let(name, arith::load(view, {Expr(0)}));
    }

    static std::vector<Value> fieldsOf(const Value& value) {
        return value.tuple ? value.fields : std::vector<Value>{value};
    }

    /// How the result of a nested Block reaches the region around it: copied to a place there, or by address.
    struct Handover {
        TensorType type;
        bool byAddress = false;
        Expr address;                                            // of the place, if not by address
        tir::BufferPtr slot;                                     // by address: holds it
        std::vector<std::pair<arith::Var, tir::BufferPtr>> dims; // symbols of `type` that are defined by it
    };

    /// Fields whose sizes are known here get a place in the region's frame; the others slots.
    std::vector<Handover> prepare(const std::vector<relay::Type>& fields, Region& region, std::vector<Expr>& owned) {
        std::vector<Handover> result;
        std::set<const arith::ExprNode*> taken;
        for (const relay::Type& field : fields) {
            Handover handover{*asTensor(field), false, {}, nullptr, {}};
            if (defined(handover.type)) {
                handover.address = region.allocate(bytesOf(handover.type));
                owned.push_back(handover.address);
            } else {
                handover.byAddress = true;
                handover.slot = region.local("address", types::Handle);
                for (const Expr& dim : handover.type.shape)
                    for (const arith::Var& var : arith::freeVars(dim))
                        if (!defined(var) && taken.insert(var.get()).second)
                            handover.dims.emplace_back(var, region.local(var->name + "_slot", types::Index));
            }
            result.push_back(std::move(handover));
        }
        return result;
    }

    /// At the end of a nested Block: its values go where `handovers` say.
    void handOver(const std::vector<Handover>& handovers, const std::vector<Value>& values, Region& region) {
        for (size_t i = 0; i < handovers.size(); ++i) {
            const Handover& to = handovers[i];
            const Value& from = values[i];
            if (!to.byAddress) {
                if (!to.address.same(from.address))
                    region.add(copyBytes(to.address, from.address, bytesOf(to.type)));
                continue;
            }
            region.add(makeStmt(tir::Store{to.slot, {Expr(0)}, from.address, {}}, -1));
            for (const auto& [symbol, slot] : to.dims)
                for (size_t axis = 0; axis < to.type.shape.size(); ++axis)
                    if (to.type.shape[axis].same(symbol))
                        region.add(makeStmt(tir::Store{slot, {Expr(0)}, from.type.shape[axis], {}}, -1));
        }
    }

    /// After the nested statement: the values as the region around sees them.
    std::vector<Value> receive(const std::vector<Handover>& handovers, Region& region) {
        std::vector<Value> values;
        bool symbols = false;
        for (const Handover& handover : handovers) {
            for (const auto& [symbol, slot] : handover.dims) {
                region.define(symbol, arith::load(slot, {Expr(0)}));
                define(symbol);
                symbols = true;
            }
            Expr address = handover.byAddress ? Expr(region.let("value", arith::load(handover.slot, {Expr(0)})))
                                              : handover.address;
            values.push_back({{}, false, handover.type, address});
        }
        if (symbols)
            region.newSegment();
        return values;
    }

    static Value resultValue(const relay::Type& type, std::vector<Value> fields) {
        if (relay::asTuple(type))
            return {std::move(fields), true, {}, {}};
        return std::move(fields.at(0));
    }

    /// Kernels of the Block that make a result field write it where it is wanted.
    Destinations destinationsFor(const relay::Block& block, const std::vector<Handover>& handovers) const {
        Destinations result;
        std::vector<relay::Var> vars = {block.result};
        for (const relay::BindingPtr& binding : block.bindings)
            if (binding->var == block.result)
                if (const auto* tuple = binding->as<relay::MakeTuple>())
                    vars = tuple->fields;
        if (vars.size() != handovers.size())
            return result;
        for (const relay::BindingPtr& binding : block.bindings) {
            const auto* call = binding->as<relay::FunctionCall>();
            if (!call || relay::asTuple(binding->type) || isView(*binding))
                continue;
            auto it = std::find(vars.begin(), vars.end(), binding->var);
            if (it != vars.end() && std::count(vars.begin(), vars.end(), binding->var) == 1 &&
                !handovers[static_cast<size_t>(it - vars.begin())].byAddress)
                result[binding->var.id] = handovers[static_cast<size_t>(it - vars.begin())].address;
        }
        return result;
    }

    const relay::Module& module_;
    const Kernels& kernels_;
    const model::ModelGraph* graph_;
    Entry entry_;
    std::map<uint32_t, Value> values_;
    std::set<uint32_t> persistent_;
    std::set<const arith::ExprNode*> defined_, inputSymbols_;
    std::set<std::string> sizesChecked_; // outside of nested Blocks
    std::map<Hash128, int> constantOrdinals_;
    std::map<uint32_t, int32_t> outputOf_;
    std::set<int32_t> writtenInPlace_;
    relay::Var outputs_;
    int depth_ = 0; // of nested Blocks
};

Result<void> EntryBuilder::lowerIf(const relay::Binding& binding, const relay::If& branch, Region& region,
                                   std::vector<Expr>& owned) {
    Expr condition = loadScalar(branch.condition, "condition", region);
    std::vector<Handover> handovers = prepare(fieldTypes(binding.type), region, owned);
    bool kept =
        std::any_of(handovers.begin(), handovers.end(), [](const Handover& handover) { return handover.byAddress; });
    std::vector<tir::Stmt> cases;
    for (const relay::BlockPtr& block : {branch.thenBlock, branch.elseBlock}) {
        Region nested(kept);
        auto before = defined_;
        ++depth_;
        LATHE_CHECKED(lowerBlock(*block, nested, destinationsFor(*block, handovers)));
        --depth_;
        handOver(handovers, fieldsOf(values_.at(block->result.id)), nested);
        defined_ = std::move(before);
        auto [stmt, peak] = nested.finish();
        region.nested(peak);
        cases.push_back(stmt);
    }
    Expr holds = condition.dtype().isBool() ? condition : arith::ne(condition, arith::zero(condition.dtype()));
    if (!cases[0])
        cases[0] = evaluate(arith::intImm(0));
    region.add(makeStmt(tir::If{holds, cases[0], cases[1]}, -1));
    values_[binding.var.id] = resultValue(binding.type, receive(handovers, region));
    return {};
}

Result<void> EntryBuilder::lowerLoop(const relay::Binding& binding, const relay::Loop& loop, Region& region,
                                     std::vector<Expr>& owned) {
    std::vector<relay::Type> resultTypes = fieldTypes(binding.type);
    size_t carriedCount = loop.carried.size();
    // Carried values live across iterations: in a place of the frame, or by address where their sizes change.
    std::vector<relay::Type> carriedTypes;
    for (const relay::Param& param : loop.carried)
        carriedTypes.push_back(param.type);
    std::vector<Handover> carried = prepare(carriedTypes, region, owned);
    std::vector<Value> initial;
    for (relay::Var var : loop.init)
        initial.push_back(values_.at(var.id));
    handOver(carried, initial, region);

    Expr trips; // index; null: unbounded
    if (loop.tripCount)
        trips = region.let("trips", arith::cast(loadScalar(loop.tripCount, "trip_count", region), types::Index));
    tir::BufferPtr going = region.local("going", types::Bool), iteration = region.local("iteration", types::Int64);
    Expr first = loop.condition ? loadScalar(loop.condition, "first", region) : arith::boolImm(true);
    region.add(makeStmt(tir::Store{going, {Expr(0)}, first, {}}, -1));
    region.add(makeStmt(tir::Store{iteration, {Expr(0)}, arith::intImm(0, types::Int64), {}}, -1));

    // Scans: a place for all slices if their number is known here, else a growing one.
    struct Scan {
        TensorType type; // of the stack
        TensorType slice;
        Expr address; // fixed
        tir::BufferPtr slot, capacity;
    };
    std::vector<Scan> scans;
    for (size_t i = 0; i < static_cast<size_t>(loop.scans); ++i) {
        Scan scan{*asTensor(resultTypes[carriedCount + i]), {}, {}, nullptr, nullptr};
        scan.slice = scan.type;
        scan.slice.shape.erase(scan.slice.shape.begin());
        if (!defined(scan.slice))
            return refused(binding.span, "a loop's scan output has a size that changes from one iteration to the next",
                           "give it a fixed size");
        if (defined(scan.type)) {
            scan.address = region.allocate(bytesOf(scan.type));
            owned.push_back(scan.address);
        } else {
            scan.slot = region.local("stack", types::Handle);
            scan.capacity = region.local("capacity", types::Int64);
            region.add(makeStmt(tir::Store{scan.capacity, {Expr(0)}, arith::intImm(0, types::Int64), {}}, -1));
            region.add(makeStmt(
                tir::Store{scan.slot, {Expr(0)}, rtCall(LATHE_FN_ARENA_PUSH, {Expr(64)}, types::Handle), {}}, -1));
        }
        scans.push_back(std::move(scan));
    }
    bool kept =
        std::any_of(carried.begin(), carried.end(), [](const Handover& handover) { return handover.byAddress; }) ||
        std::any_of(scans.begin(), scans.end(), [](const Scan& scan) { return scan.slot != nullptr; });

    Region body(kept);
    auto before = defined_;
    ++depth_;
    std::vector<Value> current = receive(carried, body);
    for (size_t i = 0; i < carriedCount; ++i)
        values_[loop.carried[i].var.id] = current[i];
    // The iteration number as a tensor: a copy, since the body may hand its address on.
    arith::Var step = body.let("step", arith::cast(arith::load(iteration, {Expr(0)}), types::Index));
    Expr stepAddress = arith::call(arith::Intrinsic::AddressOf, {arith::load(iteration, {Expr(0)})}, types::Handle);
    values_[loop.iteration.var.id] = {{}, false, *asTensor(loop.iteration.type), stepAddress};
    LATHE_CHECKED(lowerBlock(*loop.body, body, {}));
    std::vector<Value> results = fieldsOf(values_.at(loop.body->result.id));
    size_t at = 0;
    Value next = loop.condition ? results.at(at++) : Value{};
    std::vector<Value> nextCarried(results.begin() + static_cast<int64_t>(at),
                                   results.begin() + static_cast<int64_t>(at + carriedCount));
    at += carriedCount;
    for (Scan& scan : scans) {
        const Value& slice = results.at(at++);
        Expr bytes = bytesOf(scan.slice);
        Expr base = scan.address;
        if (scan.slot) {
            Expr capacity = arith::cast(arith::load(scan.capacity, {Expr(0)}), types::Index);
            Region grow(true);
            arith::Var larger = grow.let("larger", arith::max(capacity * Expr(2), Expr(16)));
            arith::Var moved = grow.let("moved", rtCall(LATHE_FN_ARENA_PUSH, {larger * bytes}, types::Handle));
            Expr bits = arith::call(arith::Intrinsic::Reinterpret, {moved}, types::Int64);
            check(grow, arith::ne(bits, arith::intImm(0, types::Int64)), tir::CheckKind::OutOfMemory,
                  describe(binding.span, "not enough memory for the loop's outputs"));
            grow.add(copyBytes(moved, arith::load(scan.slot, {Expr(0)}), step * bytes));
            grow.add(makeStmt(tir::Store{scan.slot, {Expr(0)}, moved, {}}, -1));
            grow.add(makeStmt(tir::Store{scan.capacity, {Expr(0)}, arith::cast(larger, types::Int64), {}}, -1));
            body.add(makeStmt(tir::If{arith::ge(step, capacity), grow.finish().first, nullptr}, -1));
            base = arith::load(scan.slot, {Expr(0)});
        }
        body.add(copyBytes(arith::call(arith::Intrinsic::PtrOffset, {base, step * bytes}, types::Handle), slice.address,
                           bytes));
    }
    if (loop.condition) {
        tir::BufferPtr view = tir::makeBuffer("next_at", next.type.dtype, {Expr(1)});
        body.bind(view, next.address);
        body.add(makeStmt(tir::Store{going, {Expr(0)}, arith::load(view, {Expr(0)}), {}}, -1));
    }
    // A next value that is another carried value is moved aside before any of them is overwritten.
    for (size_t i = 0; i < carriedCount; ++i)
        for (size_t j = 0; j < carriedCount; ++j)
            if (i != j && !carried[i].byAddress && nextCarried[i].address.same(current[j].address)) {
                Expr aside = body.allocate(bytesOf(carried[i].type));
                body.add(copyBytes(aside, nextCarried[i].address, bytesOf(carried[i].type)));
                nextCarried[i].address = aside;
                break;
            }
    handOver(carried, nextCarried, body);
    body.add(makeStmt(
        tir::Store{iteration, {Expr(0)}, arith::load(iteration, {Expr(0)}) + arith::intImm(1, types::Int64), {}}, -1));
    --depth_;
    defined_ = std::move(before);
    auto [stmt, peak] = body.finish();
    region.nested(peak);
    Expr condition = arith::load(going, {Expr(0)});
    if (trips)
        condition = arith::logicalAnd(condition,
                                      arith::lt(arith::cast(arith::load(iteration, {Expr(0)}), types::Index), trips));
    region.add(makeStmt(tir::While{condition, stmt}, -1));

    // Dims of the results: the same symbols as the carried params', or new ones that the loop defines.
    std::vector<Value> fields;
    auto defineDims = [&](const TensorType& type, const std::vector<Expr>& actual) {
        for (size_t axis = 0; axis < type.shape.size(); ++axis)
            if (type.shape[axis].kind() == arith::ExprKind::Var && !defined(type.shape[axis])) {
                arith::Var symbol(type.shape[axis].node());
                region.define(symbol, actual[axis]);
                define(symbol);
                region.newSegment();
            }
    };
    for (size_t i = 0; i < carriedCount; ++i) {
        const TensorType& type = *asTensor(resultTypes[i]);
        arith::VarMap last;
        for (const auto& [symbol, slot] : carried[i].dims)
            last[symbol.get()] = arith::load(slot, {Expr(0)});
        std::vector<Expr> actual;
        for (const Expr& dim : carried[i].type.shape)
            actual.push_back(arith::substitute(dim, last));
        defineDims(type, actual);
        fields.push_back({{},
                          false,
                          type,
                          carried[i].byAddress ? Expr(region.let("last", arith::load(carried[i].slot, {Expr(0)})))
                                               : carried[i].address});
    }
    for (const Scan& scan : scans) {
        std::vector<Expr> actual = scan.type.shape;
        actual[0] = arith::cast(arith::load(iteration, {Expr(0)}), types::Index);
        defineDims(scan.type, actual);
        fields.push_back({{},
                          false,
                          scan.type,
                          scan.slot ? Expr(region.let("scan", arith::load(scan.slot, {Expr(0)}))) : scan.address});
    }
    values_[binding.var.id] = resultValue(binding.type, std::move(fields));
    return {};
}

} // namespace

Result<Entry> makeEntry(const relay::Module& module, const Kernels& kernels, const model::ModelGraph* graph) {
    return EntryBuilder(module, kernels, graph).build();
}

} // namespace lathe::lower
