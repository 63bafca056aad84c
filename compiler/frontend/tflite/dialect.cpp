// SPDX-License-Identifier: Apache-2.0
#include "frontend/tflite/dialect.h"

#include "frontend/tflite/option_tables.h"
#include "frontend/tflite/table.h"

#include <fmt/format.h>

namespace lathe::frontend::tflite {
namespace {

/// There are none of complex numbers, which are pairs of floats here, and of handles of variables.
bool isTensor(const model::ValueType& type) {
    return type.kind == model::ValueType::Kind::Tensor;
}

/// Whether the operator knows what to do with what is no tensor, or hands it on to a graph.
bool takesMoreThanTensors(const model::Node& node) {
    const Row* row = findRow(node.domain, node.op);
    return (row && row->family == model::Family::Control) || node.op == "REAL" || node.op == "IMAG" ||
           node.op == "COMPLEX_ABS";
}

} // namespace

ConvertFn TfliteDialect::converterOf(const model::Node& node) const {
    const Row* row = findRow(node.domain, node.op);
    return row ? row->convert : nullptr;
}

std::optional<Diagnostic> TfliteDialect::refusalOf(const model::Node& node) const {
    if (findRow(node.domain, node.op))
        return std::nullopt;
    const char* hint = "replace it when converting the model";
    if (node.domain != customDomain)
        return error(ErrorKind::Unsupported, fmt::format("operator {} is not supported", node.op), hint);
    if (node.op.starts_with("Flex"))
        return error(ErrorKind::Unsupported,
                     fmt::format("operator {} is one of TensorFlow's, which the file leaves to a TensorFlow beside it",
                                 node.op.substr(4)),
                     "convert the model with operators of TFLite alone");
    return error(
        ErrorKind::Unsupported,
        fmt::format("custom operator {} is unknown: only the program that the model was made for defines it", node.op),
        hint);
}

void TfliteDialect::checked(NodeReader& node, const std::function<void()>& convert) const {
    for (size_t i = 0; i < node.inputs(); ++i)
        if (const model::ValueType* type = node.declared(i);
            type && !isTensor(*type) && !takesMoreThanTensors(node.node))
            return node.refuse(fmt::format("operand {} is no tensor of a type that the operator is supported with", i),
                               "complex numbers: compute with their real and imaginary parts");
    convert();
    for (size_t i = 0; i < node.outputs() && !node.failed(); ++i) {
        const model::ValueType* declared = node.declaredResult(i);
        const Var given = node.results[i] ? node.results[i]->var : Var{};
        if (declared && isTensor(*declared) && given && node.b.isTensor(given) &&
            node.b.dtype(given) != declared->dtype)
            node.fail(fmt::format("result {} is declared as {}, but the operator gives {}", i,
                                  toString(declared->dtype), toString(node.b.dtype(given))),
                      "the model is malformed; convert it again");
    }
}

} // namespace lathe::frontend::tflite
