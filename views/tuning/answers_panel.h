// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the answers to each question came to: a chart for each, the most important question first. A box holds the middle half
// of the trials with an answer, its line is their median, the whiskers are the fastest and the slowest; the points are trials,
// and a click picks one.
#pragma once

#include "views/models/answer_importance.h"

#include <QWidget>
#include <memory>

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
    const std::vector<models::QuestionImportance>& importance() const { return importance_; }

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
        std::vector<int> trials; // of the points, in their order
    };
    Chart makeChart();
    void fill(Chart& chart, const models::QuestionImportance& importance, double slowest);
    void colour();
    void pick(const Chart& chart, QPointF pixel);

    std::shared_ptr<const models::TrialSet> trials_;
    std::vector<models::QuestionImportance> importance_;
    std::vector<Chart> charts_;
    QLabel* summary_;
    QGridLayout* grid_;
};

} // namespace lathe::views::tuning
