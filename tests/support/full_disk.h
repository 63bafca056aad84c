// SPDX-License-Identifier: Apache-2.0
//
// A disk that is full, for this process: while it lives, no file may grow beyond so many bytes.
#pragma once

#include <csignal>
#include <stdexcept>
#include <sys/resource.h>

namespace lathe::testing {

class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN); // writing fails instead
        rlimit less{};
        if (getrlimit(RLIMIT_FSIZE, &before_) != 0)
            throw std::runtime_error("no limit of files' sizes can be read");
        less = before_;
        less.rlim_cur = bytes;
        if (setrlimit(RLIMIT_FSIZE, &less) != 0)
            throw std::runtime_error("no limit of files' sizes can be set");
    }
    ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit before_{};
};

} // namespace lathe::testing
