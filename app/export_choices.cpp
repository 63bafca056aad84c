// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_choices.h"

#include "arith/analysis.h"
#include "codegen/lacking.h"
#include "deploy/bundle_model.h"
#include "deploy/check_bundle.h"
#include "deploy/runtime_package.h"
#include "device/device_list.h"
#include "driver/option_words.h"
#include "inspect/inputs.h"
#include "model/random_values.h"
#include "records/tried.h"
#include "views/models/inputs/open_sizes.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace lathe::app {

using views::models::ExportChoices;
using views::models::ExportRequest;
using views::models::ExportSize;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("ExportChoices", text);
}

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

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

QString problemOfNames(const ExportRequest& request) {
    deploy::BundleOptions options;
    options.name = request.name.toStdString();
    options.version = request.version.toStdString();
    options.licence = request.licence.toStdString();
    const auto valid = deploy::validate(options);
    return valid ? QString() : withHint(valid.error());
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
    QList<views::models::ExportDevice> all{{"local", tr("this machine")},
                                           {"qemu", tr("another kind of machine, emulated by qemu-user")}};
    for (const char* cpu : {"cortex-a53", "cortex-a72", "cortex-a76", "Nehalem", "Haswell"})
        all.append({QStringLiteral("qemu:%1").arg(QLatin1String(cpu)), tr("this CPU, emulated by qemu-user")});
    // Of a list that cannot be read the use of a name says why.
    const auto named = device::readDevices(device::devicesFile());
    for (device::Device device : named ? *named : std::vector<device::Device>()) {
        const std::string name = std::exchange(device.name, {});
        all.append({QString::fromStdString(name),
                    QString::fromStdString(device.note.empty() ? device::toString(device) : device.note)});
    }
    return all;
}

QString problemOfDevice(const QString& text) {
    const auto device = device::parseDevice(text.toStdString());
    return device ? QString() : withHint(device.error());
}

bool isEmulated(const QString& text) {
    const auto device = device::parseDevice(text.toStdString());
    return device && device->isEmulated();
}

/// What the CPU that is emulated lacks of what the target needs, where LLVM knows it by that name; else only the run tells.
QString lacking(const device::Device& device, const Target& target) {
    const auto emulated = codegen::parseTarget(QString::fromStdString(device.cpu).toLower().toStdString());
    if (device.cpu.empty() || !emulated || emulated->architecture != target.architecture)
        return {};
    QStringList missing;
    for (const std::string& name : codegen::lacking(target, codegen::requiredOf(*emulated)))
        missing << QString::fromStdString(name);
    return missing.isEmpty() ? QString() : tr("it lacks %1").arg(missing.join(QStringLiteral(", ")));
}

QString problemOfRun(const QString& text, const QString& targetText) {
    const auto device = device::parseDevice(text.toStdString());
    const auto target = codegen::parseTarget(targetText.toStdString());
    if (!device || !target)
        return {}; // which is said where they are named
    const auto command = device::runnerCommand(*device, *target);
    return command ? lacking(*device, *target) : withHint(command.error());
}

QString problemOfCheck(const QString& formText, const QString& deviceText) {
    const auto form = deploy::parseForm(formText.toStdString());
    const auto device = device::parseDevice(deviceText.toStdString());
    if (!form || !device)
        return {};
    const auto may = deploy::mayRun(*form, *device);
    return may ? QString() : withHint(may.error());
}

/// What of a runtime package goes in, or is as large as what does.
bool isPutBeside(deploy::BundleForm form, const std::string& file) {
    switch (form) {
    case deploy::BundleForm::Folder:
        return file.starts_with("lib/liblathe_rt.") || file == "bin/lathe-check";
    case deploy::BundleForm::Program: // which is linked of the same libraries
        return file == "bin/lathe-check";
    case deploy::BundleForm::Library:
        return file.starts_with("lib/liblathe_rt") && file.ends_with(".a");
    case deploy::BundleForm::CSource:
        break;
    }
    return false;
}

/// Runtimes of the targets, expected cases, texts. Of C source nobody knows it, nor how large the source itself becomes.
std::optional<qint64> bytesBeside(const ExportRequest& request, qint64 caseBytes) {
    constexpr qint64 texts = 60'000;
    const auto form = deploy::parseForm(request.form.toStdString());
    if (!form || *form == deploy::BundleForm::CSource)
        return std::nullopt;
    qint64 bytes = texts;
    std::set<std::string> triples;
    for (const QString& text : request.targets) {
        const auto target = codegen::parseTarget(text.toStdString());
        const auto package = target ? deploy::findRuntime(*target, {}) : Failure(target.error());
        if (!package || !triples.insert(package->triple).second)
            continue;
        for (const std::string& file : package->files)
            if (isPutBeside(*form, file))
                bytes += QFileInfo(QString::fromStdString((package->folder / file).string())).size();
    }
    return bytes + (request.parts.contains("golden") ? request.cases * caseBytes : 0);
}

QString problemOfPlace(const QString& out, bool replace) {
    const auto free = deploy::mayWrite(out.toStdString(), replace);
    return free ? QString() : withHint(free.error());
}

using Symbols = std::unordered_map<const arith::ExprNode*, int64_t>;

/// Of the compiled model, where it has these open sizes.
Symbols symbolsAt(const driver::Trace& trace, const views::models::SizeValues& sizes) {
    if (trace.passes.empty() || !trace.passes.front().after)
        return {};
    return inspect::symbolValues(trace.passes.front().after->main(), views::models::shapesWith(*trace.graph, sizes));
}

