// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/exporting/settings_pages.h"

#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::exporting {

using models::ExportRequest;

namespace {

enum SizeColumn { Name, Least, Most, Usual, sizeColumns };

QDoubleSpinBox* limit(const QString& suffix, double value) {
    auto box = new QDoubleSpinBox;
    box->setRange(0, 1e6);
    box->setDecimals(3);
    box->setSuffix(suffix);
    box->setSpecialValueText(ExportPage::tr("no limit"));
    box->setValue(value);
    return box;
}

} // namespace

NamePage::NamePage(const models::ExportChoices& choices, const ExportRequest& begin)
    : ExportPage(tr("The model"),
                 tr("What it is called where it runs: in headers, in the Python module and by files.")),
      problemOf_(choices.problemOfNames), name_(new QLineEdit(begin.name)), version_(new QLineEdit(begin.version)),
      licence_(new QLineEdit(begin.licence)) {
    name_->setObjectName("name");
    version_->setObjectName("version");
    licence_->setObjectName("licence");
    licence_->setPlaceholderText(tr("not stated"));
    licence_->setToolTip(tr("An SPDX identifier of the model's licence, such as Apache-2.0"));
    auto form = new QFormLayout;
    form->addRow(tr("Na&me"), name_);
    form->addRow(tr("&Version"), version_);
    form->addRow(tr("&Licence of the model"), licence_);
    layout_->addLayout(form);
    layout_->addStretch();
    for (QLineEdit* edit : {name_, version_, licence_})
        connect(edit, &QLineEdit::textChanged, this, &NamePage::changed);
}

void NamePage::fill(ExportRequest& request) const {
    request.name = name_->text();
    request.version = version_->text();
    request.licence = licence_->text();
}

QString NamePage::problem() const {
    ExportRequest request;
    fill(request);
    if (request.name.isEmpty())
        return tr("The model needs a name.");
    return problemOf_(request);
}

TargetPage::TargetPage(const models::ExportChoices& choices, const ExportRequest& begin)
    : ExportPage(tr("Where it runs"),
                 tr("Each target becomes a variant; the first that a machine can run is taken there.")),
      problemOf_(choices.problemOfTarget), targets_(new QListWidget), other_(new QLineEdit) {
    targets_->setObjectName("targets");
    targets_->setAccessibleName(tr("Targets"));
    for (const models::ExportTarget& target : choices.targets)
        add(target, begin.targets.contains(target.text));
    for (const QString& text : begin.targets)
        if (std::ranges::find(choices.targets, text, &models::ExportTarget::text) == choices.targets.end())
            add({text, text, problemOf_(text)}, true);
    other_->setObjectName("other");
    other_->setPlaceholderText(tr("a cpu, or TRIPLE[:CPU[:+FEATURE,-FEATURE…]]"));
    auto addButton = new QPushButton(tr("&Add"));
    addButton->setObjectName("add");
    auto row = new QHBoxLayout;
    auto label = new QLabel(tr("&Other"));
    label->setBuddy(other_);
    row->addWidget(label);
    row->addWidget(other_, 1);
    row->addWidget(addButton);
    layout_->addWidget(targets_, 1);
    layout_->addLayout(row);
    connect(targets_, &QListWidget::itemChanged, this, &TargetPage::changed);
    connect(other_, &QLineEdit::textChanged, this, &TargetPage::changed);
    connect(addButton, &QPushButton::clicked, this, &TargetPage::addOther);
}

void TargetPage::add(const models::ExportTarget& target, bool chosen) {
    const bool possible = target.problem.isEmpty();
    auto item = new QListWidgetItem(possible ? target.label : tr("%1: %2").arg(target.label, target.problem), targets_);
    item->setData(Qt::UserRole, target.text);
    item->setFlags(possible ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                            : Qt::ItemIsSelectable);
    item->setCheckState(possible && chosen ? Qt::Checked : Qt::Unchecked);
}

void TargetPage::addOther() {
    const QString text = other_->text().trimmed();
    if (text.isEmpty() || !problemOf_(text).isEmpty())
        return changed();
    add({text, text, {}}, true);
    other_->clear();
    changed();
}

