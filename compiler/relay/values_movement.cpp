// SPDX-License-Identifier: Apache-2.0
//
// Value rules of operators that move elements, and of reductions, scans and scatters.
#include "relay/value_rules.h"

#include "base/narrow_float.h"

namespace lathe::relay::values {
namespace {

/// Each element of the result from its coordinates; nothing if fn gives a null Expr.
template <class F>
std::optional<Elements> eachElement(const ValueCall& call, F fn) {
    Elements elements;
    elements.reserve(static_cast<size_t>(call.count));
    for (int64_t i = 0; i < call.count; ++i) {
        Expr element = fn(coordinates(i, call.shape));
        if (!element)
            return std::nullopt;
        elements.push_back(std::move(element));
    }
    return elements;
}

const Expr& at(const Elements& elements, int64_t index) {
    return elements[static_cast<size_t>(index)];
}

Expr zeroOf(DataType dtype) {
    return dtype.isFloat() ? arith::floatImm(0, dtype) : Expr(0);
}

/// A known constant index, counted from the end if negative; nothing if unknown or out of range.
std::optional<int64_t> constantIndex(const Expr& index, int64_t dim) {
    std::optional<int64_t> value = arith::asInt(index);
    if (!value || *value < -dim || *value >= dim)
        return std::nullopt;
    return *value < 0 ? *value + dim : *value;
}

std::optional<Elements> concat(const ValueCall& call) {
    auto axis = static_cast<size_t>(attrs<AxisAttrs>(call.attrs).axis);
    std::vector<std::vector<int64_t>> dims;
    for (size_t arg = 0; arg < call.args.size(); ++arg)
        dims.push_back(call.dims(arg));
    return eachElement(call, [&](std::vector<int64_t> place) {
        size_t arg = 0;
        while (place[axis] >= dims[arg][axis])
            place[axis] -= dims[arg++][axis];
        return at(*call.known[arg], flatten(place, dims[arg]));
    });
}

std::optional<Elements> slice(const ValueCall& call) {
    const SliceAttrs& range = attrs<SliceAttrs>(call.attrs);
    std::vector<int64_t> dims = call.dims(0);
    return eachElement(call, [&](std::vector<int64_t> place) {
        for (size_t i = 0; i < place.size(); ++i) {
            std::optional<int64_t> begin = arith::asInt(range.begin[i]);
            if (!begin)
                return Expr();
            place[i] = *begin + place[i] * range.step[i];
            if (place[i] < 0 || place[i] >= dims[i])
                return Expr();
        }
        return at(*call.known[0], flatten(place, dims));
    });
}

std::optional<Elements> pad(const ValueCall& call) {
    const PadAttrs& amount = attrs<PadAttrs>(call.attrs);
    if (amount.mode != "constant" || !amount.interior.empty())
        return std::nullopt;
    std::vector<int64_t> dims = call.dims(0);
    bool hasValue = call.args.size() > 1 && call.args[1];
    Expr filler = hasValue ? at(*call.known[1], 0) : zeroOf(call.result->dtype);
    return eachElement(call, [&](std::vector<int64_t> place) {
        for (size_t i = 0; i < place.size(); ++i) {
            std::optional<int64_t> before = arith::asInt(amount.before[i]);
            if (!before)
                return Expr();
            place[i] -= *before;
            if (place[i] < 0 || place[i] >= dims[i])
                return filler;
        }
        return at(*call.known[0], flatten(place, dims));
    });
}

std::optional<Elements> gather(const ValueCall& call) {
    auto axis = static_cast<size_t>(attrs<AxisAttrs>(call.attrs).axis);
    std::vector<int64_t> dims = call.dims(0), indexDims = call.dims(1);
    return eachElement(call, [&](const std::vector<int64_t>& place) {
        auto first = place.begin() + static_cast<long>(axis);
        std::vector<int64_t> indexPlace(first, first + static_cast<long>(indexDims.size()));
        std::optional<int64_t> index = constantIndex(at(*call.known[1], flatten(indexPlace, indexDims)), dims[axis]);
        if (!index)
            return Expr();
        std::vector<int64_t> from(place.begin(), first);
        from.push_back(*index);
        from.insert(from.end(), first + static_cast<long>(indexDims.size()), place.end());
        return at(*call.known[0], flatten(from, dims));
    });
}

std::optional<Elements> gatherElements(const ValueCall& call) {
    auto axis = static_cast<size_t>(attrs<AxisAttrs>(call.attrs).axis);
    std::vector<int64_t> dims = call.dims(0), indexDims = call.dims(1);
    return eachElement(call, [&](std::vector<int64_t> place) {
        std::optional<int64_t> index = constantIndex(at(*call.known[1], flatten(place, indexDims)), dims[axis]);
        if (!index)
            return Expr();
        place[axis] = *index;
        return at(*call.known[0], flatten(place, dims));
    });
}

std::optional<Elements> range(const ValueCall& call) {
    Expr start = at(*call.known[0], 0), delta = at(*call.known[2], 0);
    DataType dtype = call.result->dtype;
    std::optional<double> first = arith::asFloat(start), step = arith::asFloat(delta);
    const std::optional<int64_t> whole = arith::asInt(start), stride = arith::asInt(delta);
    return eachElement(call, [&](const std::vector<int64_t>& place) {
        if (whole && stride) // the distance from the start may be more than int64 holds, the element is not
            return Expr(static_cast<int64_t>(static_cast<uint64_t>(*whole) +
                                             static_cast<uint64_t>(place[0]) * static_cast<uint64_t>(*stride)));
        if (!dtype.isFloat())
            return start + Expr(place[0]) * delta;
        if (!first || !step)
            return Expr();
        const double distance = roundToType(static_cast<double>(place[0]) * *step, dtype, Overflow::Special);
        return arith::floatImm(roundToType(*first + distance, dtype, Overflow::Special), dtype);
    });
}

std::optional<Elements> iota(const ValueCall& call) {
    const IotaAttrs& attributes = attrs<IotaAttrs>(call.attrs);
    return eachElement(call, [&](const std::vector<int64_t>& place) {
        int64_t index = place[static_cast<size_t>(attributes.axis)];
        if (attributes.dtype.isFloat())
            return arith::floatImm(roundToType(static_cast<double>(index), attributes.dtype), attributes.dtype);
        return Expr(wrap(index, attributes.dtype));
    });
}

std::optional<Elements> oneHot(const ValueCall& call) {
    const OneHotAttrs& attributes = attrs<OneHotAttrs>(call.attrs);
    auto axis = static_cast<size_t>(attributes.axis);
    std::vector<int64_t> indexDims = call.dims(0);
    if (call.tensor(0).dtype.isFloat())
        return std::nullopt;
    return eachElement(call, [&](std::vector<int64_t> place) {
        int64_t position = place[axis];
        place.erase(place.begin() + static_cast<long>(axis));
        std::optional<int64_t> index = arith::asInt(at(*call.known[0], flatten(place, indexDims)));
        if (!index)
            return Expr();
        int64_t depth = call.shape[axis];
        bool hot = (*index < 0 ? *index + depth : *index) == position && *index >= -depth;
        return at(*call.known[1], hot ? 1 : 0);
    });
}

std::optional<Elements> nonZero(const ValueCall& call) {
    std::vector<int64_t> dims = call.dims(0);
    std::vector<std::vector<int64_t>> found;
    for (size_t i = 0; i < call.known[0]->size(); ++i) {
        const Expr& element = (*call.known[0])[i];
        std::optional<int64_t> integer = arith::asInt(element);
        std::optional<double> real = arith::asFloat(element);
        if (!integer && !real)
            return std::nullopt;
        if (integer ? *integer != 0 : *real != 0)
            found.push_back(coordinates(static_cast<int64_t>(i), dims));
    }
    return eachElement(call, [&](const std::vector<int64_t>& place) {
        return Expr(found[static_cast<size_t>(place[1])][static_cast<size_t>(place[0])]);
    });
}

} // namespace

std::optional<Elements> movement(const ValueCall& call) {
    switch (call.op) {
    case Op::Reshape:
    case Op::Copy:
    case Op::Dropout:
    case Op::Assume:
        return static_cast<int64_t>(call.known[0]->size()) == call.count ? std::optional(*call.known[0]) : std::nullopt;
    case Op::Transpose: {
        const std::vector<int64_t>& axes = attrs<TransposeAttrs>(call.attrs).axes;
        std::vector<int64_t> dims = call.dims(0);
        return eachElement(call, [&](const std::vector<int64_t>& place) {
            std::vector<int64_t> from(place.size());
            for (size_t i = 0; i < place.size(); ++i)
                from[static_cast<size_t>(axes[i])] = place[i];
            return at(*call.known[0], flatten(from, dims));
        });
    }
    case Op::BroadcastTo: {
        std::vector<int64_t> dims = call.dims(0);
        return eachElement(
            call, [&](const std::vector<int64_t>& place) { return at(*call.known[0], broadcastIndex(place, dims)); });
    }
    case Op::Tile: {
        std::vector<int64_t> dims = call.dims(0);
        return eachElement(call, [&](std::vector<int64_t> place) {
            for (size_t i = 0; i < place.size(); ++i)
                place[i] %= dims[i];
            return at(*call.known[0], flatten(place, dims));
        });
    }
    case Op::Reverse: {
        std::vector<int64_t> dims = call.dims(0);
        return eachElement(call, [&](std::vector<int64_t> place) {
            for (int64_t axis : attrs<AxesAttrs>(call.attrs).axes)
                place[static_cast<size_t>(axis)] =
                    dims[static_cast<size_t>(axis)] - 1 - place[static_cast<size_t>(axis)];
            return at(*call.known[0], flatten(place, dims));
        });
    }
    case Op::Full:
        return Elements(static_cast<size_t>(call.count), at(*call.known[0], 0));
    case Op::Concat:
        return concat(call);
    case Op::Slice:
        return slice(call);
    case Op::Pad:
        return pad(call);
    case Op::Gather:
        return gather(call);
    case Op::GatherElements:
        return gatherElements(call);
    case Op::Range:
        return range(call);
    case Op::Iota:
        return iota(call);
    case Op::OneHot:
        return oneHot(call);
    case Op::NonZero:
        return nonZero(call);
    default:
        return std::nullopt;
    }
}

std::optional<Elements> reduce(const ValueCall& call) {
    const ReduceAttrs& attributes = attrs<ReduceAttrs>(call.attrs);
    static const std::map<std::string, Op> steps{{"sum", Op::Add},     {"mean", Op::Add},    {"prod", Op::Multiply},
                                                 {"max", Op::Maximum}, {"min", Op::Minimum}, {"and", Op::Minimum},
                                                 {"or", Op::Maximum}};
    Op step = steps.at(attributes.kind);
    DataType dtype = call.result->dtype;
    std::vector<int64_t> dims = call.dims(0);
    std::vector<bool> reduced(dims.size());
    int64_t each = 1;
    for (int64_t axis : attributes.axes) {
        reduced[static_cast<size_t>(axis)] = true;
        each *= dims[static_cast<size_t>(axis)];
    }
    bool ordered = step == Op::Maximum || step == Op::Minimum;
    if (each == 0 && ordered)
        return std::nullopt;
    std::vector<Expr> sums(static_cast<size_t>(call.count));
    for (size_t i = 0; i < call.known[0]->size(); ++i) {
        std::vector<int64_t> place = coordinates(static_cast<int64_t>(i), dims), target;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            if (!reduced[axis])
                target.push_back(place[axis]);
            else if (attributes.keepDims)
                target.push_back(0);
        Expr& sum = sums[static_cast<size_t>(flatten(target, call.shape))];
        const Expr& element = (*call.known[0])[i];
        sum = sum ? binaryElement(step, sum, element, dtype, nullptr) : element;
        if (!sum)
            return std::nullopt;
    }
    for (Expr& sum : sums) {
        if (!sum)
            sum = step == Op::Multiply ? (dtype.isFloat() ? arith::floatImm(1, dtype) : Expr(1)) : zeroOf(dtype);
        if (attributes.kind == "mean")
            sum = binaryElement(Op::Divide, sum,
                                dtype.isFloat() ? arith::floatImm(static_cast<double>(each), dtype) : Expr(each), dtype,
                                nullptr);
        if (!sum)
            return std::nullopt;
    }
    return sums;
}

std::optional<Elements> cumSum(const ValueCall& call) {
    const CumAttrs& attributes = attrs<CumAttrs>(call.attrs);
    auto axis = static_cast<size_t>(attributes.axis);
    DataType dtype = call.result->dtype;
    Op step = attributes.product ? Op::Multiply : Op::Add;
    int64_t unit = attributes.product ? 1 : 0;
    Expr start = dtype.isFloat() ? arith::floatImm(static_cast<double>(unit), dtype) : Expr(unit);
    Elements elements(static_cast<size_t>(call.count));
    int64_t length = call.shape[axis];
    for (int64_t i = 0; i < call.count; ++i) {
        std::vector<int64_t> place = coordinates(i, call.shape);
        if (place[axis] != 0)
            continue;
        Expr sum = start;
        for (int64_t n = 0; n < length; ++n) {
            place[axis] = attributes.reverse ? length - 1 - n : n;
            auto index = static_cast<size_t>(flatten(place, call.shape));
            Expr next = binaryElement(step, sum, (*call.known[0])[index], dtype, nullptr);
            if (!next)
                return std::nullopt;
            elements[index] = attributes.exclusive ? sum : next;
            sum = next;
        }
    }
    return elements;
}

std::optional<Elements> scatter(const ValueCall& call) {
    const ScatterAttrs& attributes = attrs<ScatterAttrs>(call.attrs);
    static const std::map<std::string, Op> steps{
        {"add", Op::Add}, {"mul", Op::Multiply}, {"max", Op::Maximum}, {"min", Op::Minimum}};
    auto step = steps.find(attributes.reduction);
    Elements elements = *call.known[0];
    std::vector<int64_t> indexDims = call.dims(1), updateDims = call.dims(2);
    bool nd = call.op == Op::ScatterNd;
    auto depth = nd ? static_cast<size_t>(indexDims.back()) : 0;
    for (size_t i = 0; i < call.known[2]->size(); ++i) {
        std::vector<int64_t> place = coordinates(static_cast<int64_t>(i), updateDims), target = place;
        if (nd) {
            std::vector<int64_t> row(place.begin(), place.begin() + static_cast<long>(indexDims.size() - 1));
            target.clear();
            for (size_t d = 0; d < depth; ++d) {
                std::vector<int64_t> from = row;
                from.push_back(static_cast<int64_t>(d));
                std::optional<int64_t> index =
                    constantIndex(at(*call.known[1], flatten(from, indexDims)), call.shape[d]);
                if (!index)
                    return std::nullopt;
                target.push_back(*index);
            }
            target.insert(target.end(), place.begin() + static_cast<long>(indexDims.size() - 1), place.end());
        } else {
            auto axis = static_cast<size_t>(attributes.axis);
            std::optional<int64_t> index =
                constantIndex(at(*call.known[1], flatten(place, indexDims)), call.shape[axis]);
            if (!index)
                return std::nullopt;
            target[axis] = *index;
        }
        Expr& element = elements[static_cast<size_t>(flatten(target, call.shape))];
        const Expr& update = (*call.known[2])[i];
        element =
            step == steps.end() ? update : binaryElement(step->second, element, update, call.result->dtype, nullptr);
        if (!element)
            return std::nullopt;
    }
    return elements;
}

} // namespace lathe::relay::values
