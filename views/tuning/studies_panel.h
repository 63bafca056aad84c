// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two studies of the records beside each other: how fast each gained, and what each found of the kernels that both tuned.
#pragma once

#include "views/models/tuning/study_comparison.h"
#include "views/page/worker.h"

#include <QWidget>
#include <filesystem>

class QComboBox;
class QCPGraph;
class QCustomPlot;
class QLabel;
class QTableView;

namespace lathe::views::tuning {

class StudiesPanel : public QWidget {
    Q_OBJECT

public:
    StudiesPanel();

    /// The file of records; it is read once the panel is seen, and by read().
    void setFile(const std::filesystem::path& file);
    void read();
    /// By their places in the list, the newest first.
    void choose(int one, int other);
    const std::vector<records::Study>& studies() const { return studies_; }
    const models::StudyComparisonModel* model() const { return model_; }
    QCustomPlot* plot() const { return plot_; }
    bool isWorking() const { return reading_.isRunning() || comparing_.isRunning(); }

signals:
    /// The trials of a study are to be shown.
    void studyWanted(const QString& id);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    using Studies = Result<std::vector<records::Study>>;
    void compare();
    void showComparison(const Result<models::StudyComparison>& comparison);
    void say(const QString& text, bool empty);
    void colour();

    std::filesystem::path file_;
    bool outdated_ = true;
    std::vector<records::Study> studies_;
    Worker<Studies> reading_;
    Worker<Result<models::StudyComparison>> comparing_;
    models::StudyComparisonModel* model_;
    QComboBox *one_, *other_;
    QLabel *summary_, *legend_;
    QWidget* body_;
    QCustomPlot* plot_;
    QCPGraph *ofOne_, *ofOther_;
    QTableView* table_;
};

} // namespace lathe::views::tuning
