// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench with --picture: the steps are taken one after the other, each when the one before is done, and what cannot be
// taken ends the program with a word.
// Needs: lathe-workbench samples
// Timeout: 600
// Runs: release sanitized
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTest>

namespace lathe::testing::test_picture {

class TestPicture : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// Its exit code; `error` gets what it says.
    int take(const QStringList& steps, const QString& file, QString* error = nullptr) const {
        QStringList arguments{sample("small_cnn.onnx"), "--picture", file, "--size", "900x600", "--theme", "light"};
        for (const QString& step : steps)
            arguments << "--do" << step;
        QProcess process;
        process.start(QStringLiteral(LATHE_BINARY_DIR "/lathe-workbench"), arguments);
        if (!process.waitForFinished(patience) || process.exitStatus() != QProcess::NormalExit)
            return -1;
        if (error)
            *error = QString::fromUtf8(process.readAllStandardError());
        return process.exitCode();
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_picture");
        qputenv("HOME", folder_.path().toUtf8());
    }

    void theWindowAfterItsSteps() {
        const QString opened = folder_.filePath("opened.png"), loops = folder_.filePath("loops.png");
        QCOMPARE(take({}, opened), 0);
        // Each needs what the one before made.
        QCOMPARE(take({"model.compile", "pick:fuse", "node:12", "view.loops", "pick:Schedule, step by step",
                       "pick:LLVM IR", "view.places", "type:conv"},
                      loops),
                 0);
        const QImage before(opened), after(loops);
        QCOMPARE(before.size(), QSize(900, 600));
        QCOMPARE(after.size(), before.size());
        QVERIFY(before != after);
    }

    void whatCannotBeWrittenIsSaid() {
        QFile noFolder(folder_.filePath("file"));
        QVERIFY(noFolder.open(QIODevice::WriteOnly));
        for (const QString& file : {folder_.filePath("file/x.png"), QString("/dev/full"), folder_.filePath("x.zork")}) {
            QString error;
            QCOMPARE(take({}, file, &error), 1);
            QVERIFY2(error.contains("cannot be written"), qPrintable(error));
        }
        QVERIFY(!QFile::exists(folder_.filePath("x.zork")));
    }

    void malformedArgumentsAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("no size") << QStringList{"--size", "abc"};
        QTest::newRow("no room") << QStringList{"--size", "0x0"};
        QTest::newRow("negative") << QStringList{"--size", "-5x3"};
        QTest::newRow("huge") << QStringList{"--size", "999999x999999"};
        QTest::newRow("no theme") << QStringList{"--theme", "pink"};
        QTest::newRow("unknown") << QStringList{"--frobnicate"};
        for (const char* option : {"--picture", "--do", "--theme", "--size", "--compare"})
            QTest::addRow("empty %s", option) << QStringList{option, ""};
        QTest::newRow("joined and empty") << QStringList{"--picture="};
        QTest::newRow("no name of a model") << QStringList{""};
    }
    void malformedArgumentsAreRefused() {
        QFETCH(QStringList, arguments);
        QProcess process;
        process.start(QStringLiteral(LATHE_BINARY_DIR "/lathe-workbench"), arguments);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 2);
        QVERIFY(!process.readAllStandardError().isEmpty());
    }

    void whatCannotBeTakenIsSaid() {
        const QString file = folder_.filePath("none.png");
        for (const char* step : {"no.action", "model.compare", "pick:Nothing of this name"}) {
            QString error;
            QCOMPARE(take({step}, file, &error), 1);
            QVERIFY2(error.contains(step), qPrintable(error));
            QVERIFY(!QFile::exists(file));
        }
    }
};

Test test() {
    return {makes<TestPicture>, Application::Window};
}

} // namespace lathe::testing::test_picture

#include "test_picture.moc"
