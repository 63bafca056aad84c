// SPDX-License-Identifier: Apache-2.0
#include "relay/taken_integers.h"

#include "arith/expr.h"
#include "relay/attrs.h"
#include "relay/element.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <unordered_map>

namespace lathe::relay {
namespace {

constexpr int64_t any = std::numeric_limits<int64_t>::min();
constexpr int64_t mostElements = 65536; // of a constant that is looked at

using Limit = TakenIntegers::Limit;

/// What is wanted of a value. By default nothing.
struct Wanted {
    int64_t least = any;
    std::vector<Limit> below;

    bool saysAnything() const { return least != any || !below.empty(); }
    /// The limit that is a number; none: INT64_MAX.
    int64_t end() const {
        int64_t end = std::numeric_limits<int64_t>::max();
        for (const Limit& limit : below)
            if (const auto size = arith::asInt(limit.size))
                end = std::min(end, *size + limit.more);
        return end;
    }
    bool takesZero() const { return least <= 0 && end() > 0; }
};

Wanted below(const Expr& size, int64_t more = 0) {
    return {0, {Limit{size, more}}};
}
Wanted atLeast(int64_t least) {
    return {least, {}};
}

/// What both want. Where nothing is both, as of an index that is made positive by a choice between two ways, that which takes
/// zero.
Wanted both(const Wanted& a, const Wanted& b) {
    Wanted all = a;
    all.least = std::max(a.least, b.least);
    for (const Limit& limit : b.below)
        if (std::ranges::none_of(all.below, [&](const Limit& known) {
                return known.more == limit.more && arith::structurallyEqual(known.size, limit.size);
            }))
            all.below.push_back(limit);
    if (all.least < all.end())
        return all;
    return b.takesZero() && !a.takesZero() ? b : a;
}

/// Of a tensor one, of a tuple one a field.
using Fields = std::vector<Wanted>;

/// Goes through a function from its result to its parameters.
class Walk {
public:
    explicit Walk(const Function& main) : index_(main) { block(*main.body, {}); }

    const Wanted* of(Var var) const {
        const auto found = wanted_.find(var.id);
        return found == wanted_.end() || found->second.empty() ? nullptr : &found->second.front();
    }

private:
    const TensorType* typeOf(Var var) const {
        const Index::Entry* entry = index_.find(var);
        return entry ? asTensor(entry->binding ? entry->binding->type : entry->param->type) : nullptr;
    }
    const Binding* bindingOf(Var var) const {
        const Index::Entry* entry = index_.find(var);
        return entry ? entry->binding.get() : nullptr;
    }

    void want(Var var, const Fields& fields) {
        Fields& known = wanted_[var.id];
        known.resize(std::max(known.size(), fields.size()));
        for (size_t i = 0; i < fields.size(); ++i)
            if (fields[i].saysAnything())
                known[i] = known[i].saysAnything() ? both(known[i], fields[i]) : fields[i];
    }
    void want(Var var, const Wanted& wanted) {
        if (var && wanted.saysAnything())
            want(var, Fields{wanted});
    }

    void block(const Block& block, const Fields& wanted) {
        want(block.result, wanted);
        for (const BindingPtr& binding : std::views::reverse(block.bindings)) {
            const auto found = wanted_.find(binding->var.id);
            const Fields own = found == wanted_.end() ? Fields() : found->second;
            std::visit([&](const auto& rhs) { handOn(rhs, own); }, binding->rhs);
        }
    }

    static Wanted field(const Fields& fields, size_t i) { return i < fields.size() ? fields[i] : Wanted(); }

