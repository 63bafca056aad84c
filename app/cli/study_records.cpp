// SPDX-License-Identifier: Apache-2.0
#include "app/cli/study_records.h"

#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "base/printable.h"
#include "records/best.h"

#include <fmt/format.h>

namespace lathe::cli {

Result<StudyRecords> StudyRecords::begin(const TuneArgs& args, const tuning::TuneOptions& options,
                                         const Common& common) {
    StudyRecords records(common);
    if (args.noRecords)
        return records;
    auto begun = records::StudyRecords::begin(
        {.model = args.model, .file = args.records, .name = args.study, .id = {}, .resume = args.resume}, options);
    if (!begun && (args.resume || !args.records.empty()))
        return Failure(begun.error());
    if (!begun) {
        Diagnostic problem = begun.error();
        problem.severity = Severity::Warning;
        problem.what += "; the study is not recorded";
        report({problem}, common);
        return records;
    }
    records.records_.emplace(std::move(*begun));
    records.resumed_ = args.resume;
    report(records.records_->file().warnings(), common);
    return records;
}

void StudyRecords::say() {
    if (!records_)
        return;
    const records::Study& recorded = records_->study();
    const std::string path = records_->file().path().string();
    if (common_->json)
        fmt::print("{}\n", dump({{"event", "study"},
                                 {"study", recorded.id},
                                 {"name", recorded.name},
                                 {"resumed", resumed_},
                                 {"records", path}}));
    else if (!common_->quiet)
        printStderr("{} study '{}', recorded in {}\n", resumed_ ? "goes on with" : "begins", printable(recorded.name),
                    path);
}

std::function<tune::Known(const tune::Task&)> StudyRecords::known() {
    if (!records_)
        return {};
    return [this, known = records_->known()](const tune::Task& task) {
        tune::Known found = known(task);
        sayProblems();
        return found;
    };
}

std::string StudyRecords::learned() {
    if (!records_)
        return {};
    std::string learned = records_->learned();
    sayProblems();
    return learned;
}

std::map<std::string, schedule::ScheduleTrace> StudyRecords::fastest() {
    if (!records_)
        return {};
    std::vector<Diagnostic> warnings;
    auto traces = records_->fastest(warnings);
    report(warnings, *common_);
    return traces;
}

void StudyRecords::tell(const tune::Study& study, const tune::Event& event) {
    if (!records_)
        return;
    records_->tell(study, event);
    sayProblems();
}

void StudyRecords::end(const Result<tuning::Tuned>& tuned) {
    if (!records_)
        return;
    records_->end(tuned);
    sayProblems();
}

void StudyRecords::sayProblems() {
    report(records_->newProblems(), *common_);
}

} // namespace lathe::cli
