// SPDX-License-Identifier: Apache-2.0
#include "frontend/keras/layer.h"

#include "frontend/common/channels.h"
#include "frontend/keras/input_types.h"
#include "model/host_tensor.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace lathe::frontend::keras {
namespace {

constexpr const char* wrongConfig = "the config is damaged or was written wrongly; save the model again";

/// Variables of a policy of two types are float32, computing is not.
std::optional<DataType> typeOfPolicy(std::string_view policy) {
    constexpr std::string_view mixed = "mixed_";
    if (policy.empty())
        return types::Float32;
    return dtypeNamed(policy.starts_with(mixed) ? policy.substr(mixed.size()) : policy);
}

} // namespace

Layer::Layer(NodeReader& reader) : node(reader), b(reader.b), computed_(types::Float32) {
    if (node.has("arguments"))
        arguments_ = node.texts("arguments");
    if (node.has("weights"))
        weights_ = node.texts("weights");
    const std::string policy = node.text("dtype", "float32");
    const auto dtype = typeOfPolicy(policy);
    if (!dtype)
        node.refuse(fmt::format("the dtype policy '{}' is not supported", policy),
                    "save the model without quantization");
    computed_ = dtype.value_or(types::Float32);
    if (!computed_.isFloat())
        computed_ = types::Float32;
}

Var Layer::cast(Var x, DataType dtype) {
    if (b.failed() || !b.isTensor(x) || b.dtype(x) == dtype)
        return x;
    return b.dtype(x).isFloat() ? frontend::cast(b, x, dtype) : x;
}

Var Layer::in(size_t i) {
    if (i < arguments_.size())
        return cast(node.in(i), computed_);
    node.fail(fmt::format("the layer is called with {} tensors, not {}", arguments_.size(), i + 1), wrongConfig);
    return {};
}

size_t Layer::operands() const {
    return static_cast<size_t>(std::ranges::count_if(
        arguments_, [](const std::string& label) { return label.find("mask") == std::string::npos; }));
}

Var Layer::argument(std::string_view label) {
    const auto place = placeOf(label);
    return place ? in(*place) : Var{};
}

std::optional<size_t> Layer::placeOf(std::string_view label) const {
    const auto found = std::ranges::find(arguments_, label);
    return found == arguments_.end() ? std::nullopt : std::optional(static_cast<size_t>(found - arguments_.begin()));
}

bool Layer::hasWeight(const std::string& name) const {
    return std::ranges::find(weights_, name) != weights_.end();
}

Var Layer::weight(const std::string& name, const Dims& dims) {
    return weight(name, dims, computed_);
}

Var Layer::weight(const std::string& name, const Dims& dims, DataType dtype) {
    const auto found = std::ranges::find(weights_, name);
    if (found == weights_.end()) {
        node.fail(fmt::format("the layer has no weight '{}'", name), wrongConfig);
        return {};
    }
    const Var stored = node.in(arguments_.size() + static_cast<size_t>(found - weights_.begin()));
    if (b.failed())
        return {};
    const Dims shape = b.shape(stored);
    const auto differs = [](const Expr& wanted, const Expr& is) {
        const auto number = wanted ? arith::asInt(wanted) : std::nullopt;
        return number && *number != arith::asInt(is);
    };
    bool fits = shape.size() == dims.size();
    Dims wanted = dims;
    for (size_t i = 0; i < dims.size() && fits; ++i) {
        fits = !differs(dims[i], shape[i]);
        if (!wanted[i])
            wanted[i] = shape[i];
    }
    if (!fits) {
        std::string text;
        for (const Expr& size : dims)
            text += (text.empty() ? "" : ", ") + (size ? arith::sizeText(size) : std::string("?"));
        node.fail(
            fmt::format("weight '{}' is {} in the file, but [{}] by the config", name, frontend::text(shape), text),
            "the file is damaged or was written wrongly; save the model again");
        return {};
    }
    return cast(stored, dtype);
}

Var Layer::optionalWeight(const std::string& name, const Dims& dims) {
    return hasWeight(name) ? weight(name, dims) : Var{};
}

