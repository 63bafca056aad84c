// SPDX-License-Identifier: Apache-2.0
//
// What must hold for any model after each pass: text reads back, provenance is whole. Each check gives what is wrong, one
// line a finding; nothing if all is well.
#pragma once

#include "driver/compile.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::testing {

/// A model of the unpacked fixtures, "perf/resnet50/model.onnx"; empty if it is not there.
std::filesystem::path fixture(const std::string& path);
/// Whether there is a folder to unpack fixtures from ($LATHE_SHARED, else ../shared of the checkout): then a fixture that is
/// missing is a failure, not a reason to skip.
bool fixturesExpected();

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

/// Of the instructions inside loops, how many lead to a statement and to nodes; wrong if it is less than `share`.
Findings checkInstructions(const driver::Trace& trace, double share);

} // namespace lathe::testing
