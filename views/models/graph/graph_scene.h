// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is shown of a graph: which of its groups are open, and the picture and places that follow from it. A small graph stays
// one picture, in which closed groups are single boxes. In a large one, or one of scopes, each open group is a frame around a
// picture of its own, laid out by itself, and once for all groups of the same structure.
#pragma once

#include "base/hash.h"
#include "base/result.h"
#include "views/models/graph/graph_layout.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace lathe::views::models {

/// A graph with more boxes than this is shown by groups.
inline constexpr int mostWhole = 400;

/// Which groups are open, by their numbers in the GroupTree; the whole graph always is.
using OpenGroups = std::vector<char>;

/// Whether open groups have frames.
bool isFramed(const GroupedGraph& grouped);
/// A small graph as a whole; of a large one the outermost groups, but open what holds more than half of all nodes: a box
/// "encoder" would be no overview.
OpenGroups startingGroups(const GroupedGraph& grouped);
/// How many boxes stand in the picture, without making it.
int countShown(const GroupedGraph& grouped, const OpenGroups& open);

struct GraphScene {
    GraphPicture picture;
    GraphLayout layout;
};

/// Does the work, which makes scenes; what it throws, be it for want of memory or by a bug, as a Diagnostic.
Result<void> guardedArranging(const std::function<void()>& work);

/// Layouts of groups, for those of the same structure; also remembers them from one scene to the next.
class SceneMaker {
public:
    explicit SceneMaker(GroupedGraphPtr grouped);
    ~SceneMaker();

    const GroupedGraph& grouped() const { return *grouped_; }
    GraphScene make(const OpenGroups& open);
    /// Of the last one: groups that were laid out, and not taken from others.
    int laidOut() const { return laidOut_; }

private:
    struct Level;
    struct Known;
    std::shared_ptr<const Level> levelOf(int group, const OpenGroups& open);
    void append(const Level& level, QPointF place, GraphScene& scene) const;
    GraphScene whole(const OpenGroups& open) const;

    GroupedGraphPtr grouped_;
    std::map<Hash128, Known> known_;
    std::map<int, GraphPicture> pictures_; // of groups, with all groups in them closed
    int laidOut_ = 0;
};

} // namespace lathe::views::models
