// SPDX-License-Identifier: Apache-2.0
#include "tuning/timing_lock.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lathe::tuning {
namespace {

/// One for each user: others' processes are none of his, and may not open his files.
std::string pathOfLock() {
    const char* named = std::getenv("LATHE_TIMING_LOCK");
    return named && *named ? named : fmt::format("/tmp/lathe-timing-{}", getuid());
}

} // namespace

Result<std::optional<TimingLock>> TimingLock::take(double seconds, const std::function<bool()>& cancelled,
                                                   const std::function<void(const std::string&)>& noted) {
    const std::string path = pathOfLock();
    TimingLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    const auto cannot = [&] {
        lock.problem_ = fmt::format("{} cannot be locked: {}", path, std::strerror(errno));
        return std::optional(std::move(lock));
    };
    if (lock.descriptor_ < 0)
        return cannot();
    const auto begun = std::chrono::steady_clock::now();
    for (bool said = false; flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0; said = true) {
        if (errno != EWOULDBLOCK)
            return cannot();
        if (cancelled && cancelled())
            return failure(ErrorKind::Cancelled, "cancelled");
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() >= seconds)
            return std::optional<TimingLock>();
        if (!said)
            noted("timing waits for another tuner on this machine");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::optional(std::move(lock));
}

TimingLock::TimingLock(TimingLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), problem_(std::move(other.problem_)) {}

TimingLock::~TimingLock() {
    if (descriptor_ >= 0)
        close(descriptor_);
}

} // namespace lathe::tuning
