// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/overlay.h"

#include "arith/analysis.h"
#include "views/models/graph/node_names.h"
#include "views/models/text/counted.h"
#include "views/models/text/translate.h"

#include <algorithm>
#include <map>

namespace lathe::views::models {

namespace {

using Figures = std::vector<std::optional<double>>; // by call

QString textOf(OverlayKind kind, double value) {
    if (kind == OverlayKind::Time)
        // A box has little room.
        return QStringLiteral("%1 ms").arg(value < 0.1 ? msText(value)
                                                       : QString::number(value, 'f', value < 10 ? 2 : 1));
    return shortened(value, kind == OverlayKind::Flops ? "FLOP" : "B");
}

std::optional<int64_t> estimate(OverlayKind kind, const driver::CallRecord& record) {
    return arith::evaluate(kind == OverlayKind::Flops ? record.flops : record.bytes, {});
}

Figures figuresOf(OverlayKind kind, const driver::Trace& trace, const inspect::Profile& profile) {
    Figures figures(trace.calls.size());
    if (kind == OverlayKind::Family || kind == OverlayKind::Function)
        return figures;
    for (const inspect::ProfileRow& row : profile.rows)
        if (size_t(row.call) < figures.size())
            figures[size_t(row.call)] = kind == OverlayKind::Time    ? row.ms
                                        : kind == OverlayKind::Flops ? row.flops
                                                                     : row.bytes;
    if (kind != OverlayKind::Time && profile.rows.empty())
        for (size_t call = 0; call < figures.size(); ++call)
            if (const auto value = estimate(kind, trace.calls[call]))
                figures[call] = double(*value);
    return figures;
}

class OverlayMaker {
public:
    OverlayMaker(OverlayKind kind, const inspect::Provenance& provenance, const inspect::Profile& profile)
        : provenance_(provenance), trace_(provenance.trace()), ran_(!profile.rows.empty()),
          figures_(figuresOf(kind, trace_, profile)), askedIn_(trace_.calls.size()), ofOneCall_(trace_.calls.size()),
          callsAt_(trace_.graph->nodes.size()) {
        overlay_.kind = kind;
        for (int call = 0; call < int(trace_.calls.size()); ++call)
            if (const int home = provenance_.homeOf(call); home >= 0)
                callsAt_[size_t(home)].push_back(call);
    }

    Overlay make(const GroupedGraph* grouped) {
        for (const auto& figure : figures_) {
            total_ += figure.value_or(0);
            largest_ = std::max(largest_, figure.value_or(0));
        }
        overlay_.largest = textOf(overlay_.kind, largest_);
        for (const model::Node* node : trace_.graph->nodes)
            overlay_.nodes.push_back(node ? ofNode(*node) : NodeOverlay());
        if (grouped)
            addGroups(*grouped);
        return std::move(overlay_);
    }

private:
    void addGroups(const GroupedGraph& grouped) {
        const auto& groups = grouped.tree.groups;
        std::vector<double> largest(groups.size()); // among the children
        for (size_t i = 0; i < groups.size(); ++i) {
            std::vector<int> calls, others;
            ++asked_;
            for (const int position : grouped.tree.nodesOf(int(i))) {
                const model::Node& node = grouped.graph->nodes[size_t(position)];
                addHome(node, calls);
                if (calls.empty())
                    addCalls(node, others);
            }
            NodeOverlay overlay;
            if (!calls.empty())
                overlay = ofCalls(calls);
            else
                overlay.hint = others.empty() ? tr("no code of its own") : tr("computed along with what is before it");
            overlay.text.remove(QStringLiteral(" ∗")); // a sum over functions, shared with others or not
            if (groups[i].parent >= 0)
                largest[size_t(groups[i].parent)] =
                    std::max(largest[size_t(groups[i].parent)], overlay.value.value_or(0));
            overlay_.groups.push_back(std::move(overlay));
        }
        for (size_t i = 0; i < groups.size(); ++i) {
            NodeOverlay& overlay = overlay_.groups[i];
            const double most = groups[i].parent < 0 ? 0 : largest[size_t(groups[i].parent)];
            overlay.share = overlay.value && most > 0 ? *overlay.value / most : 0;
        }
    }

    NodeOverlay ofNode(const model::Node& node) {
        std::vector<int> calls;
        ++asked_;
        addCalls(node, calls);
        if (calls.empty())
            return withoutCode(node.id);
        if (calls.size() > 1)
            return ofCalls(calls);
        // Most nodes: one value and one text for all of a function.
        auto& known = ofOneCall_[size_t(calls[0])];
        if (!known)
            known = ofCalls(calls);
        return *known;
    }

    /// Each call once: what one asks for is marked with asked_.
    void addCalls(const model::Node& node, std::vector<int>& calls) {
        for (const inspect::NodeUse& use : provenance_.usesOf(node.id))
            if (std::exchange(askedIn_[size_t(use.call)], asked_) != asked_)
                calls.push_back(use.call);
        for (const auto& graph : model::graphsOf(node))
            for (const model::Node& inner : graph->nodes)
                addCalls(inner, calls);
    }

