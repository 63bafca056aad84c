// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the answers to each question came to: a chart for each, the most important question first. A box holds the middle half
// of the trials with an answer, its line is their median, the whiskers are the fastest and the slowest; the points are trials,
// and a click picks one. Many charts take longer than a picture may: they come one after the other, and until then those of
// before are seen.
#pragma once

#include "views/models/tuning/answer_importance.h"
#include "views/page/slices.h"

#include <QWidget>
#include <memory>
#include <optional>

class QCPGraph;
class QCPStatisticalBox;
class QCustomPlot;
class QGridLayout;
class QLabel;

namespace lathe::views::tuning {

class AnswersPanel : public QWidget {
    Q_OBJECT

public:
    static constexpr size_t mostCharts = 24;

    AnswersPanel();

    void setTrials(std::shared_ptr<const models::TrialSet> trials, std::span<const int> among);
    /// Of what is shown.
    const std::vector<models::QuestionImportance>& importance() const { return importance_; }
    /// Whether what was set is not all shown yet.
    bool isWorking() const { return slices_.isRunning(); }

signals:
    void trialPicked(int trial);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Chart {
        QWidget* whole = nullptr;
        QLabel* title = nullptr;
        QCustomPlot* plot = nullptr;
        QCPStatisticalBox* boxes = nullptr;
        QCPGraph *points = nullptr, *best = nullptr;
        bool outdated = true; // it is to be filled and drawn
    };
    /// What was set and is not shown yet.
    struct Next {
        std::shared_ptr<const models::TrialSet> trials;
        models::ImportanceMaker importance;
        std::vector<double> ratios; // of all that have a time
    };
    Chart makeChart();
    /// The next part of what is to be done; false: all was done.
    bool work();
    void show(Next next);
    void draw(Chart& chart, const models::QuestionImportance& importance);
    void fill(Chart& chart, const models::QuestionImportance& importance);
    void colour(Chart& chart);
    void outdate();
    void pick(const QCustomPlot* plot, QPointF pixel);

    std::optional<Next> next_;
    std::shared_ptr<const models::TrialSet> trials_;
    std::vector<models::QuestionImportance> importance_;
    std::vector<Chart> charts_; // of the first of these; more, that are hidden
    double slowest_ = 1;        // ratio that charts go up to
    Slices slices_;
    QLabel* summary_;
    QGridLayout* grid_;
};

} // namespace lathe::views::tuning
