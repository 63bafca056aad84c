// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of graphs: the model's own scopes, and where there are none the layers that repeat; each node in exactly one, no
// level too large, equal layers of equal structure and laid out once, frames that hold what is in them.
#include "graph/graph_blocks.h"
#include "gui/sample_graph.h"
#include "support/program_of_tests.h"
#include "support/transformer_graph.h"
#include "views/models/graph/graph_scene.h"

#include <QTest>
#include <algorithm>
#include <set>

namespace lathe::testing::test_graph_groups {

using namespace lathe::graph;
using namespace lathe::views::models;

namespace {

GroupedGraphPtr groupsOfModel(const std::shared_ptr<model::ModelGraph>& model) {
    return groupedGraph(model, model->graph);
}

/// Each node is in one group, each group in its parent, and no level is too large.
void checkTree(const GroupedGraph& grouped) {
    const GroupTree& tree = grouped.tree;
    std::vector<int> nodes(grouped.graph->nodes.size()), groups(tree.groups.size());
    for (size_t i = 0; i < tree.groups.size(); ++i) {
        const Group& group = tree.groups[i];
        QVERIFY2(group.children.size() <= mostChildren, group.name.c_str());
        QVERIFY(i == 0 ? group.parent < 0 : group.parent < int(i));
        QVERIFY(i == 0 || !group.name.empty());
        QCOMPARE(group.nodes, int(tree.nodesOf(int(i)).size()));
        for (const GroupChild& child : group.children) {
            if (child.group >= 0) {
                QCOMPARE(tree.groups[size_t(child.group)].parent, int(i));
                ++groups[size_t(child.group)];
            } else {
                QCOMPARE(tree.groupOfNode[size_t(child.node)], int(i));
                ++nodes[size_t(child.node)];
            }
        }
    }
    QVERIFY(std::ranges::all_of(nodes, [](int times) { return times == 1; }));
    QVERIFY(std::all_of(groups.begin() + 1, groups.end(), [](int times) { return times == 1; }));
}

/// The groups that consist of just the nodes of one layer each, by layer; -1: there is none.
std::vector<int> layersOf(const GroupTree& tree, int layers) {
    std::vector<int> result(size_t(layers), -1);
    for (size_t i = 1; i < tree.groups.size(); ++i) {
        std::vector<int> nodes = tree.nodesOf(int(i));
        std::ranges::sort(nodes);
        if (nodes.size() != layerOperators || nodes.back() - nodes.front() + 1 != layerOperators)
            continue;
        const int offset = nodes.front() - operatorsBefore;
        if (offset >= 0 && offset % layerOperators == 0 && offset / layerOperators < layers)
            result[size_t(offset / layerOperators)] = int(i);
    }
    return result;
}

} // namespace

class TestGraphGroups : public QObject {
    Q_OBJECT

private slots:
    /// How formats say where a node stands: by names with slashes, those of functions in place of their calls among them, or by
    /// the paths of modules beside names that say nothing.
    void scopesOfFormats_data() {
        QTest::addColumn<QStringList>("scope"); // %1: a or b
        QTest::addColumn<QString>("name");      // %2: a number
        QTest::addColumn<QString>("group");
        QTest::newRow("name scopes") << QStringList{} << "net/block_%1/op_%2" << "block_%1";
        QTest::newRow("functions that were called")
            << QStringList{"serve/call"} << "serve/call/net/block_%1/op_%2" << "block_%1";
        QTest::newRow("modules") << QStringList{"encoder", "layers.%1"} << "linear_%2" << "layers.%1";
        QTest::newRow("tensors' names") << QStringList{"net", "block_%1"} << "" << "block_%1";
    }
    void scopesOfFormats() {
        QFETCH(QStringList, scope);
        QFETCH(QString, name);
        QFETCH(QString, group);
        auto graph = std::make_shared<model::Graph>();
        graph->inputs = {{"v0", {}}};
        for (int i = 0; i < 10; ++i) {
            const QString block = i < 5 ? "a" : "b";
            const std::string before = "v" + std::to_string(i), after = "v" + std::to_string(i + 1);
            const QString called =
                name.isEmpty() ? name : QString(name).replace("%1", block).replace("%2", QString::number(i));
            model::Node made = node("Relu", called.toStdString(), {before}, {after});
            for (const QString& part : scope)
                made.scope.push_back(QString(part).replace("%1", block).toStdString());
            graph->nodes.push_back(std::move(made));
        }
        graph->outputs = {{"v10", {}}};
        const auto grouped = groupsOfModel(modelOf(graph));
        checkTree(*grouped);
        QStringList names;
        for (size_t i = 1; i < grouped->tree.groups.size(); ++i) {
            names << QString::fromStdString(grouped->tree.groups[i].name);
            QCOMPARE(grouped->tree.groups[i].nodes, 5);
        }
        QCOMPARE(names, (QStringList{QString(group).replace("%1", "a"), QString(group).replace("%1", "b")}));
    }

