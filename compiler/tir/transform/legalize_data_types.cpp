// SPDX-License-Identifier: Apache-2.0
//
// See legalize_data_types.h. Every expression of a narrow type has two forms: its float32 value, and its bits, which are
// cheaper where a value is only moved. A conversion by integer arithmetic asks for what it converts many times over: in a store it
// is bound by a Let, else a chain of them would be a tree that no text holds. Not where it reads memory in one side of a select:
// that side may be the one in which the access is none.
#include "tir/transform/legalize_data_types.h"

#include "tir/structure.h"
#include "tir/transform/narrow_bits.h"
#include "tir/visit.h"

#include <algorithm>

namespace lathe::tir {
namespace {

using arith::ExprKind;
using arith::Intrinsic;

bool isNarrow(DataType type) {
    return type.isFloat() && !(type.code == TypeCode::Float && type.bits >= 32);
}

DataType float32Like(const Expr& e) {
    return types::Float32.withLanes(e.dtype().lanes);
}

class Legalizing : public Mutator {
public:
    explicit Legalizing(const Target& target) : target_(target) {}

    Expr mutate(const Expr& root) override {
        memo_.clear();
        return isNarrow(root.dtype()) ? value(root) : other(root);
    }

    Stmt mutate(const Stmt& stmt) override {
        if (!stmt)
            return stmt;
        if (const Store* store = stmt->as<Store>())
            return this->store(*store, stmt);
        if (const Allocate* allocate = stmt->as<Allocate>()) {
            if (isNarrow(allocate->buffer->dtype)) {
                auto wide = std::make_shared<Buffer>(*allocate->buffer);
                wide->dtype = types::Float32;
                wide_[allocate->buffer.get()] = wide;
                return makeStmt(Allocate{wide, mutate(allocate->body)}, stmt->origin);
            }
        }
        if (const Let* let = stmt->as<Let>()) {
            if (isNarrow(let->var.dtype())) {
                Expr wide = mutate(let->value);
                Var var = arith::var(let->var->name, wide.dtype());
                vars_[let->var.get()] = var;
                return makeStmt(Let{var, wide, mutate(let->body)}, stmt->origin);
            }
        }
        if (stmt->as<CallKernel>())
            return stmt; // loads in its arguments stand for addresses
        return descend(stmt);
    }

private:
    const Target& target_;
    std::unordered_map<const arith::Storage*, BufferPtr> wide_;
    arith::VarMap vars_;
    std::unordered_map<const arith::ExprNode*, Expr> memo_;
    std::vector<std::pair<Var, Expr>> lets_; // of the store at hand, in order
    bool inStore_ = false;
    int inSides_ = 0; // of selects and of what stands to the right of a condition

    bool converts(DataType type) const {
        return type.code == TypeCode::Float && type.bits == 16 && target_.hasHalfConversion;
    }

    Expr other(const Expr& e) {
        auto known = memo_.find(e.get());
        if (known != memo_.end())
            return known->second;
        Expr result = computeOther(e);
        memo_[e.get()] = result;
        return result;
    }

    static bool readsMemory(const Expr& e) {
        return e.kind() == ExprKind::Load || std::ranges::any_of(e->args, readsMemory);
    }

    /// The condition first: what it binds, the sides may use.
    template <class Of>
    Expr chosen(const Expr& e, const Of& of) {
        const Expr condition = other(e->args[0]);
        const Expr yes = side([&] { return of(e->args[1]); });
        return arith::select(condition, yes, side([&] { return of(e->args[2]); }));
    }

    /// What `of` gives of one side of a select, which runs only if it is chosen.
    template <class Of>
    Expr side(const Of& of) {
        ++inSides_;
        Expr result = of();
        --inSides_;
        return result;
    }

    /// A value that will be asked for more than once.
    Expr bound(const Expr& value) {
        if (!inStore_ || value.kind() == ExprKind::Var || (inSides_ > 0 && readsMemory(value)))
            return value;
        const Var var = arith::var("converted", value.dtype());
        lets_.emplace_back(var, value);
        return var;
    }

    Expr any(const Expr& e) { return isNarrow(e.dtype()) ? value(e) : other(e); }

