// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Profile: time of each fused function of the last run, its share as a bar, and the rates it reached.
#pragma once

#include "views/models/profile_model.h"
#include "views/models/selection.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace lathe::views::profile {

class ProfilePage : public QWidget {
    Q_OBJECT

public:
    ProfilePage(models::Selection* selection, QWidget* parent = nullptr);

    void setProfile(driver::Profile profile);
    const models::ProfileModel* model() const { return profile_; }

signals:
    /// The user wants to see where in the graph this node is.
    void nodeWanted(int node);

private:
    /// The rows of the selection become the table's.
    void follow();

    models::Selection* selection_;
    models::ProfileModel* profile_;
    QSortFilterProxyModel* sorted_;
    QTableView* table_;
    QLabel* summary_;
    bool following_ = false; // the table and the selection are being made one
};

} // namespace lathe::views::profile
