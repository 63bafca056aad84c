// SPDX-License-Identifier: Apache-2.0
#include "runtime/runner/probe.h"

#include "runtime/runner/bench.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lathe::runtime::runner {
namespace {

constexpr int times = 2;
constexpr int steps = 15'000; // a multiply-add takes 4 to 8 cycles
constexpr size_t line = 64, readBytes = size_t{1} << 20;

/// Keeps the compiler from leaving out what nobody uses.
template <class T>
void use(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

} // namespace

ProbeTimes probe() {
    static const std::vector<uint8_t> memory(readBytes, 1);
    ProbeTimes least;
    for (int time = 0; time < times; ++time) {
        double value = 1;
        const int64_t begin = now();
        for (int step = 0; step < steps; ++step)
            value = value * 0.999 + 0.001;
        use(value);
        const int64_t middle = now();
        uint64_t sum = 0;
        for (size_t i = 0; i < readBytes; i += line)
            sum += memory[i];
        use(sum);
        const auto compute = static_cast<double>(middle - begin), read = static_cast<double>(now() - middle);
        least = time == 0 ? ProbeTimes{compute, read}
                          : ProbeTimes{std::min(least.computeNs, compute), std::min(least.readNs, read)};
    }
    return least;
}

} // namespace lathe::runtime::runner
