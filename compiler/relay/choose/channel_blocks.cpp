// SPDX-License-Identifier: Apache-2.0
#include "relay/choose/channel_blocks.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "relay/attrs.h"
#include "relay/transform/make.h"

#include <algorithm>

namespace lathe::relay::choose {
namespace {

constexpr size_t channelDim = 1;

bool sameShape(const TensorType& a, const TensorType& b) {
    return std::ranges::equal(a.shape, b.shape,
                              [](const Expr& x, const Expr& y) { return arith::provablyEqual(x, y); });
}

/// One value a channel: what gates and biases are.
bool isFlat(const TensorType& type) {
    return type.shape.size() > channelDim && std::all_of(type.shape.begin() + channelDim + 1, type.shape.end(),
                                                         [](const Expr& dim) { return arith::isConst(dim, 1); });
}

bool sameChannels(const TensorType& a, const TensorType& b) {
    return a.shape.size() == b.shape.size() && arith::provablyEqual(a.shape[channelDim], b.shape[channelDim]);
}

/// How a call treats the channels of its operands.
enum class Role { Convolution, Transformed, Depthwise, Pooling, Elementwise, Spatial, Concat, Other };

class Choice {
public:
    Choice(const Function& function, const Target& target, const std::map<uint32_t, int64_t>& pinned)
        : index_(function), target_(target), pinned_(pinned) {
        collect(*function.body);
    }

    ChannelBlocks make() {
        for (const BindingPtr& binding : calls_)
            if (const int64_t width = wantedWidth(*binding)) {
                wanted_[binding->var.id] = width;
                if (isMadeFaster(*binding))
                    faster_.insert(binding->var.id);
            }
        for (size_t i = calls_.size(); i-- > 0;)
            if (!pinned_.contains(calls_[i]->var.id) && !gains(*calls_[i]))
                wanted_.erase(calls_[i]->var.id);
        ChannelBlocks result;
        for (const BindingPtr& binding : calls_) {
            if (wanted_.contains(binding->var.id)) {
                const TensorType& type = *asTensor(binding->type);
                result.layouts[binding->var.id] =
                    blocksAlong(type.shape.size(), channelDim, wanted_.at(binding->var.id));
                if (escapes(binding->var))
                    result.escaping.insert(binding->var.id);
            }
            if (const std::vector<int64_t> offered = offeredTo(*binding); !offered.empty())
                result.offered[binding->var.id] = offered;
            if (readsBlocks(*binding))
                result.readers.insert(binding->var.id);
        }
        return result;
    }

private:
    void collect(const Block& block) {
        for (const BindingPtr& binding : block.bindings) {
            for (const BlockPtr& nested : blocksOf(binding->rhs))
                collect(*nested);
            if (binding->as<OpCall>())
                calls_.push_back(binding);
        }
    }

    /// Of a block of channels by default; 0: the type has none.
    int64_t widthOf(const Type& type) const {
        const TensorType* tensor = asTensor(type);
        if (!tensor || tensor->dtype != types::Float32 || tensor->layout || tensor->shape.size() <= channelDim)
            return 0;
        return blockWidth(tensor->shape[channelDim], tensor->dtype, target_);
    }

    Role roleOf(const OpCall& call) const {
        switch (call.op) {
        case Op::Conv: {
            const ConstantPtr weights = transform::constantOf(index_, call.args[1]);
            const TensorType* type = weights && !weights->splat ? asTensor(weights->type) : nullptr;
            const bool blocked = type && blockWidth(type->shape[0], type->dtype, target_) != 0;
            return blocked && isDenseConvolution(call, *type) ? Role::Convolution
                   : blocked && isDepthwise(call, *type)      ? Role::Depthwise
                                                              : Role::Other;
        }
        case Op::WinogradConv:
            return Role::Transformed;
        case Op::MaxPool:
        case Op::AvgPool:
            return Role::Pooling;
        case Op::Reduce: {
            const auto& axes = attrs<ReduceAttrs>(call.attrs).axes;
            return !axes.empty() && std::ranges::all_of(axes, [](int64_t axis) { return axis > int64_t{channelDim}; })
                       ? Role::Pooling
                       : Role::Other;
        }
        case Op::Resize:
            return Role::Spatial;
        case Op::Concat:
            return attrs<AxisAttrs>(call.attrs).axis == int64_t{channelDim} ? Role::Concat : Role::Other;
        default: {
            const FusionKind kind = info(call.op).fusion;
            return kind == FusionKind::Elementwise || kind == FusionKind::Broadcast ? Role::Elementwise : Role::Other;
        }
        }
    }

    const Type& typeOf(Var var) const { return transform::typeOf(index_, var); }
    bool wanted(Var var) const { return wanted_.contains(var.id); }

    /// Widths that a convolution's result may be stored in; nothing if it is none, or nobody would read blocks.
    std::vector<int64_t> offeredTo(const Binding& binding) const {
        if (roleOf(*binding.as<OpCall>()) != Role::Convolution || widthOf(binding.type) == 0 || escapes(binding.var))
            return {};
        const int64_t lanes = target_.lanesOf(asTensor(binding.type)->dtype);
        return {0, lanes, 2 * lanes};
    }

