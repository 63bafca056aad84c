// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/attribute_model.h"

#include "views/models/text/counted.h"

#include <QColor>
#include <QFont>
#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_set>

namespace lathe::views::models {

namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

/// Types that the model declares of what the node reads and makes, by value; in nested graphs too. No text is made for what
/// is not asked for: a model has thousands of values.
std::map<std::string, QString> declaredTypes(const model::ModelGraph& model, const model::Node& node) {
    std::map<std::string, QString> types;
    std::unordered_set<std::string_view> wanted(node.inputs.begin(), node.inputs.end());
    wanted.insert(node.outputs.begin(), node.outputs.end());
    std::vector<std::shared_ptr<const model::Graph>> todo{model.graph};
    while (!todo.empty()) {
        auto graph = todo.back();
        todo.pop_back();
        if (!graph)
            continue;
        for (const model::Initializer& initializer : graph->initializers)
            if (initializer.tensor && wanted.contains(initializer.name))
                types.try_emplace(initializer.name, QStringLiteral("constant ") +
                                                        text(toString(model::AttributeValue(initializer.tensor))));
        for (const auto* values : {&graph->inputs, &graph->outputs, &graph->values})
            for (const model::Value& value : *values)
                if (value.type.kind != model::ValueType::Kind::Unknown && wanted.contains(value.name))
                    types.try_emplace(value.name, text(toString(value.type)));
        for (const model::Node& inner : graph->nodes)
            for (auto& [name, nested] : nestedGraphs(inner))
                todo.push_back(nested);
    }
    return types;
}

/// "net.py:13"
QString placeOf(const model::SourceLine& line) {
    const QString name = text(line.file.substr(line.file.rfind('/') + 1));
    return line.line > 0 ? QStringLiteral("%1:%2").arg(name).arg(line.line) : name;
}

/// "x = self.stem(x)  (forward, /home/ann/net.py)"
QString sourceText(const model::SourceLine& line) {
    QStringList where;
    if (!line.function.empty())
        where << text(line.function);
    if (line.file.contains('/'))
        where << text(line.file);
    return where.empty() ? text(line.text) : QStringLiteral("%1  (%2)").arg(text(line.text), where.join(", "));
}

std::vector<AttributeRow> rowsOfModel(const model::ModelGraph& model) {
    std::vector<AttributeRow> rows{{"Model", "File", text(model.file)}, {"Model", "Format", text(model.format)}};
    if (!model.producer.empty())
        rows.push_back({"Model", "Producer", text(model.producer)});
    for (const auto& [domain, version] : model.versions)
        rows.push_back({"Model", "Operators", QStringLiteral("%1 version %2").arg(text(domain)).arg(version)});
    if (model.signatures.size() > 1) {
        QStringList all;
        for (const std::string& signature : model.signatures)
            all << text(signature);
        rows.push_back({"Model", "Signature", QStringLiteral("%1, of %2").arg(text(model.signature), all.join(", "))});
    }
    rows.push_back({"Model", "Nodes", grouped(model::countNodes(model))});
    if (!model.graph)
        return rows;
    rows.push_back({"Model", "Parameters", grouped(model::countParameters(model))});
    for (const model::Value& input : model.graph->inputs)
        rows.push_back({"Inputs", text(input.name), text(toString(input.type))});
    for (const model::Value& output : model.graph->outputs)
        rows.push_back({"Outputs", text(output.name), text(toString(output.type))});
    for (const model::State& state : model.states)
        rows.push_back({.group = "States",
                        .name = text(state.value.name),
                        .value = text(toString(state.value.type)),
                        .tensor = {text(state.value.name), state.initial}});
    for (const Diagnostic& diagnostic : model.diagnostics)
        if (diagnostic.severity == Severity::Error && diagnostic.nodeId < 0)
            rows.push_back({"Refused", "Reason", text(diagnostic.what), true});
    return rows;
}

} // namespace

