// SPDX-License-Identifier: Apache-2.0
//
// A report's page as a test sees it: read as XML, which it is but for the first line and the script.
#pragma once

#include <QByteArray>
#include <QMap>
#include <QStringList>
#include <QXmlStreamReader>

namespace lathe::testing {

struct Page {
    QString malformed;         // empty: it is well-formed
    QStringList ids, links;    // of all elements, in their order
    QStringList tags;          // likewise
    QStringList foreign;       // attributes that would load or run something
    QString text;              // all of it, without tags
    QMap<QString, QString> of; // text by id of the section
};

inline Page readPage(QByteArray html) {
    Page page;
    html.replace("<!DOCTYPE html>", "");
    const qsizetype script = html.indexOf("<script>");
    html.remove(script, html.indexOf("</script>") - script + 9);
    QXmlStreamReader reader(html);
    QString section;
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isCharacters()) {
            page.text += reader.text();
            page.of[section] += reader.text();
        }
        if (!reader.isStartElement())
            continue;
        page.tags << reader.name().toString();
        for (const QXmlStreamAttribute& attribute : reader.attributes()) {
            const QString name = attribute.name().toString(), value = attribute.value().toString();
            if (name == "id")
                page.ids << value;
            if (name == "href")
                page.links << value;
            if (name == "id" && reader.name() == QLatin1String("section"))
                section = value;
            if (name == "src" || name.startsWith("on") || (name == "href" && !value.startsWith('#')))
                page.foreign << name + "=" + value;
        }
    }
    if (reader.hasError())
        page.malformed = QString("line %1: %2").arg(reader.lineNumber()).arg(reader.errorString());
    return page;
}

/// What is wrong with any report.
inline QStringList wrongIn(const Page& page) {
    QStringList wrong = page.foreign;
    if (!page.malformed.isEmpty())
        wrong << page.malformed;
    for (const QString& id : page.ids)
        if (page.ids.count(id) != 1)
            wrong << "twice: " + id;
    for (const QString& link : page.links)
        if (!page.ids.contains(link.mid(1)))
            wrong << "leads nowhere: " + link;
    for (const char* tag : {"script", "img", "link", "iframe", "object"})
        if (page.tags.contains(QLatin1String(tag)))
            wrong << QString("has <%1>").arg(tag);
    return wrong;
}

} // namespace lathe::testing