    void layersAreGroups_data() {
        QTest::addColumn<int>("layers");
        QTest::addColumn<bool>("named");
        for (const int layers : {2, 3, 12, 188, 943})
            for (const bool named : {true, false})
                QTest::addRow("%d layers %s", layers, named ? "with names" : "without names") << layers << named;
    }
    void layersAreGroups() {
        QFETCH(int, layers);
        QFETCH(bool, named);
        const auto grouped = groupsOfModel(TransformerGraph::make(layers, named));
        QCOMPARE(int(grouped->graph->nodes.size()), layers * layerOperators + operatorsBefore + operatorsBehind);
        checkTree(*grouped);
        const std::vector<int> found = layersOf(grouped->tree, layers);
        std::set<Hash128> structures;
        for (int layer = 0; layer < layers; ++layer) {
            QVERIFY2(found[size_t(layer)] > 0, qPrintable(QString::number(layer)));
            const Group& group = grouped->tree.groups[size_t(found[size_t(layer)])];
            structures.insert(group.structure);
            if (named)
                QVERIFY2(group.name.ends_with("layer." + std::to_string(layer)), group.name.c_str());
        }
        QCOMPARE(structures.size(), size_t(1));
    }

    void anotherOperatorIsAnotherStructure() {
        const auto model = TransformerGraph::make(12, true);
        auto graph = std::make_shared<model::Graph>(*model->graph);
        graph->nodes[operatorsBefore + 5 * layerOperators + 30].op = "Max";
        const auto grouped = groupsOfModel(modelOf(graph));
        const std::vector<int> layers = layersOf(grouped->tree, 12);
        const auto structure = [&](size_t layer) { return grouped->tree.groups[size_t(layers[layer])].structure; };
        QVERIFY(structure(4) == structure(6));
        QVERIFY(structure(4) != structure(5));
    }

    void dottedNamesAndFunctionsAreScopes() {
        auto graph = std::make_shared<model::Graph>();
        for (int i = 0; i < 12; ++i) {
            graph->nodes.push_back(node("Relu", "part" + std::to_string(i / 6) + ".relu" + std::to_string(i),
                                        {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)}));
            if (i >= 6)
                graph->nodes.back().scope = {"function"};
        }
        const auto grouped = groupsOfModel(modelOf(graph));
        checkTree(*grouped);
        QCOMPARE(grouped->tree.groups.size(), size_t(3));
        QCOMPARE(grouped->tree.groups[1].name, std::string("part0"));
        QCOMPARE(grouped->tree.groups[2].name, std::string("function/part1"));
    }

