// SPDX-License-Identifier: Apache-2.0
//
// Paddings that are an operand: two numbers a dim.
#pragma once

#include "frontend/common/emit.h"

#include <optional>

namespace lathe::frontend {

struct Paddings {
    Dims before, after;
};

/// Operand 1: two numbers a dim of x.
std::optional<Paddings> readPaddings(NodeReader& node, Var x);

/// x padded by what operand 1 says with its own elements, by the attribute mode: REFLECT or SYMMETRIC.
Var mirrored(NodeReader& node, Builder& b, Var x);

} // namespace lathe::frontend
