// SPDX-License-Identifier: Apache-2.0
//
// Target names and the native machine's description.
#include "base/target.h"

#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace lathe {
namespace {

Target level(int version) {
    Target target;
    target.cpu = fmt::format("x86-64-v{}", version);
    target.vectorBits = version >= 4 ? 512 : version == 3 ? 256 : 128;
    target.vectorRegisters = version >= 4 ? 32 : 16;
    target.hasFma = version >= 3;
    target.hasHalfConversion = version >= 3;
    return target;
}

int64_t cacheSize(int name, int64_t fallback) {
    long bytes = sysconf(name);
    return bytes > 0 ? bytes : fallback;
}

} // namespace

Target nativeTarget() {
    __builtin_cpu_init();
    int version = 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        version = 3;
    if (version == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        version = 4;
    Target target = level(version);
    target.l1Bytes = cacheSize(_SC_LEVEL1_DCACHE_SIZE, target.l1Bytes);
    target.l2Bytes = cacheSize(_SC_LEVEL2_CACHE_SIZE, target.l2Bytes);
    target.l3Bytes = cacheSize(_SC_LEVEL3_CACHE_SIZE, target.l3Bytes);
    target.cores = std::max(1u, std::thread::hardware_concurrency());
    return target;
}

Result<Target> parseTarget(std::string_view text) {
    if (text == "native" || text.empty())
        return nativeTarget();
    for (int version = 2; version <= 4; ++version)
        if (text == fmt::format("x86-64-v{}", version))
            return level(version);
    size_t first = text.find(':');
    std::string triple(text.substr(0, first));
    if (!triple.starts_with("x86_64"))
        return failure(fmt::format("unknown target '{}'", text),
                       "use native, x86-64-v2, x86-64-v3, x86-64-v4 or x86_64-TRIPLE[:cpu[:+feature,…]]");
    Target target = level(2);
    target.triple = triple;
    target.cpu = "x86-64-v2";
    if (first != std::string_view::npos) {
        std::string_view rest = text.substr(first + 1);
        size_t second = rest.find(':');
        target.cpu = std::string(rest.substr(0, second));
        for (int version = 3; version <= 4; ++version)
            if (target.cpu == fmt::format("x86-64-v{}", version)) {
                target = level(version);
                target.triple = triple;
            }
        if (second != std::string_view::npos)
            target.features = std::string(rest.substr(second + 1));
        if (target.features.find("+avx2") != std::string::npos && target.vectorBits < 256)
            target.vectorBits = 256;
        if (target.features.find("+fma") != std::string::npos)
            target.hasFma = true;
    }
    return target;
}

std::string toString(const Target& target) {
    std::string text = target.triple + ":" + target.cpu;
    return target.features.empty() ? text : text + ":" + target.features;
}

} // namespace lathe
