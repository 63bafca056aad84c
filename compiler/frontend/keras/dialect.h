// SPDX-License-Identifier: Apache-2.0
//
// What Keras says to the walk over its graphs: converters by the table, and why other layers are refused.
#pragma once

#include "frontend/common/dialect.h"

namespace lathe::frontend::keras {

class KerasDialect : public Dialect {
public:
    ConvertFn converterOf(const model::Node& node) const override;
    std::optional<Diagnostic> refusalOf(const model::Node& node) const override;
    void checked(NodeReader& node, const std::function<void()>& convert) const override;
};

} // namespace lathe::frontend::keras
