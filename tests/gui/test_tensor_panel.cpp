// SPDX-License-Identifier: GPL-3.0-or-later
// Values of constants: which tensor a name means, the table over a tensor's axes, and the way from a row of the page Model to
// the panel and its file, by mouse and keys in a real window.
// Needs: lathe-runner samples
#include "app/main_window.h"
#include "driver/tensor_files.h"
#include "gui/sample_graph.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"
#include "views/models/graph/attribute_model.h"
#include "views/models/graph/tensor_model.h"
#include "views/page/table.h"
#include "views/tensor/tensor_panel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QDockWidget>
#include <QFile>
#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolTip>
#include <algorithm>
#include <fcntl.h>
#include <numeric>
#include <qcustomplot.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::testing::test_tensor_panel {

using views::models::NamedTensor;
using views::models::TensorModel;
using views::tensor::TensorPanel;

namespace {

template <typename T>
model::TensorPtr tensorOf(DataType dtype, std::vector<int64_t> shape, std::vector<T> values) {
    auto owner = std::make_shared<std::vector<T>>(std::move(values));
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->bytes = {owner, std::as_bytes(std::span(*owner))};
    return tensor;
}

/// Each element is its place in memory.
model::TensorPtr places(std::vector<int64_t> shape) {
    int64_t count = 1;
    for (const int64_t dim : shape)
        count *= dim;
    std::vector<int32_t> values(static_cast<size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return tensorOf(types::Int32, std::move(shape), std::move(values));
}

QString cell(const TensorModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

} // namespace

class TestTensorPanel : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() {
        isolate(folder_, "test_tensor_panel");
        QSettings().clear();
    }

    void axesOfTheTable() {
        TensorModel model;
        QAbstractItemModelTester tester(&model);
        model.show(places({2, 3, 4, 5}));
        QCOMPARE(model.outerAxes(), 2);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.columnCount(), 5);
        QCOMPARE(cell(model, 0, 0), QString("0"));
        QCOMPARE(cell(model, 3, 4), QString("19"));
        model.setIndex(0, 1);
        model.setIndex(1, 2);
        // 1·60 + 2·20 + 3·5 + 4
        QCOMPARE(cell(model, 3, 4), QString("119"));
        QVERIFY(model.index(3, 4).data(Qt::ToolTipRole).toString().contains("[1,2,3,4]"));
        model.show(places({7})); // a column
        QCOMPARE(model.rowCount(), 7);
        QCOMPARE(model.columnCount(), 1);
        QCOMPARE(cell(model, 6, 0), QString("6"));
        model.show(places({}));
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(cell(model, 0, 0), QString("0"));
        model.show(tensorOf(types::Float32, {3, 0}, std::vector<float>()));
        QCOMPARE(model.rowCount(), 0);
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void longAxesArePartsOfTheWhole() {
        TensorModel model;
        QAbstractItemModelTester tester(&model);
        model.show(places({2, 25'000}));
        QCOMPARE(model.columnCount(), TensorModel::mostShown);
        model.setFirst(Qt::Horizontal, 20'000);
        QCOMPARE(model.columnCount(), 5'000);
        QCOMPARE(cell(model, 1, 0), QString("45000"));
        QCOMPARE(model.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QString("20000"));
        model.setFirst(Qt::Horizontal, 1'000'000); // the last stays in sight
        QCOMPARE(model.columnCount(), 1);
        QCOMPARE(cell(model, 1, 0), QString("49999"));
    }

    void elementsOfAllKinds() {
        const auto text = [](const model::TensorPtr& tensor, int place) {
            return views::models::elementText(*tensor, place);
        };
        const std::vector<int64_t> wide{9'007'199'254'740'993, std::numeric_limits<int64_t>::min()};
        QCOMPARE(text(tensorOf(types::Int64, {2}, wide), 0), QString("9007199254740993"));
        QCOMPARE(text(tensorOf(types::UInt64, {2}, wide), 1), QString("9223372036854775808"));
        QCOMPARE(text(tensorOf(types::Bool, {2}, std::vector<uint8_t>{0, 1}), 1), QString("true"));
        QCOMPARE(text(tensorOf(types::BFloat16, {1}, std::vector<uint16_t>{0x3fc0}), 0), QString("1.5"));
        QCOMPARE(text(tensorOf(types::Float32, {1}, std::vector<float>{0.1F}), 0).toFloat(), 0.1F);
        QCOMPARE(text(tensorOf(types::Float32, {1}, std::vector<float>{-INFINITY}), 0), QString("-inf"));
        auto strings = std::make_shared<model::TensorData>();
        strings->dtype = types::String;
        strings->shape = {2};
        strings->strings = {"plain", "<b>bold</b>"};
        TensorModel model;
        QAbstractItemModelTester tester(&model);
        model.show(strings);
        QCOMPARE(cell(model, 1, 0), QString("<b>bold</b>"));
        // The tooltip of a table shows it as it is.
        QTableView table;
        views::setUpTable(table, model);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        const QPoint place = table.visualRect(model.index(1, 0)).center();
        QHelpEvent help(QEvent::ToolTip, place, table.viewport()->mapToGlobal(place));
        QCoreApplication::sendEvent(table.viewport(), &help);
        QVERIFY(QToolTip::text().contains("&lt;b&gt;bold"));
        QToolTip::hideText();
    }

    void heatFollowsTheValue() {
        TensorModel model;
        QAbstractItemModelTester tester(&model);
        model.show(tensorOf(types::Float32, {4}, std::vector<float>{0, 1, 2, NAN}));
        const auto background = [&](int row) { return model.index(row, 0).data(Qt::BackgroundRole).value<QColor>(); };
        QVERIFY(!background(0).isValid());
        const views::models::Colors colors = views::models::colorsFor(QPalette());
        model.setHeat(TensorModel::Heat{colors, 0, 2});
        QCOMPARE(background(0), colors.ofShare(0));
        QCOMPARE(background(1), colors.ofShare(0.5));
        QCOMPARE(background(2), colors.ofShare(1));
        QVERIFY(background(3) != background(0) && background(3) != background(2));
        model.show(places({3}));
        QVERIFY(!background(0).isValid()); // its range is another
    }

    /// A name means what the innermost graph around the node says.
    void namesOfNestedGraphs() {
        const auto outerValue = places({2}), innerValue = places({3}), held = places({4});
        auto branch = std::make_shared<model::Graph>();
        branch->initializers = {{"w", innerValue}};
        branch->nodes = {node("Add", "inner", {"w", "k"}, {"s"}), node("Constant", "", {}, {"c"}),
                         node("Mul", "last", {"c", "x"}, {"b"})};
        branch->nodes[1].attributes.push_back({"value", held});
        auto other = std::make_shared<model::Graph>();
        other->nodes = {node("Neg", "other", {"w"}, {"o"})};
        auto graph = std::make_shared<model::Graph>();
        graph->inputs = {{"x", {}}};
        graph->initializers = {{"w", outerValue}, {"k", outerValue}};
        graph->nodes = {node("If", "if", {"x"}, {"y"})};
        graph->nodes[0].attributes.push_back({"then_branch", std::shared_ptr<const model::Graph>(branch)});
        graph->nodes[0].attributes.push_back({"else_branch", std::shared_ptr<const model::Graph>(other)});
        const auto model = modelOf(graph);
        const auto idOf = [&](const std::string& name) {
            return int(std::ranges::find(model->nodes, name, &model::Node::name) - model->nodes.begin());
        };
        const auto constantOf = [](const model::ModelGraph& graph, int id, const char* name) {
            return views::models::constantsOf(graph, id, {name}).front();
        };
        QCOMPARE(constantOf(*model, idOf("inner"), "w"), innerValue);
        QCOMPARE(constantOf(*model, idOf("inner"), "k"), outerValue);
        QCOMPARE(constantOf(*model, idOf("other"), "w"), outerValue);
        QCOMPARE(constantOf(*model, idOf("last"), "c"), held);
        QVERIFY(!constantOf(*model, idOf("last"), "x"));
        QVERIFY(!constantOf(*model, idOf("last"), ""));
        QVERIFY(!constantOf(*model, idOf("last"), "s")); // computed
        const auto rows = views::models::attributesOf(*model, idOf("last"));
        QVERIFY(std::ranges::any_of(rows, [&](const auto& row) { return row.tensor.tensor == held; }));
    }

    void largeOnesOnAWorker() {
        TensorPanel panel;
        panel.resize(900, 300);
        panel.show();
        QSignalSpy settled(&panel, &TensorPanel::settled);
        // The second takes the place of the first, which is not heard of any more.
        panel.setTensor({"first", places({3'000'000})});
        QVERIFY(panel.isBusy());
        QVERIFY(!panel.statistics());
        panel.setTensor({"second", places({2, 1'000'000})});
        QVERIFY(QTest::qWaitFor([&] { return !panel.isBusy() && panel.statistics(); }, patience));
        QCOMPARE(panel.statistics()->elements, int64_t(2'000'000));
        QCOMPARE(panel.statistics()->maximum, 1'999'999.0);
        QVERIFY(settled.count() >= 1);
        QCOMPARE(panel.plot()->plottableCount(), 1);
        panel.setTensor({"third", places({3'000'000})});
        panel.setTensor({}); // nobody waits for it
        QVERIFY(!panel.isBusy());
        QTest::qWait(50);
        QVERIFY(!panel.statistics());
        QCOMPARE(panel.values()->rowCount(), 0);
    }

    void fieldsMoveTheTable() {
        TensorPanel panel;
        panel.resize(900, 300);
        panel.show();
        panel.setTensor({"<i>k</i>", places({3, 2, 2, 2})});
        QVERIFY(std::ranges::any_of(panel.findChildren<QLabel*>(), [](const QLabel* label) {
            return label->text().contains("<i>k</i>") && label->textFormat() == Qt::PlainText;
        }));
        const auto fields = panel.findChildren<QSpinBox*>();
        QCOMPARE(fields.size(), 2);
        QCOMPARE(fields[0]->maximum(), 2);
        fields[0]->setFocus();
        QTest::keyClick(fields[0], Qt::Key_Up);
        QTest::keyClick(fields[0], Qt::Key_Up);
        QTest::keyClick(fields[1], Qt::Key_Up);
        QCOMPARE(cell(*panel.values(), 0, 0), QString("20")); // 2·8 + 1·4
        auto* heat = panel.findChild<QCheckBox*>();
        const auto background = [&] { return panel.values()->index(0, 0).data(Qt::BackgroundRole); };
        QVERIFY(!background().isValid());
        QTest::mouseClick(heat, Qt::LeftButton, {}, QPoint(8, heat->height() / 2));
        QVERIFY(heat->isChecked());
        QVERIFY(background().isValid());
        // Stays so for the next one.
        panel.setTensor({"b", places({4})});
        QVERIFY(background().isValid());
        QCOMPARE(panel.findChildren<QSpinBox*>().size(), 0);
    }

    /// A pipe takes as much as is read of it: so it is still being written when the button is pressed.
    void savingIsStopped() {
        constexpr size_t bytes = 16 << 20;
        TensorPanel panel;
        panel.resize(900, 300);
        panel.show();
        panel.setTensor({"a", tensorOf(types::UInt8, {int64_t(bytes)}, std::vector<uint8_t>(bytes))});
        QVERIFY(QTest::qWaitFor([&] { return !panel.isBusy(); }, patience));
        const QByteArray pipe = folder_.filePath("pipe.npy").toLocal8Bit();
        QCOMPARE(mkfifo(pipe.constData(), 0600), 0);
        const int reader = ::open(pipe.constData(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reader >= 0);
        auto* button = panel.findChild<QPushButton*>();
        QVERIFY(button->text().contains("Save"));
        QSignalSpy saved(&panel, &TensorPanel::saved), settled(&panel, &TensorPanel::settled);
        panel.save(folder_.filePath("pipe.npy"));
        QVERIFY(button->text().contains("Stop") && button->isEnabled());
        QTest::mouseClick(button, Qt::LeftButton);
        size_t got = 0;
        std::vector<char> buffer(1 << 16);
        QVERIFY(QTest::qWaitFor(
            [&] {
                const ssize_t part = ::read(reader, buffer.data(), buffer.size());
                got += part > 0 ? size_t(part) : 0;
                return !panel.isBusy() && part <= 0;
            },
            patience));
        ::close(reader);
        QVERIFY2(got < bytes, qPrintable(QString::number(got)));
        QVERIFY(saved.isEmpty() && !settled.isEmpty());
        QVERIFY(button->text().contains("Save") && button->isEnabled());
    }

    void fromTheModelToAFile() {
        app::MainWindow window;
        window.resize(1200, 800);
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        auto* panel = window.tensorPanel();
        auto* dock = qobject_cast<QDockWidget*>(panel->parentWidget());
        QVERIFY(dock && !dock->isVisible());
        const auto* graph = window.modelGraph();
        // A node that reads an initializer.
        const auto reads = [&](const model::Node* node) {
            return node && std::ranges::any_of(node->inputs, [&](const std::string& input) {
                       return views::models::constantsOf(*graph, node->id, {input}).front() != nullptr;
                   });
        };
        const auto found = std::ranges::find_if(graph->nodes, reads);
        QVERIFY(found != graph->nodes.end());
        auto* action = window.actions()["model.values"];
        QVERIFY(!action->isEnabled());
        window.modelPage()->revealNode((*found)->id);
        QVERIFY(action->isEnabled());

        auto* rows = window.modelPage()->findChild<views::models::AttributeModel*>();
        auto* table = window.modelPage()->findChild<QTableView*>();
        const auto row =
            std::ranges::find_if(rows->rows(), [](const auto& each) { return each.tensor.tensor != nullptr; });
        const auto tensor = row->tensor.tensor;
        const QModelIndex index = rows->index(int(row - rows->rows().begin()), 1);
        table->scrollTo(index);
        const QPoint place = table->visualRect(index).center();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, place);
        QVERIFY(!dock->isVisible());
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, place);
        QVERIFY(dock->isVisible());
        QCOMPARE(panel->values()->tensor(), tensor);
        QVERIFY(QTest::qWaitFor([&] { return panel->statistics().has_value(); }, patience));
        QCOMPARE(panel->statistics()->elements, tensor->elements());

        // By keys: Enter on the row, then the action's own.
        dock->close();
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Return);
        QVERIFY(dock->isVisible());
        dock->close();
        window.modelPage()->canvas()->setFocus();
        QTest::keyClick(&window, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(dock->isVisible());

        const QString path = folder_.filePath("values.npy");
        QSignalSpy saved(panel, &TensorPanel::saved);
        panel->save(path);
        QVERIFY(saved.wait(patience));
        QCOMPARE(saved[0][1].toString(), QString());
        const auto read = driver::readTensorFile(path.toStdString());
        QVERIFY(read.has_value());
        QCOMPARE(read->shape, tensor->shape);
        QVERIFY(std::ranges::equal(read->bytes, tensor->bytes.view));
        // What cannot be written says so.
        QString told;
        QTimer closer; // the box waits in an event loop of its own
        connect(&closer, &QTimer::timeout, this, [&] {
            if (QWidget* box = QApplication::activeModalWidget()) {
                told = box->property("text").toString();
                QTest::keyClick(box, Qt::Key_Escape);
            }
        });
        closer.start(20);
        panel->save(folder_.filePath("no/such/folder.npy"));
        QVERIFY(QTest::qWaitFor([&] { return !told.isEmpty() && saved.count() == 2; }, patience));
        QVERIFY(told.contains("cannot be written"));

        // Another model: its values are not those of the one before.
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QCOMPARE(panel->values()->tensor(), nullptr);
        QVERIFY(!panel->statistics());
    }
};

Test test() {
    return {makes<TestTensorPanel>, Application::Window};
}

} // namespace lathe::testing::test_tensor_panel

#include "test_tensor_panel.moc"
