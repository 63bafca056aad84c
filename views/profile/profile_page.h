// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Profile: time of each fused function of the last run, its share as a bar, and the rates it reached.
#pragma once

#include "views/models/profile_model.h"
#include "views/models/selection.h"
#include "views/page/page.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace lathe::views::profile {

class ProfilePage : public Page {
    Q_OBJECT

public:
    explicit ProfilePage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const driver::Provenance> provenance) override;
    void setProfile(const driver::Profile& profile) override;
    const models::ProfileModel* model() const { return profile_; }

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
