// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two compilations of the model beside each other, as they ran by turns: which is faster, by how much, whether that is more
// than the noise, and where it comes from.
#pragma once

#include "views/models/profile/profile_change_model.h"
#include "views/models/window/selection.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace lathe::views::profile {

class ChangePanel : public QWidget {
    Q_OBJECT

public:
    explicit ChangePanel(models::Selection* selection);

    /// What is different, as the user says it: "no decisions", "2 pairs apart". Empty profiles: nothing was compared.
    void setProfiles(const inspect::Profile& before, const inspect::Profile& after, const QString& beforeName = {},
                     const QString& afterName = {});
    const models::ProfileChangeModel* model() const { return changes_; }

signals:
    void nodeWanted(int node);

private:
    models::ProfileChangeModel* changes_;
    QSortFilterProxyModel* sorted_;
    QTableView* table_;
    QLabel* summary_;
};

} // namespace lathe::views::profile
