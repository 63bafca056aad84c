// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/memory.h"

#include "frontend/common/scatter.h"
#include "frontend/torch/invoke.h"
#include "frontend/torch/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

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

/// Views of all elements in the same order, whatever the strides; those that are a copy where a view would not do are views.h's.
constexpr auto reshaping = std::to_array<std::string_view>({
    "aten._unsafe_view.default",
    "aten.alias.default",
    "aten.detach.default",
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

/// Views that may see an element at several places.
constexpr auto repeating = std::to_array<std::string_view>({
    "aten.as_strided.default",
    "aten.broadcast_tensors.default",
    "aten.broadcast_to.default",
    "aten.expand.default",
    "aten.expand_as.default",
    "aten.meshgrid.default",
    "aten.meshgrid.indexing",
    "aten.unfold.default",
});

bool isViewAmong(std::span<const std::string_view> names, std::string_view name) {
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
    const std::optional<Place> uncertain = places_[of].uncertain;
    return add({.whole = all,
                .parent = of,
                .op = &op,
                .arguments = std::move(arguments),
                .self = self,
                .result = result,
                .uncertain = uncertain,
                .now = value,
                .version = places_[all].version});
}

Memory::Place Memory::makePerhaps(std::span<const Place> of, Var value) {
    const Place all = whole(of.front());
    std::vector<std::pair<Place, int64_t>> others;
    for (const Place one : of)
        others.emplace_back(whole(one), places_[whole(one)].version);
    return add({.whole = all,
                .parent = of.front(),
                .arguments = {},
                .isUncertain = true,
                .others = std::move(others),
                .uncertain = static_cast<Place>(places_.size()),
                .now = value,
                .version = places_[all].version});
}

Memory::Contents Memory::contents() const {
    Contents contents;
    for (const Seen& seen : places_)
        contents.now.emplace_back(seen.now, seen.version);
    return contents;
}

void Memory::restore(const Contents& contents) {
    places_.resize(contents.now.size());
    for (size_t i = 0; i < places_.size(); ++i)
        std::tie(places_[i].now, places_[i].version) = contents.now[i];
}

std::vector<Memory::Place> Memory::changedSince(const Contents& contents) const {
    std::vector<Place> changed;
    for (Place i = 0; i < contents.now.size(); ++i)
        if (places_[i].parent == i && places_[i].version != contents.now[i].second)
            changed.push_back(i);
    return changed;
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
    for (std::optional<Place> at = places_[place].uncertain; at; at = places_[places_[*at].parent].uncertain)
        for (const auto& [other, then] : places_[*at].others)
            if (places_[other].version != then) {
                refuseUncertain();
                return {};
            }
    std::vector<Place> stale;
    const int64_t version = places_[places_[place].whole].version;
    for (Place at = place; places_[at].version != version; at = places_[at].parent)
        stale.push_back(at);
    for (size_t i = stale.size(); i > 0 && !b_.failed(); --i) {
        Seen& seen = places_[stale[i - 1]];
        seen.now = viewed(seen, places_[seen.parent].now);
        seen.version = version;
    }
    return b_.failed() ? Var{} : places_[place].now;
}

void Memory::assign(Place place, Var value) {
    std::vector<Place> views; // from the tensor to the whole
    for (; places_[place].parent != place; place = places_[place].parent) {
        if (places_[place].isUncertain)
            return refuseUncertain();
        views.push_back(place);
    }
    // Through a view that repeats elements, only those that are seen through all further views may change.
    const auto repeats = std::find_if(views.rbegin(), views.rend(),
                                      [&](Place at) { return isViewAmong(repeating, places_[at].op->schema.name); });
    const auto together = static_cast<size_t>(views.rend() - repeats);
    if (together > 0)
        value = scattered({views.data(), together}, value);
    for (size_t i = together; i < views.size() && !b_.failed(); ++i) {
        const Var parent = read(places_[views[i]].parent);
        value = b_.failed() ? Var{} : putBack(views[i], parent, value);
    }
    Seen& all = places_[place];
    all.now = value;
    ++all.version;
}

Var Memory::putBack(Place place, Var parent, Var value) {
    const Seen& seen = places_[place];
    const Schema& schema = seen.op->schema;
    const std::string_view name = schema.name;
    if (isReshape(schema) || isConversion(schema) || isViewAmong(reshaping, name))
        return reshape(b_, value, b_.shape(parent));
    if (isViewAmong(twofold, name))
        return viewed(seen, value);
    const auto* inverse = std::ranges::find(inverses, name, &Inverse::view);
    const Operator* scatter = inverse == inverses.end() ? nullptr : findOperator(inverse->scatter);
    if (!scatter)
        return scattered({&place, 1}, value);
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

/// Through any views: seen through them, the numbers of the elements say which they see.
Var Memory::scattered(std::span<const Place> views, Var value) {
    const Var parent = read(places_[views.back()].parent);
    if (b_.failed())
        return {};
    const Dims shape = b_.shape(parent);
    const Expr count = product(shape), seen = product(b_.shape(value));
    Var numbers = reshape(b_, iota(b_, {count}, 0, types::Int64), shape);
    for (size_t i = views.size(); i > 0; --i)
        numbers = viewed(places_[views[i - 1]], numbers);
    const Var flat = reshape(b_, parent, {count}), updates = reshape(b_, value, {seen});
    return reshape(b_, scatter(b_, Op::ScatterElements, flat, reshape(b_, numbers, {seen}), updates, "none"), shape);
}

} // namespace lathe::frontend::torch
