// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/picture_panel.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lathe::views::profile {

PicturePanel::PicturePanel(QWidget* picture) : summary_(new QLabel), area_(new QScrollArea) {
    summary_->setTextFormat(Qt::PlainText); // it shows names of the model
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    area_->setWidget(picture);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus); // the picture has it
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(area_, 1);
}

void PicturePanel::say(const QString& summary, bool empty) {
    summary_->setText(summary);
    area_->setVisible(!empty);
    layout()->setAlignment(summary_, empty ? Qt::AlignTop : Qt::Alignment());
}

} // namespace lathe::views::profile
