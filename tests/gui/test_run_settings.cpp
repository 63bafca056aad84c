// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is compiled and run for, chosen with real keys: the sizes that it leaves open reach the run, and its target,
// threads and numerics the compilation.
// Needs: lathe-runner samples
// Timeout: 600
// Links: onnx
#include "app/main_window.h"
#include "app/run_settings_dialog.h"
#include "arith/expr.h"
#include "driver/tensor_files.h"
#include "gui/window.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "views/check/check_page.h"
#include "views/log/log_panel.h"
#include "views/models/inputs/input_files_model.h"
#include "views/models/inputs/open_size_model.h"
#include "views/passes/bisect_dialog.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <QTimer>

namespace lathe::testing::test_run_settings {

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
    /// Clicks into a row and writes over what is there; what is written counts once something else has the focus.
    static void write(QTableView* table, int row, const QString& text) {
        QWidget* window = table->window(); // else nothing in it has the focus
        window->activateWindow();
        QVERIFY(QTest::qWaitFor([&] { return QApplication::activeWindow() == window; }));
        const QRect cell = table->visualRect(table->model()->index(row, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
        QWidget* editor = QApplication::focusWidget();
        QVERIFY(editor && editor != table && table->isAncestorOf(editor));
        QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(editor, text);
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
            auto sizes = dialog.findChild<QTableView*>("sizes");
            QCOMPARE(sizes->model()->rowCount(), int(open.size()));
            for (int row = 0; row < sizes->model()->rowCount(); ++row)
                write(sizes, row, row == 0 ? "3" : "24");
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
        std::vector<Diagnostic> unread;
        QVERIFY(RunSettings::kept(&unread) == RunSettings());
        QCOMPARE(unread.size(), size_t(1));
        QVERIFY(unread[0].what.find("'no such cpu'; native stands in its place") != std::string::npos);
        MainWindow last;
        QVERIFY(last.logPanel()->text().contains("no such cpu"));
        unread.clear();
        QVERIFY(RunSettings::fromJson({}, &unread) == RunSettings() && unread.empty()); // nothing was kept
        QByteArray json = QByteArray::fromStdString(RunSettings().toJson());
        QVERIFY(RunSettings::fromJson(json.replace("native", "").replace("default", "sloppy").toStdString(), &unread) ==
                RunSettings());
        QCOMPARE(unread.size(), size_t(2));
        QVERIFY(unread[0].what.find("'sloppy'") != std::string::npos);
        QVERIFY(unread[1].what.find("the target is empty") != std::string::npos);
    }

    /// What is of another kind, out of range or of a later Lathe is said, and takes nothing else along.
    void settingsThatCannotBeRead_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("words");
        QTest::newRow("cut") << QByteArray("{\"seed\":7,\"thre") << "seed\\\":7";
        QTest::newRow("a list") << QByteArray("[7]") << "[7]";
        QTest::newRow("a word") << QByteArray(R"({"seed":7,"threads":"four"})") << "threads [\"four\"]";
        QTest::newRow("a part") << QByteArray(R"({"seed":7,"threads":1.5})") << "threads [1.5]";
        QTest::newRow("too many") << QByteArray(R"({"seed":7,"threads":5000})") << "threads [5000]";
        QTest::newRow("no sizes") << QByteArray(R"({"seed":7,"sizes":3})") << "sizes [3]";
        QTest::newRow("a size") << QByteArray(R"({"seed":7,"sizes":{"n":-3}})") << "sizes of n [-3]";
        QTest::newRow("a file") << QByteArray(R"({"seed":7,"input_files":{"x":5}})") << "input_files of x [5]";
        QTest::newRow("a number") << QByteArray(R"({"seed":7,"numerics":2})") << "numerics [2]";
        QTest::newRow("later") << QByteArray(R"({"seed":7,"precision":"half"})") << "precision [\"half\"]";
    }
    void settingsThatCannotBeRead() {
        QFETCH(QByteArray, json);
        QFETCH(QString, words);
        std::vector<Diagnostic> unread;
        const RunSettings read = RunSettings::fromJson(json.toStdString(), &unread);
        QCOMPARE(unread.size(), size_t(1));
        QVERIFY2(QString::fromStdString(unread[0].what).contains(words), unread[0].what.c_str());
        QVERIFY(unread[0].severity == Severity::Warning);
        RunSettings expected;
        expected.inputs.seed = json.endsWith('}') ? 7 : 0;
        QVERIFY(read == expected);
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
                auto inputs = dialog.findChild<QTableView*>("inputs");
                QPushButton* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
                TestRunSettings::write(inputs, 0, folder_.filePath("nowhere.npy"));
                QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return); // what is wrong keeps the dialog open
                QTRY_VERIFY(!ok->isEnabled());
                QVERIFY(dialog.isVisible());
                TestRunSettings::write(inputs, 0, file);
                QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
                QTRY_VERIFY(ok->isEnabled());
                accept(dialog);
            });
        };
        chooseFile(good);
        QVERIFY(RunSettings::fromJson(window.runSettings().toJson()) == window.runSettings()); // as in a project
        QVERIFY(window.runSettings().text(window.modelGraph()).contains("from files"));
        QVERIFY(runAndWait(window));
        const inspect::Profile& profile = window.profilePage()->model()->profile();
        QCOMPARE(profile.given, std::vector<std::string>{first.name});
        for (size_t dim = 0; dim < first.type.shape.size(); ++dim)
            if (first.type.shape[dim].value < 0)
                QCOMPARE(profile.shapes.front().second[dim], int64_t{5});
        const auto labels = window.profilePage()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](QLabel* label) { return label->text().contains("from files"); }));

        // So do check and bisect, which compile for themselves.
        Settled checked(window);
        window.check(diagnose::AgainstUnoptimized{});
        QVERIFY(checked.wait());
        QVERIFY(window.checkPage()->model()->check());
        QVERIFY(window.checkPage()->model()->check()->inputs.shapes == profile.shapes);

        chooseFile(bad);
        {
            Settled bisected(window);
            window.actions()["model.bisect"]->trigger();
            const auto buttons = window.bisectDialog()->findChildren<QPushButton*>();
            const auto start = std::ranges::find(buttons, QStringLiteral("&Start"), &QPushButton::text);
            QVERIFY(start != buttons.end());
            QTest::mouseClick(*start, Qt::LeftButton);
            QVERIFY(bisected.wait());
            QVERIFY(window.problems()->model()->errors() > 0);
            QCOMPARE(QString::fromStdString(window.problems()->model()->at(0).file), bad);
            window.bisectDialog()->close();
        }
        QVERIFY(runAndWait(window));
        const auto& problems = *window.problems()->model();
        QVERIFY(problems.errors() > 0);
        QCOMPARE(QString::fromStdString(problems.at(0).file), bad);
        QVERIFY(problems.at(0).what.find("'" + first.name + "'") != std::string::npos);

        QVERIFY(openAndWait(window, sample("small_cnn.onnx"))); // the files were the other model's
        QVERIFY(window.runSettings().inputs == inspect::InputChoice());
    }

    /// Of an input without a declared shape.
    void filesSaySizesAtNeed() {
        const QString path = folder_.filePath("undeclared.onnx"), x = folder_.filePath("x.npy");
        writeFile(path.toStdString(), graphBytes("g (float[] x) => (float[] y) { y = Relu (x) }"));
        QVERIFY(driver::writeNpy(x.toStdString(), tensorOf(types::Float32, {2, 3}, std::vector<float>(6, 1))));
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(compileAndWait(window));
        QVERIFY(window.problems()->model()->errors() > 0);
        RunSettings settings = window.runSettings();
        settings.inputs.files.byName["x"] = x.toStdString();
        window.setRunSettings(settings);
        QVERIFY(compileAndWait(window));
        QCOMPARE(window.problems()->model()->errors(), 0);
        QVERIFY(runAndWait(window));
        QCOMPARE(window.profilePage()->model()->profile().shapes, (driver::Shapes{{"x", {2, 3}}}));
    }

    void aFileIsLookedForWhenItIsSet() {
        int looked = 0;
        views::models::InputFilesModel model(
            [&](const QString& file) {
                ++looked;
                return file.startsWith("there");
            },
            nullptr);
        QAbstractItemModelTester tester(&model);
        std::vector<QString> names;
        for (int i = 0; i < 300; ++i)
            names.push_back(QStringLiteral("input%1").arg(i));
        model.show(names, {{"input7", "there.npy"}, {"input9", "gone.npy"}, {"of another model", "there.npy"}});
        QCOMPARE(looked, 2);
        QCOMPARE(model.rowCount(), 300);
        QVERIFY(model.problem().contains("input9") && model.problem().contains("gone.npy"));
        const auto write = [&](int row, const char* file) {
            return model.setData(model.index(row, views::models::InputFilesModel::File), file, Qt::EditRole);
        };
        QVERIFY(write(9, "there too.npy"));
        QCOMPARE(looked, 3);
        QVERIFY(model.problem().isEmpty());
        QVERIFY(write(9, "there too.npy")); // as it is
        QVERIFY(write(7, ""));
        QCOMPARE(looked, 3);
        const auto files = model.files();
        QCOMPARE(files.size(), size_t{1});
        QVERIFY(files.at("input9").ends_with("/there too.npy"));
        QVERIFY(!model.setData(model.index(0, 0), "x", Qt::EditRole));
        model.show({"a", "b"}, {});
        model.setFolder("there");
        QVERIFY(model.problem().isEmpty());
        QVERIFY(model.files().at("a").ends_with("/there/input_0.pb") && model.files().at("b").ends_with("/input_1.pb"));
        model.setFolder("elsewhere");
        QVERIFY(model.problem().contains("input_0.pb"));
    }

    void sizesAreWithinTheirRange() {
        views::models::OpenSizeModel model;
        QAbstractItemModelTester tester(&model);
        model.show({{"batch", {"x[0]", "y[0]"}}, {"x[1]", {"x[1]"}}}, {{"x[1]", 12}, {"other", 3}});
        const QModelIndex batch = model.index(0, views::models::OpenSizeModel::Size);
        QCOMPARE(batch.data().toString(), QString("1"));
        for (const char* bad : {"-1", "many", "16777217"})
            QVERIFY(!model.setData(batch, bad, Qt::EditRole));
        QVERIFY(model.setData(batch, 16777216, Qt::EditRole));
        QVERIFY(model.values() == (views::models::SizeValues{{"batch", 16777216}, {"x[1]", 12}}));
    }

    /// Hundreds of inputs and sizes are rows of two tables, not widgets; the status bar names a few.
    void hundredsOfInputs() {
        model::ModelGraph graph;
        auto inner = std::make_shared<model::Graph>();
        model::Value input;
        input.type.kind = model::ValueType::Kind::Tensor;
        input.type.hasShape = true;
        input.type.shape = {{-1, "?"}, {8, ""}};
        for (int i = 0; i < 500; ++i) {
            input.name = "input" + std::to_string(i);
            inner->inputs.push_back(input);
        }
        graph.graph = inner;
        RunSettings settings;
        for (int i = 0; i < 5; ++i)
            settings.inputs.files.byName["input" + std::to_string(i)] = "/nowhere/" + std::to_string(i) + ".npy";
        model::ModelGraph small = graph;
        auto single = std::make_shared<model::Graph>(*inner);
        single->inputs.resize(1);
        small.graph = single;
        RunSettingsDialog ofOne(RunSettings(), &small, nullptr);
        RunSettingsDialog dialog(settings, &graph, nullptr);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QCOMPARE(dialog.findChildren<QWidget*>().size(), ofOne.findChildren<QWidget*>().size());
        QVERIFY(!dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
        auto inputs = dialog.findChild<QTableView*>("inputs");
        const auto buttons = dialog.findChildren<QPushButton*>();
        const auto random = std::ranges::find(buttons, QStringLiteral("Dra&w at random"), &QPushButton::text);
        QVERIFY(random != buttons.end() && !(*random)->isEnabled());
        inputs->setFocus();
        for (int row = 0; row < 5; ++row) {
            inputs->setCurrentIndex(inputs->model()->index(row, 0));
            QTest::mouseClick(*random, Qt::LeftButton);
        }
        QVERIFY(dialog.settings().inputs.files.empty());
        QVERIFY(dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
        inputs->setCurrentIndex(inputs->model()->index(499, 0));
        inputs->setFocus();
        QTest::keyClick(inputs, Qt::Key_S); // typing begins to write
        QVERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
        QTest::keyClicks(QApplication::focusWidget(), "ome.npy");
        dialog.accept(); // it is not there
        QVERIFY(dialog.isVisible());
        QCOMPARE(inputs->model()->index(499, 1).data().toString(), QString("some.npy"));
        const QString text = settings.text(&graph);
        QVERIFY2(text.contains("input0[0] 1, input1[0] 1, input2[0] 1 and 497 more"), qPrintable(text));
        QVERIFY2(text.contains("input0, input1, input2 and 2 more from files"), qPrintable(text));
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
        // Work that does not listen is left to itself when a window goes, and would end with the program in the midst of it.
        QVERIFY(QTest::qWaitFor([&] { return window.isSettled(); }, patience));
    }
};

Test test() {
    return {makes<TestRunSettings>, Application::Window};
}

} // namespace lathe::testing::test_run_settings

#include "test_run_settings.moc"
