// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the cost model goes by: each feature with its share of what all splits of the trees brought (tune::CostModel), the
// features of a group after the group, which has their sum; the greatest first. Features that no tree asks about are left out.
#pragma once

#include <QAbstractTableModel>
#include <span>
#include <string>
#include <vector>

namespace lathe::views::models {

struct FeatureShare {
    std::string group, feature; // no feature: the group
    double share = 0;
    size_t features = 0; // of a group
};

/// `names` and `shares` by column. The group is a name's part before the point, without a number: "read" of "read2.lines".
std::vector<FeatureShare> featureShares(std::span<const std::string> names, std::span<const double> shares);

/// Of the features that the tuner's models learn from (tune::featureNames).
std::vector<FeatureShare> featureShares(std::span<const double> shares);

class FeatureModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Means, Share, columns };
    static constexpr int shareRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void show(std::vector<FeatureShare> shares);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<FeatureShare> shares_;
};

} // namespace lathe::views::models
