// SPDX-License-Identifier: Apache-2.0
//
// How `lathe tune` records its study: under which name, whether it goes on with one, and what is said when records fail. A
// study without records is a study all the same.
#pragma once

#include "app/cli/commands.h"
#include "driver/tune_model.h"
#include "records/recorder.h"

namespace lathe::cli {

class StudyRecords {
public:
    /// Fails where a file was named that cannot be written, or a study is to go on that is not there.
    static Result<StudyRecords> begin(const TuneArgs& args, const driver::TuneOptions& options, const Common& common);

    /// For TuneOptions::known; valid as long as this stays where it is.
    std::function<tune::Known(const tune::Task&)> known();
    void tell(const tune::Study& study, const tune::Event& event);
    void end(const Result<driver::Tuned>& tuned);

private:
    explicit StudyRecords(const Common& common) : common_(&common) {}
    void sayProblems();

    const Common* common_;
    std::optional<records::Recorder> recorder_; // none: nothing is recorded
    size_t said_ = 0;                           // of the recorder's problems
};

} // namespace lathe::cli
