// SPDX-License-Identifier: Apache-2.0
#include "relay/choose/channel_blocks.h"

#include "arith/analysis.h"
#include "base/rounding.h"
#include "relay/choose/layout_call.h"

#include <algorithm>
#include <ranges>

namespace lathe::relay::choose {
namespace {

bool sameShape(const TensorType& a, const TensorType& b) {
    return std::ranges::equal(a.shape, b.shape,
                              [](const Expr& x, const Expr& y) { return arith::provablyEqual(x, y); });
}

const Expr& extent(const TensorType& type, int dim) {
    return type.shape[static_cast<size_t>(dim)];
}

/// One value an index of `dim`, as far as that and what is behind it go: what gates and biases of channels are.
bool isFlat(const TensorType& type, int dim) {
    const auto at = static_cast<size_t>(dim);
    return type.shape.size() > at && std::all_of(type.shape.begin() + dim + 1, type.shape.end(),
                                                 [](const Expr& behind) { return arith::isConst(behind, 1); });
}

bool sameExtent(const TensorType& a, const TensorType& b, int dim) {
    return a.shape.size() == b.shape.size() && arith::provablyEqual(extent(a, dim), extent(b, dim));
}

/// Of a value: the dim that is in blocks, and how wide they are.
struct Blocks {
    int dim = -1;
    int64_t width = 0; // 0: none
};

class Choice {
public:
    Choice(const Function& function, const Target& target, const std::map<uint32_t, int64_t>& pinned)
        : index_(function), target_(target), pinned_(pinned) {
        collect(*function.body);
    }

    ChannelBlocks make() {
        for (const LayoutCall& call : calls_)
            if (const Blocks blocks = wantedBlocks(call); blocks.width != 0) {
                wanted_[call.var().id] = blocks;
                if (isMadeFaster(call))
                    faster_.insert(call.var().id);
            }
        for (const LayoutCall& call : calls_ | std::views::reverse)
            if (!pinned_.contains(call.var().id) && !gains(call.var()))
                wanted_.erase(call.var().id);
        ChannelBlocks result;
        for (const LayoutCall& call : calls_) {
            const uint32_t id = call.var().id;
            if (const Blocks* blocks = wanted(call.var())) {
                result.layouts[id] =
                    blocksAlong(asTensor(call.type())->shape.size(), static_cast<size_t>(blocks->dim), blocks->width);
                if (escapes(call.var()))
                    result.escaping.insert(id);
            }
            if (const std::vector<int64_t> offered = offeredTo(call); !offered.empty())
                result.offered[id] = offered;
            if (readsBlocks(call))
                result.readers.insert(id);
        }
        return result;
    }

private:
    void collect(const Block& block) {
        for (const BindingPtr& binding : block.bindings) {
            for (const BlockPtr& nested : blocksOf(binding->rhs))
                collect(*nested);
            if (binding->as<OpCall>())
                calls_.emplace_back(binding, index_);
        }
    }

    /// Of blocks along `dim` by default; 0: the type has none.
    int64_t defaultWidth(const Type& type, int dim) const {
        const TensorType* tensor = asTensor(type);
        if (!tensor || !hasLayouts(tensor->dtype) || tensor->layout || dim < 0 ||
            tensor->shape.size() <= static_cast<size_t>(dim))
            return 0;
        return blockWidth(extent(*tensor, dim), tensor->dtype, target_);
    }

    const Blocks* wanted(Var var) const {
        const auto found = wanted_.find(var.id);
        return found == wanted_.end() ? nullptr : &found->second;
    }
    int64_t widthOf(Var var) const {
        const Blocks* blocks = wanted(var);
        return blocks ? blocks->width : 0;
    }

    /// Widths that a result may be stored in, of what makes blocks if it is to; nothing if it does not, or nobody would read
    /// blocks.
    std::vector<int64_t> offeredTo(const LayoutCall& call) const {
        const MadeBlocks made = call.makes();
        if (made.always || defaultWidth(call.type(), made.dim) == 0 || escapes(call.var()))
            return {};
        const int64_t lanes = target_.lanesOf(asTensor(call.type())->dtype);
        return {0, lanes, 2 * lanes};
    }

    /// The blocks that the result could lie in: those that the call makes, else as its operands do.
    Blocks wantedBlocks(const LayoutCall& call) const {
        const MadeBlocks made = call.makes();
        if (!made.always && escapes(call.var()))
            return {};
        if (made.dim < 0)
            return carriedBlocks(call);
        const int64_t width = defaultWidth(call.type(), made.dim);
        const auto pin = made.always || width == 0 ? pinned_.end() : pinned_.find(call.var().id);
        return {made.dim, pin == pinned_.end() ? width : pin->second};
    }

