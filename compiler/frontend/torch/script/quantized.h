// SPDX-License-Identifier: Apache-2.0
//
// Quantized tensors and the operators on them. Each computes with the real numbers that the integers stand for, and rounds its
// result to integers again where the operator does; what only moves elements moves the integers. Weights lie packed in objects
// whose layout is PyTorch's own: their state is that of its serialization.
#pragma once

#include "frontend/torch/script/evaluator.h"

namespace lathe::frontend::torch::script {

/// Whether an operator is one that makes quantized tensors or that only these have: it stands in no table of PyTorch's other ones.
bool isQuantizedOperator(std::string_view name);

/// What a program that has packed weights is told where they are not as expected.
inline constexpr const char* packedLayout = "save the model again by a version of PyTorch that is known";

/// The functions, which see the evaluation.
struct QuantizedCalls {
    Evaluator& e;
    Builder& b;

    /// Nothing: it is no such function.
    using Result = std::optional<ScriptValue>;

    // ---- integers and real numbers
    ScriptValue made(const std::string& op, const ScriptValue& from, const std::function<Var()>& make);
    /// A tensor of real numbers; a value that is not quantized as it is.
    ScriptValue real(const ScriptValue& value);
    Var parameter(const ScriptValue& value, DataType dtype);
    /// By a scale and a zero point, or one each of a slice of an axis.
    ScriptValue quantize(const ScriptValue& value, const ScriptValue& scale, const ScriptValue& zero, DataType dtype,
                         std::optional<int64_t> axis = std::nullopt);
    ScriptValue quantizeLike(const ScriptValue& value, const Quantized& like);

    // ---- packed weights
    struct Packed {
        ScriptValue weight{}, bias{};
        ScriptValue stride{}, padding{}, dilation{}, extra{}; // lists
        int64_t groups = 1;
        bool isTransposed = false;
    };
    ScriptValue list(const Ints& values);
    /// Whole numbers of a list, or of a constant tensor.
    std::optional<Ints> integers(const ScriptValue& value);
    /// (version, settings, weight, bias): dims, then for each of these a stride, a padding, a dilation, what is added to the
    /// output; groups, and 1 for a transposed one.
    std::optional<Packed> fromSettings(const Ints& all, ScriptValue weight, ScriptValue bias);
    std::optional<Packed> fromState(const ScriptValue& state);
    std::optional<Packed> unpack(const ScriptValue& value);
    ScriptValue pack(Variables attributes);
    /// (weight, bias, stride, padding, [output padding,] dilation, groups)
    ScriptValue packConvolution(const Arguments& a, bool isTransposed);

    // ---- operators
    ScriptValue call(const std::string& name, ScriptValues values);
    /// To the scale and zero point that are the last two arguments.
    ScriptValue scaled(const ScriptValue& result, const Arguments& a, const ScriptValue& like);
    ScriptValue linear(const ScriptValue& x, const ScriptValue& packedValue, bool isRelu);
    ScriptValue convolution(const ScriptValue& x, const ScriptValue& packedValue, bool isRelu);
    /// quantized::NAME
    Result callOwn(std::string_view name, const Arguments& a);
    /// An operator of the same name on real numbers, with a scale and a zero point beside its arguments.
    Result callScaled(std::string_view name, const Arguments& a);

    // ---- recurrences, whose weights alone are quantized
    /// Of one direction of a layer: weights of input and state, then biases.
    bool addWeights(const ScriptValue& parameters, ListCell& weights);
    /// (input, hx, parameters, has_biases, num_layers, dropout, train, bidirectional, batch_first, …)
    Result recurrence(const std::string& name, const Arguments& a);
    /// (input, hx, packed w_ih, packed w_hh, b_ih, b_hh)
    Result cell(const std::string& name, const Arguments& a);

    // ---- PyTorch's operators on quantized tensors
    Result quantizing(const std::string& name, const Arguments& a);
    Result fact(const std::string& name, const Quantized& q);
    /// The integers, elsewhere.
    ScriptValue wrapped(const ScriptValue& moved, const Quantized& like);
    Result callPlain(const std::string& name, const Arguments& a, const Quantized& first);
};

} // namespace lathe::frontend::torch::script
