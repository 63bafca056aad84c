// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/bisect_dialog.h"

#include "views/page/table.h"
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

namespace lathe::views::passes {

using models::BisectModel;

BisectDialog::BisectDialog(QWidget* parent)
    : QDialog(parent), steps_(new BisectModel(this)), kind_(new QComboBox), times_(new QDoubleSpinBox),
      what_(new QLineEdit(QStringLiteral("kernels"))), limit_(new QSpinBox), timesLabel_(new QLabel(tr("&Factor"))),
      whatLabel_(new QLabel(tr("&Operator"))), limitLabel_(new QLabel(tr("&Limit"))), table_(new QTableView),
      answer_(new QLabel), start_(new QPushButton(tr("&Start"))), show_(new QPushButton(tr("Show the &pass"))),
      off_(new QPushButton(tr("Switch it &off"))) {
    setWindowTitle(tr("Which pass is to blame?"));
    resize(760, 460);
    kind_->addItems({tr("Wrong values: not those that it gives without optional passes"),
                     tr("A crash, a hang or an internal error"), tr("It is slower than without optional passes"),
                     tr("More calls of an operator, or kernels, than a limit")});
    kind_->setAccessibleName(tr("What is bad"));
    times_->setRange(0.01, 1000);
    times_->setValue(1);
    times_->setSingleStep(0.1);
    times_->setPrefix(QStringLiteral("× "));
    limit_->setRange(0, 1'000'000);
    what_->setToolTip(tr("An operator by the name that the text of the passes has, or \"kernels\""));
    timesLabel_->setBuddy(times_);
    whatLabel_->setBuddy(what_);
    limitLabel_->setBuddy(limit_);
    auto form = new QFormLayout;
    auto kindLabel = new QLabel(tr("&Bad is"));
    kindLabel->setBuddy(kind_);
    form->addRow(kindLabel, kind_);
    form->addRow(timesLabel_, times_);
    form->addRow(whatLabel_, what_);
    form->addRow(limitLabel_, limit_);
    setUpTable(*table_, *steps_);
    table_->horizontalHeader()->setStretchLastSection(false); // the reason stretches
    table_->setFrameShape(QFrame::StyledPanel);
    table_->setAlternatingRowColors(false);
    table_->horizontalHeader()->setSectionResizeMode(BisectModel::Reason, QHeaderView::Stretch);
    table_->setColumnWidth(BisectModel::Passes, 240);
    table_->setColumnWidth(BisectModel::Seconds, 60);
    table_->setAccessibleName(tr("Compilations that were tried"));
    answer_->setWordWrap(true);
    answer_->setTextFormat(Qt::PlainText);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->addButton(start_, QDialogButtonBox::ActionRole);
    buttons->addButton(show_, QDialogButtonBox::ActionRole);
    buttons->addButton(off_, QDialogButtonBox::ActionRole);
    auto layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(table_, 1);
    layout->addWidget(answer_);
    layout->addWidget(buttons);
    connect(kind_, &QComboBox::currentIndexChanged, this, &BisectDialog::showFields);
    connect(start_, &QPushButton::clicked, this, &BisectDialog::start);
    connect(show_, &QPushButton::clicked, this, [this] { emit passWanted(pass_); });
    connect(off_, &QPushButton::clicked, this, [this] { emit whatIfWanted(models::switchPass(pass_, true)); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    showFields();
    setRunning(false);
    answer_->setText(tr("The model is compiled with fewer and fewer optional passes until one is left that makes the "
                        "difference."));
}

diagnose::Fault BisectDialog::fault() const {
    switch (kind_->currentIndex()) {
    case Crash:
        return diagnose::Crashes{};
    case Slow:
        return diagnose::SlowerThan{.limit = times_->value(), .ofUnoptimized = true};
    case Count:
        return diagnose::MoreThan{.what = what_->text().trimmed().toStdString(), .limit = limit_->value()};
    default:
        return diagnose::WrongValues{};
    }
}

void BisectDialog::showFields() {
    const int kind = kind_->currentIndex();
    for (QWidget* each : {static_cast<QWidget*>(times_), static_cast<QWidget*>(timesLabel_)})
        each->setVisible(kind == Slow);
    for (QWidget* each : {static_cast<QWidget*>(what_), static_cast<QWidget*>(whatLabel_),
                          static_cast<QWidget*>(limit_), static_cast<QWidget*>(limitLabel_)})
        each->setVisible(kind == Count);
}

void BisectDialog::start() {
    if (running_) {
        emit cancelWanted();
        return;
    }
    steps_->clear();
    pass_.clear();
    asked_ = fault();
    answer_->setText(tr("Searching"));
    setRunning(true);
    emit wanted(asked_);
}

void BisectDialog::setRunning(bool running) {
    running_ = running;
    start_->setText(running ? tr("&Cancel") : tr("&Start"));
    kind_->setEnabled(!running);
    show_->setEnabled(!running && !pass_.isEmpty());
    off_->setEnabled(!running && !pass_.isEmpty());
}

void BisectDialog::addStep(const diagnose::BisectStep& step) {
    if (!running_)
        return;
    steps_->add(step);
    table_->scrollToBottom();
}

void BisectDialog::showFound(const diagnose::Bisection& found) {
    if (!running_)
        return;
    if (found.answer == diagnose::BisectAnswer::Found)
        pass_ = QString::fromStdString(found.pass);
    answer_->setText(models::sentenceOf(found, asked_));
    setRunning(false);
}

void BisectDialog::showEnd(const QString& why) {
    if (!running_)
        return;
    answer_->setText(why);
    setRunning(false);
}

void BisectDialog::clear() {
    steps_->clear();
    pass_.clear();
    answer_->clear();
    setRunning(running_);
}

QString BisectDialog::answer() const {
    return answer_->text();
}

void BisectDialog::done(int result) {
    if (running_)
        emit cancelWanted();
    QDialog::done(result);
}

} // namespace lathe::views::passes
