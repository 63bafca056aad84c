// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph/graph_picture.h"
#include "views/models/text/counted.h"

#include "views/models/graph/tensor_values.h"
#include "views/models/text/one_line.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

namespace lathe::views::models {

namespace {

QString elided(const QString& value, int length) {
    // The end of a long path says more than its start.
    return value.size() <= length ? value : QStringLiteral("…") + value.right(length - 1);
}

constexpr int maximalLength = 30;
constexpr int maximalLines = 6;
constexpr size_t mostPorts = 24; // more values than this are named in their readers

QSizeF sizeOf(const GraphBox& box) {
    double width = 9.2 * double(box.title.size() + (box.refused ? 3 : 0) + (box.group >= 0 ? 3 : 0));
    width = std::max(width, 6.2 * double(box.subtitle.size()));
    for (const QString& line : box.lines)
        width = std::max(width, 6.2 * double(line.size()));
    for (const QString& line : box.reasonLines)
        width = std::max(width, 6.2 * double(line.size()));
    const double height =
        30 + (box.subtitle.isEmpty() ? 0 : 14) + 14.0 * double(box.lines.size() + box.reasonLines.size());
    return {std::clamp(width + 22, 74.0, 260.0), height};
}

/// The reason in a few short lines, broken between words.
QStringList wrapped(const QString& reason) {
    constexpr int maximalReasonLines = 4;
    QStringList lines;
    for (const QString& word : reason.split(' ', Qt::SkipEmptyParts)) {
        if (!lines.isEmpty() && lines.back().size() + 1 + word.size() <= maximalLength + 6)
            lines.back() += ' ' + word;
        else if (lines.size() < maximalReasonLines)
            lines << word;
        else {
            lines.back() += QStringLiteral(" …");
            break;
        }
    }
    return lines;
}

void addLine(GraphBox& box, const QString& line) {
    if (box.lines.size() < maximalLines)
        box.lines << elided(line, maximalLength + 6);
    else if (box.lines.size() == maximalLines)
        box.lines << QStringLiteral("…");
}

/// The tensor that a constant holds; null if it holds something else.
const model::TensorPtr* constantValue(const model::Node& node) {
    for (const model::Attribute& attribute : node.attributes)
        if (auto tensor = std::get_if<model::TensorPtr>(&attribute.value))
            return tensor;
    return nullptr;
}

/// Ids of all nodes below a node's nested graphs lead to the node.
void collectNested(const model::Node& node, const std::function<void(int)>& each) {
    std::vector<std::shared_ptr<const model::Graph>> todo = model::graphsOf(node);
    while (!todo.empty()) {
        auto graph = todo.back();
        todo.pop_back();
        for (const model::Node& inner : graph->nodes) {
            each(inner.id);
            for (auto& nested : model::graphsOf(inner))
                todo.push_back(nested);
        }
    }
}

/// "MatMul ×8 · Add ×6 · …": what a group consists of, the most frequent first.
QString operatorsOf(const std::vector<std::pair<QString, int>>& counts) {
    QString line;
    for (const auto& [op, count] : counts) {
        const QString part = count > 1 ? QStringLiteral("%1 ×%2").arg(op).arg(count) : op;
        if (!line.isEmpty() && line.size() + part.size() > maximalLength)
            return line + QStringLiteral(" · …");
        line += (line.isEmpty() ? QString() : QStringLiteral(" · ")) + part;
    }
    return line;
}

class PictureMaker {
public:
    PictureMaker(const model::ModelGraph& model, const model::Graph& graph, const GraphFlow& flow,
                 const GroupTree* tree, GroupStyle style)
        : model_(model), graph_(graph), flow_(flow), tree_(tree), scopes_(style == GroupStyle::Scopes),
          childOf_(graph.nodes.size(), -1) {}

    GraphPicture make(const std::vector<GroupChild>& children, bool whole) {
        whole_ = whole;
        picture_.name = oneLine(graph_.name);
        for (size_t i = 0; i < children.size(); ++i)
            for (const int node : nodesOf(children[i]))
                childOf_[size_t(node)] = int(i);
        countReaders(children);
        addInputs(children);
        for (const GroupChild& child : children) {
            boxOf_.push_back(-1);
            if (child.group >= 0)
                addGroup(child.group);
            else if (!flow_.hidden[size_t(child.node)])
                addNode(child.node);
        }
        for (size_t i = 0; i < children.size(); ++i)
            if (boxOf_[i] >= 0)
                addReads(children[i], boxOf_[i]);
        addOutputs(children);
        for (const GroupChild& child : children)
            if (child.group < 0 && flow_.hidden[size_t(child.node)])
                placeHidden(child.node);
        markRefused(children);
        for (size_t i = 0; i < picture_.boxes.size(); ++i) {
            picture_.boxes[i].size = picture_.boxes[i].closedSize = sizeOf(picture_.boxes[i]);
            picture_.boxes[i].lastBox = int(i) + 1;
        }
        picture_.ownArrows = int(picture_.arrows.size());
        return std::move(picture_);
    }

private:
    using Source = FlowValue::Source;

