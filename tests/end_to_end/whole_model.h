// SPDX-License-Identifier: Apache-2.0
//
// What must hold for any model after each pass: text reads back, provenance is whole. Each check gives what is wrong, one
// line a finding; nothing if all is well.
#pragma once

#include "driver/compile.h"
#include "inspect/provenance.h"
#include "support/fixtures.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lathe::testing {

struct Findings {
    std::vector<std::string> wrong;
    std::string figures; // what was looked at, in numbers
};

/// Every module and every stage of every kernel, and the entry: print, read, compare, print again.
Findings checkTexts(const driver::Trace& trace);

/// A pass that says "changed" changed the text of the module or of a kernel, every other did not; each stage of a kernel
/// is the object of the stage before exactly if it prints the same text.
Findings checkChanges(const driver::Trace& trace);

/// Every binding has a Span, every statement of a kernel an origin that each call maps to nodes, and every node of the
/// model stands in the code or in trace.removed.
Findings checkProvenance(const driver::Trace& trace);

/// From every node with code to instructions that compute it, and from a thousand instructions, chosen with a fixed seed, to
/// nodes and back: wrong if less than `share` of either arrive.
Findings checkWays(const std::shared_ptr<const driver::Trace>& trace, double share);

} // namespace lathe::testing
