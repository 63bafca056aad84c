// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/strides.h"

#include "frontend/torch/views.h"

#include <algorithm>
#include <array>

namespace lathe::frontend::torch::script {
namespace {

bool isAmong(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

constexpr auto sameDims = std::to_array<std::string_view>({
    "aten.alias.default",
    "aten.chunk.default",
    "aten.contiguous.default",
    "aten.detach.default",
    "aten.narrow.default",
    "aten.split.Tensor",
    "aten.split.sizes",
    "aten.split_with_sizes.default",
    "aten.tensor_split.indices",
    "aten.tensor_split.sections",
    "aten.to.device",
    "aten.to.dtype",
    "aten.to.dtype_layout",
    "aten.to.other",
    "aten.to.prim_Device",
    "aten.type_as.default",
    "aten.unsafe_chunk.default",
    "aten.unsafe_split.Tensor",
});
constexpr auto swapping = std::to_array<std::string_view>({
    "aten.swapaxes.default",
    "aten.swapdims.default",
    "aten.transpose.int",
});
constexpr auto reshaping = std::to_array<std::string_view>({
    "aten._unsafe_view.default",
    "aten.flatten.using_ints",
    "aten.ravel.default",
    "aten.reshape.default",
    "aten.reshape_as.default",
    "aten.unflatten.int",
    "aten.view.default",
    "aten.view_as.default",
});

/// Reads whole numbers of a call's arguments.
class Reader {
public:
    Reader(const Schema& schema, const List& arguments) : schema_(schema), arguments_(arguments) {}

    std::optional<int64_t> integer(std::string_view name) const {
        const std::optional<size_t> at = schema_.find(name);
        const Expr* whole = at ? arguments_[*at].as<Expr>() : nullptr;
        return whole ? arith::asInt(*whole) : std::nullopt;
    }
    std::optional<size_t> axis(std::string_view name, size_t rank) const {
        const std::optional<int64_t> value = integer(name);
        const auto whole = static_cast<int64_t>(rank);
        if (!value || *value < -whole || *value >= whole)
            return std::nullopt;
        return static_cast<size_t>(*value < 0 ? *value + whole : *value);
    }
    std::optional<Ints> integers(std::string_view name) const {
        const std::optional<size_t> at = schema_.find(name);
        const List* list = at ? arguments_[*at].as<List>() : nullptr;
        if (!list)
            return std::nullopt;
        Ints all;
        for (const TorchValue& value : *list) {
            const Expr* whole = value.as<Expr>();
            const std::optional<int64_t> known = whole ? arith::asInt(*whole) : std::nullopt;
            if (!known)
                return std::nullopt;
            all.push_back(*known);
        }
        return all;
    }

private:
    const Schema& schema_;
    const List& arguments_;
};

/// Of a view of other sizes: each dim is cut from, or put together of, dims that lie one behind the other.
std::optional<Ints> reshaped(const Ints& sizes, const Ints& strides, const Ints& wanted) {
    Ints result(wanted.size(), 1);
    if (std::ranges::find(wanted, 0) != wanted.end() || !hasView(sizes, strides, wanted))
        return std::nullopt;
    size_t at = sizes.size();
    int64_t run = 1, next = 1; // elements of the run that are left, and the stride of the next dim
    for (size_t i = wanted.size(); i > 0; --i) {
        if (wanted[i - 1] == 1) {
            result[i - 1] = next;
            continue;
        }
        if (run == 1) {
            while (at > 0 && sizes[at - 1] == 1)
                --at;
            if (at == 0)
                return std::nullopt;
            next = strides[at - 1];
            run = sizes[--at];
            while (at > 0 && (sizes[at - 1] == 1 || strides[at - 1] == next * run))
                run *= sizes[--at];
        }
        result[i - 1] = next;
        if (run % wanted[i - 1] != 0)
            return std::nullopt;
        next *= wanted[i - 1];
        run /= wanted[i - 1];
    }
    return result;
}

std::optional<Ints> permuted(const Ints& strides, const std::optional<Ints>& order) {
    if (!order || order->size() != strides.size())
        return std::nullopt;
    Ints result;
    for (int64_t axis : *order) {
        axis += axis < 0 ? std::ssize(strides) : 0;
        if (axis < 0 || axis >= std::ssize(strides))
            return std::nullopt;
        result.push_back(strides[static_cast<size_t>(axis)]);
    }
    return result;
}

/// Dims of 1 that are left out, or put in: the others keep their strides, in order.
std::optional<Ints> squeezed(const Ints& sizes, const Ints& strides, const Ints& result) {
    Ints all;
    size_t at = 0;
    for (const int64_t size : result) {
        while (at < sizes.size() && sizes[at] == 1 && size != 1)
            ++at;
        if (at < sizes.size() && sizes[at] == size)
            all.push_back(strides[at++]);
        else if (size == 1)
            all.push_back(1);
        else
            return std::nullopt;
    }
    return all;
}

std::optional<Ints> withoutDim(Ints strides, std::optional<size_t> axis) {
    if (!axis)
        return std::nullopt;
    strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(*axis));
    return strides;
}

/// Dims of 1, and new ones in front, that stand for any number of the same elements.
Ints expanded(const Ints& sizes, const Ints& strides, const Ints& result) {
    Ints all(result.size(), 0);
    for (size_t i = 0; i < std::min(sizes.size(), result.size()); ++i)
        if (sizes[sizes.size() - 1 - i] == result[result.size() - 1 - i])
            all[result.size() - 1 - i] = strides[strides.size() - 1 - i];
    return all;
}

} // namespace

std::optional<Ints> knownSizes(const Dims& shape) {
    Ints sizes;
    for (const Expr& dim : shape) {
        const std::optional<int64_t> known = arith::asInt(dim);
        if (!known)
            return std::nullopt;
        sizes.push_back(*known);
    }
    return sizes;
}

std::optional<Ints> contiguous(const Dims& shape) {
    const std::optional<Ints> sizes = knownSizes(shape);
    if (!sizes)
        return std::nullopt;
    Ints strides(sizes->size(), 1);
    for (size_t i = sizes->size(); i > 1; --i)
        strides[i - 2] = strides[i - 1] * std::max<int64_t>((*sizes)[i - 1], 1);
    return strides;
}

bool isContiguous(const Ints& sizes, const Ints& strides) {
    if (sizes.size() != strides.size())
        return false;
    int64_t next = 1;
    for (size_t i = sizes.size(); i > 0; --i) {
        if (sizes[i - 1] != 1 && strides[i - 1] != next)
            return std::ranges::find(sizes, 0) != sizes.end();
        next *= sizes[i - 1];
    }
    return true;
}

std::optional<Ints> viewStrides(const Schema& schema, const List& arguments, const Ints& sizes, const Ints& strides,
                                const Ints& result) {
    const Reader reader(schema, arguments);
    const std::string_view name = schema.name;
    if (isAmong(name, sameDims))
        return strides;
    if (isAmong(name, reshaping))
        return reshaped(sizes, strides, result);
    if (isAmong(name, swapping)) {
        const auto a = reader.axis("dim0", sizes.size()), b = reader.axis("dim1", sizes.size());
        Ints swapped = strides;
        if (!a || !b)
            return std::nullopt;
        std::swap(swapped[*a], swapped[*b]);
        return swapped;
    }
    if (name == "aten.t.default" || name == "aten.numpy_T.default")
        return Ints(strides.rbegin(), strides.rend());
    if (name == "aten.permute.default")
        return permuted(strides, reader.integers("dims"));
    if (name == "aten.select.int" || name == "aten.unbind.int")
        return withoutDim(strides, reader.axis("dim", sizes.size()));
    if (name.starts_with("aten.squeeze.") || name == "aten.unsqueeze.default")
        return squeezed(sizes, strides, result);
    if (name == "aten.expand.default" || name == "aten.expand_as.default" || name == "aten.broadcast_to.default")
        return expanded(sizes, strides, result);
    if (name == "aten.slice.Tensor") {
        const auto axis = reader.axis("dim", sizes.size());
        const auto step = reader.integer("step");
        Ints cut = strides;
        if (!axis || !step)
            return std::nullopt;
        if (result.size() == cut.size() && result[*axis] > 1) // else the step may be of any size
            cut[*axis] *= *step;
        return cut;
    }
    return std::nullopt;
}

} // namespace lathe::frontend::torch::script
