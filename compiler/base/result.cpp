// SPDX-License-Identifier: Apache-2.0
//
// Text of internal errors.
#include "base/result.h"

#include <fmt/format.h>

namespace lathe {

void internalError(const char* file, int line, const char* condition, const std::string& message) {
    throw InternalError(fmt::format("{}:{}: {} [{}]", file, line, message, condition));
}

} // namespace lathe
