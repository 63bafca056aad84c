// SPDX-License-Identifier: Apache-2.0
//
// What TFLite says to the walk over its graphs: converters by the table, and the element types that a file declares of all
// values.
#pragma once

#include "frontend/common/dialect.h"

namespace lathe::frontend::tflite {

class TfliteDialect : public Dialect {
public:
    ConvertFn converterOf(const model::Node& node) const override;
    std::optional<Diagnostic> refusalOf(const model::Node& node) const override;
    void checked(NodeReader& node, const std::function<void()>& convert) const override;
};

} // namespace lathe::frontend::tflite