void TargetPage::fill(ExportRequest& request) const {
    request.targets.clear();
    for (int i = 0; i < targets_->count(); ++i)
        if (targets_->item(i)->checkState() == Qt::Checked)
            request.targets << targets_->item(i)->data(Qt::UserRole).toString();
}

QString TargetPage::problem() const {
    if (const QString text = other_->text().trimmed(); !text.isEmpty()) {
        const QString why = problemOf_(text);
        return why.isEmpty() ? tr("Add %1 to the list, or clear the field.").arg(text) : why;
    }
    ExportRequest request;
    fill(request);
    return request.targets.isEmpty() ? tr("Choose one target at least.") : QString();
}

SizesPage::SizesPage(const ExportRequest& begin)
    : ExportPage(tr("Sizes"), tr("What the model leaves open: from, to (empty: any), and what the examples have.")),
      sizes_(new QTableWidget(int(begin.sizes.size()), sizeColumns)) {
    sizes_->setObjectName("sizes");
    sizes_->setAccessibleName(tr("Open sizes"));
    sizes_->setHorizontalHeaderLabels({tr("Size"), tr("From"), tr("To"), tr("Usual")});
    sizes_->verticalHeader()->hide();
    sizes_->setTabKeyNavigation(false);
    sizes_->horizontalHeader()->setSectionResizeMode(Name, QHeaderView::Stretch);
    for (int row = 0; row < sizes_->rowCount(); ++row) {
        const models::ExportSize& size = begin.sizes[row];
        auto name = new QTableWidgetItem(models::oneLine(size.name));
        name->setData(Qt::UserRole, size.name);
        name->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        sizes_->setItem(row, Name, name);
        sizes_->setItem(row, Least, new QTableWidgetItem(QString::number(size.least)));
        sizes_->setItem(row, Most, new QTableWidgetItem(size.most ? QString::number(*size.most) : QString()));
        sizes_->setItem(row, Usual, new QTableWidgetItem(QString::number(size.usual)));
    }
    auto none = new QLabel(tr("The model leaves no size open, or the settings fix them: it is made for these alone."));
    none->setWordWrap(true);
    sizes_->setVisible(!begin.sizes.isEmpty());
    none->setVisible(begin.sizes.isEmpty());
    layout_->addWidget(none);
    layout_->addWidget(sizes_, 1);
    layout_->addStretch();
    connect(sizes_, &QTableWidget::itemChanged, this, &SizesPage::changed);
}

std::optional<qint64> SizesPage::number(int row, int column) const {
    bool good = false;
    const qint64 value = sizes_->item(row, column)->text().trimmed().toLongLong(&good);
    return good && value >= 1 && value <= (qint64(1) << 31) ? std::optional(value) : std::nullopt;
}

void SizesPage::fill(ExportRequest& request) const {
    request.sizes.clear();
    for (int row = 0; row < sizes_->rowCount(); ++row)
        request.sizes << models::ExportSize{sizes_->item(row, Name)->data(Qt::UserRole).toString(),
                                            number(row, Least).value_or(1), number(row, Most),
                                            number(row, Usual).value_or(1)};
}

QString SizesPage::problem() const {
    for (int row = 0; row < sizes_->rowCount(); ++row) {
        const QString name = sizes_->item(row, Name)->text();
        const auto least = number(row, Least), most = number(row, Most), usual = number(row, Usual);
        const bool bounded = !sizes_->item(row, Most)->text().trimmed().isEmpty();
        if (!least || !usual || (bounded && !most))
            return tr("%1: sizes are whole numbers from 1 on.").arg(name);
        if (!bounded && *least != 1)
            return tr("%1: a size without an end begins at 1.").arg(name);
        if (*usual < *least || (most && *usual > *most))
            return tr("%1: what is usual lies within the range.").arg(name);
    }
    return {};
}

