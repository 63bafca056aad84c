// SPDX-License-Identifier: Apache-2.0
//
// How arguments and results in lists, tuples and dicts are laid out as one list of tensors (PyTorch's "pytree"), and what the
// user calls each of them: "xs.0", "out.1.key".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::frontend::torch {

/// The names of a result's tensors, in order; nothing if the text is no layout, or one of a kind that is not known.
std::optional<std::vector<std::string>> resultNames(std::string_view layout);
/// Those of arguments by their names in the program.
std::optional<std::vector<std::string>> argumentNames(std::string_view layout,
                                                      const std::vector<std::string>& arguments);

} // namespace lathe::frontend::torch
