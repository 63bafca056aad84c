// SPDX-License-Identifier: Apache-2.0
#include "relay/choose/variant.h"

#include "arith/analysis.h"

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

std::optional<ConvShape> shapeOf(const OpCall& call, const Index& index, const Type& result, const Target& target) {
    const ConstantPtr weights = call.op == Op::Conv ? transform::constantOf(index, call.args[1]) : nullptr;
    const TensorType* w = weights && !weights->splat ? asTensor(weights->type) : nullptr;
    const TensorType* y = asTensor(result);
    if (!w || !y || w->shape.size() != 4 || w->dtype != types::Float32 || y->dtype != types::Float32)
        return std::nullopt;
    // Without the operand's own word on its channels, it gets no blocks.
    const TensorType* x = asTensor(transform::typeOf(index, call.args[0]));
    if (!x || x->dtype != types::Float32 || !arith::asInt(x->shape[1]))
        return std::nullopt;
    const auto& at = attrs<ConvAttrs>(call.attrs);
    const auto all = [](const std::vector<int64_t>& values) {
        return std::ranges::all_of(values, [](int64_t value) { return value == 1; });
    };
    const auto known = [](const Expr& dim) { return static_cast<double>(arith::asInt(dim).value_or(0)); };
    const ConvShape shape{std::max(1.0, known(y->shape[0])),
                          known(w->shape[1]),
                          known(w->shape[0]),
                          known(y->shape[2]),
                          known(y->shape[3]),
                          known(w->shape[2]) * known(w->shape[3])};
    const int64_t lanes = target.lanesOf(types::Float32);
    if (at.groups != 1 || !all(at.strides) || !all(at.dilations) || !arith::isConst(w->shape[2], 3) ||
        !arith::isConst(w->shape[3], 3) || arith::isConst(y->shape[0], 0) || shape.height < 1 || shape.width < 1 ||
        lanes < 4 || !arith::divisible(w->shape[0], lanes) || !arith::divisible(w->shape[1], lanes))
        return std::nullopt;
    return shape;
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
    std::string_view name;
    double (*cycles)(const ConvShape&, const MachineModel&);
    std::vector<BindingPtr> (*rewrite)(const BindingPtr&, const Index&, Module&); // null: as it stands
};

constexpr VariantRow table[] = {
    {"direct", directCycles, nullptr},
    {"winograd2", winogradCycles<2>, winograd<2>},
    {"winograd4", winogradCycles<4>, winograd<4>},
};

} // namespace

std::vector<VariantCost> variantsOf(const OpCall& call, const Index& index, const Type& result,
                                    const MachineModel& machine) {
    const std::optional<ConvShape> shape = shapeOf(call, index, result, machine.target);
    if (!shape)
        return {};
    std::vector<VariantCost> costs;
    for (const VariantRow& row : table)
        costs.push_back({row.name, row.cycles(*shape, machine)});
    return costs;
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
