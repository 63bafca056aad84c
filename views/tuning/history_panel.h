// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trials of a task, or of all, as they came: a point each, by what became of it and how it was made; the best so far as a
// line, the default's time with the gain below which nothing is taken as a band. A click picks a trial, so do the arrow keys.
#pragma once

#include "views/models/tuning/study_log.h"
#include "views/models/tuning/study_pick.h"
#include "views/page/chart_panel.h"

#include <array>
#include <optional>

class QCheckBox;
class QComboBox;
class QCPGraph;

namespace lathe::views::tuning {

class HistoryPanel : public ChartPanel {
    Q_OBJECT

public:
    HistoryPanel(models::Selection* selection, const models::StudyLog& log, models::StudyPick* pick);

    /// How it is shown, as text, and back; what cannot be read stays as it is.
    QString state() const;
    void setState(const QString& state);
    /// Points that are drawn, without those of the best and the band.
    int drawn() const;
    /// Where a trial is drawn, in pixels of the plot.
    QPointF pixelOf(int trial) const;

protected:
    void colour() override;
    QString csv() const override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum Axis { ByTrial, BySeconds };
    enum Measure { OfDefault, Microseconds };
    static constexpr size_t made = 6; // ways to make a candidate

    void rebuild();
    void follow(const models::StudyGrowth& growth);
    void add(int trial);
    void drop(int trial);
    void drawBest();
    void fit();
    void describe();
    bool isShown(const models::TrialPoint& point) const;
    double xOf(int trial) const;
    std::optional<double> yOf(const models::TrialPoint& point) const; // nothing: it was not timed
    QCPGraph* graphOf(const models::TrialPoint& point) const;
    /// Of the trials that are shown, in their order: how many, and which.
    int count() const;
    int trialAt(int place) const;
    int placeOf(int trial) const;
    /// -1: none is near.
    int at(QPointF pixel) const;
    void step(int by);

    const models::StudyLog& log_;
    models::StudyPick* pick_;
    QComboBox *x_, *y_, *fastest_;
    QCheckBox* logarithmic_;
    std::array<QCPGraph*, made> measured_; // by tune::Made
    QCPGraph *accepted_, *slow_, *failed_, *best_, *low_, *high_, *default_, *marked_;
    double least_ = 0, most_ = 0; // of the times that are drawn; 0: none is
    double last_ = 0;             // how far right they reach
    bool fitted_ = true;          // the axes follow the points: the user has not moved them
};

/// A few words about a trial, a line each.
QString trialText(const models::StudyLog& log, int trial);

} // namespace lathe::views::tuning