ChecksPage::ChecksPage(const models::ExportChoices& choices, const ExportRequest& begin)
    : ExportPage(tr("Checks"), tr("What the bundle has to compute where it runs, and what that may take.")),
      choices_(choices), unrun_(new QLabel), cases_(new QSpinBox), tolerance_(new QDoubleSpinBox),
      p50_(limit(tr(" ms"), begin.p50Ms)), p99_(limit(tr(" ms"), begin.p99Ms)), load_(limit(tr(" ms"), begin.loadMs)),
      resident_(limit(tr(" MB"), begin.residentMb)), size_(limit(tr(" MB"), begin.sizeMb)),
      check_(new QCheckBox(tr("Check it befo&re it is called done"))), device_(new QComboBox) {
    cases_->setRange(0, 100);
    cases_->setValue(begin.cases);
    cases_->setToolTip(tr("Of the data beside the model; else computed here without optimizations"));
    tolerance_->setRange(0, 1);
    tolerance_->setDecimals(6);
    tolerance_->setSingleStep(0.001);
    tolerance_->setValue(begin.tolerance);
    check_->setChecked(begin.check);
    device_->setEditable(true);
    device_->setInsertPolicy(QComboBox::NoInsert);
    for (const models::ExportDevice& device : choices.devices) {
        device_->addItem(device.text);
        device_->setItemData(device_->count() - 1, models::plainTip(device.label), Qt::ToolTipRole);
    }
    device_->setToolTip(tr("local, or qemu[:CPU]: another CPU, emulated program by program"));
    device_->setCurrentText(begin.device);
    unrun_->setObjectName("unrun");
    unrun_->setWordWrap(true);
    unrun_->setText(tr("Nothing of a library or of source is run here: the check holds its files against their hashes, "
                       "on no device, and there is nothing to time."));
    auto form = new QFormLayout;
    form->addRow(tr("E&xpected cases"), cases_);
    form->addRow(tr("&Tolerance, of an output's range"), tolerance_);
    form->addRow(check_);
    form->addRow(unrun_);
    form->addRow(tr("&Device"), device_);
    form->addRow(tr("&Median of a run"), p50_);
    form->addRow(tr("&99 of 100 runs"), p99_);
    form->addRow(tr("&Load"), load_);
    form->addRow(tr("M&emory at the peak"), resident_);
    form->addRow(tr("&Size of the bundle"), size_);
    layout_->addLayout(form);
    layout_->addStretch();
    const std::pair<QWidget*, const char*> names[] = {
        {cases_, "cases"},       {tolerance_, "tolerance"}, {p50_, "p50"},     {p99_, "p99"},      {load_, "load"},
        {resident_, "resident"}, {size_, "size"},           {check_, "check"}, {device_, "device"}};
    for (const auto& [widget, name] : names)
        widget->setObjectName(QLatin1String(name));
    connect(check_, &QCheckBox::toggled, this, [this] {
        allow();
        changed();
    });
    connect(device_, &QComboBox::currentTextChanged, this, &ChecksPage::changed);
    connect(cases_, &QSpinBox::valueChanged, this, &ChecksPage::changed);
    for (const QDoubleSpinBox* box : {p50_, p99_, load_})
        connect(box, &QDoubleSpinBox::valueChanged, this, &ChecksPage::changed);
    allow();
}

void ChecksPage::initializePage() {
    form_ = choices_.form(wholeRequest().form);
    allow();
    ExportPage::initializePage();
}

void ChecksPage::allow() {
    device_->setEnabled(form_.isRunnable && check_->isChecked());
    for (QDoubleSpinBox* box : {p50_, p99_, load_, resident_})
        box->setEnabled(form_.isRunnable);
    unrun_->setVisible(!form_.isRunnable);
}

QString ChecksPage::problem() const {
    if (!form_.isRunnable || !check_->isChecked())
        return {};
    const QString device = device_->currentText().trimmed(), why = choices_.problemOfDevice(device);
    return why.isEmpty() ? choices_.problemOfCheck(form_.text, device) : why;
}

void ChecksPage::fill(ExportRequest& request) const {
    request.cases = cases_->value();
    request.tolerance = tolerance_->value();
    request.check = check_->isChecked();
    request.sizeMb = size_->value();
    if (!form_.isRunnable)
        return;
    request.device = device_->currentText().trimmed();
    request.p50Ms = p50_->value();
    request.p99Ms = p99_->value();
    request.loadMs = load_->value();
    request.residentMb = resident_->value();
}

} // namespace lathe::views::exporting
