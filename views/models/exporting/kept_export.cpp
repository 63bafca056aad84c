// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields stand once, in the functions `visit`, for the one that writes and the one that reads.
#include "views/models/exporting/kept_export.h"

#include "views/models/exporting/packing.h"
#include "views/models/text/translate.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cmath>

namespace lathe::views::models {
namespace {

constexpr qsizetype longestText = 8192, longestList = 1000;
constexpr qint64 largest = qint64(1) << 53;

template <class Visitor, class Size>
void visitSize(Visitor& visitor, Size& size) {
    visitor("name", size.name);
    visitor("least", size.least);
    visitor("most", size.most);
    visitor("usual", size.usual);
}

template <class Visitor, class Request>
void visit(Visitor& visitor, Request& request) {
    visitor("form", request.form);
    visitor("name", request.name);
    visitor("version", request.version);
    visitor("licence", request.licence);
    visitor("targets", request.targets);
    visitor("parts", request.parts);
    visitor("sizes", request.sizes);
    visitor("cases", request.cases);
    visitor("tolerance", request.tolerance);
    visitor("p50 limit, ms", request.p50Ms);
    visitor("p99 limit, ms", request.p99Ms);
    visitor("load limit, ms", request.loadMs);
    visitor("memory limit, MB", request.residentMb);
    visitor("size limit, MB", request.sizeMb);
    visitor("check", request.check);
    visitor("device", request.device);
}

template <class Visitor, class Target>
void visitTarget(Visitor& visitor, Target& target) {
    visitor("target", target.target);
    visitor("outcome", target.outcome);
    visitor("why", target.why);
}

template <class Visitor, class End>
void visitEnd(Visitor& visitor, End& end) {
    visitor("out", end.out);
    visitor("id", end.id);
    visitor("checked", end.checked);
    visitor("good", end.good);
    visitor("variant", end.variant);
    visitor("targets", end.targets);
    visitor("right cases", end.cases);
    visitor("threads", end.threads);
    visitor("load_ms", end.loadMs);
    visitor("first_ms", end.firstMs);
    visitor("p50_ms", end.p50Ms);
    visitor("p90_ms", end.p90Ms);
    visitor("p99_ms", end.p99Ms);
    visitor("resident_bytes", end.residentBytes);
    visitor("bytes", end.bytes);
    visitor("problems", end.problems);
}

struct Writer {
    QJsonObject object;

    template <class Value>
    void operator()(const char* name, const Value& value) {
        object[QLatin1String(name)] = QJsonValue(value);
    }
    void operator()(const char* name, const QStringList& value) {
        object[QLatin1String(name)] = QJsonArray::fromStringList(value);
    }
    void operator()(const char* name, const std::optional<qint64>& value) {
        if (value)
            object[QLatin1String(name)] = *value;
    }
    void operator()(const char* name, const QList<ExportSize>& sizes) {
        list(name, sizes, [](Writer& inner, const ExportSize& size) { visitSize(inner, size); });
    }
    void operator()(const char* name, const QList<ExportedTarget>& targets) {
        list(name, targets, [](Writer& inner, const ExportedTarget& target) { visitTarget(inner, target); });
    }

private:
    template <class Item, class Visit>
    void list(const char* name, const QList<Item>& items, const Visit& visitItem) {
        QJsonArray array;
        for (const Item& item : items) {
            Writer inner;
            visitItem(inner, item);
            array.append(inner.object);
        }
        object[QLatin1String(name)] = array;
    }
};

/// What is missing stays as it is: fields are added.
struct Reader {
    const QJsonObject& object;
    QString problem; // the first field that cannot be read

