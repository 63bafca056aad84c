// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/window/time_left.h"

#include "views/models/text/translate.h"

#include <algorithm>
#include <cmath>

namespace lathe::views::models {

namespace {

constexpr double leastSeconds = 5, leastFraction = 0.05;
constexpr double mostUneven = 2; // of the speed of now and on the whole
constexpr size_t mostPoints = 400;

} // namespace

std::optional<double> secondsLeft(std::span<const ProgressPoint> points, double now) {
    if (points.empty())
        return std::nullopt;
    const ProgressPoint first = points.front(), last = points.back();
    const double taken = last.seconds - first.seconds, done = last.fraction - first.fraction;
    if (taken < leastSeconds || done < leastFraction || now - last.seconds > taken / 4)
        return std::nullopt;
    const auto after = std::ranges::upper_bound(points, last.seconds - taken / 3, {}, &ProgressPoint::seconds);
    const ProgressPoint recent = *(after - 1); // the first one is not after
    const double whole = done / taken, lately = (last.fraction - recent.fraction) / (last.seconds - recent.seconds);
    if (lately > whole * mostUneven || lately * mostUneven < whole)
        return std::nullopt;
    return std::max(0.0, (1 - last.fraction) / std::min(whole, lately) - (now - last.seconds));
}

QString timeLeftText(double seconds) {
    if (seconds < 10)
        return tr("a few seconds left");
    if (seconds < 55)
        return tr("less than a minute left");
    const double minutes = seconds / 60;
    if (minutes < 9.5)
        return tr("about %1 min left").arg(std::max(1, int(std::lround(minutes))));
    if (minutes < 57.5)
        return tr("about %1 min left").arg(5 * std::lround(minutes / 5));
    return tr("about %1 h left").arg(std::max(1L, std::lround(minutes / 60)));
}

void TimeLeft::add(double now, double fraction) {
    if (!points_.empty() && fraction < points_.back().fraction)
        points_.clear();
    if (points_.size() == mostPoints) { // every other one is enough
        size_t kept = 0;
        for (size_t i = 0; i < points_.size(); i += 2)
            points_[kept++] = points_[i];
        points_.resize(kept);
    }
    points_.push_back({now, fraction});
}

} // namespace lathe::views::models