std::vector<AttributeRow> attributesOf(const model::ModelGraph& model, int id) {
    if (id < 0 || size_t(id) >= model.nodes.size() || !model.nodes[id])
        return rowsOfModel(model);
    const model::Node& node = *model.nodes[id];
    const auto types = declaredTypes(model, node);
    auto withType = [&](const std::string& value) {
        if (value.empty())
            return QStringLiteral("(absent)");
        auto type = types.find(value);
        return type == types.end() ? text(value) : text(value) + "  " + type->second;
    };
    std::vector<AttributeRow> rows;
    for (const Diagnostic& diagnostic : model.diagnostics) {
        if (diagnostic.nodeId != id)
            continue;
        const bool error = diagnostic.severity == Severity::Error;
        rows.push_back({"Refused", error ? "Reason" : "Note", text(diagnostic.what), error});
        if (!diagnostic.hint.empty())
            rows.push_back({"Refused", "What to do", text(diagnostic.hint), false});
    }
    rows.push_back({"Node", "Operator", text(operatorName(node))});
    rows.push_back({"Node", "Name", node.name.empty() ? QStringLiteral("(none)") : text(node.name)});
    rows.push_back({"Node", "Number", QString::number(node.id)});
    if (!node.scope.empty()) {
        QStringList scope;
        for (const std::string& part : node.scope)
            scope << text(part);
        rows.push_back({"Node", "Scope", scope.join(" › ")});
    }
    const bool isOutermost = wayTo(model, id).empty();
    auto addValues = [&](const char* group, const std::vector<std::string>& values, bool areComputed) {
        const std::vector<model::TensorPtr> constants = constantsOf(model, id, values);
        for (size_t i = 0; i < values.size(); ++i)
            rows.push_back({.group = group,
                            .name = QString::number(i),
                            .value = withType(values[i]),
                            .tensor = {text(values[i]), constants[i]},
                            .computed = areComputed && !constants[i] ? text(values[i]) : QString()});
    };
    addValues("Inputs", node.inputs, false);
    addValues("Outputs", node.outputs, isOutermost);
    for (const model::Attribute& attribute : node.attributes) {
        const auto* tensor = std::get_if<model::TensorPtr>(&attribute.value);
        rows.push_back({.group = "Attributes",
                        .name = text(attribute.name),
                        .value = text(toString(attribute.value)),
                        .tensor = {text(displayName(node) + '.' + attribute.name), tensor ? *tensor : nullptr}});
    }
    for (const model::SourceLine& line : node.source)
        rows.push_back({"Source", placeOf(line), sourceText(line)});
    return rows;
}

std::vector<AttributeRow> attributesOfGroup(const GroupedGraph& grouped, int group) {
    const Group& value = grouped.tree.groups[size_t(group)];
    std::vector<AttributeRow> rows{{"Group", "Name", text(value.name)},
                                   {"Group", "Nodes", models::grouped(value.nodes)}};
    std::map<QString, int> counts;
    for (const int node : grouped.tree.nodesOf(group))
        ++counts[text(grouped.graph->nodes[size_t(node)].op)];
    std::vector<std::pair<QString, int>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<QString, int>::second);
    for (const auto& [op, count] : sorted)
        rows.push_back({"Operators", op, models::grouped(count)});
    return rows;
}

void AttributeModel::show(std::vector<AttributeRow> rows) {
    beginResetModel();
    rows_.clear();
    for (AttributeRow& row : rows) {
        if (!rows_.empty() && rows_.back().group != row.group)
            rows_.push_back({.group = row.group, .name = {}, .value = {}, .heading = true});
        rows_.push_back(std::move(row));
    }
    endResetModel();
}

int AttributeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int AttributeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 2;
}

QVariant AttributeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= rows_.size())
        return {};
    const AttributeRow& row = rows_[index.row()];
    if (role == Qt::DisplayRole) {
        if (row.heading)
            return index.column() == 0 ? row.group : QString();
        return index.column() == 1 ? row.value : row.name;
    }
    if (role == Qt::ToolTipRole)
        return row.tensor.tensor         ? tr("%1\nDouble click or Enter shows the values").arg(row.value)
               : !row.computed.isEmpty() ? tr("%1\nDouble click or Enter computes the values").arg(row.value)
               : row.call >= 0           ? tr("%1\nDouble click or Enter shows its code").arg(row.value)
                                         : row.value;
    const bool leadsOn = row.leadsOn();
    if (role == Qt::FontRole && (row.problem || row.heading || (leadsOn && index.column() == 1))) {
        QFont font;
        font.setBold(row.problem || row.heading);
        font.setUnderline(!row.heading && leadsOn); // there is more behind it
        return font;
    }
    if (role == Qt::ForegroundRole && row.problem)
        return QColor(0xd0, 0x40, 0x40);
    return {};
}

QVariant AttributeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole)
        return section == 0 ? tr("Attribute") : tr("Value");
    return {};
}

} // namespace lathe::views::models