    void constantsStandWithTheirReaders() {
        // All constants first, as some exporters write them; they are no block of their own.
        auto graph = std::make_shared<model::Graph>();
        for (int i = 0; i < 40; ++i)
            graph->nodes.push_back(node("Constant", "", {}, {"k" + std::to_string(i)}));
        for (int i = 0; i < 40; ++i)
            graph->nodes.push_back(node(i % 10 == 0 ? "Conv" : "Op" + std::to_string(i % 10), "",
                                        {"v" + std::to_string(i), "k" + std::to_string(i)},
                                        {"v" + std::to_string(i + 1)}));
        const auto grouped = groupsOfModel(modelOf(graph));
        checkTree(*grouped);
        QCOMPARE(grouped->tree.groups.size(), size_t(5));
        for (int i = 0; i < 40; ++i)
            QCOMPARE(grouped->tree.groupOfNode[size_t(i)], grouped->tree.groupOfNode[size_t(40 + i)]);
    }

    void whatComesBeforeTheLayersIsAPart() {
        auto graph = std::make_shared<model::Graph>();
        for (int i = 0; i < 700; ++i) // a hundred that differ, then sixty blocks of ten
            graph->nodes.push_back(node("Op" + std::to_string(i < 100 ? 50 + i : i % 10), "", {"v" + std::to_string(i)},
                                        {"v" + std::to_string(i + 1)}));
        const auto grouped = groupsOfModel(modelOf(graph));
        checkTree(*grouped);
        const Group& first = grouped->tree.groups[size_t(grouped->tree.groups[0].children.at(0).group)];
        QCOMPARE(first.name, std::string("part 1"));
        QCOMPARE(first.nodes, 100);
        // Boxes at its border are values that other nodes make or read; constants are none.
        SceneMaker maker(grouped);
        OpenGroups open = startingGroups(*grouped);
        std::ranges::fill(open, 1);
        const GraphScene scene = maker.make(open);
        for (const GraphBox& box : scene.picture.boxes)
            QVERIFY(box.kind != GraphBox::Kind::Output || box.leadsTo >= 0);
    }

    void blocksOfScopesAndNodesHaveNames() {
        // Five hundred times a node without a scope and one scope of five.
        auto graph = std::make_shared<model::Graph>();
        for (int i = 0; i < 500; ++i)
            for (int k = 0; k < 6; ++k) {
                const std::string name = k == 0 ? "free" : "scope" + std::to_string(i) + "/inside";
                const int at = 6 * i + k;
                graph->nodes.push_back(
                    node(k == 0 ? "Conv" : "Relu", name, {"v" + std::to_string(at)}, {"v" + std::to_string(at + 1)}));
            }
        checkTree(*groupsOfModel(modelOf(graph)));
    }

    void whatDoesNotRepeatIsCutInParts() {
        // Two thousand operators that differ by what they read: a number of earlier values.
        auto graph = std::make_shared<model::Graph>();
        for (int i = 0; i < 2000; ++i) {
            std::vector<std::string> inputs;
            for (int k = 0; k < 1 + i * i % 7 + i % 3; ++k)
                inputs.push_back("v" + std::to_string(std::max(0, i - k)));
            graph->nodes.push_back(
                node("Op" + std::to_string(i * 31 % 97 * i % 53), "", inputs, {"v" + std::to_string(i + 1)}));
        }
        checkTree(*groupsOfModel(modelOf(graph)));
    }

    void cutsGoWhereTheyCostLeast() {
        Sequence sequence;
        for (int i = 0; i < 60; ++i)
            sequence.labels.push_back(uint64_t(i % 10));
        for (int i = 0; i <= 60; ++i)
            sequence.cost.push_back(i % 10 == 7 ? 1 : 2);
        const std::vector<Range> blocks = repeatedBlocks(sequence);
        QCOMPARE(blocks.size(), size_t(5));
        QCOMPARE(blocks.front(), (Range{7, 17}));
        QCOMPARE(blocks.back(), (Range{47, 57}));

        Sequence different; // parts of twenty, or up to five less
        for (int i = 0; i < 400; ++i)
            different.labels.push_back(uint64_t(i));
        for (int i = 0; i <= 400; ++i)
            different.cost.push_back(i % 4 == 3 ? 1 : 2);
        QVERIFY(repeatedBlocks(different).empty());
        int end = 0;
        for (const Range& part : partsOf(different, 400)) {
            QCOMPARE(part.begin, end);
            end = part.end;
            QVERIFY(end == 400 || end % 4 == 3);
        }
        QCOMPARE(end, 400);
    }

