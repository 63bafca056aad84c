// SPDX-License-Identifier: Apache-2.0
//
// One walk forward over each Block with the values that are alive; a walk backward before it says where each dies.
#include "relay/cost.h"

#include "relay/attrs.h"
#include "relay/element.h"
#include "relay/folding.h"
#include "relay/visit.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace lathe::relay {
namespace {

using Figure = std::optional<double>;

void add(Figure& sum, const Figure& more) {
    sum = sum && more ? Figure(*sum + *more) : std::nullopt;
}

Figure larger(const Figure& a, const Figure& b) {
    return a && b ? Figure(std::max(*a, *b)) : std::nullopt;
}

Figure sizeOf(const Type& type) {
    double all = 0;
    for (const Type& field : fieldTypes(type)) {
        const std::optional<int64_t> bytes = bytesOf(field);
        if (!bytes)
            return std::nullopt;
        all += static_cast<double>(*bytes);
    }
    return all;
}

constexpr Cost nothing{0.0, 0.0, 0.0};
constexpr Cost unknown;
constexpr int deepestCalls = 200; // of functions by functions; those of deeper ones are not known

class Estimator {
public:
    explicit Estimator(const Module& module) : module_(module) {
        for (const auto& [name, function] : module.functions) {
            note(function->params);
            visitBindings(*function, [&](const Binding& binding) { note(binding); });
        }
    }

    Cost ofFunction(const std::string& name) {
        if (const auto found = known_.find(name); found != known_.end())
            return found->second;
        const auto found = module_.functions.find(name);
        if (found == module_.functions.end() || open_.size() >= deepestCalls || !open_.insert(name).second)
            return unknown; // recursion ends by data
        Cost cost = ofBlock(*found->second->body);
        open_.erase(name);
        if (found->second->primitive) { // one kernel: what is within it is neither stored nor moved
            cost.bytes = sizeOf(found->second->resultType);
            for (const Param& param : found->second->params)
                add(cost.bytes, sizeOf(param.type));
            cost.peakBytes = 0;
        }
        return known_.emplace(name, cost).first->second;
    }

private:
    void note(const std::vector<Param>& params) {
        for (const Param& param : params)
            types_[param.var.id] = param.type;
    }
    void note(const Binding& binding) {
        types_[binding.var.id] = binding.type;
        if (const auto* constant = binding.as<ConstantRef>())
            constants_[binding.var.id] = constant->constant;
        if (const auto* loop = binding.as<Loop>()) {
            note({loop->iteration});
            note(loop->carried);
        }
        if (const auto* match = binding.as<Match>())
            for (const MatchArm& arm : match->arms)
                note(arm.fields);
        if (const auto* literal = binding.as<FunctionLiteral>())
            note(literal->function->params);
    }

    /// A value that takes no memory of its own, and keeps that of its operands alive.
    bool isView(const Binding& binding) const {
        if (const auto* call = binding.as<OpCall>())
            return call->op == Op::Reshape || call->op == Op::Copy || call->op == Op::Dropout ||
                   call->op == Op::BindSymbols || call->op == Op::Assume;
        if (const auto* call = binding.as<FunctionCall>()) {
            const auto found = module_.functions.find(call->callee);
            return found != module_.functions.end() && found->second->primitive &&
                   std::ranges::all_of(found->second->body->bindings, [this](const BindingPtr& each) {
                       return !each->as<FunctionCall>() && isView(*each);
                   });
        }
        return binding.as<MakeTuple>() || binding.as<Projection>() || binding.as<Construct>() ||
               binding.as<ConstantRef>() || binding.as<FunctionLiteral>();
    }

    /// What a binding reads, in its Blocks too.
    static std::vector<Var> reads(const Binding& binding) {
        std::vector<Var> all = operands(binding.rhs);
        std::vector<BlockPtr> pending = blocksOf(binding.rhs);
        while (!pending.empty()) {
            const BlockPtr block = pending.back();
            pending.pop_back();
            all.push_back(block->result);
            for (const BindingPtr& each : block->bindings) {
                const std::vector<Var> own = operands(each->rhs);
                all.insert(all.end(), own.begin(), own.end());
                const std::vector<BlockPtr> nested = blocksOf(each->rhs);
                pending.insert(pending.end(), nested.begin(), nested.end());
            }
        }
        return all;
    }

