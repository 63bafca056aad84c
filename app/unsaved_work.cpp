// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/unsaved_work.h"

#include "project/file.h"
#include "views/models/text/one_line.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace lathe::app {

namespace {

constexpr int mostKept = 10;
/// Letters of the model's name, each at most four bytes: a name of a file has 255, and not all of them are the model's.
constexpr qsizetype mostOfName = 40;
constexpr auto lastProjectKey = "session/last", beginningKey = "session/beginning";

QDir folder() {
    return {QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/unsaved")};
}

bool isOpen(const QString& path) {
    return project::File::isOpen(path.toStdString());
}

} // namespace

QString newUnsavedProject(const QString& model) {
    const QDir place = folder();
    if (!place.mkpath(QStringLiteral(".")))
        return {};
    const QFileInfoList kept = place.entryInfoList({QStringLiteral("*.lathe")}, QDir::Files | QDir::Hidden, QDir::Time);
    for (const QFileInfo& old : kept.mid(mostKept - 1))
        if (!isOpen(old.filePath()))
            removeProject(old.filePath());
    // Begins with the folder: to Qt a name that begins with a colon is no file.
    const QString name =
        QStringLiteral("%1/%2-%3")
            .arg(place.absolutePath(), views::models::oneLine(QFileInfo(model).completeBaseName(), mostOfName),
                 QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
    QString path = name + QStringLiteral(".lathe");
    for (int again = 2; QFileInfo::exists(path); ++again)
        path = QStringLiteral("%1-%2.lathe").arg(name).arg(again);
    return path;
}

void removeProject(const QString& path) {
    for (const char* part : {"", "-journal", "-wal", "-shm"}) // the latter are of a program that was killed
        QFile::remove(path + QLatin1String(part));
}

bool isUnsavedProject(const QString& path) {
    return QFileInfo(path).absolutePath() == folder().absolutePath();
}

QString lastProject() {
    const QString path = QSettings().value(lastProjectKey).toString();
    return path.isEmpty() || !QFileInfo::exists(path) || isOpen(path) ? QString() : path;
}

void setLastProject(const QString& path) {
    QSettings().setValue(lastProjectKey, path);
}

bool beginWithLast() {
    QSettings settings;
    const bool endedBefore = settings.value(beginningKey).toBool();
    settings.setValue(beginningKey, !endedBefore);
    settings.sync(); // what ends the program now is to find it
    return !endedBefore;
}

void endWithLast() {
    QSettings().setValue(beginningKey, false);
}

} // namespace lathe::app
