// SPDX-License-Identifier: Apache-2.0
#include "base/file_identity.h"

#include <sys/stat.h>

namespace lathe {
namespace {

FileIdentity identityOf(const struct stat& status) {
    const auto ns = [](const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
    return {status.st_dev, status.st_ino, status.st_size, ns(status.st_mtim), ns(status.st_ctim)};
}

} // namespace

FileIdentity identityOf(const std::filesystem::path& path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 ? identityOf(status) : FileIdentity{};
}

FileIdentity identityOf(int descriptor) {
    struct stat status{};
    return fstat(descriptor, &status) == 0 ? identityOf(status) : FileIdentity{};
}

} // namespace lathe
