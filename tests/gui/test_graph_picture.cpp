// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn of a graph: constants and hubs inside boxes, arrows else, refused nodes with their reason.
#include "gui/sample_graph.h"
#include "support/program_of_tests.h"
#include "views/models/graph/attribute_model.h"
#include "views/models/graph/graph_picture.h"

#include <QTest>

namespace lathe::testing::test_graph_picture {

using namespace lathe::views::models;

class TestGraphPicture : public QObject {
    Q_OBJECT

private slots:
    void constantsLiveInsideTheirReaders() {
        const auto model = testing::residualBlock();
        const GraphPicture picture = pictureOf(*model, *model->graph);
        QCOMPARE(picture.boxes.size(), size_t(5)); // x, Conv, Relu, Add, y: no box for W
        const GraphBox& conv = picture.boxes[picture.boxOfNode.at(0)];
        QCOMPARE(conv.title, QString("Conv"));
        QCOMPARE(conv.lines, QStringList("W float32[8,8,3,3]"));
        QCOMPARE(picture.arrows.size(), size_t(5)); // x-Conv, Conv-Relu, Relu-Add, Conv-Add, Add-y
    }

    void constantNodeLeadsToItsReader() {
        auto graph = std::make_shared<model::Graph>();
        graph->nodes = {testing::node("Constant", "", {}, {"k"}), testing::node("Neg", "n", {"k"}, {"y"})};
        graph->outputs.push_back({"y", {}});
        const auto model = testing::modelOf(graph);
        const GraphPicture picture = pictureOf(*model, *model->graph);
        QCOMPARE(picture.boxes.size(), size_t(2));
        QCOMPARE(picture.boxOfNode.at(0), picture.boxOfNode.at(1));
    }

    void boxesHaveTheFamiliesOfTheirOperators() {
        const auto model = testing::residualBlock();
        const GraphPicture picture = pictureOf(*model, *model->graph);
        QCOMPARE(picture.boxes[picture.boxOfNode.at(0)].family, model::Family::Product);
        QCOMPARE(picture.boxes[picture.boxOfNode.at(1)].family, model::Family::Activation);
        QCOMPARE(picture.boxes[picture.boxOfNode.at(2)].family, model::Family::Arithmetic);
        // Nested graphs are what a reader looks for, whatever the operator.
        const auto branches = testing::refusedInBranch();
        const GraphPicture outside = pictureOf(*branches, *branches->graph);
        QCOMPARE(outside.boxes[outside.boxOfNode.at(1)].family, model::Family::Control);
    }

    void valueWithManyReadersIsNamedInThem() {
        const auto model = testing::chainWithMask(20);
        const GraphPicture picture = pictureOf(*model, *model->graph);
        for (const GraphArrow& arrow : picture.arrows)
            QVERIFY(arrow.value != "mask");
        for (int node = 0; node < 20; ++node)
            QVERIFY(picture.boxes[picture.boxOfNode.at(node)].lines.contains(QStringLiteral("◂ mask")));
    }

    void valuesUsedInBranchesAreArrowsToTheIf() {
        const auto model = testing::refusedInBranch();
        const GraphPicture picture = pictureOf(*model, *model->graph);
        const int relu = picture.boxOfNode.at(0), choice = picture.boxOfNode.at(1);
        QVERIFY(std::any_of(picture.arrows.begin(), picture.arrows.end(), [&](const GraphArrow& arrow) {
            return arrow.from == relu && arrow.to == choice && arrow.value == "x";
        }));
    }

    void refusedNodeIsMarkedAlsoFromOutside() {
        const auto model = testing::refusedInBranch();
        const GraphPicture outside = pictureOf(*model, *model->graph);
        QVERIFY(outside.boxes[outside.boxOfNode.at(1)].refused);
        QVERIFY(!outside.boxes[outside.boxOfNode.at(0)].refused);

        const auto way = wayTo(*model, 3);
        QCOMPARE(way.size(), size_t(1));
        QCOMPARE(way[0].first, 1);
        QCOMPARE(way[0].second, QString("else_branch"));
        const auto nested = nestedGraphs(*model->nodes[1]);
        const GraphPicture inside = pictureOf(*model, *nested[1].second);
        QCOMPARE(inside.boxes[inside.boxOfNode.at(3)].reason, QString("the operator is unknown"));
    }

    /// Where the author's program has a node, and of the model which of its graphs this is and what it keeps.
    void attributesOfPrograms() {
        auto model = testing::residualBlock();
        auto graph = std::make_shared<model::Graph>(*model->graph);
        graph->nodes[0].source = {{"/home/ann/net.py", 13, "forward", "x = self.stem(x)"}, {"net.py:7", 0, "", ""}};
        model->graph = graph;
        model->signatures = {"decode", "encode"};
        model->signature = "encode";
        model->states = {{{"h", {}}, nullptr}};
        model::indexNodes(*model);
        QStringList sources, facts;
        for (const AttributeRow& row : attributesOf(*model, graph->nodes[0].id))
            if (row.group == "Source")
                sources << row.name + ": " + row.value;
        QCOMPARE(sources, (QStringList{"net.py:13: x = self.stem(x)  (forward, /home/ann/net.py)", "net.py:7: "}));
        for (const AttributeRow& row : attributesOf(*model, -1))
            if (row.name == "Signature" || row.group == "States")
                facts << row.name + ": " + row.value;
        QCOMPARE(facts, (QStringList{"Signature: encode, of decode, encode", "h: ?"}));
    }

    void attributesNameOperandsTypesAndReasons() {
        const auto model = testing::residualBlock();
        bool pads = false, weights = false;
        for (const AttributeRow& row : attributesOf(*model, 0)) {
            pads = pads || (row.group == "Attributes" && row.name == "pads");
            weights = weights || (row.group == "Inputs" && row.value.startsWith("W  constant"));
        }
        QVERIFY(pads);
        QVERIFY(weights);
        const auto refused = attributesOf(*testing::refusedInBranch(), 3);
        QVERIFY(refused[0].problem);
        QCOMPARE(refused[0].value, QString("the operator is unknown"));
    }
};

Test test() {
    return {makes<TestGraphPicture>};
}

} // namespace lathe::testing::test_graph_picture

#include "test_graph_picture.moc"
