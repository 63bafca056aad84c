// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is selected: a set of model nodes, shared by all pages. Each page shows what that is at its own level and sets it
// when the user picks something there.
#pragma once

#include <QObject>
#include <vector>

namespace lathe::views::models {

class Selection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const std::vector<int>& nodes() const { return nodes_; }
    /// Sorted and made unique here; tells only when something changed.
    void set(std::vector<int> nodes);
    bool contains(int node) const;

signals:
    void changed();

private:
    std::vector<int> nodes_;
};

} // namespace lathe::views::models
