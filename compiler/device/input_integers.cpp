// SPDX-License-Identifier: Apache-2.0
#include "device/input_integers.h"

#include "base/json.h"

#include <algorithm>
#include <map>

namespace lathe::device {
namespace {

/// Nothing if it is malformed.
std::optional<InputIntegers> integersOf(const nlohmann::json& said, size_t symbols) {
    if (!said.is_object() || !said.contains("least") || !said["least"].is_number_integer() || !said.contains("below") ||
        !said["below"].is_array())
        return std::nullopt;
    InputIntegers integers{said["least"].get<int64_t>(), {}};
    for (const nlohmann::json& limit : said["below"]) {
        if (!limit.is_array() || limit.size() != 2 || !limit[0].is_number_integer() || !limit[1].is_number_integer())
            return std::nullopt;
        const InputIntegers::Limit& read =
            integers.below.emplace_back(InputIntegers::Limit{limit[0].get<int64_t>(), limit[1].get<int64_t>()});
        if (read.dim < -static_cast<int64_t>(symbols))
            return std::nullopt;
    }
    return integers;
}

/// The end of what fits into a bit less than all of 64, which keeps differences of ends from wrapping.
constexpr int64_t farthest = int64_t{1} << 62;

int64_t boundedSum(int64_t a, int64_t b) {
    return std::clamp(std::clamp(a, -farthest / 2, farthest / 2) + std::clamp(b, -farthest / 2, farthest / 2),
                      -farthest, farthest);
}

} // namespace

void readIntegers(RunnerModel& model) {
    const auto metadata = parseJson(model.metadata);
    if (!metadata || !metadata->is_object() || !metadata->contains(integersKey))
        return;
    const nlohmann::json& all = (*metadata)[integersKey];
    for (RunnerValue& input : model.inputs)
        if (all.is_object() && all.contains(input.name))
            input.integers = integersOf(all[input.name], model.symbols.size());
}

std::vector<IntegerRange> rangesOf(const std::vector<RunnerValue>& inputs,
                                   const std::vector<std::pair<std::string, std::vector<int64_t>>>& shapes) {
    std::map<int64_t, int64_t> sizes; // of symbols, as in RunnerValue::dims
    for (size_t i = 0; i < inputs.size(); ++i)
        for (size_t dim = 0; dim < std::min(inputs[i].dims.size(), shapes[i].second.size()); ++dim)
            sizes.emplace(inputs[i].dims[dim], shapes[i].second[dim]);
    std::vector<IntegerRange> ranges;
    for (const RunnerValue& input : inputs) {
        IntegerRange& range = ranges.emplace_back();
        if (!input.integers)
            continue;
        const auto& [least, below] = *input.integers;
        IntegerRange taken{least, below.empty() ? boundedSum(least, 2) : farthest};
        for (const InputIntegers::Limit& limit : below)
            if (const auto size = sizes.find(limit.dim); limit.dim >= 0 || size != sizes.end())
                taken.end = std::min(taken.end, boundedSum(limit.dim >= 0 ? limit.dim : size->second, limit.more));
        if (taken.least < taken.end)
            range = taken;
    }
    return ranges;
}

IntegerRange within(DataType dtype, IntegerRange range) {
    const int bits = std::min<int>(dtype.bits, 62);
    range.end = std::min(range.end, int64_t{1} << (dtype.isSigned() ? bits - 1 : bits));
    range.least = std::max(range.least, dtype.isSigned() ? -(int64_t{1} << (bits - 1)) : 0);
    return range.least < range.end ? range : IntegerRange{};
}

} // namespace lathe::device
