// SPDX-License-Identifier: Apache-2.0
#include "app/cli/validators.h"

#include <charconv>
#include <fmt/format.h>

namespace lathe::cli {

CLI::Validator between(int low, int high) { // CLI::Range lets NaN pass
    return {[low, high](const std::string& text) -> std::string {
                double value = 0;
                const bool good = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
                return good ? "" : fmt::format("'{}' is not from {} to {}", text, low, high);
            },
            fmt::format("FLOAT in [{} - {}]", low, high)};
}

CLI::Validator seconds() {
    return {[](const std::string& text) -> std::string {
                double value = 0;
                const bool good = CLI::detail::lexical_cast(text, value) && value >= 0.001 && value <= 1e6;
                return good ? "" : "'" + text + "' is not from 0.001 to 1000000 seconds";
            },
            "SECONDS"};
}

CLI::Validator duration() {
    return {[](std::string& text) -> std::string {
                double value = 0;
                const auto [unit, status] = std::from_chars(text.data(), text.data() + text.size(), value);
                const std::string_view name(unit, text.data() + text.size());
                const double factor = name.empty() || name == "s" ? 1 : name == "m" ? 60 : name == "h" ? 3600 : 0;
                const double all = value * factor;
                if (status != std::errc() || !(all >= 0.1 && all <= 1e6))
                    return "'" + text + "' is no time from 0.1s to 277h, such as 90s, 5m or 1h";
                text = fmt::format("{}", all);
                return "";
            },
            "TIME"};
}

/// CLI11 takes "-1" for the largest number, and what is larger than that too.
CLI::Validator seed() {
    return {[](const std::string& text) -> std::string {
                uint64_t value = 0;
                const char* end = text.data() + text.size();
                const auto [stop, status] = std::from_chars(text.data(), end, value);
                return status == std::errc() && stop == end ? "" : "'" + text + "' is no whole number of 64 bits";
            },
            "SEED"};
}

} // namespace lathe::cli
