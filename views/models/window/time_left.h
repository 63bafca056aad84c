// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long work will still take, from how far it came and when. Work does not go on evenly: a time is only said once enough
// is done, while work goes about as fast now as it did on the whole, and roughly.
#pragma once

#include <QString>
#include <optional>
#include <span>
#include <vector>

namespace lathe::views::models {

struct ProgressPoint {
    double seconds = 0;  // on any clock
    double fraction = 0; // 0 … 1
};

/// Points in order, of one piece of work, whose fractions do not fall; `now` on the same clock. Nothing before five seconds
/// and a twentieth of the work; where the last third of the time went twice as fast or half as fast as the whole; and where
/// the last point is older than a quarter of the time. Of the two speeds the slower one counts.
std::optional<double> secondsLeft(std::span<const ProgressPoint> points, double now);

/// "a few seconds left", "less than a minute left", "about 7 min left", "about 3 h left".
QString timeLeftText(double seconds);

/// Collects the points of work as it goes; one whose fraction falls begins anew.
class TimeLeft {
public:
    void add(double now, double fraction);
    void clear() { points_.clear(); }
    std::optional<double> seconds(double now) const { return secondsLeft(points_, now); }

private:
    std::vector<ProgressPoint> points_; // a bounded number
};

} // namespace lathe::views::models
