// SPDX-License-Identifier: Apache-2.0
//
// Constants, and what the Builder knows of values: elements, symbols bound to elements, types.
#include "relay/builder.h"

#include "arith/analysis.h"
#include "base/limits.h"
#include "relay/builder_state.h"
#include "relay/element.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::relay {

Var Builder::constant(ConstantPtr constant) {
    if (failed())
        return {};
    state_->budget->checkpoint();
    Type type = constant->type;
    Var var = state_->bind(ConstantRef{constant}, std::move(type));
    state_->at(var).constant = std::move(constant);
    return var;
}

Var Builder::scalar(double value, DataType dtype) {
    return constant(makeSplat(dtype, {}, value));
}

Var Builder::scalarInt(int64_t value, DataType dtype) {
    return constant(dtype.isFloat() ? makeSplat(dtype, {}, static_cast<double>(value))
                                    : constantFrom(dtype, {}, {Expr(value)}));
}

namespace {

/// A tensor int64[1] that holds the value of a dim expression: the shape of a tensor that nobody computes.
Var dimValue(Builder& builder, const Expr& dim) {
    Var nothing = builder.scalar(0, types::Bool);
    return builder.call(
        Op::ShapeOf,
        {builder.call(Op::Full, {nothing}, attrsWith<BroadcastAttrs>([&](BroadcastAttrs& a) { a.shape = {dim}; }))});
}

Var elementValue(Builder& builder, const Expr& element) {
    if (std::optional<int64_t> value = arith::asInt(element))
        return builder.constant(constantFrom(types::Int64, {Expr(1)}, {Expr(*value)}));
    arith::Interval range = arith::bounds(element);
    if (range.lower >= 0)
        return dimValue(builder, element);
    if (range.lower > -limits::tensorElements) {
        Var shifted = dimValue(builder, arith::simplify(element + Expr(-range.lower)));
        return builder.call(Op::Add, {shifted, builder.scalarInt(range.lower)});
    }
    Expr zero(0);
    Var positive = dimValue(builder, arith::max(element, zero)),
        negative = dimValue(builder, arith::max(zero - element, zero));
    return builder.call(Op::Subtract, {positive, negative});
}

} // namespace

Var Builder::fromExprs(const std::vector<Expr>& elements) {
    if (failed())
        return {};
    std::vector<Expr> simple;
    for (const Expr& element : elements)
        simple.push_back(arith::simplify(element));
    auto count = static_cast<int64_t>(simple.size());
    if (ConstantPtr folded = constantFrom(types::Int64, {Expr(count)}, simple))
        return constant(folded);
    // A row of dims is the shape of one tensor; anything else is put together.
    int64_t constants = 1;
    bool dims = count <= limits::tensorRank;
    for (const Expr& element : simple) {
        int64_t value = arith::asInt(element).value_or(1);
        dims = dims && arith::bounds(element).lower >= 0 && value < 1 << 20 &&
               (constants *= std::max<int64_t>(value, 1)) < 1 << 20;
    }
    if (dims) {
        Var nothing = scalar(0, types::Bool);
        return call(Op::ShapeOf, {call(Op::Full, {nothing},
                                       attrsWith<BroadcastAttrs>([&](BroadcastAttrs& a) { a.shape = simple; }))});
    }
    std::vector<Var> parts;
    for (const Expr& element : simple)
        parts.push_back(elementValue(*this, element));
    return parts.size() == 1 ? parts[0] : call(Op::Concat, parts, AxisAttrs{});
}

Var Builder::scalarOf(const Expr& element) {
    if (failed())
        return {};
    Expr simple = arith::simplify(element);
    if (std::optional<int64_t> value = arith::asInt(simple))
        return scalarInt(*value);
    return call(Op::Reshape, {elementValue(*this, simple)}, ReshapeAttrs{});
}

const Type& Builder::type(Var var) const {
    static const Type afterError = tensorType(types::Float32, {});
    if (!var && failed())
        return afterError;
    return state_->at(var).type;
}

