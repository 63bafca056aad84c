// SPDX-License-Identifier: Apache-2.0
//
// Operators that PyTorch has under a second name, with the same arguments.
#pragma once

#include <span>
#include <string_view>

namespace lathe::frontend::torch {

struct Alias {
    std::string_view name, of; // as torch.export names them
};
std::span<const Alias> aliases();

} // namespace lathe::frontend::torch