    /// Those whose time counts here and in what is around it, each once in the whole graph.
    void addHome(const model::Node& node, std::vector<int>& calls) const {
        std::ranges::copy(callsAt_[size_t(node.id)], std::back_inserter(calls));
        for (const auto& graph : model::graphsOf(node))
            for (const model::Node& inner : graph->nodes)
                addHome(inner, calls);
    }

    NodeOverlay withoutCode(int node) {
        NodeOverlay& known = ofPass_[provenance_.removedBy(node)];
        if (known.hint.isEmpty())
            known.hint = whyNoCode(provenance_, node);
        return known;
    }

    NodeOverlay ofCalls(const std::vector<int>& calls) const {
        NodeOverlay result;
        result.call = *std::ranges::min_element(calls);
        for (const int call : calls)
            if (const auto& figure = figures_[size_t(call)])
                result.value = result.value.value_or(0) + *figure;
        const QString functions = calls.size() == 1 ? QString::fromStdString(trace_.calls[size_t(calls[0])].function)
                                                    : counted(qint64(calls.size()), "function", "functions");
        // What several functions do is no longer the value of one of them.
        const size_t others = calls.size() == 1 ? provenance_.nodesOf(calls[0], -1).size() - 1 : 0;
        const QString shared =
            others > 0 ? tr(" ∗ with %1").arg(counted(qint64(others), "other", "others")) : QString();
        if (overlay_.kind == OverlayKind::Function) {
            result.hint = functions + shared;
        } else if (!result.value) {
            result.hint = functions + '\n' + (ran_ ? tr("did not run") : tr("known after a run (F6)"));
        } else {
            result.share = largest_ > 0 ? std::min(1.0, *result.value / largest_) : 0;
            result.text = textOf(overlay_.kind, *result.value);
            const double percent = total_ > 0 ? 100 * *result.value / total_ : 0;
            result.hint = result.text + shared + '\n' +
                          tr("%1 % of the whole, %2").arg(QString::number(percent, 'f', 1), functions);
            if (others > 0)
                result.text += QStringLiteral(" ∗");
        }
        return result;
    }

    const inspect::Provenance& provenance_;
    const driver::Trace& trace_;
    const bool ran_;
    const Figures figures_;
    double total_ = 0, largest_ = 0;
    int asked_ = 0;
    std::vector<int> askedIn_;                          // by call: when it was last among those asked for
    std::vector<std::optional<NodeOverlay>> ofOneCall_; // by call, made once
    std::vector<std::vector<int>> callsAt_;             // by node: those that have their home there
    std::map<std::string_view, NodeOverlay> ofPass_;    // likewise
    Overlay overlay_;
};

} // namespace

bool hasOverlay(OverlayKind kind, const inspect::Provenance* provenance, const inspect::Profile& profile) {
    using enum OverlayKind;
    if (!provenance || !provenance->trace().graph || provenance->trace().calls.empty() ||
        (kind != Time && kind != Flops && kind != Bytes && kind != Function))
        return false;
    // Asked for each kind whenever a colour is chosen: not all figures are worked out for it.
    const auto& calls = provenance->trace().calls;
    const auto ran = [&](const inspect::ProfileRow& row) { return size_t(row.call) < calls.size(); };
    if (kind == Function || std::ranges::any_of(profile.rows, ran))
        return true;
    return kind != Time && profile.rows.empty() &&
           std::ranges::any_of(calls, [&](const driver::CallRecord& call) { return estimate(kind, call).has_value(); });
}

Overlay overlayOf(OverlayKind kind, const inspect::Provenance& provenance, const inspect::Profile& profile,
                  const GroupedGraph* grouped) {
    if (!hasOverlay(kind, &provenance, profile))
        return {};
    return OverlayMaker(kind, provenance, profile).make(grouped);
}

QColor colorOf(NodeDifference difference, const Colors& colors) {
    switch (difference) {
    case NodeDifference::Added:
        return colors.added;
    case NodeDifference::Removed:
        return colors.removed;
    case NodeDifference::Changed:
        return colors.changed;
    case NodeDifference::Moved:
        return colors.marked;
    default:
        return colors.box;
    }
}

QColor colorOf(const Overlay& overlay, const NodeOverlay& node, const Colors& colors) {
    if (overlay.kind == OverlayKind::Function)
        return node.call < 0 ? colors.grid : colors.ofFunction(node.call);
    if (node.category >= 0)
        return colors.ofFunction(node.category);
    if (overlay.kind == OverlayKind::Difference)
        return colorOf(node.difference, colors);
    return node.value ? colors.ofShare(node.share) : colors.grid;
}

} // namespace lathe::views::models
