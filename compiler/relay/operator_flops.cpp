// SPDX-License-Identifier: Apache-2.0
//
// Floating-point operations by operator.
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

/// The products, and the transforms: four and a half operations an element of a tile, as "choose variants" has it.
Figure winogradFlops(const OpCall& call, std::span<const Type> args, const Type& result) {
    const auto tile = static_cast<double>(attrs<WinogradAttrs>(call.attrs).tile);
    const Figure batch = dimOf(result, 0), results = dimOf(result, 1), height = dimOf(result, 2),
                 width = dimOf(result, 3), channels = dimOf(args[0], 1);
    if (!batch || !results || !height || !width || !channels)
        return std::nullopt;
    const double tiles = *batch * std::ceil(*height / tile) * std::ceil(*width / tile);
    const double elements = (tile + 2) * (tile + 2) * tiles;
    return elements * (2 * *channels * *results + 4.5 * (*channels + *results));
}

/// An element of the result.
double perElement(const OpCall& call) {
    switch (call.op) {
    case Op::Cast:
    case Op::BitCast:
    case Op::Copy:
    case Op::Dropout:
    case Op::Where:
    case Op::BroadcastTo:
    case Op::Full:
    case Op::BindSymbols:
    case Op::Assume:
    case Op::DynamicSlice:
    case Op::Compress:
        return 0;
    case Op::Sigmoid: // 1 / (1 + exp(-x))
    case Op::BatchNorm:
        return 4;
    case Op::Softmax: // largest, difference, exp, sum, quotient
    case Op::LogSoftmax:
        return 5;
    case Op::LayerNorm: // mean, difference, square, sum, product, scale, bias
        return 7;
    case Op::WinogradWeights:
        return 18;
    default:
        return info(call.op).fusion == FusionKind::Injective ? 0 : 1;
    }
}

} // namespace

Figure flopsOf(const OpCall& call, std::span<const Type> args, const Type& result) {
    if (!isFloat(result))
        return 0.0;
    const Figure elements = elementsOf(result);
    switch (call.op) {
    case Op::MatMul:
        return product({2.0, elements, dimOf(args[0], attrs<MatMulAttrs>(call.attrs).transposeA ? -2 : -1)});
    case Op::Conv: {
        const Figure weights = elementsOf(args[1]), results = dimOf(args[1], 0);
        if (!weights || !results || *results == 0)
            return std::nullopt;
        return product({2.0, elements, *weights / *results});
    }
    case Op::WinogradConv:
        return winogradFlops(call, args, result);
    case Op::Einsum:
        return einsumFlops(attrs<EinsumAttrs>(call.attrs).equation, args);
    case Op::Reduce:
        return elementsOf(args[0]);
    case Op::MaxPool:
    case Op::MaxPoolWithIndex:
    case Op::AvgPool: {
        double window = 1;
        for (const int64_t each : attrs<PoolAttrs>(call.attrs).kernel)
            window *= static_cast<double>(each);
        return product({elements, window});
    }
    case Op::Dft: // a complex multiply-add of each element along the axis
        return product({4.0, elements, dimOf(args[0], attrs<DftAttrs>(call.attrs).axis)});
    default:
        return perElement(call) == 0 ? 0 : product({elements, perElement(call)});
    }
}

} // namespace lathe::relay