    std::vector<int> nodesOf(const GroupChild& child) const {
        return child.group < 0 ? std::vector<int>{child.node} : tree_->nodesOf(child.group);
    }
    const FlowValue& valueOf(int value) const { return flow_.values[size_t(value)]; }
    QString nameOf(int value, int length = maximalLength) const {
        return elided(oneLine(*valueOf(value).name), length);
    }

    /// By children of this picture: ten readers in one closed group are one.
    void countReaders(const std::vector<GroupChild>& children) {
        std::unordered_map<int, int> last; // child that was counted last, by value
        for (size_t i = 0; i < children.size(); ++i)
            for (const int node : nodesOf(children[i]))
                for (const int value : flow_.reads[size_t(node)]) {
                    if (valueOf(value).node >= 0 && childOf_[size_t(valueOf(value).node)] == int(i))
                        continue;
                    const auto [found, added] = last.try_emplace(value, int(i));
                    if (added || found->second != int(i))
                        ++readers_[value];
                    found->second = int(i);
                }
        for (const int value : flow_.outputs)
            if (whole_)
                ++readers_[value];
    }

    bool isHub(int value) const {
        auto found = readers_.find(value);
        return found != readers_.end() && found->second > lathe::graph::hubReaders;
    }

    int addBox(GraphBox box) {
        picture_.boxes.push_back(std::move(box));
        return int(picture_.boxes.size()) - 1;
    }

    void addInputs(const std::vector<GroupChild>& children) {
        if (whole_) {
            for (size_t i = 0; i < flow_.inputs.size(); ++i)
                addInput(flow_.inputs[i], oneLine(toString(graph_.inputs[i].type)));
            return;
        }
        std::vector<int> outside;
        std::set<int> seen;
        for (const GroupChild& child : children)
            for (const int node : nodesOf(child))
                for (const int value : flow_.reads[size_t(node)]) {
                    const FlowValue& read = valueOf(value);
                    const bool elsewhere = read.source == Source::Input ||
                                           (read.source == Source::Node && childOf_[size_t(read.node)] < 0);
                    if (elsewhere && !isHub(value) && seen.insert(value).second)
                        outside.push_back(value);
                }
        if (scopes_ || outside.size() > mostPorts)
            return;
        for (const int value : outside)
            addInput(value, {});
    }

    void addInput(int value, const QString& type) {
        GraphBox box;
        box.kind = GraphBox::Kind::Input;
        box.title = nameOf(value);
        box.subtitle = type;
        if (valueOf(value).node >= 0)
            box.leadsTo = graph_.nodes[size_t(valueOf(value).node)].id;
        if (isHub(value))
            addLine(box, QStringLiteral("▸ %1 readers").arg(readers_[value]));
        producer_[value] = addBox(std::move(box));
    }

    void addNode(int position) {
        const model::Node& node = graph_.nodes[size_t(position)];
        GraphBox box;
        box.modelNode = node.id;
        box.title = elided(oneLine(node.op), maximalLength);
        box.subtitle = elided(oneLine(node.name), maximalLength);
        box.family = roleOf(model_, node).family;
        for (const auto& [name, graph] : nestedGraphs(node)) {
            box.hasNested = true;
            box.family = model::Family::Control;
            addLine(box, QStringLiteral("▣ %1: %2").arg(name, counted(qint64(graph->nodes.size()), "node", "nodes")));
        }
        addWrites(box, position);
        picture_.boxOfNode[node.id] = int(picture_.boxes.size());
        place(position, std::move(box));
    }

