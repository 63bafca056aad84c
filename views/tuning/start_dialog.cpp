// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tuning/start_dialog.h"

#include "views/models/counted.h"
#include "views/page/elided_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
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
               recordsKey = "tuning/records";

} // namespace

StartDialog::StartDialog(const StartChoices& choices, QWidget* parent)
    : QDialog(parent), resume_(new QRadioButton), what_(new QComboBox), kernels_(new QListWidget),
      minutes_(new QDoubleSpinBox), leastGain_(new QDoubleSpinBox), trials_(new QSpinBox), seed_(new QSpinBox),
      search_(new QComboBox), space_(new QComboBox), records_(new QCheckBox(tr("Keep all trials in the &records"))),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)), selected_(choices.selected) {
    setWindowTitle(tr("Start tuning"));
    const QSettings settings;
    auto anew = new QRadioButton(tr("Begin a &new study"));
    resume_->setText(tr("&Go on with the last study, %1").arg(choices.last));
    resume_->setChecked(!choices.last.isEmpty());
    anew->setChecked(choices.last.isEmpty());
    what_->addItem(tr("the whole model"), Whole);
    if (!choices.selected.isEmpty())
        what_->addItem(tr("what is selected: %1").arg(models::counted(choices.selected.size(), "kernel", "kernels")),
                       Selected);
    if (!choices.kernels.isEmpty())
        what_->addItem(tr("chosen kernels"), Chosen);
    for (const QString& kernel : choices.kernels) {
        auto item = new QListWidgetItem(kernel, kernels_);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Unchecked);
    }
    kernels_->setAccessibleName(tr("Kernels to tune"));
    kernels_->setMaximumHeight(180);
    minutes_->setDecimals(1);
    minutes_->setRange(0.1, 60 * 24 * 7);
    minutes_->setValue(settings.value(minutesKey, 5.0).toDouble());
    minutes_->setSuffix(tr(" min"));
    trials_->setRange(0, 10'000'000);
    trials_->setSpecialValueText(tr("as many as there is time for"));
    trials_->setValue(settings.value(trialsKey, 0).toInt());
    search_->addItems(choices.searches);
    search_->setCurrentIndex(std::max(0, int(choices.searches.indexOf(settings.value(searchKey).toString()))));
    space_->addItems(choices.spaces);
    space_->setEnabled(choices.spaces.size() > 1);
    leastGain_->setRange(0, 50);
    leastGain_->setDecimals(1);
    leastGain_->setValue(1);
    leastGain_->setSuffix(tr(" %"));
    leastGain_->setToolTip(tr("What a schedule must gain to be taken"));
    seed_->setRange(0, INT_MAX);
    seed_->setToolTip(tr("The same number tries the same candidates"));
    records_->setChecked(settings.value(recordsKey, true).toBool());
    records_->setToolTip(tr("A recorded study goes on after a restart, and helps those to come"));
    auto form = new QFormLayout;
    form->addRow(tr("&What"), what_);
    form->addRow(QString(), kernels_);
    form->addRow(tr("&At most"), minutes_);
    form->addRow(tr("&Trials"), trials_);
    form->addRow(tr("&Search"), search_);
    form->addRow(tr("S&pace"), space_);
    form->addRow(tr("&Least gain"), leastGain_);
    form->addRow(tr("S&eed"), seed_);
    form->addRow(QString(), records_);
    auto on = new ElidedLabel;
    on->setText(choices.settings);
    form->addRow(tr("For"), on);
    auto layout = new QVBoxLayout(this);
    for (QRadioButton* which : {resume_, anew}) {
        layout->addWidget(which);
        which->setVisible(!choices.last.isEmpty());
    }
    layout->addLayout(form);
    if (choices.sizesOpen) {
        auto note = new QLabel(
            tr("The model leaves sizes open: kernels over them are left out. Model › Settings… fixes them."));
        note->setWordWrap(true);
        layout->addWidget(note);
    }
    layout->addWidget(buttons_);
    buttons_->button(QDialogButtonBox::Ok)->setText(tr("&Start"));
    buttons_->button(QDialogButtonBox::Ok)->setDefault(true);
    connect(buttons_, &QDialogButtonBox::accepted, this, &StartDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(what_, &QComboBox::currentIndexChanged, this, &StartDialog::check);
    connect(kernels_, &QListWidget::itemChanged, this, &StartDialog::check);
    connect(resume_, &QRadioButton::toggled, this, &StartDialog::check);
    check();
    buttons_->button(QDialogButtonBox::Ok)->setFocus();
}

models::StudyRequest StartDialog::request() const {
    models::StudyRequest request;
    request.resume = resume_->isChecked();
    if (what_->currentData() == Selected)
        request.kernels = selected_;
    if (what_->currentData() == Chosen)
        for (int i = 0; i < kernels_->count(); ++i)
            if (kernels_->item(i)->checkState() == Qt::Checked)
                request.kernels << kernels_->item(i)->text();
    request.limits = {.seconds = 60 * minutes_->value(), .trials = trials_->value()};
    request.search = search_->currentText();
    request.space = space_->currentText();
    request.leastGain = leastGain_->value() / 100;
    request.seed = quint64(seed_->value());
    request.records = records_->isChecked() || request.resume;
    return request;
}

void StartDialog::check() {
    const bool chosen = what_->currentData() == Chosen;
    kernels_->setVisible(chosen);
    records_->setEnabled(!resume_->isChecked());
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(!chosen || !request().kernels.isEmpty());
    adjustSize();
}

void StartDialog::accept() {
    QSettings settings;
    settings.setValue(minutesKey, minutes_->value());
    settings.setValue(trialsKey, trials_->value());
    settings.setValue(searchKey, search_->currentText());
    settings.setValue(recordsKey, records_->isChecked());
    QDialog::accept();
}

} // namespace lathe::views::tuning
