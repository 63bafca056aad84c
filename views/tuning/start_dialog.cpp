// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/start_dialog.h"

#include "views/models/text/counted.h"
#include "views/page/elided_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::tuning {

namespace {

enum What { Whole, Selected, Chosen };
constexpr auto minutesKey = "tuning/minutes", trialsKey = "tuning/trials", searchKey = "tuning/search",
               graphKey = "tuning/graph", recordsKey = "tuning/records", sizesKey = "tuning/sizes";

} // namespace

StartDialog::StartDialog(const StartChoices& choices, QWidget* parent) : QDialog(parent), choices_(choices) {
    setWindowTitle(tr("Start tuning"));
    resume_ = new QRadioButton(tr("&Go on with the last study, %1").arg(choices.last));
    resume_->setChecked(!choices.last.isEmpty());
    auto anew = new QRadioButton(tr("Begin a &new study"));
    anew->setChecked(choices.last.isEmpty());
    makeKernels();
    makeLimits();
    makeSearch();
    makeChecks();
    QLayout* form = makeForm();
    buttons_ = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    auto layout = new QVBoxLayout(this);
    for (QRadioButton* which : {resume_, anew}) {
        layout->addWidget(which);
        which->setVisible(!choices.last.isEmpty());
    }
    layout->addLayout(form);
    layout->addWidget(buttons_);
    buttons_->button(QDialogButtonBox::Ok)->setText(tr("&Start"));
    buttons_->button(QDialogButtonBox::Ok)->setDefault(true);
    connectFields();
    check();
    buttons_->button(QDialogButtonBox::Ok)->setFocus();
}

void StartDialog::makeKernels() {
    what_ = new QComboBox;
    what_->addItem(tr("the whole model"), Whole);
    if (!choices_.selected.isEmpty())
        what_->addItem(tr("what is selected: %1").arg(models::counted(choices_.selected.size(), "kernel", "kernels")),
                       Selected);
    if (!choices_.kernels.isEmpty())
        what_->addItem(tr("chosen kernels"), Chosen);
    kernels_ = new QListWidget;
    for (const QString& kernel : choices_.kernels) {
        auto item = new QListWidgetItem(kernel, kernels_);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Unchecked);
    }
    kernels_->setAccessibleName(tr("Kernels to tune"));
    kernels_->setMaximumHeight(180);
}

void StartDialog::makeLimits() {
    const QSettings settings;
    minutes_ = new QDoubleSpinBox;
    minutes_->setDecimals(1);
    minutes_->setRange(0.1, 60 * 24 * 7);
    minutes_->setValue(settings.value(minutesKey, 5.0).toDouble());
    minutes_->setSuffix(tr(" min"));
    trials_ = new QSpinBox;
    trials_->setRange(0, 10'000'000);
    trials_->setSpecialValueText(tr("as many as there is time for"));
    trials_->setValue(settings.value(trialsKey, 0).toInt());
}

void StartDialog::makeSearch() {
    search_ = new QComboBox;
    search_->addItems(choices_.searches);
    search_->setCurrentIndex(std::max(0, int(choices_.searches.indexOf(QSettings().value(searchKey).toString()))));
    space_ = new QComboBox;
    space_->addItems(choices_.spaces);
    space_->setEnabled(choices_.spaces.size() > 1);
    leastGain_ = new QDoubleSpinBox;
    leastGain_->setRange(0, 50);
    leastGain_->setDecimals(1);
    leastGain_->setValue(1);
    leastGain_->setSuffix(tr(" %"));
    leastGain_->setToolTip(tr("What a schedule must gain to be taken"));
    seed_ = new QSpinBox;
    seed_->setRange(0, INT_MAX);
    seed_->setToolTip(tr("The same number tries the same candidates"));
}

void StartDialog::makeChecks() {
    const QSettings settings;
    records_ = new QCheckBox(tr("Keep all trials in the &records"));
    records_->setChecked(settings.value(recordsKey, true).toBool());
    records_->setToolTip(tr("A recorded study goes on after a restart, and helps those to come"));
    graph_ = new QCheckBox(tr("&Variants, layouts and fusion too"));
    graph_->setObjectName(QStringLiteral("graph"));
    graph_->setChecked(settings.value(graphKey, true).toBool());
    graph_->setToolTip(
        tr("Two fifths of the time go into how operators are computed, values are stored and what shares a "
           "kernel: choices for the whole model"));
}

QLayout* StartDialog::makeForm() {
    auto form = new QFormLayout;
    form->addRow(tr("&What"), what_);
    form->addRow(QString(), kernels_);
    form->addRow(QString(), graph_);
    form->addRow(tr("&At most"), minutes_);
    form->addRow(tr("&Trials"), trials_);
    form->addRow(tr("&Search"), search_);
    form->addRow(tr("S&pace"), space_);
    form->addRow(tr("&Least gain"), leastGain_);
    form->addRow(tr("S&eed"), seed_);
    addSizes(*form);
    form->addRow(QString(), records_);
    auto on = new ElidedLabel;
    on->setText(choices_.settings);
    form->addRow(tr("For"), on);
    return form;
}

