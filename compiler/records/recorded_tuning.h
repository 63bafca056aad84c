// SPDX-License-Identifier: Apache-2.0
//
// Tuning with its study recorded, whoever asks for it: what was recorded before goes in, what the study tells of is written at
// once, and how it ended in the end. Callers differ in what they do with what they are told, and in how they cancel.
#pragma once

#include "records/study_records.h"

#include <functional>
#include <vector>

namespace lathe::records {

/// What a caller hears beside what it asks for by the options; each may be empty.
struct ToldOfTuning {
    /// Before the model is read: what the study is recorded in, which is there until the tuning ends. Null: nothing is recorded.
    std::function<void(const StudyRecords*)> opened;
    std::function<void(const tune::Study&, const tune::Event&)> told; // once it is recorded
    /// What goes wrong with the records, each thing once. It ends no study that can do without them.
    std::function<void(const std::vector<Diagnostic>&)> warned;
};

/// As tuneModel, whose options get what is recorded. Fails beside that where the search or the space is none, a study is to go
/// on that is not there, or a file of records was named that cannot be written.
Result<tuning::Tuned> recordedTuning(const StudyWish& wish, tuning::TuneOptions options, const ToldOfTuning& told,
                                     const driver::Progress& progress = {});

/// The same, by something else than tuneModel.
using Tuner = std::function<Result<tuning::Tuned>(
    const tuning::TuneOptions&, const std::function<void(const tune::Study&, const tune::Event&)>& told)>;
Result<tuning::Tuned> recordedTuningBy(const Tuner& tuner, const StudyWish& wish, tuning::TuneOptions options,
                                       const ToldOfTuning& told);

} // namespace lathe::records
