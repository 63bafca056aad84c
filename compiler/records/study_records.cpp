// SPDX-License-Identifier: Apache-2.0
#include "records/study_records.h"

#include "base/file_hash.h"
#include "driver/options.h"
#include "records/best.h"
#include "records/study_graph.h"

#include <algorithm>
#include <iterator>

namespace lathe::records {
namespace {

Study studyOf(const StudyWish& wish, const tuning::TuneOptions& options) {
    Study study;
    study.id = wish.id;
    study.name = wish.name;
    if (study.name.empty() && !wish.resume)
        study.name = wish.model.stem().string();
    study.model = wish.model.string();
    if (const auto content = contentOf(wish.model, options.runner.cancelled))
        study.modelHash = toString(content->hash);
    const std::string_view numerics = driver::toString(options.compile.numerics);
    study.setting = options.device
                        ? settingOn(*options.device, options.compile.target, options.runner.threads, numerics)
                        : settingHere(options.runner.threads, numerics);
    study.search =
        textOfSearch(options.plan.search, options.space, options.sizes ? toString(*options.sizes) : std::string());
    return study;
}

std::filesystem::path fileOf(const StudyWish& wish) {
    return wish.file.empty() ? defaultFile() : wish.file;
}

} // namespace

std::optional<Study> lastStudy(const StudyWish& wish, const tuning::TuneOptions& options) {
    std::error_code failed;
    const std::filesystem::path path = fileOf(wish);
    if (path.empty() || !std::filesystem::exists(path, failed))
        return std::nullopt;
    const auto file = File::open(path, File::Access::Read);
    if (!file)
        return std::nullopt;
    StudyWish any = wish;
    any.resume = true;
    const auto found = file->newestLike(studyOf(any, options));
    return found ? *found : std::nullopt;
}

Result<StudyRecords> StudyRecords::begin(const StudyWish& wish, const tuning::TuneOptions& options) {
    const std::filesystem::path path = fileOf(wish);
    if (path.empty())
        return failure(ErrorKind::Usage, "there is no folder for records", "name a file by --records");
    LATHE_TRY(File file, File::open(path, File::Access::Write));
    const Study study = studyOf(wish, options);
    if (!wish.resume)
        return StudyRecords(Recorder(std::move(file), study, options.compile.target), options.decisions);
    LATHE_TRY(Recorder recorder, Recorder::resume(std::move(file), study, options.compile.target));
    return StudyRecords(std::move(recorder), options.decisions);
}

std::function<tune::Known(const tune::Task&)> StudyRecords::known() {
    return [this](const tune::Task& task) { return recorder_.known(task); };
}

std::map<std::string, schedule::ScheduleTrace> StudyRecords::fastest(std::vector<Diagnostic>& warnings) const {
    auto offered = offeredFor(file(), study().setting);
    if (!offered) {
        warnings.push_back(std::move(offered).error());
        warnings.back().severity = Severity::Warning;
        return {};
    }
    std::ranges::move(offered->warnings, std::back_inserter(warnings));
    std::map<std::string, schedule::ScheduleTrace> traces;
    for (auto& [workload, recorded] : offered->schedules)
        traces.emplace(workload, std::move(recorded.trace));
    return traces;
}

void StudyRecords::end(const Result<tuning::Tuned>& tuned) {
    std::vector<HeldTrial> held;
    if (tuned)
        for (const tune::TaskState& state : tuned->study.tasks)
            for (const tune::Trial& trial : state.trials)
                if (trial.inPlace != InPlace::Unknown)
                    held.push_back({{}, state.task.workload, toString(trial.candidate.program), trial.inPlace});
    recorder_.end(tuned && !tuned->failed ? StudyState::Ended : StudyState::Failed, std::move(held),
                  tuned ? tuned->learned : std::string(), tuned ? rowOf(*tuned, given_) : std::nullopt);
}

std::vector<Diagnostic> StudyRecords::newProblems() {
    const std::vector<Diagnostic>& all = recorder_.problems();
    std::vector<Diagnostic> problems(all.begin() + static_cast<std::ptrdiff_t>(said_), all.end());
    said_ = all.size();
    return problems;
}

} // namespace lathe::records
