// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that exports: fills the wizard in, and does what it wishes by the Engine.
#include "app/export_choices.h"
#include "app/main_window.h"
#include "artifact/artifact.h"
#include "inspect/inputs.h"
#include "views/exporting/export_wizard.h"
#include "views/models/text/shown_path.h"

#include <QSettings>
#include <algorithm>

namespace lathe::app {

using views::exporting::ExportWizard;
using views::models::ExportChoices;
using views::models::ExportRequest;
using views::models::ExportSize;
using views::models::LogLevel;

namespace {

/// The sizes that the model leaves open, with the ranges that were chosen before; others as the settings have them.
QList<ExportSize> sizesOf(const model::ModelGraph& graph, const views::models::SizeValues& settings,
                          const QList<ExportSize>& chosen) {
    QList<ExportSize> sizes;
    for (const views::models::OpenSize& size : views::models::openSizesOf(graph)) {
        const auto before = std::ranges::find(chosen, size.name, &ExportSize::name);
        const auto value = settings.find(size.name);
        sizes.append(before != chosen.end()
                         ? *before
                         : ExportSize{size.name, 1, {}, value == settings.end() ? 1 : value->second});
    }
    return sizes;
}

views::models::ExportPlan planOf(const deploy::PlannedBundle& bundle, const std::vector<Diagnostic>& warnings) {
    views::models::ExportPlan plan;
    for (const deploy::ManifestFile& file : bundle.manifest.files)
        plan.files.append({QString::fromStdString(file.path), QString::fromStdString(file.kind), qint64(file.bytes)});
    plan.bytes = qint64(bundle.plan.bytes);
    for (const std::string& remark : bundle.plan.remarks)
        plan.remarks << QString::fromStdString(remark);
    for (const Diagnostic& warning : warnings)
        plan.remarks << withHint(warning);
    return plan;
}

views::models::ExportEnd endOf(const ExportedBundle& exported) {
    views::models::ExportEnd end;
    end.out = views::models::absolutePath(exported.out);
    end.id = exported.id;
    end.bytes = qint64(exported.bytes);
    end.checked = exported.check.has_value();
    if (!exported.check)
        return end;
    const deploy::BundleCheck& check = *exported.check;
    end.good = check.good;
    end.variant = QString::fromStdString(check.variant);
    for (const deploy::VariantCheck& each : check.variants)
        end.targets.append({QString::fromStdString(each.tag), QString::fromUtf8(toString(each.outcome)),
                            QString::fromStdString(each.why)});
    end.threads = check.threads;
    end.cases = check.cases;
    end.loadMs = check.loadMs;
    end.firstMs = check.firstMs;
    end.p50Ms = check.p50Ms;
    end.p90Ms = check.p90Ms;
    end.p99Ms = check.p99Ms;
    end.residentBytes = check.residentBytes;
    for (const Diagnostic& problem : check.problems)
        end.problems << withHint(problem);
    for (const deploy::CheckStep& step : check.steps)
        if (!step.good)
            end.problems << QStringLiteral("%1: %2").arg(QString::fromStdString(step.name),
                                                         QString::fromStdString(step.text));
    return end;
}

} // namespace

/// A bundle is made without what a run is given: sizes that were fixed for that are fixed.
driver::Options MainWindow::optionsOfExport() const {
    driver::Options options = work_.settings.options(*work_.trace->graph);
    options.inputsAtNeed = {};
    if (work_.trace->fixedAtNeed)
        for (device::RunnerValue& input : inspect::inputsOf(work_.trace->passes.front().after->main())) {
            for (int64_t& dim : input.dims)
                dim = std::max<int64_t>(dim, -1);
            options.shapes.emplace_back(std::move(input.name), std::move(input.dims));
        }
    return options;
}

void MainWindow::askForExport() {
    if (!modelGraph() || work_.busy)
        return;
    if (work_.hasChanged())
        return compile(); // what is shown is not what would be exported
    if (exportWizard_)
        return exportWizard_->raise();
    if (exportsOf_ == work_.path)
        return beginExport(exports_);
    beginExport(exportList_.rowCount() > 0 ? exportList_.at(0).request : ExportRequest());
}

void MainWindow::beginExport(const ExportRequest& chosen) {
    ExportRequest begin = chosen;
    ExportChoices choices = exportChoices(work_.path, optionsOfExport(), work_.trace);
    choices.target = work_.settings.target;
    choices.isDecided = decisions() != driver::Decisions();
    if (isCompiled())
        if (const auto parts = artifact::partsOf(work_.compilation->artifact->path()))
            choices.artifactBytes = qint64(parts->codeBytes + parts->constantBytes);

    if (begin.name.isEmpty()) {
        begin.name = QString::fromStdString(deploy::modelNameOf(work_.path.toStdString()));
        begin.targets = {work_.settings.target};
        begin.parts = choices.parts;
        begin.licence = QSettings().value("export/licence").toString();
        begin.out = work_.besideModel(QStringLiteral("-bundle"));
    }
    begin.sizes = work_.settings.fixSizes ? QList<ExportSize>()
                                          : sizesOf(*work_.trace->graph, work_.settings.sizes, chosen.sizes);
    exportWizard_ = new ExportWizard(choices, begin, this);
    exportWizard_->setAttribute(Qt::WA_DeleteOnClose);
    connect(exportWizard_, &ExportWizard::planWanted, this, [this](const ExportRequest& request) {
        exports_ = request;
        exportsOf_ = work_.path;
        QSettings().setValue("export/licence", request.licence);
        planned_.reset();
        setBusy(true);
        log(tr("Compiling for a bundle"));
        deploy::BundleOptions options = bundleOptionsOf(request, optionsOfExport());
        options.decisions = decisions();
        engine_.planBundle(work_.path, std::move(options));
    });
    connect(exportWizard_, &ExportWizard::exportWanted, this, [this](const ExportRequest& request) {
        exports_ = request;
        setBusy(true);
        log(tr("Exporting to %1").arg(request.out));
        std::optional<deploy::CheckWish> check;
        if (const auto device = device::parseDevice(request.device.toStdString()); request.check && device)
            check = {.threads = device->isLocal() ? work_.settings.threads : 0,
                     .device = *device}; // as a run of the window has
        engine_.exportBundle(planned_, request.out, request.replace, std::move(check));
    });
    connect(exportWizard_, &ExportWizard::cancelWanted, this, &MainWindow::cancel);
    connect(exportWizard_, &ExportWizard::exportsWanted, this, [this] { askForExports(true); });
    connect(exportWizard_, &QDialog::finished, this, [this] {
        exportWizard_ = nullptr;
        planned_.reset(); // it holds the artifacts in memory
    });
    exportWizard_->open();
}

void MainWindow::keepExport(const ExportedBundle& exported) {
    if (exportsOf_ != work_.path)
        return;
    exportList_.add({.request = exports_,
                     .settings = argumentsOf(optionsOfExport()),
                     .end = endOf(exported),
                     .time = QDateTime::currentSecsSinceEpoch()});
    keeper_.touch();
}

void MainWindow::connectExport() {
    connect(&engine_, &Engine::bundlePlanned, this,
            [this](const PlannedBundlePtr& bundle, const std::vector<Diagnostic>& problems) {
                if (!exportWizard_)
                    return;
                planned_ = bundle;
                if (!bundle)
                    return exportWizard_->showPlanFailure(withHint(problems.back()));
                log(tr("Compiled for a bundle of %1 MB.").arg(double(bundle->plan.bytes) / 1e6, 0, 'f', 1));
                exportWizard_->showPlan(planOf(*bundle, problems));
            });
    connect(&engine_, &Engine::bundleWritten, this, &MainWindow::keepExport);
    connect(&engine_, &Engine::bundleStepped, this, [this](const deploy::CheckStep& step) {
        if (exportWizard_)
            exportWizard_->showStep({QString::fromStdString(step.name), QString::fromStdString(step.text), step.good});
    });
    connect(&engine_, &Engine::bundleExported, this,
            [this](const ExportedBundle& exported, const std::vector<Diagnostic>& problems) {
                if (problems.empty()) {
                    exportList_.setEnd(endOf(exported));
                    keeper_.touch();
                    log(tr("Exported to %1.").arg(exported.out));
                } else {
                    log(tr("The export failed: %1").arg(withHint(problems.front())), LogLevel::Error);
                }
                if (!exportWizard_ || !planned_)
                    return;
                if (problems.empty())
                    return exportWizard_->showEnd(endOf(exported));
                views::models::ExportEnd end;
                end.good = false;
                end.problems << withHint(problems.front());
                exportWizard_->showEnd(end);
            });
    connect(&engine_, &Engine::progress, this, [this](const QString& what, double fraction) {
        if (exportWizard_)
            exportWizard_->showProgress(what, fraction);
    });
}

} // namespace lathe::app