void StartDialog::connectFields() {
    connect(buttons_, &QDialogButtonBox::accepted, this, &StartDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(what_, &QComboBox::currentIndexChanged, this, &StartDialog::check);
    connect(kernels_, &QListWidget::itemChanged, this, &StartDialog::check);
    connect(sizeNames_, &QComboBox::currentIndexChanged, this, &StartDialog::check);
    connect(sizes_, &QLineEdit::textChanged, this, &StartDialog::check);
    connect(resume_, &QRadioButton::toggled, this, [this](bool goesOn) {
        if (goesOn)
            newSizes_ = sizesText();
        setSizes(goesOn ? choices_.lastSizes : newSizes_);
        check();
    });
}

void StartDialog::addSizes(QFormLayout& to) {
    sizeNames_ = new QComboBox;
    sizes_ = new QLineEdit;
    sizesNote_ = new QLabel;
    if (choices_.open)
        for (const models::OpenSize& size : models::openSizesOf(*choices_.open))
            sizeNames_->addItem(size.name);
    sizeNames_->setAccessibleName(tr("Size that the model leaves open"));
    sizeNames_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    sizeNames_->setMinimumContentsLength(12);
    sizes_->setAccessibleName(tr("What it mostly is"));
    sizes_->setObjectName(QStringLiteral("sizes"));
    sizesNote_->setObjectName(QStringLiteral("sizes note"));
    sizes_->setPlaceholderText(tr("7,64,128"));
    sizes_->setToolTip(tr("What the size mostly is, four at most: kernels are tuned to be fast at all of them"));
    sizesNote_->setTextFormat(Qt::PlainText); // it shows names
    sizesNote_->setWordWrap(true);
    auto fields = new QWidget;
    auto row = new QHBoxLayout(fields);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(sizeNames_);
    row->addWidget(sizes_, 1);
    auto label = new QLabel(tr("&Open size"));
    label->setBuddy(sizes_);
    to.addRow(label, fields);
    to.addRow(QString(), sizesNote_);
    to.setRowVisible(fields, choices_.open != nullptr);
    newSizes_ = QSettings().value(sizesKey).toString();
    setSizes(resume_->isChecked() ? choices_.lastSizes : newSizes_);
}

void StartDialog::setSizes(const QString& text) {
    const qsizetype equals = text.lastIndexOf('=');
    const int at = sizeNames_->findText(text.left(equals));
    sizeNames_->setCurrentIndex(std::max(at, 0));
    sizes_->setText(at < 0 ? QString() : text.mid(equals + 1));
}

QString StartDialog::sizesText() const {
    return sizes_->text().isEmpty() ? QString() : sizeNames_->currentText() + '=' + sizes_->text();
}

Result<std::optional<inspect::SweepQuestion>> StartDialog::sizes() const {
    const QString text = resume_->isChecked() ? choices_.lastSizes : sizesText();
    if (text.isEmpty() || (!choices_.open && !resume_->isChecked()))
        return std::nullopt;
    if (!choices_.open)
        return failure(tr("The last study was for %1, which the settings fix now").arg(text).toStdString());
    return models::tunedSizesOf(*choices_.open, text);
}

models::StudyRequest StartDialog::request() const {
    models::StudyRequest request;
    request.resume = resume_->isChecked();
    if (what_->currentData() == Selected)
        request.kernels = choices_.selected;
    if (what_->currentData() == Chosen)
        for (int i = 0; i < kernels_->count(); ++i)
            if (kernels_->item(i)->checkState() == Qt::Checked)
                request.kernels << kernels_->item(i)->text();
    request.graph = graph_->isChecked() && what_->currentData() == Whole;
    request.limits = {.seconds = 60 * minutes_->value(), .trials = trials_->value()};
    request.search = search_->currentText();
    request.space = space_->currentText();
    if (auto asked = sizes())
        request.sizes = *std::move(asked);
    request.leastGain = leastGain_->value() / 100;
    request.seed = quint64(seed_->value());
    request.records = records_->isChecked() || request.resume;
    return request;
}

void StartDialog::check() {
    const bool chosen = what_->currentData() == Chosen;
    kernels_->setVisible(chosen);
    graph_->setEnabled(what_->currentData() == Whole);
    for (QWidget* ofTheStudy :
         {static_cast<QWidget*>(records_), static_cast<QWidget*>(sizeNames_), static_cast<QWidget*>(sizes_)})
        ofTheStudy->setEnabled(!resume_->isChecked());
    const auto asked = sizes();
    sizesNote_->setText(!asked   ? QString::fromStdString(asked.error().what)
                        : *asked ? QString()
                                 : tr("Kernels over sizes that the model leaves open are left out. Say what one mostly "
                                      "is, or fix them: Model › Settings…"));
    sizesNote_->setVisible(!asked || (choices_.open && !*asked));
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(asked && (!chosen || !request().kernels.isEmpty()));
    adjustSize();
}

void StartDialog::accept() {
    QSettings settings;
    settings.setValue(minutesKey, minutes_->value());
    settings.setValue(trialsKey, trials_->value());
    settings.setValue(searchKey, search_->currentText());
    settings.setValue(recordsKey, records_->isChecked());
    settings.setValue(graphKey, graph_->isChecked());
    if (choices_.open && !resume_->isChecked())
        settings.setValue(sizesKey, sizesText());
    QDialog::accept();
}

} // namespace lathe::views::tuning
