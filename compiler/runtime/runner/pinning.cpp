// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/pinning.h"

#include <algorithm>
#include <fstream>
#include <ranges>
#include <set>
#include <string>

namespace lathe::runtime::runner {

std::vector<int> cpusToMeasureOn(std::vector<Cpu> allowed, int count) {
    std::ranges::sort(allowed, std::ranges::greater(), &Cpu::number);
    std::set<int> taken;
    std::ranges::stable_partition(allowed, [&](const Cpu& cpu) { return taken.insert(cpu.core).second; });
    std::vector<int> chosen;
    for (const Cpu& cpu : allowed)
        if (std::ssize(chosen) < count)
            chosen.push_back(cpu.number);
    return chosen;
}

std::vector<Cpu> cpusOf(const cpu_set_t& mask) {
    std::vector<Cpu> cpus;
    for (int number = 0; number < CPU_SETSIZE; ++number) {
        if (!CPU_ISSET(number, &mask))
            continue;
        // "0,4" or "0-1": the first CPU of a core stands for it.
        std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(number) +
                               "/topology/thread_siblings_list");
        int core = number;
        if (!(siblings >> core))
            core = number;
        cpus.push_back({number, core});
    }
    return cpus;
}

} // namespace lathe::runtime::runner
