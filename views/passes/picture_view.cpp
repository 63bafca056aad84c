// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/picture_view.h"

#include "views/canvas/graph_pane.h"
#include "views/models/text/counted.h"
#include "views/page/elided_label.h"

#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace lathe::views::passes {

using canvas::GraphPane;

PictureView::PictureView(QWidget* parent)
    : QWidget(parent), count_(new ElidedLabel),
      before_(new GraphPane(tr("Graph before the pass"), models::GroupStyle::Scopes)),
      after_(new GraphPane(tr("Graph after the pass"), models::GroupStyle::Scopes)) {
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    bar->addWidget(count_, 1);
    const auto button = [&](const QString& text, const QString& hint, bool forward) {
        auto made = new QToolButton;
        made->setText(text);
        made->setToolTip(hint);
        made->setAccessibleName(hint);
        connect(made, &QToolButton::clicked, this, [this, forward] { step(forward); });
        bar->addWidget(made);
    };
    button(QStringLiteral("▲"), tr("Previous difference"), false);
    button(QStringLiteral("▼"), tr("Next difference"), true);
    auto panes = new QSplitter;
    panes->addWidget(before_);
    panes->addWidget(after_);
    panes->setSizes({500, 500});
    panes_ = panes;
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(bar);
    all->addWidget(panes_, 1);
    all->addStretch(0); // for when there are no panes
    connect(before_, &GraphPane::nodesPicked, this, [this](const std::vector<int>& nodes) { pick(true, nodes); });
    connect(after_, &GraphPane::nodesPicked, this, [this](const std::vector<int>& nodes) { pick(false, nodes); });
    for (const GraphPane* pane : {before_, after_})
        connect(pane, &GraphPane::arranged, this, &PictureView::arranged);
    showMessage({});
}

bool PictureView::isArranging() const {
    return before_->isArranging() || after_->isArranging();
}

void PictureView::showMessage(const QString& text) {
    auto none = std::make_shared<models::PassPicture>();
    none->why = text;
    setPicture(std::move(none));
}

void PictureView::setPicture(models::PassPicturePtr picture) {
    picture_ = std::move(picture);
    difference_ = -1;
    const models::ModelComparisonPtr& compared = picture_->comparison;
    const auto colours = [&](bool before) -> GraphPane::MakeOverlay {
        if (!compared || picture_->alone)
            return {};
        return [compared, before](const models::GroupedGraph* grouped) {
            return differenceOverlay(*compared, before, grouped);
        };
    };
    panes_->setVisible(compared != nullptr);
    before_->setVisible(!picture_->alone);
    before_->show(compared && !picture_->alone ? compared->before : nullptr, tr("Before"), colours(true));
    after_->show(compared ? compared->after : nullptr, tr("After"), colours(false));
    step(true);
}

void PictureView::showCount() {
    QString text = picture_->why;
    if (picture_->comparison && picture_->alone) {
        text = models::counted(qint64(picture_->comparison->after->nodes.size()), "binding", "bindings");
    } else if (picture_->comparison && picture_->comparison->rows.empty()) {
        text = tr("No difference");
    } else if (picture_->comparison) {
        const models::DifferenceRow& row = picture_->comparison->rows[size_t(difference_)];
        const qint64 rows = qint64(picture_->comparison->rows.size());
        text = tr("%1 of %2: %3")
                   .arg(models::grouped(difference_ + 1), models::counted(rows, "difference", "differences"),
                        sentenceOf(row));
    }
    count_->setText(text);
}

void PictureView::step(bool forward) {
    const int rows = picture_->comparison && !picture_->alone ? int(picture_->comparison->rows.size()) : 0;
    const int next = difference_ + (forward ? 1 : -1);
    if (next >= 0 && next < rows) {
        difference_ = next;
        const models::DifferenceRow& row = picture_->comparison->rows[size_t(next)];
        const auto shown = [](int node) { return node < 0 ? std::vector<int>() : std::vector{node}; };
        before_->reveal(shown(row.before));
        after_->reveal(shown(row.after));
    }
    showCount();
}

void PictureView::pick(bool before, const std::vector<int>& nodes) {
    const QScopedValueRollback guard(picking_, true);
    (before ? after_ : before_)->reveal(picture_->comparison->pairsOf(before, nodes));
    if (const int row = picture_->comparison->rowOf(before, nodes.front()); row >= 0 && !picture_->alone) {
        difference_ = row; // stepping goes on from here
        showCount();
    }
    if (const auto of = (before ? picture_->before : picture_->after).modelNodes(nodes); !of.empty())
        emit nodesPicked(of);
}

void PictureView::markNodes(const std::vector<int>& nodes) {
    if (picking_ || !picture_->comparison || nodes.empty())
        return;
    if (!picture_->alone)
        before_->reveal(picture_->before.nodesOf(nodes));
    after_->reveal(picture_->after.nodesOf(nodes));
}

} // namespace lathe::views::passes