    void smallGraphsAreShownWhole() {
        const auto model = residualBlock();
        const auto grouped = groupsOfModel(model);
        QVERIFY(!isFramed(*grouped));
        const GraphScene scene = SceneMaker(grouped).make(startingGroups(*grouped));
        const GraphPicture whole = pictureOf(*model, *model->graph);
        QCOMPARE(scene.picture.boxes.size(), whole.boxes.size());
        QCOMPARE(scene.picture.arrows.size(), whole.arrows.size());
        QCOMPARE(scene.layout.centers, layeredLayout(whole).centers);
    }

    void aClosedGroupOfASmallGraphIsOneBox() {
        const auto grouped = groupsOfModel(TransformerGraph::make(4, false));
        QVERIFY(!isFramed(*grouped));
        SceneMaker maker(grouped);
        OpenGroups open = startingGroups(*grouped);
        const size_t all = maker.make(open).picture.boxes.size();
        const int layer = layersOf(grouped->tree, 4)[2];
        open[size_t(layer)] = 0;
        const GraphPicture picture = maker.make(open).picture;
        QCOMPARE(picture.boxes.size(), all - layerOperators + 1);
        const int box = picture.boxOfNode.at(operatorsBefore + 2 * layerOperators + 10);
        QCOMPARE(picture.boxes[size_t(box)].group, layer);
        // The layer before feeds it, it feeds the one behind.
        QVERIFY(std::ranges::any_of(picture.arrows, [&](const GraphArrow& arrow) { return arrow.to == box; }));
        QVERIFY(std::ranges::any_of(picture.arrows, [&](const GraphArrow& arrow) { return arrow.from == box; }));
    }

