// SPDX-License-Identifier: Apache-2.0
//
// Which converter serves which operator, and what the operator is for.
#pragma once

#include "frontend/common/dialect.h"
#include "model/model_graph.h"

#include <string_view>

namespace lathe::frontend::tensorflow {

struct Row {
    std::string_view name;
    ConvertFn convert;
    model::Family family;
};

/// Null if there is none.
const Row* findRow(std::string_view name);

} // namespace lathe::frontend::tensorflow
