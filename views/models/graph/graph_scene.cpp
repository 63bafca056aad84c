// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/graph_scene.h"

#include "base/guarded.h"

#include <algorithm>

namespace lathe::views::models {

namespace {

bool isOpen(const OpenGroups& open, int group) {
    return group >= 0 && open[size_t(group)] != 0;
}

/// What stands in one picture if open groups have no frames.
std::vector<GroupChild> flattened(const GroupTree& tree, const OpenGroups& open) {
    std::vector<GroupChild> children, todo{{-1, 0}};
    while (!todo.empty()) {
        const GroupChild next = todo.back();
        todo.pop_back();
        if (!isOpen(open, next.group) && next.group != 0) {
            children.push_back(next);
            continue;
        }
        const auto& inside = tree.groups[size_t(next.group)].children;
        todo.insert(todo.end(), inside.rbegin(), inside.rend());
    }
    return children;
}

int shownNodes(const GroupedGraph& grouped) {
    return int(std::ranges::count(grouped.flow.hidden, 0));
}

/// Around what is in it. A scope may hold a single operator, and its name and figure still fit on its title.
QSizeF frameOf(const GroupedGraph& grouped, const GraphBox& box, const QSizeF& inside) {
    constexpr double letter = 8.8, signAndFigure = 165;
    const bool scope = grouped.style == GroupStyle::Scopes;
    return {std::max(inside.width(), scope ? letter * double(box.title.size()) + signAndFigure : 0),
            inside.height() + frameTitle};
}

/// A constant that no box beside it reads leads to the box of a reader, wherever that is.
void placeConstants(const GroupedGraph& grouped, GraphPicture& picture) {
    for (const FlowValue& value : grouped.flow.values) {
        if (value.node < 0 || !grouped.flow.hidden[size_t(value.node)] || value.readers.empty())
            continue;
        const auto reader = picture.boxOfNode.find(grouped.graph->nodes[size_t(value.readers.front())].id);
        if (reader != picture.boxOfNode.end())
            picture.boxOfNode.try_emplace(grouped.graph->nodes[size_t(value.node)].id, reader->second);
    }
}

} // namespace

bool isFramed(const GroupedGraph& grouped) {
    return grouped.tree.groups.size() > 1 && (grouped.style == GroupStyle::Scopes || shownNodes(grouped) > mostWhole);
}

OpenGroups startingGroups(const GroupedGraph& grouped) {
    const auto& groups = grouped.tree.groups;
    OpenGroups open(groups.size(), shownNodes(grouped) <= mostWhole || groups.size() == 1);
    open[0] = 1;
    for (size_t i = 1; i < groups.size(); ++i)
        if (open[size_t(groups[i].parent)] && 2 * groups[i].nodes > groups[0].nodes)
            open[i] = 1;
    return open;
}

int countShown(const GroupedGraph& grouped, const OpenGroups& open) {
    int count = 0;
    std::vector<int> todo{0};
    while (!todo.empty()) {
        const int group = todo.back();
        todo.pop_back();
        for (const GroupChild& child : grouped.tree.groups[size_t(group)].children) {
            count += child.group >= 0 || !grouped.flow.hidden[size_t(child.node)];
            if (isOpen(open, child.group))
                todo.push_back(child.group);
        }
    }
    return count;
}

/// One open group, or the whole graph: its children, and the levels of those that are open.
struct SceneMaker::Level {
    GraphPicture picture;
    GraphLayout layout;
    std::vector<std::pair<int, std::shared_ptr<const Level>>> open; // boxes and what is in them
    Hash128 key;                                                    // of the structure, and of what is open in it
};

/// Sizes and places that all levels with one key have.
struct SceneMaker::Known {
    std::vector<QSizeF> sizes, closedSizes;
    std::vector<std::pair<int, int>> arrows;
    GraphLayout layout;
};

Result<void> guardedArranging(const std::function<void()>& work) {
    return guarded([&]() -> Result<void> {
        work();
        return {};
    });
}

SceneMaker::SceneMaker(GroupedGraphPtr grouped) : grouped_(std::move(grouped)) {}
SceneMaker::~SceneMaker() = default;

std::shared_ptr<const SceneMaker::Level> SceneMaker::levelOf(int group, const OpenGroups& open) {
    const Group& value = grouped_->tree.groups[size_t(group)];
    auto level = std::make_shared<Level>();
    const auto [picture, added] = pictures_.try_emplace(group);
    if (added)
        picture->second = pictureOf(*grouped_, value.children, group == 0);
    level->picture = picture->second;
    Hasher hasher;
    hasher.add(value.structure);
    hasher.add(uint64_t(group == 0));
    for (size_t i = 0; i < level->picture.boxes.size(); ++i) {
        GraphBox& box = level->picture.boxes[i];
        hasher.add(uint64_t(box.lines.size() + box.reasonLines.size()));
        if (!isOpen(open, box.group))
            continue;
        const auto inside = levelOf(box.group, open);
        hasher.add(inside->key);
        box.open = true;
        box.size = frameOf(*grouped_, box, inside->layout.bounds.size());
        level->open.emplace_back(int(i), inside);
    }
    level->key = hasher.finish();

    std::vector<std::pair<int, int>> arrows;
    for (const GraphArrow& arrow : level->picture.arrows)
        arrows.emplace_back(arrow.from, arrow.to);
    const auto known = known_.find(level->key);
    if (known != known_.end() && known->second.arrows == arrows &&
        known->second.sizes.size() == level->picture.boxes.size()) {
        for (size_t i = 0; i < level->picture.boxes.size(); ++i) {
            level->picture.boxes[i].size = known->second.sizes[i];
            level->picture.boxes[i].closedSize = known->second.closedSizes[i];
        }
        level->layout = known->second.layout;
        return level;
    }
    level->layout = layeredLayout(level->picture, true);
    ++laidOut_;
    Known fresh{{}, {}, std::move(arrows), level->layout};
    for (const GraphBox& box : level->picture.boxes) {
        fresh.sizes.push_back(box.size);
        fresh.closedSizes.push_back(box.closedSize);
    }
    known_.insert_or_assign(level->key, std::move(fresh));
    return level;
}

void SceneMaker::append(const Level& level, QPointF place, GraphScene& scene) const {
    GraphPicture& picture = scene.picture;
    GraphLayout& layout = scene.layout;
    const size_t firstArrow = picture.arrows.size();
    picture.arrows.insert(picture.arrows.end(), level.picture.arrows.begin(), level.picture.arrows.end());
    for (std::vector<QPointF> path : level.layout.paths) {
        for (QPointF& point : path)
            point += place;
        layout.paths.push_back(std::move(path));
    }
    std::vector<int> indexOf;
    auto inside = level.open.begin();
    for (size_t i = 0; i < level.picture.boxes.size(); ++i) {
        const int index = int(picture.boxes.size());
        indexOf.push_back(index);
        picture.boxes.push_back(level.picture.boxes[i]);
        layout.centers.push_back(level.layout.centers[i] + place);
        if (inside != level.open.end() && inside->first == int(i)) {
            const Level& inner = *inside->second;
            const QSizeF size = picture.boxes.back().size;
            const QPointF corner = layout.centers.back() - QPointF(size.width(), size.height()) / 2;
            const int arrows = int(picture.arrows.size());
            const QPointF margin((size.width() - inner.layout.bounds.width()) / 2, frameTitle);
            append(inner, corner + margin - inner.layout.bounds.topLeft(), scene);
            GraphBox& frame = picture.boxes[size_t(index)];
            frame.firstArrow = arrows;
            frame.ownArrows = int(inner.picture.arrows.size());
            frame.lastArrow = int(picture.arrows.size());
            ++inside;
        }
        picture.boxes[size_t(index)].lastBox = int(picture.boxes.size());
    }
    for (size_t i = firstArrow; i < firstArrow + level.picture.arrows.size(); ++i) {
        picture.arrows[i].from = indexOf[size_t(picture.arrows[i].from)];
        picture.arrows[i].to = indexOf[size_t(picture.arrows[i].to)];
    }
    for (const auto& [node, box] : level.picture.boxOfNode)
        if (!level.picture.boxes[size_t(box)].open)
            picture.boxOfNode[node] = indexOf[size_t(box)];
}

GraphScene SceneMaker::whole(const OpenGroups& open) const {
    GraphScene scene;
    scene.picture = pictureOf(*grouped_, flattened(grouped_->tree, open), true);
    scene.layout = layeredLayout(scene.picture);
    return scene;
}

GraphScene SceneMaker::make(const OpenGroups& open) {
    laidOut_ = 0;
    GraphScene scene;
    if (isFramed(*grouped_)) {
        const auto level = levelOf(0, open);
        scene.picture.name = level->picture.name;
        scene.picture.ownArrows = level->picture.ownArrows;
        append(*level, {}, scene);
        scene.layout.bounds = level->layout.bounds;
        scene.layout.engine = level->layout.engine;
    } else {
        scene = whole(open);
    }
    placeConstants(*grouped_, scene.picture);
    return scene;
}

} // namespace lathe::views::models
