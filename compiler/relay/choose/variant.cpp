// SPDX-License-Identifier: Apache-2.0
#include "relay/choose/variant.h"

#include "arith/analysis.h"
#include "relay/choose/channel_blocks.h"
#include "relay/cost.h"
#include "relay/element.h"

#include <algorithm>
#include <cmath>

namespace lathe::relay::choose {
namespace {

/// What a convolution's variants are told apart by. Sizes that are not known count as one.
struct ConvShape {
    double batch = 1, channels = 1, results = 1, height = 1, width = 1,
           window = 1; // of the result; window: all elements
};

double directCycles(const ConvShape& conv, const MachineModel& machine) {
    return conv.batch * conv.results * conv.height * conv.width * conv.channels * conv.window / machine.multiplyAdds() +
           4 * conv.window * conv.channels * conv.results / machine.bytesOfMemory();
}

/// Of an operator that has no estimate of its own: its operations, and its constants, which come from memory. Nothing where
/// sizes are open: then only a decision takes another variant.
double plainCycles(const VariantCall& at) {
    std::vector<Type> args;
    double constants = 0;
    for (const Var arg : at.call.args) {
        args.push_back(arg ? transform::typeOf(at.index, arg) : nullptr);
        if (const ConstantPtr constant = transform::constantOf(at.index, arg); constant && !constant->splat)
            constants += static_cast<double>(bytesOf(*constant));
    }
    const std::optional<double> flops = flopsOf(at.call, args, at.result);
    return flops ? *flops / 2 / at.machine.multiplyAdds() + constants / at.machine.bytesOfMemory() : 0;
}

/// The products and their weights; the transforms' operations (four and a half an element of a tile, fitted); what they
/// write and read again.
template <int64_t m>
double winogradCycles(const ConvShape& conv, const MachineModel& machine) {
    constexpr double a = m + 2;
    const double tiles = conv.batch * std::ceil(conv.height / m) * std::ceil(conv.width / m);
    const double weights = 4 * a * a * conv.channels * conv.results;
    const double moved = 4 * a * a * tiles * (conv.channels + conv.results);
    const double products = a * a * tiles * conv.channels * conv.results / machine.multiplyAdds();
    const double transforms = (a * a * 4.5) * tiles * (conv.channels + conv.results) / machine.lanes(32);
    return products + weights / machine.bytesOfMemory() + transforms + 2 * moved / machine.bytesOfChunks;
}

/// A convolution with constant weights.
struct Convolution {
    const ConvAttrs& attrs;
    const TensorType &operand, &weights, &result;
    ConvShape shape;
};

std::optional<Convolution> convolutionOf(const VariantCall& at) {
    const auto& [call, index, result, machine] = at;
    const ConstantPtr constant = call.op == Op::Conv ? transform::constantOf(index, call.args[1]) : nullptr;
    const TensorType* w = constant && !constant->splat ? asTensor(constant->type) : nullptr;
    const TensorType *x = w ? asTensor(transform::typeOf(index, call.args[0])) : nullptr, *y = asTensor(result);
    if (!x || !y || w->shape.size() != 4)
        return std::nullopt;
    const auto known = [](const Expr& dim) { return static_cast<double>(arith::asInt(dim).value_or(0)); };
    const ConvShape shape{std::max(1.0, known(y->shape[0])),
                          known(w->shape[1]),
                          known(w->shape[0]),
                          known(y->shape[2]),
                          known(y->shape[3]),
                          known(w->shape[2]) * known(w->shape[3])};
    return Convolution{attrs<ConvAttrs>(call.attrs), *x, *w, *y, shape};
}

/// Windows of 3 by 3 elements, one beside the other; channels and results fill vectors. What Winograd's operators compute is
/// float32.
bool appliesWinograd(const VariantCall& call) {
    const std::optional<Convolution> conv = convolutionOf(call);
    if (!conv)
        return false;
    const auto allOnes = [](const std::vector<int64_t>& values) {
        return std::ranges::all_of(values, [](int64_t value) { return value == 1; });
    };
    const auto& [at, x, w, y, shape] = *conv;
    const int64_t lanes = call.machine.target.lanesOf(w.dtype);
    return x.dtype == types::Float32 && w.dtype == types::Float32 && y.dtype == types::Float32 && at.groups == 1 &&
           allOnes(at.strides) && allOnes(at.dilations) && arith::isConst(w.shape[2], 3) &&
           arith::isConst(w.shape[3], 3) && !arith::isConst(y.shape[0], 0) && shape.height >= 1 && shape.width >= 1 &&
           lanes >= 4 && arith::divisible(w.shape[0], lanes) && arith::divisible(w.shape[1], lanes);
}

template <int64_t m>
std::vector<BindingPtr> winograd(const BindingPtr& binding, const Index& index, Module& module) {
    const auto& call = *binding->as<OpCall>();
    const auto& at = attrs<ConvAttrs>(call.attrs);
    WinogradAttrs attrs;
    attrs.tile = m;
    const ConstantPtr weights = transform::computeConstant(module, binding->span, Op::WinogradWeights,
                                                           {transform::constantOf(index, call.args[1])}, attrs);
    LATHE_ASSERT(weights, "what is offered can be computed");
    attrs.before = at.before;
    attrs.after = at.after;
    transform::Maker make(module, binding->span);
    const transform::Maker::Value transformed = make.constant(weights);
    make.call(Op::WinogradConv, {{call.args[0], transform::typeOf(index, call.args[0])}, transformed}, attrs);
    return make.take(binding->var, binding->modelValue);
}

template <int64_t m>
VariantRow winogradRow(std::string name) {
    return {.name = std::move(name),
            .of = Op::Conv,
            .becomes = Op::WinogradConv,
            .applies = appliesWinograd,
            .cycles = [](const VariantCall& at) { return winogradCycles<m>(convolutionOf(at)->shape, at.machine); },
            .rewrite = winograd<m>};
}

const std::vector<VariantRow>& table() {
    static const std::vector<VariantRow> rows = {winogradRow<2>("winograd2"), winogradRow<4>("winograd4")};
    return rows;
}

double cyclesAsItStands(const VariantCall& at) {
    const std::optional<Convolution> conv = convolutionOf(at);
    return conv ? directCycles(conv->shape, at.machine) : plainCycles(at);
}

/// Whether an operand that is wanted in blocks can lie in some.
bool canHaveBlocks(const BlockRequest& request, const VariantCall& at) {
    if (request.operand < 0)
        return true;
    const auto operand = static_cast<size_t>(request.operand), dim = static_cast<size_t>(request.dim);
    const TensorType* type = operand < at.call.args.size() && at.call.args[operand]
                                 ? asTensor(transform::typeOf(at.index, at.call.args[operand]))
                                 : nullptr;
    return type && dim < type->shape.size() && blockWidth(type->shape[dim], type->dtype, at.machine.target) != 0;
}

} // namespace

std::vector<VariantCost> variantsOf(const VariantCall& call, std::span<const VariantRow> added) {
    std::vector<VariantCost> costs;
    for (const std::span<const VariantRow> rows : {std::span<const VariantRow>(table()), added})
        for (const VariantRow& row : rows)
            if (row.of == call.call.op && row.applies(call) && canHaveBlocks(info(row.becomes).layouts.blocks, call))
                costs.push_back({row.name, row.cycles(call)});
    if (!costs.empty())
        costs.insert(costs.begin(), {std::string(asItStands), cyclesAsItStands(call)});
    return costs;
}

std::string_view preferredVariant(const std::vector<VariantCost>& variants) {
    const auto least = std::ranges::min_element(variants, {}, &VariantCost::cycles);
    return least->cycles < 0.9 * variants.front().cycles ? least->name : variants.front().name;
}

std::vector<BindingPtr> rewriteAs(std::string_view variant, const BindingPtr& binding, const Index& index,
                                  Module& module, std::span<const VariantRow> added) {
    if (variant == asItStands)
        return {};
    for (const std::span<const VariantRow> rows : {std::span<const VariantRow>(table()), added})
        if (const auto row = std::ranges::find(rows, variant, &VariantRow::name); row != rows.end())
            return row->rewrite(binding, index, module);
    throw InternalError("there is no such variant");
}

} // namespace lathe::relay::choose
