// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/selection.h"

#include <algorithm>

namespace lathe::views::models {

void Selection::set(std::vector<int> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes == nodes_)
        return;
    nodes_ = std::move(nodes);
    emit changed();
}

bool Selection::contains(int node) const {
    return std::binary_search(nodes_.begin(), nodes_.end(), node);
}

} // namespace lathe::views::models
