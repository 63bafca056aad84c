// SPDX-License-Identifier: Apache-2.0
//
// Grouping by post-dominators with union-find over the operators of one Block, then one function a group.
#include "relay/transform/fuse.h"

#include "arith/analysis.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay::transform {
namespace {

constexpr int outside = -1;    // the post-dominator of what leaves the Block
constexpr size_t namedOps = 6; // of a function's name

struct Node {
    size_t place = 0; // in the Block
    const OpCall* call = nullptr;
    FusionKind kind = FusionKind::Opaque;
    std::vector<int> users; // nodes of this Block, ascending
    bool escapes = false;   // used by something that is no node of this Block
    int postDominator = outside;
    int depth = 0;        // in the tree of post-dominators
    int parent = 0;       // union-find
    int size = 1;         // of the group, at its root
    int anchor = outside; // the group's product or reduction, at its root
};

FusionKind kindOf(const OpCall& call) {
    switch (call.op) {
    case Op::Reshape:
    case Op::Copy:  // views, if alone
    case Op::Range: // may define its own length
    case Op::Relayout:
        return FusionKind::Opaque;
    default:
        return info(call.op).fusion;
    }
}

bool staysInMain(Op op) {
    return op == Op::BindSymbols || op == Op::Assume;
}

/// Whether each element of an operand is used for at most one element of the result.
bool readsOnce(Op op) {
    switch (op) {
    case Op::Transpose:
    case Op::Slice:
    case Op::Pad:
    case Op::Reverse:
    case Op::Trilu:
    case Op::DepthToSpace:
    case Op::SpaceToDepth:
        return true;
    default:
        return info(op).fusion <= FusionKind::Broadcast;
    }
}

/// A value that costs nothing to compute again.
bool isFree(Op op) {
    return op == Op::BroadcastTo || op == Op::Full || op == Op::Iota;
}

bool sameShape(const Type& a, const Type& b) {
    const TensorType *x = asTensor(a), *y = asTensor(b);
    if (!x || !y || x->shape.size() != y->shape.size())
        return false;
    for (size_t i = 0; i < x->shape.size(); ++i)
        if (!x->shape[i].same(y->shape[i]) && !arith::provablyEqual(x->shape[i], y->shape[i]))
            return false;
    return true;
}

/// Groups of one Block.
class Grouping {
public:
    Grouping(const Block& block, const Index& index, const FuseOptions& options) : block_(block), options_(options) {
        std::map<uint32_t, int> nodeOf;
        for (size_t place = 0; place < block.bindings.size(); ++place) {
            const OpCall* call = block.bindings[place]->as<OpCall>();
            if (!call || staysInMain(call->op))
                continue;
            auto id = static_cast<int>(nodes.size());
            nodeOf[block.bindings[place]->var.id] = id;
            nodes.push_back({place, call, kindOf(*call), {}, false, outside, 0, id, 1, outside});
            if (nodes.back().kind == FusionKind::Reduction || nodes.back().kind == FusionKind::OutFusable)
                nodes.back().anchor = id;
            for (Var arg : call->args)
                if (auto producer = nodeOf.find(arg.id); producer != nodeOf.end())
                    nodes[static_cast<size_t>(producer->second)].users.push_back(id);
        }
        for (Node& node : nodes) {
            // Users repeat where an operand occurs twice, so the counts are comparable.
            node.escapes = index.find(binding(node).var)->uses != static_cast<int>(node.users.size());
            node.users.erase(std::unique(node.users.begin(), node.users.end()), node.users.end());
        }
        if (options.maxOps > 1)
            group();
    }

    std::vector<Node> nodes;

    int root(int id) {
        while (at(id).parent != id)
            id = at(id).parent = at(at(id).parent).parent;
        return id;
    }

private:
    const Block& block_;
    const FuseOptions& options_;

    Node& at(int id) { return nodes[static_cast<size_t>(id)]; }
    const Binding& binding(const Node& node) const { return *block_.bindings[node.place]; }
    const Type& typeOf(int id) { return binding(at(id)).type; }

    int common(int a, int b) {
        while (a != b) {
            if (a == outside || b == outside)
                return outside;
            (at(a).depth < at(b).depth ? b : a) = at(at(a).depth < at(b).depth ? b : a).postDominator;
        }
        return a;
    }

    void postDominators() {
        for (auto id = static_cast<int>(nodes.size()) - 1; id >= 0; --id) {
            Node& node = at(id);
            if (!node.escapes && !node.users.empty()) {
                node.postDominator = node.users.front();
                for (int user : node.users)
                    node.postDominator = common(node.postDominator, user);
            }
            node.depth = node.postDominator == outside ? 1 : at(node.postDominator).depth + 1;
        }
    }

