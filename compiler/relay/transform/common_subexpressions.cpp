// SPDX-License-Identifier: Apache-2.0
//
// Value numbering over the Block list, with a scope a nested Block.
#include "relay/transform/common_subexpressions.h"

#include "relay/attrs.h"
#include "relay/hash.h"
#include "relay/transform/make.h"

#include <unordered_map>

namespace lathe::relay::transform {
namespace {

bool isCandidate(const Binding& binding) {
    if (binding.as<ConstantRef>() || binding.as<Projection>() || binding.as<MakeTuple>())
        return true;
    const OpCall* call = binding.as<OpCall>();
    if (!call || !info(call->op).pure || info(call->op).numerics == Numerics::Random)
        return false;
    switch (call->op) { // may define symbols
    case Op::DynamicSlice:
    case Op::Range:
    case Op::Unique:
    case Op::NonZero:
    case Op::Compress:
    case Op::NonMaxSuppression:
    case Op::ListGet:
    case Op::ListConcat:
    case Op::ListStack:
    case Op::StringSplit:
        return false;
    default:
        return true;
    }
}

bool equal(const Binding& a, const Binding& b) {
    if (a.rhs.index() != b.rhs.index() || !sameType(a.type, b.type))
        return false;
    if (const OpCall* call = a.as<OpCall>()) {
        const OpCall& other = *b.as<OpCall>();
        return call->op == other.op && call->args == other.args && equalAttrs(call->attrs, other.attrs);
    }
    if (const Projection* projection = a.as<Projection>())
        return projection->tuple == b.as<Projection>()->tuple && projection->index == b.as<Projection>()->index;
    if (const MakeTuple* tuple = a.as<MakeTuple>())
        return tuple->fields == b.as<MakeTuple>()->fields;
    return a.as<ConstantRef>()->constant->hash == b.as<ConstantRef>()->constant->hash;
}

/// Equal bindings have equal keys: kind, operator, operands, content of a constant.
uint64_t keyOf(const Binding& binding) {
    Hasher hasher;
    hasher.add(static_cast<uint64_t>(binding.rhs.index()));
    if (const OpCall* call = binding.as<OpCall>())
        hasher.add(static_cast<uint64_t>(call->op));
    if (const Projection* projection = binding.as<Projection>())
        hasher.add(static_cast<uint64_t>(projection->index));
    if (const ConstantRef* reference = binding.as<ConstantRef>())
        hasher.add(reference->constant->hash);
    for (Var operand : operands(binding.rhs))
        hasher.add(static_cast<uint64_t>(operand.id));
    return hasher.finish().low;
}

class Numbering {
public:
    explicit Numbering(model::SpanTable& spans) : spans_(spans) {}

    /// The Block itself if nothing in it changed.
    BlockPtr block(const BlockPtr& before) {
        auto after = std::make_shared<Block>();
        after->bindings.reserve(before->bindings.size());
        std::vector<std::unordered_multimap<uint64_t, Place>::iterator> scope;
        for (const BindingPtr& original : before->bindings) {
            const BindingPtr binding = withOperands(
                original, [&](Var var) { return map_.replaced(var); },
                [&](const BlockPtr& nested) { return block(nested); });
            if (!isCandidate(*binding)) {
                after->bindings.push_back(binding);
                continue;
            }
            const uint64_t key = keyOf(*binding);
            if (const Place* earlier = find(key, *binding)) {
                map_.map[original->var.id] = earlier->binding()->var;
                merge(*earlier, *original);
                continue;
            }
            scope.push_back(seen_.emplace(key, Place{after.get(), after->bindings.size()}));
            after->bindings.push_back(binding);
        }
        after->result = map_.replaced(before->result);
        for (auto entry : scope)
            seen_.erase(entry);
        return after->bindings == before->bindings && after->result == before->result ? before : after;
    }

private:
    /// Where a binding stands in the new Block, which a later equal one may give a wider Span.
    struct Place {
        Block* block;
        size_t at;
        BindingPtr& binding() const { return block->bindings[at]; }
    };
    model::SpanTable& spans_;
    Rewriter map_;
    std::unordered_multimap<uint64_t, Place> seen_;

    void merge(const Place& earlier, const Binding& later) {
        const model::Span span = spans_.join(earlier.binding()->span, later.span);
        const bool named = earlier.binding()->modelValue.empty() && !later.modelValue.empty();
        if (span == earlier.binding()->span && !named)
            return;
        auto copy = std::make_shared<Binding>(*earlier.binding());
        copy->span = span;
        if (named)
            copy->modelValue = later.modelValue;
        earlier.binding() = std::move(copy);
    }

    const Place* find(uint64_t key, const Binding& binding) const {
        auto [first, last] = seen_.equal_range(key);
        for (auto entry = first; entry != last; ++entry)
            if (equal(*entry->second.binding(), binding))
                return &entry->second;
        return nullptr;
    }
};

} // namespace

Module commonSubexpressions(const Module& module) {
    return rewriteBodies(
        module, [](const Function& function, Module& result) { return Numbering(*result.spans).block(function.body); });
}

} // namespace lathe::relay::transform
