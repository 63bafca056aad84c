// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the charts of the page Profile show, and what they say of it in words: points of the roofline, buffers of the memory
// plan.
#pragma once

#include "inspect/memory_chart.h"
#include "inspect/provenance.h"
#include "inspect/roofline.h"

#include <QString>

namespace lathe::views::models {

/// "fused_conv_relu: 1.20 ms, 53.1 GFLOP/s, …", a line each.
QString textOf(const inspect::ProfileRow& row, const inspect::RooflinePoint& point);
/// The peaks, and how the time is bound.
QString summaryOf(const inspect::Roofline& roofline, const inspect::Profile& profile);

/// "Relu_4: 3.21 MB, …", a line each.
QString textOf(const driver::Trace& trace, const inspect::MemoryChart::Buffer& buffer);
/// The peak, what the plan takes, and the largest culprits.
QString summaryOf(const driver::Trace& trace, const inspect::MemoryChart& chart);

QString bytesText(double bytes); // "3.21 MB"

} // namespace lathe::views::models
