// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/graph_picture.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace lathe::views::models {

namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

QString elided(QString value, int length) {
    // The end of a long path says more than its start.
    return value.size() <= length ? value : QStringLiteral("…") + value.right(length - 1);
}

constexpr int maximalLength = 30;
constexpr int maximalLines = 6;

QSizeF sizeOf(const GraphBox& box) {
    double width = 8.4 * double(box.title.size() + (box.refused ? 3 : 0));
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

QString typeOf(const model::TensorData& tensor) {
    QStringList dims;
    for (int64_t dim : tensor.shape)
        dims << QString::number(dim);
    return text(toString(tensor.dtype)) + "[" + dims.join(",") + "]";
}

/// Values of graphs around that a node's nested graphs read, at any depth.
std::set<std::string> captured(const model::Node& node) {
    std::set<std::string> reads, made;
    std::vector<const model::Graph*> todo;
    std::vector<std::shared_ptr<const model::Graph>> keep;
    for (auto& graph : model::graphsOf(node))
        keep.push_back(graph), todo.push_back(graph.get());
    while (!todo.empty()) {
        const model::Graph* graph = todo.back();
        todo.pop_back();
        for (const model::Value& input : graph->inputs)
            made.insert(input.name);
        for (const model::Initializer& initializer : graph->initializers)
            made.insert(initializer.name);
        for (const model::Node& inner : graph->nodes) {
            reads.insert(inner.inputs.begin(), inner.inputs.end());
            made.insert(inner.outputs.begin(), inner.outputs.end());
            for (auto& nested : model::graphsOf(inner))
                keep.push_back(nested), todo.push_back(nested.get());
        }
        for (const model::Value& output : graph->outputs)
            reads.insert(output.name);
    }
    std::set<std::string> result;
    std::set_difference(reads.begin(), reads.end(), made.begin(), made.end(), std::inserter(result, result.end()));
    result.erase("");
    return result;
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

class PictureMaker {
public:
    PictureMaker(const model::ModelGraph& model, const model::Graph& graph) : model_(model), graph_(graph) {}

    GraphPicture make() {
        picture_.name = text(graph_.name);
        findConstants();
        countReaders();
        addInputs();
        for (const model::Node& node : graph_.nodes)
            if (!hidden_.contains(node.id))
                addNode(node);
        for (const model::Node& node : graph_.nodes)
            if (!hidden_.contains(node.id))
                addArrows(node, picture_.boxOfNode.at(node.id));
        addOutputs();
        placeHidden();
        markRefused();
        for (GraphBox& box : picture_.boxes)
            box.size = sizeOf(box);
        return std::move(picture_);
    }

private:
    bool isConstant(const model::Node& node) const {
        return roleOf(model_, node).family == model::Family::Constant && node.outputs.size() == 1;
    }

    void findConstants() {
        for (const model::Initializer& initializer : graph_.initializers)
            constants_[initializer.name] = initializer.tensor ? typeOf(*initializer.tensor) : QString();
        std::set<std::string> outputs;
        for (const model::Value& output : graph_.outputs)
            outputs.insert(output.name);
        for (const model::Node& node : graph_.nodes) {
            if (!isConstant(node) || outputs.contains(node.outputs[0]))
                continue;
            const model::TensorPtr* tensor = constantValue(node);
            QString type;
            if (tensor && *tensor)
                type = typeOf(**tensor);
            else if (!node.attributes.empty())
                type = text(toString(node.attributes[0].value));
            constants_[node.outputs[0]] = type;
            hidden_[node.id] = node.outputs[0];
        }
    }

    void countReaders() {
        for (const model::Node& node : graph_.nodes) {
            std::set<std::string> reads(node.inputs.begin(), node.inputs.end());
            reads.merge(captured(node));
            for (const std::string& value : reads)
                ++readers_[value];
        }
        for (const model::Value& output : graph_.outputs)
            ++readers_[output.name];
    }

    int addBox(GraphBox box) {
        picture_.boxes.push_back(std::move(box));
        return int(picture_.boxes.size()) - 1;
    }

    void addInputs() {
        for (const model::Value& input : graph_.inputs) {
            GraphBox box;
            box.kind = GraphBox::Kind::Input;
            box.title = elided(text(input.name), maximalLength);
            box.subtitle = text(toString(input.type));
            if (isHub(input.name))
                addLine(box, QStringLiteral("▸ %1 readers").arg(readers_[input.name]));
            producer_[input.name] = addBox(std::move(box));
        }
    }

    bool isHub(const std::string& value) const {
        auto found = readers_.find(value);
        return found != readers_.end() && found->second > hubReaders;
    }

    void addNode(const model::Node& node) {
        GraphBox box;
        box.modelNode = node.id;
        box.title = elided(text(node.op), maximalLength);
        box.subtitle = elided(text(node.name), maximalLength);
        box.family = roleOf(model_, node).family;
        for (const auto& [name, graph] : nestedGraphs(node)) {
            box.hasNested = true;
            box.family = model::Family::Control;
            addLine(box, QStringLiteral("▣ %1: %2 nodes").arg(name).arg(graph->nodes.size()));
        }
        for (const std::string& output : node.outputs)
            if (isHub(output))
                addLine(box, QStringLiteral("▸ %1: %2 readers").arg(elided(text(output), 16)).arg(readers_[output]));
        const int index = addBox(std::move(box));
        picture_.boxOfNode[node.id] = index;
        for (const std::string& output : node.outputs)
            producer_[output] = index;
    }

    void addArrows(const model::Node& node, int to) {
        std::set<std::string> seen;
        std::vector<std::string> reads = node.inputs;
        const std::set<std::string> more = captured(node);
        reads.insert(reads.end(), more.begin(), more.end());
        for (const std::string& value : reads)
            if (!value.empty() && seen.insert(value).second)
                addRead(value, to);
    }

    void addRead(const std::string& value, int to) {
        if (auto constant = constants_.find(value); constant != constants_.end()) {
            addLine(picture_.boxes[to], elided(text(value), 16) + " " + constant->second);
            reader_.try_emplace(value, to);
            return;
        }
        auto from = producer_.find(value);
        if (from == producer_.end() || isHub(value)) {
            addLine(picture_.boxes[to], QStringLiteral("◂ ") + elided(text(value), maximalLength));
            return;
        }
        if (arrowSeen_.insert({from->second, to}).second)
            picture_.arrows.push_back({from->second, to, text(value)});
    }

    void addOutputs() {
        for (const model::Value& output : graph_.outputs) {
            GraphBox box;
            box.kind = GraphBox::Kind::Output;
            box.title = elided(text(output.name), maximalLength);
            box.subtitle = text(toString(output.type));
            addRead(output.name, addBox(std::move(box)));
        }
    }

    void placeHidden() {
        for (const auto& [id, value] : hidden_)
            if (auto reader = reader_.find(value); reader != reader_.end())
                picture_.boxOfNode[id] = reader->second;
    }

    void markRefused() {
        std::map<int, QString> reasons;
        for (const Diagnostic& diagnostic : model_.diagnostics)
            if (diagnostic.severity == Severity::Error && diagnostic.nodeId >= 0)
                reasons.try_emplace(diagnostic.nodeId, text(diagnostic.what));
        if (reasons.empty())
            return;
        for (const model::Node& node : graph_.nodes) {
            auto mark = [&](int id) {
                auto reason = reasons.find(id);
                auto box = picture_.boxOfNode.find(node.id);
                if (reason == reasons.end() || box == picture_.boxOfNode.end())
                    return;
                picture_.boxes[box->second].refused = true;
                picture_.boxes[box->second].reason = reason->second;
                picture_.boxes[box->second].reasonLines = wrapped(reason->second);
            };
            mark(node.id);
            collectNested(node, mark);
        }
    }

    const model::ModelGraph& model_;
    const model::Graph& graph_;
    GraphPicture picture_;
    std::map<std::string, QString> constants_; // value -> type
    std::map<int, std::string> hidden_;        // constant nodes -> their value
    std::map<std::string, int> readers_, producer_, reader_;
    std::set<std::pair<int, int>> arrowSeen_;
};

} // namespace

GraphPicture pictureOf(const model::ModelGraph& model, const model::Graph& graph) {
    return PictureMaker(model, graph).make();
}

std::vector<std::pair<QString, std::shared_ptr<const model::Graph>>> nestedGraphs(const model::Node& node) {
    std::vector<std::pair<QString, std::shared_ptr<const model::Graph>>> result;
    for (const model::Attribute& attribute : node.attributes) {
        using Graphs = std::vector<std::shared_ptr<const model::Graph>>;
        if (auto graph = std::get_if<std::shared_ptr<const model::Graph>>(&attribute.value); graph && *graph)
            result.emplace_back(text(attribute.name), *graph);
        else if (auto graphs = std::get_if<Graphs>(&attribute.value))
            for (size_t i = 0; i < graphs->size(); ++i)
                if ((*graphs)[i])
                    result.emplace_back(QStringLiteral("%1[%2]").arg(text(attribute.name)).arg(i), (*graphs)[i]);
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
