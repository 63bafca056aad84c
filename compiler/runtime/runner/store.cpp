// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/store.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace lathe::runtime::runner {
namespace {

constexpr size_t kept = 2; // the one that is loaded, and the next

} // namespace

Store::~Store() {
    for (const File& file : files_)
        close(file.descriptor);
}

const Store::File* Store::find(const std::string& name) const {
    const auto found = std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.name == name; });
    return found == files_.end() ? nullptr : &*found;
}

uint64_t Store::held(const std::string& name) const {
    const File* file = find(name);
    return file ? file->held : 0;
}

/// Where the file system knows no files without a name, it has one for a moment.
int Store::open() const {
    const int descriptor = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return descriptor;
    std::string name = folder_ + "/lathe-runner.XXXXXX";
    const int named = mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        unlink(name.c_str());
    return named;
}

int Store::put(const std::string& name, uint64_t total, uint64_t offset, std::span<const std::byte> bytes) {
    if (!find(name)) {
        if (offset != 0)
            return EINVAL;
        const int descriptor = open();
        if (descriptor < 0)
            return errno;
        while (files_.size() >= kept) {
            close(files_.front().descriptor);
            files_.pop_front();
        }
        files_.push_back({name, total, 0, descriptor});
    }
    File& file = *std::find_if(files_.begin(), files_.end(), [&](const File& each) { return each.name == name; });
    if (file.total != total || file.held != offset || bytes.size() > total - offset)
        return EINVAL;
    // What does not fit is found out before minutes of sending.
    int failed = offset == 0 && total > 0 ? posix_fallocate(file.descriptor, 0, static_cast<off_t>(total)) : 0;
    if (failed == EOPNOTSUPP || failed == EINVAL)
        failed = 0;
    while (failed == 0 && !bytes.empty()) {
        const ssize_t put = pwrite(file.descriptor, bytes.data(), bytes.size(), static_cast<off_t>(file.held));
        if (put > 0) {
            file.held += static_cast<uint64_t>(put);
            bytes = bytes.subspan(static_cast<size_t>(put));
        } else if (put == 0 || errno != EINTR) {
            failed = put == 0 ? EIO : errno;
        }
    }
    if (failed != 0) {
        close(file.descriptor);
        std::erase_if(files_, [&](const File& each) { return each.name == name; });
    }
    return failed;
}

std::string Store::path(const std::string& name) const {
    const File* file = find(name);
    return file && file->held == file->total ? "/proc/self/fd/" + std::to_string(file->descriptor) : "";
}

} // namespace lathe::runtime::runner
