// SPDX-License-Identifier: Apache-2.0
//
// What TensorFlow says to the walk over its graphs: converters by the table.
#pragma once

#include "frontend/common/dialect.h"

namespace lathe::frontend::tensorflow {

class TensorflowDialect : public Dialect {
public:
    ConvertFn converterOf(const model::Node& node) const override;
    std::optional<Diagnostic> refusalOf(const model::Node& node) const override;
    void checked(NodeReader& node, const std::function<void()>& convert) const override;
    model::ValueType typeOf(const model::Node& node, size_t result) const override;
};

} // namespace lathe::frontend::tensorflow
