// SPDX-License-Identifier: Apache-2.0
#include "driver/timing_turns.h"

#include "base/printable.h"

#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace lathe::driver {

TimingTurns::TimingTurns(RunnerOptions runner) : client_(std::move(runner)) {}

Result<std::optional<TimingTurn>> TimingTurns::take(double seconds,
                                                    const std::function<void(const std::string&)>& noted) {
    if (client_.options().ssh)
        return takeLease(seconds, noted);
    LATHE_TRY(std::optional<TimingLock> lock, TimingLock::take(seconds, client_.options().cancelled, noted));
    return lock ? std::optional<TimingTurn>(std::in_place, *std::move(lock)) : std::nullopt;
}

Result<std::optional<TimingTurn>> TimingTurns::takeLease(double seconds,
                                                         const std::function<void(const std::string&)>& noted) {
    const auto& cancelled = client_.options().cancelled;
    const auto begun = std::chrono::steady_clock::now();
    bool wasLost = false, said = false;
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(200))) {
        const auto holder = client_.tryLease();
        if (!holder && client_.outcome() == RunnerOutcome::Lost && !std::exchange(wasLost, true))
            continue; // since the last turn the connection was lost: it is made once more
        if (!holder)
            return Failure(holder.error());
        if (holder->empty())
            return std::optional<TimingTurn>(std::in_place, client_);
        if (cancelled && cancelled())
            return failure(ErrorKind::Cancelled, "cancelled");
        if (!std::exchange(said, true))
            noted(fmt::format("{} measures on {}: waiting", *holder, printable(client_.options().ssh->device)));
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() >= seconds)
            return std::optional<TimingTurn>();
    }
}

} // namespace lathe::driver
