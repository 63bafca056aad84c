// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the charts of the page Profile show, and what they say of it in words: points of the roofline, buffers of the memory
// plan.
#pragma once

#include "driver/memory_chart.h"
#include "driver/provenance.h"
#include "driver/roofline.h"

#include <QString>

namespace lathe::views::models {

/// "fused_conv_relu: 1.20 ms, 53.1 GFLOP/s, …", a line each.
QString textOf(const driver::ProfileRow& row, const driver::RooflinePoint& point);
/// The peaks, and how the time is bound.
QString summaryOf(const driver::Roofline& roofline, const driver::Profile& profile);

/// "Relu_4: 3.21 MB, …", a line each.
QString textOf(const driver::Trace& trace, const driver::MemoryChart::Buffer& buffer);
/// The peak, what the plan takes, and the largest culprits.
QString summaryOf(const driver::Trace& trace, const driver::MemoryChart& chart);

QString bytesText(double bytes); // "3.21 MB"

} // namespace lathe::views::models
