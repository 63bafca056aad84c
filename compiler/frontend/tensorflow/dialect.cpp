// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/dialect.h"

#include "frontend/tensorflow/complex.h"
#include "frontend/tensorflow/result_types.h"
#include "frontend/tensorflow/table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace lathe::frontend::tensorflow {

namespace {

/// How operators' names begin that make numbers of files and texts.
constexpr auto readers =
    std::to_array<std::string_view>({"Decode", "Encode", "FixedLength", "Iterator", "LookupTable", "Parse", "Read",
                                     "Regex", "StaticRegex", "String", "Substr", "Unicode", "WholeFile"});

} // namespace

ConvertFn TensorflowDialect::converterOf(const model::Node& node) const {
    const Row* row = findRow(node.op);
    if (isComplex(node))
        return complexConverterOf(node.op);
    return row ? row->convert : nullptr;
}

std::optional<Diagnostic> TensorflowDialect::refusalOf(const model::Node& node) const {
    if (isComplex(node) && !complexConverterOf(node.op))
        return error(ErrorKind::Unsupported, fmt::format("operator {} of complex numbers is not supported", node.op),
                     "compute it with their real and imaginary parts");
    if (findRow(node.op) || isComplex(node))
        return std::nullopt;
    const bool isBeforeNumbers =
        std::ranges::any_of(readers, [&](std::string_view begin) { return node.op.starts_with(begin); });
    return error(ErrorKind::Unsupported, fmt::format("operator {} is not supported", node.op),
                 isBeforeNumbers ? "let the program that feeds the model read files and texts"
                                 : "export the model without it");
}

void TensorflowDialect::checked(NodeReader&, const std::function<void()>& convert) const {
    convert(); // a file declares types of its inputs alone
}

model::ValueType TensorflowDialect::typeOf(const model::Node& node, size_t result) const {
    return typeOfResult(node, result);
}

} // namespace lathe::frontend::tensorflow
