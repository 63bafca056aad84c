// SPDX-License-Identifier: Apache-2.0
#include "app/cli/study_records.h"

#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/file_hash.h"
#include "driver/json.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::cli {
namespace {

/// The study that these arguments ask for. A study that is to go on has any name, unless one is given.
records::Study studyOf(const TuneArgs& args, const driver::TuneOptions& options) {
    records::Study study;
    study.name = args.study;
    if (study.name.empty() && !args.resume)
        study.name = std::filesystem::path(args.model).stem().string();
    study.model = args.model;
    if (const auto hash = hashFile(args.model))
        study.modelHash = toString(*hash);
    study.setting = records::settingHere(options.runner.threads, driver::toString(options.compile.numerics));
    study.search = args.search;
    return study;
}

} // namespace

Result<StudyRecords> StudyRecords::begin(const TuneArgs& args, const driver::TuneOptions& options,
                                         const Common& common) {
    StudyRecords records(common);
    if (args.noRecords)
        return records;
    auto file = openRecords(args.records, records::File::Access::Write, common);
    if (!file && (args.resume || !args.records.empty()))
        return Failure(file.error());
    if (!file) {
        Diagnostic problem = file.error();
        problem.severity = Severity::Warning;
        problem.what += "; the study is not recorded";
        report({problem}, common);
        return records;
    }
    const records::Study study = studyOf(args, options);
    if (args.resume) {
        LATHE_TRY(records.recorder_, records::Recorder::resume(std::move(*file), study, options.compile.target));
    } else {
        records.recorder_.emplace(std::move(*file), study, options.compile.target);
    }
    const records::Study& recorded = records.recorder_->study();
    const std::string path = records.recorder_->file().path().string();
    if (common.json)
        fmt::print("{}\n", driver::dump({{"event", "study"},
                                         {"study", recorded.id},
                                         {"name", recorded.name},
                                         {"resumed", args.resume},
                                         {"records", path}}));
    else if (!common.quiet)
        printStderr("{} study '{}', recorded in {}\n", args.resume ? "goes on with" : "begins", recorded.name, path);
    return records;
}

std::function<tune::Known(const tune::Task&)> StudyRecords::known() {
    if (!recorder_)
        return {};
    return [this](const tune::Task& task) {
        tune::Known known = recorder_->known(task);
        sayProblems();
        return known;
    };
}

void StudyRecords::tell(const tune::Study& study, const tune::Event& event) {
    if (!recorder_)
        return;
    recorder_->tell(study, event);
    sayProblems();
}

void StudyRecords::end(const Result<driver::Tuned>& tuned) {
    if (!recorder_)
        return;
    std::vector<std::string> kept;
    if (tuned)
        for (const tune::TaskState& state : tuned->study.tasks)
            if (state.best > 0 && std::ranges::find(tuned->takenBack, state.task.workload) == tuned->takenBack.end())
                kept.push_back(state.task.workload);
    recorder_->end(tuned ? records::StudyState::Ended : records::StudyState::Failed, kept,
                   tuned ? tuned->takenBack : std::vector<std::string>());
    sayProblems();
}

void StudyRecords::sayProblems() {
    const std::vector<Diagnostic>& problems = recorder_->problems();
    report({problems.begin() + static_cast<std::ptrdiff_t>(said_), problems.end()}, *common_);
    said_ = problems.size();
}

} // namespace lathe::cli
