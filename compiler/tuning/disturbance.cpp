// SPDX-License-Identifier: Apache-2.0
#include "tuning/disturbance.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lathe::tuning {
namespace {

constexpr size_t remembered = 100, enough = 8;
constexpr double lostBeyond = 0.02, computeOff = 0.03, readOff = 0.10, deviations = 3;
constexpr double shareLost = 0.1, firstWait = 0.1; // s

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Notes the value as well.
bool isOff(Recent& recent, double value, double share) {
    const Recent::Usual usual = recent.usual();
    const bool off = recent.isKnown() &&
                     std::abs(value - usual.median) > std::max(share * usual.median, deviations * usual.deviation);
    recent.note(value);
    return off;
}

/// So too.
bool isMore(Recent& recent, double value, double slack) {
    const Recent::Usual usual = recent.usual();
    recent.note(value);
    return value > usual.median + std::max(slack, deviations * usual.deviation);
}

} // namespace

bool isTime(double time) {
    return std::isfinite(time) && time > 0;
}

void Recent::note(double value) {
    values_.push_back(value);
    if (values_.size() > remembered)
        values_.pop_front();
}

bool Recent::isKnown() const {
    return values_.size() >= enough;
}

Recent::Usual Recent::usual() const {
    if (!isKnown())
        return {};
    std::vector<double> values(values_.begin(), values_.end());
    const double median = medianOf(values);
    for (double& value : values)
        value = std::abs(value - median);
    return {median, medianOf(std::move(values))};
}

bool Disturbance::isDisturbed(double lost, int64_t switches) {
    const bool isPutOff = isMore(switches_, static_cast<double>(switches), 0);
    return isMore(lost_, lost, lostBeyond) || (threads_ != 1 && isPutOff);
}

bool Disturbance::isDisturbed(const device::RunnerProbe& probe) {
    const bool computes = isOff(compute_, probe.computeNs, computeOff);
    return isOff(read_, probe.readNs, readOff) || computes;
}

void Patience::begin() {
    step_ = firstWait;
}

bool Patience::spend(double seconds) {
    const tune::Bench::Time time = time_();
    if (lost_ + seconds > shareLost * time.passed || seconds > time.left)
        return false;
    lost_ += seconds;
    return true;
}

std::optional<double> Patience::wait(double retry) {
    const double wait = std::max(step_, firstWait);
    if (!spend(wait + retry))
        return std::nullopt;
    step_ = 2 * wait;
    return wait;
}

} // namespace lathe::tuning
