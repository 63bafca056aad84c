// SPDX-License-Identifier: GPL-3.0-or-later
// Models of all formats in the window: what its dialogs and the desktop know of them by their names, folders that are
// models, and models with several graphs, of which one is open.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/model_dialog.h"
#include "app/run_settings_dialog.h"
#include "frontend/frontend.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "support/saved_model.h"
#include "support/torchscript_file.h"
#include "views/graph/compare_page.h"
#include "views/graph/model_page.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <QUrl>

#include <algorithm>

namespace lathe::testing::test_formats {

using app::MainWindow;

namespace {

QStringList patternsOf(const frontend::FileType& type) {
    return QString::fromUtf8(type.patterns.data(), qsizetype(type.patterns.size())).split(' ');
}

/// "*.pt", "*.pth" of "TorchScript (*.pt *.pth)"; one may be the beginning of another.
QStringList patternsIn(const QString& filter) {
    return filter.section('(', 1).section(')', 0, 0).split(' ');
}

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString outputOf(const MainWindow& window) {
    return QString::fromStdString(window.modelGraph()->graph->outputs.front().name);
}

} // namespace

class TestFormats : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString savedModel(const QString& name) {
        const QString path = folder_.filePath(name);
        writeSavedModel(path.toStdString());
        return path;
    }
    /// A script of x and what else it takes.
    QString script(const char* name, const std::string& parameters, const std::string& lines) {
        const std::string bytes = zipOf(scriptFiles(
            {.body = "  def forward(self: __torch__.Net,\n    x: Tensor" + parameters + ") -> Tensor:\n" + lines,
             .attributes = {},
             .storages = {}}));
        QFile file(folder_.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), qint64(bytes.size())) != qint64(bytes.size()))
            qWarning("cannot write a script");
        return file.fileName();
    }
    static bool choose(MainWindow& window, const project::GraphChoice& choice) {
        app::RunSettings settings = window.runSettings();
        settings.graphChoice = choice;
        Settled settled(window);
        window.setRunSettings(settings);
        return settled.wait();
    }
    static project::GraphChoice signatureCalled(const char* name) {
        project::GraphChoice choice;
        choice.signature = name;
        return choice;
    }
    static bool runAndWait(MainWindow& window) {
        Settled settled(window);
        window.run();
        return settled.wait();
    }

