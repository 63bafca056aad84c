// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/exporting/export_page.h"

#include "views/exporting/export_wizard.h"

#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::exporting {

ExportPage::ExportPage(const QString& title, const QString& text)
    : layout_(new QVBoxLayout), problem_(new QLabel), warnings_(new QLabel), footer_(new QLabel) {
    setTitle(title);
    setSubTitle(text);
    problem_->setObjectName("problem");
    footer_->setObjectName("footer");
    warnings_->setObjectName("warnings");
    for (QLabel* label : {problem_, warnings_, footer_}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    warnings_->hide();
    auto outer = new QVBoxLayout(this);
    outer->addLayout(layout_, 1);
    outer->addWidget(warnings_);
    outer->addWidget(problem_);
    outer->addWidget(footer_);
}

void ExportPage::setFooter(const QString& text) {
    footer_->setText(text);
}

void ExportPage::setWarnings(const QStringList& warnings) {
    constexpr qsizetype most = 4; // that there is room for; the summary has all
    QStringList lines;
    for (const QString& warning : warnings.first(std::min(most, warnings.size())))
        lines << QStringLiteral("⚠ ") + warning;
    if (warnings.size() > most)
        lines << tr("and %1 more: the summary has all of them").arg(warnings.size() - most);
    const QString text = lines.join('\n');
    if (text == warnings_->text())
        return; // screen readers read what changes
    warnings_->setText(text);
    warnings_->setAccessibleName(tr("Warnings: %1").arg(warnings.join(' ')));
    warnings_->setVisible(!warnings.isEmpty());
}

models::ExportRequest ExportPage::wholeRequest() const {
    return qobject_cast<ExportWizard*>(wizard())->request();
}

void ExportPage::changed() {
    const QString why = problem();
    problem_->setText(why.isEmpty() ? why : QStringLiteral("✗ ") + why);
    problem_->setAccessibleName(why.isEmpty() ? tr("No problem") : tr("Problem: %1").arg(why));
    emit completeChanged();
}

} // namespace lathe::views::exporting
