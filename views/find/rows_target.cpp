// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/find/rows_target.h"

#include "views/models/text/counted.h"
#include "views/page/row_delegate.h"

#include <QAbstractItemView>
#include <algorithm>

namespace lathe::views::find {

namespace {

/// The numbers of a row and of those around it, from outside: rows stand in the order of these.
std::vector<int> pathOf(QModelIndex index) {
    std::vector<int> path;
    for (; index.isValid(); index = index.parent())
        path.push_back(index.row());
    std::ranges::reverse(path);
    return path;
}

/// The one below, as a tree shows them when all is open.
QModelIndex rowAfter(const QModelIndex& row) {
    const QAbstractItemModel& model = *row.model();
    if (model.rowCount(row) > 0)
        return model.index(0, 0, row);
    for (QModelIndex at = row; at.isValid(); at = at.parent())
        if (at.row() + 1 < model.rowCount(at.parent()))
            return at.siblingAtRow(at.row() + 1);
    return {};
}

} // namespace

RowsTarget::RowsTarget(QAbstractItemView* view) : view_(view) {
    using Model = QAbstractItemModel;
    const Model* model = view_->model();
    connect(model, &Model::modelReset, this, &Target::changed);
    connect(model, &Model::layoutChanged, this, &Target::changed);
    connect(model, &Model::rowsInserted, this, &Target::changed);
    connect(model, &Model::rowsRemoved, this, &Target::changed);
    connect(model, &Model::rowsMoved, this, &Target::changed);
    connect(model, &Model::dataChanged, this, &Target::changed);
}

void RowsTarget::seek(const Wanted& wanted) {
    rows_.clear();
    words_ = models::SoughtWords(wanted.text, wanted.letters);
    next_ = words_.isEmpty() ? QModelIndex() : view_->model()->index(0, 0, view_->rootIndex());
    markSought(*view_, words_);
}

bool RowsTarget::lookOn() {
    if (!next_.isValid() || rows_.size() >= mostFound)
        return false;
    QString text;
    for (int column = 0; column < next_.model()->columnCount(next_.parent()); ++column)
        text += next_.siblingAtColumn(column).data().toString() + '\n';
    if (next_.flags().testFlag(Qt::ItemIsEnabled) && words_.allIn(text)) // others cannot become current
        rows_.push_back(next_);
    next_ = rowAfter(next_);
    return true;
}

QString RowsTarget::counted() const {
    return models::counted(qint64(rows_.size()), "row", "rows");
}

size_t RowsTarget::from() const {
    return size_t(std::ranges::lower_bound(rows_, pathOf(view_->currentIndex()), {}, pathOf) - rows_.begin());
}

int RowsTarget::at() const {
    const size_t row = from();
    const QModelIndex current = view_->currentIndex();
    // With the focus the first row becomes current, and is no place that anybody went to.
    const bool there =
        row < rows_.size() && rows_[row] == current.siblingAtColumn(0) && view_->selectionModel()->isSelected(current);
    return there ? int(row) : -1;
}

void RowsTarget::go(size_t place) {
    const QModelIndex found = rows_[place]; // whoever follows the selection may change the rows
    view_->setCurrentIndex(found.siblingAtColumn(std::max(0, view_->currentIndex().column())));
    view_->scrollTo(view_->currentIndex());
}

std::vector<QWidget*> RowsTarget::widgets() const {
    return {view_};
}

QWidget* RowsTarget::home() const {
    return view_;
}

QString RowsTarget::name() const {
    return view_->accessibleName();
}

} // namespace lathe::views::find
