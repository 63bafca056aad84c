// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/states_panel.h"

#include "views/page/file_dialog.h"
#include "views/page/table.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QVBoxLayout>

namespace lathe::views::profile {

using models::StateModel;

StatesPanel::StatesPanel()
    : states_(new StateModel(this)), table_(new QTableView),
      goOn_(new QCheckBox(tr("Each run goes on from the &last one"))), file_(new QPushButton(tr("&From a file…"))),
      reset_(new QPushButton(tr("Be&gin anew"))) {
    setUpTable(*table_, *states_);
    table_->setObjectName(QStringLiteral("states"));
    table_->setAccessibleName(tr("What the model keeps from one run to the next"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) {
        if (at.column() == StateModel::Begins)
            table_->edit(at);
    });
    goOn_->setToolTip(tr("Where nothing else stands in \"Runs begin with\""));
    file_->setToolTip(tr("For the state that is selected: .npy, .npz or .pb"));
    file_->setEnabled(false);
    reset_->setToolTip(tr("All states begin as the model says, and what the last run left is forgotten"));
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->addWidget(goOn_);
    bar->addStretch(1);
    bar->addWidget(file_);
    bar->addWidget(reset_);
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(bar);
    all->addWidget(table_, 1);

    const auto tell = [this] {
        if (!showing_)
            emit beginningsChosen(states_->beginnings(), goOn_->isChecked());
    };
    connect(states_, &QAbstractItemModel::dataChanged, this, [tell](const QModelIndex& first) {
        if (first.column() == StateModel::Begins)
            tell();
    });
    connect(goOn_, &QCheckBox::toggled, this, tell);
    connect(file_, &QPushButton::clicked, this, &StatesPanel::chooseFile);
    connect(reset_, &QPushButton::clicked, this, &StatesPanel::resetWanted);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& now) { file_->setEnabled(now.isValid()); });
    connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
        if (const models::NamedTensor tensor = states_->tensorAt(at);
            tensor.tensor && at.column() != StateModel::Begins)
            emit valuesWanted(tensor);
    });
}

void StatesPanel::setStates(const std::vector<model::State>& states, const inspect::StateBeginnings& beginnings,
                            bool goOn) {
    const QScopedValueRollback guard(showing_, true);
    goOn_->setChecked(goOn);
    if (!states_->isOf(states) || states_->beginnings() != beginnings)
        states_->show(states, beginnings);
    file_->setEnabled(table_->currentIndex().isValid());
    table_->resizeColumnsToContents();
}

void StatesPanel::chooseFile() {
    const int row = table_->currentIndex().row();
    if (row < 0)
        return;
    const QString file = views::askForFile(this, tr("A file for the state"), QFileInfo(states_->beginning(row)).path(),
                                           tr("Tensors (*.npy *.npz *.pb);;All files (*)"));
    if (!file.isEmpty())
        states_->setBeginning(row, file);
}

} // namespace lathe::views::profile
