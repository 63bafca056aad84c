// SPDX-License-Identifier: Apache-2.0
#include "base/file_size_limit.h"

#include <csignal>

namespace lathe {

void failBeyondFileSizeLimit() {
    std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace lathe
