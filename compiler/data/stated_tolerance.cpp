// SPDX-License-Identifier: Apache-2.0
#include "data/stated_tolerance.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace lathe::data {
namespace {

bool isInWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
}

/// The numbers that stand alone, not those of "float16".
struct Numbers {
    double largest = 0; // of those that count no steps
    double steps = 0;   // "2 steps": the largest of these
    double step = 0;    // "of 0.1", behind steps
    bool areThere = false;
};

Numbers numbersIn(std::string_view text) {
    Numbers found;
    bool isBehindSteps = false;
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        while (end < text.size() && isInWord(text[end]))
            ++end;
        const std::string_view word = text.substr(at, end - at);
        double number = 0;
        const auto [rest, status] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (status == std::errc() && rest == word.data() + word.size() && std::isfinite(number) && number >= 0) {
            found.areThere = true;
            if (text.substr(end).starts_with(" step")) {
                found.steps = std::max(found.steps, number);
                isBehindSteps = true;
            } else if (isBehindSteps && text.substr(0, at).ends_with(" of ")) {
                found.step = number;
            } else {
                found.largest = std::max(found.largest, number);
            }
        }
        at = std::max(end, at + 1);
    }
    return found;
}

} // namespace

Result<StatedTolerance> parseStated(std::string_view text) {
    const std::string_view first = text.substr(0, text.find(';'));
    StatedTolerance stated;
    if (first.starts_with("shape only")) {
        stated.shapeOnly = true;
        return stated;
    }
    const Numbers numbers = numbersIn(first);
    stated.steps = numbers.steps;
    stated.step = numbers.step;
    stated.isMean = numbers.steps > 0 && first.starts_with("node by node");
    if (numbers.steps == 0)
        stated.ofLargest = numbers.largest;
    if (!numbers.areThere && !first.starts_with("exact"))
        return failure(fmt::format("the tolerance '{}' says nothing that outputs can be held against", text),
                       "say \"1e-5 relative\", \"1 step\", \"exact\" or \"shape only\"");
    return stated;
}

} // namespace lathe::data