    void equalLayersAreLaidOutOnce() {
        const auto grouped = groupsOfModel(TransformerGraph::make(188, false));
        QVERIFY(isFramed(*grouped));
        SceneMaker maker(grouped);
        OpenGroups open = startingGroups(*grouped);
        const GraphScene closed = maker.make(open);
        QCOMPARE(maker.laidOut(), 1);
        QVERIFY(closed.picture.boxes.size() <= mostChildren + 3);
        std::ranges::fill(open, 1);
        const GraphScene all = maker.make(open);
        QVERIFY2(maker.laidOut() <= 4, qPrintable(QString::number(maker.laidOut())));
        QCOMPARE(countShown(*grouped, open) > 10'000, true);
        // Equal layers look alike, box for box.
        const std::vector<int> layers = layersOf(grouped->tree, 188);
        auto frameOf = [&](int layer) {
            return size_t(std::ranges::find(all.picture.boxes, layers[size_t(layer)], &GraphBox::group) -
                          all.picture.boxes.begin());
        };
        const size_t one = frameOf(3), other = frameOf(100);
        for (size_t i = 0; i < layerOperators; ++i)
            QCOMPARE(all.layout.centers[one + 1 + i] - all.layout.centers[one],
                     all.layout.centers[other + 1 + i] - all.layout.centers[other]);
        checkNesting(all);
        for (const model::Node& node : grouped->graph->nodes)
            QCOMPARE(all.picture.boxes[size_t(all.picture.boxOfNode.at(node.id))].modelNode, node.id);
    }

    void openingMovesNothingToAnotherPlaceInTheOrder() {
        const auto grouped = groupsOfModel(TransformerGraph::make(188, true));
        SceneMaker maker(grouped);
        OpenGroups open = startingGroups(*grouped);
        // Down to where the layers are.
        const std::vector<int> way = grouped->tree.wayToNode(operatorsBefore + 90 * layerOperators + 40);
        for (const int group : way) {
            const GraphScene before = maker.make(open);
            open[size_t(group)] = 1;
            const GraphScene after = maker.make(open);
            checkNesting(after);
            // The boxes beside it: columns, and what is above what, stay.
            std::vector<int> kept;
            for (size_t i = 0; i < after.picture.boxes.size(); ++i) {
                const auto same = std::ranges::find_if(before.picture.boxes, [&](const GraphBox& box) {
                    return box.kind == after.picture.boxes[i].kind && box.title == after.picture.boxes[i].title &&
                           box.group == after.picture.boxes[i].group &&
                           box.modelNode == after.picture.boxes[i].modelNode;
                });
                kept.push_back(same == before.picture.boxes.end() ? -1 : int(same - before.picture.boxes.begin()));
            }
            for (const GraphArrow& arrow : after.picture.arrows) {
                const int from = kept[size_t(arrow.from)], to = kept[size_t(arrow.to)];
                if (from < 0 || to < 0)
                    continue;
                const auto down = [](const GraphScene& scene, int a, int b) {
                    return scene.layout.centers[size_t(a)].y() < scene.layout.centers[size_t(b)].y();
                };
                QCOMPARE(down(after, arrow.from, arrow.to), down(before, from, to));
            }
        }
    }

    void hubsAreStubsInTheOverview() {
        const auto grouped = groupsOfModel(TransformerGraph::make(188, false));
        const GraphPicture picture = SceneMaker(grouped).make(startingGroups(*grouped)).picture;
        const std::string mask = grouped->graph->nodes[2].outputs[0];
        int stubs = 0;
        for (const GraphBox& box : picture.boxes)
            stubs += box.lines.contains(QStringLiteral("◂ ") + QString::fromStdString(mask));
        QVERIFY(stubs >= 188);
        for (const GraphArrow& arrow : picture.arrows)
            QVERIFY(arrow.value.toStdString() != mask);
    }

    void repeatedScopesDoNotNestWithoutEnd() {
        auto graph = std::make_shared<model::Graph>();
        std::string scope;
        for (int i = 0; i < 3000; ++i) {
            scope += "/s";
            for (int k = 0; k < 4; ++k)
                graph->nodes.push_back(node("Relu", scope + "/relu", {"x"}, {"y" + std::to_string(4 * i + k)}));
        }
        const auto grouped = groupsOfModel(modelOf(graph));
        checkTree(*grouped);
        OpenGroups open(grouped->tree.groups.size(), 1);
        checkNesting(SceneMaker(grouped).make(open));
    }

private:
    /// What is in a group lies within its frame, below the title; neighbours do not overlap.
    static void checkNesting(const GraphScene& scene) {
        const auto& boxes = scene.picture.boxes;
        auto rectOf = [&](size_t box) {
            const QSizeF size = boxes[box].size;
            return QRectF(scene.layout.centers[box] - QPointF(size.width(), size.height()) / 2, size);
        };
        QCOMPARE(scene.layout.paths.size(), scene.picture.arrows.size());
        std::vector<size_t> frames;
        for (size_t i = 0; i < boxes.size(); ++i) {
            while (!frames.empty() && boxes[frames.back()].lastBox <= int(i))
                frames.pop_back();
            if (!frames.empty()) {
                QVERIFY(rectOf(frames.back()).adjusted(0, frameTitle, 0, 0).contains(rectOf(i)));
            }
            const size_t next = size_t(boxes[i].lastBox);
            if (next < boxes.size())
                QVERIFY(!rectOf(i).intersects(rectOf(next)));
            if (boxes[i].open) {
                QVERIFY(boxes[i].firstArrow + boxes[i].ownArrows <= boxes[i].lastArrow);
                frames.push_back(i);
            }
        }
    }
};

Test test() {
    return {makes<TestGraphGroups>};
}

} // namespace lathe::testing::test_graph_groups

#include "test_graph_groups.moc"
