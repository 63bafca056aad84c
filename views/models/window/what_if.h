// SPDX-License-Identifier: GPL-3.0-or-later
//
// A change of what is decided otherwise than by default, as a page wishes it: what it is called, so that it can be undone by
// name, and what it does to the Decisions.
#pragma once

#include "driver/decisions.h"

#include <QString>
#include <functional>

namespace lathe::views::models {

struct WhatIf {
    QString what; // "keeping apart Conv_0 and Relu_1"
    std::function<void(driver::Decisions&)> change;
};

using Pairs = std::vector<driver::ApartDecision>;

/// Pairs of operators are kept apart, or may be fused again.
WhatIf keepApart(const Pairs& pairs, bool apart);
/// In the place of what was decided for the same operator.
WhatIf chooseVariant(const driver::VariantDecision& decision);
WhatIf chooseLayout(const driver::LayoutDecision& decision);
/// An optional pass is off, or on again.
WhatIf switchPass(const QString& pass, bool off);
/// Of the optional passes only those up to this one run; empty: all.
WhatIf runUpTo(const QString& pass);

/// "no decisions", "2 pairs apart, 1 variant": what tells compilations apart.
QString summaryOf(const driver::Decisions& decisions);

} // namespace lathe::views::models
