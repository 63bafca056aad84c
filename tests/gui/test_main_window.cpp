// SPDX-License-Identifier: GPL-3.0-or-later
// The window under the offscreen platform with the sample models: what a user does, end to end, and what happens to files
// that are no models, models that are refused, and work that is cancelled.
// Needs: lathe-runner samples
// Timeout: 900
// Runs: release sanitized
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"
#include "views/models/window/problem_model.h"
#include "views/passes/passes_page.h"
#include "views/problems/problems_panel.h"
#include "views/profile/profile_page.h"

#include <QDockWidget>
#include <QDropEvent>
#include <QMimeData>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_main_window {

using app::MainWindow;

namespace {

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { isolate(folder_, "test_main_window"); }

    void opensCompilesRuns() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        // Two layers of 27 nodes, 2 before and 2 behind; each has a box, as have the input and the output.
        const auto& picture = window.modelPage()->picture();
        QCOMPARE(picture.name, QString("small_transformer"));
        QCOMPARE(picture.boxOfNode.size(), picture.boxes.size() - 2);
        QCOMPARE(window.problems()->model()->rowCount(), 0);
        QVERIFY(!window.isCompiled());

        Settled compiled(window);
        window.compile();
        QVERIFY(window.isBusy());
        QVERIFY(compiled.wait());
        QVERIFY(window.isCompiled());
        QVERIFY(window.passesPage()->findChild<QTableView*>()->model()->rowCount() > 15);

