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
    std::map<std::string, lower::RecordedSchedule> schedules; // by workload
    std::vector<Diagnostic> warnings;                         // what cannot be read, or is known to fit no more
};
Result<Offered> offeredFor(const File& file, const Setting& setting);

/// The records that come with the program for machines of this class: `folder`/CLASS.jsonl, read into memory. Nothing if there
/// are none; fails where they are not what they should be.
Result<std::optional<File>> shippedFor(const std::filesystem::path& folder, const Setting& setting);
/// The folder of those of this installation: share/lathe/records beside the folder of the program.
std::filesystem::path shippedFolder();
/// The name of the file for this class of machine: of the letters and digits of its processor, and a hash of all of it.
std::string shippedName(const std::string& machine);

/// Whether the fastest schedules of all settings still fit what they were recorded for, a sentence for each that does not. Each
/// is marked as stale, or no more, where the file may be written.
struct Verified {
    int64_t good = 0;
    std::vector<std::string> bad;
};
Result<Verified> verify(File& file);

/// After a compilation in this setting: its workloads' schedules that did not replay.
Result<void> markStale(File& file, const Setting& setting, const std::vector<std::string>& workloads);

/// Hashes all workloads anew from their texts, as after a change of how they are hashed or printed.
struct Rehashed {
    int64_t same = 0, renamed = 0;
    std::vector<std::string> unread; // whose texts this program does not read; they stay as they are
};
Result<Rehashed> rehash(File& file);

} // namespace lathe::records
