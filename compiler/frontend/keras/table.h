// SPDX-License-Identifier: Apache-2.0
//
// Which converter serves which layer or operation, and what that is for.
#pragma once

#include "frontend/common/dialect.h"
#include "model/model_graph.h"

#include <string_view>

namespace lathe::frontend::keras {

struct Row {
    std::string_view domain, name; // as configs spell it
    ConvertFn convert;
    model::Family family;
};

/// Null if there is none.
const Row* findRow(std::string_view domain, std::string_view name);

} // namespace lathe::frontend::keras
