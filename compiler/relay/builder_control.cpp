// SPDX-License-Identifier: Apache-2.0
//
// Branches, loops and data types. Types of nested Blocks are joined: what two ways agree on stays, a dim that differs
// becomes a symbol. A loop's body is built again when a carried dim turns out to change.
#include "relay/builder.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/builder_state.h"
#include "relay/data_types.h"
#include "relay/type_map.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lathe::relay {
namespace {

using Symbols = std::unordered_set<const arith::ExprNode*>;
constexpr int wideningRounds = 4;

constexpr const char* rankHint = "a value whose rank depends on data is not supported; make the branches agree";

} // namespace

bool Builder::State::usesAny(const Expr& expr, const Symbols& symbols) const {
    if (symbols.empty() || arith::isConst(expr))
        return false;
    bool found = false;
    arith::visit(expr, [&](const Expr& part) { return !(found = found || symbols.contains(part.get())); });
    return found;
}

Result<Type> Builder::State::join(const Type& a, const Type& b, const Symbols& inner, const std::string& hint,
                                  Symbols* widened) {
    const TypeJoin how{.dim = [&](const Expr& x, const Expr& y) -> Expr {
                           if ((widened && widened->contains(x.get())) ||
                               (!usesAny(x, inner) && (x.same(y) || arith::provablyEqual(x, y))))
                               return x;
                           if (widened) {
                               const Expr fresh = freshSymbol(hint, 0, limits::tensorElements);
                               widened->insert(fresh.get());
                               return fresh;
                           }
                           const arith::Interval p = arith::bounds(x), q = arith::bounds(y);
                           return freshSymbol(hint, std::max<int64_t>(0, std::min(p.lower, q.lower)),
                                              std::min(limits::tensorElements, std::max(p.upper, q.upper)));
                       },
                       .rankHint = rankHint,
                       .hint = rankHint,
                       .keepsLayouts = true};
    const TypeJoin held = joinOfHeld([&](const Expr& dim) {
        return usesAny(dim, inner) || (widened && usesAny(dim, *widened)); // these change from value to value
    });
    return joinedType(a, b, how, held);
}

struct Builder::Branches {
    BlockPtr blocks[2];
    Type types[2];
    std::optional<Diagnostic> faults[2]; // why a branch could not be built
    Symbols inner;
};

bool Builder::mayNest() {
    const bool may = state_->frames.size() <= limits::blockNesting;
    if (!may)
        fail(fmt::format("branches and loops are nested over {} deep", limits::blockNesting), "flatten the model",
             ErrorKind::Unsupported);
    return may;
}

bool Builder::isCondition(Var var) {
    const bool holds = isTensor(var) && dtype(var).isBool() && shape(var).empty();
    if (!holds)
        fail(fmt::format("the condition is {}, not bool[]", toString(type(var))));
    return holds;
}

bool Builder::tried(const std::function<void()>& fn) {
    State& s = *state_;
    if (failed() || !mayNest())
        return false;
    Symbols inner;
    s.open();
    fn();
    s.close({}, inner);
    s.disagreed = false;
    return !std::exchange(s.error, std::nullopt);
}

Builder::Branches Builder::buildBranches(Var condition, const std::function<Var()>& thenFn,
                                         const std::function<Var()>& elseFn, bool both) {
    State& s = *state_;
    Branches built;
    if (!isCondition(condition))
        return built;
    if (!mayNest())
        return built;
    for (size_t side = 0; side < 2; ++side) {
        s.open();
        s.learn(condition, std::make_shared<KnownValue>(1, Expr(side == 0 ? 1 : 0)));
        Var result = side == 0 ? thenFn() : elseFn();
        if (!failed() && !result)
            fail("a branch has no result");
        if (!failed())
            built.types[side] = type(result);
        built.blocks[side] = s.close(result, built.inner);
        if (!failed())
            continue;
        if (both || s.disagreed || built.faults[0])
            return built;
        built.faults[side] = std::exchange(s.error, std::nullopt);
    }
    return built;
}

Var Builder::joinBranches(Var condition, const Branches& branches) {
    State& s = *state_;
    Result<Type> joined = s.join(branches.types[0], branches.types[1], branches.inner, "branch");
    if (!joined) {
        disagree("branches: " + joined.error().what, joined.error().hint);
        return {};
    }
    return s.bind(If{condition, branches.blocks[0], branches.blocks[1]}, *joined);
}

Var Builder::ifElse(Var condition, const std::function<Var()>& thenFn, const std::function<Var()>& elseFn) {
    if (failed())
        return {};
    if (std::optional<std::vector<int64_t>> known = knownInts(condition); known && known->size() == 1)
        return known->front() ? thenFn() : elseFn();
    const Branches built = buildBranches(condition, thenFn, elseFn, true);
    return failed() ? Var{} : joinBranches(condition, built);
}