    Blocks carriedBlocks(const LayoutCall& call) const {
        const std::vector<Var>& args = call.args();
        const auto first =
            static_cast<size_t>(std::ranges::find_if(args, [&](Var arg) { return wanted(arg); }) - args.begin());
        if (first == args.size())
            return {};
        const CarriedBlocks carried = call.carries(first, wanted(args[first])->dim);
        const int64_t width = defaultWidth(call.type(), carried.dim);
        if (width == 0)
            return {};
        switch (carried.way) {
        case Carriage::Elements:
            return {carried.dim, widthOfElements(call, carried.dim, width)};
        case Carriage::Slices: {
            const TensorType &operand = *asTensor(call.argType(first)), &result = *asTensor(call.type());
            return {carried.dim, sameExtent(operand, result, carried.dim) ? widthOf(args[first]) : width};
        }
        case Carriage::Parts:
            return {carried.dim, widthOfParts(call, carried.dim, width)};
        case Carriage::None:
            break;
        }
        return {};
    }

    /// Whether an operand lies in blocks that are the result's along `dim`.
    bool carriesTo(const LayoutCall& call, size_t operand, int dim) const {
        const Blocks* blocks = wanted(call.args()[operand]);
        return blocks && call.carries(operand, blocks->dim).dim == dim;
    }

    /// Of blocks along `dim` of what is computed element by element: as its operands have them, by default where they differ. 0
    /// if one is not in blocks and not flat.
    int64_t widthOfElements(const LayoutCall& call, int dim, int64_t byDefault) const {
        const TensorType& result = *asTensor(call.type());
        int64_t common = 0;
        for (size_t i = 0; i < call.args().size(); ++i) {
            const TensorType* type = asTensor(call.argType(i));
            if (!type)
                return 0;
            const int64_t own = widthOf(call.args()[i]);
            const bool full = sameShape(*type, result);
            if (own != 0
                    ? !carriesTo(call, i, dim) || (!full && !(isFlat(*type, dim) && sameExtent(*type, result, dim)))
                    : full && !isFlat(*type, dim))
                return 0;
            if (full && own != 0)
                common = common == 0 || common == own ? own : byDefault;
        }
        return common;
    }

    /// Of operands one behind the other along `dim`: each begins with a block.
    int64_t widthOfParts(const LayoutCall& call, int dim, int64_t byDefault) const {
        const std::vector<Var>& args = call.args();
        const int64_t first = widthOf(args.front());
        const bool same = std::ranges::all_of(args, [&](Var arg) { return widthOf(arg) == first; });
        const int64_t common = same ? first : byDefault;
        for (size_t i = 0; i < args.size(); ++i)
            if (!carriesTo(call, i, dim) ||
                (i + 1 < args.size() && !arith::divisible(extent(*asTensor(call.argType(i)), dim), common)))
                return 0;
        return common;
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

    /// Operands in blocks as they are, that is. What writes the model's order is slow at that, but for what makes blocks of its
    /// own accord and has whole ones: tiles of whole vectors.
    bool readsBlocks(const LayoutCall& call) const {
        if (wanted(call.var()))
            return true;
        const MadeBlocks made = call.makes();
        const int64_t width = made.always ? 0 : defaultWidth(call.type(), made.dim);
        return width != 0 && arith::divisible(extent(*asTensor(call.type()), made.dim), width);
    }

    /// Windows run along a block, and what is computed of their results element by element is computed where they are.
    bool isMadeFaster(const LayoutCall& call) const {
        if (const MadeBlocks made = call.makes(); made.dim >= 0)
            return made.always;
        for (size_t i = 0; i < call.args().size(); ++i)
            if (const Blocks* blocks = wanted(call.args()[i])) {
                const CarriedBlocks carried = call.carries(i, blocks->dim);
                if (carried.gains || (carried.way == Carriage::Elements && faster_.contains(call.args()[i].id) &&
                                      !isFlat(*asTensor(call.argType(i)), blocks->dim)))
                    return true;
            }
        return false;
    }

    /// Whether it is made faster, or some reader is.
    bool gains(Var var) const {
        return faster_.contains(var.id) || std::ranges::any_of(index_.find(var)->users, [&](const BindingPtr& user) {
                   return user->as<OpCall>() && readsBlocks(LayoutCall(user, index_));
               });
    }

    Index index_;
    const Target& target_;
    const std::map<uint32_t, int64_t>& pinned_;
    std::vector<LayoutCall> calls_; // producers first
    std::map<uint32_t, Blocks> wanted_;
    std::set<uint32_t> faster_; // of these, made faster in blocks
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

} // namespace lathe::relay::choose
