// SPDX-License-Identifier: GPL-3.0-or-later
//
// The graph coloured by the errors of a check: each node by the value that it gives, or, where a fused function keeps that to
// itself, by the value that is computed with it.
#pragma once

#include "views/models/check/check_model.h"
#include "views/models/graph/overlay.h"

namespace lathe::views::models {

/// For an image of a model with as many nodes. The share is 1 where a value diverges; below, it grows with the magnitude of
/// the error, six of which lie within the tolerance. A group is as the worst of what is in it.
Overlay errorOverlay(const diagnose::Check& check, const GroupedGraph* grouped = nullptr);

} // namespace lathe::views::models
