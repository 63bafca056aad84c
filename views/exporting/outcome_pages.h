// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pages of the export wizard that tell: what will be written and where, how far it is, and what came of it.
#pragma once

#include "views/exporting/export_page.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QProgressBar;
class QTableWidget;
class QTreeWidget;

namespace lathe::views::exporting {

/// Asks the app for the plan each time it is entered: what is planned is what is written.
class SummaryPage : public ExportPage {
    Q_OBJECT

public:
    SummaryPage(const models::ExportChoices& choices, const models::ExportRequest& begin);
    void fill(models::ExportRequest& request) const override;
    QString problem() const override;
    /// Null: it is being made.
    void showPlan(const std::optional<models::ExportPlan>& plan);
    void showFailure(const QString& why);
    /// Above those of the plan.
    void showWarnings(const QStringList& warnings);
    void showProgress(const QString& what, double fraction);
    void showCommand(const QString& command);

signals:
    void planWanted();
    void edited(); // a field of it

protected:
    void initializePage() override;

private:
    void showRemarks();

    std::function<QString(const QString&, bool)> problemOfPlace_;
    QLineEdit* out_;
    QComboBox* packing_; // shows the ending of the path, and changes it
    QCheckBox* replace_;
    QTreeWidget* files_;
    QPlainTextEdit* known_; // what one should know
    QPlainTextEdit* command_;
    QProgressBar* progress_;
    bool planned_ = false;
    QStringList warnings_, remarks_; // of the wizard, of the plan
    QString failure_;
};

/// Begins the export when it is entered; the wizard goes on by itself.
class WorkPage : public ExportPage {
    Q_OBJECT

public:
    WorkPage();
    void fill(models::ExportRequest&) const override {}
    bool isComplete() const override { return ended_; }
    void showProgress(const QString& what, double fraction);
    void addStep(const models::ExportStep& step);
    void end() { ended_ = true; }

signals:
    void exportWanted();

protected:
    void initializePage() override;

private:
    QProgressBar* progress_;
    QLabel* what_;
    QListWidget* steps_;
    bool ended_ = false;
};

class ResultPage : public ExportPage {
    Q_OBJECT

public:
    ResultPage();
    void fill(models::ExportRequest&) const override {}
    void show(const models::ExportEnd& end, const models::ExportRequest& request, const QString& command);

signals:
    void exportsWanted(); // to compare it with others

private:
    QLabel* verdict_;
    QTableWidget *targets_, *figures_;
    QPlainTextEdit* command_;
    QString out_;
};

} // namespace lathe::views::exporting
