// SPDX-License-Identifier: Apache-2.0
//
// What rules, and who shows them, look up: the kernel of a row of the profile, what share of the machine it reached, the
// memory plan, names within bounds.
#pragma once

#include "advise/advice.h"
#include "inspect/memory_chart.h"
#include "inspect/roofline.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe::advise {

struct Facts {
    explicit Facts(const Known& known);

    const Known& known;
    const driver::Trace& trace;
    double callsMs = 0;                                   // of a run; 0: it did not run
    std::vector<const driver::KernelRecord*> kernelOfRow; // by row of the profile; null: it is not in the Trace
    std::optional<inspect::Roofline> roofline;            // of the profile, where the peaks are known
    std::optional<inspect::MemoryChart> memory;           // at the profile's sizes
    std::vector<std::optional<double>>
        machineShareOfRow; // of what the machine can do; nothing: the peaks are not known
};

/// On one line, between quotes, cut where it is long: names of models may be anything.
std::string inQuotes(std::string_view name);
/// "31 %".
std::string percent(double share);
/// "23 to 58 %", or one of them where they are the same.
std::string percentRange(double least, double most);
/// "12.3 ms".
std::string milliseconds(double ms);
/// "12.3 MB".
std::string megabytes(int64_t bytes);

} // namespace lathe::advise
