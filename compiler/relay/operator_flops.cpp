// SPDX-License-Identifier: Apache-2.0
#include "relay/operator_flops.h"

#include "relay/attrs.h"
#include "relay/cost.h"
#include "relay/element.h"

#include <cmath>
#include <map>

namespace lathe::relay {
namespace {

using Figure = std::optional<double>;

Figure dimOf(const Type& type, int64_t axis) {
    const TensorType* tensor = asTensor(type);
    const auto rank = tensor ? static_cast<int64_t>(tensor->shape.size()) : 0;
    if (axis < 0)
        axis += rank;
    if (axis < 0 || axis >= rank)
        return std::nullopt;
    const std::optional<int64_t> dim = arith::asInt(tensor->shape[static_cast<size_t>(axis)]);
    return dim ? Figure(static_cast<double>(*dim)) : std::nullopt;
}

/// Of a tensor, or of a tuple's first one.
Figure elementsOf(const Type& type) {
    const std::vector<Type> fields = fieldTypes(type);
    const TensorType* tensor = fields.empty() ? nullptr : asTensor(fields.front());
    if (!tensor)
        return std::nullopt;
    double all = 1;
    for (size_t i = 0; i < tensor->shape.size(); ++i) {
        const Figure dim = dimOf(fields.front(), static_cast<int64_t>(i));
        if (!dim)
            return std::nullopt;
        all *= *dim;
    }
    return all;
}

bool isFloat(const Type& type) {
    const std::vector<Type> fields = fieldTypes(type);
    const TensorType* tensor = fields.empty() ? nullptr : asTensor(fields.front());
    return tensor && tensor->dtype.isFloat();
}

Figure product(std::initializer_list<Figure> factors) {
    double all = 1;
    for (const Figure& each : factors) {
        if (!each)
            return std::nullopt;
        all *= *each;
    }
    return all;
}

/// Every label's dim, the dims behind an ellipsis as one: all combinations are multiplied and added up.
Figure einsumFlops(const std::string& equation, std::span<const Type> args) {
    std::map<char, double> dims;
    const std::string terms = equation.substr(0, equation.find("->"));
    size_t at = 0;
    for (const Type& arg : args) {
        std::string term = terms.substr(at, terms.find(',', at) - at);
        at += term.size() + 1;
        std::erase(term, ' ');
        const TensorType* tensor = asTensor(arg);
        if (!tensor)
            return std::nullopt;
        const size_t hidden = tensor->shape.size() + 3 - term.size(); // dims behind an ellipsis, if there is one
        double behind = 1;
        int64_t axis = 0;
        for (size_t i = 0; i < term.size(); ++i) {
            const bool ellipsis = term[i] == '.';
            for (size_t left = ellipsis ? hidden : 1; left > 0; --left) {
                const Figure dim = dimOf(arg, axis++);
                if (!dim)
                    return std::nullopt;
                double& known = ellipsis ? behind : dims[term[i]];
                known = ellipsis ? behind * *dim : std::max(known, *dim);
            }
            if (ellipsis) {
                dims['.'] = std::max(dims['.'], behind);
                i += 2;
            }
        }
    }
    double all = static_cast<double>(args.size());
    for (const auto& [label, dim] : dims)
        all *= dim;
    return all;
}

} // namespace

namespace flops {

Figure anElement(double each, const TypedCall& call) {
    return product({elementsOf(call.result), each});
}

Figure matMul(const TypedCall& call) {
    const bool transposed = attrs<MatMulAttrs>(call.call.attrs).transposeA;
    return product({2.0, elementsOf(call.result), dimOf(call.args[0], transposed ? -2 : -1)});
}

Figure conv(const TypedCall& call) {
    const Figure weights = elementsOf(call.args[1]), results = dimOf(call.args[1], 0);
    if (!weights || !results || *results == 0)
        return std::nullopt;
    return product({2.0, elementsOf(call.result), *weights / *results});
}

/// The products, and the transforms: four and a half operations an element of a tile, as "choose variants" has it.
Figure winogradConv(const TypedCall& call) {
    const auto tile = static_cast<double>(attrs<WinogradAttrs>(call.call.attrs).tile);
    const Type& result = call.result;
    const Figure batch = dimOf(result, 0), results = dimOf(result, 1), height = dimOf(result, 2),
                 width = dimOf(result, 3), channels = dimOf(call.args[0], 1);
    if (!batch || !results || !height || !width || !channels)
        return std::nullopt;
    const double tiles = *batch * std::ceil(*height / tile) * std::ceil(*width / tile);
    const double elements = (tile + 2) * (tile + 2) * tiles;
    return elements * (2 * *channels * *results + 4.5 * (*channels + *results));
}

Figure einsum(const TypedCall& call) {
    return einsumFlops(attrs<EinsumAttrs>(call.call.attrs).equation, call.args);
}

Figure reduce(const TypedCall& call) {
    return elementsOf(call.args[0]);
}

Figure pool(const TypedCall& call) {
    double window = 1;
    for (const int64_t each : attrs<PoolAttrs>(call.call.attrs).kernel)
        window *= static_cast<double>(each);
    return anElement(window, call);
}

/// A complex multiply-add of each element along the axis.
Figure dft(const TypedCall& call) {
    return product({4.0, elementsOf(call.result), dimOf(call.args[0], attrs<DftAttrs>(call.call.attrs).axis)});
}

} // namespace flops

Figure flopsOf(const OpCall& call, std::span<const Type> args, const Type& result) {
    return isFloat(result) ? info(call.op).flops({call, args, result}) : 0.0;
}

} // namespace lathe::relay
