// SPDX-License-Identifier: Apache-2.0
#include "model/no_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::model {

Diagnostic noInput(const std::string& name, const std::vector<std::string>& inputs) {
    return error(ErrorKind::Usage, fmt::format("the model has no input '{}'", name),
                 inputs.empty() ? std::string("it has none")
                                : fmt::format("its inputs are: {}", fmt::join(inputs, ", ")));
}

} // namespace lathe::model
