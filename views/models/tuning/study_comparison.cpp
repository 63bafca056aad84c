// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/study_comparison.h"

#include "base/guarded.h"
#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/tuning/trial_model.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <map>

namespace lathe::views::models {
namespace {

constexpr qsizetype longestNameOfTask = 40;

/// What one study found of a task.
struct Found {
    double defaultUs = 0; // 0: it could not be measured
    tune::Interval ratio{1, 1, 1};
};

/// Adds the task's trials to the curve: what it accepted, as changes of the microseconds of a run.
struct Change {
    double seconds = 0, us = 0;
};
Result<Found> read(const records::File& file, const std::string& study, const std::string& workload, double calls,
                   StudyCurve& curve, std::vector<Change>& changes) {
    LATHE_TRY(const std::vector<records::Trial> trials, file.trialsOf(study, workload, records::File::Traces::Leave));
    Found found;
    curve.trials += trials.size();
    for (const records::Trial& trial : records::sinceItBegan(trials)) {
        curve.seconds = std::max(curve.seconds, trial.seconds);
        const bool isMeasured = trial.verdict == tune::Verdict::Measured && trial.us > 0 && trial.ratio.middle > 0;
        if (trial.made == tune::Made::Default && isMeasured)
            found.defaultUs = trial.us;
        if (!isMeasured || !trial.accepted || trial.ratio.middle >= found.ratio.middle)
            continue;
        changes.push_back({trial.seconds, calls * found.defaultUs * (trial.ratio.middle - found.ratio.middle)});
        found.ratio = trial.ratio;
    }
    curve.defaultUs += calls * found.defaultUs;
    return found;
}

void finish(StudyCurve& curve, std::vector<Change> changes) {
    if (curve.defaultUs <= 0)
        return;
    std::ranges::stable_sort(changes, {}, &Change::seconds);
    double us = curve.defaultUs;
    const bool isTimed = std::ranges::none_of(changes, [](const Change& each) { return each.seconds <= 0; });
    if (isTimed)
        curve.steps.push_back({0, 1});
    for (const Change& change : changes) {
        us += change.us;
        if (isTimed)
            curve.steps.push_back({change.seconds, us / curve.defaultUs});
    }
    curve.ratio = us / curve.defaultUs;
}

QString ratioOf(const tune::Interval& ratio) {
    return ratio.middle == 1 ? StudyComparisonModel::tr("default")
                             : StudyComparisonModel::tr("%1 (%2 to %3)")
                                   .arg(ratioText(ratio.middle), ratioText(ratio.low), ratioText(ratio.high));
}

QString signedPercent(double share) {
    return QStringLiteral("%1%2 %").arg(share > 0 ? "+" : "").arg(100 * share, 0, 'f', 1);
}

} // namespace

Result<std::vector<records::Study>> recordedStudies(const std::filesystem::path& path) {
    return guarded([&]() -> Result<std::vector<records::Study>> {
        LATHE_TRY(const records::File file, records::File::open(path, records::File::Access::Read));
        return file.studies();
    });
}

Result<StudyComparison> compareStudies(const std::filesystem::path& path, const std::string& one,
                                       const std::string& other) {
    return guarded([&]() -> Result<StudyComparison> {
        LATHE_TRY(const records::File file, records::File::open(path, records::File::Access::Read));
        return compareStudies(file, one, other);
    });
}

Result<StudyComparison> compareStudies(const records::File& file, const std::string& one, const std::string& other) {
    StudyComparison comparison;
    LATHE_TRY(const std::vector<records::Study> studies, file.studies());
    for (const auto& [id, curve] : {std::pair(&one, &comparison.one), {&other, &comparison.other}}) {
        const auto found = std::ranges::find(studies, *id, &records::Study::id);
        if (found == studies.end())
            return failure("the study is not recorded any more", "read the records again");
        curve->study = *found;
    }
    LATHE_TRY(const std::vector<records::Workload> workloads, file.workloads());
    LATHE_TRY(const std::vector<records::Task> all, file.tasks());
    std::map<std::string, std::pair<const records::Task*, const records::Task*>> tasks; // by workload
    for (const records::Task& task : all) {
        if (task.study == one)
            tasks[task.workload].first = &task;
        if (task.study == other)
            tasks[task.workload].second = &task;
    }
    std::vector<Change> ofOne, ofOther;
    for (const auto& [workload, both] : tasks) {
        if (!both.first || !both.second) {
            ++comparison.alone;
            continue;
        }
        ComparedTask task{workload, "", both.first->calls, 0, {1, 1, 1}, {1, 1, 1}};
        if (const auto named = std::ranges::find(workloads, workload, &records::Workload::key);
            named != workloads.end())
            task.kernel = named->kernel;
        LATHE_TRY(const Found first, read(file, one, workload, task.calls, comparison.one, ofOne));
        LATHE_TRY(const Found second, read(file, other, workload, task.calls, comparison.other, ofOther));
        task.defaultUs = first.defaultUs;
        task.one = first.ratio;
        task.other = second.ratio;
        comparison.tasks.push_back(std::move(task));
    }
    finish(comparison.one, std::move(ofOne));
    finish(comparison.other, std::move(ofOther));
    std::ranges::stable_sort(comparison.tasks, std::ranges::greater(),
                             [](const ComparedTask& task) { return task.calls * task.defaultUs; });
    return comparison;
}

QString titleOf(const records::Study& study) {
    const QDateTime started = QDateTime::fromSecsSinceEpoch(study.started);
    return StudyComparisonModel::tr("%1, %2, %3, %4")
        .arg(oneLine(study.name, longestNameOfTask),
             QLocale(QLocale::English).toString(started, QStringLiteral("d MMMM yyyy hh:mm")),
             counted(study.setting.threads, "thread", "threads"), oneLine(study.search, longestNameOfTask));
}

QString summaryOf(const StudyComparison& comparison) {
    const auto& [one, other] = std::tie(comparison.one, comparison.other);
    if (comparison.tasks.empty())
        return StudyComparisonModel::tr("The two studies have no kernel in common: there is nothing to compare.");
    QStringList lines;
    lines << StudyComparisonModel::tr("In %1 that both tuned, the first came to %2 of the default's time after %3, the "
                                      "second to %4 after %5.")
                 .arg(counted(qint64(comparison.tasks.size()), "kernel", "kernels"), ratioText(one.ratio),
                      counted(qint64(one.trials), "trial", "trials"), ratioText(other.ratio),
                      counted(qint64(other.trials), "trial", "trials"));
    if (comparison.alone > 0)
        lines << StudyComparisonModel::tr("%1 of one study alone: left out.")
                     .arg(counted(qint64(comparison.alone), "kernel is", "kernels are"));
    if (one.study.setting.machine != other.study.setting.machine)
        lines << StudyComparisonModel::tr(
            "They ran on two machines: microseconds of one say nothing about the other, so "
            "only ratios are shown, each to the default of its own study.");
    else if (!comparison.sameSetting())
        lines << StudyComparisonModel::tr(
            "They differ in threads or numerics: only ratios are shown, each to the default "
            "of its own study.");
    if (one.steps.empty() || other.steps.empty())
        lines << StudyComparisonModel::tr(
            "When something was found is not recorded for both: there is no curve for the "
            "one that lacks it.");
    return lines.join('\n');
}

void StudyComparisonModel::show(StudyComparison comparison) {
    beginResetModel();
    comparison_ = std::move(comparison);
    endResetModel();
}

int StudyComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(comparison_.tasks.size());
}

int StudyComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant StudyComparisonModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= comparison_.tasks.size())
        return {};
    const ComparedTask& task = comparison_.tasks[size_t(index.row())];
    if (role == Qt::TextAlignmentRole && index.column() != Kernel)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == Kernel)
        return QString::fromStdString(task.kernel + "\n" + task.workload);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Kernel:
        return oneLine(task.kernel);
    case Calls:
        return grouped(qint64(task.calls));
    case DefaultUs:
        return comparison_.sameSetting() && task.defaultUs > 0 ? usText(task.defaultUs) : QStringLiteral("–");
    case One:
        return ratioOf(task.one);
    case Other:
        return ratioOf(task.other);
    case Difference:
        return task.differs() ? signedPercent(task.other.middle / task.one.middle - 1) : tr("within the noise");
    }
    return {};
}

QVariant StudyComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns)
        return {};
    if (role == Qt::TextAlignmentRole && section != Kernel)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    const QString names[] = {tr("Kernel"),      tr("Calls"),        tr("Default µs"),
                             tr("First study"), tr("Second study"), tr("Second's time to first's")};
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

} // namespace lathe::views::models
