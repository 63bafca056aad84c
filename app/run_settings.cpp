// SPDX-License-Identifier: GPL-3.0-or-later
//
// Settings that were kept are read entry by entry: what cannot be read is as by default, and said so.
#include "app/run_settings.h"

#include "codegen/target.h"
#include "inspect/machine_peaks.h"
#include "project/project.h"
#include "views/models/inputs/open_size_model.h"
#include "views/models/text/one_line.h"

#include <QDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include <vector>

namespace lathe::app {

using driver::NumericsLevel;

namespace {

/// How many names of inputs or sizes the status bar has.
constexpr qsizetype mostNames = 3;
/// And how long that of a signature, or an argument, is there.
constexpr qsizetype longestSignature = 40;

/// The first of them, and how many there are beside.
QString firstOf(const QStringList& names, const QString& separator) {
    if (names.size() <= mostNames)
        return names.join(separator);
    return QDialog::tr("%1 and %2 more")
        .arg(names.mid(0, mostNames).join(QStringLiteral(", ")))
        .arg(names.size() - mostNames);
}

/// Takes what was kept, where it can be read.
struct Reader {
    RunSettings& settings;
    std::vector<Diagnostic>* unread; // or null

    void target(const QString& text) const {
        if (const auto parsed = codegen::parseTarget(text.toStdString()))
            settings.target = text;
        else
            note(parsed.error(), settings.target);
    }
    void numerics(const QString& text) const {
        if (const auto level = driver::keptNumerics(text.toStdString()))
            settings.numerics = *level;
        else
            note(level.error(), nameOf(settings.numerics));
    }
    void json(const QJsonObject& object) const {
        for (auto entry = object.begin(); entry != object.end(); ++entry)
            if (!takes(entry.key(), entry.value()))
                refuse(entry.key(), entry.value());
    }
    void refuse(const QString& name, const QJsonValue& value) const {
        const QByteArray text = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
        note(error(views::models::oneLine(QStringLiteral("%1 %2").arg(name, QString::fromUtf8(text))).toStdString() +
                   " cannot be read"),
             QDialog::tr("the default"));
    }

private:
    static bool isCount(const QJsonValue& value, qint64 most) {
        const qint64 count = value.toInteger(-1); // also of what is no whole number
        return count >= 0 && count <= most;
    }
    /// False: it is of no name that is known, or of another kind than what has it.
    bool takes(const QString& name, const QJsonValue& value) const {
        if (name == "target" && value.isString())
            target(value.toString());
        else if (name == "numerics" && value.isString())
            numerics(value.toString());
        else if (name == "threads" && isCount(value, RunSettings::mostThreads))
            settings.threads = value.toInt();
        else if (name == "fix_sizes" && value.isBool())
            settings.fixSizes = value.toBool();
        else if (name == "seed" && isCount(value, RunSettings::largestSeed))
            settings.inputs.seed = uint64_t(value.toInteger());
        else if (name == "states" && value.isObject())
            states(value.toObject());
        else if (name == "go_on" && value.isBool())
            settings.goOn = value.toBool();
        else if (name == project::graphKey && value.isObject())
            graph(value.toObject());
        else if (name == "sizes" && value.isObject())
            sizes(value.toObject());
        else if (name == "input_files" && value.isObject())
            files(value.toObject());
        else
            return false;
        return true;
    }
    void graph(const QJsonObject& object) const {
        if (const auto read =
                project::GraphChoice::fromJson(QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString()))
            settings.graphChoice = *read;
        else
            note(read.error(), QDialog::tr("the usual graph"));
    }
    void sizes(const QJsonObject& object) const {
        for (auto size = object.begin(); size != object.end(); ++size)
            if (isCount(size.value(), views::models::OpenSizeModel::largest))
                settings.sizes[size.key()] = size.value().toInteger();
            else
                refuse(QStringLiteral("sizes of ") + size.key(), size.value());
    }
    void files(const QJsonObject& object) const {
        for (auto file = object.begin(); file != object.end(); ++file)
            if (const QString path = file.value().toString(); !path.isEmpty())
                settings.inputs.files.byName[file.key().toStdString()] = path.toStdString();
            else
                refuse(QStringLiteral("input_files of ") + file.key(), file.value());
    }
    void states(const QJsonObject& object) const {
        for (auto state = object.begin(); state != object.end(); ++state)
            if (const QString begins = state.value().toString(); !begins.isEmpty())
                settings.states[state.key().toStdString()] = begins.toStdString();
            else
                refuse(QStringLiteral("states of ") + state.key(), state.value());
    }
    void note(Diagnostic problem, const QString& instead) const {
        problem.severity = Severity::Warning;
        problem.what = QDialog::tr("of the settings that were kept: %1; %2 stands in its place")
                           .arg(QString::fromStdString(problem.what), instead)
                           .toStdString();
        if (unread)
            unread->push_back(std::move(problem));
    }
};

/// Also of an input whose shape the settings say: with the sizes that it leaves open.
void fix(const std::string& input, std::vector<int64_t> dims, driver::Options& options) {
    std::erase_if(options.sizeNames, [&](const auto& named) { return named.first == input; });
    std::erase_if(options.shapes, [&](const auto& shape) { return shape.first == input; });
    options.shapes.emplace_back(input, std::move(dims));
}

} // namespace

QString nameOf(NumericsLevel level) {
    const std::string_view name = driver::toString(level);
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

RunSettings RunSettings::kept(std::vector<Diagnostic>* unread) {
    const QSettings kept;
    RunSettings settings;
    const Reader read{settings, unread};
    if (kept.contains("run/target"))
        read.target(kept.value("run/target").toString());
    if (kept.contains("run/numerics"))
        read.numerics(kept.value("run/numerics").toString());
    settings.threads = std::clamp(kept.value("run/threads").toInt(), 0, mostThreads);
    return settings;
}

void RunSettings::keep() const {
    QSettings kept;
    kept.setValue("run/target", target);
    kept.setValue("run/numerics", nameOf(numerics));
    kept.setValue("run/threads", threads);
}

std::string RunSettings::toJson() const {
    QJsonObject sizesByName;
    for (const auto& [name, size] : sizes)
        sizesByName[name] = size;
    QJsonObject files;
    for (const auto& [name, file] : inputs.files.byName)
        files[QString::fromStdString(name)] = QString::fromStdString(file);
    QJsonObject begins;
    for (const auto& [name, text] : states)
        begins[QString::fromStdString(name)] = QString::fromStdString(text);
    const QJsonObject graph = QJsonDocument::fromJson(QByteArray::fromStdString(graphChoice.toJson())).object();
    const QJsonObject json{{"target", target},     {"numerics", nameOf(numerics)}, {"threads", threads},
                           {"sizes", sizesByName}, {"fix_sizes", fixSizes},        {"seed", qint64(inputs.seed)},
                           {"input_files", files}, {project::graphKey, graph},     {"states", begins},
                           {"go_on", goOn}};
    return QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString();
}

RunSettings RunSettings::fromJson(const std::string& text, std::vector<Diagnostic>* unread) {
    RunSettings settings;
    if (text.empty())
        return settings;
    QJsonParseError failed;
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(text), &failed);
    const Reader read{settings, unread};
    if (json.isObject())
        read.json(json.object());
    else
        read.refuse(json.isNull() ? failed.errorString() : QDialog::tr("no JSON object"), QString::fromStdString(text));
    return settings;
}

driver::Options RunSettings::options(const model::ModelGraph& graph) const {
    driver::Options options;
    if (auto parsed = codegen::parseTarget(target.toStdString()))
        options.target = *std::move(parsed);
    options.bytesPerMultiplyAdd = inspect::measuredBalance(target.toStdString());
    options.threads = threads;
    options.numerics = numerics;
    LATHE_ASSERT(graphChoice.addTo(options), "words that were read before");
    if (fixSizes)
        for (auto& [name, dims] : views::models::shapesWith(graph, sizes))
            fix(name, std::move(dims), options);
    else if (!sizes.empty())
        options.shapesAtNeed = views::models::shapesWith(graph, sizes);
    options.inputsAtNeed = inputs.files;
    return options;
}

QString RunSettings::text(const model::ModelGraph* graph) const {
    QStringList parts{target, threads == 0   ? QDialog::tr("all threads")
                              : threads == 1 ? QDialog::tr("1 thread")
                                             : QDialog::tr("%1 threads").arg(threads)};
    if (numerics != NumericsLevel::Default)
        parts << QDialog::tr("%1 numerics").arg(nameOf(numerics));
    if (graph && graph->signatures.size() > 1)
        parts << QDialog::tr("signature %1")
                     .arg(views::models::oneLine(QString::fromStdString(graph->signature), longestSignature));
    if (graphChoice.isPart())
        parts << QDialog::tr("a part of it");
    if (!graphChoice.arguments.empty()) {
        QStringList words;
        for (const std::string& word : graphChoice.arguments)
            words << views::models::oneLine(QString::fromStdString(word), longestSignature);
        parts << firstOf(words, QStringLiteral(", "));
    }
    QStringList open;
    if (graph)
        for (const views::models::OpenSize& size : views::models::openSizesOf(*graph)) {
            const auto value = sizes.find(size.name);
            open << QStringLiteral("%1 %2%3")
                        .arg(size.name)
                        .arg(value == sizes.end() ? 1 : value->second)
                        .arg(fixSizes ? QDialog::tr(" (fixed)") : QString());
        }
    if (!open.isEmpty())
        parts << firstOf(open, QStringLiteral(", "));
    if (graph && !inputs.files.empty()) {
        QStringList names;
        for (const auto& [name, file] : inputs.files.byName)
            names << QString::fromStdString(name);
        parts << QDialog::tr("%1 from files").arg(firstOf(names, QStringLiteral(" and ")));
    }
    if (inputs.seed != 0)
        parts << QDialog::tr("seed %1").arg(inputs.seed);
    return parts.join(QStringLiteral(", "));
}

} // namespace lathe::app
