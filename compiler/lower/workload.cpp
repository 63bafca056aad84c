// SPDX-License-Identifier: Apache-2.0
#include "lower/workload.h"

#include "tir/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {
namespace {

constexpr int format = 1;

Hash128 hashOf(std::string_view kind, std::string_view text) {
    Hasher hasher;
    hasher.add(fmt::format("lathe {} {}", kind, format));
    hasher.add(text);
    return hasher.finish();
}

Hash128 hashOf(const Target& target) {
    return hashOf("target", toString(target));
}

} // namespace

std::string workloadText(const tir::PrimFunc& unscheduled) {
    tir::PrintOptions options;
    options.origins = options.names = false;
    return tir::print(unscheduled, options);
}

Workload workloadOf(const tir::PrimFunc& unscheduled, const Target& target) {
    return {hashOf("computation", workloadText(unscheduled)), hashOf(target)};
}

std::string toString(const Workload& workload) {
    return toString(workload.computation) + "-" + toString(workload.target);
}

bool isOnOther(std::string_view key, const Target& target) {
    constexpr std::string_view digits = "0123456789abcdef";
    const std::string own = toString(hashOf(target));
    const size_t dash = own.size(); // both hashes have as many digits
    return key.size() == 2 * dash + 1 && key.find_first_not_of(digits) == dash && key[dash] == '-' &&
           key.find_first_not_of(digits, dash + 1) == std::string_view::npos && key.substr(dash + 1) != own;
}

bool hasOpenSizes(const tir::PrimFunc& computation) {
    return std::ranges::any_of(computation.params, [](const tir::Param& param) { return !param.buffer; });
}

} // namespace lathe::lower