Var Builder::ifElseOrCheck(Var condition, const std::function<Var()>& thenFn, const std::function<Var()>& elseFn) {
    if (failed())
        return {};
    if (std::optional<std::vector<int64_t>> known = knownInts(condition); known && known->size() == 1)
        return known->front() ? thenFn() : elseFn();
    const Branches built = buildBranches(condition, thenFn, elseFn, false);
    if (failed())
        return {};
    if (!built.faults[0] && !built.faults[1])
        return joinBranches(condition, built);
    const bool taken = built.faults[1].has_value();
    const Diagnostic& fault = *built.faults[taken ? 1 : 0];
    const std::vector<Expr> elements = symbolic(condition, "condition");
    if (failed())
        return {};
    const Expr holds = elements.at(0).dtype().isBool() ? elements.at(0) : arith::ne(elements.at(0), 0);
    const Var result = taken ? thenFn() : elseFn();
    const auto check = [&](Var value) {
        return call(Op::Assume, {value}, attrsWith<AssumeAttrs>([&](AssumeAttrs& a) {
                        a.condition = arith::simplify(taken ? holds : arith::logicalNot(holds));
                        a.message = fmt::format("the condition is {} (otherwise node '{}' fails: {})", taken,
                                                fault.node, fault.what);
                    }));
    };
    if (failed() || isTensor(result))
        return failed() ? Var{} : check(result);
    const TupleType* fields = asTuple(type(result));
    LATHE_ASSERT(fields, "a branch gives tensors or a tuple of them");
    std::vector<Var> values;
    for (size_t i = 0; i < fields->fields.size(); ++i)
        values.push_back(check(project(result, static_cast<int>(i))));
    return tuple(std::move(values));
}

/// The types of a loop's values, as far as they are found.
struct Builder::LoopTypes {
    std::vector<Type> carried; // what the body is built for
    Symbols free;              // dims of these that differ between iterations
    Symbols inner;             // defined in the body, of the last round
};

bool Builder::isLoop(Var tripCount, Var condition) {
    if (!mayNest())
        return false;
    if (condition && !isCondition(condition))
        return false;
    if (tripCount && (!isTensor(tripCount) || !dtype(tripCount).isInt() || !shape(tripCount).empty())) {
        fail(fmt::format("the trip count is {}, not a single integer", toString(type(tripCount))));
        return false;
    }
    return true;
}

std::vector<Type> Builder::buildBody(Loop& loop, LoopTypes& types, const BodyFn& body) {
    State& s = *state_;
    s.open();
    const Type counter = tensorType(types::Int64, {});
    loop.iteration = {s.declare(counter), counter, {}};
    std::vector<Var> carried;
    for (const Type& type : types.carried) {
        carried.push_back(s.declare(type));
        loop.carried.push_back({carried.back(), type, {}});
    }
    std::vector<Var> values = body(loop.iteration.var, carried);
    const size_t expected = (loop.condition ? 1 : 0) + carried.size() + static_cast<size_t>(loop.scans);
    if (!failed() && values.size() != expected)
        fail(fmt::format("the loop's body gives {} values, not {}", values.size(), expected));
    if (failed() || (loop.condition && !isCondition(values[0]))) {
        s.close({}, types.inner);
        return {};
    }
    // A condition that stays true is none, if the trip count ends the loop.
    const auto staysTrue = [&](Var var) {
        const std::optional<std::vector<int64_t>> known = knownInts(var);
        return known && known->size() == 1 && known->front() != 0;
    };
    if (loop.tripCount && loop.condition && staysTrue(loop.condition) && staysTrue(values[0])) {
        values.erase(values.begin());
        loop.condition = {};
    }
    std::vector<Type> valueTypes;
    for (Var value : values)
        valueTypes.push_back(type(value));
    loop.body = s.close(tuple(values), types.inner);
    if (!failed() && loop.condition)
        valueTypes.erase(valueTypes.begin());
    return valueTypes;
}

bool Builder::widen(LoopTypes& types, const std::vector<Type>& values) {
    bool widened = false;
    for (size_t i = 0; i < types.carried.size(); ++i) {
        const Result<Type> joined = state_->join(types.carried[i], values[i], types.inner, "carried", &types.free);
        if (!joined) {
            fail(fmt::format("the loop's carried value {}: {}", i + 1, joined.error().what), joined.error().hint,
                 joined.error().kind);
            return false;
        }
        widened |= !sameType(*joined, types.carried[i]);
        types.carried[i] = *joined;
    }
    return widened;
}

