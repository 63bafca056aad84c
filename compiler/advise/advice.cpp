// SPDX-License-Identifier: Apache-2.0
#include "advise/advice.h"

#include "advise/rules.h"

#include <algorithm>
#include <array>

namespace lathe::advise {
namespace {

struct Rule {
    std::string_view name;
    std::optional<Advice> (*advise)(const Facts&);
};

constexpr Rule rules[] = {
    {"diverges", valuesDiverge},
    {"sizes", sizesTakenAsOne},
    {"inputs", valuesDecideTime},
    {"noise", runsDiffer},
    {"target", codeForLess},
    {"passes off", passesOff},
    {"stale schedules", schedulesStale},
    {"unchecked", valuesUnchecked},
    {"threads", oneThread},
    {"untuned", kernelsUntuned},
    {"movement", dataMoved},
    {"refused schedule", scheduleRefused},
    {"waiting", threadsWait},
    {"between calls", betweenCalls},
    {"strict", strictNumerics},
    {"memory", oneBufferMakesThePeak},
};

} // namespace

std::string_view toString(Step step) {
    static constexpr std::array<std::string_view, steps> names = {"bisect", "check",  "run",   "settings", "tune",
                                                                  "passes", "fusion", "loops", "timeline", "memory"};
    return names[static_cast<size_t>(step)];
}

std::vector<Advice> adviseOn(const Facts& facts) {
    std::vector<Advice> all;
    for (const Rule& rule : rules)
        if (std::optional<Advice> advice = rule.advise(facts)) {
            advice->rule = rule.name;
            all.push_back(*std::move(advice));
        }
    // Rules about time stand behind those that say whether figures are to be believed.
    const auto timed = std::ranges::find_if(all, [](const Advice& advice) { return advice.ms > 0; });
    std::stable_sort(timed, all.end(), [](const Advice& a, const Advice& b) { return a.ms > b.ms; });
    return all;
}

} // namespace lathe::advise
