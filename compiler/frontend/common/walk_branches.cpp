// SPDX-License-Identifier: Apache-2.0
//
// Branches whose results have no common type: what follows them goes into both.
#include "base/limits.h"
#include "frontend/common/walk.h"

#include <fmt/format.h>

namespace lathe::frontend {

std::vector<Value> GraphWalk::branchOff(const model::Graph& graph, size_t at, Scope& scope, const Then& then) {
    const model::Node& node = graph.nodes[at];
    const Branches branches = *dialect_.branchesOf(node);
    const Diagnostic reason = builder_.error();
    builder_.takeBack();
    enter(node);
    continued_ += graph.nodes.size() - at - 1;
    if (continued_ > static_cast<size_t>(limits::continuedNodes)) {
        builder_.disagree(reason.what +
                              fmt::format("; what follows them would go into both branches, which makes more than "
                                          "{} nodes",
                                          limits::continuedNodes),
                          reason.hint);
        return {};
    }
    NodeReader reader(node, *this, scope, builder_);
    Var condition = reader.in(0);
    if (!builder_.failed() && builder_.rank(condition) != 0) {
        relay::ReshapeAttrs scalar;
        condition = builder_.call(Op::Reshape, {condition}, scalar);
    }
    size_t count = 0;
    const auto arm = [&](const std::string& attribute) -> Var {
        const auto branch = reader.graph(attribute);
        if (builder_.failed())
            return {};
        enter(node);
        Scope names; // a scope of its own, not a copy of all names so far
        names.outer = &scope;
        Scope inner;
        inner.outer = &names;
        defineConstants(*branch, inner);
        const std::vector<Value> values = convertNodes(*branch, 0, inner, [&](Scope& local) {
            const std::vector<Value> results = outputsOf(*branch, local);
            enter(node);
            NodeReader chosen(node, *this, names, builder_);
            for (size_t i = 0; i < results.size(); ++i)
                chosen.set(i, results[i]);
            if (!builder_.failed())
                define(chosen, names);
            return convertNodes(graph, at + 1, names, then);
        });
        enter(node);
        std::vector<Var> vars;
        for (const Value& value : values) {
            if (value.sequence || value.none)
                builder_.disagree(reason.what, reason.hint);
            vars.push_back(value.var);
        }
        count = vars.size();
        return builder_.failed() ? Var{} : count == 1 ? vars[0] : builder_.tuple(vars);
    };
    if (!supported_)
        supported_ = unsupported().empty();
    const Var result =
        *supported_ ? builder_.ifElseOrCheck(
                          condition, [&] { return arm(branches.whenTrue); }, [&] { return arm(branches.whenFalse); })
                    : builder_.ifElse(
                          condition, [&] { return arm(branches.whenTrue); }, [&] { return arm(branches.whenFalse); });
    enter(node);
    std::vector<Value> values(builder_.failed() ? 0 : count);
    for (size_t i = 0; i < values.size(); ++i)
        values[i].var = count == 1 ? result : builder_.project(result, static_cast<int>(i));
    return values;
}

} // namespace lathe::frontend
