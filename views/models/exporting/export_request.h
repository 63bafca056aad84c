// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an export is asked for, as the wizard's pages have it; what there is to choose from; and what came of it. Values of
// the views alone: the app makes what `lathe bundle` takes of them.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <optional>

namespace lathe::views::models {

/// Sizes that a symbol may have.
struct ExportSize {
    QString name;
    qint64 least = 1;
    std::optional<qint64> most; // none: any, from 1 on
    qint64 usual = 1;           // what examples and golden cases have
    bool operator==(const ExportSize&) const = default;
};

struct ExportRequest {
    QString form = QStringLiteral("folder"); // as `lathe bundle --form` takes it
    QString name, version = QStringLiteral("0.1.0"), licence;
    QStringList targets; // as `lathe bundle --target` takes them, best first
    QStringList parts;   // as --with does
    QList<ExportSize> sizes;
    int cases = 3;
    double tolerance = 1e-3;                                             // as a share of an output's range
    double p50Ms = 0, p99Ms = 0, loadMs = 0, residentMb = 0, sizeMb = 0; // limits; 0: none
    bool check = true;                                                   // it is run, before it is done,
    QString device = QStringLiteral("local");                            // there, as `lathe bundle --device` takes it
    QString out;                                                         // its ending says how it is packed: packing.h
    bool replace = false;
    bool operator==(const ExportRequest&) const = default;
};

/// The command that makes the same bundle, for a POSIX shell. `settings`: what is compiled with, as arguments.
QString commandOf(const ExportRequest& request, const QString& model, const QStringList& settings);

/// A word as a POSIX shell reads it back.
QString shellQuoted(const QString& word);

struct ExportTarget {
    QString text;    // as parseTarget reads it
    QString label;   // "x86-64-v3 (AVX2)"
    QString problem; // why it cannot be chosen; empty: it can
};

/// What a bundle can be for.
struct ExportForm {
    QString text;             // as `--form` takes it
    QStringList parts;        // that can be chosen
    bool isRunnable = true;   // by the check, which of others looks at files alone
    bool hasVariants = false; // for several targets
};

/// Where a bundle can be run.
struct ExportDevice {
    QString text;  // as `--device` takes it
    QString label; // "this machine"
};

/// What there is to choose from, and who can say whether a choice is good. What is empty or 0 nobody knows.
struct ExportChoices {
    QString model; // its file
    QStringList settings;
    QList<ExportTarget> targets;
    QList<ExportForm> forms;
    QStringList parts; // with what they are: "c", "examples" …
    QList<ExportDevice> devices;
    qint64 artifactBytes = 0, modelBytes = 0;   // of the compilation of now; of the model's files
    QString target;                             // of that compilation, as `--target` takes it
    int kernels = 0;                            // of that compilation
    int untunedKernels = 0, decidedKernels = 0; // of these: with the default that nobody tuned, with a decided schedule
    bool hasData = false;                       // expected outputs lie beside the model
    bool isDecided = false;                     // something is, otherwise than by default, in the window
    QStringList randomOutputs;
    std::function<std::optional<qint64>(const ExportRequest&)> bytesBeside; // of what is put beside artifacts, about
    std::function<std::optional<qint64>(const std::map<QString, qint64>&)>
        peakBytes;                                          // of a run's memory, at these sizes
    std::function<QString(const QString&)> problemOfDevice; // of its name; empty text: none
    std::function<bool(const QString&)> isEmulated;         // a device, so that its times say nothing
    std::function<QString(const QString&, const QString&)>
        problemOfCheck; // why a bundle of a form cannot be checked on a device; empty: it can
    std::function<QString(const QString&, const QString&)>
        problemOfRun;                                            // why a device cannot run a target; empty: it can
    std::function<QString(const QString&)> problemOfTarget;      // empty text: none
    std::function<QString(const ExportRequest&)> problemOfNames; // of name, version and licence; empty text: none
    std::function<QString(const QString&, bool)> problemOfPlace; // of what it is written to, and whether it may replace

    /// Of this text; the usual one for others.
    ExportForm form(const QString& text) const;
};

struct ExportFile {
    QString path, kind;
    qint64 bytes = 0;
};

/// What will be written.
struct ExportPlan {
    QList<ExportFile> files;
    qint64 bytes = 0;
    QStringList remarks; // what whoever exports should know
};

struct ExportStep {
    QString name, text;
    bool good = true;
};

/// What the check saw of the artifact for one target.
struct ExportedTarget {
    QString target;
    QString outcome; // "right", "loads", "wrong", "not run"
    QString why;     // of the last two
    bool operator==(const ExportedTarget&) const = default;
};

/// How it ended.
struct ExportEnd {
    QString out, id;
    bool checked = false, good = true; // as the check found it
    QString variant;                   // that times are of; empty: nothing ran
    QList<ExportedTarget> targets;     // each; none: nothing could be run
    int cases = 0;                     // expected ones that it computed
    int threads = 0;                   // that the runs which were timed had; 0: not known
    double loadMs = 0, firstMs = 0, p50Ms = 0, p90Ms = 0, p99Ms = 0;
    qint64 residentBytes = 0, bytes = 0;
    QStringList problems; // of the export, or of the check
    bool operator==(const ExportEnd&) const = default;
};

/// No more than what was seen. RightInPart: of some targets; others were not run, or say nothing.
enum class ExportVerdict { NotChecked, NotGood, Whole, Loads, RightInPart, Right };
ExportVerdict verdictOf(const ExportEnd& end);

/// "✓ right", "✓ loads", "✗ wrong: it crashed", "not run: cannot run on …".
QString textOf(const ExportedTarget& target);

} // namespace lathe::views::models