    /// Nodes on ways from `from` to its post-dominator, both left out; false if there are too many to be worth it.
    bool between(int from, int to, std::vector<int>& path) {
        std::vector<int> open = at(from).users;
        while (!open.empty()) {
            int id = open.back();
            open.pop_back();
            if (id == to || std::ranges::find(path, id) != path.end())
                continue;
            path.push_back(id);
            if (static_cast<int>(path.size()) > options_.maxOps)
                return false;
            open.insert(open.end(), at(id).users.begin(), at(id).users.end());
        }
        return true;
    }

    bool isElementwise(int id) { return at(id).kind <= FusionKind::Broadcast; }

    /// Whether the value of `producer` may be computed inside of `consumer`.
    bool inlines(int producer, int consumer) {
        const Node& user = at(consumer);
        if (user.kind > FusionKind::Reduction)
            return false;
        if (isFree(at(producer).call->op))
            return true;
        if (user.kind == FusionKind::Reduction)
            return true;
        if (!readsOnce(user.call->op))
            return false;
        return user.kind == FusionKind::Injective || sameShape(typeOf(producer), typeOf(consumer));
    }

    bool mayJoin(int id, int target, const std::vector<int>& path) {
        int own = root(id), other = root(target), anchor = at(own).anchor, otherAnchor = at(other).anchor;
        if (anchor != outside) { // an epilogue: elementwise, of the result's shape
            if (otherAnchor != outside && otherAnchor != anchor)
                return false;
            auto good = [&](int step) { return isElementwise(step) && sameShape(typeOf(step), typeOf(id)); };
            return good(target) && std::ranges::all_of(path, good);
        }
        if (at(id).kind > FusionKind::Injective)
            return false;
        // What joins the epilogue of a product or reduction from the side is elementwise, too.
        if (otherAnchor != outside && otherAnchor != target &&
            !(isElementwise(id) && isElementwise(target) && sameShape(typeOf(id), typeOf(target))))
            return false;
        if (otherAnchor == target && at(target).kind != FusionKind::Reduction)
            return false;
        std::vector<int> steps = path;
        steps.push_back(target);
        for (int step : steps) {
            if (step != target && at(root(step)).anchor != outside)
                return false;
            if (step != target && at(step).kind > FusionKind::Injective)
                return false;
            for (Var arg : at(step).call->args)
                for (int producer : path)
                    if (binding(at(producer)).var == arg && !inlines(producer, step))
                        return false;
            if (std::ranges::find(at(id).users, step) != at(id).users.end() && !inlines(id, step))
                return false;
        }
        return true;
    }

    void merge(int a, int b) {
        a = root(a);
        b = root(b);
        if (a == b)
            return;
        Node &from = at(a), &to = at(b);
        from.parent = b;
        to.size += from.size;
        if (to.anchor == outside)
            to.anchor = from.anchor;
    }

    void group() {
        postDominators();
        // Products and reductions first: their epilogue saves most.
        for (bool anchored : {true, false})
            for (int id = 0; id < static_cast<int>(nodes.size()); ++id) {
                int target = at(id).postDominator;
                std::vector<int> path;
                if (target == outside || at(id).kind == FusionKind::Opaque || at(target).kind == FusionKind::Opaque ||
                    (at(root(id)).anchor != outside) != anchored || root(id) == root(target) ||
                    !between(id, target, path) || !mayJoin(id, target, path))
                    continue;
                std::vector<int> roots{root(id), root(target)};
                for (int step : path)
                    roots.push_back(root(step));
                std::ranges::sort(roots);
                roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
                int size = 0, anchors = 0;
                for (int each : roots) {
                    size += at(each).size;
                    anchors += at(each).anchor != outside;
                }
                if (size > options_.maxOps || anchors > 1)
                    continue;
                for (int step : path)
                    merge(step, target);
                merge(id, target);
            }
    }
};

class Fuser {
public:
    Fuser(Module& module, const FuseOptions& options) : module_(module), options_(options) {}

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
        Grouping grouping(*before, *index_, options_);
        std::map<int, std::vector<const Node*>> members; // by root, in order
        std::map<size_t, int> groupEndingAt, groupAt;
        for (size_t i = 0; i < grouping.nodes.size(); ++i) {
            int root = grouping.root(static_cast<int>(i));
            members[root].push_back(&grouping.nodes[i]);
            groupAt[grouping.nodes[i].place] = root;
        }
        for (const auto& [root, nodes] : members)
            groupEndingAt[nodes.back()->place] = root;
        auto after = std::make_shared<Block>();
        after->result = before->result;
        for (size_t place = 0; place < before->bindings.size(); ++place) {
            const BindingPtr& entry = before->bindings[place];
            if (auto last = groupEndingAt.find(place); last != groupEndingAt.end()) {
                after->bindings.push_back(primitive(*before, members.at(last->second)));
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

    BindingPtr primitive(const Block& block, const std::vector<const Node*>& nodes) {
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

Module fuse(const Module& module, const FuseOptions& options) {
    Module result = module;
    Fuser fuser(result, options);
    for (const auto& [name, function] : module.functions)
        fuser.function(name);
    return result;
}

} // namespace lathe::relay::transform
