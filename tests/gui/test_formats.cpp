// SPDX-License-Identifier: GPL-3.0-or-later
// Models of all formats in the window: what its dialogs and the desktop know of them by their names, folders that are models, and
// models with several graphs, of which one is open.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/model_dialog.h"
#include "app/run_settings_dialog.h"
#include "frontend/frontend.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "support/saved_model.h"
#include "views/graph/model_page.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QRegularExpression>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <QUrl>

namespace lathe::testing::test_formats {

using app::MainWindow;

namespace {

QStringList patternsOf(const frontend::FileType& type) {
    return QString::fromUtf8(type.patterns.data(), qsizetype(type.patterns.size())).split(' ');
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
    static bool choose(MainWindow& window, const QString& signature) {
        app::RunSettings settings = window.runSettings();
        settings.signature = signature;
        Settled settled(window);
        window.setRunSettings(settings);
        return settled.wait();
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
        QVERIFY(types.size() >= 5);
        QCOMPARE(filters.size(), qsizetype(types.size()) + 3); // all, each, projects, any file
        for (const frontend::FileType& type : types)
            for (const QString& pattern : patternsOf(type)) {
                QVERIFY2(filters.front().contains(pattern), qPrintable(pattern));
                const QRegularExpression whole("[( ]" + QRegularExpression::escape(pattern) +
                                               "[) ]"); // *.pt is not *.pt2
                const QStringList own = filters.filter(whole);
                QVERIFY2(own.size() == 2, qPrintable(pattern)); // among all, and its format's
            }
        QVERIFY(filters.front().contains("*.lathe"));
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
            QVERIFY(choose(window, "square"));
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
        QCOMPARE(again.runSettings().signature, "square");
        QVERIFY(openAndWait(again, sample("small_cnn.onnx"))); // which has none
        QVERIFY(again.runSettings().signature.isEmpty());
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
        QCOMPARE(dialog.settings().signature, QString());
        signatures->setCurrentIndex(2);
        QCOMPARE(dialog.settings().signature, "b");
        // Of another graph nothing can be chosen yet.
        for (const QTableView* table : dialog.findChildren<QTableView*>())
            QVERIFY(!table->isEnabled());
        // One that is gone is shown, so that it can be taken back.
        app::RunSettings old;
        old.signature = "gone";
        app::RunSettingsDialog withOld(old, &graph, nullptr);
        QCOMPARE(withOld.settings().signature, "gone");
        withOld.findChild<QComboBox*>("signature")->setCurrentIndex(0);
        QCOMPARE(withOld.settings().signature, QString());
    }

    /// It is said in Problems, and a signature that there is can be chosen then.
    void aSignatureThatIsGone() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, savedModel("gone")));
        QVERIFY(choose(window, "no such one"));
        QVERIFY(window.problems()->model()->errors() > 0);
        QVERIFY(window.problems()->model()->at(0).what.contains("no such one"));
        QVERIFY(choose(window, QString()));
        QCOMPARE(window.problems()->model()->errors(), 0);
        QCOMPARE(outputOf(window), "y");
    }
};

Test test() {
    return {makes<TestFormats>, Application::Window};
}

} // namespace lathe::testing::test_formats

#include "test_formats.moc"
