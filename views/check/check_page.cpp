// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/check/check_page.h"

#include "views/models/counted.h"
#include "views/models/open_sizes.h"
#include "views/page/table.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::check {

using driver::CheckState;
using models::CheckModel;

namespace {

enum Item { Unoptimized, Strict, Files, Folder };
constexpr size_t mostLinks = 5;
constexpr int rowsMeasured = 100; // for the width of columns: there may be ten thousand

} // namespace

CheckPage::CheckPage(models::Selection* selection)
    : Page(QStringLiteral("check"), tr("Check")), selection_(selection), values_(new CheckModel(this)),
      shown_(new QSortFilterProxyModel(this)), against_(new QComboBox), check_(new QAction(tr("Check &values"), this)),
      all_(new QCheckBox(tr("Show what is not compared"))), summary_(new QLabel), first_(new QLabel),
      table_(new QTableView) {
    summary_->setTextFormat(Qt::PlainText); // it shows names of the model
    shown_->setSourceModel(values_);
    shown_->setSortRole(CheckModel::sortRole);
    shown_->setFilterRole(CheckModel::comparedRole);
    shown_->setFilterFixedString(QStringLiteral("yes"));
    setUpTable(*table_, *shown_);
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder); // the order of the model
    table_->horizontalHeader()->setSortIndicatorClearable(true);
    table_->horizontalHeader()->setResizeContentsPrecision(rowsMeasured);
    table_->setAccessibleName(tr("Intermediate values"));
    against_->addItems(
        {tr("the unoptimized computation"), tr("strict numerics"), tr("values in files…"), tr("values in a folder…")});
    against_->setAccessibleName(tr("What values are compared with"));
    auto label = new QLabel(tr("Compare &with"));
    label->setBuddy(against_);
    check_->setToolTip(
        tr("Compile with the settings and decisions of now, run it and compare each intermediate value"));
    auto button = new QToolButton;
    button->setDefaultAction(check_);
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    first_->setContentsMargins(8, 0, 8, 8);
    first_->setWordWrap(true);
    first_->setTextFormat(Qt::RichText);
    first_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    first_->setAccessibleName(tr("What diverges first"));
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 0);
    bar->setSpacing(6);
    bar->addWidget(label);
    bar->addWidget(against_);
    bar->addWidget(button);
    bar->addStretch(1);
    bar->addWidget(all_);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(summary_);
    layout->addWidget(first_);
    layout->addWidget(table_, 1);

    connect(against_, &QComboBox::activated, this, &CheckPage::choose);
    connect(check_, &QAction::triggered, this, [this] { emit checkWanted(against()); });
    connect(all_, &QCheckBox::toggled, this,
            [this](bool all) { shown_->setFilterFixedString(all ? QString() : QStringLiteral("yes")); });
    connect(first_, &QLabel::linkActivated, this, [this](const QString& row) { goTo(row.toInt()); });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (following_)
            return;
        const QScopedValueRollback guard(following_, true);
        std::vector<int> nodes;
        for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
            const driver::CheckRow& row = values_->at(shown_->mapToSource(index).row());
            nodes.insert(nodes.end(), row.nodes.begin(), row.nodes.end());
        }
        if (!nodes.empty())
            selection_->set(std::move(nodes));
    });
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit nodeWanted(values_->at(shown_->mapToSource(index).row()).node); });
    connect(selection_, &models::Selection::changed, this, &CheckPage::follow);
    setCheck(nullptr);
}

void CheckPage::setProvenance(std::shared_ptr<const driver::Provenance> /*provenance*/) {
    setCheck(nullptr);
}

std::vector<PageAction> CheckPage::pageActions() const {
    return {{"values", check_, {Qt::Key_F8}}};
}

void CheckPage::choose(int item) {
    QStringList files;
    if (item == Files) {
        files = QFileDialog::getOpenFileNames(this, tr("Values to compare with"), {},
                                              tr("Tensors, named after values (*.npy *.pb)"));
    } else if (item == Folder) {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("A folder of values to compare with"));
        files = folder.isEmpty() ? QStringList() : QStringList{folder};
    } else {
        chosen_ = item;
        return describe();
    }
    if (files.isEmpty())
        against_->setCurrentIndex(chosen_);
    else
        setFiles(files);
}