    Cost ofBlock(const Block& block) {
        const size_t count = block.bindings.size();
        std::unordered_map<uint32_t, size_t> last; // where a Var is read last; count: behind the Block
        last[block.result.id] = count;
        for (size_t i = count; i-- > 0;) {
            const Binding& binding = *block.bindings[i];
            const auto own = last.find(binding.var.id);
            const size_t until = isView(binding) && own != last.end() ? std::max(i, own->second) : i;
            for (const Var var : reads(binding)) {
                size_t& known = last[var.id];
                known = std::max(known, until);
            }
        }
        Cost all = nothing;
        Figure alive = 0.0;
        std::vector<std::vector<double>> ending(count);
        for (size_t i = 0; i < count; ++i) {
            const Binding& binding = *block.bindings[i];
            const Cost cost = ofBinding(binding);
            add(all.flops, cost.flops);
            add(all.bytes, cost.bytes);
            const auto end = last.find(binding.var.id);
            const size_t until = end == last.end() ? i : std::max(i, end->second);
            if (!isView(binding) && until < count) { // what is handed out is not this Block's
                const Figure own = sizeOf(binding.type);
                add(alive, own);
                if (own)
                    ending[until].push_back(*own);
            }
            Figure now = alive;
            add(now, cost.peakBytes);
            all.peakBytes = larger(all.peakBytes, now);
            for (const double dead : ending[i])
                add(alive, -dead);
        }
        return all;
    }

    Cost ofBinding(const Binding& binding) {
        if (const auto* call = binding.as<OpCall>())
            return ofCall(binding, *call);
        if (const auto* call = binding.as<FunctionCall>())
            return isView(binding) ? nothing : ofFunction(call->callee);
        if (const auto* branch = binding.as<If>())
            return dearer({branch->thenBlock, branch->elseBlock});
        if (binding.as<Match>())
            return dearer(blocksOf(binding.rhs));
        if (const auto* loop = binding.as<Loop>())
            return ofLoop(*loop);
        return binding.as<ClosureCall>() ? unknown : nothing;
    }

    Cost ofCall(const Binding& binding, const OpCall& call) {
        if (call.op == Op::ShapeOf) // reads no data
            return {0.0, sizeOf(binding.type), 0.0};
        std::vector<Type> args;
        for (const Var var : call.args)
            args.push_back(var ? types_[var.id] : nullptr);
        Cost cost{flopsOf(call, args, binding.type), 0.0, 0.0};
        if (isView(binding))
            return cost;
        cost.bytes = sizeOf(binding.type);
        for (const Type& arg : args)
            if (arg)
                add(cost.bytes, sizeOf(arg));
        return cost;
    }

    Cost dearer(const std::vector<BlockPtr>& blocks) {
        Cost all = nothing;
        for (const BlockPtr& block : blocks) {
            const Cost cost = ofBlock(*block);
            all = {larger(all.flops, cost.flops), larger(all.bytes, cost.bytes), larger(all.peakBytes, cost.peakBytes)};
        }
        return all;
    }

    Cost ofLoop(const Loop& loop) {
        Cost cost = ofBlock(*loop.body);
        const auto found = constants_.find(loop.tripCount.id);
        const auto trips = found == constants_.end() ? std::nullopt : elementsOf(*found->second, 1);
        const std::optional<int64_t> turns = trips && trips->size() == 1 ? arith::asInt(trips->front()) : std::nullopt;
        if (loop.condition || !turns)
            return {std::nullopt, std::nullopt, cost.peakBytes};
        for (Figure* each : {&cost.flops, &cost.bytes})
            if (*each)
                **each *= static_cast<double>(std::max<int64_t>(*turns, 0));
        return cost;
    }

    const Module& module_;
    std::unordered_map<uint32_t, Type> types_;
    std::unordered_map<uint32_t, ConstantPtr> constants_;
    std::unordered_map<std::string, Cost> known_;
    std::set<std::string> open_;
};

} // namespace

Cost costOf(const Module& module) {
    return Estimator(module).ofFunction("main");
}

} // namespace lathe::relay
