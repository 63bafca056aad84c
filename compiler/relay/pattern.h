// SPDX-License-Identifier: Apache-2.0
//
// Patterns over bindings: small values that are combined and matched through an Index.
#pragma once

#include "relay/ir.h"

namespace lathe::relay {

struct PatternNode;
using Pattern = std::shared_ptr<const PatternNode>;

struct PatternNode {
    enum class Kind { Any, Constant, Call, Either } kind = Kind::Any;
    std::vector<Op> ops;       // Call: any of these
    std::vector<Pattern> args; // Call: in order; empty: any arguments
    bool commutative = false;  // Call of two arguments: also in the other order
    bool singleUse = false;    // only if nothing else uses the value
    std::string name;          // what Match::at finds
};

namespace pattern {
Pattern any(std::string name = {});
Pattern constant(std::string name = {});
Pattern call(Op op, std::vector<Pattern> args, std::string name = {});
Pattern commutative(Op op, Pattern a, Pattern b, std::string name = {});
Pattern either(Pattern a, Pattern b);
Pattern once(Pattern pattern);
} // namespace pattern

struct PatternMatch {
    std::map<std::string, Var> vars;
    std::vector<BindingPtr> bindings; // matched calls, root first
    Var at(const std::string& name) const { return vars.at(name); }
};
std::optional<PatternMatch> match(const Pattern& pattern, Var root, const Index& index);

} // namespace lathe::relay