/// Of the inputs and outputs of a run; what nobody knows before it counts nothing.
qint64 caseBytes(const driver::Trace& trace, const views::models::SizeValues& sizes) {
    if (trace.passes.empty() || !trace.passes.front().after)
        return 0;
    const relay::Function& main = trace.passes.front().after->main();
    const Symbols symbols = symbolsAt(trace, sizes);
    std::vector<relay::Type> types = relay::outputTypes(main);
    for (const relay::Param& param : relay::inputParams(main))
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
        if (const QFileInfo info(QString::fromStdString(file.string())); info.isFile())
            choices.modelBytes += info.size();
    choices.hasData = !QFileInfo(choices.model).dir().entryList({"test_data_set_*"}, QDir::Dirs).isEmpty();
    const std::vector<bool> random =
        trace->graph->graph ? model::randomOutputs(*trace->graph, {}) : std::vector<bool>();
    for (size_t i = 0; i < random.size(); ++i)
        if (random[i])
            choices.randomOutputs << QString::fromStdString(trace->graph->graph->outputs[i].name);
    const std::set<std::string> tuned = records::triedWorkloads();
    for (const driver::KernelRecord& kernel : trace->kernels) {
        choices.kernels += kernel.schedulable;
        choices.untunedKernels += kernel.schedulable && kernel.schedule.from == lower::ScheduleFrom::Default &&
                                  !tuned.contains(kernel.workload);
        choices.decidedKernels += kernel.schedule.from == lower::ScheduleFrom::Decided;
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

} // namespace

views::models::ExportChoices exportChoices(const QString& model, const driver::Options& settings,
                                           const TracePtr& trace) {
    ExportChoices choices;
    choices.model = model;
    choices.settings = argumentsOf(settings);
    choices.problemOfTarget = problemOfTarget;
    choices.problemOfNames = problemOfNames;
    choices.problemOfPlace = problemOfPlace;
    choices.targets.append({"native", tr("This machine: %1").arg(QString::fromStdString(codegen::nativeTarget().cpu)),
                            problemOfTarget("native")});
    for (const auto& [text, label] : presets)
        choices.targets.append({QLatin1String(text), QLatin1String(label), problemOfTarget(QLatin1String(text))});
    for (const deploy::Part part : deploy::allParts)
        choices.parts << textOf(deploy::toString(part));
    for (const deploy::BundleForm form : deploy::allForms) {
        views::models::ExportForm& each = choices.forms.emplaceBack(textOf(deploy::toString(form)));
        each.isRunnable = deploy::isRunnable(form);
        each.hasVariants = deploy::hasVariants(form);
        for (const deploy::Part part : deploy::allParts)
            if (deploy::hasChoice(form, part))
                each.parts << textOf(deploy::toString(part));
    }
    choices.devices = devices();
    choices.problemOfDevice = problemOfDevice;
    choices.problemOfRun = problemOfRun;
    choices.isEmulated = isEmulated;
    choices.problemOfCheck = problemOfCheck;
    fillOutlook(choices, trace);
    return choices;
}

deploy::BundleOptions bundleOptionsOf(const ExportRequest& request, const driver::Options& compile) {
    deploy::BundleOptions options;
    if (const auto form = deploy::parseForm(request.form.toStdString()))
        options.form = *form;
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
    options.compile = compile;
    for (const ExportSize& size : request.sizes)
        options.symbols[size.name.toStdString()] = {
            size.most ? size.least : 1, size.most ? std::optional<int64_t>(*size.most) : std::nullopt, size.usual};
    options.cases = request.cases;
    options.tolerance = {.absolute = request.tolerance > 0 ? 1e-6 : 0, .ofRange = request.tolerance};
    options.limits = {.p50Ms = request.p50Ms,
                      .p99Ms = request.p99Ms,
                      .loadMs = request.loadMs,
                      .residentBytes = std::llround(request.residentMb * 1e6),
                      .sizeBytes = std::llround(request.sizeMb * 1e6)};
    if (const auto device = device::parseDevice(request.device.toStdString()))
        options.device = *device;
    return options;
}

QStringList argumentsOf(const driver::Options& settings) {
    QStringList words;
    if (settings.threads > 0)
        words << "--threads" << QString::number(settings.threads);
    if (settings.numerics != driver::NumericsLevel::Default)
        words << "--numerics" << "strict";
    if (!settings.signature.empty())
        words << "--signature" << QString::fromStdString(settings.signature);
    const auto add = [&words](const char* option, const std::string& word) {
        words << option << QString::fromStdString(word);
    };
    for (const auto& [option, names] :
         {std::pair("--inputs", &settings.cut.inputs), std::pair("--outputs", &settings.cut.outputs)})
        if (!names->empty())
            add(option, fmt::format("{}", fmt::join(*names, ",")));
    for (const std::string& word : driver::shapeWords(settings))
        add("--shape", word);
    for (const auto& [name, dtype] : settings.types)
        add("--type", fmt::format("{}={}", name, toString(dtype)));
    for (const auto& [name, value] : settings.arguments)
        add("--arg", fmt::format("{}={}", name, value));
    return words;
}

QString withHint(const Diagnostic& problem) {
    const QString what = QString::fromStdString(problem.what);
    return problem.hint.empty() ? what : QStringLiteral("%1 (%2)").arg(what, QString::fromStdString(problem.hint));
}

} // namespace lathe::app
