// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts: arrows run downwards, boxes do not overlap, time grows about linearly, and what dot writes is read.
#include "gui/sample_graph.h"
#include "support/cpu_time.h"
#include "support/program_of_tests.h"
#include "views/models/graph/graph_layout.h"

#include <QTest>
#include <cmath>

namespace lathe::testing::test_graph_layout {

using namespace lathe::views::models;

namespace {

QRectF rectOf(const GraphPicture& picture, const GraphLayout& layout, size_t box) {
    const QSizeF size = picture.boxes[box].size;
    return {layout.centers[box] - QPointF(size.width() / 2, size.height() / 2), size};
}

void checkPlaces(const GraphPicture& picture, const GraphLayout& layout) {
    QCOMPARE(layout.centers.size(), picture.boxes.size());
    QCOMPARE(layout.paths.size(), picture.arrows.size());
    for (size_t i = 0; i < picture.boxes.size(); ++i)
        for (size_t k = i + 1; k < picture.boxes.size(); ++k)
            QVERIFY(!rectOf(picture, layout, i).intersects(rectOf(picture, layout, k)));
    for (size_t i = 0; i < picture.arrows.size(); ++i) {
        QVERIFY(layout.centers[picture.arrows[i].from].y() < layout.centers[picture.arrows[i].to].y());
        QCOMPARE(layout.paths[i].size() % 3, size_t(1));
    }
}

} // namespace

class TestGraphLayout : public QObject {
    Q_OBJECT

private slots:
    void layersOfResidualBlock() {
        const auto model = testing::residualBlock();
        const GraphPicture picture = pictureOf(*model, *model->graph);
        checkPlaces(picture, layeredLayout(picture));
    }

    void layersOfChainWithSkips() {
        const auto model = testing::chainWithMask(40);
        const GraphPicture picture = pictureOf(*model, *model->graph);
        checkPlaces(picture, layeredLayout(picture));
    }

    void longSkipsDoNotPullRowsAside() {
        // A chain, in which each node is read again a hundred nodes later.
        auto graph = std::make_shared<model::Graph>();
        graph->inputs = {{"v0", {}}, {"w", {}}};
        for (int i = 0; i < 600; ++i) {
            std::vector<std::string> inputs{"v" + std::to_string(i)};
            if (i >= 100)
                inputs.push_back("v" + std::to_string(i - 99));
            graph->nodes.push_back(testing::node("Sum", "", inputs, {"v" + std::to_string(i + 1)}));
        }
        graph->nodes.push_back(testing::node("Sum", "", {"v600", "w"}, {"y"}));
        graph->outputs = {{"y", {}}};
        const auto model = testing::modelOf(graph);
        const GraphPicture picture = pictureOf(*model, *model->graph);
        const GraphLayout layout = layeredLayout(picture);
        checkPlaces(picture, layout);
        // A hundred arrows run beside each other: no row is much wider than these.
        QVERIFY2(layout.bounds.width() < 100 * 60, qPrintable(QString::number(layout.bounds.width())));
    }

    void whatIsLongGoesOnInColumns() {
        const auto model = testing::chainWithMask(200);
        GraphPicture picture = pictureOf(*model, *model->graph);
        const GraphLayout line = layeredLayout(picture), columns = layeredLayout(picture, true);
        QVERIFY(line.bounds.height() > 20 * line.bounds.width());
        const double aspect = columns.bounds.width() / columns.bounds.height();
        QVERIFY2(aspect > 0.8 && aspect < 3, qPrintable(QString::number(aspect)));
        for (size_t i = 0; i < picture.boxes.size(); ++i)
            for (size_t k = i + 1; k < picture.boxes.size(); ++k)
                QVERIFY(!rectOf(picture, columns, i).intersects(rectOf(picture, columns, k)));
        // Arrows end where they should, also those around a column.
        for (size_t i = 0; i < picture.arrows.size(); ++i) {
            const QRectF from = rectOf(picture, columns, size_t(picture.arrows[i].from));
            const QRectF to = rectOf(picture, columns, size_t(picture.arrows[i].to));
            QCOMPARE(columns.paths[i].front(), QPointF(from.center().x(), from.bottom()));
            QCOMPARE(columns.paths[i].back(), QPointF(to.center().x(), to.top()));
        }
        // A box that grows pushes, and sends nothing to another column.
        GraphPicture open = picture;
        open.boxes[50].size = {900, 2000};
        const GraphLayout grown = layeredLayout(open, true);
        for (size_t i = 0; i < picture.boxes.size(); ++i)
            for (size_t k = i + 1; k < picture.boxes.size(); ++k) {
                QVERIFY(!rectOf(open, grown, i).intersects(rectOf(open, grown, k)));
                const double before = columns.centers[k].x() - columns.centers[i].x();
                if (std::abs(before) > 300) // another column: on the same side
                    QVERIFY(before * (grown.centers[k].x() - grown.centers[i].x()) > 0);
            }
    }

    void emptyPicture() { QVERIFY(layeredLayout({}).centers.empty()); }

    void cycleIsTolerated() {
        GraphPicture picture;
        picture.boxes.resize(3);
        for (GraphBox& box : picture.boxes)
            box.size = {50, 20};
        picture.arrows = {{0, 1, {}}, {1, 2, {}}, {2, 1, {}}};
        QCOMPARE(layeredLayout(picture).centers.size(), size_t(3));
    }

    void tenThousandNodesArePaintedSoon() {
        const auto model = testing::chainWithMask(10000);
        const double start = cpuSeconds();
        const GraphPicture picture = pictureOf(*model, *model->graph);
        const GraphLayout layout = layeredLayout(picture);
        QCOMPARE(layout.centers.size(), picture.boxes.size());
        // A quadratic step would take minutes; the bound leaves room for sanitizers.
        const double took = cpuSeconds() - start;
        QVERIFY2(took < 10, qPrintable(QString::number(took)));
    }

    void plainOutputOfDotIsRead() {
        const auto model = testing::residualBlock();
        const GraphPicture picture = pictureOf(*model, *model->graph);
        QByteArray plain = "graph 1 4 5\n";
        for (size_t i = 0; i < picture.boxes.size(); ++i)
            plain += "node n" + QByteArray::number(int(i)) + " 2 " + QByteArray::number(5 - int(i)) +
                     " 1 0.5 \"\" solid box black lightgrey\n";
        for (const GraphArrow& arrow : picture.arrows)
            plain += "edge n" + QByteArray::number(arrow.from) + " n" + QByteArray::number(arrow.to) +
                     " 4 1 4 1 3.5 1 3 1 2.5 solid black\n";
        const auto layout = fromDotPlain(picture, plain + "stop\n");
        QVERIFY(layout);
        QCOMPARE(layout->centers[1], QPointF(144, -288)); // inches, y upwards -> points, y downwards
        QCOMPARE(layout->paths[0].size(), size_t(4));
        QVERIFY(!fromDotPlain(picture, plain));                      // cut off
        QVERIFY(!fromDotPlain(picture, "node n99 1 1 1 1\nstop\n")); // of another picture
        QVERIFY(!fromDotPlain(picture, "garbage"));
    }
};

Test test() {
    return {makes<TestGraphLayout>};
}

} // namespace lathe::testing::test_graph_layout

#include "test_graph_layout.moc"
