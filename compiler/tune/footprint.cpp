// SPDX-License-Identifier: Apache-2.0
#include "tune/footprint.h"

#include "base/cache_lines.h"

#include <algorithm>
#include <cmath>

namespace lathe::tune {

Touched touched(std::vector<Step> steps, double elementBytes) {
    for (Step& step : steps)
        step.stride = std::abs(step.stride);
    std::erase_if(steps, [](const Step& step) { return step.stride == 0 || step.extent <= 1; });
    std::ranges::stable_sort(steps, {}, &Step::stride);
    std::vector<Step> runs; // places that lie a stride apart, and how many
    for (const Step& step : steps) {
        const auto run = std::find_if(runs.rbegin(), runs.rend(), [&](const Step& each) {
            return step.stride % each.stride == 0 && static_cast<double>(step.stride / each.stride) <= each.extent;
        });
        if (run == runs.rend())
            runs.push_back(step);
        else
            run->extent += static_cast<double>(step.stride / run->stride) * (step.extent - 1);
    }
    Touched result;
    double bytes = elementBytes; // from the first to the last of what lies in lines side by side
    for (const Step& run : runs) {
        result.elements *= run.extent;
        const double apart = static_cast<double>(run.stride) * elementBytes;
        if (apart <= lineBytes) {
            bytes += (run.extent - 1) * apart;
            result.lines = std::ceil(bytes / lineBytes);
        } else {
            result.lines *= run.extent;
        }
    }
    return result;
}

} // namespace lathe::tune
