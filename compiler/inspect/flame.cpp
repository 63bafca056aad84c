// SPDX-License-Identifier: Apache-2.0
#include "inspect/flame.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

namespace lathe::inspect {

namespace {

/// Positions in the graph by node id: of a node in a branch or a loop, that of the node around it; -1: elsewhere.
std::vector<int> positionsOf(const graph::GroupedGraph& grouped) {
    std::vector<int> positions(size_t(grouped.model->nodeCount), -1);
    for (size_t i = 0; i < grouped.graph->nodes.size(); ++i) {
        std::vector<const model::Node*> todo{&grouped.graph->nodes[i]};
        while (!todo.empty()) {
            const model::Node* node = todo.back();
            todo.pop_back();
            positions[size_t(node->id)] = int(i);
            for (const auto& graph : model::graphsOf(*node)) // it lives on in the node's attribute
                for (const model::Node& inner : graph->nodes)
                    todo.push_back(&inner);
        }
    }
    return positions;
}

class FlameMaker {
public:
    FlameMaker(const Profile& profile, const graph::GroupedGraph& grouped)
        : profile_(profile), grouped_(grouped), positions_(positionsOf(grouped)) {
        flame_.medianMs = profile.medianMs;
        flame_.runs = profile.runs;
    }

    Flame make() {
        if (profile_.rows.empty())
            return {};
        boxOfGroup(0);
        std::vector<size_t> rows(profile_.rows.size());
        std::iota(rows.begin(), rows.end(), size_t{0});
        std::ranges::sort(rows, {}, [&](size_t row) { return profile_.rows[row].call; });
        for (const size_t row : rows)
            addFunction(profile_.rows[row]);
        for (size_t i = flame_.boxes.size(); i-- > 1;) { // children come after their parents
            FlameBox& parent = flame_.boxes[size_t(flame_.boxes[i].parent)];
            parent.ms += flame_.boxes[i].ms;
            parent.calls += flame_.boxes[i].calls;
        }
        for (FlameBox& box : flame_.boxes) {
            double start = box.start;
            for (const int child : box.children) {
                flame_.boxes[size_t(child)].start = start;
                start += flame_.boxes[size_t(child)].ms;
            }
        }
        return std::move(flame_);
    }

private:
    int add(FlameBox box) {
        const int index = int(flame_.boxes.size());
        if (box.parent >= 0) {
            FlameBox& parent = flame_.boxes[size_t(box.parent)];
            box.depth = parent.depth + 1;
            parent.children.push_back(index);
        }
        flame_.boxes.push_back(std::move(box));
        return index;
    }

    int boxOfGroup(int group) {
        if (const auto known = boxes_.find(group); known != boxes_.end())
            return known->second;
        const graph::Group& value = grouped_.tree.groups[size_t(group)];
        FlameBox box;
        box.name = group > 0 ? value.name : std::filesystem::path(grouped_.model->file).filename().string();
        box.parent = value.parent < 0 ? -1 : boxOfGroup(value.parent);
        for (const int position : grouped_.tree.nodesOf(group))
            box.nodes.push_back(grouped_.graph->nodes[size_t(position)].id);
        std::ranges::sort(box.nodes);
        return boxes_[group] = add(std::move(box));
    }

    void addFunction(const ProfileRow& row) {
        FlameBox box;
        box.name = row.function;
        const int position = row.home < 0 ? -1 : positions_[size_t(row.home)];
        box.parent = boxOfGroup(position < 0 ? 0 : grouped_.tree.groupOfNode[size_t(position)]);
        box.ms = row.ms;
        box.calls = 1;
        box.nodes.assign(row.nodes.begin(), row.nodes.end());
        std::ranges::sort(box.nodes);
        box.call = row.call;
        add(std::move(box));
    }

    const Profile& profile_;
    const graph::GroupedGraph& grouped_;
    const std::vector<int> positions_;
    std::map<int, int> boxes_; // by group
    Flame flame_;
};

} // namespace

int Flame::depth() const {
    int deepest = -1;
    for (const FlameBox& box : boxes)
        deepest = std::max(deepest, box.depth);
    return deepest + 1;
}

Flame flameOf(const Profile& profile, const graph::GroupedGraph& grouped) {
    return FlameMaker(profile, grouped).make();
}

} // namespace lathe::inspect
