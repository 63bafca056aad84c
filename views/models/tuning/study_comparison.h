// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two studies of the records, held against each other over the kernels that both tuned: how fast each gained, and what each
// found. Microseconds of two machines, or of two settings of one, say nothing about each other: what is compared are ratios,
// each to the default of its own study.
#pragma once

#include "records/file.h"

#include <QAbstractTableModel>
#include <QString>
#include <filesystem>

namespace lathe::views::models {

struct StudyCurve {
    records::Study study;
    struct Step {
        double seconds = 0; // into the study
        double ratio = 1;   // of all kernels together to their defaults, from then on
    };
    std::vector<Step>
        steps;            // of what was accepted, the first at the beginning; empty: it is not recorded when that was
    double seconds = 0;   // that it took in all, as far as trials say
    double defaultUs = 0; // of a run of the model in these kernels
    size_t trials = 0;
    double ratio = 1; // at the end
};

struct ComparedTask {
    std::string workload, kernel;
    double calls = 1, defaultUs = 0;             // of the first study
    tune::Interval one{1, 1, 1}, other{1, 1, 1}; // ratios of the best; all 1: the default
    /// The intervals do not touch.
    bool differs() const { return one.high < other.low || other.high < one.low; }
};

struct StudyComparison {
    StudyCurve one, other;
    std::vector<ComparedTask> tasks; // that both have; the most expensive first
    size_t alone = 0;                // tasks of one of them
    bool sameSetting() const { return one.study.setting == other.study.setting; }
};

/// The newest first. Fails as the file does.
Result<std::vector<records::Study>> recordedStudies(const std::filesystem::path& file);
Result<StudyComparison> compareStudies(const std::filesystem::path& file, const std::string& one,
                                       const std::string& other);
/// Reads all trials of both, but for their traces. Fails as the file does.
Result<StudyComparison> compareStudies(const records::File& file, const std::string& one, const std::string& other);

class StudyComparisonModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Kernel, Calls, DefaultUs, One, Other, Difference, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void show(StudyComparison comparison);
    const StudyComparison& comparison() const { return comparison_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    StudyComparison comparison_;
};

/// What the two are, how they compare, and what cannot be said of them.
QString summaryOf(const StudyComparison& comparison);
/// "resnet50, 12 November 10:30, 2 threads, evolution".
QString titleOf(const records::Study& study);

} // namespace lathe::views::models