    /// The width of the blocks that the result could lie in, as its operands do; 0: it could not.
    int64_t wantedWidth(const Binding& binding) const {
        const auto& call = *binding.as<OpCall>();
        const int64_t width = widthOf(binding.type);
        const Role role = roleOf(call);
        if (width == 0 || (role != Role::Transformed && escapes(binding.var)))
            return 0;
        const auto operandWidth = [&](Var arg) {
            const auto found = arg ? wanted_.find(arg.id) : wanted_.end();
            return found == wanted_.end() ? 0 : found->second;
        };
        const auto asOperand = [&](Var arg) {
            return sameChannels(*asTensor(typeOf(arg)), *asTensor(binding.type)) ? operandWidth(arg) : width;
        };
        switch (role) {
        case Role::Transformed:
            return width;
        case Role::Convolution: {
            const auto pin = pinned_.find(binding.var.id);
            return pin == pinned_.end() ? width : pin->second;
        }
        case Role::Depthwise:
        case Role::Pooling:
            return wanted(call.args[0]) ? asOperand(call.args[0]) : 0;
        case Role::Spatial: // each channel for itself, as many of them
            return wanted(call.args[0]) && sameChannels(*asTensor(typeOf(call.args[0])), *asTensor(binding.type))
                       ? operandWidth(call.args[0])
                       : 0;
        case Role::Elementwise: {
            const TensorType& result = *asTensor(binding.type);
            int64_t common = 0;
            for (Var arg : call.args) {
                const TensorType* type = arg ? asTensor(typeOf(arg)) : nullptr;
                if (!type)
                    return 0;
                const bool full = sameShape(*type, result);
                if (wanted(arg) ? !full && !(isFlat(*type) && sameChannels(*type, result)) : full && !isFlat(*type))
                    return 0;
                if (!full || !wanted(arg))
                    continue;
                common = common == 0 || common == operandWidth(arg) ? operandWidth(arg) : width;
            }
            return common;
        }
        case Role::Concat: { // each operand begins with a block
            const int64_t first = operandWidth(call.args.front());
            const bool same = std::ranges::all_of(call.args, [&](Var arg) { return operandWidth(arg) == first; });
            const int64_t common = same ? first : width;
            const bool good = std::ranges::all_of(call.args, [&](const Var& arg) {
                return wanted(arg) && (&arg == &call.args.back() ||
                                       arith::divisible(asTensor(typeOf(arg))->shape[channelDim], common));
            });
            return good ? common : 0;
        }
        case Role::Other:
            return 0;
        }
        return 0;
    }

    /// Used by what is no operator: a block's result, control flow, tuples. Those see the model's order.
    bool escapes(Var var) const {
        const Index::Entry* entry = index_.find(var);
        int operands = 0;
        for (const BindingPtr& user : entry->users)
            if (const auto* call = user->as<OpCall>())
                operands += static_cast<int>(std::ranges::count(call->args, var));
        return entry->uses != operands;
    }

    /// Operands in blocks as they are, that is. What writes the model's order is slow at that, but for a convolution's tiles of
    /// whole vectors.
    bool readsBlocks(const Binding& binding) const {
        return wanted(binding.var) ||
               (roleOf(*binding.as<OpCall>()) == Role::Convolution &&
                arith::divisible(asTensor(binding.type)->shape[channelDim], widthOf(binding.type)));
    }

    /// Windows run along a block, and what is computed of their results element by element is computed where they are.
    bool isMadeFaster(const Binding& binding) const {
        const auto& call = *binding.as<OpCall>();
        const Role role = roleOf(call);
        if (role == Role::Transformed) // by vectors of channels alone
            return true;
        return role == Role::Depthwise || role == Role::Pooling
                   ? wanted(call.args[0])
                   : role == Role::Elementwise && std::ranges::any_of(call.args, [&](Var arg) {
                         return faster_.contains(arg.id) && !isFlat(*asTensor(typeOf(arg)));
                     });
    }

    /// Whether it is made faster, or some reader is.
    bool gains(const Binding& binding) const {
        return faster_.contains(binding.var.id) ||
               std::ranges::any_of(index_.find(binding.var)->users,
                                   [&](const BindingPtr& user) { return user->as<OpCall>() && readsBlocks(*user); });
    }

    Index index_;
    const Target& target_;
    const std::map<uint32_t, int64_t>& pinned_;
    std::vector<BindingPtr> calls_;      // producers first
    std::map<uint32_t, int64_t> wanted_; // and how wide
    std::set<uint32_t> faster_;          // of these, made faster in blocks
};

} // namespace

LayoutPtr ChannelBlocks::of(Var var) const {
    auto it = layouts.find(var.id);
    return it == layouts.end() ? nullptr : it->second;
}

LayoutPtr blocksAlong(size_t rank, size_t dim, int64_t width) {
    auto layout = std::make_shared<Layout>();
    for (size_t axis = 0; axis < rank; ++axis)
        layout->axes.push_back({static_cast<int>(axis), axis == dim ? width : 0, axis == dim});
    layout->axes.push_back({static_cast<int>(dim), width, false});
    return layout;
}

ChannelBlocks chooseChannelBlocks(const Function& function, const Target& target,
                                  const std::map<uint32_t, int64_t>& pinned) {
    return Choice(function, target, pinned).make();
}

int64_t blockWidth(const Expr& extent, DataType dtype, const Target& target) {
    const auto count = arith::asInt(extent);
    const int64_t lanes = target.lanesOf(dtype);
    if (!count || lanes < 2 || *count == 0)
        return 0;
    if (roundUp(*count, lanes) > 2 * *count)
        return 0;
    return roundUp(*count, 2 * lanes) == roundUp(*count, lanes) ? 2 * lanes : lanes;
}

bool isDenseConvolution(const OpCall& call, const TensorType& weights) {
    return call.op == Op::Conv && weights.dtype == types::Float32 && weights.shape.size() >= 3 &&
           attrs<ConvAttrs>(call.attrs).groups == 1;
}

bool isDepthwise(const OpCall& call, const TensorType& weights) {
    return call.op == Op::Conv && weights.dtype == types::Float32 && weights.shape.size() >= 3 &&
           arith::isConst(weights.shape[1], 1) && arith::isConst(weights.shape[0], attrs<ConvAttrs>(call.attrs).groups);
}

} // namespace lathe::relay::choose
