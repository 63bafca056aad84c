// SPDX-License-Identifier: Apache-2.0
//
// Which converter serves which layer or operation, and what that is for.
#pragma once

#include "frontend/common/converter_table.h"

#include <string_view>

namespace lathe::frontend::keras {

using Row = ConverterRow;

/// Null if there is none.
const Row* findRow(std::string_view domain, std::string_view name);

} // namespace lathe::frontend::keras
