// SPDX-License-Identifier: Apache-2.0
#include "relay/choose/variant.h"

#include "arith/analysis.h"
#include "relay/choose/channel_blocks.h"

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

std::optional<Convolution> convolutionOf(const OpCall& call, const Index& index, const Type& result) {
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

bool appliesAlways(const Convolution&, const Target&) {
    return true;
}

/// Windows of 3 by 3 elements, one beside the other; channels and results fill vectors. What Winograd's operators compute is
/// float32.
bool appliesWinograd(const Convolution& conv, const Target& target) {
    const auto allOnes = [](const std::vector<int64_t>& values) {
        return std::ranges::all_of(values, [](int64_t value) { return value == 1; });
    };
    const auto& [at, x, w, y, shape] = conv;
    const int64_t lanes = target.lanesOf(w.dtype);
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

struct VariantRow {
    Op of;
    std::string_view name;
    Op becomes; // its operands stand where they stood
    bool (*applies)(const Convolution&, const Target&);
    double (*cycles)(const ConvShape&, const MachineModel&);
    std::vector<BindingPtr> (*rewrite)(const BindingPtr&, const Index&, Module&); // null: as it stands
};

constexpr VariantRow table[] = {
    {Op::Conv, "direct", Op::Conv, appliesAlways, directCycles, nullptr},
    {Op::Conv, "winograd2", Op::WinogradConv, appliesWinograd, winogradCycles<2>, winograd<2>},
    {Op::Conv, "winograd4", Op::WinogradConv, appliesWinograd, winogradCycles<4>, winograd<4>},
};

/// Whether an operand that is wanted in blocks can lie in some.
bool canHaveBlocks(const BlockRequest& request, const OpCall& call, const Index& index, const Target& target) {
    if (request.operand < 0)
        return true;
    const TensorType* type = asTensor(transform::typeOf(index, call.args[static_cast<size_t>(request.operand)]));
    return type && blockWidth(type->shape[static_cast<size_t>(request.dim)], type->dtype, target) != 0;
}

} // namespace

std::vector<VariantCost> variantsOf(const OpCall& call, const Index& index, const Type& result,
                                    const MachineModel& machine) {
    const std::optional<Convolution> conv = convolutionOf(call, index, result);
    if (!conv)
        return {};
    std::vector<VariantCost> costs;
    for (const VariantRow& row : table)
        if (row.of == call.op && row.applies(*conv, machine.target) &&
            canHaveBlocks(info(row.becomes).layouts.blocks, call, index, machine.target))
            costs.push_back({row.name, row.cycles(conv->shape, machine)});
    return costs.size() > 1 ? costs : std::vector<VariantCost>{};
}

std::string_view preferredVariant(const std::vector<VariantCost>& variants) {
    const auto least = std::ranges::min_element(variants, {}, &VariantCost::cycles);
    return least->cycles < 0.9 * variants.front().cycles ? least->name : variants.front().name;
}

std::vector<BindingPtr> rewriteAs(std::string_view variant, const BindingPtr& binding, const Index& index,
                                  Module& module) {
    const auto row = std::ranges::find(table, variant, &VariantRow::name);
    LATHE_ASSERT(row != std::end(table), "there is no such variant");
    return row->rewrite ? row->rewrite(binding, index, module) : std::vector<BindingPtr>{};
}

} // namespace lathe::relay::choose