    template <class T>
    void handOn(const T& /*rhs*/, const Fields& /*own*/) {}
    void handOn(const MakeTuple& tuple, const Fields& own) {
        for (size_t i = 0; i < tuple.fields.size(); ++i)
            want(tuple.fields[i], field(own, i));
    }
    void handOn(const Projection& projection, const Fields& own) {
        Fields fields(static_cast<size_t>(projection.index) + 1);
        fields.back() = field(own, 0);
        want(projection.tuple, fields);
    }
    void handOn(const If& branches, const Fields& own) {
        block(*branches.thenBlock, own);
        block(*branches.elseBlock, own);
    }
    void handOn(const Match& match, const Fields& own) {
        for (const MatchArm& arm : match.arms)
            block(*arm.block, own);
    }
    void handOn(const Loop& loop, const Fields& own) {
        Fields results(loop.condition ? 1 : 0);
        results.insert(results.end(), own.begin(), own.end());
        block(*loop.body, results);
        for (size_t i = 0; i < loop.init.size(); ++i) {
            want(loop.init[i], field(own, i)); // if it does not run
            if (const Wanted* carried = of(loop.carried[i].var))
                want(loop.init[i], Wanted(*carried));
        }
        want(loop.tripCount, atLeast(1)); // results of no elements say nothing
    }
    void handOn(const OpCall& call, const Fields& own) {
        use(call);
        if (const Wanted wanted = field(own, 0); wanted.saysAnything())
            handOn(call, wanted);
    }

    /// What an operator itself wants of its operands.
    void use(const OpCall& call) {
        const auto along = [&](int64_t axis, size_t operand = 0) {
            return below(typeOf(call.args[operand])->shape[static_cast<size_t>(axis)]);
        };
        switch (call.op) {
        case Op::Gather:
        case Op::GatherElements:
            return want(call.args[1], along(attrs<AxisAttrs>(call.attrs).axis));
        case Op::ScatterElements:
            return want(call.args[1], along(attrs<ScatterAttrs>(call.attrs).axis));
        case Op::GatherNd:
            return wantPlaces(call, attrs<GatherNdAttrs>(call.attrs).batchDims);
        case Op::ScatterNd:
            return wantPlaces(call, 0);
        case Op::OneHot:
            return want(call.args[0], below(attrs<OneHotAttrs>(call.attrs).depth));
        case Op::RoiAlign:
            return want(call.args[2], along(0));
        case Op::ReverseSequence: {
            Wanted lengths = along(attrs<ReverseAttrs>(call.attrs).timeAxis);
            lengths.least = lengths.below.front().more = 1;
            return want(call.args[1], lengths);
        }
        case Op::Divide:
        case Op::Mod:
            return want(call.args[1], atLeast(1));
        case Op::Range:
            want(call.args[0], below(1)); // 0 to something: of one element at least
            want(call.args[1], atLeast(1));
            return want(call.args[2], atLeast(1));
        case Op::DynamicSlice:
            want(call.args[1], below(1));
            want(call.args[2], atLeast(1));
            return want(call.args[3], atLeast(1));
        case Op::NonMaxSuppression:
            if (call.args.size() > 2)
                want(call.args[2], atLeast(1));
            return;
        case Op::BindSymbols:
            return wantSizes(call);
        case Op::Less:
        case Op::LessEqual:
        case Op::Greater:
        case Op::GreaterEqual:
            wantLength(call.args[0], call.args[1]);
            return wantLength(call.args[1], call.args[0]);
        default:
            return;
        }
    }

    /// Rows of indices, each of which names a place in several dims: less than the least of them.
    void wantPlaces(const OpCall& call, int64_t firstDim) {
        const int64_t depth = arith::asInt(typeOf(call.args[1])->shape.back()).value_or(0);
        for (int64_t i = 0; i < depth; ++i)
            want(call.args[1], below(typeOf(call.args[0])->shape[static_cast<size_t>(firstDim + i)]));
    }

    /// Sizes that data say: the least that they may be, but 1 if they may.
    void wantSizes(const OpCall& call) {
        for (const Expr& symbol : attrs<BindSymbolsAttrs>(call.attrs).symbols)
            if (symbol) {
                const int64_t size = std::max<int64_t>(symbol->lower, 1);
                want(call.args[0], Wanted{size, {Limit{Expr(size + 1), 0}}});
            }
    }

    /// Of lengths that places are compared with: so that there is something before them.
    void wantLength(Var lengths, Var places) {
        if (const Expr count = countOf(places); count && !countOf(lengths))
            want(lengths, Wanted{1, {Limit{count, 1}}});
    }

