// SPDX-License-Identifier: Apache-2.0
//
// Matching of patterns: a name that occurs twice must match the same Var; alternatives are tried in order.
#include "relay/pattern.h"

namespace lathe::relay {
namespace pattern {
namespace {

Pattern make(PatternNode node) {
    return std::make_shared<PatternNode>(std::move(node));
}

} // namespace

Pattern any(std::string name) {
    return make({PatternNode::Kind::Any, {}, {}, false, false, std::move(name)});
}

Pattern constant(std::string name) {
    return make({PatternNode::Kind::Constant, {}, {}, false, false, std::move(name)});
}

Pattern call(Op op, std::vector<Pattern> args, std::string name) {
    return make({PatternNode::Kind::Call, {op}, std::move(args), false, false, std::move(name)});
}

Pattern commutative(Op op, Pattern a, Pattern b, std::string name) {
    return make({PatternNode::Kind::Call, {op}, {std::move(a), std::move(b)}, true, false, std::move(name)});
}

Pattern either(Pattern a, Pattern b) {
    return make({PatternNode::Kind::Either, {}, {std::move(a), std::move(b)}, false, false, {}});
}

Pattern once(Pattern pattern) {
    PatternNode node = *pattern;
    node.singleUse = true;
    return make(std::move(node));
}

} // namespace pattern

namespace {

bool matchNode(const PatternNode& pattern, Var var, const Index& index, PatternMatch& match);

bool matchArgs(const PatternNode& pattern, const std::vector<Var>& args, const Index& index, PatternMatch& match) {
    if (pattern.args.empty())
        return true;
    if (pattern.args.size() != args.size())
        return false;
    for (size_t i = 0; i < args.size(); ++i)
        if (!args[i] || !matchNode(*pattern.args[i], args[i], index, match))
            return false;
    return true;
}

bool matchCall(const PatternNode& pattern, const BindingPtr& binding, const Index& index, PatternMatch& match) {
    const OpCall* call = binding ? binding->as<OpCall>() : nullptr;
    if (!call || std::find(pattern.ops.begin(), pattern.ops.end(), call->op) == pattern.ops.end())
        return false;
    PatternMatch before = match;
    match.bindings.push_back(binding);
    if (matchArgs(pattern, call->args, index, match))
        return true;
    match = before;
    if (!pattern.commutative || call->args.size() != 2)
        return false;
    match.bindings.push_back(binding);
    if (matchArgs(pattern, {call->args[1], call->args[0]}, index, match))
        return true;
    match = std::move(before);
    return false;
}

bool matchNode(const PatternNode& pattern, Var var, const Index& index, PatternMatch& match) {
    const Index::Entry* entry = index.find(var);
    if (!entry || (pattern.singleUse && entry->uses != 1))
        return false;
    if (!pattern.name.empty()) {
        auto [known, added] = match.vars.try_emplace(pattern.name, var);
        if (!added && known->second != var)
            return false;
    }
    switch (pattern.kind) {
    case PatternNode::Kind::Any:
        return true;
    case PatternNode::Kind::Constant:
        return entry->binding && entry->binding->as<ConstantRef>();
    case PatternNode::Kind::Call:
        return matchCall(pattern, entry->binding, index, match);
    case PatternNode::Kind::Either:
        break;
    }
    for (const Pattern& alternative : pattern.args) {
        PatternMatch attempt = match;
        if (matchNode(*alternative, var, index, attempt)) {
            match = std::move(attempt);
            return true;
        }
    }
    return false;
}

} // namespace

std::optional<PatternMatch> match(const Pattern& pattern, Var root, const Index& index) {
    PatternMatch match;
    if (!matchNode(*pattern, root, index, match))
        return std::nullopt;
    return match;
}

} // namespace lathe::relay
