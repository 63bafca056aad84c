// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/node_names.h"

#include "views/models/text/one_line.h"
#include "views/models/text/translate.h"

#include <QStringList>

namespace lathe::views::models {

namespace {

constexpr size_t mostNamed = 8;
constexpr qsizetype longestNameOfNode = 80; // there are others beside it

QString nameOf(const model::ModelGraph& graph, int node) {
    const model::Node* found = size_t(node) < graph.nodes.size() ? graph.nodes[size_t(node)] : nullptr;
    return found ? oneLine(displayName(*found), longestNameOfNode) : QString();
}

} // namespace

QString namesOf(const model::ModelGraph& graph, const std::vector<int>& nodes) {
    QStringList names;
    for (size_t i = 0; i < std::min(nodes.size(), mostNamed); ++i)
        names << nameOf(graph, nodes[i]);
    const QString listed = names.join(QStringLiteral(", "));
    return nodes.size() > mostNamed ? tr("%1 and %2 more").arg(listed).arg(nodes.size() - mostNamed) : listed;
}

QString whyNoCode(const inspect::Provenance& provenance, int node) {
    const std::string_view pass = provenance.removedBy(node);
    return pass.empty() ? tr("no code of its own")
                        : tr("removed by %1").arg(QString::fromUtf8(pass.data(), qsizetype(pass.size())));
}

QString whyNoLoops(const inspect::Provenance& provenance, int node) {
    if (!provenance.usesOf(node).empty())
        return {};
    return tr("%1 has no loops: %2.").arg(nameOf(*provenance.trace().graph, node), whyNoCode(provenance, node));
}

} // namespace lathe::views::models
