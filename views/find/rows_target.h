// SPDX-License-Identifier: GPL-3.0-or-later
//
// A table, list or tree as the find bar searches it: a place is a row that has all the words, in whichever of its cells. No row
// goes away, so that what was found is seen among its neighbours, and a tree opens as far as it must.
#pragma once

#include "views/find/target.h"
#include "views/models/text/sought_words.h"

#include <QModelIndex>

class QAbstractItemView;

namespace lathe::views::find {

class RowsTarget : public Target {
    Q_OBJECT

public:
    explicit RowsTarget(QAbstractItemView* view);

    void seek(const Wanted& wanted) override;
    bool lookOn() override;
    size_t count() const override { return rows_.size(); }
    QString counted() const override;
    int at() const override;
    size_t from() const override;
    void go(size_t place) override;
    std::vector<QWidget*> widgets() const override;
    QWidget* home() const override;
    QString name() const override;

private:
    QAbstractItemView* view_;
    models::SoughtWords words_;
    std::vector<QModelIndex> rows_; // in their first columns
    QModelIndex next_;              // that is looked at next
};

} // namespace lathe::views::find