private slots:
    void initTestCase() { isolate(folder_, "test_formats"); }
    void init() { QSettings().clear(); }

    void dialogsNameEachFormat() {
        const QStringList filters = app::modelFilter(app::AskedFor::ModelOrProject).split(";;");
        const std::vector<frontend::FileType> types = frontend::fileTypes();
        QVERIFY(types.size() >= 6);
        QCOMPARE(filters.size(), qsizetype(types.size()) + 3); // all, each, projects, any file
        for (const frontend::FileType& type : types)
            for (const QString& pattern : patternsOf(type)) {
                QVERIFY2(patternsIn(filters.front()).contains(pattern), qPrintable(pattern));
                const auto has = [&](const QString& filter) { return patternsIn(filter).contains(pattern); };
                QVERIFY2(std::ranges::count_if(filters, has) == 2, qPrintable(pattern)); // of all, and of its format
            }
        QVERIFY(patternsIn(filters.front()).contains("*.lathe"));
        QVERIFY(!app::modelFilter(app::AskedFor::Model).contains("*.lathe"));
    }

    /// What files are, a desktop knows by their names; what the program opens, by its .desktop file.
    void theDesktopKnowsEachFormat() {
        const QString base = LATHE_SOURCE_DIR "/resources/desktop/io.lathe.Workbench";
        const QString types = textOf(base + ".xml"), entry = textOf(base + ".desktop");
        for (const frontend::FileType& type : frontend::fileTypes())
            for (const QString& pattern : patternsOf(type))
                QVERIFY2(types.contains(QStringLiteral("<glob pattern=\"%1\"").arg(pattern)), qPrintable(pattern));
        const QRegularExpression named(QStringLiteral("<mime-type type=\"([^\"]+)\">"));
        int count = 0;
        for (auto match = named.globalMatch(types); match.hasNext(); ++count) {
            const QString name = match.next().captured(1);
            QVERIFY2(entry.contains(name + ';'), qPrintable(name));
        }
        QVERIFY(count > 5);
    }

    void aFolderIsAModel() {
        const QString model = savedModel("saved_model");
        MainWindow window;
        window.show();
        {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(model + '/')}); // as file managers say folders
            Settled settled(window);
            QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&window, &enter);
            QVERIFY(enter.isAccepted());
            QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&window, &drop);
            QVERIFY(settled.wait());
        }
        QCOMPARE(QString::fromStdString(window.modelGraph()->format), "TensorFlow");
        QVERIFY(window.windowTitle().contains("/saved_model – Lathe"));
        QVERIFY(QSettings().value("recentFiles").toStringList().contains(model));
        QVERIFY(runAndWait(window));
        QCOMPARE(window.problems()->model()->errors(), 0);

        // A file in the folder that was written anew is another model.
        QTest::qWait(1100); // also where times are whole seconds
        writeSavedModel(model.toStdString(), savedModelText("Sub"));
        QVERIFY(compileAndWait(window));
        QVERIFY(window.isCompiled());
        QCOMPARE(window.modelGraph()->nodes.front()->op, std::string("Sub"));
    }

    void aSignatureIsChosenAndKept() {
        const QString model = savedModel("signatures"), project = folder_.filePath("signatures.lathe");
        {
            MainWindow window;
            window.show();
            QVERIFY(openAndWait(window, model));
            QCOMPARE(window.modelGraph()->signatures, (std::vector<std::string>{"serving_default", "square"}));
            QCOMPARE(outputOf(window), "y");
            QVERIFY(window.runSettings().text(window.modelGraph()).contains("signature serving_default"));
            QVERIFY(compileAndWait(window));
            QVERIFY(choose(window, signatureCalled("square")));
            QCOMPARE(outputOf(window), "z");
            QVERIFY(!window.isCompiled()); // what was compiled was the other graph
            QVERIFY(runAndWait(window));
            QCOMPARE(window.problems()->model()->errors(), 0);
            window.saveProject(project);
            QVERIFY(QTest::qWaitFor([&] { return window.projectPath() == project; }, patience));
            QVERIFY(QTest::qWaitFor([&] { return window.isSettled(); }, patience));
        }
        MainWindow again;
        again.show();
        QVERIFY(openAndWait(again, project));
        QCOMPARE(outputOf(again), "z");
        QCOMPARE(again.runSettings().graphChoice.signature, std::string("square"));
        QVERIFY(openAndWait(again, sample("small_cnn.onnx"))); // which has none
        QVERIFY(again.runSettings().graphChoice == project::GraphChoice());
        QCOMPARE(again.problems()->model()->errors(), 0);
    }

    void theDialogOffersSignatures() {
        model::ModelGraph graph;
        graph.graph = std::make_shared<model::Graph>();
        const auto shown = [](app::RunSettingsDialog& dialog) {
            dialog.show();
            return dialog.findChild<QComboBox*>("signature")->isVisible();
        };
        QVERIFY(!shown(*std::make_unique<app::RunSettingsDialog>(app::RunSettings(), &graph, nullptr)));
        graph.signatures = {"a", "b"};
        graph.signature = "a";
        app::RunSettingsDialog dialog({}, &graph, nullptr);
        auto signatures = dialog.findChild<QComboBox*>("signature");
        QVERIFY(shown(dialog));
        QCOMPARE(signatures->count(), 3); // the usual one, too
        QCOMPARE(dialog.settings().graphChoice.signature, std::string());
        signatures->setCurrentIndex(2);
        QCOMPARE(dialog.settings().graphChoice.signature, std::string("b"));
        // Of another graph nothing can be chosen yet.
        for (const QTableView* table : dialog.findChildren<QTableView*>())
            QVERIFY(!table->isEnabled());
        // One that is gone is shown, so that it can be taken back.
        app::RunSettings old;
        old.graphChoice.signature = "gone";
        app::RunSettingsDialog withOld(old, &graph, nullptr);
        QCOMPARE(withOld.settings().graphChoice.signature, std::string("gone"));
        withOld.findChild<QComboBox*>("signature")->setCurrentIndex(0);
        QCOMPARE(withOld.settings().graphChoice.signature, std::string());
    }

    /// Those words alone that the format knows, and what is wrong with one at once.
    void theDialogAsksWhatAModelDoesNotSay() {
        model::ModelGraph graph;
        graph.graph = std::make_shared<model::Graph>();
        const auto shown = [](app::RunSettingsDialog& dialog) {
            dialog.show();
            QStringList names;
            for (const QPlainTextEdit* each : dialog.findChildren<QPlainTextEdit*>())
                if (each->isVisible())
                    names << each->objectName();
            return names;
        };
        graph.format = "ONNX";
        QCOMPARE(shown(*std::make_unique<app::RunSettingsDialog>(app::RunSettings(), &graph, nullptr)),
                 (QStringList{"cut inputs", "cut outputs", "shapes", "types"}));
        graph.format = "torch.export";
        QCOMPARE(shown(*std::make_unique<app::RunSettingsDialog>(app::RunSettings(), &graph, nullptr)), QStringList());
        graph.format = "TorchScript";
        app::RunSettingsDialog dialog({}, &graph, nullptr);
        QCOMPARE(shown(dialog), (QStringList{"shapes", "types", "arguments"}));
        const QPushButton* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
        const auto write = [&](const char* field, const char* text) {
            dialog.findChild<QPlainTextEdit*>(field)->setPlainText(text);
        };
        write("types", "ids=int63");
        QVERIFY(!ok->isEnabled());
        const auto labels = dialog.findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](QLabel* each) { return each->text().contains("type 'ids=int63'"); }));
        write("types", "ids=int64\n\n");
        write("arguments", "rate=16000\nsizes=[1, 2]");
        QVERIFY(ok->isEnabled());
        const project::GraphChoice choice = dialog.settings().graphChoice;
        QCOMPARE(choice.types, std::vector<std::string>{"ids=int64"});
        QCOMPARE(choice.arguments, (std::vector<std::string>{"rate=16000", "sizes=[1, 2]"}));
        for (const QTableView* table : dialog.findChildren<QTableView*>()) // of the graph that is open
            QVERIFY(!table->isEnabled());
        QVERIFY(app::RunSettings::fromJson(dialog.settings().toJson()) == dialog.settings());
        // What was said and the format does not know can be taken back.
        graph.format = "torch.export";
        app::RunSettingsDialog after(dialog.settings(), &graph, nullptr);
        QCOMPARE(shown(after), (QStringList{"types", "arguments"}));
    }

    /// A script declares no shapes, and an argument that is no tensor has to be fixed.
    void aScriptIsOpenedWithWhatItLacks() {
        const QString path = script("net.pt", ",\n    kind: str",
                                    "    if torch.eq(kind, \"sum\"):\n"
                                    "      y = torch.sum(x)\n"
                                    "    else:\n"
                                    "      y = torch.neg(x)\n"
                                    "    return y\n");
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(window.problems()->model()->errors() > 0);
        project::GraphChoice choice;
        choice.shapes = {"x=2"};
        choice.arguments = {"kind=sum"};
        QVERIFY(choose(window, choice));
        QCOMPARE(window.problems()->model()->errors(), 0);
        QCOMPARE(window.modelGraph()->graph->nodes.at(0).op, std::string("aten.sum.default"));
        QVERIFY(window.runSettings().text(window.modelGraph()).contains("kind=sum"));
        QVERIFY(runAndWait(window)); // compiles it as it is open
        QCOMPARE(window.problems()->model()->errors(), 0);
        choice.arguments = {"kind=other"};
        QVERIFY(choose(window, choice));
        QCOMPARE(window.modelGraph()->graph->nodes.at(0).op, std::string("aten.neg.default"));
    }

    /// What is compared with it has the sizes of what is open, if it declares none.
    void aScriptIsCompared() {
        const QString one = script("one.pt", "", "    y = torch.neg(x)\n    return torch.relu(y)\n"),
                      same = script("same.pt", "", "    z = torch.neg(x)\n    return torch.relu(z)\n");
        MainWindow window;
        window.show();
        openAndWait(window, one);
        project::GraphChoice choice;
        choice.shapes = {"x=2,3"};
        QVERIFY(choose(window, choice));
        QCOMPARE(window.problems()->model()->errors(), 0);
        Settled settled(window);
        window.compareWith(same);
        QVERIFY(settled.wait());
        QVERIFY(window.comparePage()->isVisible());
        const auto labels = window.comparePage()->findChildren<QLabel*>();
        QVERIFY(
            std::ranges::any_of(labels, [](QLabel* each) { return each->text() == "The models are equal: 2 nodes."; }));
    }

    void aPartIsOpened() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        const std::string whole = window.modelGraph()->graph->outputs.front().name;
        const std::string inner = window.modelGraph()->graph->nodes.front().outputs.front();
        QVERIFY(inner != whole);
        project::GraphChoice choice;
        choice.outputs = {inner};
        QVERIFY(choose(window, choice));
        QCOMPARE(window.problems()->model()->errors(), 0);
        QCOMPARE(window.modelGraph()->graph->outputs.front().name, inner);
        QVERIFY(window.runSettings().text(window.modelGraph()).contains("a part of it"));
        QVERIFY(runAndWait(window));
        QCOMPARE(window.problems()->model()->errors(), 0);
        QVERIFY(choose(window, {}));
        QCOMPARE(window.modelGraph()->graph->outputs.front().name, whole);
    }

    /// It is said in Problems, and a signature that there is can be chosen then.
    void aSignatureThatIsGone() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, savedModel("gone")));
        QVERIFY(choose(window, signatureCalled("no such one")));
        QVERIFY(window.problems()->model()->errors() > 0);
        QVERIFY(window.problems()->model()->at(0).what.contains("no such one"));
        QVERIFY(choose(window, {}));
        QCOMPARE(window.problems()->model()->errors(), 0);
        QCOMPARE(outputOf(window), "y");
    }
};

Test test() {
    return {makes<TestFormats>, Application::Window};
}

} // namespace lathe::testing::test_formats

#include "test_formats.moc"