void CheckPage::setFiles(const QStringList& files) {
    files_ = files;
    chosen_ = files.size() == 1 && QFileInfo(files.front()).isDir() ? Folder : Files;
    against_->setCurrentIndex(chosen_);
    against_->setItemText(Files, tr("values in files…"));
    against_->setItemText(Folder, tr("values in a folder…"));
    against_->setItemText(chosen_, chosen_ == Folder || files.size() == 1
                                       ? QFileInfo(files.front()).fileName()
                                       : models::counted(files.size(), "file", "files"));
    describe();
}

driver::CheckAgainst CheckPage::against() const {
    if (chosen_ == Strict)
        return driver::AgainstNumerics{};
    if (chosen_ == Unoptimized)
        return driver::AgainstUnoptimized{};
    driver::AgainstFiles files;
    for (const QString& file : files_)
        files.files.emplace_back(file.toStdString());
    return files;
}

void CheckPage::setCheck(models::CheckPtr check) {
    values_->show(std::move(check));
    describe();
    const models::CheckPtr& shown = values_->check();
    const std::vector<int> first = values_->first();
    QStringList links;
    for (size_t i = 0; i < std::min(first.size(), mostLinks); ++i) {
        const driver::CheckRow& row = values_->at(first[i]);
        links << QStringLiteral("<a href=\"%1\">%2</a> (%3)")
                     .arg(QString::number(first[i]), QString::fromStdString(row.value).toHtmlEscaped(),
                          QString::fromStdString(row.why).toHtmlEscaped());
    }
    if (first.size() > mostLinks)
        links << tr("%1 more").arg(first.size() - mostLinks);
    first_->setVisible(!links.isEmpty());
    first_->setText(tr("<b>Diverges first:</b> %1").arg(links.join(QStringLiteral(", "))));
    table_->setVisible(shown != nullptr);
    layout()->setAlignment(summary_, shown ? Qt::Alignment() : Qt::AlignTop);
    all_->setVisible(shown && shown->count(CheckState::NotCompared) > 0);
    if (shown) {
        table_->resizeColumnsToContents();
        for (const int column : {CheckModel::Value, CheckModel::Where})
            table_->setColumnWidth(column, std::clamp(table_->columnWidth(column), 160, 360));
    }
    if (!first.empty())
        goTo(first.front());
    else
        follow();
}

void CheckPage::describe() {
    const models::CheckPtr& check = values_->check();
    if (!check) {
        summary_->setText(tr("Check values (F8) compares what the compiled model computes on the way, value by value, "
                             "with the same model without optional passes, with strict numerics, or with files that "
                             "are named after the values."));
        return;
    }
    const size_t diverge = check->count(CheckState::Diverges), within = check->count(CheckState::Within);
    QString text = tr("%1 compared at %2: %3.")
                       .arg(models::counted(qint64(within + diverge), "value", "values"), models::textOf(check->shapes),
                            diverge ? tr("%1, %2 within the tolerance")
                                          .arg(models::counted(qint64(diverge), "diverges", "diverge"),
                                               models::grouped(qint64(within)))
                                    : tr("all within the tolerance"));
    if (const size_t others = check->count(CheckState::NotCompared))
        text += tr(" %1 not compared, for the reasons in the table.").arg(models::counted(qint64(others), "is", "are"));
    if (check->nested)
        text += tr(" %1 in branches and loops left out.").arg(models::counted(qint64(check->nested), "is", "are"));
    summary_->setText(text);
}

void CheckPage::goTo(int row) {
    const QModelIndex index = shown_->mapFromSource(values_->index(row, CheckModel::Value));
    table_->setCurrentIndex(index);
    table_->scrollTo(index);
}

void CheckPage::follow() {
    if (following_)
        return;
    const QScopedValueRollback guard(following_, true);
    QItemSelection rows;
    for (int row = 0; row < values_->rowCount(); ++row)
        if (selection_->contains(values_->at(row).node))
            if (const QModelIndex index = shown_->mapFromSource(values_->index(row, 0)); index.isValid())
                rows.select(index, index);
    table_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!rows.isEmpty())
        table_->scrollTo(rows.indexes().front());
}

} // namespace lathe::views::check
