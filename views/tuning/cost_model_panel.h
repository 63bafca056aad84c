// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is to be thought of the opinions on a task's trials: what the estimate and the cost model expected against what came
// out, how well they ordered each batch, what the model goes by, and the pairs of trials that were ordered worst.
#pragma once

#include "views/models/tuning/predictions.h"
#include "views/models/tuning/task_trials.h"

#include <QWidget>

class QComboBox;
class QCPGraph;
class QCustomPlot;
class QLabel;
class QTabWidget;
class QTableView;

namespace lathe::views::models {
class FeatureModel;
class WrongPairModel;
} // namespace lathe::views::models

namespace lathe::views::tuning {

class TrialCodePanel;

class CostModelPanel : public QWidget {
    Q_OBJECT

public:
    static constexpr size_t mostPoints = 5000; // beyond that they are counted in cells
    static constexpr int shades = 6;           // of cells

    CostModelPanel();

    void setTask(models::TaskTrials task);
    /// Its trials are others, or more. Drawn once it is seen.
    void refresh();
    /// Of the features, by column (tune::featureNames); empty: no model has learned.
    void setImportance(const std::vector<double>& shares);

    QTabWidget* tabs() const { return tabs_; }
    QComboBox* opinion() const { return opinion_; }
    QCustomPlot* predictions() const { return predictions_; }
    QCustomPlot* rounds() const { return rounds_; }
    QTableView* pairs() const { return pairTable_; }
    TrialCodePanel* code() const { return code_; }
    /// Points that are shown one by one; 0: they are counted in cells.
    size_t points() const { return points_; }

signals:
    void trialPicked(int trial);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makePredictions();
    QWidget* makeRounds();
    QWidget* makePairs();
    tune::Opinion shownOpinion() const;
    void showPredictions();
    void showCells(const std::vector<models::Prediction>& predictions);
    void showRounds();
    void showPair(int row);
    void colour();
    void pick(QPointF pixel);

    models::TaskTrials task_;
    std::vector<models::Prediction> shown_;
    size_t points_ = 0;
    bool outdated_ = true;
    bool fits_ = true; // the chart of predictions is to show all
    QComboBox *opinion_, *measure_;
    QTabWidget* tabs_;
    QLabel *predictionText_, *roundText_, *roundLegend_, *featureText_, *pairText_;
    QCustomPlot *predictions_, *rounds_;
    QCPGraph *each_ = nullptr, *right_ = nullptr; // of predictions: points, and where they would be if all were right
    std::vector<QCPGraph*> cells_;                // a shade each
    QCPGraph *prior_ = nullptr, *model_ = nullptr, *random_ = nullptr; // of rounds
    models::FeatureModel* features_;
    QTableView* featureTable_;
    models::WrongPairModel* wrong_;
    QTableView* pairTable_;
    TrialCodePanel* code_;
};

} // namespace lathe::views::tuning
