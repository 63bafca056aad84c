// SPDX-License-Identifier: Apache-2.0
#include "records/recorded_tuning.h"

#include "base/guarded.h"
#include "driver/extensions.h"

namespace lathe::records {
namespace {

class RecordedTuning {
public:
    RecordedTuning(const StudyWish& wish, tuning::TuneOptions options, const ToldOfTuning& told)
        : wish_(wish), options_(std::move(options)), told_(told) {}

    Result<tuning::Tuned> run(const Tuner& tuner) {
        LATHE_CHECKED(tune::makeSearch(options_.plan.search, 0));
        LATHE_CHECKED(tune::makeSpace(options_.space, {}, options_.compile.target, 1,
                                      driver::spacesOf(options_.compile.extensions.get())));
        if (wish_.isRecorded)
            LATHE_CHECKED(open());
        if (told_.opened)
            told_.opened(records_ ? &*records_ : nullptr);
        if (records_)
            takeWhatIsKnown();
        auto tuned = guarded([&] {
            return tuner(options_, [this](const tune::Study& study, const tune::Event& event) { tell(study, event); });
        });
        if (records_)
            end(tuned);
        return tuned;
    }

private:
    /// A new study is made without records that it cannot have; one that is to go on has nothing else to begin with, and a file
    /// that was named was meant.
    Result<void> open() {
        auto begun = StudyRecords::begin(wish_, options_);
        if (begun) {
            records_.emplace(std::move(*begun));
            warn(records_->file().warnings());
            return {};
        }
        if (wish_.resume || !wish_.file.empty())
            return Failure(begun.error());
        Diagnostic problem = begun.error();
        problem.severity = Severity::Warning;
        problem.what += "; the study is not recorded";
        warn({problem});
        return {};
    }

    void takeWhatIsKnown() {
        options_.known = [this, known = records_->known()](const tune::Task& task) {
            tune::Known found = known(task);
            warn(records_->newProblems());
            return found;
        };
        options_.plan.learned = records_->learned();
        warn(records_->newProblems());
        if (!options_.graph)
            return;
        std::vector<Diagnostic> warnings;
        options_.recorded = records_->fastest(warnings);
        warn(warnings);
    }

    void tell(const tune::Study& study, const tune::Event& event) {
        if (records_) {
            records_->tell(study, event);
            warn(records_->newProblems());
        }
        if (told_.told)
            told_.told(study, event);
    }

    void end(Result<tuning::Tuned>& tuned) {
        records_->end(tuned);
        warn(records_->newProblems());
        if (tuned && tuned->failed && options_.device) { // most often it is gone
            std::string& hint = tuned->failed->hint;
            hint += hint.empty() ? "go on by lathe tune --resume" : "; then go on by lathe tune --resume";
        }
    }

    void warn(const std::vector<Diagnostic>& warnings) const {
        if (!warnings.empty() && told_.warned)
            told_.warned(warnings);
    }

    const StudyWish& wish_;
    tuning::TuneOptions options_;
    const ToldOfTuning& told_;
    std::optional<StudyRecords> records_; // none: nothing is recorded
};

} // namespace

Result<tuning::Tuned> recordedTuning(const StudyWish& wish, tuning::TuneOptions options, const ToldOfTuning& told,
                                     const driver::Progress& progress) {
    return recordedTuningBy([&](const tuning::TuneOptions& with,
                                const auto& tell) { return tuning::tuneModel(wish.model, with, tell, progress); },
                            wish, std::move(options), told);
}

Result<tuning::Tuned> recordedTuningBy(const Tuner& tuner, const StudyWish& wish, tuning::TuneOptions options,
                                       const ToldOfTuning& told) {
    return RecordedTuning(wish, std::move(options), told).run(tuner);
}

} // namespace lathe::records
