// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/operands.h"

#include "frontend/common/quantize.h"
#include "model/host_tensor.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

const model::Quantization* quantizationOf(const model::ValueType* type) {
    return type ? type->quantization.get() : nullptr;
}

/// A constant of these elements: a scalar if there is one alone.
template <class T>
Var parameter(Builder& b, DataType dtype, const std::vector<T>& elements) {
    model::HostTensor tensor{.dtype = dtype, .shape = {}, .bytes = {}, .strings = {}};
    if (elements.size() != 1)
        tensor.shape = {static_cast<int64_t>(elements.size())};
    tensor.bytes.resize(elements.size() * sizeof(T));
    std::memcpy(tensor.bytes.data(), elements.data(), tensor.bytes.size());
    return b.constant(relay::makeConstant(model::toData(std::move(tensor))));
}

/// dtype: of the integers, to which the zero points must fit.
Quantization parametersOf(Builder& b, const model::Quantization& quantization, DataType dtype) {
    Quantization made;
    made.axis = quantization.axis;
    made.scale = parameter(b, types::Float32, std::vector<float>(quantization.scale.begin(), quantization.scale.end()));
    // All are 0: nothing is moved, as if there were none.
    if (std::ranges::any_of(quantization.zeroPoint, [](int64_t zero) { return zero != 0; }))
        made.zero = cast(b, parameter(b, types::Int64, quantization.zeroPoint), dtype);
    return made;
}

/// Real numbers as a value of this type stores them; as they are if it is not quantized. type: may be null.
Var stored(NodeReader& node, const model::ValueType* type, Var real) {
    const model::Quantization* quantization = quantizationOf(type);
    if (!quantization || node.failed())
        return real;
    return quantize(node.b, real, parametersOf(node.b, *quantization, type->dtype), type->dtype, types::Float32, true);
}

} // namespace

bool isQuantized(NodeReader& node, size_t i) {
    return quantizationOf(node.declared(i)) != nullptr;
}

Var realOf(NodeReader& node, size_t i) {
    return realOf(node, i, node.in(i));
}

Var realOf(NodeReader& node, size_t i, Var stored) {
    const model::Quantization* quantization = quantizationOf(node.declared(i));
    if (!quantization || !stored || node.failed() || !node.b.isTensor(stored) || !node.b.dtype(stored).isInt())
        return stored;
    return dequantize(node.b, stored, parametersOf(node.b, *quantization, node.b.dtype(stored)), types::Float32);
}

Var storedOf(NodeReader& node, size_t i, Var real) {
    return stored(node, node.declared(i), real);
}

Var optionalReal(NodeReader& node, size_t i) {
    return node.hasInput(i) ? realOf(node, i) : Var{};
}

void give(NodeReader& node, size_t i, Var real) {
    node.set(i, stored(node, node.declaredResult(i), real));
}

Var activated(NodeReader& node, Var x) {
    const std::string name = node.text("fused_activation_function", "NONE");
    Builder& b = node.b;
    if (b.failed() || name == "NONE")
        return x;
    const auto clipped = [&](double low, double high) {
        return minimum(b, maximum(b, x, scalarLike(b, low, x)), scalarLike(b, high, x));
    };
    if (name == "RELU")
        return b.call(Op::Relu, {x});
    if (name == "RELU6")
        return clipped(0, 6);
    if (name == "RELU_N1_TO_1")
        return clipped(-1, 1);
    if (name == "TANH")
        return b.call(Op::Tanh, {x});
    node.refuse(fmt::format("the fused activation {} is not supported", name),
                "let the activation be an operator of its own");
    return x;
}

Movement::Movement(NodeReader& node, const std::vector<size_t>& operands, const std::vector<size_t>& results)
    : node_(node) {
    std::vector<const model::Quantization*> all;
    for (const size_t i : operands)
        if (node.hasInput(i))
            all.push_back(quantizationOf(node.declared(i)));
    for (const size_t i : results)
        if (node.wants(i))
            all.push_back(quantizationOf(node.declaredResult(i)));
    const auto differs = [&](const model::Quantization* other) {
        // One scale a slice belongs to a dim, which movement may take elsewhere.
        const bool same = other == all.front() || (other && all.front() && *other == *all.front());
        return !same || (other && other->scale.size() > 1);
    };
    stored_ = std::ranges::none_of(all, differs);
}

Var Movement::in(size_t i) {
    return stored_ ? node_.in(i) : realOf(node_, i);
}

void Movement::give(size_t i, Var moved) {
    if (stored_)
        node_.set(i, moved);
    else
        tflite::give(node_, i, moved);
}

} // namespace lathe::frontend::tflite
