// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/exporting/export_page.h"

#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>

namespace lathe::views::exporting {

ExportPage::ExportPage(const QString& title, const QString& text)
    : layout_(new QVBoxLayout), problem_(new QLabel), footer_(new QLabel) {
    setTitle(title);
    setSubTitle(text);
    problem_->setObjectName("problem");
    footer_->setObjectName("footer");
    problem_->setTextFormat(Qt::PlainText);
    problem_->setWordWrap(true);
    footer_->setTextFormat(Qt::PlainText);
    footer_->setWordWrap(true);
    auto outer = new QVBoxLayout(this);
    outer->addLayout(layout_, 1);
    outer->addWidget(problem_);
    outer->addWidget(footer_);
}

void ExportPage::setFooter(const QString& text) {
    footer_->setText(text);
}

void ExportPage::changed() {
    const QString why = problem();
    problem_->setText(why.isEmpty() ? why : QStringLiteral("✗ ") + why);
    problem_->setAccessibleName(why.isEmpty() ? tr("No problem") : tr("Problem: %1").arg(why));
    emit completeChanged();
}

} // namespace lathe::views::exporting
