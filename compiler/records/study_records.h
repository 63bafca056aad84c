// SPDX-License-Identifier: Apache-2.0
//
// How a study of a model is recorded, whoever began it: under which name, whether it goes on with one, and what happened to
// it in the end. A study without records is a study all the same.
#pragma once

#include "records/recorder.h"
#include "tuning/tune_model.h"

#include <filesystem>
#include <optional>
#include <string>

namespace lathe::records {

/// Which study is begun, or gone on with.
struct StudyWish {
    std::filesystem::path model;
    std::filesystem::path file; // of records; empty: the default one
    std::string name;           // empty: the model's; of a study that is to go on: any
    std::string id;             // of the study that is to go on; empty: any
    bool resume = false;
    bool isRecorded = true; // else recordedTuning neither reads nor writes records
};

/// The newest study of the model for these options, of any name: with which `resume` would go on. Nothing: there is none, or
/// no file that can be read.
std::optional<Study> lastStudy(const StudyWish& wish, const tuning::TuneOptions& options);

class StudyRecords {
public:
    /// Fails where there is no folder for records, the file cannot be written, or a study is to go on that is not there.
    static Result<StudyRecords> begin(const StudyWish& wish, const tuning::TuneOptions& options);

    const Study& study() const { return recorder_.study(); }
    const File& file() const { return recorder_.file(); }

    /// For TuneOptions::known; valid as long as this stays where it is.
    std::function<tune::Known(const tune::Task&)> known();
    /// For tune::Plan::learned.
    std::string learned() { return recorder_.learned(); }
    /// For TuneOptions::recorded: the fastest for this machine, threads and numerics, by workload. `warnings` gets what is wrong
    /// with them.
    std::map<std::string, schedule::ScheduleTrace> fastest(std::vector<Diagnostic>& warnings) const;
    void tell(const tune::Study& study, const tune::Event& event) { recorder_.tell(study, event); }
    void end(const Result<tuning::Tuned>& tuned);
    /// What went wrong since the last time, each thing once.
    std::vector<Diagnostic> newProblems();

private:
    StudyRecords(Recorder recorder, driver::Decisions given)
        : recorder_(std::move(recorder)), given_(std::move(given)) {}

    Recorder recorder_;
    driver::Decisions given_; // that the study began with
    size_t said_ = 0;         // of the recorder's problems
};

} // namespace lathe::records
