// SPDX-License-Identifier: Apache-2.0
//
// Observe: values of the model that the main function computes become results of it, behind its own, so that a run shows
// them. After "fuse", which therefore decides as it would without: what is observed is what runs. A value inside of a fused
// function, or folded away, or within a branch or loop is none of main, and is left out.
#pragma once

#include "relay/ir.h"

#include <span>
#include <string>

namespace lathe::relay::transform {

/// In the order of main's bindings, each in the model's own order of elements (a relayout where it is stored otherwise) and
/// under its name as the output's. Names of outputs and of what is no tensor are passed over.
Module observe(const Module& module, std::span<const std::string> values);

} // namespace lathe::relay::transform
