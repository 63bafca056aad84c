// SPDX-License-Identifier: Apache-2.0
//
// What calls in archives of older versions mean, where PyTorch has changed what an operator does since.
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"

namespace lathe::frontend::torch::script {
namespace {

// The first versions of archives with the newer meaning.
constexpr int64_t trueDivision = 4, fullOfType = 5, rangeSteps = 8;

} // namespace

void Evaluator::upgrade(const std::string& name, Arguments& arguments) {
    const int64_t version = archive_.version();
    const auto isOfFloats = [&](const ScriptValue& value) {
        const TensorRef* ref = value.as<TensorRef>();
        const Number* number = value.as<Number>();
        return value.as<double>() || (number && !number->isBool) || value.as<Complex>() ||
               (ref && b_.dtype(memory_.read(ref->place)).isFloat());
    };
    const auto isTensor = [](const ScriptValue& value) { return value.as<TensorRef>() != nullptr; };
    const size_t count = arguments.values.size();
    // Integers were divided as C has it.
    const bool divides = name == "aten.div" || name == "aten.div_" || name == "aten.divide";
    if (version < trueDivision && divides && count == 2 && arguments.areByPlace(2) &&
        (isTensor(arguments.values[0]) || isTensor(arguments.values[1])) && !isOfFloats(arguments.values[0]) &&
        !isOfFloats(arguments.values[1]) && !failed())
        arguments.add(std::string("trunc"), "rounding_mode");
    // A tensor that is filled with a whole number was one of floats.
    if (version < fullOfType && name == "aten.full" && count >= 2) {
        const ScriptValue* dtype = arguments.find(count, "dtype");
        if (!dtype || dtype->isNone())
            if (std::optional<ScriptValue> real = toFloat(b_, arguments.values[1]))
                arguments.values[1] = *std::move(real);
    }
    // A spectrum of real numbers was one of their parts; now it has to be said.
    if (name == "aten.stft" && count >= 2 && !arguments.values[0].as<Complex>()) {
        const bool isCentered = count > 6 && arguments.values[6].as<std::string>(); // with the kind of padding
        ScriptValue* isComplex = arguments.find(isCentered ? 9 : 7, "return_complex");
        if (!isComplex)
            arguments.add(false, "return_complex");
        else if (isComplex->isNone())
            *isComplex = false;
    }
    if (version < rangeSteps && (name == "aten.linspace" || name == "aten.logspace")) {
        constexpr int64_t usual = 100;
        ScriptValue* steps = arguments.find(2, "steps");
        if (!steps)
            arguments.add(Expr(usual), "steps");
        else if (steps->isNone())
            *steps = Expr(usual);
    }
}

} // namespace lathe::frontend::torch::script
