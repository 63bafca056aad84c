// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow that exports: what the wizard is given to choose from, and what it wishes of the Engine.
#include "app/main_window.h"
#include "arith/analysis.h"
#include "bundle/artifact.h"
#include "codegen/lacking.h"
#include "deploy/runtime_package.h"
#include "driver/device_list.h"
#include "driver/inputs.h"
#include "model/random_values.h"
#include "views/exporting/export_wizard.h"
#include "views/models/shown_path.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <set>
#include <utility>

namespace lathe::app {

using views::exporting::ExportWizard;
using views::models::ExportChoices;
using views::models::ExportRequest;
using views::models::ExportSize;
using views::models::LogLevel;

namespace {

/// What is mostly exported for; `--target` takes anything else.
constexpr std::pair<const char*, const char*> presets[] = {
    {"x86-64-v4", "x86-64-v4 (AVX-512)"},
    {"x86-64-v3", "x86-64-v3 (AVX2)"},
    {"x86-64-v2", "x86-64-v2 (SSE4.2)"},
    {"cortex-a53", "Arm Cortex-A53"},
    {"cortex-a72", "Arm Cortex-A72 (Raspberry Pi 4)"},
    {"cortex-a76", "Arm Cortex-A76 (Raspberry Pi 5)"},
    {"neoverse-n1", "Arm Neoverse N1"},
    {"neoverse-v1", "Arm Neoverse V1"},
    {"rv64gc", "RISC-V RV64GC"},
    {"rv64gcv", "RISC-V RV64GCV (vectors)"},
};

QString withHint(const Diagnostic& problem) {
    const QString what = QString::fromStdString(problem.what);
    return problem.hint.empty() ? what : QStringLiteral("%1 (%2)").arg(what, QString::fromStdString(problem.hint));
}

QString problemOfTarget(const QString& text) {
    const auto target = codegen::parseTarget(text.toStdString());
    if (!target)
        return QString::fromStdString(target.error().what);
    const auto runtime = deploy::findRuntime(*target, {});
    return runtime ? QString() : QString::fromStdString(runtime.error().what);
}

/// Where bundles can be run before they are called done.
QList<views::models::ExportDevice> devices() {
    QList<views::models::ExportDevice> all{{"local", MainWindow::tr("this machine")},
                                           {"qemu", MainWindow::tr("another kind of machine, emulated by qemu-user")}};
    for (const char* cpu : {"cortex-a53", "cortex-a72", "cortex-a76", "Nehalem", "Haswell"})
        all.append(
            {QStringLiteral("qemu:%1").arg(QLatin1String(cpu)), MainWindow::tr("this CPU, emulated by qemu-user")});
    // Of a list that cannot be read the use of a name says why.
    const auto named = driver::readDevices(driver::devicesFile());
    for (driver::Device device : named ? *named : std::vector<driver::Device>()) {
        const std::string name = std::exchange(device.name, {});
        all.append({QString::fromStdString(name),
                    QString::fromStdString(device.note.empty() ? driver::toString(device) : device.note)});
    }
    return all;
}

QString problemOfDevice(const QString& text) {
    const auto device = driver::parseDevice(text.toStdString());
    return device ? QString() : withHint(device.error());
}

bool isEmulated(const QString& text) {
    const auto device = driver::parseDevice(text.toStdString());
    return device && device->isEmulated();
}

/// What the CPU that is emulated lacks of what the target needs, where LLVM knows it by that name; else only the run tells.
QString lacking(const driver::Device& device, const Target& target) {
    const auto emulated = codegen::parseTarget(QString::fromStdString(device.cpu).toLower().toStdString());
    if (device.cpu.empty() || !emulated || emulated->machine != target.machine)
        return {};
    QStringList missing;
    for (const std::string& name : codegen::lacking(target, codegen::requiredOf(*emulated)))
        missing << QString::fromStdString(name);
    return missing.isEmpty() ? QString() : MainWindow::tr("it lacks %1").arg(missing.join(QStringLiteral(", ")));
}

QString problemOfRun(const QString& text, const QString& targetText) {
    const auto device = driver::parseDevice(text.toStdString());
    const auto target = codegen::parseTarget(targetText.toStdString());
    if (!device || !target)
        return {}; // which is said where they are named
    const auto command = driver::runnerCommand(*device, *target);
    return command ? lacking(*device, *target) : withHint(command.error());
}

/// Runtimes of the targets, expected cases, texts.
qint64 bytesBeside(const ExportRequest& request, qint64 caseBytes) {
    constexpr qint64 texts = 60'000;
    qint64 bytes = texts;
    std::set<std::string> triples;
    for (const QString& text : request.targets) {
        const auto target = codegen::parseTarget(text.toStdString());
        const auto package = target ? deploy::findRuntime(*target, {}) : Failure(target.error());
        if (!package || !triples.insert(package->triple).second)
            continue;
        for (const std::string& file : package->files)
            if (file.starts_with("lib/liblathe_rt.") || file == "bin/lathe-check")
                bytes += QFileInfo(QString::fromStdString((package->folder / file).string())).size();
    }
    return bytes + (request.parts.contains("golden") ? request.cases * caseBytes : 0);
}

QString problemOfPlace(const QString& out, bool replace) {
    const auto free = deploy::mayWrite(out.toStdString(), replace);
    return free ? QString() : withHint(free.error());
}

/// As arguments of the command line.
QStringList argumentsOf(const driver::Options& options) {
    QStringList words;
    if (options.threads > 0)
        words << "--threads" << QString::number(options.threads);
    if (options.numerics != driver::NumericsLevel::Default)
        words << "--numerics" << (options.numerics == driver::NumericsLevel::Strict ? "strict" : "fast");
    for (const auto& [input, dims] : options.shapes) {
        QStringList sizes;
        for (const int64_t dim : dims)
            sizes << QString::number(dim);
        words << "--shape" << QString::fromStdString(input) + '=' + sizes.join(',');
    }
    return words;
}

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

using Symbols = std::unordered_map<const arith::ExprNode*, int64_t>;

/// Of the compiled model, where it has these open sizes.
Symbols symbolsAt(const driver::Trace& trace, const views::models::SizeValues& sizes) {
    if (trace.passes.empty() || !trace.passes.front().after)
        return {};
    return driver::symbolValues(trace.passes.front().after->main(), views::models::shapesWith(*trace.graph, sizes));
}

/// Of the inputs and outputs of a run; what nobody knows before it counts nothing.
qint64 caseBytes(const driver::Trace& trace, const views::models::SizeValues& sizes) {
    if (trace.passes.empty() || !trace.passes.front().after)
        return 0;
    const relay::Function& main = trace.passes.front().after->main();
    const Symbols symbols = symbolsAt(trace, sizes);
    std::vector<relay::Type> types =
        relay::asTuple(main.resultType) ? relay::asTuple(main.resultType)->fields : std::vector{main.resultType};
    for (const relay::Param& param : main.params)
        types.push_back(param.type);
    qint64 bytes = 0;
    for (const relay::Type& type : types)
        if (const relay::TensorType* tensor = relay::asTensor(type)) {
            std::vector<int64_t> dims;
            for (const arith::Expr& dim : tensor->shape)
                dims.push_back(arith::evaluate(dim, symbols).value_or(0));
            bytes += model::byteSize(tensor->dtype, dims).value_or(0);
        }
    return bytes;
}

/// What is known of the bundle before it is planned.
void fillOutlook(ExportChoices& choices, const TracePtr& trace) {
    for (const std::filesystem::path& file : trace->files)
        choices.modelBytes += QFileInfo(QString::fromStdString(file.string())).size();
    choices.hasData = !QFileInfo(choices.model).dir().entryList({"test_data_set_*"}, QDir::Dirs).isEmpty();
    const std::vector<bool> random =
        trace->graph->graph ? model::randomOutputs(*trace->graph, {}) : std::vector<bool>();
    for (size_t i = 0; i < random.size(); ++i)
        if (random[i])
            choices.randomOutputs << QString::fromStdString(trace->graph->graph->outputs[i].name);
    for (const driver::KernelRecord& kernel : trace->kernels) {
        choices.kernels += kernel.schedulable;
        choices.untunedKernels += kernel.schedulable && kernel.schedule.from == lower::ScheduleFrom::Default;
    }
    choices.peakBytes = [trace](const views::models::SizeValues& sizes) -> std::optional<qint64> {
        return trace->peakBytes ? arith::evaluate(trace->peakBytes, symbolsAt(*trace, sizes)) : std::nullopt;
    };
    choices.bytesBeside = [trace](const ExportRequest& request) {
        views::models::SizeValues sizes;
        for (const ExportSize& size : request.sizes)
            sizes[size.name] = size.usual;
        return bytesBeside(request, caseBytes(*trace, sizes));
    };
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

deploy::BundleOptions MainWindow::bundleOptions(const ExportRequest& request) const {
    deploy::BundleOptions options;
    options.name = request.name.toStdString();
    options.version = request.version.toStdString();
    options.licence = request.licence.toStdString();
    for (const QString& text : request.targets)
        if (const auto target = codegen::parseTarget(text.toStdString()))
            options.targets.push_back(*target);
    options.parts.clear();
    for (const QString& part : request.parts)
        if (const auto known = deploy::parsePart(part.toStdString()))
            options.parts.insert(*known);
    options.compile = settings_.options(*trace_->graph);
    for (const views::models::ExportSize& size : request.sizes)
        options.symbols[size.name.toStdString()] = {
            size.most ? size.least : 1, size.most ? std::optional<int64_t>(*size.most) : std::nullopt, size.usual};
    options.cases = request.cases;
    options.tolerance = {.absolute = request.tolerance > 0 ? 1e-6 : 0, .ofRange = request.tolerance};
    options.limits = {.p50Ms = request.p50Ms,
                      .p99Ms = request.p99Ms,
                      .loadMs = request.loadMs,
                      .residentBytes = int64_t(request.residentMb * 1e6),
                      .sizeBytes = int64_t(request.sizeMb * 1e6)};
    options.decisions = decisions();
    if (const auto device = driver::parseDevice(request.device.toStdString()))
        options.device = *device;
    return options;
}

void MainWindow::askForExport() {
    if (!modelGraph() || busy_)
        return;
    if (hasChanged())
        return compile(); // what is shown is not what would be exported
    if (exportWizard_)
        return exportWizard_->raise();
    if (exportsOf_ == path_)
        return beginExport(exports_);
    beginExport(exportList_.rowCount() > 0 ? exportList_.at(0).request : ExportRequest());
}

void MainWindow::beginExport(const ExportRequest& chosen) {
    ExportRequest begin = chosen;
    ExportChoices choices;
    choices.model = path_;
    choices.settings = argumentsOf(settings_.options(*trace_->graph));
    choices.problemOfTarget = problemOfTarget;
    choices.problemOfPlace = problemOfPlace;
    choices.targets.append({"native", tr("This machine: %1").arg(QString::fromStdString(codegen::nativeTarget().cpu)),
                            problemOfTarget("native")});
    for (const auto& [text, label] : presets)
        choices.targets.append({QLatin1String(text), QLatin1String(label), problemOfTarget(QLatin1String(text))});
    for (const deploy::Part part : deploy::allParts)
        choices.parts << QString::fromUtf8(deploy::toString(part).data(), qsizetype(deploy::toString(part).size()));
    choices.devices = devices();
    choices.problemOfDevice = problemOfDevice;
    choices.problemOfRun = problemOfRun;
    choices.isEmulated = isEmulated;
    fillOutlook(choices, trace_);
    choices.isDecided = decisions() != driver::Decisions();
    if (isCompiled())
        if (const auto parts = bundle::partsOf(compilation_->artifact->path()))
            choices.artifactBytes = qint64(parts->codeBytes + parts->constantBytes);

    if (begin.name.isEmpty()) {
        begin.name = QString::fromStdString(deploy::modelNameOf(path_.toStdString()));
        begin.targets = {settings_.target};
        begin.parts = choices.parts;
        begin.licence = QSettings().value("export/licence").toString();
        begin.out = besideModel(QStringLiteral("-bundle"));
    }
    begin.sizes = settings_.fixSizes ? QList<ExportSize>() : sizesOf(*trace_->graph, settings_.sizes, chosen.sizes);
    exportWizard_ = new ExportWizard(choices, begin, this);
    exportWizard_->setAttribute(Qt::WA_DeleteOnClose);
    connect(exportWizard_, &ExportWizard::planWanted, this, [this](const ExportRequest& request) {
        exports_ = request;
        exportsOf_ = path_;
        QSettings().setValue("export/licence", request.licence);
        planned_.reset();
        setBusy(true);
        log(tr("Compiling for a bundle"));
        engine_.planBundle(path_, bundleOptions(request));
    });
    connect(exportWizard_, &ExportWizard::exportWanted, this, [this](const ExportRequest& request) {
        exports_ = request;
        setBusy(true);
        log(tr("Exporting to %1").arg(request.out));
        const auto device = driver::parseDevice(request.device.toStdString());
        engine_.exportBundle(planned_, request.out, request.replace,
                             request.check && device ? std::optional(*device) : std::nullopt);
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
    if (exportsOf_ != path_)
        return;
    exportList_.add({.request = exports_,
                     .settings = argumentsOf(settings_.options(*trace_->graph)),
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