void Layer::give(Var y, size_t i, Var mask) {
    if (!b.failed())
        node.set(i, Value{.var = y, .sequence = nullptr, .none = false, .mask = mask});
}

double Layer::number(const std::string& name, double otherwise) {
    const std::vector<double> found = numbers(name);
    return found.size() == 1 ? found.front() : otherwise;
}

std::vector<double> Layer::numbers(const std::string& name) {
    for (const model::Attribute& attribute : node.node.attributes) {
        if (attribute.name != name)
            continue;
        if (std::holds_alternative<int64_t>(attribute.value))
            return {static_cast<double>(node.integer(name, 0))};
        if (std::holds_alternative<double>(attribute.value))
            return {node.real(name, 0)};
        if (std::holds_alternative<std::vector<double>>(attribute.value))
            return node.reals(name);
        if (std::holds_alternative<Ints>(attribute.value)) {
            const Ints found = node.integers(name);
            return {found.begin(), found.end()};
        }
    }
    return {};
}

Ints Layer::integers(const std::string& name) {
    for (const model::Attribute& attribute : node.node.attributes) {
        if (attribute.name != name)
            continue;
        if (std::holds_alternative<int64_t>(attribute.value))
            return {node.integer(name, 0)};
        if (std::holds_alternative<Ints>(attribute.value))
            return node.integers(name);
    }
    return {};
}

Ints Layer::extents(const std::string& name, size_t count, int64_t otherwise) {
    Ints found = integers(name);
    if (found.empty())
        found = {otherwise};
    if (found.size() == 1)
        found.resize(count, found.front());
    if (found.size() != count) {
        node.fail(fmt::format("'{}' has {} numbers, not {}", name, found.size(), count), wrongConfig);
        found.assign(count, otherwise);
    }
    return found;
}

Var Layer::image(Var x, size_t spatial) {
    if (b.failed())
        return {};
    if (b.rank(x) != static_cast<int>(spatial) + 2) {
        node.fail(
            fmt::format("the layer is called with a tensor of rank {}, and takes rank {}", b.rank(x), spatial + 2),
            "correct the shapes of the model's inputs");
        return {};
    }
    return isChannelsFirst() ? x : channelsFirst(b, x);
}

Var Layer::asGiven(Var y) {
    return b.failed() || isChannelsFirst() ? y : channelsLast(b, y);
}

std::optional<Window> Layer::window(Var x, Ints kernel, const Ints& strides) {
    if (b.failed())
        return std::nullopt;
    const size_t count = kernel.size();
    WindowAttributes attributes;
    attributes.kernel = std::move(kernel);
    attributes.strides = integers("strides").empty() ? strides : extents("strides", count, 1);
    attributes.dilations = extents("dilation_rate", count, 1);
    if (b.failed())
        return std::nullopt;
    if (!isInRange(attributes)) {
        node.fail("kernel, strides and dilations must be positive", wrongConfig);
        return std::nullopt;
    }
    const std::string padding = node.text("padding", "valid");
    if (padding == "causal" && count == 1) {
        attributes.padding = Padding::Given;
        attributes.pads = {(attributes.kernel[0] - 1) * attributes.dilations[0], 0};
    } else if (padding == "same" || padding == "valid") {
        attributes.padding = padding == "same" ? Padding::SameUpper : Padding::None;
    } else {
        node.fail(fmt::format("the padding is '{}'", padding), wrongConfig);
        return std::nullopt;
    }
    return windowOver(spatialOf(b, x), attributes);
}

Var rowOf(Layer& layer, const std::vector<double>& values) {
    Builder& b = layer.b;
    model::HostTensor tensor{.dtype = types::Float64, .shape = {std::ssize(values)}, .bytes = {}, .strings = {}};
    tensor.bytes.resize(values.size() * sizeof(double));
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    return frontend::cast(b, b.constant(relay::makeConstant(model::toData(std::move(tensor)))), layer.computed());
}

Dims spatialOf(Builder& b, Var x) {
    const Dims shape = b.failed() ? Dims{} : b.shape(x);
    return shape.size() < 2 ? Dims{} : Dims(shape.begin() + 2, shape.end());
}

} // namespace lathe::frontend::keras
