// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/check/check_page.h"

#include "views/models/inputs/open_sizes.h"
#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/page/file_dialog.h"
#include "views/page/table.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::check {

using diagnose::CheckState;
using models::CheckModel;

namespace {

enum Item { Unoptimized, Strict, Files }; // the last only once there are any
constexpr size_t mostLinks = 5;

diagnose::AgainstFiles filesOf(const QStringList& names) {
    diagnose::AgainstFiles against;
    for (const QString& name : names)
        against.files.emplace_back(name.toStdString());
    return against;
}

QString nameOf(const diagnose::AgainstFiles& against) {
    const auto& files = against.files;
    return files.size() == 1 ? QString::fromStdString(files.front().filename().string())
                             : models::counted(qint64(files.size()), "file", "files");
}

QString textOf(const diagnose::CheckAgainst& against) {
    if (const auto* files = std::get_if<diagnose::AgainstFiles>(&against))
        return nameOf(*files);
    return std::holds_alternative<diagnose::AgainstNumerics>(against) ? CheckPage::tr("strict numerics")
                                                                      : CheckPage::tr("the unoptimized computation");
}

} // namespace

CheckPage::CheckPage(models::Selection* selection)
    : Page(QStringLiteral("check"), tr("Check")), selection_(selection), values_(new CheckModel(this)),
      shown_(new QSortFilterProxyModel(this)) {
    makeActions();
    makeTable();
    QLayout* bar = makeBar();
    makeTexts();
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(summary_);
    layout->addWidget(first_);
    layout->addWidget(table_, 1);

    connectActions();
    connectTable();
    connect(selection_, &models::Selection::changed, this, &CheckPage::follow);
    setCheck(nullptr);
}

void CheckPage::makeActions() {
    check_ = new QAction(tr("Check &values"), this);
    check_->setToolTip(
        tr("Compile with the settings and decisions of now, run it and compare each intermediate value"));
    withFiles_ = new QAction(tr("Compare values with &files…"), this);
    withFolder_ = new QAction(tr("Compare values with a f&older…"), this);
    show_ = new QAction(tr("Show the &values of the row"), this);
    show_->setToolTip(tr("Compute the value again, as it is, as expected, and their difference"));
}

void CheckPage::makeTable() {
    shown_->setSourceModel(values_);
    shown_->setSortRole(CheckModel::sortRole);
    shown_->setFilterRole(CheckModel::comparedRole);
    shown_->setFilterFixedString(QStringLiteral("yes"));
    table_ = new QTableView;
    setUpTable(*table_, *shown_);
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder); // the order of the model
    table_->horizontalHeader()->setSortIndicatorClearable(true);
    table_->setAccessibleName(tr("Intermediate values"));
    table_->addAction(show_);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QLayout* CheckPage::makeBar() {
    against_ = new QComboBox;
    against_->addItems({textOf(diagnose::AgainstUnoptimized{}), textOf(diagnose::AgainstNumerics{})});
    against_->setAccessibleName(tr("What values are compared with"));
    auto label = new QLabel(tr("Compare &with"));
    label->setBuddy(against_);
    auto button = new QToolButton;
    button->setObjectName(QStringLiteral("check"));
    button->setDefaultAction(check_);
    auto menu = new QMenu(this);
    menu->addActions({withFiles_, withFolder_});
    auto files = new QToolButton;
    files->setText(tr("Files…"));
    files->setToolTip(tr("Compare with values that were computed elsewhere"));
    files->setMenu(menu);
    files->setPopupMode(QToolButton::InstantPopup);
    all_ = new QCheckBox(tr("Show what is not compared"));
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 0);
    bar->setSpacing(6);
    bar->addWidget(label);
    bar->addWidget(against_);
    bar->addWidget(files);
    bar->addWidget(button);
    bar->addStretch(1);
    bar->addWidget(all_);
    return bar;
}

void CheckPage::makeTexts() {
    summary_ = new QLabel;
    summary_->setTextFormat(Qt::PlainText); // it shows names of the model
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    first_ = new QLabel;
    first_->setContentsMargins(8, 0, 8, 8);
    first_->setWordWrap(true);
    first_->setTextFormat(Qt::RichText);
    first_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    first_->setAccessibleName(tr("What diverges first"));
}

