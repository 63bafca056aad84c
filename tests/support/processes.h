// SPDX-License-Identifier: Apache-2.0
//
// Which processes there are below one, by /proc.
#pragma once

#include <QDir>
#include <QFile>
#include <map>
#include <set>

namespace lathe::testing {

/// The processes that have this one among their ancestors. Those that have ended, and were not waited for, count only if that
/// is asked for.
inline std::set<qint64> descendantsOf(qint64 ancestor, bool endedToo = false) {
    std::map<qint64, qint64> parents;
    for (const QString& name : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
        QFile stat("/proc/" + name + "/stat");
        if (!stat.open(QFile::ReadOnly))
            continue;
        const QByteArray text = stat.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 1 && (endedToo || fields[0] != "Z"))
            parents[name.toLongLong()] = fields[1].toLongLong();
    }
    std::set<qint64> found;
    for (size_t before = size_t(-1); before != found.size();) {
        before = found.size();
        for (const auto& [child, parent] : parents)
            if (parent == ancestor || found.contains(parent))
                found.insert(child);
    }
    return found;
}

inline bool isAlive(qint64 process) {
    QFile stat(QString("/proc/%1/stat").arg(process));
    return stat.open(QFile::ReadOnly) && !stat.readAll().contains(") Z ");
}

} // namespace lathe::testing
