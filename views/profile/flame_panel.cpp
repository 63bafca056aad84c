// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/flame_panel.h"

#include "views/models/counted.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lathe::views::profile {

FlamePanel::FlamePanel(models::Selection* selection)
    : summary_(new QLabel), area_(new QScrollArea), view_(new FlameView(selection)) {
    summary_->setTextFormat(Qt::PlainText);
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    area_->setWidget(view_);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus); // the picture has it
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(area_, 1);
    setFlame(nullptr);
}

void FlamePanel::setFlame(std::shared_ptr<const models::Flame> flame) {
    view_->setFlame(std::move(flame));
    const bool empty = view_->flame().boxes.empty();
    area_->setVisible(!empty);
    layout()->setAlignment(summary_, empty ? Qt::AlignTop : Qt::Alignment());
    if (empty) {
        summary_->setText(tr("Run the compiled model (F6) to see in which of its parts the time goes."));
        return;
    }
    const models::FlameBox& whole = view_->flame().boxes.front();
    summary_->setText(
        tr("%1 ms in %2, by the scopes of the model; one that serves several scopes stands in the one around them. A "
           "click selects, double click or Enter zooms in, Backspace or Esc out, arrow keys walk.")
            .arg(whole.ms, 0, 'f', 3)
            .arg(models::counted(whole.functions, "fused function", "fused functions")));
}

} // namespace lathe::views::profile
