// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe {
namespace {

/// The file that links lead to, which is what is replaced: they stay. Those of /proc and /dev lead to what a process has open, which
/// has to be written to as it is.
std::filesystem::path throughLinks(std::filesystem::path path) {
    constexpr int mostLinks = 40; // as the kernel has it
    std::error_code failed;
    const auto leads = [](const std::string& text) {
        return !text.starts_with("/proc/") && !text.starts_with("/dev/");
    };
    for (int i = 0; i < mostLinks && leads(path.string()); ++i) {
        const std::filesystem::path to = std::filesystem::read_symlink(path, failed);
        if (failed)
            break;
        path = path.parent_path() / to;
    }
    return path;
}

/// Who may do what with the file that is replaced, its owner had decided; but a program may be executed by all that may read it.
mode_t modeLike(std::filesystem::file_status there, NewFile::Kind kind) {
    const auto mode = static_cast<mode_t>(there.permissions()) & 0777;
    return kind == NewFile::Kind::Program ? mode | ((mode & 0444) >> 2) : mode;
}

} // namespace

NewFile::NewFile(const std::filesystem::path& wanted, Kind kind) : wanted_(wanted) {
    const int mode = kind == Kind::Program ? 0777 : 0666;
    std::error_code ignored;
    wanted_ = throughLinks(wanted);
    const std::filesystem::file_status there = std::filesystem::symlink_status(wanted_, ignored);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
        through_ = true;
        // A pipe that nobody reads is refused, not waited for.
        descriptor_ = ::open(wanted_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
        if (noted(descriptor_ >= 0))
            fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
        return;
    }
    const std::filesystem::path folder = wanted_.has_parent_path() ? wanted_.parent_path() : ".";
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor_ < 0) // not every file system has files without names; and why not, it says of one with a name alone
        openNamed(mode);
    if (noted(descriptor_ >= 0) && std::filesystem::exists(there))
        fchmod(descriptor_, modeLike(there, kind)); // at worst it is what any new file gets
}

NewFile::~NewFile() {
    if (descriptor_ >= 0)
        close(descriptor_);
    if (!name_.empty())
        unlink(name_.c_str());
}

bool NewFile::write(std::span<const std::byte> bytes) {
    if (error_)
        return false;
    written_ += static_cast<int64_t>(bytes.size());
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR)
            continue;
        if (!noted(put > 0))
            return false;
        bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return true;
}

bool NewFile::padTo(int64_t position) {
    static constexpr std::byte zeros[4096] = {};
    while (written_ < position)
        if (!write(
                std::span(zeros).first(static_cast<size_t>(std::min<int64_t>(std::ssize(zeros), position - written_)))))
            return false;
    return true;
}

bool NewFile::keep() {
    if (error_)
        return false;
    if (through_)
        return true;
    // Some file systems find only now that there is no space; and after a power cut the name must not be there without the bytes.
    if (!noted(fsync(descriptor_) == 0))
        return false;
    if (name_.empty()) {
        if (linkTo(wanted_.string()))
            return true;
        if (!noted(errno == EEXIST && linkToFresh()))
            return false;
    }
    if (!noted(std::rename(name_.c_str(), wanted_.c_str()) == 0))
        return false;
    name_.clear();
    return true;
}

Diagnostic NewFile::problem() const {
    return error(fmt::format("cannot write '{}': {}", wanted_.string(), std::strerror(error_)),
                 "check the folder, its permissions and the free space");
}

bool NewFile::noted(bool good) {
    if (!good)
        error_ = errno ? errno : EIO;
    return good;
}

void NewFile::openNamed(int mode) {
    takeFreshName([&](const std::string& name) {
        descriptor_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
        return descriptor_ >= 0;
    });
}

bool NewFile::linkTo(const std::string& name) const {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// A link cannot replace a file, a rename can: the whole file gets a name of its own on the way.
bool NewFile::linkToFresh() {
    return takeFreshName([&](const std::string& name) { return linkTo(name); });
}

/// `take` must fail with EEXIST for a name that is taken.
bool NewFile::takeFreshName(const std::function<bool(const std::string&)>& take) {
    std::random_device random;
    for (int tries = 0; tries < 100; ++tries) {
        const std::string name = fmt::format("{}.{:08x}.part", wanted_.string(), random());
        if (take(name)) {
            name_ = name;
            return true;
        }
        if (errno != EEXIST)
            return false;
    }
    return false;
}

} // namespace lathe
