// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::frontend::torch {

Ints perDim(Call& call, const char* name, size_t spatial, const Ints& otherwise) {
    Ints values = call.integers(name);
    if (values.empty())
        values = otherwise;
    if (values.size() == 1)
        values.assign(spatial, values[0]);
    if (call.failed())
        return Ints(spatial, 0);
    if (values.size() != spatial)
        call.fail(fmt::format("argument '{}' has {} entries for {} spatial dims", name, values.size(), spatial));
    else if (std::ranges::any_of(values, [](int64_t value) { return value < 0 || value > mostExtent; }))
        call.fail(fmt::format("argument '{}' is out of range", name));
    return call.failed() ? Ints(spatial, 0) : values;
}

std::optional<Window> windowOf(Call& call, Var x, const WindowAttributes& attributes) {
    if (call.failed())
        return std::nullopt;
    if (!isInRange(attributes)) {
        call.fail("kernel, strides and dilations must be positive");
        return std::nullopt;
    }
    const Dims shape = call.b.shape(x);
    return windowOver({shape.begin() + 2, shape.end()}, attributes);
}

std::vector<Var> batched(Call& call, Var x, size_t spatial, const std::function<std::vector<Var>(Var)>& fn) {
    Builder& b = call.b;
    if (call.failed())
        return {};
    const auto rank = static_cast<size_t>(b.rank(x));
    if (rank == spatial + 2)
        return fn(x);
    if (rank != spatial + 1) {
        call.fail(fmt::format("the operand has rank {} where {} or {} is needed", rank, spatial + 1, spatial + 2));
        return {};
    }
    std::vector<Var> results = fn(unsqueeze(b, x, {0}));
    for (Var& result : results)
        result = squeeze(b, result, {0});
    return results;
}

} // namespace lathe::frontend::torch