    /// An expression that is not narrow itself.
    Expr computeOther(const Expr& e) {
        if (e.kind() == ExprKind::Call && (e->intrinsic == Intrinsic::AddressOf || e->intrinsic == Intrinsic::Prefetch))
            return e;
        if (e.kind() == ExprKind::Call && e->intrinsic == Intrinsic::Reinterpret && isNarrow(e->args[0].dtype()))
            return arith::call(Intrinsic::Reinterpret, {bits(e->args[0])}, e.dtype());
        if (e.kind() == ExprKind::Cast && isNarrow(e->args[0].dtype()))
            return arith::cast(value(e->args[0]), e.dtype());
        if (e.kind() == ExprKind::Call && e->intrinsic == Intrinsic::CastNoSaturate)
            return arith::cast(any(e->args[0]), e.dtype());
        const bool isLazy = e.kind() == ExprKind::Select || e.kind() == ExprKind::And || e.kind() == ExprKind::Or;
        std::vector<Expr> args;
        for (const Expr& arg : e->args)
            args.push_back(isLazy && !args.empty() ? side([&] { return any(arg); }) : any(arg));
        return e->args.empty() ? e : arith::withArgs(e, std::move(args));
    }

    /// The float32 value of a narrow expression.
    Expr value(const Expr& e) {
        auto known = memo_.find(e.get());
        if (known != memo_.end())
            return known->second;
        Expr result = computeValue(e);
        memo_[e.get()] = result;
        return result;
    }

    Expr computeValue(const Expr& e) {
        const DataType wide = float32Like(e);
        switch (e.kind()) {
        case ExprKind::FloatImm:
            return arith::floatImm(e->floatValue, wide);
        case ExprKind::Var: {
            auto found = vars_.find(e.get());
            LATHE_ASSERT(found != vars_.end(), "a narrow variable from outside: " + e->name);
            return found->second;
        }
        case ExprKind::Load: {
            Expr load = loadOf(e);
            if (load.dtype() == wide)
                return load;
            if (converts(e.dtype()))
                return arith::cast(load, wide);
            return widened(arith::call(Intrinsic::Reinterpret, {load}, bitsType(e.dtype())), e.dtype());
        }
        case ExprKind::Cast:
            return rounded(e);
        case ExprKind::Call:
            if (isConversion(e->intrinsic))
                return rounded(e);
            if (e->intrinsic == Intrinsic::Reinterpret)
                return widened(arith::call(Intrinsic::Reinterpret, {other(e->args[0])}, bitsType(e.dtype())),
                               e.dtype());
            break;
        case ExprKind::Select:
            return chosen(e, [&](const Expr& arg) { return value(arg); });
        case ExprKind::Broadcast:
            return arith::broadcast(value(e->args[0]), e.dtype().lanes);
        default:
            break;
        }
        std::vector<Expr> args;
        for (const Expr& arg : e->args)
            args.push_back(any(arg));
        if (e.kind() == ExprKind::Call)
            return arith::call(e->intrinsic, std::move(args), wide);
        return arith::make(e.kind(), std::move(args), wide);
    }

    static bool isConversion(Intrinsic which) {
        return which == Intrinsic::CastNoSaturate || which == Intrinsic::CastE8M0Up || which == Intrinsic::CastE8M0Down;
    }

    Expr rounded(const Expr& e) {
        if (converts(e.dtype()))
            return arith::cast(arith::cast(source(e->args[0]), e.dtype()), float32Like(e));
        return widened(bits(e), e.dtype());
    }

    Expr widened(const Expr& stored, DataType narrow) {
        if (narrow.code == TypeCode::BFloat) // a shift, which asks once
            return narrowToFloat32(stored, narrow);
        return bound(narrowToFloat32(bound(stored), narrow));
    }

    /// A value about to be rounded to a narrow type, as a float32 from which that is exact.
    Expr source(const Expr& e) {
        const DataType from = e.dtype();
        if (isNarrow(from))
            return value(e);
        Expr v = other(e);
        if (from.scalar() == types::Float32)
            return v;
        const bool exact = from.isBool() || (from.isInt() && from.bits <= 16);
        if (exact)
            return arith::cast(v, types::Float32.withLanes(from.lanes));
        return roundToOdd(bound(from.isFloat() ? v : arith::cast(v, types::Float64.withLanes(from.lanes))));
    }

