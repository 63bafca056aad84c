// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recent_files.h"

#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QStringList>
#include <algorithm>

namespace lathe::app {

using views::models::RecentFile;

namespace {

constexpr auto pathsKey = "recentFiles", factsKey = "recentFacts"; // a JSON object a path, in no order
constexpr qsizetype most = 10;
constexpr double longestRunMs = 1e9; // what is longer no run was

QString textOf(const RecentFile& file) {
    const QJsonObject object{{"path", file.path},
                             {"opened", file.opened.toString(Qt::ISODate)},
                             {"nodes", file.nodes},
                             {"ms", file.medianMs}};
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

RecentFile fileOf(const QString& text) {
    const QJsonObject object = QJsonDocument::fromJson(text.toUtf8()).object();
    const double ms = object["ms"].toDouble();
    return {.path = object["path"].toString(),
            .opened = QDateTime::fromString(object["opened"].toString(), Qt::ISODate),
            .nodes = std::max(0, object["nodes"].toInt()),
            .medianMs = ms > 0 && ms < longestRunMs ? ms : 0};
}

void keep(const QList<RecentFile>& files) {
    QStringList paths, facts;
    for (const RecentFile& file : files.first(std::min(most, files.size()))) {
        paths << file.path;
        facts << textOf(file);
    }
    QSettings settings;
    settings.setValue(pathsKey, paths);
    settings.setValue(factsKey, facts);
}

} // namespace

QList<RecentFile> recentFiles() {
    const QSettings settings;
    QHash<QString, RecentFile> facts;
    for (const QString& text : settings.value(factsKey).toStringList().mid(0, most))
        if (const RecentFile file = fileOf(text); !file.path.isEmpty())
            facts.insert(file.path, file);
    QList<RecentFile> files;
    for (const QString& path : settings.value(pathsKey).toStringList().mid(0, most))
        if (!path.isEmpty())
            files << facts.value(path, {.path = path});
    return files;
}

void rememberRecent(const QString& path, int nodes) {
    QList<RecentFile> files = recentFiles();
    RecentFile file{.path = path};
    if (const auto known = std::ranges::find(files, path, &RecentFile::path); known != files.end())
        file = *known;
    files.removeIf([&](const RecentFile& each) { return each.path == path; });
    file.opened = QDateTime::currentDateTime();
    if (nodes > 0)
        file.nodes = nodes;
    files.prepend(file);
    keep(files);
}

void rememberRun(const QString& path, double medianMs) {
    QList<RecentFile> files = recentFiles();
    const auto known = std::ranges::find(files, path, &RecentFile::path);
    if (known == files.end())
        return;
    known->medianMs = medianMs;
    keep(files);
}

} // namespace lathe::app
