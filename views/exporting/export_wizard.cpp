// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/exporting/export_wizard.h"

#include "views/exporting/contents_page.h"
#include "views/exporting/outcome_pages.h"
#include "views/exporting/settings_pages.h"
#include "views/models/exporting/export_warnings.h"

#include <QAbstractButton>
#include <map>

namespace lathe::views::exporting {

ExportWizard::ExportWizard(const models::ExportChoices& choices, const models::ExportRequest& begin, QWidget* parent)
    : QWizard(parent), choices_(choices), summary_(new SummaryPage(choices, begin)), work_(new WorkPage),
      result_(new ResultPage) {
    setObjectName("export");
    setWindowTitle(tr("Export"));
    setWizardStyle(ModernStyle);
    setOption(NoBackButtonOnLastPage);
    setOption(NoCancelButtonOnLastPage);
    setOption(HaveHelpButton, false);
    resize(740, 560);
    pages_ = {new NamePage(choices, begin),
              new TargetPage(choices, begin),
              new ContentsPage(choices, begin),
              new SizesPage(begin),
              new ChecksPage(choices, begin),
              summary_,
              work_,
              result_};
    for (size_t id = 0; id < pages_.size(); ++id) {
        setPage(int(id), pages_[id]);
        connect(pages_[id], &QWizardPage::completeChanged, this, &ExportWizard::showOutlook);
    }
    connect(summary_, &SummaryPage::edited, this,
            [this] { summary_->showCommand(models::commandOf(request(), choices_.model, choices_.settings)); });
    connect(summary_, &SummaryPage::planWanted, this, [this] {
        plan_.reset();
        works_ = true;
        emit planWanted(request());
    });
    connect(work_, &WorkPage::exportWanted, this, [this] {
        works_ = true;
        emit exportWanted(request());
    });
    connect(result_, &ResultPage::exportsWanted, this, [this] {
        accept();
        emit exportsWanted();
    });
    // Whoever goes back wants another plan.
    connect(this, &QWizard::currentIdChanged, this, [this](int id) {
        if (id < Summary && std::exchange(works_, false))
            emit cancelWanted();
        if (id < Summary)
            plan_.reset();
        showOutlook();
    });
    showOutlook();
}

models::ExportRequest ExportWizard::request() const {
    models::ExportRequest request;
    for (const ExportPage* page : pages_)
        page->fill(request);
    return request;
}

void ExportWizard::showOutlook() {
    const models::ExportRequest wanted = request();
    const QString size =
        models::estimateOf(wanted, choices_, plan_ ? std::optional<qint64>(plan_->bytes) : std::nullopt);
    for (ExportPage* page : pages_)
        if (page != result_)
            page->setFooter(size);
    std::map<models::ExportTopic, QStringList> byPage;
    QStringList unplanned; // of which the plan does not say anything
    for (const models::ExportWarning& warning : models::warningsOf(wanted, choices_)) {
        byPage[warning.topic] << warning.text;
        if (!warning.planned)
            unplanned << warning.text;
    }
    for (const auto& [page, topic] : {std::pair{ExportWizard::Name, models::ExportTopic::Name},
                                      {Target, models::ExportTopic::Targets},
                                      {ExportWizard::Contents, models::ExportTopic::Contents},
                                      {ExportWizard::Sizes, models::ExportTopic::Sizes},
                                      {ExportWizard::Checks, models::ExportTopic::Checks}})
        pages_[size_t(page)]->setWarnings(byPage[topic]);
    summary_->showWarnings(unplanned);
}

void ExportWizard::showProgress(const QString& what, double fraction) {
    if (currentId() == Work)
        work_->showProgress(what, fraction);
    else if (currentId() == Summary)
        summary_->showProgress(what, fraction);
}

void ExportWizard::showPlan(const models::ExportPlan& plan) {
    if (currentId() != Summary)
        return;
    works_ = false;
    plan_ = plan;
    summary_->showPlan(plan);
    showOutlook();
}

void ExportWizard::showPlanFailure(const QString& why) {
    works_ = false;
    summary_->showFailure(why);
}

void ExportWizard::showStep(const models::ExportStep& step) {
    work_->addStep(step);
}

void ExportWizard::showEnd(const models::ExportEnd& end) {
    works_ = false;
    result_->show(end, request(), models::commandOf(request(), choices_.model, choices_.settings));
    work_->end();
    next();
}

void ExportWizard::reject() {
    if (std::exchange(works_, false))
        emit cancelWanted();
    QWizard::reject();
}

} // namespace lathe::views::exporting
