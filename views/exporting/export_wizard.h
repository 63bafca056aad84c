// SPDX-License-Identifier: GPL-3.0-or-later
//
// File › Export: from a model to a bundle. Pages that ask, a summary with the files and the equal command, the work, the
// result. It emits wishes and shows what the app answers; nothing is compiled before the summary and nothing written before
// Export is pressed. What was chosen is kept for the next time.
#pragma once

#include "views/models/exporting/export_request.h"

#include <QWizard>

namespace lathe::views::exporting {

class ExportPage;
class ResultPage;
class SummaryPage;
class WorkPage;

class ExportWizard : public QWizard {
    Q_OBJECT

public:
    enum Id { Name, Target, Contents, Sizes, Checks, Summary, Work, Result };

    ExportWizard(const models::ExportChoices& choices, const models::ExportRequest& begin, QWidget* parent);

    /// As the fields have it now.
    models::ExportRequest request() const;

    void showProgress(const QString& what, double fraction);
    void showPlan(const models::ExportPlan& plan);
    /// Instead of the plan.
    void showPlanFailure(const QString& why);
    void showStep(const models::ExportStep& step);
    /// Goes to the last page.
    void showEnd(const models::ExportEnd& end);
    void reject() override; // ends what goes on

signals:
    void planWanted(const lathe::views::models::ExportRequest& request);
    void exportWanted(const lathe::views::models::ExportRequest& request);
    /// Of what goes on.
    void cancelWanted();
    /// It is done, and the list of exports is to be seen.
    void exportsWanted();

private:
    /// How large it becomes, which is about so much until there is a plan, and what one should know, page by page.
    void showOutlook();

    models::ExportChoices choices_;
    std::vector<ExportPage*> pages_;
    SummaryPage* summary_;
    WorkPage* work_;
    ResultPage* result_;
    std::optional<models::ExportPlan> plan_;
    bool works_ = false; // for a plan or an export
};

} // namespace lathe::views::exporting
