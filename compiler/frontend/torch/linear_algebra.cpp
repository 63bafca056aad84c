// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/linear_algebra.h"

#include <fmt/format.h>

namespace lathe::frontend::torch {

Var matricesOf(Call& call, const char* name) {
    const Var x = call.tensor(name);
    if (call.failed())
        return {};
    Builder& b = call.b;
    if (b.rank(x) < 2 || !b.dtype(x).isFloat()) {
        call.fail(fmt::format("argument '{}' is {} {}, matrices of floats are expected", name, toString(b.dtype(x)),
                              text(b.shape(x))));
        return {};
    }
    return cast(b, x, types::Float64);
}

Var firstMatrices(Call& call) {
    return matricesOf(call, call.schema.arguments[0].name.c_str());
}

void giveLikeFirst(Call& call, std::vector<Var> results) {
    Builder& b = call.b;
    const Var first = call.tensor(call.schema.arguments[0].name.c_str());
    for (Var& result : results)
        if (!call.failed() && b.dtype(result).isFloat())
            result = cast(b, result, b.dtype(first));
    call.give(std::move(results));
}

Var asInfo(Builder& b, Var code) {
    return cast(b, code, types::Int32);
}

} // namespace lathe::frontend::torch
