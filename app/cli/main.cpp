// SPDX-License-Identifier: Apache-2.0
// The command line `lathe`: the same driver as the workbench, with no Qt.
#include "base/version.h"

#include <fmt/core.h>

int main() {
    fmt::print("lathe {}\n", lathe::base::version());
    return 0;
}
