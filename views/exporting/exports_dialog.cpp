// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/exporting/exports_dialog.h"

#include "views/exporting/open_folder.h"
#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/shown_path.h"
#include "views/page/table.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <ranges>

namespace lathe::views::exporting {

using models::ExportListModel;

namespace {

QString nameOf(const models::KeptExport& each) {
    return models::oneLine(QStringLiteral("%1 %2").arg(each.request.name, each.request.version),
                           models::longestNameInText);
}

} // namespace

ExportsDialog::ExportsDialog(ExportListModel& exports, QString model, QWidget* parent)
    : QDialog(parent), exports_(exports), model_(std::move(model)), changes_(new models::ExportChangeModel(this)),
      table_(new QTableView), comparison_(new QTableView), hint_(new QLabel), compared_(new QLabel),
      open_(new QPushButton(tr("&Open the folder"))), copy_(new QPushButton(tr("Copy the co&mmand"))),
      repeat_(new QPushButton(tr("&Repeat…"))), compare_(new QPushButton(tr("&Compare"))),
      remove_(new QPushButton(tr("Re&move"))) {
    setObjectName("exports");
    setWindowTitle(tr("Exports"));
    resize(QSize(940, 520).boundedTo(screen()->availableSize() * 9 / 10));
    for (QLabel* label : {hint_, compared_}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    hint_->setObjectName("hint");
    compared_->setObjectName("compared");
    exports_.look();
    setUpTable(*table_, exports_);
    table_->setObjectName("list");
    table_->setAccessibleName(tr("Exports of this model, the newest first"));
    table_->setFrameShape(QFrame::StyledPanel);
    table_->resizeColumnsToContents();
    setUpTable(*comparison_, *changes_);
    comparison_->setObjectName("changes");
    comparison_->setAccessibleName(tr("What is different"));
    comparison_->setFrameShape(QFrame::StyledPanel);
    auto buttons = new QHBoxLayout;
    for (const auto& [button, name] :
         {std::pair{open_, "open"}, {copy_, "copy"}, {repeat_, "repeat"}, {compare_, "compare"}, {remove_, "remove"}}) {
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false); // Enter in the list is the list's
        buttons->addWidget(button);
    }
    buttons->addStretch();
    auto close = new QPushButton(tr("C&lose"));
    close->setAutoDefault(false);
    buttons->addWidget(close);
    auto layout = new QVBoxLayout(this);
    layout->addWidget(hint_);
    layout->addWidget(table_, 2);
    layout->addWidget(compared_);
    layout->addWidget(comparison_, 3);
    layout->addLayout(buttons);
    compare_->setToolTip(tr("What is different between two that are selected"));
    remove_->setToolTip(tr("Off this list; the bundle stays where it is (Del)"));
    copy_->setToolTip(tr("The command that makes the same bundle (Ctrl+Shift+C)"));

    connect(open_, &QPushButton::clicked, this, &ExportsDialog::openPlace);
    connect(copy_, &QPushButton::clicked, this, &ExportsDialog::copyCommand);
    connect(compare_, &QPushButton::clicked, this, &ExportsDialog::compare);
    connect(remove_, &QPushButton::clicked, this, &ExportsDialog::remove);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(repeat_, &QPushButton::clicked, this, [this] {
        if (const QList<int> chosen = rows(); chosen.size() == 1)
            emit repeatWanted(chosen.front());
    });
    connect(table_, &QTableView::activated, this, &ExportsDialog::openPlace);
    connect(new QShortcut(QKeySequence::Delete, table_, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated,
            this, &ExportsDialog::remove);
    connect(new QShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_C, table_, nullptr, nullptr, Qt::WidgetShortcut),
            &QShortcut::activated, this, &ExportsDialog::copyCommand);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ExportsDialog::allow);
    if (exports_.rowCount() > 0)
        table_->setCurrentIndex(exports_.index(0, 0));
    comparison_->hide();
    allow();
}

