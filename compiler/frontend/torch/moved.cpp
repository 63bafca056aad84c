// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/moved.h"

namespace lathe::frontend::torch {

Moved::Moved(Call& call, const char* name) : call_(call), isComplex_(call.isComplex(name)) {
    x = isComplex_ ? call.complex(name) : call.tensor(name);
    if (!call.failed())
        rank = call.b.rank(x) - (isComplex_ ? 1 : 0);
}

Dims Moved::shape() const {
    if (call_.failed())
        return {};
    Dims shape = call_.b.shape(x);
    shape.resize(static_cast<size_t>(rank));
    return shape;
}

Dims Moved::whole(Dims shape) const {
    if (isComplex_)
        shape.push_back(2);
    return shape;
}

Ints Moved::whole(Ints axes) const {
    if (isComplex_)
        axes.push_back(rank);
    return axes;
}

void Moved::give(Var moved) {
    if (isComplex_)
        call_.giveComplex(moved);
    else
        call_.give(moved);
}

void Moved::give(std::vector<Var> parts) {
    if (!isComplex_)
        return call_.give(std::move(parts));
    List all;
    for (const Var& part : parts)
        all.push_back(Complex{part});
    call_.giveValue(std::move(all));
}

} // namespace lathe::frontend::torch
