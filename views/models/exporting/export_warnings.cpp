// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/exporting/export_warnings.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/translate.h"

#include <algorithm>

namespace lathe::views::models {
namespace {

constexpr qint64 smallArtifact = qint64(1) << 20; // of which the code is most

QString megabytes(qint64 bytes) {
    return tr("%1 MB").arg(double(bytes) / 1e6, 0, 'f', bytes < 100'000 ? 3 : 1);
}

/// Whose schedules nobody has looked at, and whom those that are decided are not for.
void addSchedules(const ExportRequest& request, const ExportChoices& choices, QList<ExportWarning>& warnings) {
    if (choices.untunedKernels > 0 && request.targets.contains(choices.target))
        warnings << ExportWarning{ExportTopic::Targets,
                                  tr("%1 of %2 %3 the schedule by default, which nobody tuned for %4: the page "
                                     "Tuning looks for faster ones.")
                                      .arg(grouped(choices.untunedKernels),
                                           counted(choices.kernels, "kernel", "kernels"),
                                           choices.untunedKernels == 1 ? tr("has") : tr("have"), choices.target)};
    QStringList others = request.targets;
    others.removeAll(choices.target);
    if (choices.decidedKernels > 0 && !others.isEmpty())
        warnings << ExportWarning{ExportTopic::Targets,
                                  tr("%1 decided for %2: %3 will have the default ones.")
                                      .arg(counted(choices.decidedKernels, "schedule is", "schedules are"),
                                           choices.target, oneLine(others.join(QStringLiteral(", ")), 120)),
                                  true};
}

/// Whether any target can be run where it is to be checked, and why others cannot.
void addRuns(const ExportRequest& request, const ExportChoices& choices, QList<ExportWarning>& warnings) {
    if (!request.check || !choices.problemOfRun || !choices.form(request.form).isRunnable)
        return;
    QStringList problems;
    for (const QString& target : request.targets)
        if (const QString why = choices.problemOfRun(request.device, target); !why.isEmpty())
            problems << tr("%1 is not run on %2: %3.")
                            .arg(oneLine(target, longestNameInText), oneLine(request.device, longestNameInText), why);
    if (!problems.isEmpty() && problems.size() == request.targets.size())
        problems << tr("No target can be run there, so the check will fail: choose another device, or do without.");
    for (const QString& problem : problems)
        warnings << ExportWarning{ExportTopic::Checks, problem};
    if (choices.isEmulated && choices.isEmulated(request.device)) {
        const bool limited = request.p50Ms > 0 || request.p99Ms > 0 || request.loadMs > 0;
        warnings << ExportWarning{
            ExportTopic::Checks,
            limited ? tr("Times under an emulator say nothing of a device: limits of time are not held there.")
                    : tr("Times under an emulator say nothing of a device.")};
    }
}

} // namespace

QList<ExportWarning> warningsOf(const ExportRequest& request, const ExportChoices& choices) {
    QList<ExportWarning> warnings;
    const auto add = [&](ExportTopic topic, const QString& text, bool planned = false) {
        warnings << ExportWarning{topic, text, planned};
    };
    if (request.licence.trimmed().isEmpty())
        add(ExportTopic::Name,
            tr("The model's licence is not stated: whoever gets the bundle cannot tell what they may do "
               "with it."));
    addSchedules(request, choices, warnings);
    if (choices.artifactBytes > smallArtifact && choices.modelBytes > 0 &&
        choices.artifactBytes * 2 > choices.modelBytes * 3)
        add(ExportTopic::Contents,
            tr("The compiled model takes %1, the model's file %2: weights were widened, unpacked or transformed.")
                .arg(megabytes(choices.artifactBytes), megabytes(choices.modelBytes)),
            true);
    if (choices.isDecided)
        add(ExportTopic::Contents,
            tr("What was decided in this window (passes, variants, schedules) goes in, but no command can name it: the "
               "bundle has it in reproduce/."));
    for (const ExportSize& size : request.sizes)
        if (!size.most)
            add(ExportTopic::Sizes,
                tr("%1 has no upper bound, nor has the memory of a run: an end in the column To gives it one.")
                    .arg(oneLine(size.name, longestNameInText)),
                true);
    const bool golden = request.cases > 0 && request.parts.contains(QLatin1String("golden"));
    if (golden && !choices.hasData)
        add(ExportTopic::Checks, tr("Expected outputs are computed here, without optimizations: they say that a device "
                                    "agrees with this machine, "
                                    "not that the model is right. Data beside the model (test_data_set_0) says both."));
    if (!golden)
        add(ExportTopic::Checks,
            tr("There are no expected outputs: the check says that it runs, not that it is right."));
    for (const QString& output : choices.randomOutputs)
        add(ExportTopic::Checks,
            tr("Output %1 is drawn at random: its values are not compared.").arg(oneLine(output, longestNameInText)),
            true);
    addRuns(request, choices, warnings);
    return warnings;
}

QString estimateOf(const ExportRequest& request, const ExportChoices& choices, std::optional<qint64> bytes) {
    QStringList texts;
    if (bytes)
        texts << megabytes(*bytes);
    else if (const auto beside = choices.bytesBeside ? choices.bytesBeside(request) : std::nullopt;
             beside && choices.artifactBytes > 0)
        texts << tr("about %1, of it the compiled model %2")
                     .arg(megabytes(choices.artifactBytes * std::max<qsizetype>(1, request.targets.size()) + *beside),
                          megabytes(choices.artifactBytes));
    else
        texts << tr("The size is known once the model is compiled");
    const auto peak = [&](bool largest) -> std::optional<qint64> {
        std::map<QString, qint64> sizes;
        for (const ExportSize& size : request.sizes) {
            if (largest && !size.most)
                return std::nullopt;
            sizes[size.name] = largest ? *size.most : size.usual;
        }
        return choices.peakBytes ? choices.peakBytes(sizes) : std::nullopt;
    };
    const auto usual = peak(false), most = peak(true);
    if (usual && request.sizes.isEmpty())
        texts << tr("a run takes %1 of memory beside it").arg(megabytes(*usual));
    else if (usual)
        texts << tr("a run takes %1 of memory beside it at the usual sizes, %2")
                     .arg(megabytes(*usual), most ? tr("%1 at the largest").arg(megabytes(*most))
                                                  : tr("with no end to it at larger ones"));
    return texts.join(QStringLiteral("; "));
}

} // namespace lathe::views::models
