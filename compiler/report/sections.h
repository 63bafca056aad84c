// SPDX-License-Identifier: Apache-2.0
//
// The sections of a report, each in a file of its own. Kernels are described once, at #kernel-NAME; calls at #call-ID, functions
// at #function-NAME; everything else links there.
#pragma once

#include "inspect/pass_figures.h"
#include "report/facts.h"
#include "report/html.h"

#include <span>

namespace lathe::report {

void writeProblems(Html& html, const Facts& facts);
void writeSummary(Html& html, const Facts& facts);
void writeGraph(Html& html, const Facts& facts);
/// figures: of the Trace's passes, in order.
void writePasses(Html& html, const Facts& facts, std::span<const inspect::PassFigures> figures);
void writeFusion(Html& html, const Facts& facts);
/// listings: of facts.hottest, as far as they are detailed.
void writeKernels(Html& html, const Facts& facts, std::span<const Result<driver::Listing>> listings);
void writeProfile(Html& html, const Facts& facts);
void writeFlame(Html& html, const Facts& facts);
void writeRoofline(Html& html, const Facts& facts);
void writeMemory(Html& html, const Facts& facts);

// Pieces that several sections use.

/// A section's beginning: opens it, with its heading and a sentence below. The caller closes it.
void openSection(Html& html, std::string_view id, std::string_view title, std::string_view sentence = {});
/// The plain text if the link is empty.
void writeLink(Html& html, const std::string& link, std::string_view text);
/// Names of nodes, some of them; how many more there are.
void writeNodes(Html& html, const Facts& facts, std::span<const int32_t> nodes);
/// A text of lines that is folded away; not more than a page can hold, with a note of what was left out.
void writeCode(Html& html, std::string_view title, std::string_view text);
/// The lines that differ, folded away, likewise.
void writeDifference(Html& html, std::string_view title, std::string_view before, std::string_view after);
/// Pixels, to hundredths.
std::string number(double pixels);
/// A bar whose length is the share, 0 … 1.
void writeBar(Html& html, double share);

} // namespace lathe::report
