// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/ascending.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace lathe::views::models {
namespace {

constexpr size_t digits = 8, values = 256; // bytes of a key

struct Item {
    uint64_t bits; // ordered as the keys are
    int place;

    size_t digit(size_t number) const { return bits >> (8 * number) & (values - 1); }
};

uint64_t bitsOf(double key) {
    constexpr uint64_t sign = uint64_t{1} << 63;
    const auto bits = std::bit_cast<uint64_t>(key + 0.0); // -0 is 0
    return bits & sign ? ~bits : bits | sign;
}

} // namespace

std::vector<int> ascending(std::span<const double> keys) {
    std::vector<Item> items, sorted(keys.size());
    items.reserve(keys.size());
    std::array<std::array<size_t, values>, digits> counts{};
    for (const double key : keys) {
        items.push_back({bitsOf(key), int(items.size())});
        for (size_t digit = 0; digit < digits; ++digit)
            ++counts[digit][items.back().digit(digit)];
    }
    for (size_t digit = 0; digit < digits; ++digit) {
        if (std::ranges::find(counts[digit], items.size()) != counts[digit].end())
            continue; // all have the same
        size_t before = 0;
        for (size_t& count : counts[digit]) // from here on: where the next one with it goes
            before += std::exchange(count, before);
        for (const Item& item : items)
            sorted[counts[digit][item.digit(digit)]++] = item;
        std::swap(items, sorted);
    }
    std::vector<int> places;
    places.reserve(items.size());
    std::ranges::transform(items, std::back_inserter(places), &Item::place);
    return places;
}

} // namespace lathe::views::models
