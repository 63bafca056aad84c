// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <cmath>
#include <fmt/format.h>

namespace lathe {

std::optional<nlohmann::json> parseJson(std::string_view text) {
    constexpr int deepest = 64;
    bool shallow = true;
    const auto notice = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        shallow &= depth <= deepest;
        return shallow; // what is too deep is dropped while it is read
    };
    nlohmann::json value = nlohmann::json::parse(text, notice, false);
    return value.is_discarded() || !shallow ? std::nullopt : std::optional(std::move(value));
}

std::string dump(const nlohmann::json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json numberOrText(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(fmt::format("{}", value));
}

} // namespace lathe
