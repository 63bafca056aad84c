// SPDX-License-Identifier: Apache-2.0
//
// One function a spelling; each keeps what it is not sure of.
#include "relay/transform/canonical_calls.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/element.h"
#include "relay/transform/make.h"

#include <algorithm>
#include <cmath>

namespace lathe::relay::transform {
namespace {

using Bindings = std::vector<BindingPtr>;

/// The constant without leading dims of 1; null if it has none, is none, or is too large to be written anew.
ConstantPtr withoutLeadingOnes(const ConstantPtr& constant, Span span, Module& module) {
    if (!constant || constant->recipe || constant->elements() > limits::knownValueElements)
        return nullptr;
    const std::vector<Expr>& shape = asTensor(constant->type)->shape;
    const auto first = std::ranges::find_if(shape, [](const Expr& dim) { return !arith::isConst(dim, 1); });
    if (first == shape.begin())
        return nullptr;
    const ConstantPtr plain =
        computeConstant(module, span, Op::Reshape, {constant},
                        attrsWith<ReshapeAttrs>([&](ReshapeAttrs& a) { a.shape.assign(first, shape.end()); }));
    return plain && !plain->recipe ? plain : nullptr;
}

Bindings twoOperands(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    const TensorType* result = asTensor(binding->type);
    Maker make(module, binding->span);
    std::vector<Maker::Value> args{{call.args[0], typeOf(index, call.args[0])},
                                   {call.args[1], typeOf(index, call.args[1])}};
    bool changed = false;
    for (const size_t at : {0u, 1u}) {
        const TensorType* other = asTensor(args[1 - at].type);
        if (!result || !other || other->shape.size() != result->shape.size())
            continue;
        if (const ConstantPtr plain = withoutLeadingOnes(constantOf(index, args[at].var), binding->span, module)) {
            args[at] = make.constant(plain);
            changed = true;
        }
    }
    if ((call.op == Op::Add || call.op == Op::Multiply) && constantOf(index, call.args[0]) &&
        !constantOf(index, call.args[1])) {
        std::swap(args[0], args[1]);
        changed = true;
    }
    if (!changed)
        return {binding};
    make.call(call.op, args, call.attrs);
    return make.take(binding->var, binding->modelValue);
}

Bindings maximum(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    const Type& x = typeOf(index, call.args[0]);
    const DataType dtype = asTensor(x)->dtype;
    const ConstantPtr bound = constantOf(index, call.args[1]);
    if (!(dtype.isFloat() || (dtype.isInt() && dtype.isSigned())) || !bound || !isSplatOf(*bound, 0) ||
        !sameType(x, binding->type))
        return twoOperands(binding, call, index, module);
    Maker make(module, binding->span);
    make.call(Op::Relu, {{call.args[0], x}});
    return make.take(binding->var, binding->modelValue);
}

Bindings average(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    PoolAttrs at = attrs<PoolAttrs>(call.attrs);
    const auto isNone = [](const Expr& padding) { return arith::provablyEqual(padding, Expr(0)); };
    if (!at.countPadding || !std::ranges::all_of(at.before, isNone) || !std::ranges::all_of(at.after, isNone))
        return {binding};
    at.countPadding = false;
    Maker make(module, binding->span);
    make.call(Op::AvgPool, {{call.args[0], typeOf(index, call.args[0])}}, at);
    return make.take(binding->var, binding->modelValue);
}

/// More than a schedule divides by.
constexpr int64_t mostRepeats = 64;

/// Whether the axis keeps its length or has a whole multiple of it, and the scale, if one is given, is that factor.
bool growsByWhole(const Expr& from, const Expr& to, const double* scale) {
    if (scale)
        return *scale >= 1 && *scale <= mostRepeats && *scale == std::floor(*scale) &&
               arith::provablyEqual(from * Expr(static_cast<int64_t>(*scale)), to);
    const std::optional<int64_t> before = arith::asInt(from), after = arith::asInt(to);
    return arith::provablyEqual(from, to) || (before && after && *before > 0 && *after > 0 && *after % *before == 0);
}

/// Whether result position i shows operand position i / k along each axis, where it grows k times.
bool isRepetition(const OpCall& call, const Index& index) {
    const ResizeAttrs& at = attrs<ResizeAttrs>(call.attrs);
    const bool floors =
        at.nearest == "floor" && (at.coordinate == "asymmetric" || at.coordinate == "tf_half_pixel_for_nn");
    const bool rounds = (at.nearest == "round_prefer_floor" || at.nearest == "round_prefer_ceil") &&
                        (at.coordinate == "half_pixel" || at.coordinate == "half_pixel_symmetric");
    if (at.mode != "nearest" || (!floors && !rounds) ||
        std::any_of(call.args.begin() + 1, call.args.end(), [](Var var) { return static_cast<bool>(var); }))
        return false;
    const std::vector<Expr>& from = asTensor(typeOf(index, call.args[0]))->shape;
    for (size_t axis = 0; axis < from.size(); ++axis)
        if (!growsByWhole(from[axis], at.sizes[axis], at.scales.empty() ? nullptr : &at.scales[axis]))
            return false;
    return true;
}

Bindings resize(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    ResizeAttrs at = attrs<ResizeAttrs>(call.attrs);
    const bool isSo = at.coordinate == "asymmetric" && at.nearest == "floor" && at.scales.empty();
    if (isSo || !isRepetition(call, index))
        return {binding};
    at.coordinate = "asymmetric";
    at.nearest = "floor";
    at.scales.clear();
    Maker make(module, binding->span);
    make.call(Op::Resize, {{call.args[0], typeOf(index, call.args[0])}}, at);
    return make.take(binding->var, binding->modelValue);
}

const OpCall* producer(Var var, Op op, const Index& index) {
    const Index::Entry* entry = index.find(var);
    const OpCall* call = entry && entry->binding ? entry->binding->as<OpCall>() : nullptr;
    return call && call->op == op ? call : nullptr;
}

bool hasShape(Var var, const std::vector<Expr>& shape, const Index& index) {
    const TensorType* type = asTensor(typeOf(index, var));
    return type && std::ranges::equal(type->shape, shape,
                                      [](const Expr& a, const Expr& b) { return arith::provablyEqual(a, b); });
}

/// In a row that are seen through: no model has as many, and a chain of any length takes no longer.
constexpr int mostReshapes = 8;

/// The value of that shape that `var` is, seen through Reshapes; none if there is none.
Var behindReshapes(Var var, const std::vector<Expr>& shape, const Index& index) {
    for (int seen = 0; seen < mostReshapes; ++seen) {
        if (hasShape(var, shape, index))
            return var;
        const OpCall* reshape = producer(var, Op::Reshape, index);
        if (!reshape)
            break;
        var = reshape->args[0];
    }
    return {};
}

/// The axis along which a Tile repeats a dim of 1 alone, a whole number of times.
std::optional<size_t> repeatedOne(const TileAttrs& at, const std::vector<Expr>& shape) {
    std::optional<size_t> axis;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (arith::isConst(at.repeats[i], 1))
            continue;
        if (axis || !arith::isConst(shape[i], 1) || !arith::asInt(at.repeats[i]))
            return std::nullopt;
        axis = i;
    }
    return axis;
}

/// Each element along a spatial axis several times: the axis is given a dim of 1 behind it, which is tiled.
Bindings tile(const BindingPtr& binding, const OpCall& call, const Index& index, Module& module) {
    const TileAttrs& at = attrs<TileAttrs>(call.attrs);
    const DataType dtype = asTensor(binding->type)->dtype;
    std::vector<Expr> shape = asTensor(typeOf(index, call.args[0]))->shape;
    const std::optional<size_t> axis = repeatedOne(at, shape);
    const int64_t factor = axis ? *arith::asInt(at.repeats[*axis]) : 0;
    if (factor < 2 || factor > mostRepeats || *axis < 3 || !(dtype.isFloat() || dtype.isInt()))
        return {binding};
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    Var source = behindReshapes(call.args[0], shape, index);
    if (!source)
        return {binding};
    ResizeAttrs by;
    by.sizes = shape;
    by.sizes[*axis - 1] = arith::simplify(shape[*axis - 1] * Expr(factor));
    by.coordinate = "asymmetric";
    by.nearest = "floor";
    // Along one axis after the other is along both at once.
    if (const OpCall* first = producer(source, Op::Resize, index); first && isRepetition(*first, index))
        source = first->args[0];
    Maker make(module, binding->span);
    const Maker::Value resized = make.call(Op::Resize, {{source, typeOf(index, source)}}, by);
    make.call(Op::Reshape, {resized},
              attrsWith<ReshapeAttrs>([&](ReshapeAttrs& a) { a.shape = asTensor(binding->type)->shape; }));
    return make.take(binding->var, binding->modelValue);
}

} // namespace

std::vector<BindingPtr> respelled(const BindingPtr& binding, const OpCall& call, Rewriter& rewriter, const Index& index,
                                  Module& module) {
    switch (call.op) {
    case Op::Reshape:
        if (const Var same = behindReshapes(call.args[0], asTensor(binding->type)->shape, index)) {
            rewriter.map[binding->var.id] = same;
            return {};
        }
        return {binding};
    case Op::Tile:
        return tile(binding, call, index, module);
    case Op::Maximum:
        return maximum(binding, call, index, module);
    case Op::AvgPool:
        return average(binding, call, index, module);
    case Op::Resize:
        return resize(binding, call, index, module);
    default:
        return info(call.op).fusion == FusionKind::Broadcast && call.args.size() == 2
                   ? twoOperands(binding, call, index, module)
                   : Bindings{binding};
    }
}

} // namespace lathe::relay::transform
