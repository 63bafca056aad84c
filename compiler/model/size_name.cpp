// SPDX-License-Identifier: Apache-2.0
#include "model/size_name.h"

#include <algorithm>
#include <cctype>

namespace lathe::model {

bool isSizeName(const std::string& name) {
    return name != "None" && std::ranges::any_of(name, [](unsigned char letter) { return std::isalnum(letter) != 0; });
}

std::string symbolName(const std::string& name) {
    std::string result;
    for (const char letter : name)
        result += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
    if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
        result = "d" + result;
    return result;
}

std::optional<std::string> sizeMeant(std::span<const std::string> sizes, const std::string& asked) {
    if (std::ranges::find(sizes, asked) != sizes.end())
        return asked;
    const auto alike = std::ranges::find(sizes, symbolName(asked), symbolName);
    return alike != sizes.end() ? std::optional(*alike) : std::nullopt;
}

} // namespace lathe::model
