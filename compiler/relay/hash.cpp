// SPDX-License-Identifier: Apache-2.0
//
// Hashes of functions: Vars and symbols are numbered in order of occurrence, so names and numbers do not matter.
#include "relay/hash.h"

#include "relay/attr_fields.h"
#include "relay/text.h"

#include <bit>

namespace lathe::relay {
namespace {

class FunctionHasher {
public:
    explicit FunctionHasher(bool contents) : contents_(contents) {}

    void function(const Function& function) {
        params(function.params);
        block(*function.body);
        type(function.resultType);
        hasher_.add(function.primitive);
        for (const StateValue& state : function.states) {
            type(state.initial->type);
            if (contents_)
                hasher_.add(state.initial->hash);
        }
    }
    Hash128 finish() const { return hasher_.finish(); }

private:
    bool contents_;
    Hasher hasher_;
    std::unordered_map<uint32_t, uint64_t> vars_;
    std::unordered_map<const void*, uint64_t> symbols_;

    void var(Var var) { hasher_.add(var ? vars_.try_emplace(var.id, vars_.size() + 1).first->second : 0); }
    void expr(const Expr& expr) {
        hasher_.add(static_cast<bool>(expr));
        if (expr)
            arith::hashInto(hasher_, expr, symbols_);
    }
    void dtype(DataType dtype) { hasher_.add(static_cast<uint64_t>(dtype.code) << 8 | dtype.bits); }
    void layout(const LayoutPtr& layout) {
        hasher_.add(layout ? layout->axes.size() + 1 : 0);
        if (!layout)
            return;
        for (const Layout::Axis& axis : layout->axes) {
            hasher_.add(static_cast<uint64_t>(axis.dim) << 1 | axis.outer);
            hasher_.add(static_cast<uint64_t>(axis.factor));
        }
    }
    void types(const std::vector<Type>& list) {
        hasher_.add(static_cast<uint64_t>(list.size()));
        for (const Type& element : list)
            type(element);
    }
    void type(const Type& value) {
        hasher_.add(value ? value->value.index() + 1 : 0);
        if (const TensorType* tensor = asTensor(value)) {
            dtype(tensor->dtype);
            hasher_.add(static_cast<uint64_t>(tensor->shape.size()));
            for (const Expr& dim : tensor->shape)
                expr(dim);
            layout(tensor->layout);
        } else if (const TupleType* tuple = asTuple(value)) {
            types(tuple->fields);
        } else if (value && std::holds_alternative<FunctionType>(value->value)) {
            const auto& signature = std::get<FunctionType>(value->value);
            types(signature.params);
            type(signature.result);
        } else if (value) {
            const auto& reference = std::get<DataTypeRef>(value->value);
            hasher_.add(reference.name);
            types(reference.args);
        }
    }
    void params(const std::vector<Param>& list) {
        hasher_.add(static_cast<uint64_t>(list.size()));
        for (const Param& param : list) {
            var(param.var);
            type(param.type);
        }
    }
    void attribute(const AttrValue& value) {
        struct {
            FunctionHasher& self;
            void operator()(bool x) { self.hasher_.add(x); }
            void operator()(int64_t x) { self.hasher_.add(static_cast<uint64_t>(x)); }
            void operator()(double x) { self.hasher_.add(std::bit_cast<uint64_t>(x)); }
            void operator()(const std::string& x) { self.hasher_.add(x); }
            void operator()(DataType x) { self.dtype(x); }
            void operator()(const std::vector<int64_t>& x) { self.hasher_.addBytes(std::as_bytes(std::span(x))); }
            void operator()(const std::vector<double>& x) { self.hasher_.addBytes(std::as_bytes(std::span(x))); }
            void operator()(const Expr& x) { self.expr(x); }
            void operator()(const std::vector<Expr>& x) {
                self.hasher_.add(static_cast<uint64_t>(x.size()));
                for (const Expr& element : x)
                    self.expr(element);
            }
            void operator()(const LayoutPtr& x) { self.layout(x); }
        } add{*this};
        std::visit(add, value);
    }
    void block(const Block& block) {
        hasher_.add(static_cast<uint64_t>(block.bindings.size()));
        for (const BindingPtr& binding : block.bindings)
            bind(*binding);
        var(block.result);
    }
    void bind(const Binding& binding) {
        hasher_.add(static_cast<uint64_t>(binding.rhs.index()));
        std::vector<Var> used = operands(binding.rhs);
        hasher_.add(static_cast<uint64_t>(used.size()));
        for (Var operand : used)
            var(operand);
        if (const OpCall* call = binding.as<OpCall>()) {
            hasher_.add(static_cast<uint64_t>(call->op));
            for (Var arg : call->args)
                hasher_.add(static_cast<bool>(arg));
            for (const AttrField& field : fieldsOf(call->attrs))
                attribute(field.value);
        } else if (const FunctionCall* callee = binding.as<FunctionCall>()) {
            hasher_.add(callee->callee);
        } else if (const Projection* projection = binding.as<Projection>()) {
            hasher_.add(static_cast<uint64_t>(projection->index));
        } else if (const ConstantRef* reference = binding.as<ConstantRef>()) {
            if (contents_)
                hasher_.add(reference->constant->hash);
        } else if (const Construct* construct = binding.as<Construct>()) {
            hasher_.add(construct->dataType);
            hasher_.add(construct->constructor);
        } else if (const Match* match = binding.as<Match>()) {
            for (const MatchArm& arm : match->arms) {
                hasher_.add(arm.constructor);
                params(arm.fields);
            }
        } else if (const Loop* loop = binding.as<Loop>()) {
            hasher_.add(static_cast<uint64_t>(loop->scans) << 2 |
                        static_cast<uint64_t>(static_cast<bool>(loop->tripCount)) << 1 |
                        static_cast<uint64_t>(static_cast<bool>(loop->condition)));
            var(loop->iteration.var);
            params(loop->carried);
        } else if (const FunctionLiteral* literal = binding.as<FunctionLiteral>()) {
            params(literal->function->params);
        }
        for (const BlockPtr& nested : blocksOf(binding.rhs))
            block(*nested);
        var(binding.var);
        type(binding.type);
    }
};

} // namespace

Hash128 contentHash(const Function& function) {
    FunctionHasher hasher(true);
    hasher.function(function);
    return hasher.finish();
}

Hash128 structuralHash(const Function& function) {
    FunctionHasher hasher(false);
    hasher.function(function);
    return hasher.finish();
}

} // namespace lathe::relay
