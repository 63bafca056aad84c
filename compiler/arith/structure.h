// SPDX-License-Identifier: Apache-2.0
//
// Comparing expressions of two functions: their Vars and storages are different objects that correspond. A matcher
// holds that correspondence (one to one) over many expressions and remembers pairs of shared nodes found equal.
#pragma once

#include "arith/expr.h"

#include <unordered_set>
#include <utility>

namespace lathe::arith {

class StructuralMatcher {
public:
    /// withNames: Vars and storages correspond only if they are called the same.
    explicit StructuralMatcher(bool withNames = false) : withNames_(withNames) {}

    /// Whether b is a with corresponding Vars and storages. An unmatched Var or storage corresponds to itself alone,
    /// or, while `bindFree`, to the first one of equal type and range that it meets.
    bool equal(const Expr& a, const Expr& b, bool bindFree = false);

    /// Makes two Vars (storages) correspond within what follows; false if their types or ranges differ. A later binding
    /// of the same left object replaces the former.
    bool bindVars(const Expr& a, const Expr& b);
    bool bindStorages(const Storage* a, const Storage* b);
    bool matches(const Storage* a, const Storage* b, bool bindFree);

    const VarMap& vars() const { return vars_; }
    /// Whether all that was bound corresponds to itself, so that shared nodes are equal without a look at them.
    bool isIdentity() const { return identity_; }
    void setVars(VarMap vars);

private:
    struct PairHash {
        size_t operator()(const std::pair<const ExprNode*, const ExprNode*>& pair) const {
            return std::hash<const void*>()(pair.first) * 31 + std::hash<const void*>()(pair.second);
        }
    };
    bool equalVars(const Expr& a, const Expr& b, bool bindFree);

    bool withNames_ = false;
    bool identity_ = true;
    VarMap vars_;
    std::unordered_map<const ExprNode*, const ExprNode*> reverseVars_;
    std::unordered_map<const Storage*, const Storage*> storages_;
    std::unordered_map<const Storage*, const Storage*> reverseStorages_;
    std::unordered_set<std::pair<const ExprNode*, const ExprNode*>, PairHash> equalPairs_;
};

} // namespace lathe::arith
