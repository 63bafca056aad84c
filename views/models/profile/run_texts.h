// SPDX-License-Identifier: GPL-3.0-or-later
//
// How runs of two compilations are put into words, wherever they are held against each other: with what is noise said to be it.
#pragma once

#include "tune/candidate.h"

#include <QString>

namespace lathe::views::models {

/// Milliseconds, the median and the middle half of the runs: "5.174 ms (half of the runs: 5.103 to 5.310)".
QString runsText(const tune::Interval& ms);

/// "3.9 % faster", "2.0 % slower", "No difference beyond the noise (-0.4 %)". `differs`: inspect::differs.
QString changeText(const tune::Interval& before, const tune::Interval& after, bool differs);

} // namespace lathe::views::models
