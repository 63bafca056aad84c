// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/feature_model.h"

#include "tune/features.h"
#include "views/models/text/counted.h"

#include <QFont>
#include <algorithm>
#include <map>

namespace lathe::views::models {
namespace {

std::string groupOf(std::string_view name) {
    std::string group(name.substr(0, name.find('.')));
    while (!group.empty() && group.back() >= '0' && group.back() <= '9')
        group.pop_back();
    return group;
}

QString meaningOf(const std::string& group) {
    const std::pair<const char*, QString> meanings[] = {
        {"prior", FeatureModel::tr("what the estimate expects")},
        {"all", FeatureModel::tr("the whole kernel: operations, bytes, traffic")},
        {"main", FeatureModel::tr("operations of the nest that takes most")},
        {"loops", FeatureModel::tr("its loops: serial, parallel, vectors, unrolled")},
        {"accumulates", FeatureModel::tr("whether it adds to what it writes")},
        {"written", FeatureModel::tr("what it writes: bytes, lines, strides, reuse")},
        {"read", FeatureModel::tr("what it reads: bytes, lines, strides, reuse")},
        {"intensity", FeatureModel::tr("operations for each byte, by depth of loops")},
        {"asked", FeatureModel::tr("what it asks of the machine: registers, vectors, caches, threads")}};
    for (const auto& [name, meaning] : meanings)
        if (group == name)
            return meaning;
    return {};
}

} // namespace

std::vector<FeatureShare> featureShares(std::span<const std::string> names, std::span<const double> shares) {
    std::map<std::string, std::vector<FeatureShare>> groups;
    for (size_t i = 0; i < std::min(names.size(), shares.size()); ++i)
        if (shares[i] > 0)
            groups[groupOf(names[i])].push_back({groupOf(names[i]), names[i], shares[i], 0});
    std::vector<FeatureShare> heads;
    for (auto& [group, features] : groups) {
        FeatureShare head{group, "", 0, features.size()};
        for (const FeatureShare& each : features)
            head.share += each.share;
        heads.push_back(head);
        std::ranges::stable_sort(features, std::ranges::greater(), &FeatureShare::share);
    }
    std::ranges::stable_sort(heads, std::ranges::greater(), &FeatureShare::share);
    std::vector<FeatureShare> result;
    for (const FeatureShare& head : heads) {
        result.push_back(head);
        std::ranges::copy(groups[head.group], std::back_inserter(result));
    }
    return result;
}

std::vector<FeatureShare> featureShares(std::span<const double> shares) {
    return featureShares(tune::featureNames(), shares);
}

void FeatureModel::show(std::vector<FeatureShare> shares) {
    beginResetModel();
    shares_ = std::move(shares);
    endResetModel();
}

int FeatureModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shares_.size());
}

int FeatureModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant FeatureModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= shares_.size())
        return {};
    const FeatureShare& share = shares_[size_t(index.row())];
    const bool isGroup = share.feature.empty();
    if (role == shareRole && index.column() == Share)
        return share.share > 0 ? share.share / std::ranges::max(shares_, {}, &FeatureShare::share).share : 0;
    if (role == Qt::FontRole && isGroup) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Name:
        return isGroup ? QString::fromStdString(share.group)
                       : QStringLiteral("    ") + QString::fromStdString(share.feature);
    case Means:
        return isGroup ? meaningOf(share.group) +
                             QStringLiteral(" (%1)").arg(counted(qint64(share.features), "feature", "features"))
                       : QString();
    case Share:
        return tr("%1 %").arg(100 * share.share, 0, 'f', 1);
    }
    return {};
}

QVariant FeatureModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columns)
        return {};
    const QString names[] = {tr("Feature"), tr("What it says"), tr("Share of the gain")};
    return names[section];
}

} // namespace lathe::views::models
