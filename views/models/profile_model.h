// SPDX-License-Identifier: GPL-3.0-or-later
//
// The profile of a run: time for each fused function, its share, and the rates it reached.
#pragma once

#include <QAbstractTableModel>
#include <vector>

namespace lathe::views::models {

struct ProfileRow {
    QString function, kernel;
    QString nodes;          // names, for people
    std::vector<int> spans; // model nodes
    double ms = 0;          // mean of one run
    double flops = 0, bytes = 0;
    double share = 0; // 0 … 1; set by withShares

    double gflops() const { return ms > 0 ? flops / ms / 1e6 : 0; }
    double gbs() const { return ms > 0 ? bytes / ms / 1e6 : 0; }
};

struct Profile {
    std::vector<ProfileRow> rows;
    double medianMs = 0; // of the whole run
    int runs = 0, threads = 0;
};

/// Shares of the sum of all rows, the slowest first.
Profile withShares(Profile profile);

class ProfileModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Function, Time, Share, Gflops, Gbs, Nodes, columns };
    static constexpr int sortRole = Qt::UserRole + 1;
    using QAbstractTableModel::QAbstractTableModel;

    void show(Profile profile);
    const Profile& profile() const { return profile_; }
    const ProfileRow& at(int row) const { return profile_.rows[row]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Profile profile_;
};

} // namespace lathe::views::models
