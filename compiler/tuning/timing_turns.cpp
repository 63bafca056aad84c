// SPDX-License-Identifier: Apache-2.0
#include "tuning/timing_turns.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lathe::tuning {
namespace {

constexpr double longestTurn = 1e6; // seconds

} // namespace

TimingTurns::TimingTurns(device::RunnerOptions runner) : client_(std::move(runner)) {}

Result<std::optional<TimingTurn>> TimingTurns::take(double seconds,
                                                    const std::function<void(const std::string&)>& noted) {
    if (!client_.options().ssh) {
        LATHE_TRY(std::optional<TimingLock> lock, TimingLock::take(seconds, client_.options().cancelled, noted));
        return lock ? std::optional<TimingTurn>(std::in_place, *std::move(lock)) : std::nullopt;
    }
    const auto most = std::chrono::milliseconds(static_cast<int64_t>(std::clamp(seconds, 0.0, longestTurn) * 1e3));
    const auto end = std::chrono::steady_clock::now() + most;
    auto holder = client_.waitForLease(most, noted);
    if (!holder && client_.outcome() == device::RunnerOutcome::Lost) // since the last turn: it is made once more
        holder = client_.waitForLease(end - std::chrono::steady_clock::now(), noted);
    if (!holder)
        return Failure(holder.error());
    return holder->empty() ? std::optional<TimingTurn>(std::in_place, client_) : std::nullopt;
}

} // namespace lathe::tuning
