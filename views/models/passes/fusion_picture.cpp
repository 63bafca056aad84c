// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/passes/fusion_picture.h"

#include "views/models/text/counted.h"

#include "relay/op.h"
#include "views/models/text/translate.h"

#include <QStringList>
#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace lathe::views::models {

namespace {

constexpr int mostReasons = 6; // in one hint

QString timeOf(const FusedRow& function) {
    return function.ms ? QStringLiteral("%1 ms").arg(msText(*function.ms)) : QString();
}

void addReason(QStringList& reasons, const QString& reason) {
    if (reasons.size() < mostReasons)
        reasons << reason;
    else if (reasons.size() == mostReasons)
        reasons << QStringLiteral("…");
}

} // namespace

FusionPicture::Row FusionPicture::rowOf(const std::vector<int>& nodes) const {
    if (nodes.size() == 1)
        return rows[size_t(nodes.front())];
    Row row;
    for (const int node : nodes) {
        const int function = rows[size_t(node)].function;
        if (function >= 0 && row.function >= 0 && function != row.function)
            return {};
        row.function = std::max(row.function, function);
    }
    return row;
}

std::vector<int> FusionPicture::nodesOf(const Row& row) const {
    if (row.function < 0 || size_t(row.function) >= members.size())
        return {};
    const std::vector<int>& all = members[size_t(row.function)];
    if (row.member < 0 || size_t(row.member) >= all.size())
        return all;
    return {all[size_t(row.member)]};
}

FusionPicture pictureFusion(const driver::Trace& trace) {
    FusionPicture picture;
    const driver::ModulePtr module = inspect::lastModule(trace);
    if (!module)
        return picture;
    picture.graph = graphOf(*module, {}).graph;
    std::unordered_map<std::string_view, int> functions;
    const auto made = driver::functionsOf(trace.fusion);
    for (size_t i = 0; i < made.size(); ++i)
        functions.emplace(made[i].name, int(i));
    picture.members.resize(made.size());
    picture.rows.resize(size_t(picture.graph->nodeCount));
    for (const model::Node* node : picture.graph->nodes) {            // those of branches and bodies too
        if (!node || node->scope.empty() || !relay::findOp(node->op)) // a constant, a tuple
            continue;
        const auto found = functions.find(node->scope.front());
        if (found == functions.end())
            continue;
        std::vector<int>& members = picture.members[size_t(found->second)];
        picture.rows[size_t(node->id)] = {found->second, int(members.size())};
        members.push_back(node->id);
    }
    return picture;
}

Overlay fusionOverlay(const FusionPicture& picture, const std::vector<FusedRow>& functions,
                      const std::vector<FusionPairRow>& pairs, const GroupedGraph* grouped) {
    Overlay overlay;
    overlay.kind = OverlayKind::Function;
    std::vector<QStringList> reasons(functions.size());
    std::map<std::pair<int, int>, QStringList> between;
    for (const FusionPairRow& pair : pairs) {
        if (pair.joined)
            continue;
        const QString reason = tr("%1 → %2: %3").arg(pair.producer.simplified(), pair.consumer.simplified(), pair.why);
        addReason(reasons[size_t(pair.fromFunction)], reason);
        if (pair.toFunction != pair.fromFunction)
            addReason(reasons[size_t(pair.toFunction)], reason);
        addReason(between[{pair.fromFunction, pair.toFunction}], reason);
    }
    const auto hintOf = [&](int function) {
        const QStringList& lines = reasons[size_t(function)];
        return lines.isEmpty() ? QString() : tr("Not one function with others:") + '\n' + lines.join('\n');
    };
    overlay.nodes.resize(picture.rows.size());
    for (size_t node = 0; node < picture.rows.size(); ++node)
        overlay.nodes[node].call = picture.rows[node].function;
    if (!grouped)
        return overlay;
    std::unordered_map<int, int> groupOf; // by function
    for (size_t group = 0; group < grouped->tree.groups.size(); ++group) {
        std::vector<int> nodes;
        for (const int place : grouped->tree.nodesOf(int(group)))
            nodes.push_back(grouped->graph->nodes[size_t(place)].id);
        const int function = picture.rowOf(nodes).function;
        NodeOverlay& made = overlay.groups.emplace_back();
        if (function < 0 || size_t(function) >= functions.size())
            continue;
        groupOf.try_emplace(function, int(group));
        made.call = function;
        made.text = timeOf(functions[size_t(function)]);
        made.hint = hintOf(function);
    }
    for (const auto& [pair, lines] : between)
        if (const auto from = groupOf.find(pair.first), to = groupOf.find(pair.second);
            from != groupOf.end() && to != groupOf.end())
            overlay.between[{from->second, to->second}] = lines.join('\n');
    return overlay;
}

} // namespace lathe::views::models
