// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is compiled and run for, chosen with real keys: the sizes that it leaves open reach the run, and its target,
// threads and numerics the compilation.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "app/run_settings.h"
#include "arith/expr.h"
#include "driver/tensor_files.h"
#include "gui/window.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <QTimer>

using namespace lathe;
using namespace lathe::testing;
using app::MainWindow;
using app::RunSettings;
using app::RunSettingsDialog;

class TestRunSettings : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// Opens the dialog by its key and lets `act` use it.
    template <class Act>
    static void inDialog(MainWindow& window, const Act& act) {
        window.activateWindow();                       // a dialog before it may have taken that away
        QVERIFY(QTest::qWaitForWindowActive(&window)); // keys belong to the active one
        bool done = false;
        QTimer::singleShot(0, &window, [&] {
            auto dialog = qobject_cast<RunSettingsDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            act(*dialog);
            done = true;
            dialog->close();
        });
        QTest::keyClick(&window, Qt::Key_Comma, Qt::ControlModifier);
        QVERIFY(done);
    }
    static void accept(RunSettingsDialog& dialog) {
        QTest::mouseClick(dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok), Qt::LeftButton);
    }
    static QComboBox* target(RunSettingsDialog& dialog) {
        const auto boxes = dialog.findChildren<QComboBox*>();
        return *std::ranges::find_if(boxes, &QComboBox::isEditable);
    }
    static bool runAndWait(MainWindow& window) {
        Settled settled(window);
        window.run();
        return settled.wait();
    }

