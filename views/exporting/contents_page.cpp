// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/exporting/contents_page.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QRadioButton>
#include <QVBoxLayout>

namespace lathe::views::exporting {

using models::ExportRequest;

namespace {

/// What a form is, for people: what it gives and what it cannot, and why parts of it are grey.
struct FormText {
    QString name, gives, fixed;
};

FormText textOfForm(const QString& form) {
    const std::pair<const char*, FormText> texts[] = {
        {"folder",
         {ExportPage::tr("A &folder that works as it lies there"),
          ExportPage::tr("With runtime, headers, Python module and self-check; for several targets."),
          {}}},
        {"exe",
         {ExportPage::tr("A p&rogram"),
          ExportPage::tr("One file that needs no other. It runs on its one target alone, and is not checked over ssh."),
          ExportPage::tr("A program takes files and gives files: headers, modules and examples are not for it.")}},
        {"static",
         {ExportPage::tr("A static &library"),
          ExportPage::tr("With its header, for a program of your own on one target. Nothing of it is run here."),
          ExportPage::tr("A library always has its header for C, and no Python module.")}},
        {"c",
         {ExportPage::tr("C &source"),
          ExportPage::tr(
              "For any machine and compiler for C99; on one thread, without a runtime. Nothing of it is run here."),
          ExportPage::tr("C source always has its header, a program and a Makefile that checks it.")}},
    };
    for (const auto& [name, text] : texts)
        if (form == QLatin1String(name))
            return text;
    return {form, {}, {}};
}

/// What each part is, for people.
QString textOfPart(const QString& part) {
    const std::pair<const char*, QString> texts[] = {
        {"c", ExportPage::tr("Headers for &C")},
        {"cpp", ExportPage::tr("&Headers for C++")},
        {"python", ExportPage::tr("&Python module (needs no build)")},
        {"examples", ExportPage::tr("&Examples, with CMake and make")},
        {"golden", ExportPage::tr("Expected inputs and outputs, for the chec&k")},
        {"sbom", ExportPage::tr("Bill of materials (SPDX, C&ycloneDX)")},
        {"reproduce", ExportPage::tr("What makes the same bundle a&gain")},
    };
    for (const auto& [name, text] : texts)
        if (part == QLatin1String(name))
            return text;
    return part;
}

} // namespace

ContentsPage::ContentsPage(const models::ExportChoices& choices, const ExportRequest& begin)
    : ExportPage(tr("What goes in"), tr("What the bundle is for, and which parts it has beside the compiled model.")),
      choices_(choices), forms_(new QButtonGroup(this)), chosen_(begin.parts), fixed_(new QLabel) {
    auto grid = new QGridLayout;
    grid->setColumnStretch(1, 1);
    for (const models::ExportForm& form : choices.forms) {
        const FormText text = textOfForm(form.text);
        auto button = new QRadioButton(text.name);
        button->setObjectName(form.text);
        button->setChecked(form.text == begin.form);
        button->setAccessibleDescription(text.gives);
        forms_->addButton(button);
        auto gives = new QLabel(text.gives);
        gives->setTextFormat(Qt::PlainText);
        gives->setWordWrap(true);
        const int row = grid->rowCount();
        grid->addWidget(button, row, 0, Qt::AlignTop);
        grid->addWidget(gives, row, 1);
    }
    layout_->addLayout(grid);
    layout_->addSpacing(8);
    for (const QString& part : choices.parts) {
        QCheckBox* box = parts_.emplace_back(new QCheckBox(textOfPart(part)));
        box->setObjectName(part);
        layout_->addWidget(box);
        connect(box, &QCheckBox::clicked, this, [this, part](bool on) {
            chosen_.removeAll(part);
            if (on)
                chosen_ << part;
            changed();
        });
    }
    fixed_->setObjectName("fixed");
    fixed_->setTextFormat(Qt::PlainText);
    fixed_->setWordWrap(true);
    layout_->addWidget(fixed_);
    layout_->addStretch();
    connect(forms_, &QButtonGroup::buttonToggled, this, [this](QAbstractButton*, bool on) {
        if (on) {
            showParts();
            changed();
        }
    });
    showParts();
}

void ContentsPage::initializePage() {
    targets_ = wholeRequest().targets.size();
    changed();
}

QString ContentsPage::form() const {
    return forms_->checkedButton() ? forms_->checkedButton()->objectName() : QString();
}

void ContentsPage::showParts() {
    const models::ExportForm chosen = choices_.form(form());
    const QString why = textOfForm(chosen.text).fixed;
    for (QCheckBox* box : parts_) {
        const bool can = chosen.parts.contains(box->objectName());
        box->setEnabled(can);
        box->setChecked(can && chosen_.contains(box->objectName()));
        box->setToolTip(can ? QString() : why);
    }
    fixed_->setText(why);
}

void ContentsPage::fill(ExportRequest& request) const {
    request.form = form();
    request.parts.clear();
    for (const QCheckBox* box : parts_)
        if (box->isChecked())
            request.parts << box->objectName();
}

QString ContentsPage::problem() const {
    ExportRequest request;
    fill(request);
    const auto has = [&](const char* part) { return request.parts.contains(QLatin1String(part)); };
    if (request.form.isEmpty())
        return tr("Choose what the bundle is for.");
    if (targets_ > 1 && !choices_.form(request.form).hasVariants)
        return tr("This is for one target, and %1 are chosen: go back and choose one, or take a folder.").arg(targets_);
    if (has("examples") && !has("golden"))
        return tr("The examples compare with the expected outputs: they go in too, or neither.");
    return request.parts.isEmpty() ? tr("Choose one part at least.") : QString();
}

} // namespace lathe::views::exporting