    /// The bits of a narrow expression, of bitsType.
    Expr bits(const Expr& e) {
        const DataType type = e.dtype(), stored = bitsType(type);
        if (e.kind() == ExprKind::Load) {
            Expr load = loadOf(e);
            if (load.dtype().scalar() == type.scalar())
                return arith::call(Intrinsic::Reinterpret, {load}, stored);
        }
        if (e.kind() == ExprKind::FloatImm)
            return arith::intImm(static_cast<int64_t>(floatToBits(e->floatValue, type.scalar(), Overflow::Special)),
                                 stored);
        if (e.kind() == ExprKind::Broadcast)
            return arith::broadcast(bits(e->args[0]), type.lanes);
        if (e.kind() == ExprKind::Select)
            return chosen(e, [&](const Expr& arg) { return bits(arg); });
        if (e.kind() == ExprKind::Call && e->intrinsic == Intrinsic::Reinterpret)
            return arith::call(Intrinsic::Reinterpret, {other(e->args[0])}, stored);
        const bool conversion =
            e.kind() == ExprKind::Cast || (e.kind() == ExprKind::Call && isConversion(e->intrinsic));
        if (!conversion)
            return toBits(value(e), type, Overflow::Saturate, E8M0Rounding::Nearest);
        const Overflow overflow = e.kind() == ExprKind::Call && e->intrinsic == Intrinsic::CastNoSaturate
                                      ? Overflow::Special
                                      : Overflow::Saturate;
        const E8M0Rounding rounding = e->intrinsic == Intrinsic::CastE8M0Up     ? E8M0Rounding::Up
                                      : e->intrinsic == Intrinsic::CastE8M0Down ? E8M0Rounding::Down
                                                                                : E8M0Rounding::Nearest;
        Expr from = source(e->args[0]);
        if (type.code == TypeCode::Float8E8M0 && e->args[0].dtype().scalar() == types::Float64)
            from = arith::cast(other(e->args[0]), float32Like(e)); // its rounding is defined on float32
        return toBits(from, type, overflow, rounding);
    }

    Expr toBits(const Expr& v, DataType type, Overflow overflow, E8M0Rounding rounding) {
        if (converts(type))
            return arith::call(Intrinsic::Reinterpret, {arith::cast(v, type)}, bitsType(type));
        return float32ToNarrow(bound(v), type, overflow, rounding);
    }

    Expr loadOf(const Expr& e) {
        std::vector<Expr> args;
        for (const Expr& arg : e->args)
            args.push_back(other(arg));
        auto found = wide_.find(e->storage.get());
        arith::StoragePtr storage = found == wide_.end() ? e->storage : found->second;
        if (!e->masked)
            return arith::load(storage, std::move(args));
        Expr mask = args.back();
        args.pop_back();
        return arith::loadMasked(storage, std::move(args), mask, storage->dtype.withLanes(e.dtype().lanes));
    }

    Stmt store(const Store& node, const Stmt& stmt) {
        memo_.clear();
        lets_.clear();
        inStore_ = true;
        Stmt result = legalized(node, stmt);
        inStore_ = false;
        for (auto let = lets_.rbegin(); let != lets_.rend(); ++let)
            result = makeStmt(Let{let->first, let->second, result}, stmt->origin);
        return result;
    }

    Stmt legalized(const Store& node, const Stmt& stmt) {
        Store result = node;
        for (Expr& index : result.indices)
            index = other(index);
        if (result.mask)
            result.mask = other(result.mask);
        auto found = wide_.find(node.buffer.get());
        if (found != wide_.end()) {
            result.buffer = found->second;
            result.value = value(node.value);
        } else if (isNarrow(node.value.dtype())) {
            const DataType type = node.value.dtype();
            if (converts(type) && node.value.kind() != ExprKind::Load) {
                Expr from = node.value.kind() == ExprKind::Cast ? source(node.value->args[0]) : value(node.value);
                result.value = arith::cast(from, type);
            } else {
                result.value = arith::call(Intrinsic::Reinterpret, {bits(node.value)}, type);
            }
        } else {
            result.value = other(node.value);
        }
        bool same = result.value.same(node.value) && result.buffer == node.buffer &&
                    (!node.mask || result.mask.same(node.mask));
        for (size_t i = 0; i < node.indices.size(); ++i)
            same = same && result.indices[i].same(node.indices[i]);
        return same ? stmt : makeStmt(std::move(result), stmt->origin);
    }
};

} // namespace

PrimFuncPtr legalizeDataTypes(const PrimFuncPtr& function, const Target& target) {
    return withBody(function, Legalizing(target).mutate(function->body));
}

} // namespace lathe::tir