    void addGroup(int group) {
        const Group& value = tree_->groups[size_t(group)];
        const std::vector<int> nodes = tree_->nodesOf(group);
        GraphBox box;
        box.kind = GraphBox::Kind::Group;
        box.group = group;
        box.title = elided(oneLine(value.name), maximalLength);
        if (!scopes_)
            box.subtitle = counted(value.nodes, "node", "nodes");
        std::map<QString, int> counts;
        std::map<model::Family, int> families;
        for (const int node : nodes) {
            if (flow_.hidden[size_t(node)])
                continue;
            ++counts[oneLine(graph_.nodes[size_t(node)].op)];
            const model::Family family = roleOf(model_, graph_.nodes[size_t(node)]).family;
            ++families[family];
        }
        std::vector<std::pair<QString, int>> sorted(counts.begin(), counts.end());
        std::ranges::stable_sort(sorted, std::greater(), &std::pair<QString, int>::second);
        addLine(box, operatorsOf(sorted));
        // Products are what a part of a network is for; else what it has most of.
        const auto most = std::ranges::max_element(families, {}, [](const auto& each) { return each.second; });
        if (families.contains(model::Family::Product))
            box.family = model::Family::Product;
        else if (most != families.end())
            box.family = most->first;
        for (const int node : nodes) {
            addWrites(box, node);
            picture_.boxOfNode[graph_.nodes[size_t(node)].id] = int(picture_.boxes.size());
        }
        if (!nodes.empty())
            place(nodes.front(), std::move(box));
    }

    /// The box of the child that the node is in.
    void place(int node, GraphBox box) {
        const int index = addBox(std::move(box));
        boxOf_[size_t(childOf_[size_t(node)])] = index;
    }

    void addWrites(GraphBox& box, int position) {
        for (const int value : flow_.writes[size_t(position)]) {
            if (isHub(value))
                addLine(box, QStringLiteral("▸ %1: %2 readers").arg(nameOf(value, 16)).arg(readers_[value]));
            producer_[value] = int(picture_.boxes.size());
        }
    }

    void addReads(const GroupChild& child, int to) {
        for (const int node : nodesOf(child))
            for (const int value : flow_.reads[size_t(node)])
                addRead(value, to, child.group < 0);
    }

    void addRead(int value, int to, bool withConstants) {
        const FlowValue& read = valueOf(value);
        if (read.source == Source::Constant) {
            if (withConstants)
                addLine(picture_.boxes[size_t(to)], nameOf(value, 16) + " " + typeOfConstant(read));
            reader_.try_emplace(value, to);
            return;
        }
        const auto from = producer_.find(value);
        if (from != producer_.end() && from->second == to)
            return;
        if (from == producer_.end() || isHub(value)) {
            if (stubSeen_.insert({value, to}).second)
                addLine(picture_.boxes[size_t(to)], QStringLiteral("◂ ") + nameOf(value));
            return;
        }
        if (arrowSeen_.insert({from->second, to}).second)
            picture_.arrows.push_back(
                {from->second, to, oneLine(*read.name), read.type ? oneLine(toString(*read.type)) : QString()});
    }

    QString typeOfConstant(const FlowValue& value) const {
        if (value.node < 0) {
            const model::TensorPtr& tensor = graph_.initializers[size_t(value.from)].tensor;
            return tensor ? typeText(*tensor) : QString();
        }
        const model::Node& node = graph_.nodes[size_t(value.node)];
        const model::TensorPtr* tensor = constantValue(node);
        if (tensor && *tensor)
            return typeText(**tensor);
        return node.attributes.empty() ? QString() : oneLine(toString(node.attributes[0].value));
    }

    void addOutputs(const std::vector<GroupChild>& children) {
        if (whole_) {
            for (size_t i = 0; i < flow_.outputs.size(); ++i) {
                GraphBox box;
                box.kind = GraphBox::Kind::Output;
                box.title = nameOf(flow_.outputs[i]);
                box.subtitle = oneLine(toString(graph_.outputs[i].type));
                addRead(flow_.outputs[i], addBox(std::move(box)), true);
            }
            return;
        }
        std::vector<std::pair<int, int>> outside; // values and a reader elsewhere; -1: the graph's output
        for (const GroupChild& child : children)
            for (const int node : nodesOf(child))
                for (const int value : flow_.writes[size_t(node)]) {
                    if (valueOf(value).source == Source::Constant) // stands in its readers, wherever they are
                        continue;
                    const auto& readers = valueOf(value).readers;
                    const auto other =
                        std::ranges::find_if(readers, [&](int reader) { return childOf_[size_t(reader)] < 0; });
                    if (other != readers.end() || valueOf(value).outputs > 0)
                        outside.emplace_back(value, other == readers.end() ? -1 : *other);
                }
        if (scopes_ || outside.size() > mostPorts)
            return;
        for (const auto& [value, reader] : outside) {
            GraphBox box;
            box.kind = GraphBox::Kind::Output;
            box.title = nameOf(value);
            if (reader >= 0)
                box.leadsTo = graph_.nodes[size_t(reader)].id;
            addRead(value, addBox(std::move(box)), true);
        }
    }

    void placeHidden(int position) {
        for (const int value : flow_.writes[size_t(position)])
            if (auto reader = reader_.find(value); reader != reader_.end())
                picture_.boxOfNode[graph_.nodes[size_t(position)].id] = reader->second;
    }

