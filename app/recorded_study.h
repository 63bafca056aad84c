// SPDX-License-Identifier: GPL-3.0-or-later
//
// A study out of the records, as the window shows one that goes on.
#pragma once

#include "records/study_records.h"
#include "views/models/tuning/study_end.h"
#include "views/models/tuning/study_log.h"

namespace lathe::app {

struct RecordedStudy {
    views::models::StudyHead head;
    views::models::StudyUpdate update; // all of it
    views::models::StudyEnd end;
    std::vector<Diagnostic> problems; // what of it cannot be read
};

views::models::StudyHead headOf(const records::Study& study, const std::filesystem::path& file);

/// The study with this id; without one the newest of the model for these options. Nothing: there is none. Fails where the
/// file cannot be read.
Result<std::optional<RecordedStudy>> readStudy(const records::StudyWish& wish, const tuning::TuneOptions& options,
                                               const std::string& id, const std::function<bool()>& cancelled);

} // namespace lathe::app
