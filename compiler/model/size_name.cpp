// SPDX-License-Identifier: Apache-2.0
#include "model/size_name.h"

#include <algorithm>
#include <cctype>

namespace lathe::model {

bool isSizeName(const std::string& name) {
    return name != "None" && std::ranges::any_of(name, [](unsigned char letter) { return std::isalnum(letter) != 0; });
}

} // namespace lathe::model
