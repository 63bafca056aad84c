// SPDX-License-Identifier: Apache-2.0
//
// What records are good for: schedules for a compilation, and whether they still are what they were.
#pragma once

#include "driver/decisions.h"
#include "records/file.h"

namespace lathe::records {

/// For Decisions::recorded: the fastest schedules of the setting. A compilation takes those of its own workloads, whose keys
/// name the target too; so all that matters is the same as it was when they were measured.
struct Offered {
    std::map<std::string, schedule::ScheduleTrace> schedules; // by workload
    std::vector<Diagnostic> warnings;                         // what cannot be read
};
Result<Offered> offeredFor(const File& file, const Setting& setting);

/// Whether the fastest schedules of all settings still fit what they were recorded for, a sentence for each that does not.
struct Verified {
    int64_t good = 0;
    std::vector<std::string> bad;
};
Result<Verified> verify(const File& file);

} // namespace lathe::records
