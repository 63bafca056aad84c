// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/lease.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::runtime::runner {
namespace {

/// Where others may write, the system lets nobody create what somebody else has made: so first as it is.
int openLock(const char* path) {
    const int there = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (there >= 0 || errno != ENOENT)
        return there;
    const int fresh = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fresh >= 0)
        fchmod(fresh, 0666); // of all users of the device
    return fresh;
}

/// Whether the file that is open still has this name: who held it before may have removed it.
bool isNamed(int descriptor, const char* path) {
    struct stat own{}, named{};
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

} // namespace

Lease::Lease(const std::string& folder) : path_(folder + "/lathe-device.lock") {
    const int descriptor = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return;
    // Under the lock, so that it is nobody's.
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && isNamed(descriptor, path_.c_str()))
        unlink(path_.c_str());
    close(descriptor);
}

std::string Lease::take(const std::string& who) {
    if (descriptor_ >= 0)
        return "";
    for (;;) {
        const int descriptor = openLock(path_.c_str());
        if (descriptor < 0)
            return "";
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            char holder[256] = "";
            const ssize_t got = pread(descriptor, holder, sizeof holder - 1, 0);
            close(descriptor);
            return got > 0 ? std::string(holder, static_cast<size_t>(got)) : "somebody";
        }
        if (!isNamed(descriptor, path_.c_str())) {
            close(descriptor);
            continue;
        }
        // Whoever waits may see the name of the one before for a moment.
        if (ftruncate(descriptor, 0) == 0)
            (void)!pwrite(descriptor, who.data(), who.size(), 0);
        descriptor_ = descriptor;
        return "";
    }
}

void Lease::release() {
    if (descriptor_ < 0)
        return;
    unlink(path_.c_str());
    close(descriptor_);
    descriptor_ = -1;
}

} // namespace lathe::runtime::runner