std::vector<Type> Builder::resultsOf(const Loop& loop, const LoopTypes& types, const std::vector<Type>& values) {
    State& s = *state_;
    std::vector<Type> results;
    // What the loop gives is either an initial or a last value: symbols of the carried parameters stay inside.
    Symbols parameters = types.inner;
    parameters.insert(types.free.begin(), types.free.end());
    for (size_t i = 0; i < loop.init.size(); ++i) {
        Result<Type> outer = s.join(type(loop.init[i]), types.carried[i], parameters, "carried");
        if (!outer) {
            fail(outer.error().what, outer.error().hint, outer.error().kind);
            return {};
        }
        results.push_back(*outer);
    }
    const KnownValue* known = loop.tripCount ? this->known(loop.tripCount) : nullptr;
    const Expr trips = known && known->size() == 1 ? known->front() : Expr();
    const auto fresh = [&](const char* hint, const Expr& bounding) {
        const int64_t most = bounding ? arith::bounds(bounding).upper : limits::tensorElements;
        return s.freshSymbol(hint, 0, std::clamp<int64_t>(most, 0, limits::tensorElements));
    };
    Expr rows;
    if (!loop.condition && trips)
        rows = arith::simplify(arith::max(trips, Expr(0)));
    for (size_t i = loop.init.size(); i < values.size(); ++i) {
        const TensorType* element = asTensor(values[i]);
        if (!element) {
            fail(fmt::format("a scan output of {}", toString(values[i])));
            return {};
        }
        if (!rows)
            rows = fresh("trips", trips);
        std::vector<Expr> shape{rows};
        for (const Expr& dim : element->shape)
            shape.push_back(s.usesAny(dim, parameters) ? fresh("scan", dim) : dim);
        results.push_back(tensorType(element->dtype, std::move(shape)));
    }
    return results;
}

Var Builder::loop(Var tripCount, Var condition, const std::vector<Var>& init, int scans, const BodyFn& body) {
    if (failed() || !isLoop(tripCount, condition))
        return {};
    LoopTypes types;
    for (Var var : init)
        types.carried.push_back(type(var));
    for (int round = 0; round < wideningRounds; ++round) {
        types.inner.clear();
        Loop result{tripCount, condition, {}, init, {}, scans, nullptr};
        const std::vector<Type> values = buildBody(result, types, body);
        if (failed())
            return {};
        const bool widened = widen(types, values);
        if (failed())
            return {};
        if (widened)
            continue;
        const Type results = tupleType(resultsOf(result, types, values));
        return failed() ? Var{} : state_->bind(std::move(result), results);
    }
    fail(fmt::format("the shapes of the loop's carried values still change after {} rounds", wideningRounds), {},
         ErrorKind::Unsupported);
    return {};
}

Var Builder::construct(const std::string& dataType, const std::string& constructor, std::vector<Var> args, Type type) {
    if (failed())
        return {};
    std::vector<Type> argTypes;
    for (Var arg : args)
        argTypes.push_back(this->type(arg));
    Result<Type> result = constructedType(state_->module, dataType, constructor, argTypes, type);
    if (!result) {
        fail(result.error().what, result.error().hint, result.error().kind);
        return {};
    }
    Construct value{dataType, constructor, std::move(args)};
    Var var = state_->bind(value, *result);
    state_->at(var).construct = std::make_shared<Construct>(std::move(value));
    return var;
}

Var Builder::match(Var value,
                   const std::function<Var(const std::string& constructor, const std::vector<Var>& fields)>& arm) {
    if (failed())
        return {};
    State& s = *state_;
    if (const auto& known = s.at(value).construct)
        return arm(known->constructor, known->args);
    const auto* reference = std::get_if<DataTypeRef>(&type(value)->value);
    const DataTypeDef* definition = reference ? findDataType(s.module, reference->name) : nullptr;
    if (!definition) {
        fail(fmt::format("{} has no constructors to match", toString(type(value))));
        return {};
    }
    DataTypeRef actual = *reference;
    Symbols inner;
    Match result{value, {}};
    Type joined;
    for (const Constructor& constructor : definition->constructors) {
        s.open();
        MatchArm built{constructor.name, {}, nullptr};
        std::vector<Var> fields;
        for (const Type& held : fieldTypes(*definition, constructor, actual)) {
            const Type field = opened(held, [&] { return s.freshSymbol("element", 0, limits::tensorElements); });
            fields.push_back(s.declare(field));
            built.fields.push_back({fields.back(), field, {}});
        }
        Var given = arm(constructor.name, fields);
        Type armType = failed() ? nullptr : type(given);
        built.block = s.close(given, inner);
        if (failed())
            return {};
        result.arms.push_back(std::move(built));
        if (!joined) {
            joined = armType;
            continue;
        }
        Result<Type> both = s.join(joined, armType, inner, "arm");
        if (!both) {
            fail("arms: " + both.error().what, both.error().hint, both.error().kind);
            return {};
        }
        joined = *both;
    }
    if (!joined) {
        fail(fmt::format("{} has no constructors", actual.name));
        return {};
    }
    return s.bind(std::move(result), std::move(joined));
}

} // namespace lathe::relay