private slots:
    void initTestCase() { isolate(folder_, "test_run_settings"); }
    void init() { QSettings().clear(); }

    void openSizesReachTheRun() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        const model::ModelGraph* graph = window.modelGraph();
        const auto open = views::models::openSizesOf(*graph);
        QVERIFY(!open.empty());
        inDialog(window, [&](RunSettingsDialog& dialog) {
            auto sizes = dialog.findChild<QTableWidget*>();
            QCOMPARE(sizes->rowCount(), int(open.size()));
            for (int row = 0; row < sizes->rowCount(); ++row) {
                auto box = qobject_cast<QSpinBox*>(sizes->cellWidget(row, 1));
                QVERIFY(box);
                box->selectAll();
                QTest::keyClicks(box, row == 0 ? "3" : "24");
            }
            accept(dialog);
        });
        const auto& sizes = window.runSettings().sizes;
        QCOMPARE(sizes.at(open.front().name), qint64{3});
        const driver::Shapes wanted = views::models::shapesWith(*graph, sizes);
        QVERIFY(!wanted.empty());
        QVERIFY(compileAndWait(window));
        QVERIFY(runAndWait(window));
        const driver::Shapes& ran = window.profilePage()->model()->profile().shapes;
        for (const auto& shape : wanted)
            QVERIFY(std::ranges::find(ran, shape) != ran.end());
        // The page says what was measured.
        const auto labels = window.profilePage()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](QLabel* label) { return label->text().contains(QStringLiteral("×")); }));
    }

    void aCompilationFollowsThem() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        RunSettings settings;
        settings.target = "x86-64-v3";
        window.setRunSettings(settings);
        QVERIFY(compileAndWait(window));
        const auto instructions = [&] {
            std::string all;
            for (const driver::KernelRecord& kernel : window.provenance()->trace().kernels)
                if (const auto listing = kernel.listing())
                    for (const driver::Instruction& each : listing->instructions)
                        all += each.text + "\n";
            return all;
        };
        const std::string narrow = instructions();
        QVERIFY(narrow.find("ymm") != std::string::npos && narrow.find("zmm") == std::string::npos);
        settings.target = "x86-64-v4";
        window.setRunSettings(settings);
        QVERIFY(compileAndWait(window));
        QVERIFY(instructions().find("zmm") != std::string::npos);
    }

    /// "?" is what exporters write for every size that they do not know: two of them are two sizes.
    void unknownSizesAreNotOne() {
        model::ModelGraph graph;
        auto inner = std::make_shared<model::Graph>();
        model::Value input{"x", {}};
        input.type.kind = model::ValueType::Kind::Tensor;
        input.type.hasShape = true;
        input.type.shape = {{-1, "?"}, {-1, "?"}, {-1, "n"}, {8, ""}};
        inner->inputs = {input, {"y", input.type}};
        graph.graph = inner;
        const auto open = views::models::openSizesOf(graph);
        QCOMPARE(open.size(), size_t{5}); // four unknown ones and n
        const driver::Shapes shapes = views::models::shapesWith(graph, {{"x[1]", 128}, {"n", 3}});
        QCOMPARE(shapes.at(0).second, (std::vector<int64_t>{1, 128, 3, 8}));
        QCOMPARE(shapes.at(1).second, (std::vector<int64_t>{1, 1, 3, 8}));
    }

    void aWrongTargetIsSaid() {
        MainWindow window;
        window.show();
        inDialog(window, [](RunSettingsDialog& dialog) {
            QPushButton* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
            QVERIFY(ok->isEnabled());
            target(dialog)->lineEdit()->selectAll();
            QTest::keyClicks(target(dialog)->lineEdit(), "haswel");
            QVERIFY(!ok->isEnabled());
            const auto labels = dialog.findChildren<QLabel*>();
            QVERIFY(std::ranges::any_of(labels, [](QLabel* label) { return label->text().contains("haswell"); }));
            QTest::keyClicks(target(dialog)->lineEdit(), "l");
            QVERIFY(ok->isEnabled());
            accept(dialog);
        });
        QCOMPARE(window.runSettings().target, QStringLiteral("haswell"));
        MainWindow next; // kept
        QCOMPARE(next.runSettings().target, QStringLiteral("haswell"));
        QSettings().setValue("run/target", "no such cpu");
        QSettings().setValue("run/threads", -7);
        QVERIFY(RunSettings::kept() == RunSettings());
    }

    /// An input from a file says the sizes, and what is wrong with it stands in Problems by file and input.
    void inputsFromFiles() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        const model::Value& first = window.modelGraph()->graph->inputs.front();
        const auto write = [&](const QString& name, DataType dtype, int64_t open) {
            model::HostTensor tensor;
            tensor.dtype = dtype;
            for (const model::Dim& dim : first.type.shape)
                tensor.shape.push_back(dim.value >= 0 ? dim.value : open);
            tensor.bytes.resize(size_t(tensor.elements() * dtype.bytes()));
            const QString file = folder_.filePath(name);
            return driver::writeNpy(file.toStdString(), tensor) ? file : QString();
        };
        const QString good = write("good.npy", first.type.dtype, 5), bad = write("bad.npy", types::Float64, 5);
        QVERIFY(!good.isEmpty() && !bad.isEmpty());
        const auto chooseFile = [&](const QString& file) {
            inDialog(window, [&](RunSettingsDialog& dialog) {
                auto field = qobject_cast<QLineEdit*>(dialog.findChild<QTableWidget*>("inputs")->cellWidget(0, 1));
                QVERIFY(field);
                QPushButton* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
                field->selectAll();
                QTest::keyClicks(field, folder_.filePath("nowhere.npy"));
                QVERIFY(!ok->isEnabled());
                field->selectAll();
                QTest::keyClicks(field, file);
                QVERIFY(ok->isEnabled());
                accept(dialog);
            });
        };
        chooseFile(good);
        QVERIFY(RunSettings::fromJson(window.runSettings().toJson()) == window.runSettings()); // as in a project
        QVERIFY(window.runSettings().text(window.modelGraph()).contains("from files"));
        QVERIFY(runAndWait(window));
        const driver::Profile& profile = window.profilePage()->model()->profile();
        QCOMPARE(profile.given, std::vector<std::string>{first.name});
        for (size_t dim = 0; dim < first.type.shape.size(); ++dim)
            if (first.type.shape[dim].value < 0)
                QCOMPARE(profile.shapes.front().second[dim], int64_t{5});
        const auto labels = window.profilePage()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](QLabel* label) { return label->text().contains("from files"); }));

        chooseFile(bad);
        QVERIFY(runAndWait(window));
        const auto& problems = *window.problems()->model();
        QVERIFY(problems.errors() > 0);
        QCOMPARE(QString::fromStdString(problems.at(0).file), bad);
        QVERIFY(problems.at(0).what.find("'" + first.name + "'") != std::string::npos);

        QVERIFY(openAndWait(window, sample("small_cnn.onnx"))); // the files were the other model's
        QVERIFY(window.runSettings().inputs == driver::InputChoice());
    }

    /// Run compiles where nothing is compiled, or something else than the settings of now say; else it does not.
    void runCompilesWhatIsNotCompiled() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QVERIFY(runAndWait(window));
        QVERIFY(window.isCompiled());
        QVERIFY(!window.profilePage()->model()->profile().rows.empty());
        const auto first = window.provenance();
        app::RunSettings settings = window.runSettings();
        settings.threads = 1;
        settings.sizes = views::models::SizeValues();
        window.setRunSettings(settings);
        QVERIFY(runAndWait(window));
        QVERIFY(window.provenance() == first);
        QCOMPARE(window.profilePage()->model()->profile().threads, 1);
        settings.numerics = driver::NumericsLevel::Strict;
        window.setRunSettings(settings);
        QVERIFY(runAndWait(window));
        QVERIFY(window.provenance() != first);
        QVERIFY(window.baseline() && window.baseline()->provenance == first);
        // Strict numerics switch off what reorders sums.
        const auto& passes = window.provenance()->trace().passes;
        const auto variants = std::ranges::find(passes, "choose variants", &driver::PassRecord::name);
        QVERIFY(variants != passes.end() && !variants->enabled);
        settings.fixSizes = true;
        window.setRunSettings(settings);
        QVERIFY(runAndWait(window));
        QVERIFY(!window.profilePage()->model()->profile().rows.empty());
        for (const driver::CallRecord& call : window.provenance()->trace().calls)
            QVERIFY(arith::asInt(call.flops)); // no size is open any more
    }
};

QTEST_MAIN(TestRunSettings)
#include "test_run_settings.moc"
