// SPDX-License-Identifier: Apache-2.0
#include "relay/transform/fusion_groups.h"

#include "arith/analysis.h"

#include <algorithm>

namespace lathe::relay::transform {
namespace {

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
    return op == Op::BindSymbols || op == Op::Assume || worksOnList(op);
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

/// Whether scores [.., queries, keys] and sums [.., queries, columns] of attention are worth a kernel of their own: the length of
/// rows is known, so it is how many a task may have, and rows are so many that tiles of products hide what a multiply-add takes
/// and that there are tasks for threads.
bool areWorthOne(const std::vector<Expr>& scores, const std::vector<Expr>& sums) {
    constexpr int64_t leastOfGroup = 8, least = 16;
    const size_t rank = scores.size();
    if (rank < 2 || sums.size() != rank || arith::asInt(scores.back()).value_or(0) < 2 ||
        arith::asInt(sums.back()).value_or(0) < 2 || arith::bounds(scores[rank - 2]).upper < leastOfGroup)
        return false;
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < rank; ++i) {
        if (!arith::provablyEqual(scores[i], sums[i]))
            return false;
        rows = std::min(least, rows * std::clamp<int64_t>(arith::asInt(scores[i]).value_or(1), 0, least));
    }
    return rows >= least;
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

} // namespace

FusionGroups::FusionGroups(const Block& block, const Index& index, const FuseOptions& options)
    : block_(block), options_(options) {
    std::map<uint32_t, int> nodeOf;
    for (size_t place = 0; place < block.bindings.size(); ++place) {
        const OpCall* call = block.bindings[place]->as<OpCall>();
        if (!call || staysInMain(call->op))
            continue;
        auto id = static_cast<int>(nodes_.size());
        nodeOf[block.bindings[place]->var.id] = id;
        nodes_.push_back({place, call, kindOf(*call), {}, false, outside, 0, id, 1, outside, false});
        if (nodes_.back().kind == FusionKind::Reduction || nodes_.back().kind == FusionKind::OutFusable)
            nodes_.back().anchor = id;
        for (Var arg : call->args)
            if (auto producer = nodeOf.find(arg.id); producer != nodeOf.end())
                at(producer->second).users.push_back(id);
    }
    for (Node& node : nodes_) {
        // Users repeat where an operand occurs twice, so the counts are comparable.
        node.escapes = index.find(binding(node).var)->uses != static_cast<int>(node.users.size());
        node.users.erase(std::unique(node.users.begin(), node.users.end()), node.users.end());
    }
    for (const auto& [producer, consumer] : options.apart)
        if (const auto from = nodeOf.find(producer.id), to = nodeOf.find(consumer.id);
            from != nodeOf.end() && to != nodeOf.end())
            apart_.emplace_back(from->second, to->second);
    answers_.resize(nodes_.size());
    if (options.maxOps > 1)
        group();
}

int FusionGroups::root(int id) {
    while (at(id).parent != id)
        id = at(id).parent = at(at(id).parent).parent;
    return id;
}

std::vector<FusionEdge> FusionGroups::edges() {
    std::vector<FusionEdge> edges;
    if (options_.maxOps <= 1)
        return edges;
    for (int id = 0; id < static_cast<int>(nodes_.size()); ++id)
        for (const int user : at(id).users) {
            Answer answer;
            if (root(id) != root(user)) { // then it was tried, and did not join
                const std::optional<Answer>& tried = answers_[static_cast<size_t>(id)];
                if (!tried || tried->joined())
                    throw InternalError("fuse: two operators are apart, and nothing says why");
                answer = *tried;
                const bool decided = std::ranges::find(apart_, std::pair(id, user)) != apart_.end();
                if (decided)
                    answer = {FusionOutcome::KeptApart, user};
            }
            FusionEdge& edge = edges.emplace_back();
            edge.producer = static_cast<size_t>(id);
            edge.consumer = static_cast<size_t>(user);
            edge.outcome = answer.outcome;
            if (answer.due != outside && answer.due != id && answer.due != user)
                edge.due = static_cast<size_t>(answer.due);
        }
    return edges;
}

int FusionGroups::common(int a, int b) {
    while (a != b) {
        if (a == outside || b == outside)
            return outside;
        (at(a).depth < at(b).depth ? b : a) = at(at(a).depth < at(b).depth ? b : a).postDominator;
    }
    return a;
}

void FusionGroups::postDominators() {
    for (auto id = static_cast<int>(nodes_.size()) - 1; id >= 0; --id) {
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
bool FusionGroups::between(int from, int to, std::vector<int>& path) {
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

/// Whether the value of `producer` may be computed inside of `consumer`.
FusionGroups::Answer FusionGroups::inlines(int producer, int consumer) {
    const Node& user = at(consumer);
    if (isFree(at(producer).call->op) || user.kind == FusionKind::Reduction)
        return {};
    if (!readsOnce(user.call->op))
        return {FusionOutcome::ReadAgain, consumer};
    if (user.kind != FusionKind::Injective && !sameShape(typeOf(producer), typeOf(consumer)))
        return {FusionOutcome::FewerElements, consumer};
    return {};
}

/// Whether `step` may stand in the epilogue of `anchored`, which has an anchor in its group.
FusionGroups::Answer FusionGroups::mayFollow(int anchored, int step) {
    if (!isElementwise(step))
        return {FusionOutcome::EpilogueKind, step};
    if (!sameShape(typeOf(step), typeOf(anchored)))
        return {FusionOutcome::EpilogueShape, step};
    return {};
}

/// Of a node without an anchor in its group.
FusionGroups::Answer FusionGroups::mayPrecede(int id, int target, const std::vector<int>& path) {
    const int anchor = anchorOf(target);
    // What joins the epilogue of a product or reduction from the side is elementwise, too.
    if (anchor != outside && anchor != target) {
        if (!isElementwise(id))
            return {FusionOutcome::EpilogueKind, id};
        if (const Answer answer = mayFollow(id, target); !answer.joined())
            return answer;
    }
    if (anchor == target && at(target).kind != FusionKind::Reduction)
        return {FusionOutcome::TakesNoProducer, target};
    std::vector<int> steps = path;
    steps.push_back(target);
    for (int step : steps) {
        if (step != target && anchorOf(step) != outside)
            return {FusionOutcome::AnchorBetween, step};
        if (step != target && at(step).kind > FusionKind::Injective)
            return {FusionOutcome::OpaqueConsumer, step};
        for (Var arg : at(step).call->args)
            for (int producer : path)
                if (binding(at(producer)).var == arg)
                    if (const Answer answer = inlines(producer, step); !answer.joined())
                        return answer;
        if (std::ranges::find(at(id).users, step) != at(id).users.end())
            if (const Answer answer = inlines(id, step); !answer.joined())
                return answer;
    }
    return {};
}

FusionGroups::Answer FusionGroups::mayJoin(int id, int target, const std::vector<int>& path) {
    const int anchor = anchorOf(id), other = anchorOf(target);
    if (anchor == outside)
        return mayPrecede(id, target, path);
    if (other != outside && other != anchor)
        return {FusionOutcome::SecondAnchor, other};
    Answer answer = mayFollow(id, target);
    for (size_t i = 0; i < path.size() && answer.joined(); ++i)
        answer = mayFollow(id, path[i]);
    return answer;
}

/// Whether these groups may be one; `anchor`: of the one that wants to join.
FusionGroups::Answer FusionGroups::mayUnite(const std::vector<int>& roots, int anchor) {
    for (const int each : roots) {
        if (anchor == outside)
            anchor = at(each).anchor;
        else if (at(each).anchor != outside && at(each).anchor != anchor)
            return {FusionOutcome::SecondAnchor, at(each).anchor};
    }
    return isAllowed(roots);
}

/// Whether a group of all of these is as small as is asked for, and holds no two that are to be kept apart.
FusionGroups::Answer FusionGroups::isAllowed(const std::vector<int>& roots) {
    int size = 0;
    for (const int each : roots)
        size += at(each).size;
    if (size > options_.maxOps)
        return {FusionOutcome::TooLarge};
    const auto holds = [&](int id) { return std::ranges::find(roots, root(id)) != roots.end(); };
    for (const auto& [producer, consumer] : apart_)
        if (holds(producer) && holds(consumer))
            return {FusionOutcome::OthersApart, consumer};
    return {};
}

void FusionGroups::merge(int a, int b) {
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

FusionGroups::Answer FusionGroups::joinPostDominator(int id) {
    const Node& node = at(id);
    const int target = node.postDominator;
    if (node.kind == FusionKind::Opaque)
        return {FusionOutcome::OpaqueProducer};
    if (target == outside)
        return {node.escapes ? FusionOutcome::Escapes : FusionOutcome::WaysPart};
    if (at(target).kind == FusionKind::Opaque)
        return {FusionOutcome::OpaqueConsumer, target};
    if (root(id) == root(target))
        return {};
    std::vector<int> path;
    if (!between(id, target, path))
        return {FusionOutcome::TooLarge};
    if (const Answer answer = mayJoin(id, target, path); !answer.joined())
        return answer;
    std::vector<int> roots{root(id), root(target)};
    for (int step : path)
        roots.push_back(root(step));
    std::ranges::sort(roots);
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    if (const Answer answer = mayUnite(roots, anchorOf(id)); !answer.joined())
        return answer;
    for (int step : path)
        merge(step, target);
    merge(id, target);
    return {};
}

void FusionGroups::group() {
    postDominators();
    // Products and reductions first: their epilogue saves most.
    for (bool anchored : {true, false})
        for (int id = 0; id < static_cast<int>(nodes_.size()); ++id)
            if ((anchorOf(id) != outside) == anchored)
                answers_[static_cast<size_t>(id)] = joinPostDominator(id);
    for (int id = 0; id < static_cast<int>(nodes_.size()); ++id)
        joinAttention(id);
}

/// The operator that alone uses the value, as its first operand and nothing else; `outside`: there is none.
int FusionGroups::firstOperandOf(int id) {
    const Node& node = at(id);
    if (node.escapes || node.users.size() != 1)
        return outside;
    const std::vector<Var>& args = at(node.users.front()).call->args;
    const Var value = binding(node).var;
    return args.front() == value && std::ranges::count(args, value) == 1 ? node.users.front() : outside;
}

/// Attention: a softmax of scores that are only there for the sums after it.
void FusionGroups::joinAttention(int scores) {
    const int anchor = anchorOf(scores);
    if (anchor == outside || at(anchor).call->op != Op::MatMul || at(root(scores)).attends)
        return;
    const int rows = firstOperandOf(scores), sums = rows == outside ? outside : firstOperandOf(rows);
    if (sums == outside || at(rows).call->op != Op::Softmax || at(sums).call->op != Op::MatMul)
        return;
    const auto& product = attrs<MatMulAttrs>(at(sums).call->attrs);
    const auto axis = attrs<AxisAttrs>(at(rows).call->attrs).axis;
    const TensorType *type = asTensor(typeOf(rows)), *result = asTensor(typeOf(sums));
    const std::vector<Var>& operands = at(anchor).call->args;
    if (product.transposeA || product.transposeB || operands[0] == operands[1] || type->dtype != types::Float32 ||
        axis + 1 != static_cast<int64_t>(type->shape.size()) || !sameShape(typeOf(anchor), typeOf(scores)) ||
        !sameShape(typeOf(scores), typeOf(rows)) || !areWorthOne(type->shape, result->shape))
        return;
    if (isAllowed({root(scores), root(rows), root(sums)}).joined()) {
        merge(scores, rows);
        merge(rows, sums);
        at(root(sums)).attends = true;
    }
}

} // namespace lathe::relay::transform
