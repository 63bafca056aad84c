// SPDX-License-Identifier: Apache-2.0
//
// Structural equality and hashing of expressions, both with memory of shared nodes.
#include "arith/structure.h"

#include <bit>

namespace lathe::arith {

void StructuralMatcher::setVars(VarMap vars) {
    vars_ = std::move(vars);
    reverseVars_.clear();
    for (const auto& [left, right] : vars_) {
        reverseVars_[right.get()] = left;
        identity_ = identity_ && left == right.get();
    }
    equalPairs_.clear();
}

bool StructuralMatcher::bindVars(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype() || a->lower != b->lower || a->upper != b->upper || (withNames_ && a->name != b->name))
        return false;
    identity_ = identity_ && a.same(b);
    auto known = vars_.find(a.get());
    if (known != vars_.end()) {
        if (known->second.same(b))
            return true;
        reverseVars_.erase(known->second.get());
        equalPairs_.clear();
    }
    vars_[a.get()] = b;
    reverseVars_[b.get()] = a.get();
    return true;
}

bool StructuralMatcher::bindStorages(const Storage* a, const Storage* b) {
    if (a->dtype != b->dtype || (withNames_ && a->name != b->name))
        return false;
    identity_ = identity_ && a == b;
    auto known = storages_.find(a);
    if (known != storages_.end()) {
        if (known->second == b)
            return true;
        reverseStorages_.erase(known->second);
        equalPairs_.clear();
    }
    storages_[a] = b;
    reverseStorages_[b] = a;
    return true;
}

bool StructuralMatcher::matches(const Storage* a, const Storage* b, bool bindFree) {
    auto known = storages_.find(a);
    if (known != storages_.end())
        return known->second == b;
    if (reverseStorages_.contains(b))
        return false;
    return bindFree ? bindStorages(a, b) : a == b;
}

bool StructuralMatcher::equalVars(const Expr& a, const Expr& b, bool bindFree) {
    auto known = vars_.find(a.get());
    if (known != vars_.end())
        return known->second.same(b);
    if (reverseVars_.contains(b.get()))
        return false;
    return bindFree ? bindVars(a, b) : a.same(b);
}

bool StructuralMatcher::equal(const Expr& a, const Expr& b, bool bindFree) {
    if (!a || !b)
        return !a && !b;
    if (a->kind != b->kind || a->dtype != b->dtype || a->args.size() != b->args.size() ||
        a->intrinsic != b->intrinsic || a->masked != b->masked)
        return false;
    switch (a->kind) {
    case ExprKind::IntImm:
        return a->intValue == b->intValue;
    case ExprKind::FloatImm:
        return std::bit_cast<uint64_t>(a->floatValue) == std::bit_cast<uint64_t>(b->floatValue);
    case ExprKind::Var:
        return equalVars(a, b, bindFree);
    case ExprKind::Load:
        if (!matches(a->storage.get(), b->storage.get(), bindFree))
            return false;
        break;
    default:
        break;
    }
    if (a->depth != b->depth)
        return false;
    if (a.same(b) && identity_ && !bindFree)
        return true;
    if (equalPairs_.contains({a.get(), b.get()}))
        return true;
    for (size_t i = 0; i < a->args.size(); ++i)
        if (!equal(a->args[i], b->args[i], bindFree))
            return false;
    equalPairs_.insert({a.get(), b.get()});
    return true;
}

bool structurallyEqual(const Expr& a, const Expr& b, VarMap* vars, bool bindFree) {
    if (vars == nullptr && a.same(b))
        return true;
    StructuralMatcher matcher;
    if (vars != nullptr)
        matcher.setVars(*vars);
    bool result = matcher.equal(a, b, bindFree);
    if (vars != nullptr && bindFree)
        *vars = matcher.vars();
    return result;
}

namespace {

class ExprHasher {
public:
    explicit ExprHasher(std::unordered_map<const void*, uint64_t>& numbering) : numbering_(numbering) {}

    Hash128 hash(const Expr& expr) {
        if (!expr)
            return {};
        auto known = known_.find(expr.get());
        if (known != known_.end())
            return known->second;
        Hasher hasher;
        const ExprNode& node = *expr;
        hasher.add((static_cast<uint64_t>(node.kind) << 32) | (static_cast<uint64_t>(node.intrinsic) << 8) |
                   static_cast<uint64_t>(node.masked));
        hasher.add((static_cast<uint64_t>(node.dtype.code) << 32) | (static_cast<uint64_t>(node.dtype.bits) << 16) |
                   node.dtype.lanes);
        if (node.kind == ExprKind::IntImm)
            hasher.add(static_cast<uint64_t>(node.intValue));
        if (node.kind == ExprKind::FloatImm)
            hasher.add(std::bit_cast<uint64_t>(node.floatValue));
        if (node.kind == ExprKind::Var) {
            hasher.add(number(&node));
            hasher.add(static_cast<uint64_t>(node.lower));
            hasher.add(static_cast<uint64_t>(node.upper));
        }
        if (node.kind == ExprKind::Load)
            hasher.add(number(node.storage.get()));
        hasher.add(node.args.size());
        for (const Expr& arg : node.args)
            hasher.add(hash(arg));
        Hash128 result = hasher.finish();
        known_.emplace(expr.get(), result);
        return result;
    }

private:
    uint64_t number(const void* object) { return numbering_.try_emplace(object, numbering_.size()).first->second; }

    std::unordered_map<const void*, uint64_t>& numbering_;
    std::unordered_map<const ExprNode*, Hash128> known_;
};

} // namespace

void hashInto(Hasher& hasher, const Expr& expr, std::unordered_map<const void*, uint64_t>& numbering) {
    hasher.add(ExprHasher(numbering).hash(expr));
}

} // namespace lathe::arith