    /// Of 0, 1, 2 … along a dim: how many there are; else null.
    Expr countOf(Var var) const {
        for (const Binding* binding = bindingOf(var); binding; binding = bindingOf(var)) {
            if (const ConstantRef* constant = binding->as<ConstantRef>())
                return countOf(*constant->constant);
            const OpCall* call = binding->as<OpCall>();
            if (!call)
                return {};
            switch (call->op) {
            case Op::Iota: {
                const IotaAttrs& iota = attrs<IotaAttrs>(call->attrs);
                return iota.shape[static_cast<size_t>(iota.axis)];
            }
            case Op::Range:
                return asTensor(binding->type)->shape.front();
            case Op::Cast:
            case Op::Reshape:
            case Op::Transpose:
            case Op::BroadcastTo:
                var = call->args[0];
                continue;
            default:
                return {};
            }
        }
        return {};
    }
    static Expr countOf(const Constant& constant) {
        const auto elements = elementsOf(constant, mostElements);
        if (!elements || elements->size() < 2 || !asTensor(constant.type)->dtype.isInt())
            return {};
        for (size_t i = 0; i < elements->size(); ++i)
            if (arith::asInt((*elements)[i]) != static_cast<int64_t>(i))
                return {};
        return static_cast<int64_t>(elements->size());
    }

    /// What is wanted of the result is wanted of the operands that its elements are taken from.
    void handOn(const OpCall& call, const Wanted& wanted) {
        const auto each = [&](std::initializer_list<size_t> operands) {
            for (const size_t operand : operands)
                if (operand < call.args.size())
                    want(call.args[operand], wanted);
        };
        switch (call.op) {
        case Op::Cast:
        case Op::Copy:
        case Op::Dropout:
        case Op::Reshape:
        case Op::Transpose:
        case Op::BroadcastTo:
        case Op::Slice:
        case Op::DynamicSlice:
        case Op::Tile:
        case Op::Trilu:
        case Op::Full:
        case Op::Reverse:
        case Op::ReverseSequence:
        case Op::Relayout:
        case Op::Gather:
        case Op::GatherElements:
        case Op::GatherNd:
        case Op::Compress:
        case Op::BindSymbols:
        case Op::Assume:
            return each({0});
        case Op::Pad:
        case Op::Maximum:
        case Op::Minimum:
            return each({0, 1});
        case Op::ScatterElements:
        case Op::ScatterNd:
            return each({0, 2});
        case Op::Where:
            return each({1, 2});
        case Op::Concat:
            for (const Var arg : call.args)
                want(arg, wanted);
            return;
        case Op::Add:
            plus(call.args[0], call.args[1], wanted, 1);
            return plus(call.args[1], call.args[0], wanted, 1);
        case Op::Subtract:
            return plus(call.args[0], call.args[1], wanted, -1);
        default:
            return;
        }
    }

    /// `wanted` of var + sign · constant, if the other one is a constant.
    void plus(Var var, Var other, Wanted wanted, int64_t sign) {
        const Binding* binding = bindingOf(other);
        const ConstantRef* constant = binding ? binding->as<ConstantRef>() : nullptr;
        const auto elements = constant ? elementsOf(*constant->constant, mostElements) : std::nullopt;
        if (!elements || elements->empty() || !asTensor(binding->type)->dtype.isInt())
            return;
        std::vector<int64_t> added;
        for (const Expr& element : *elements)
            added.push_back(sign * arith::asInt(element).value_or(0));
        const auto [least, most] = std::ranges::minmax(added);
        constexpr int64_t far = int64_t{1} << 40; // no index; sums would wrap
        if (least < -far || most > far)
            return;
        if (wanted.least != any)
            wanted.least -= least;
        for (Limit& limit : wanted.below)
            limit.more -= most;
        want(var, wanted);
    }

    Index index_;
    std::unordered_map<uint32_t, Fields> wanted_;
};

} // namespace

std::map<std::string, TakenIntegers> takenIntegers(const Module& module) {
    const Function& main = module.main();
    const Walk walk(main);
    std::map<std::string, TakenIntegers> taken;
    for (const Param& param : inputParams(main)) {
        const TensorType* type = asTensor(param.type);
        const Wanted* wanted = walk.of(param.var);
        if (!type || !type->dtype.isInt() || !wanted || !wanted->saysAnything())
            continue;
        const int64_t least = wanted->takesZero() ? 0 : wanted->least; // zero counts from the start, -1 from the end
        if (least != any && (least != 0 || !wanted->below.empty()))
            taken[param.name] = {least, wanted->below};
    }
    return taken;
}

} // namespace lathe::relay
