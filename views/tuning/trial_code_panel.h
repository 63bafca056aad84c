// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two trials side by side: their traces with the answers, loops, machine code, and the figures of both. What is compiled for
// it is compiled on a worker, once the panel is seen; a newer pair takes the place of an older one.
#pragma once

#include "views/models/tuning/trial_code.h"
#include "views/page/worker.h"

#include <QWidget>
#include <optional>

class QLabel;
class QStandardItemModel;
class QTableView;
class QTabWidget;

namespace lathe::views::text {
class ComparisonView;
}

namespace lathe::views::tuning {

class TrialCodePanel : public QWidget {
    Q_OBJECT

public:
    TrialCodePanel();

    /// `text` says what they are, in a line.
    void setTrials(const models::TrialKernel& kernel, const models::ShownTrial& before, const models::ShownTrial& after,
                   const QString& text);
    /// There are none: why.
    void showMessage(const QString& text);
    bool isWorking() const { return wanted_.has_value() || worker_.isRunning(); }
    text::ComparisonView* view(models::TrialLevel level) const { return views_[size_t(level)]; }
    QTabWidget* levels() const { return levels_; }

signals:
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Pair {
        models::TrialKernel kernel;
        models::ShownTrial before, after;
        QString text;
    };
    void begin();
    void take(models::TrialCode code, const Pair& pair);
    void showFigures(const models::TrialCode& code);

    std::optional<Pair> wanted_; // once the panel is seen
    Worker<models::TrialCode> worker_;
    QLabel* summary_;
    QTabWidget* levels_;
    std::array<text::ComparisonView*, models::trialLevels> views_;
    QStandardItemModel* figures_;
    QTableView* table_;
};

} // namespace lathe::views::tuning
