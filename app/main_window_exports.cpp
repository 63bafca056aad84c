// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that keeps what was exported: the list in the project, and the dialog that shows it.
#include "app/main_window.h"
#include "views/exporting/exports_dialog.h"

namespace lathe::app {

using views::exporting::ExportsDialog;
using views::models::BundleFindings;
using views::models::LogLevel;

void MainWindow::askForExports(bool compare) {
    if (!modelGraph() || exportWizard_)
        return;
    if (exportsDialog_)
        return exportsDialog_->raise();
    exportsDialog_ = new ExportsDialog(exportList_, work_.path, this);
    exportsDialog_->setAttribute(Qt::WA_DeleteOnClose);
    connect(exportsDialog_, &QDialog::finished, this, [this] { exportsDialog_ = nullptr; });
    connect(exportsDialog_, &ExportsDialog::repeatWanted, this, [this](int row) {
        const views::models::ExportRequest request = exportList_.at(row).request;
        exportsDialog_->accept();
        exportsOf_ = work_.path;
        exports_ = request;
        askForExport();
    });
    connect(exportsDialog_, &ExportsDialog::findingsWanted, this, [this](int before, int after) {
        engine_.compareBundles(exportList_.at(before).end.out, exportList_.at(after).end.out);
    });
    exportsDialog_->open();
    if (compare)
        exportsDialog_->compareNewest();
}

void MainWindow::connectExports() {
    connect(&exportList_, &QAbstractItemModel::rowsRemoved, this, [this] { keeper_.touch(); });
    connect(&engine_, &Engine::bundlesCompared, this,
            [this](const ComparedBundles& compared, const std::vector<Diagnostic>& problems) {
                if (!exportsDialog_)
                    return;
                if (!problems.empty())
                    return exportsDialog_->showFindings({}, QString::fromStdString(toString(problems.front())));
                BundleFindings findings{
                    QString::fromStdString(compared.beforeId), QString::fromStdString(compared.afterId), {}};
                for (const deploy::BundleChange& change : compared.changes)
                    findings.changes.append(
                        {QString::fromStdString(change.what + (change.name.empty() ? "" : " ") + change.name),
                         QString::fromStdString(change.before), QString::fromStdString(change.after)});
                exportsDialog_->showFindings(findings, {});
            });
}

void MainWindow::showExports(const std::string& kept, const std::string& unread) {
    QStringList problems;
    exportList_.show(views::models::exportsIn(QString::fromStdString(kept), problems));
    unreadExports_ = problems.isEmpty() ? unread : kept;
    for (const QString& problem : problems)
        log(tr("Of the exports that the project keeps %1; the project's text stays.").arg(problem), LogLevel::Warning);
}

} // namespace lathe::app
