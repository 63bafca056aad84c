// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

namespace lathe::base {

std::string_view version() {
    return LATHE_VERSION;
}

} // namespace lathe::base
