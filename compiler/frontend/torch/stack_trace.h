// SPDX-License-Identifier: Apache-2.0
//
// Where the author's program says what a node does: torch.export keeps with each node the stack of Python that made it, as
// text. PyTorch's own layers stand in it as well; the author's lines are what people look for.
#pragma once

#include "model/model_graph.h"

#include <string_view>
#include <vector>

namespace lathe::frontend::torch {

/// The frames of a stack as Python prints one, the innermost first, but those of PyTorch's own files behind all others. What is no
/// frame is left out, and of a very deep stack the outer frames.
std::vector<model::SourceLine> readStackTrace(std::string_view text);

} // namespace lathe::frontend::torch
