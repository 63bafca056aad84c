// SPDX-License-Identifier: Apache-2.0
//
// One function a group of operators.
#include "relay/transform/fuse.h"

#include "relay/transform/fusion_groups.h"

#include <fmt/format.h>

namespace lathe::relay::transform {
namespace {

constexpr size_t namedOps = 6; // of a function's name

class Fuser {
public:
    Fuser(Fused& fused, const FuseOptions& options) : fused_(fused), module_(fused.module), options_(options) {}

    void function(const std::string& name) {
        FunctionPtr before = module_.functions.at(name);
        if (before->primitive)
            return;
        Index index(*before);
        index_ = &index;
        BlockPtr body = block(before->body);
        if (body == before->body)
            return;
        auto after = std::make_shared<Function>(*before);
        after->body = std::move(body);
        module_.functions[name] = std::move(after);
    }

private:
    Fused& fused_;
    Module& module_;
    const FuseOptions& options_;
    const Index* index_ = nullptr;
    int count_ = 0;

    Var fresh() { return {module_.nextVar++}; }
    const Type& typeOf(Var var) const {
        const Index::Entry* entry = index_->find(var);
        return entry->binding ? entry->binding->type : entry->param->type;
    }

    /// The Block itself if it holds no operator that could stand in a function.
    BlockPtr block(const BlockPtr& before) {
        FusionGroups groups(*before, *index_, options_);
        const size_t first = fused_.operators.size(); // of this Block
        std::map<int, std::vector<size_t>> members;   // nodes by root, in order
        std::map<size_t, int> groupEndingAt, groupAt;
        for (size_t i = 0; i < groups.nodes().size(); ++i) {
            const FusionGroups::Node& node = groups.nodes()[i];
            const Binding& binding = *before->bindings[node.place];
            fused_.operators.push_back({binding.var, binding.span, node.call->op, {}});
            int root = groups.root(static_cast<int>(i));
            members[root].push_back(i);
            groupAt[node.place] = root;
        }
        for (FusionEdge edge : groups.edges()) {
            edge.producer += first;
            edge.consumer += first;
            if (edge.due)
                *edge.due += first;
            fused_.edges.push_back(edge);
        }
        for (const auto& [root, nodes] : members)
            groupEndingAt[groups.nodes()[nodes.back()].place] = root;
        auto after = std::make_shared<Block>();
        after->result = before->result;
        for (size_t place = 0; place < before->bindings.size(); ++place) {
            const BindingPtr& entry = before->bindings[place];
            if (auto last = groupEndingAt.find(place); last != groupEndingAt.end()) {
                std::vector<const FusionGroups::Node*> nodes;
                for (const size_t i : members.at(last->second))
                    nodes.push_back(&groups.nodes()[i]);
                after->bindings.push_back(primitive(*before, nodes));
                for (const size_t i : members.at(last->second))
                    fused_.operators[first + i].function = after->bindings.back()->as<FunctionCall>()->callee;
                continue;
            }
            if (groupAt.contains(place))
                continue; // inside the function of a group that ends later
            after->bindings.push_back(withOperands(
                entry, [](Var var) { return var; }, [&](const BlockPtr& nested) { return block(nested); }));
        }
        return after->bindings == before->bindings ? before : after;
    }

    /// A constant of one value, which stands inside the function.
    ConstantPtr inlineConstant(Var var) const {
        const Index::Entry* entry = index_->find(var);
        const ConstantRef* reference = entry->binding ? entry->binding->as<ConstantRef>() : nullptr;
        if (!reference || reference->constant->recipe || asTensor(reference->constant->type)->dtype == types::String)
            return nullptr;
        return reference->constant->splat || reference->constant->elements() == 1 ? reference->constant : nullptr;
    }

    BindingPtr primitive(const Block& block, const std::vector<const FusionGroups::Node*>& nodes) {
        auto function = std::make_shared<Function>();
        auto body = std::make_shared<Block>();
        std::map<uint32_t, Var> inner;
        FunctionCall call;
        Span span;
        std::string name = "fused";
        bool opaque = nodes.front()->kind == FusionKind::Opaque;
        for (size_t i = 0; i < nodes.size(); ++i) {
            const Binding& original = *block.bindings[nodes[i]->place];
            OpCall copy = *nodes[i]->call;
            for (Var& arg : copy.args) {
                if (!arg)
                    continue;
                auto [known, added] = inner.try_emplace(arg.id);
                if (added) {
                    known->second = fresh();
                    if (ConstantPtr constant = opaque ? nullptr : inlineConstant(arg)) {
                        Binding reference = *index_->find(arg)->binding;
                        reference.var = known->second;
                        body->bindings.push_back(std::make_shared<Binding>(std::move(reference)));
                    } else {
                        function->params.push_back({known->second, typeOf(arg), {}});
                        call.args.push_back(arg);
                    }
                }
                arg = known->second;
            }
            bool last = i + 1 == nodes.size();
            auto binding = std::make_shared<Binding>(original);
            binding->rhs = std::move(copy);
            if (last)
                binding->var = fresh(); // users outside keep the old one
            inner[original.var.id] = binding->var;
            body->bindings.push_back(binding);
            body->result = binding->var;
            span = module_.spans->join(span, original.span);
            if (i < namedOps)
                name += fmt::format("_{}", info(nodes[i]->call->op).name);
        }
        const Binding& sink = *block.bindings[nodes.back()->place];
        function->resultType = sink.type;
        function->primitive = true;
        function->body = std::move(body);
        do
            call.callee = fmt::format("{}_{}", name, count_++);
        while (module_.functions.contains(call.callee));
        module_.functions[call.callee] = std::move(function);
        return std::make_shared<Binding>(Binding{sink.var, std::move(call), sink.type, span, sink.modelValue});
    }
};

} // namespace

Fused fuse(const Module& module, const FuseOptions& options) {
    Fused result{module, {}, {}};
    Fuser fuser(result, options);
    for (const auto& [name, function] : module.functions)
        fuser.function(name);
    return result;
}

} // namespace lathe::relay::transform
