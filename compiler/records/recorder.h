// SPDX-License-Identifier: Apache-2.0
//
// Records a study while it goes on: what the study tells of is written at once, so that who is killed loses a batch at most.
// What was recorded before stays as it is, under its number, also what a study that goes on cannot make again: rows are added.
// Only what is tried again, because its task began anew, takes its old row along; what the model kept stays so until the model
// is asked again, or the schedule turns out to be wrong.
// It also says what is known of a task before: the trials of a study that goes on, and what was best elsewhere. That nothing
// can be written ends no study.
#pragma once

#include "records/near.h"
#include "tune/study.h"

#include <chrono>
#include <map>
#include <optional>

namespace lathe::records {

class Recorder {
public:
    /// A new study is begun; its id and time are drawn here.
    Recorder(File file, Study study, Target target);
    /// The newest study like this one goes on (File::newestLike). Fails if there is none, or it is in another space.
    static Result<Recorder> resume(File file, const Study& like, Target target);

    /// What there is of a task: for tuneModel.
    tune::Known known(const tune::Task& task);
    /// What a cost model has learned in studies before, for this class of machine; empty: nothing that can be used.
    std::string learned();
    /// What changed: for runStudy, on its thread. What cannot be written is tried again every half minute, and at the end.
    void tell(const tune::Study& study, const tune::Event& event);
    /// The study has ended: `held` are its trials that were held against the model, `graph` what was chosen there; whose they are
    /// need not be said. What is recorded of others stays as it is, so does what was chosen before where nothing is now. `learned` is what the cost model knows now; empty: nothing new. Of a study of which
    /// nothing was told, and that learned nothing, nothing is recorded; one that was to go on stays as it was.
    void end(StudyState state, std::vector<HeldTrial> held, const std::string& learned = {},
             std::optional<StudyGraph> graph = {});

    const Study& study() const { return study_; }
    const File& file() const { return file_; }
    /// Why something could not be written or read, each thing once.
    const std::vector<Diagnostic>& problems() const { return problems_; }

private:
    /// Of a task's rows. The study counts from 0 what it goes on from, and from 1 its rounds; where it could not go on from all
    /// that is recorded, numbers of rows are ahead of its own.
    struct Numbers {
        int64_t trials = 0; // the next row's
        int rounds = 0;     // the last row's
        int64_t trialsAhead = 0;
        int roundsAhead = 0;
    };
    void write();
    void note(Diagnostic problem);

    File file_;
    Study study_;
    Target target_;
    std::optional<NearRecords> near_; // as they are when the study begins
    bool resumed_ = false, told_ = false;
    std::optional<std::chrono::steady_clock::time_point> failedAt_; // when nothing could be written; none: it could
    Batch waiting_;
    std::map<std::string, Numbers> numbers_; // by workload
    std::vector<Diagnostic> problems_;
};

} // namespace lathe::records
