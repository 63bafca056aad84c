// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/table_overlay.h"

#include "views/models/text/translate.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>

namespace lathe::views::models {

namespace {

std::optional<double> numberIn(const QString& text) {
    bool isNumber = false;
    const double number = text.toDouble(&isNumber);
    return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

QString cellText(const QJsonValue& value) {
    return value.isDouble() ? QString::number(value.toDouble(), 'g', 12)
           : value.isBool() ? QString::fromLatin1(value.toBool() ? "true" : "false")
                            : value.toString();
}

Result<NodeTable> readJson(const QByteArray& bytes) {
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(bytes, &problem);
    if (problem.error != QJsonParseError::NoError)
        return failure(
            tr("this is no JSON: %1, at byte %2").arg(problem.errorString()).arg(problem.offset).toStdString());
    NodeTable table;
    const QJsonObject object = document.object();
    for (auto entry = object.begin(); entry != object.end(); ++entry)
        table.values[entry.key().toStdString()] = cellText(entry.value());
    for (const QJsonValue& each : document.array())
        if (const QJsonObject row = each.toObject(); row.contains("name") && row.contains("value"))
            table.values[row["name"].toString().toStdString()] = cellText(row["value"]);
    return table;
}

/// The fields of one line; quotes within quotes are doubled.
std::vector<QString> fieldsOf(const QString& line, QChar separator) {
    std::vector<QString> fields(1);
    bool quoted = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == separator && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

NodeTable readLines(const QByteArray& bytes) {
    const QStringList lines = QString::fromUtf8(bytes).split('\n', Qt::SkipEmptyParts);
    QChar separator = ',';
    for (const char each : {',', ';', '\t'})
        if (!lines.isEmpty() && fieldsOf(lines.front(), each).size() > 1) {
            separator = each;
            break;
        }
    std::vector<std::pair<std::string, QString>> rows;
    for (const QString& line : lines) {
        const std::vector<QString> fields = fieldsOf(line.trimmed(), separator);
        if (fields.size() > 1)
            rows.emplace_back(fields[0].trimmed().toStdString(), fields[1].trimmed());
    }
    const auto isNumber = [](const auto& row) { return numberIn(row.second).has_value(); };
    if (rows.size() > 1 && !isNumber(rows[0]) && std::all_of(rows.begin() + 1, rows.end(), isNumber))
        rows.erase(rows.begin());
    NodeTable table;
    for (auto& [name, value] : rows)
        table.values[name] = value;
    return table;
}

const QString* valueOf(const NodeTable& table, const model::Node& node) {
    const auto found = node.name.empty() ? table.values.end() : table.values.find(node.name);
    return found == table.values.end() ? nullptr : &found->second;
}

/// Of the node, or group: where its number lies between the least and the largest.
void scale(NodeOverlay& overlay, double least, double most) {
    if (overlay.value)
        overlay.share = most > least ? (*overlay.value - least) / (most - least) : 1;
}

} // namespace

Result<NodeTable> readTable(const QByteArray& bytes) {
    const QByteArray text = bytes.trimmed();
    NodeTable table;
    if (text.startsWith('{') || text.startsWith('[')) {
        LATHE_TRY(table, readJson(text));
    } else {
        table = readLines(text);
    }
    if (table.empty())
        return failure("there is no row with a name and a value",
                       "give lines like `node,1.5`, or JSON like {\"node\": 1.5}");
    return table;
}

int countNamed(const NodeTable& table, const model::ModelGraph& model) {
    return int(std::ranges::count_if(
        model.nodes, [&](const model::Node* node) { return node && valueOf(table, *node) != nullptr; }));
}

Overlay tableOverlay(const NodeTable& table, const model::ModelGraph& model, const GroupedGraph* grouped) {
    Overlay overlay;
    overlay.kind = OverlayKind::Table;
    overlay.nodes.resize(size_t(model.nodeCount));
    std::map<QString, int> texts; // and their categories
    bool isScale = true;
    for (const model::Node* node : model.nodes)
        if (const QString* value = node ? valueOf(table, *node) : nullptr) {
            texts.emplace(*value, 0);
            isScale &= numberIn(*value).has_value();
        }
    int next = 0;
    for (auto& [text, category] : texts)
        category = next++;
    double least = INFINITY, most = -INFINITY;
    for (const model::Node* node : model.nodes) {
        if (!node)
            continue;
        NodeOverlay& made = overlay.nodes[size_t(node->id)];
        const QString* value = valueOf(table, *node);
        if (!value) {
            made.hint = tr("not in %1").arg(table.name);
            continue;
        }
        made.text = *value;
        made.hint = QStringLiteral("%1: %2").arg(table.name, *value);
        if (!isScale) {
            made.category = texts.at(*value);
            continue;
        }
        made.value = numberIn(*value);
        least = std::min(least, *made.value);
        most = std::max(most, *made.value);
    }
    for (NodeOverlay& node : overlay.nodes)
        scale(node, least, most);
    if (isScale && !texts.empty())
        overlay.largest = QString::number(most, 'g', 6);
    if (!grouped)
        return overlay;
    double largestSum = 0;
    for (size_t group = 0; group < grouped->tree.groups.size(); ++group) {
        NodeOverlay sum;
        for (const int place : grouped->tree.nodesOf(int(group)))
            if (const auto& value = overlay.nodes[size_t(grouped->graph->nodes[size_t(place)].id)].value)
                sum.value = sum.value.value_or(0) + *value;
        if (sum.value) {
            sum.text = QString::number(*sum.value, 'g', 6);
            sum.hint = tr("%1: %2 in all").arg(table.name, sum.text);
            if (group > 0) // the whole graph is no box
                largestSum = std::max(largestSum, *sum.value);
        }
        overlay.groups.push_back(std::move(sum));
    }
    for (NodeOverlay& group : overlay.groups)
        scale(group, 0, largestSum);
    for (NodeOverlay& group : overlay.groups)
        group.share = std::clamp(group.share, 0.0, 1.0);
    return overlay;
}

} // namespace lathe::views::models
