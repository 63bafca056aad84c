// SPDX-License-Identifier: Apache-2.0
//
// How `lathe tune` records its study (records/study_records.h), and what it says of that.
#pragma once

#include "app/cli/commands.h"
#include "records/study_records.h"

namespace lathe::cli {

class StudyRecords {
public:
    /// Fails where a file was named that cannot be written, or a study is to go on that is not there.
    static Result<StudyRecords> begin(const TuneArgs& args, const tuning::TuneOptions& options, const Common& common);

    /// The study begins: says which it is, and where it is recorded.
    void say();
    /// For TuneOptions::known; valid as long as this stays where it is.
    std::function<tune::Known(const tune::Task&)> known();
    /// For tune::Plan::learned.
    std::string learned();
    /// The fastest that are recorded for this machine, threads and numerics, by workload.
    std::map<std::string, schedule::ScheduleTrace> fastest();
    void tell(const tune::Study& study, const tune::Event& event);
    /// Whether anything is recorded.
    bool isKept() const { return records_.has_value(); }
    void end(const Result<tuning::Tuned>& tuned);

private:
    explicit StudyRecords(const Common& common) : common_(&common) {}
    void sayProblems();

    const Common* common_;
    bool resumed_ = false;
    std::optional<records::StudyRecords> records_; // none: nothing is recorded
};

} // namespace lathe::cli