        Settled ran(window);
        window.run();
        QVERIFY(ran.wait());
        const inspect::Profile& profile = window.profilePage()->model()->profile();
        QVERIFY(profile.runs > 0);
        QVERIFY(profile.medianMs > 0);
        QVERIFY(profile.rows.size() > 5);
        double shares = 0;
        for (const inspect::ProfileRow& row : profile.rows) {
            QVERIFY2(!row.nodes.empty(), row.function.c_str());
            QVERIFY2(!row.origins.empty(), row.function.c_str());
            shares += row.share;
        }
        QVERIFY(std::abs(shares - 1) < 1e-6);
        QCOMPARE(window.problems()->model()->errors(), 0);
    }

    /// At the next start too; and a compilation turns to no dock.
    void aDockThatWasClosedStaysClosed() {
        QSettings().clear();
        const auto dock = [](MainWindow& window, const char* name) {
            return window.findChild<QDockWidget*>(QLatin1String(name));
        };
        {
            MainWindow window;
            window.show();
            QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
            QVERIFY(!dock(window, "log")->isHidden()); // the first model of all
            dock(window, "log")->close();
            QVERIFY(compileAndWait(window));
            QVERIFY(dock(window, "log")->isHidden());
            window.close();
        }
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        QVERIFY(dock(window, "log")->isHidden());
    }

    void fitsAScreenOf800Pixels() {
        MainWindow window;
        window.resize(800, 600);
        window.show();
        const auto showAll = [&](const char* when) {
            for (const char* page :
                 {"overview", "model", "passes", "fusion", "loops", "profile", "check", "compare", "tuning"}) {
                window.showPage(page);
                QTest::qWait(50);
                const QSize least = window.minimumSizeHint();
                QVERIFY2(window.size() == QSize(800, 600) && least.width() <= 800 && least.height() <= 600,
                         qPrintable(QStringLiteral("%1 %2: %3, at least %4")
                                        .arg(page, QString::fromUtf8(when))
                                        .arg(window.width())
                                        .arg(least.width())));
            }
        };
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        showAll("before");
        QVERIFY(compileAndWait(window));
        Settled ran(window);
        window.run();
        QVERIFY(ran.wait());
        window.passesPage()->choosePass(QStringLiteral("fuse"));
        showAll("after");
    }

    void cancelEndsCompilation() {
        MainWindow window;
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        Settled settled(window);
        window.compile();
        QTest::qWait(50);
        window.cancel();
        QVERIFY(settled.wait());
        QVERIFY(!window.isCompiled());
        QCOMPARE(window.problems()->model()->rowCount(), 0); // the user's wish is no problem
        // The window is as usable as before.
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QCOMPARE(window.modelPage()->picture().name, QString("small_transformer"));
    }

    /// What is shown is what is compiled, also where the file was written anew meanwhile.
    void aChangedFileIsOpenedAnew() {
        const QString path = folder_.filePath("changes.onnx");
        QVERIFY(QFile::copy(sample("small_cnn.onnx"), path));
        MainWindow window;
        QVERIFY(openAndWait(window, path));
        QVERIFY(compileAndWait(window));
        QVERIFY(QFile::remove(path));
        QVERIFY(QFile::copy(sample("small_transformer.onnx"), path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(5), QFileDevice::FileModificationTime));
        file.close();
        QVERIFY(compileAndWait(window));
        QVERIFY(window.isCompiled());
        QCOMPARE(window.modelPage()->picture().name, QString("small_transformer"));
        QVERIFY(window.modelGraph() == window.provenance()->trace().graph.get());
        QVERIFY(QFile::remove(path));
        QVERIFY(compileAndWait(window)); // as it was; the problem is said
        QVERIFY(!window.isCompiled());
        QVERIFY(window.problems()->model()->errors() > 0);
    }

    void openingAnotherEndsCompilation() {
        MainWindow window;
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        window.compile();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QTest::qWait(200);
        QCOMPARE(window.modelPage()->picture().name, QString("small_transformer"));
        QVERIFY(!window.isCompiled());
    }

    void refusedModelIsDrawnWithItsReason() {
        // The operator's name of as many letters, so that the file's other lengths hold.
        QByteArray bytes = contents(sample("small_cnn.onnx"));
        QCOMPARE(bytes.count("\x22\x11GlobalAveragePool"), 1);
        bytes.replace("\x22\x11GlobalAveragePool", "\x22\x11GlobalUnknownPool");
        const QString path = write("refused.onnx", bytes);

        MainWindow window;
        QVERIFY(openAndWait(window, path));
        const auto& picture = window.modelPage()->picture();
        QCOMPARE(picture.boxes.size(), size_t(41)); // 39 nodes, input, output
        QVERIFY(window.problems()->model()->errors() >= 1);
        const Diagnostic& problem = window.problems()->model()->at(0);
        QCOMPARE(problem.node, std::string("/head/GlobalAveragePool"));
        QVERIFY(problem.nodeId >= 0);
        const auto& box = picture.boxes[picture.boxOfNode.at(problem.nodeId)];
        QVERIFY(box.refused);
        QVERIFY(!box.reason.isEmpty());

        Settled settled(window);
        window.compile();
        QVERIFY(settled.wait());
        QVERIFY(!window.isCompiled());
        QVERIFY(window.problems()->model()->errors() >= 1);
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QCOMPARE(window.problems()->model()->rowCount(), 0);
    }

    void filesThatAreNoModels_data() {
        QTest::addColumn<QByteArray>("bytes");
        const QByteArray good = contents(sample("small_cnn.onnx"));
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("truncated") << good.left(good.size() / 2);
        QTest::newRow("text") << QByteArray("this is no model\n").repeated(100);
        QByteArray noise;
        for (uint32_t i = 0, state = 7; i < 5000; ++i) {
            state = state * 1664525U + 1013904223U;
            noise.append(char(state >> 24));
        }
        QTest::newRow("random") << noise;
    }
    void filesThatAreNoModels() {
        QFETCH(QByteArray, bytes);
        MainWindow window;
        QVERIFY(openAndWait(window, write("bad.onnx", bytes)));
        QVERIFY(window.problems()->model()->errors() >= 1);
        QVERIFY(!window.problems()->model()->at(0).what.empty());
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QCOMPARE(window.problems()->model()->rowCount(), 0);
        QCOMPARE(window.modelPage()->picture().boxes.size(), size_t(41));
    }

    void missingFile() {
        MainWindow window;
        QVERIFY(openAndWait(window, folder_.filePath("nowhere.onnx")));
        QVERIFY(window.problems()->model()->errors() >= 1);
    }

    void droppedFileOpens() {
        MainWindow window;
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(sample("small_cnn.onnx"))});
        Settled settled(window);
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &drop);
        QVERIFY(settled.wait());
        QCOMPARE(window.modelPage()->picture().name, QString("small_cnn"));
    }

private:
    QString write(const QString& name, const QByteArray& bytes) {
        const QString path = folder_.filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(path));
        return path;
    }

    QTemporaryDir folder_;
};

Test test() {
    return {makes<TestMainWindow>, Application::Window};
}

} // namespace lathe::testing::test_main_window

#include "test_main_window.moc"
