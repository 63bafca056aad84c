// SPDX-License-Identifier: Apache-2.0
//
// Walks over expressions, which share nodes: each node is met once, however often it occurs.
#include "arith/expr.h"

#include <functional>
#include <unordered_map>
#include <utility>

namespace lathe::arith {
namespace {

class Rewriter {
public:
    explicit Rewriter(const std::function<Expr(const Expr&)>& fn) : fn_(fn) {}

    Expr rewrite(const Expr& expr) {
        if (expr->args.empty() && expr.node().use_count() <= 1)
            return fn_(expr);
        auto known = known_.find(expr.get());
        if (known != known_.end())
            return known->second;
        std::vector<Expr> args;
        args.reserve(expr->args.size());
        for (const Expr& arg : expr->args)
            args.push_back(rewrite(arg));
        Expr result = fn_(withArgs(expr, std::move(args)));
        known_.emplace(expr.get(), result);
        return result;
    }

private:
    const std::function<Expr(const Expr&)>& fn_;
    std::unordered_map<const ExprNode*, Expr> known_;
};

} // namespace

Expr rewrite(const Expr& expr, const std::function<Expr(const Expr&)>& fn) {
    return expr ? Rewriter(fn).rewrite(expr) : expr;
}

void visitUpwards(const Expr& expr, const std::function<void(const Expr&)>& fn) {
    // A node stands in the list once with its operands to come, then by itself.
    NodeSet seen;
    std::vector<std::pair<const Expr*, bool>> pending;
    if (expr)
        pending.emplace_back(&expr, false);
    while (!pending.empty()) {
        const auto [current, isReady] = pending.back();
        pending.pop_back();
        if (isReady) {
            fn(*current);
            continue;
        }
        if (!seen.insert(current->get()))
            continue;
        pending.emplace_back(current, true);
        const std::vector<Expr>& args = (*current)->args;
        for (size_t i = args.size(); i > 0; --i)
            pending.emplace_back(&args[i - 1], false);
    }
}

Expr substitute(const Expr& expr, const VarMap& map) {
    if (map.empty() || !expr)
        return expr;
    return rewrite(expr, [&](const Expr& node) {
        if (node.kind() != ExprKind::Var)
            return node;
        auto found = map.find(node.get());
        return found == map.end() ? node : found->second;
    });
}

std::vector<Var> freeVars(const Expr& expr) {
    std::vector<Var> result;
    visit(expr, [&](const Expr& node) {
        if (node.kind() == ExprKind::Var)
            result.emplace_back(node.node());
        return true;
    });
    return result;
}

bool mentions(const Expr& expr, const Expr& var) {
    bool found = false;
    visit(expr, [&](const Expr& node) {
        found = found || node.same(var);
        return !found;
    });
    return found;
}

void VarCollector::add(const Expr& expr) {
    for (const Var& var : freeVars(expr))
        if (seen_.insert(var.get()).second)
            vars_.push_back(var);
}

std::vector<Expr> conjuncts(const Expr& condition) {
    std::vector<Expr> result, stack;
    if (condition)
        stack.push_back(condition);
    while (!stack.empty()) {
        Expr top = stack.back();
        stack.pop_back();
        if (top.kind() == ExprKind::And) {
            stack.push_back(top->args[1]);
            stack.push_back(top->args[0]);
        } else if (!isConst(top, 1)) {
            result.push_back(top);
        }
    }
    return result;
}

Expr conjunction(const std::vector<Expr>& conditions) {
    Expr result;
    for (const Expr& condition : conditions)
        result = result ? logicalAnd(result, condition) : condition;
    return result;
}

} // namespace lathe::arith
