// SPDX-License-Identifier: Apache-2.0
#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace lathe {

void reserveStandardStreams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", O_RDONLY)); // the lowest number that is free: the stream's
}

} // namespace lathe