    void operator()(const char* name, QString& into) {
        take(name, [&](const QJsonValue& value) { return isText(value) && (into = value.toString(), true); });
    }
    void operator()(const char* name, bool& into) {
        take(name, [&](const QJsonValue& value) { return value.isBool() && (into = value.toBool(), true); });
    }
    void operator()(const char* name, double& into) {
        take(name, [&](const QJsonValue& value) {
            return value.isDouble() && std::isfinite(value.toDouble()) && value.toDouble() >= 0 &&
                   (into = value.toDouble(), true);
        });
    }
    void operator()(const char* name, qint64& into) {
        take(name, [&](const QJsonValue& value) {
            const qint64 number = value.toInteger(-1); // also of what is no whole number
            return number >= 0 && number <= largest && (into = number, true);
        });
    }
    void operator()(const char* name, int& into) {
        qint64 number = into;
        (*this)(name, number);
        into = int(std::min<qint64>(number, std::numeric_limits<int>::max()));
    }
    void operator()(const char* name, std::optional<qint64>& into) {
        qint64 number = 0;
        if (object.contains(QLatin1String(name))) {
            (*this)(name, number);
            into = number;
        }
    }
    void operator()(const char* name, QStringList& into) {
        take(name, [&](const QJsonValue& value) {
            if (!isList(value))
                return false;
            QStringList texts;
            for (const QJsonValue& each : value.toArray()) {
                if (!isText(each))
                    return false;
                texts << each.toString();
            }
            into = texts;
            return true;
        });
    }
    void operator()(const char* name, QList<ExportSize>& into) {
        list(name, into, [](Reader& inner, ExportSize& size) { visitSize(inner, size); });
    }
    void operator()(const char* name, QList<ExportedTarget>& into) {
        list(name, into, [](Reader& inner, ExportedTarget& target) { visitTarget(inner, target); });
    }

private:
    template <class Item, class Visit>
    void list(const char* name, QList<Item>& into, const Visit& visitItem) {
        take(name, [&](const QJsonValue& value) {
            if (!isList(value))
                return false;
            QList<Item> items;
            for (const QJsonValue& each : value.toArray()) {
                const QJsonObject fields = each.toObject();
                Reader inner{fields, {}};
                visitItem(inner, items.emplaceBack());
                if (!each.isObject() || !inner.problem.isEmpty())
                    return false;
            }
            into = items;
            return true;
        });
    }
    static bool isText(const QJsonValue& value) { return value.isString() && value.toString().size() <= longestText; }
    static bool isList(const QJsonValue& value) { return value.isArray() && value.toArray().size() <= longestList; }
    template <class Take>
    void take(const char* name, const Take& taken) {
        const auto at = object.find(QLatin1String(name));
        if (at != object.end() && !taken(*at) && problem.isEmpty())
            problem = QLatin1String(name);
    }
};

QJsonObject objectOf(const ExportRequest& request) {
    Writer writer;
    visit(writer, request);
    return writer.object;
}

/// Empty: it could be read.
QString read(const QJsonValue& value, KeptExport& into) {
    if (!value.isObject())
        return tr("it is no object");
    const QJsonObject object = value.toObject(), choices = object["choices"].toObject(),
                      result = object["result"].toObject();
    Reader request{choices, {}}, end{result, {}}, rest{object, {}};
    visit(request, into.request);
    visitEnd(end, into.end);
    rest("settings", into.settings);
    rest("time", into.time);
    for (const QString& problem : {request.problem, end.problem, rest.problem})
        if (!problem.isEmpty())
            return tr("'%1' is not what stands there").arg(problem);
    if (!into.end.out.startsWith('/') || into.end.out.contains(QChar(0)))
        return tr("it does not say where it is");
    into.request.out = into.end.out;
    // Earlier versions ran one target, and kept of it no more than its name.
    if (ExportEnd& kept = into.end; kept.targets.isEmpty() && kept.good && kept.cases > 0) {
        kept.targets.append({.target = kept.variant, .outcome = QStringLiteral("right"), .why = {}});
        if (into.request.targets.size() > 1)
            kept.targets.append({.target = tr("the others"), .outcome = QStringLiteral("not run"), .why = {}});
    }
    return {};
}

QString shown(const QJsonValue& value) {
    if (value.isString())
        return value.toString();
    if (value.isArray()) {
        QStringList texts;
        for (const QJsonValue& each : value.toArray())
            texts << shown(each);
        return texts.join(QStringLiteral(", "));
    }
    if (value.isUndefined() || value.isNull())
        return {};
    if (value.isObject())
        return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    return value.toVariant().toString();
}

} // namespace

QString textOf(const QList<KeptExport>& exports) {
    QJsonArray array;
    for (const KeptExport& each : exports) {
        Writer end, rest;
        visitEnd(end, each.end);
        rest("settings", each.settings);
        rest("time", each.time);
        rest.object["choices"] = objectOf(each.request);
        rest.object["result"] = end.object;
        array.append(rest.object);
    }
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

QList<KeptExport> exportsIn(const QString& text, QStringList& unread) {
    QList<KeptExport> exports;
    if (text.isEmpty())
        return exports;
    const QJsonDocument document = QJsonDocument::fromJson(text.toUtf8());
    if (!document.isArray()) {
        unread << tr("the list of exports cannot be read");
        return exports;
    }
    const QJsonArray array = document.array();
    if (array.size() > mostExports)
        unread << tr("of %1 exports the last %2 are read").arg(array.size()).arg(mostExports);
    for (qsizetype i = std::max<qsizetype>(0, array.size() - mostExports); i < array.size(); ++i) {
        KeptExport each;
        if (const QString problem = read(array[i], each); problem.isEmpty())
            exports << each;
        else
            unread << tr("export %1 cannot be read: %2").arg(i + 1).arg(problem);
    }
    return exports;
}

QList<ExportChange> changedChoices(const KeptExport& before, const KeptExport& after) {
    QList<ExportChange> changes;
    QJsonObject was = objectOf(before.request), is = objectOf(after.request);
    was["packing"] = packingOf(before.request.out);
    is["packing"] = packingOf(after.request.out);
    was["settings"] = QJsonArray::fromStringList(before.settings);
    is["settings"] = QJsonArray::fromStringList(after.settings);
    for (auto at = was.begin(); at != was.end(); ++at)
        if (at.value() != is[at.key()])
            changes << ExportChange{at.key(), shown(at.value()), shown(is[at.key()])};
    return changes;
}

} // namespace lathe::views::models
