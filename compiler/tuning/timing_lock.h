// SPDX-License-Identifier: Apache-2.0
//
// Several tuners of a user on one machine build side by side, but only one of them times at a time: the others would be what
// disturbs it, on the same CPUs. They meet at a file, $LATHE_TIMING_LOCK or /tmp/lathe-timing-UID, whatever else their
// environments say.
#pragma once

#include "base/result.h"

#include <functional>
#include <optional>
#include <string>

namespace lathe::tuning {

/// Held while it lives; the system gives it up with the process.
class TimingLock {
public:
    /// Waits for its turn for so many seconds at most, and tells `noted` if it has to; nothing: it was not its turn. Fails only
    /// as Cancelled: where no file can be locked, timing goes on without.
    static Result<std::optional<TimingLock>> take(double seconds, const std::function<bool()>& cancelled,
                                                  const std::function<void(const std::string&)>& noted);
    /// Why nothing is locked; empty if it is.
    const std::string& problem() const { return problem_; }

    TimingLock(TimingLock&& other) noexcept;
    TimingLock(const TimingLock&) = delete;
    TimingLock& operator=(const TimingLock&) = delete;
    ~TimingLock();

private:
    explicit TimingLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
    std::string problem_;
};

} // namespace lathe::tuning
