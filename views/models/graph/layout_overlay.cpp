// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/layout_overlay.h"

#include "relay/visit.h"
#include "views/models/graph/category_overlay.h"
#include "views/models/graph/node_names.h"
#include "views/models/text/translate.h"

#include <QStringList>
#include <algorithm>

namespace lathe::views::models {

namespace {

/// "blocks of 16": one dim in parts, each part innermost.
QString nameOf(const relay::LayoutPtr& layout) {
    if (!layout)
        return tr("as in the model");
    const auto& axes = layout->axes;
    const auto split = std::ranges::count_if(axes, [](const auto& axis) { return axis.factor > 0; });
    const bool blocks = split == 2 && !axes.back().outer && axes.back().factor > 0;
    return blocks ? tr("blocks of %1").arg(axes.back().factor) : tr("another order");
}

/// What became of a node's value.
struct Stored {
    QStringList named, others; // layouts of bindings that equal it; of all that it became
    QString type;
};

std::vector<Stored> storedIn(const driver::Trace& trace) {
    std::vector<Stored> made(size_t(trace.graph->nodeCount));
    const driver::ModulePtr module = inspect::lastModule(trace);
    if (!module)
        return made;
    relay::visitBindings(*module, [&](const relay::Binding& binding) {
        const relay::TensorType* type = relay::asTensor(binding.type);
        const relay::OpCall* call = binding.as<relay::OpCall>();
        if (!type || binding.as<relay::ConstantRef>() || (call && info(call->op).layouts.converts))
            return;
        const QString layout = nameOf(type->layout);
        for (const int32_t id : trace.graph->spans->ids(binding.span)) {
            const model::Node* node = trace.graph->nodes[size_t(id)];
            Stored& stored = made[size_t(id)];
            const bool own = node && !binding.modelValue.empty() &&
                             std::ranges::find(node->outputs, binding.modelValue) != node->outputs.end();
            QStringList& layouts = own ? stored.named : stored.others;
            if (!layouts.contains(layout))
                layouts << layout;
            if (own || stored.type.isEmpty())
                stored.type = QString::fromStdString(toString(binding.type));
        }
    });
    return made;
}

} // namespace

Overlay layoutOverlay(const inspect::Provenance& provenance, const GroupedGraph* grouped) {
    Overlay overlay;
    overlay.kind = OverlayKind::Layout;
    std::vector<Stored> all = storedIn(provenance.trace());
    for (size_t node = 0; node < all.size(); ++node) {
        NodeOverlay& made = overlay.nodes.emplace_back();
        QStringList& layouts = all[node].named.isEmpty() ? all[node].others : all[node].named;
        layouts.sort();
        if (layouts.isEmpty()) {
            made.hint = whyNoCode(provenance, int(node));
        } else if (layouts.size() == 1) {
            made.text = layouts.front();
            made.hint = tr("stored %1: %2").arg(made.text, all[node].type);
        } else {
            made.text = tr("several");
            made.hint = tr("stored in several ways: %1").arg(layouts.join(", "));
        }
    }
    colourByText(overlay, grouped);
    return overlay;
}

} // namespace lathe::views::models
