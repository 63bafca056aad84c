// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_groups.h"

#include "graph/graph_blocks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <unordered_map>

namespace lathe::graph {

namespace {

constexpr size_t deepestScope = 24;
/// A group with fewer nodes is no shorter to read as a box of its own.
constexpr int fewestNodes = 4;

using Pieces = std::vector<std::string_view>;

Pieces piecesOf(std::string_view name, char separator) {
    Pieces pieces;
    for (size_t begin = 0; begin <= name.size();) {
        const size_t end = std::min(name.find(separator, begin), name.size());
        if (end > begin)
            pieces.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    return pieces;
}

/// What separates scopes in the names of most nodes; 0: nothing does.
char separatorOf(const model::Graph& graph) {
    for (const char separator : {'/', '.'}) {
        size_t with = 0;
        for (const model::Node& node : graph.nodes)
            with += piecesOf(node.name, separator).size() > 1;
        if (2 * with > graph.nodes.size())
            return separator;
    }
    return 0;
}

/// Whether the node's name begins with its scope, as those of functions in place of their calls do: then the name says all.
bool namesItsScope(const model::Node& node, char separator) {
    std::string_view rest = node.name;
    for (const std::string& part : node.scope) {
        if (!rest.starts_with(part) || rest.size() <= part.size() || rest[part.size()] != separator)
            return false;
        rest.remove_prefix(part.size() + 1);
    }
    return true;
}

class TreeMaker {
public:
    TreeMaker(const model::Graph& graph, const GraphFlow& flow, GroupStyle style)
        : graph_(graph), flow_(flow), style_(style), place_(graph.nodes.size()), level_(graph.nodes.size()) {}

    GroupTree make() {
        addGroup({}, -1);
        addScopes();
        simplify();
        labelNodes();
        countNodes();
        const bool flat = groups_.size() == 1 && style_ == GroupStyle::Overview;
        // Inner groups first: the structure of what stands in a level says what repeats there.
        for (int group = int(groups_.size()) - 1; group >= 0; --group)
            finish(group, flat);
        return inOrder();
    }

private:
    int addGroup(std::string name, int parent) {
        groups_.emplace_back();
        groups_.back().name = std::move(name);
        groups_.back().parent = parent;
        return int(groups_.size()) - 1;
    }

    void addScopes() {
        const char separator = style_ == GroupStyle::Overview ? separatorOf(graph_) : 0;
        // Exporters write constants wherever they like; they stand with what reads them first.
        std::vector<std::vector<int>> constants(graph_.nodes.size());
        std::vector<char> placed(graph_.nodes.size());
        for (const FlowValue& value : flow_.values)
            if (isConstant(value)) {
                constants[size_t(value.readers.front())].push_back(value.node);
                placed[size_t(value.node)] = 1;
            }
        std::map<std::pair<int, std::string_view>, int> known;
        for (size_t i = 0; i < graph_.nodes.size(); ++i) {
            if (placed[i])
                continue;
            int group = 0;
            for (const std::string_view piece : scopeOf(graph_.nodes[i], separator)) {
                const auto [found, added] = known.try_emplace({group, piece}, 0);
                if (added) {
                    found->second = addGroup(std::string(piece), group);
                    groups_[size_t(group)].children.push_back({-1, found->second});
                }
                group = found->second;
            }
            for (const int constant : constants[i])
                groups_[size_t(group)].children.push_back({constant, -1});
            groups_[size_t(group)].children.push_back({int(i), -1});
        }
    }

    bool isConstant(const FlowValue& value) const {
        return value.node >= 0 && flow_.hidden[size_t(value.node)] && !value.readers.empty();
    }

    static Pieces scopeOf(const model::Node& node, char separator) {
        Pieces scope(node.scope.begin(), node.scope.end());
        if (separator) {
            const Pieces pieces = piecesOf(node.name, separator);
            if (namesItsScope(node, separator))
                scope.clear();
            if (!pieces.empty())
                scope.insert(scope.end(), pieces.begin(), pieces.end() - 1);
        }
        scope.resize(std::min(scope.size(), deepestScope));
        return scope;
    }

    /// Takes away groups of a few nodes, and those that hold nothing but one other group.
    void simplify() {
        if (style_ == GroupStyle::Scopes)
            return;
        countNodes();
        for (size_t i = groups_.size(); i-- > 0;) {
            Group& group = groups_[i];
            std::vector<GroupChild> children;
            for (const GroupChild& child : group.children) {
                if (child.group < 0 || groups_[size_t(child.group)].nodes >= fewestNodes) {
                    children.push_back(child);
                    continue;
                }
                std::ranges::copy(groups_[size_t(child.group)].children, std::back_inserter(children));
                groups_[size_t(child.group)].children.clear();
            }
            group.children = std::move(children);
            if (group.children.size() != 1 || group.children[0].group < 0)
                continue;
            Group& only = groups_[size_t(group.children[0].group)];
            if (only.name.starts_with(group.name)) // "layer1" / "layer1.0"
                group.name = only.name;
            else if (i > 0)
                group.name += '/' + only.name;
            group.children = std::move(only.children);
        }
    }

    void countNodes() {
        for (size_t i = groups_.size(); i-- > 0;) {
            groups_[i].nodes = 0;
            for (const GroupChild& child : groups_[i].children)
                groups_[i].nodes += child.group < 0 ? 1 : groups_[size_t(child.group)].nodes;
        }
    }

    /// Children of a group that are nodes, in long rows: what comes before the first layer would hide the layers.
    std::vector<Range> stretchesOf(int group) const {
        constexpr int shortest = 40;
        std::vector<Range> stretches;
        const std::vector<GroupChild>& children = groups_[size_t(group)].children;
        const int count = int(children.size());
        for (int i = 0; i < count; ++i) {
            const int begin = i;
            while (i < count && children[size_t(i)].group < 0)
                ++i;
            if (i - begin >= shortest)
                stretches.push_back({begin, i});
        }
        return stretches;
    }

    void setPlace(int node, int place) {
        place_[size_t(node)] = place;
        level_[size_t(node)] = current_;
    }
    int placeOf(int node) const { return level_[size_t(node)] == current_ ? place_[size_t(node)] : -1; }

    void labelNodes() {
        std::unordered_map<std::string_view, uint64_t> operators;
        for (size_t i = 0; i < graph_.nodes.size(); ++i) {
            const uint64_t number = operators.try_emplace(graph_.nodes[i].op, operators.size()).first->second;
            labels_.push_back(number << 24 | uint64_t(flow_.reads[i].size() & 0xfff) << 12 |
                              uint64_t(flow_.writes[i].size() & 0xfff));
        }
    }

    void finish(int group, bool flat) {
        const auto size = [&] { return int(groups_[size_t(group)].children.size()); };
        if (flat || size() > mostChildren) {
            const std::vector<Range> blocks = repeatedBlocks(sequenceOf(group));
            divide(group, blocks, "block");
            if (!blocks.empty())
                divide(group, stretchesOf(group), "part");
        }
        while (size() > mostChildren)
            divide(group, partsOf(sequenceOf(group), mostChildren), "part");
        groups_[size_t(group)].structure = structureOf(group);
    }

    static int costOf(const FlowValue& value) { return 4 * hubReaders - value.readerCount(); }

    Sequence sequenceOf(int group) {
        const std::vector<GroupChild>& children = groups_[size_t(group)].children;
        Sequence sequence;
        std::vector<int> change(children.size() + 1);
        ++current_;
        for (size_t i = 0; i < children.size(); ++i) {
            const GroupChild& child = children[i];
            sequence.labels.push_back(child.group < 0 ? labels_[size_t(child.node)]
                                                      : groups_[size_t(child.group)].structure.low);
            eachNode(child, [&](int node) { setPlace(node, int(i)); });
        }
        for (const FlowValue& value : flow_.values) {
            if (value.source != FlowValue::Source::Node || value.readerCount() > hubReaders)
                continue;
            const int from = placeOf(value.node);
            int to = -1;
            for (const int reader : value.readers)
                to = std::max(to, placeOf(reader));
            if (from >= 0 && to > from)
                change[size_t(from) + 1] += costOf(value), change[size_t(to) + 1] -= costOf(value);
        }
        int cost = 0;
        for (const int each : change)
            sequence.cost.push_back(cost += each);
        return sequence;
    }

    /// Makes groups of ranges of a group's children, "block 1" and so on. Of groups, they are called by the first and the last.
    void divide(int group, const std::vector<Range>& ranges, std::string_view name) {
        if (ranges.empty())
            return;
        const std::vector<GroupChild> before = std::move(groups_[size_t(group)].children);
        std::vector<GroupChild> after;
        int at = 0, number = 0;
        for (const Range& range : ranges) {
            after.insert(after.end(), before.begin() + at, before.begin() + range.begin);
            at = range.end;
            const int made = addGroup(fmt::format("{} {}", name, ++number), group);
            Group& value = groups_[size_t(made)];
            value.children.assign(before.begin() + range.begin, before.begin() + range.end);
            const int first = value.children.front().group, last = value.children.back().group;
            if (first >= 0 && last >= 0)
                value.name = groups_[size_t(first)].name + " … " + groups_[size_t(last)].name;
            for (const GroupChild& child : value.children)
                value.nodes += child.group < 0 ? 1 : groups_[size_t(child.group)].nodes;
            after.push_back({-1, made});
            finish(made, false);
        }
        after.insert(after.end(), before.begin() + at, before.end());
        groups_[size_t(group)].children = std::move(after);
    }

    template <typename F>
    void eachNode(const GroupChild& child, const F& each) const {
        std::vector<GroupChild> todo{child};
        while (!todo.empty()) {
            const GroupChild next = todo.back();
            todo.pop_back();
            if (next.group < 0)
                each(next.node);
            else
                todo.insert(todo.end(), groups_[size_t(next.group)].children.rbegin(),
                            groups_[size_t(next.group)].children.rend());
        }
    }

    Hash128 structureOf(int group) {
        Hasher hasher;
        std::vector<int> nodes;
        for (const GroupChild& child : groups_[size_t(group)].children) {
            if (child.group >= 0)
                hasher.add(groups_[size_t(child.group)].structure);
            eachNode(child, [&](int node) { nodes.push_back(node); });
        }
        ++current_;
        for (size_t i = 0; i < nodes.size(); ++i)
            setPlace(nodes[i], int(i));
        std::unordered_map<int, uint64_t> outside; // values, in the order in which they are read
        for (const int node : nodes) {
            hasher.add(labels_[size_t(node)]);
            for (const int read : flow_.reads[size_t(node)]) {
                const FlowValue& value = flow_.values[size_t(read)];
                const int from = value.node < 0 ? -1 : placeOf(value.node);
                hasher.add(value.source == FlowValue::Source::Constant ? 0
                           : from >= 0                                 ? 2 * uint64_t(from) + 1
                                       : 2 * outside.try_emplace(read, outside.size()).first->second + 2);
            }
            for (const int write : flow_.writes[size_t(node)]) {
                const FlowValue& value = flow_.values[size_t(write)];
                hasher.add(uint64_t(value.outputs > 0 || std::ranges::any_of(value.readers, [&](int reader) {
                                        return placeOf(reader) < 0;
                                    })));
            }
        }
        return hasher.finish();
    }

    GroupTree inOrder() const {
        GroupTree tree;
        tree.groupOfNode.resize(graph_.nodes.size());
        std::vector<std::pair<int, int>> todo{{0, -1}}; // a group here, its parent there
        for (size_t i = 0; i < todo.size(); ++i) {
            const auto [from, parent] = todo[i];
            tree.groups.push_back(groups_[size_t(from)]);
            tree.groups.back().parent = parent;
            for (GroupChild& child : tree.groups.back().children) {
                if (child.group < 0) {
                    tree.groupOfNode[size_t(child.node)] = int(i);
                    continue;
                }
                todo.emplace_back(child.group, int(i));
                child.group = int(todo.size()) - 1;
            }
        }
        return tree;
    }

    const model::Graph& graph_;
    const GraphFlow& flow_;
    const GroupStyle style_;
    std::vector<Group> groups_;
    std::vector<uint64_t> labels_; // of nodes
    // Of nodes: where in the level that is looked at, and the last level that had them.
    std::vector<int> place_, level_;
    int current_ = 0;
};

} // namespace

std::vector<int> GroupTree::wayToGroup(int group) const {
    std::vector<int> way;
    for (; group > 0; group = groups[size_t(group)].parent)
        way.push_back(group);
    std::ranges::reverse(way);
    return way;
}

std::vector<int> GroupTree::nodesOf(int group) const {
    std::vector<int> nodes;
    std::vector<GroupChild> todo{{-1, group}};
    while (!todo.empty()) {
        const GroupChild next = todo.back();
        todo.pop_back();
        if (next.group < 0)
            nodes.push_back(next.node);
        else
            todo.insert(todo.end(), groups[size_t(next.group)].children.rbegin(),
                        groups[size_t(next.group)].children.rend());
    }
    return nodes;
}

GroupTree groupsOf(const model::Graph& graph, const GraphFlow& flow, GroupStyle style) {
    return TreeMaker(graph, flow, style).make();
}

GroupedGraphPtr groupedGraph(model::ModelGraphPtr model, std::shared_ptr<const model::Graph> graph, GroupStyle style) {
    auto result = std::make_shared<GroupedGraph>();
    result->style = style;
    result->flow = flowOf(*model, *graph);
    result->tree = groupsOf(*graph, result->flow, style);
    result->model = std::move(model);
    result->graph = std::move(graph);
    return result;
}

} // namespace lathe::graph
