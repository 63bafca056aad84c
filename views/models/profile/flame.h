// SPDX-License-Identifier: GPL-3.0-or-later
//
// A box of the flame view in words, for a tip and for screen readers.
#pragma once

#include "inspect/flame.h"

#include <QString>

namespace lathe::views::models {

/// "encoder/layer.0: 1.2 ms, 34.1 % of the run, 12 kernel calls", a line each.
QString textOf(const inspect::Flame& flame, const inspect::FlameBox& box);

} // namespace lathe::views::models
