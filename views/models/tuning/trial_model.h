// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trials of a task as a table: a row each, what a filter leaves of them, sorted by a column; after the columns that all
// trials have, one for each question. Rows are numbers into a TrialSet: filtering and sorting a hundred thousand moves
// numbers alone, and a trial that comes in while a study runs goes to its place without a look at the others.
#pragma once

#include "views/models/tuning/trial_filter.h"

#include <QAbstractTableModel>
#include <memory>

namespace lathe::views::models {

class TrialModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Id, Made, Parent, Round, Us, Interval, Ratio, Prior, Predicted, Verdict, Reason, columns };
    static constexpr int bestRole = Qt::UserRole + 1; // whether it is the best

    explicit TrialModel(QObject* parent = nullptr);

    /// Others, from now on; the filter is that of before as far as it still can be read.
    void setTrials(std::shared_ptr<TrialSet> trials);
    const TrialSet& trials() const { return *trials_; }
    void add(const tune::Trial& trial);
    void change(size_t trial, const tune::Trial& as);

    /// Fails with what is wrong; what was shown is still shown then.
    Result<void> setFilter(const QString& text);
    const QString& filter() const { return filter_; }
    /// The trial of each row.
    const std::vector<int>& shown() const { return shown_; }
    int trialAt(int row) const { return shown_[size_t(row)]; }
    int rowOf(int trial) const; // -1: it is not shown

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

signals:
    /// Other trials, another filter, or more of them.
    void shownChanged();

private:
    /// What the column is sorted by; what is not known comes last either way.
    double keyOf(int trial, int column) const;
    bool isBefore(int one, int other) const;
    std::vector<int>::iterator placeIn(std::vector<int>& order, int trial);
    /// Puts it in order, and shows it if it passes.
    void insert(int trial);
    void remove(int trial);
    void showPassing();
    void followQuestions();
    QString textOf(int trial, int column) const;

    std::shared_ptr<TrialSet> trials_;
    QString filter_;
    std::unique_ptr<TrialMatcher> matcher_;
    std::vector<int> order_; // all, sorted
    std::vector<int> shown_; // those of them that pass
    int sortColumn_ = Id;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
    std::vector<int> answerPlace_; // of the answers of the question that is sorted by
    int best_ = -1;
    int questions_ = 0; // that have columns
};

/// A few words about a trial, for tooltips and screen readers.
QString textOf(const TrialSet& trials, int trial);
/// "0.953"; "–": not known.
QString ratioText(double ratio);
/// As the window names it: what is recorded as slow was behind the best of then, and may be faster than the default.
QString verdictText(tune::Verdict verdict);
QString usText(double us);

} // namespace lathe::views::models
