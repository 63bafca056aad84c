// SPDX-License-Identifier: GPL-3.0-or-later
// What a model keeps from one run to the next, in the window: shown before and after a run, gone on from, written into its cell,
// from a file, and begun anew.
// Needs: lathe-runner
// Links: tflite_schema
// Timeout: 600
#include "driver/tensor_files.h"
#include "gui/window.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"
#include "support/tflite_model.h"
#include "views/graph/model_page.h"
#include "views/models/graph/attribute_model.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"
#include "views/profile/states_panel.h"
#include "views/tensor/tensor_panel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

namespace lathe::testing::test_states {

using app::MainWindow;
using views::models::StateModel;

class TestStates : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, ones_;

    static bool runAndWait(MainWindow& window) {
        Settled settled(window);
        window.run();
        return settled.wait();
    }
    static StateModel* states(MainWindow& window) { return window.profilePage()->states()->model(); }
    static QString cell(MainWindow& window, int column) { return states(window)->index(0, column).data().toString(); }
    /// The model is open, and runs on ones.
    bool opened(MainWindow& window) {
        window.show();
        if (!openAndWait(window, model_))
            return false;
        app::RunSettings settings = window.runSettings();
        settings.inputs.files.byName["x"] = ones_.toStdString();
        window.setRunSettings(settings);
        return true;
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_states");
        model_ = folder_.filePath("stream.tflite");
        ones_ = folder_.filePath("ones.npy");
        QFile file(model_);
        const std::string bytes = bytesOf(streamTflite());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes.data(), qint64(bytes.size())) > 0);
        QVERIFY(
            driver::writeNpy(ones_.toStdString(), tensorOf<float>(types::Float32, {2, 3}, std::vector<float>(6, 1))));
    }
    void init() { QSettings().clear(); }

    void runsAreSeenAndGoneOnFrom() {
        MainWindow window;
        QVERIFY(opened(window));
        QCOMPARE(states(window)->rowCount(), 1);
        QCOMPARE(cell(window, StateModel::Type), "float32[2,3]");
        QCOMPARE(cell(window, StateModel::Model), "1 2 3 4 5 6");
        QCOMPARE(cell(window, StateModel::After), QString());
        QVERIFY(runAndWait(window));
        QCOMPARE(window.problems()->model()->errors(), 0);
        QCOMPARE(cell(window, StateModel::After), "2 3 4 5 6 7"); // of one run, however often it was measured
        QVERIFY(runAndWait(window));
        QCOMPARE(cell(window, StateModel::After), "2 3 4 5 6 7"); // each begins anew
        window.profilePage()->states()->goOn()->click();
        QVERIFY(window.runSettings().goOn);
        QVERIFY(runAndWait(window));
        QCOMPARE(cell(window, StateModel::After), "3 4 5 6 7 8");
        QVERIFY(runAndWait(window));
        QCOMPARE(cell(window, StateModel::After), "4 5 6 7 8 9");

        // What is written into the cell goes before what the last run left.
        const QModelIndex begins = states(window)->index(0, StateModel::Begins);
        QVERIFY(states(window)->setData(begins, "-1", Qt::EditRole));
        QVERIFY(runAndWait(window));
        QCOMPARE(cell(window, StateModel::After), "0 0 0 0 0 0");
        QVERIFY(states(window)->setData(begins, ones_, Qt::EditRole));
        QVERIFY(runAndWait(window));
        QCOMPARE(cell(window, StateModel::After), "2 2 2 2 2 2");
        QVERIFY(app::RunSettings::fromJson(window.runSettings().toJson()) == window.runSettings());

        QTest::mouseClick(window.profilePage()->states()->resetButton(), Qt::LeftButton);
        QCOMPARE(cell(window, StateModel::After), QString());
        QVERIFY(window.runSettings().states.empty());
        QVERIFY(runAndWait(window));
        QCOMPARE(cell(window, StateModel::After), "2 3 4 5 6 7");

        // A file that does not fit is said by its name.
        const QString other = folder_.filePath("other.npy");
        QVERIFY(driver::writeNpy(other.toStdString(), tensorOf<float>(types::Float32, {6}, std::vector<float>(6, 1))));
        QVERIFY(states(window)->setData(begins, other, Qt::EditRole));
        QVERIFY(runAndWait(window));
        QVERIFY(window.problems()->model()->errors() > 0);
        QCOMPARE(QString::fromStdString(window.problems()->model()->at(0).file), other);
    }

    /// A project has how runs begin; another model has nothing of it.
    void aProjectKeepsThem() {
        const QString project = folder_.filePath("stream.lathe");
        {
            MainWindow window;
            QVERIFY(opened(window));
            QVERIFY(states(window)->setData(states(window)->index(0, StateModel::Begins), "0.5", Qt::EditRole));
            window.saveProject(project);
            QVERIFY(QTest::qWaitFor([&] { return window.projectPath() == project; }, patience));
        }
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, project));
        QCOMPARE(cell(window, StateModel::Begins), "0.5");
        QFile copy(model_);
        const QString again = folder_.filePath("again.tflite");
        QVERIFY(copy.copy(again));
        QVERIFY(openAndWait(window, again));
        QCOMPARE(cell(window, StateModel::Begins), "as the model says");
    }

    void theModelSaysThem() {
        MainWindow window;
        QVERIFY(opened(window));
        const auto rows = views::models::attributesOf(*window.modelGraph(), -1);
        const auto state = std::ranges::find(rows, QStringLiteral("States"), &views::models::AttributeRow::group);
        QVERIFY(state != rows.end());
        QCOMPARE(state->value, "float32[2,3]");
        QCOMPARE(views::models::firstElements(state->tensor.tensor), "1 2 3 4 5 6");
        emit window.profilePage()->states()->table()->doubleClicked(states(window)->index(0, StateModel::Model));
        QVERIFY(QTest::qWaitFor([&] { return window.isSettled(); }, patience));
        QCOMPARE(window.tensorPanel()->values()->rowCount(), 2);
        // A model without any has no tab for them.
        const auto tabs = window.profilePage()->findChildren<QTabWidget*>();
        const auto isShown = [&] {
            return tabs.front()->isTabVisible(tabs.front()->indexOf(window.profilePage()->states()));
        };
        QVERIFY(isShown());
        QFile plain(folder_.filePath("plain.tflite"));
        const std::string bytes = bytesOf(smallTflite());
        QVERIFY(plain.open(QIODevice::WriteOnly) && plain.write(bytes.data(), qint64(bytes.size())) > 0);
        plain.close();
        QVERIFY(openAndWait(window, plain.fileName()));
        QVERIFY(!isShown());
    }

    void theTable() {
        StateModel model;
        QAbstractItemModelTester tester(&model);
        model::State state;
        state.value.name = "h";
        state.value.type = {.kind = model::ValueType::Kind::Tensor,
                            .dtype = types::Float32,
                            .hasShape = true,
                            .shape = {{100, {}}},
                            .element = nullptr,
                            .quantization = nullptr};
        model.show({state}, {{"h", "1"}, {"of another model", "2"}});
        QCOMPARE(model.beginnings(), (inspect::StateBeginnings{{"h", "1"}}));
        QCOMPARE(model.index(0, StateModel::Model).data().toString(), QString()); // it is not at hand
        model.setAfter({{"h", model::toData(tensorOf<float>(types::Float32, {100}, std::vector<float>(100, 2)))}});
        QCOMPARE(model.index(0, StateModel::After).data().toString(), "2 2 2 2 2 2 …");
        QVERIFY(!model.setData(model.index(0, StateModel::After), "3", Qt::EditRole));
        QVERIFY(model.setData(model.index(0, StateModel::Begins), "nowhere.npy", Qt::EditRole));
        QVERIFY(model.index(0, StateModel::Begins).data(Qt::ToolTipRole).toString().contains("nowhere.npy"));
        QVERIFY(model.setData(model.index(0, StateModel::Begins), " ", Qt::EditRole));
        QVERIFY(model.beginnings().empty());
    }
};

Test test() {
    return {makes<TestStates>, Application::Window};
}

} // namespace lathe::testing::test_states

#include "test_states.moc"
