// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_desk.h"

#include "app/export_choices.h"
#include "app/export_outcome.h"
#include "app/what_ifs.h"
#include "artifact/artifact.h"
#include "inspect/inputs.h"
#include "views/exporting/export_wizard.h"
#include "views/exporting/exports_dialog.h"

#include <QSettings>
#include <algorithm>

namespace lathe::app {

using views::exporting::ExportsDialog;
using views::exporting::ExportWizard;
using views::models::ExportChoices;
using views::models::ExportRequest;
using views::models::ExportSize;
using views::models::LogLevel;

namespace {

constexpr auto licenceKey = "export/licence";

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

} // namespace

ExportDesk::ExportDesk(Engine& engine, const OpenWork& work, const WhatIfs& whatIfs, QWidget* window)
    : QObject(window), engine_(engine), work_(work), whatIfs_(whatIfs), window_(window) {
    connect(&list_, &QAbstractItemModel::rowsRemoved, this, &ExportDesk::listChanged);
    connectEngine();
}

void ExportDesk::connectEngine() {
    connect(&engine_, &Engine::bundlePlanned, this, &ExportDesk::showPlan);
    connect(&engine_, &Engine::bundleWritten, this, &ExportDesk::keep);
    connect(&engine_, &Engine::bundleStepped, this, [this](const deploy::CheckStep& step) {
        if (wizard_)
            wizard_->showStep({QString::fromStdString(step.name), QString::fromStdString(step.text), step.good});
    });
    connect(&engine_, &Engine::bundleExported, this, &ExportDesk::showEnd);
    connect(&engine_, &Engine::progress, this, [this](const QString& what, double fraction) {
        if (wizard_)
            wizard_->showProgress(what, fraction);
    });
    connect(&engine_, &Engine::bundlesCompared, this, &ExportDesk::showFindings);
}

/// A bundle is made without what a run is given: sizes that were fixed for that are fixed.
driver::Options ExportDesk::options() const {
    driver::Options options = work_.options();
    options.inputsAtNeed = {};
    if (work_.trace->fixedAtNeed)
        for (device::RunnerValue& input : inspect::inputsOf(work_.trace->passes.front().after->main())) {
            for (int64_t& dim : input.dims)
                dim = std::max<int64_t>(dim, -1);
            options.shapes.emplace_back(std::move(input.name), std::move(input.dims));
        }
    return options;
}

void ExportDesk::ask() {
    if (!work_.graph() || work_.busy)
        return;
    if (work_.hasChanged())
        return emit compileWanted(); // what is shown is not what would be exported
    if (wizard_)
        return wizard_->raise();
    if (chosenFor_ == work_.path)
        return begin(chosen_);
    begin(list_.rowCount() > 0 ? list_.at(0).request : ExportRequest());
}

void ExportDesk::begin(const ExportRequest& chosen) {
    const RunSettings& settings = work_.settings;
    ExportRequest begin = chosen;
    ExportChoices choices = exportChoices(work_.path, options(), work_.trace);
    choices.target = settings.target;
    choices.isDecided = whatIfs_.decisions() != driver::Decisions();
    if (work_.isCompiled())
        if (const auto parts = artifact::partsOf(work_.compilation->artifact->path()))
            choices.artifactBytes = qint64(parts->codeBytes + parts->constantBytes);

    if (begin.name.isEmpty()) {
        begin.name = QString::fromStdString(deploy::modelNameOf(work_.path.toStdString()));
        begin.targets = {settings.target};
        begin.parts = choices.parts;
        begin.licence = QSettings().value(licenceKey).toString();
        begin.out = work_.besideModel(QStringLiteral("-bundle"));
    }
    begin.sizes = settings.fixSizes ? QList<ExportSize>() : sizesOf(*work_.graph(), settings.sizes, chosen.sizes);
    wizard_ = new ExportWizard(choices, begin, window_);
    wizard_->setAttribute(Qt::WA_DeleteOnClose);
    connectWizard();
    wizard_->open();
}

void ExportDesk::connectWizard() {
    connect(wizard_, &ExportWizard::planWanted, this, &ExportDesk::plan);
    connect(wizard_, &ExportWizard::exportWanted, this, &ExportDesk::write);
    connect(wizard_, &ExportWizard::cancelWanted, this, &ExportDesk::cancelWanted);
    connect(wizard_, &ExportWizard::exportsWanted, this, [this] { showList(true); });
    connect(wizard_, &QDialog::finished, this, [this] {
        wizard_ = nullptr;
        planned_.reset(); // it holds the artifacts in memory
    });
}

void ExportDesk::plan(const ExportRequest& request) {
    chosen_ = request;
    chosenFor_ = work_.path;
    QSettings().setValue(licenceKey, request.licence);
    planned_.reset();
    emit workBegun(tr("Compiling for a bundle"));
    deploy::BundleOptions options = bundleOptionsOf(request, this->options());
    options.decisions = whatIfs_.decisions();
    engine_.planBundle(work_.path, std::move(options));
}

void ExportDesk::write(const ExportRequest& request) {
    chosen_ = request;
    emit workBegun(tr("Exporting to %1").arg(request.out));
    std::optional<deploy::CheckWish> check;
    if (const auto device = device::parseDevice(request.device.toStdString()); request.check && device)
        check = {.threads = device->isLocal() ? work_.settings.threads : 0,
                 .device = *device}; // as a run of the window has
    engine_.exportBundle(planned_, request.out, request.replace, std::move(check));
}

void ExportDesk::showPlan(const PlannedBundlePtr& bundle, const std::vector<Diagnostic>& problems) {
    if (!wizard_)
        return;
    planned_ = bundle;
    if (!bundle)
        return wizard_->showPlanFailure(withHint(problems.back()));
    emit said(tr("Compiled for a bundle of %1 MB.").arg(double(bundle->plan.bytes) / 1e6, 0, 'f', 1));
    wizard_->showPlan(planOf(*bundle, problems));
}

void ExportDesk::keep(const ExportedBundle& exported) {
    if (chosenFor_ != work_.path)
        return;
    list_.add({.request = chosen_,
               .settings = argumentsOf(options()),
               .end = endOf(exported),
               .time = QDateTime::currentSecsSinceEpoch()});
    emit listChanged();
}

void ExportDesk::showEnd(const ExportedBundle& exported, const std::vector<Diagnostic>& problems) {
    if (problems.empty()) {
        list_.setEnd(endOf(exported));
        emit listChanged();
        emit said(tr("Exported to %1.").arg(exported.out));
    } else {
        emit said(tr("The export failed: %1").arg(withHint(problems.front())), LogLevel::Error);
    }
    if (wizard_ && planned_)
        wizard_->showEnd(problems.empty() ? endOf(exported) : endOf(problems.front()));
}

void ExportDesk::showList(bool compare) {
    if (!work_.graph() || wizard_)
        return;
    if (dialog_)
        return dialog_->raise();
    dialog_ = new ExportsDialog(list_, work_.path, window_);
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog_, &QDialog::finished, this, [this] { dialog_ = nullptr; });
    connect(dialog_, &ExportsDialog::repeatWanted, this, [this](int row) {
        const ExportRequest request = list_.at(row).request;
        dialog_->accept();
        chosenFor_ = work_.path;
        chosen_ = request;
        ask();
    });
    connect(dialog_, &ExportsDialog::findingsWanted, this, [this](int before, int after) {
        engine_.compareBundles(list_.at(before).end.out, list_.at(after).end.out);
    });
    dialog_->open();
    if (compare)
        dialog_->compareNewest();
}

void ExportDesk::showFindings(const ComparedBundles& compared, const std::vector<Diagnostic>& problems) {
    if (!dialog_)
        return;
    if (problems.empty())
        dialog_->showFindings(findingsOf(compared), {});
    else
        dialog_->showFindings({}, QString::fromStdString(toString(problems.front())));
}

void ExportDesk::clear() {
    list_.show({});
    unread_.clear();
}

void ExportDesk::show(const std::string& kept, const std::string& unread) {
    QStringList problems;
    list_.show(views::models::exportsIn(QString::fromStdString(kept), problems));
    unread_ = problems.isEmpty() ? unread : kept;
    for (const QString& problem : problems)
        emit said(tr("Of the exports that the project keeps %1; the project's text stays.").arg(problem),
                  LogLevel::Warning);
}

std::string ExportDesk::kept() const {
    return views::models::textOf(list_.exports()).toStdString();
}

} // namespace lathe::app