const TensorType& Builder::tensor(Var var) const {
    const TensorType* tensor = asTensor(type(var));
    LATHE_ASSERT(tensor, fmt::format("{} is no tensor", toString(type(var))));
    return *tensor;
}

bool Builder::isTensor(Var var) const {
    return asTensor(type(var)) != nullptr;
}
std::vector<Expr> Builder::shape(Var var) const {
    return tensor(var).shape;
}
int Builder::rank(Var var) const {
    return static_cast<int>(tensor(var).shape.size());
}
DataType Builder::dtype(Var var) const {
    return tensor(var).dtype;
}

const KnownValue* Builder::known(Var var) const {
    if (!var)
        return nullptr;
    VarInfo& info = state_->at(var);
    if (!info.known && isKnowable(info.constant))
        if (std::optional<std::vector<Expr>> elements = elementsOf(*info.constant, limits::knownValueElements))
            info.known = std::make_shared<KnownValue>(std::move(*elements));
    return info.known.get();
}

std::vector<Expr> Builder::symbolic(Var var, const std::string& nameHint) {
    if (failed())
        return {};
    if (const KnownValue* elements = known(var)) {
        if (dtype(var).isFloat()) {
            fail(fmt::format("'{}' is {}, not integers", nameHint, toString(dtype(var))));
            return {};
        }
        return *elements;
    }
    if (!isTensor(var) || !(dtype(var).isInt() || dtype(var).isBool())) {
        fail(fmt::format("'{}' is {}, not a tensor of integers", nameHint, toString(type(var))));
        return {};
    }
    std::optional<std::vector<int64_t>> dims = constantShape(shape(var));
    int64_t count = 1;
    if (dims)
        for (int64_t dim : *dims)
            count = std::min<int64_t>(count, limits::knownValueElements + 1) *
                    std::min<int64_t>(dim, limits::knownValueElements + 1);
    if (!dims || count > limits::knownValueElements) {
        fail(fmt::format("the result depends on '{}', of which {} elements would have to be known", nameHint,
                         toString(type(var))),
             "", ErrorKind::Unsupported);
        return {};
    }
    constexpr int64_t least = std::numeric_limits<int64_t>::min(), greatest = std::numeric_limits<int64_t>::max();
    DataType element = dtype(var);
    int64_t upper = element.isBool()     ? 1
                    : element.bits >= 64 ? greatest
                                         : (int64_t{1} << (element.bits - element.isSigned())) - 1;
    int64_t lower = !element.isSigned() ? 0 : element.bits >= 64 ? least : -upper - 1;
    std::vector<Expr> symbols;
    for (int64_t i = 0; i < count; ++i)
        symbols.push_back(state_->freshSymbol(count == 1 ? nameHint : fmt::format("{}{}", nameHint, i), lower, upper));
    if (!call(Op::BindSymbols, {var}, attrsWith<BindSymbolsAttrs>([&](BindSymbolsAttrs& a) { a.symbols = symbols; })))
        return {};
    state_->learn(var, std::make_shared<KnownValue>(symbols));
    return symbols;
}

std::optional<std::vector<int64_t>> Builder::knownInts(Var var) const {
    const KnownValue* elements = failed() ? nullptr : known(var);
    if (!elements)
        return std::nullopt;
    std::vector<int64_t> result;
    for (const Expr& element : *elements) {
        std::optional<int64_t> value = arith::asInt(element);
        if (!value)
            return std::nullopt;
        result.push_back(*value);
    }
    return result;
}

std::optional<std::vector<double>> Builder::knownFloats(Var var) const {
    const KnownValue* elements = failed() ? nullptr : known(var);
    if (!elements)
        return std::nullopt;
    std::vector<double> result;
    for (const Expr& element : *elements) {
        std::optional<double> value = arith::asFloat(element);
        if (!value)
            return std::nullopt;
        result.push_back(*value);
    }
    return result;
}

ConstantPtr Builder::constantOf(Var var) const {
    return var ? state_->at(var).constant : nullptr;
}

} // namespace lathe::relay