void CheckPage::connectActions() {
    connect(withFiles_, &QAction::triggered, this, &CheckPage::askForFiles);
    connect(withFolder_, &QAction::triggered, this, &CheckPage::askForFolder);
    connect(check_, &QAction::triggered, this, [this] { emit checkWanted(against()); });
    connect(all_, &QCheckBox::toggled, this,
            [this](bool all) { shown_->setFilterFixedString(all ? QString() : QStringLiteral("yes")); });
    connect(first_, &QLabel::linkActivated, this, [this](const QString& row) { goTo(row.toInt()); });
    connect(show_, &QAction::triggered, this, [this] {
        if (const int row = currentRow(); row >= 0)
            emit valueWanted(QString::fromStdString(values_->at(row).value));
    });
}

void CheckPage::connectTable() {
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (following_)
            return;
        const QScopedValueRollback guard(following_, true);
        std::vector<int> nodes;
        for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
            const diagnose::CheckRow& row = values_->at(shown_->mapToSource(index).row());
            nodes.insert(nodes.end(), row.nodes.begin(), row.nodes.end());
        }
        if (!nodes.empty())
            selection_->set(std::move(nodes));
    });
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit nodeWanted(values_->at(shown_->mapToSource(index).row()).node); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { show_->setEnabled(currentRow() >= 0); });
}

void CheckPage::setProvenance(std::shared_ptr<const inspect::Provenance> /*provenance*/) {
    setCheck(nullptr);
}

std::vector<PageAction> CheckPage::pageActions() const {
    return {{"values", check_, {Qt::Key_F8}},
            {"files", withFiles_, {}},
            {"folder", withFolder_, {}},
            {"elements", show_, {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_V)}}};
}

void CheckPage::askForFiles() {
    const QStringList files =
        views::askForFiles(this, tr("Values to compare with"), {}, tr("Tensors, named after values (*.npy *.pb)"));
    if (!files.isEmpty())
        setFiles(files);
}

void CheckPage::askForFolder() {
    const QString folder = views::askForFolder(this, tr("A folder of values to compare with"));
    if (!folder.isEmpty())
        setFiles({folder});
}

void CheckPage::setFiles(const QStringList& files) {
    files_ = files;
    against_->removeItem(Files);
    against_->addItem(nameOf(filesOf(files)));
    against_->setCurrentIndex(Files);
}

diagnose::CheckAgainst CheckPage::against() const {
    switch (against_->currentIndex()) {
    case Strict:
        return diagnose::AgainstNumerics{};
    case Files:
        return filesOf(files_);
    default:
        return diagnose::AgainstUnoptimized{};
    }
}

void CheckPage::setCheck(models::CheckPtr check) {
    values_->show(std::move(check));
    describe();
    const models::CheckPtr& shown = values_->check();
    const std::vector<int> first = values_->first();
    QStringList links;
    for (size_t i = 0; i < std::min(first.size(), mostLinks); ++i) {
        const diagnose::CheckRow& row = values_->at(first[i]);
        links << QStringLiteral("<a href=\"%1\">%2</a> (%3)")
                     .arg(QString::number(first[i]),
                          models::oneLine(row.value, models::longestNameInText).toHtmlEscaped(),
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
    show_->setEnabled(currentRow() >= 0);
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
    QString text = tr("%1 compared with %2 at %3: %4.")
                       .arg(models::counted(qint64(within + diverge), "value", "values"),
                            textOf(check->question.against), models::textOf(check->inputs.shapes),
                            diverge ? tr("%1, %2 within the tolerance")
                                          .arg(models::counted(qint64(diverge), "diverges", "diverge"),
                                               models::grouped(qint64(within)))
                                    : tr("all within the tolerance"));
    if (const size_t odd = check->countNotFinite())
        text += tr(" In %1 some elements are not finite on either side: nothing is known of these.")
                    .arg(models::counted(qint64(odd), "value", "values"));
    if (const size_t others = check->count(CheckState::NotCompared))
        text += tr(" %1 not compared, for the reasons in the table.").arg(models::counted(qint64(others), "is", "are"));
    if (check->nested)
        text += tr(" %1 in branches and loops left out.").arg(models::counted(qint64(check->nested), "is", "are"));
    summary_->setText(text);
}

int CheckPage::currentRow() const {
    const QModelIndex current = shown_->mapToSource(table_->currentIndex());
    return current.isValid() ? current.row() : -1;
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
    std::vector<int> rows;
    for (int row = 0; row < values_->rowCount(); ++row)
        if (selection_->contains(values_->at(row).node))
            if (const QModelIndex index = shown_->mapFromSource(values_->index(row, 0)); index.isValid())
                rows.push_back(index.row());
    selectRows(*table_, std::move(rows));
}

} // namespace lathe::views::check
