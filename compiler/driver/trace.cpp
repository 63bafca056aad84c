// SPDX-License-Identifier: Apache-2.0
#include "driver/trace.h"

#include <algorithm>

namespace lathe::driver {

std::vector<const KernelRecord*> kernelsNamed(const Trace& trace, std::string_view name) {
    std::vector<const KernelRecord*> found;
    for (const KernelRecord& kernel : trace.kernels) {
        const auto calls = [&](const CallRecord& call) { return call.function == name && call.kernel == kernel.name; };
        if (name.empty() || kernel.name == name || kernel.workload == name || std::ranges::any_of(trace.calls, calls))
            found.push_back(&kernel);
    }
    return found;
}

} // namespace lathe::driver