    void markRefused(const std::vector<GroupChild>& children) {
        std::map<int, QString> reasons;
        for (const Diagnostic& diagnostic : model_.diagnostics)
            if (diagnostic.severity == Severity::Error && diagnostic.nodeId >= 0)
                reasons.try_emplace(diagnostic.nodeId, QString::fromStdString(diagnostic.what));
        if (reasons.empty())
            return;
        for (const GroupChild& child : children)
            for (const int position : nodesOf(child)) {
                const model::Node& node = graph_.nodes[size_t(position)];
                auto mark = [&](int id) {
                    auto reason = reasons.find(id);
                    auto box = picture_.boxOfNode.find(node.id);
                    if (reason == reasons.end() || box == picture_.boxOfNode.end())
                        return;
                    picture_.boxes[size_t(box->second)].refused = true;
                    picture_.boxes[size_t(box->second)].reason = reason->second;
                    picture_.boxes[size_t(box->second)].reasonLines = wrapped(reason->second);
                };
                mark(node.id);
                collectNested(node, mark);
            }
    }

    const model::ModelGraph& model_;
    const model::Graph& graph_;
    const GraphFlow& flow_;
    const GroupTree* tree_; // null: there are no groups among the children
    const bool scopes_;
    bool whole_ = true;
    GraphPicture picture_;
    std::vector<int> childOf_;                                 // by node; -1: not in this picture
    std::vector<int> boxOf_;                                   // by child; -1: drawn in its reader
    std::unordered_map<int, int> readers_, producer_, reader_; // by value: how many, and boxes
    std::set<std::pair<int, int>> arrowSeen_, stubSeen_;
};

} // namespace

std::vector<int> nodesOf(const GraphBox& box, const GroupedGraph& grouped) {
    std::vector<int> nodes;
    if (box.modelNode >= 0)
        nodes.push_back(box.modelNode);
    if (box.group >= 0)
        for (const int position : grouped.tree.nodesOf(box.group))
            nodes.push_back(grouped.graph->nodes[size_t(position)].id);
    return nodes;
}

GraphPicture pictureOf(const model::ModelGraph& model, const model::Graph& graph) {
    std::vector<GroupChild> children;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        children.push_back({int(i), -1});
    const GraphFlow flow = lathe::graph::flowOf(model, graph);
    return PictureMaker(model, graph, flow, nullptr, GroupStyle::Overview).make(children, true);
}

GraphPicture pictureOf(const GroupedGraph& grouped, const std::vector<GroupChild>& children, bool whole) {
    return PictureMaker(*grouped.model, *grouped.graph, grouped.flow, &grouped.tree, grouped.style)
        .make(children, whole);
}

std::vector<std::pair<QString, std::shared_ptr<const model::Graph>>> nestedGraphs(const model::Node& node) {
    std::vector<std::pair<QString, std::shared_ptr<const model::Graph>>> result;
    for (const model::Attribute& attribute : node.attributes) {
        using Graphs = std::vector<std::shared_ptr<const model::Graph>>;
        if (auto graph = std::get_if<std::shared_ptr<const model::Graph>>(&attribute.value); graph && *graph)
            result.emplace_back(oneLine(attribute.name), *graph);
        else if (auto graphs = std::get_if<Graphs>(&attribute.value))
            for (size_t i = 0; i < graphs->size(); ++i)
                if ((*graphs)[i])
                    result.emplace_back(QStringLiteral("%1[%2]").arg(oneLine(attribute.name)).arg(i), (*graphs)[i]);
    }
    return result;
}

std::vector<std::pair<int, QString>> wayTo(const model::ModelGraph& model, int node) {
    struct Place {
        std::shared_ptr<const model::Graph> graph;
        int parent; // index of the place around; -1: none
        int owner;  // node that it hangs on
        QString attribute;
    };
    std::vector<Place> places{{model.graph, -1, -1, {}}};
    for (size_t i = 0; i < places.size(); ++i) {
        const auto graph = places[i].graph;
        if (!graph)
            continue;
        for (const model::Node& candidate : graph->nodes) {
            if (candidate.id == node) {
                std::vector<std::pair<int, QString>> way;
                for (int at = int(i); places[at].parent >= 0; at = places[at].parent)
                    way.emplace_back(places[at].owner, places[at].attribute);
                std::reverse(way.begin(), way.end());
                return way;
            }
            for (auto& [name, nested] : nestedGraphs(candidate))
                places.push_back({nested, int(i), candidate.id, name});
        }
    }
    return {};
}

} // namespace lathe::views::models
