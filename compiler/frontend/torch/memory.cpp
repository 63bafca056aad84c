// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/memory.h"

#include "frontend/common/scatter.h"
#include "frontend/torch/invoke.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lathe::frontend::torch {
namespace {

/// Views with the operator that gives the viewed tensor with other elements where they see it, arguments by the same names.
struct Inverse {
    std::string_view view, scatter;
};
constexpr auto inverses = std::to_array<Inverse>({
    {"aten.diagonal.default", "aten.diagonal_scatter.default"},
    {"aten.select.int", "aten.select_scatter.default"},
    {"aten.slice.Tensor", "aten.slice_scatter.default"},
});

/// Views of all elements in the same order.
constexpr auto reshaping = std::to_array<std::string_view>({
    "aten._unsafe_view.default",
    "aten.alias.default",
    "aten.contiguous.default",
    "aten.detach.default",
    "aten.flatten.using_ints",
    "aten.ravel.default",
    "aten.reshape.default",
    "aten.reshape_as.default",
    "aten.squeeze.default",
    "aten.squeeze.dim",
    "aten.squeeze.dims",
    "aten.unflatten.int",
    "aten.unsqueeze.default",
    "aten.view.default",
    "aten.view_as.default",
});

/// Views that, taken twice, give the tensor again.
constexpr auto twofold = std::to_array<std::string_view>({
    "aten.mT.default",
    "aten.numpy_T.default",
    "aten.swapaxes.default",
    "aten.swapdims.default",
    "aten.t.default",
    "aten.transpose.int",
});

bool isAmong(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

} // namespace

Memory::Place Memory::add(Seen seen) {
    places_.push_back(std::move(seen));
    return static_cast<Place>(places_.size() - 1);
}

Memory::Place Memory::make(Var value) {
    const auto own = static_cast<Place>(places_.size());
    Seen seen{.whole = own, .parent = own, .arguments = {}, .now = value};
    return add(std::move(seen));
}

Memory::Place Memory::makeView(Place of, const Operator& op, List arguments, size_t self, size_t result, Var value) {
    const Place all = whole(of);
    return add({.whole = all,
                .parent = of,
                .op = &op,
                .arguments = std::move(arguments),
                .self = self,
                .result = result,
                .now = value,
                .version = places_[all].version});
}

Memory::Place Memory::makePerhaps(Place of, Var value) {
    const Place all = whole(of);
    return add({.whole = all,
                .parent = of,
                .arguments = {},
                .isUncertain = true,
                .now = value,
                .version = places_[all].version});
}

void Memory::refuseUncertain() {
    b_.fail("a tensor is assigned to that another one may share its elements with or not, as it lies in memory",
            "clone() the tensor in the program before it is assigned to", ErrorKind::Unsupported);
}

Var Memory::viewed(const Seen& seen, Var parent) {
    List arguments = seen.arguments;
    arguments[seen.self] = parent;
    List results = invoke(*seen.op, std::move(arguments), randomCalls_, b_);
    if (results.size() == 1 && results[0].as<List>())
        results = *results[0].as<List>();
    const Var* found = seen.result < results.size() ? results[seen.result].as<Var>() : nullptr;
    return found ? *found : Var{};
}

Var Memory::read(Place place) {
    // Parents first, without recursion: a program may view a view any number of times.
    std::vector<Place> stale;
    const int64_t version = places_[places_[place].whole].version;
    for (Place at = place; places_[at].version != version; at = places_[at].parent)
        stale.push_back(at);
    for (size_t i = stale.size(); i > 0 && !b_.failed(); --i) {
        Seen& seen = places_[stale[i - 1]];
        if (seen.isUncertain) {
            refuseUncertain();
            break;
        }
        seen.now = viewed(seen, places_[seen.parent].now);
        seen.version = version;
    }
    return b_.failed() ? Var{} : places_[place].now;
}

void Memory::assign(Place place, Var value) {
    while (!b_.failed() && places_[place].parent != place) {
        if (places_[place].isUncertain)
            return refuseUncertain();
        const Var parent = read(places_[place].parent);
        value = b_.failed() ? Var{} : putBack(places_[place], parent, value);
        place = places_[place].parent;
    }
    Seen& all = places_[place];
    all.now = value;
    ++all.version;
}

Var Memory::putBack(const Seen& seen, Var parent, Var value) {
    const std::string_view name = seen.op->schema.name;
    if (isAmong(reshaping, name))
        return reshape(b_, value, b_.shape(parent));
    if (isAmong(twofold, name))
        return viewed(seen, value);
    const auto* inverse = std::ranges::find(inverses, name, &Inverse::view);
    const Operator* scatter = inverse == inverses.end() ? nullptr : findOperator(inverse->scatter);
    if (!scatter)
        return scattered(seen, parent, value);
    List arguments;
    for (const SchemaArgument& argument : scatter->schema.arguments) {
        const std::optional<size_t> same = seen.op->schema.find(argument.name);
        arguments.push_back(argument.name == "src" ? TorchValue(value)
                            : same == seen.self    ? TorchValue(parent)
                            : same                 ? seen.arguments[*same]
                                                   : argument.otherwise);
    }
    const List results = invoke(*scatter, std::move(arguments), randomCalls_, b_);
    return results.empty() || !results[0].as<Var>() ? Var{} : *results[0].as<Var>();
}

/// Of any view: seen through it, the numbers of the parent's elements say which it sees.
Var Memory::scattered(const Seen& seen, Var parent, Var value) {
    const Dims shape = b_.shape(parent);
    const Expr count = product(shape);
    const Var numbers = reshape(b_, iota(b_, {count}, 0, types::Int64), shape);
    const Var places = reshape(b_, viewed(seen, numbers), {product(b_.shape(value))});
    const Var flat = reshape(b_, parent, {count});
    const Var updates = reshape(b_, value, {product(b_.shape(value))});
    return reshape(b_, scatter(b_, Op::ScatterElements, flat, places, updates, "none"), shape);
}

} // namespace lathe::frontend::torch