QList<int> ExportsDialog::rows() const {
    QList<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        rows << index.row();
    std::ranges::sort(rows);
    return rows;
}

void ExportsDialog::allow() {
    const qsizetype chosen = rows().size();
    for (QPushButton* button : {open_, copy_, repeat_})
        button->setEnabled(chosen == 1);
    compare_->setEnabled(chosen == 2);
    remove_->setEnabled(chosen > 0);
    hint_->setText(exports_.rowCount() == 0
                       ? tr("Nothing was exported of this model yet: File › Export (Ctrl+E).")
                       : tr("%1 of this model, the newest first. Two that are selected can be compared.")
                             .arg(models::counted(exports_.rowCount(), "export", "exports")));
}

void ExportsDialog::openPlace() {
    if (const QList<int> chosen = rows(); chosen.size() == 1 && !openFolder(exports_.at(chosen.front()).end.out))
        hint_->setText(tr("There is no folder %1 any more.")
                           .arg(models::oneLine(models::shownPath(exports_.at(chosen.front()).end.out))));
}

void ExportsDialog::copyCommand() {
    const QList<int> chosen = rows();
    if (chosen.size() != 1)
        return;
    const models::KeptExport& each = exports_.at(chosen.front());
    QGuiApplication::clipboard()->setText(models::commandOf(each.request, model_, each.settings));
    hint_->setText(tr("The command is copied."));
}

void ExportsDialog::compareNewest() {
    if (exports_.rowCount() < 2)
        return;
    selectRows(*table_, {0, 1});
    compare();
}

void ExportsDialog::compare() {
    const QList<int> chosen = rows();
    if (chosen.size() != 2)
        return;
    const int before = chosen[1], after = chosen[0]; // the newest first
    before_ = exports_.at(before);
    after_ = exports_.at(after);
    comparison_->show();
    const auto there = ExportListModel::Whereabouts::There;
    if (exports_.whereabouts(before) != there || exports_.whereabouts(after) != there)
        return showFindings({}, tr("one of the two is not there any more"));
    compared_->setText(tr("Reading both"));
    changes_->clear();
    emit findingsWanted(before, after);
}

void ExportsDialog::showFindings(const models::BundleFindings& findings, const QString& problem) {
    QString why = problem;
    if (why.isEmpty() && (findings.beforeId != before_.end.id || findings.afterId != after_.end.id))
        why = tr("another bundle lies there now");
    const QList<models::ExportChange> changes = why.isEmpty() ? findings.changes : changedChoices(before_, after_);
    changes_->show(before_.end, after_.end, changes);
    const QString pair = tr("%1 before, %2 after").arg(nameOf(before_), nameOf(after_));
    compared_->setText(why.isEmpty()
                           ? changes.isEmpty()
                                 ? tr("%1: the same bundle.").arg(pair)
                                 : tr("%1: %2.").arg(pair, models::counted(changes.size(), "difference", "differences"))
                           : tr("%1: figures and choices alone, %2.").arg(pair, models::oneLine(why)));
    comparison_->resizeColumnsToContents();
    for (int column = 0; column < comparison_->horizontalHeader()->count(); ++column)
        comparison_->setColumnWidth(column, std::min(comparison_->columnWidth(column), 320));
}

void ExportsDialog::remove() {
    QList<int> chosen = rows();
    if (chosen.isEmpty())
        return;
    const int next = chosen.front();
    for (const int row : chosen | std::views::reverse)
        exports_.remove(row);
    if (exports_.rowCount() > 0)
        table_->setCurrentIndex(exports_.index(std::min(next, exports_.rowCount() - 1), 0));
    comparison_->hide();
    compared_->clear();
    changes_->clear();
    allow();
}

void ExportsDialog::keyPressEvent(QKeyEvent* event) {
    if (table_->hasFocus() && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
        return; // the list has taken it
    QDialog::keyPressEvent(event);
}

} // namespace lathe::views::exporting
