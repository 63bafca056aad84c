// SPDX-License-Identifier: Apache-2.0
#include "inspect/roofline.h"

#include <algorithm>

namespace lathe::inspect {

std::string_view toString(Bound bound) {
    static constexpr std::string_view names[] = {"compute", "memory", "caches"};
    return names[static_cast<size_t>(bound)];
}

Roofline roofline(const Profile& profile, const MachinePeaks& peaks) {
    Roofline result;
    result.peak = peaks.of(profile.threads);
    for (size_t i = 0; i < profile.rows.size(); ++i) {
        const ProfileRow& row = profile.rows[i];
        if (row.ms <= 0 || row.bytes <= 0)
            continue;
        RooflinePoint point;
        point.row = i;
        point.intensity = row.flops / row.bytes;
        point.gflops = row.gflops();
        const bool fed = row.gbs() > result.peak.gbs; // by caches
        if (point.intensity >= result.ridge())
            point.bound = Bound::Compute;
        else
            point.bound = fed ? Bound::Caches : Bound::Memory;
        point.limit = point.bound == Bound::Memory ? point.intensity * result.peak.gbs
                      : point.intensity > 0        ? result.peak.gflops
                                                   : 0;
        if (row.flops > 0)
            point.share = point.gflops / point.limit;
        else
            point.share = std::min(1.0, row.gbs() / result.peak.gbs);
        result.points.push_back(point);
    }
    return result;
}

Roofline::Extent Roofline::extent() const {
    Extent extent{ridge() / 10, ridge() * 10, peak.gflops / 100, peak.gflops};
    for (const RooflinePoint& point : points) {
        if (point.intensity <= 0)
            continue;
        extent.leastIntensity = std::min(extent.leastIntensity, point.intensity);
        extent.mostIntensity = std::max(extent.mostIntensity, point.intensity);
        extent.leastGflops = std::min(extent.leastGflops, point.gflops);
        extent.mostGflops = std::max(extent.mostGflops, point.gflops);
    }
    return extent;
}

} // namespace lathe::inspect
