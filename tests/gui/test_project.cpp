// SPDX-License-Identifier: GPL-3.0-or-later
// Projects in the window: what is kept as one goes and comes back, a model that moved or changed, a file that is open
// elsewhere, damaged, of a later format, or on a disk that is full.
// Needs: lathe-runner samples
// Timeout: 900
// Runs: release sanitized
#include "app/main_window.h"
#include "app/preferences.h"
#include "app/unsaved_work.h"
#include "gui/window.h"
#include "project/file.h"
#include "support/full_disk.h"
#include "support/program_of_tests.h"
#include "views/fusion/fusion_page.h"
#include "views/log/log_panel.h"
#include "views/models/window/problem_model.h"
#include "views/passes/passes_page.h"
#include "views/problems/problems_panel.h"

#include <QApplication>
#include <QDropEvent>
#include <QFileDialog>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QTimer>
#include <cstdio>
#include <memory>
#include <random>

namespace lathe::testing::test_project {

using app::MainWindow;

namespace {

/// The child that is killed: opens the project and changes something over and over; says what, and when.
int workForEver(const QString& path) {
    QApplication::setOrganizationName("LatheTest"); // where settings and cache are it has from its parent
    QApplication::setApplicationName("test_project");
    MainWindow window;
    window.show();
    int number = 0;
    QTimer work;
    QObject::connect(&work, &QTimer::timeout, [&] {
        if (!window.modelGraph() || window.projectPath().isEmpty())
            return;
        app::RunSettings settings = window.runSettings();
        number = std::max(number, int(settings.sizes["changes"])) + 1;
        settings.sizes["changes"] = number;
        window.setRunSettings(settings);
        window.selection().set({{number % 7, 8 + number % 5}});
        window.showPage(number % 2 ? "passes" : "model");
        if (number % 40 == 0 && !window.isBusy())
            window.compile();
        std::printf("%d %lld\n", number, qint64(QDateTime::currentMSecsSinceEpoch()));
        std::fflush(stdout);
    });
    work.start(25);
    window.open(path);
    return QApplication::exec();
}

} // namespace

class TestProject : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    QString model_, project_;

    static bool save(MainWindow& window, const QString& path) {
        QSignalSpy created(&window.project(), &app::ProjectKeeper::created);
        window.saveProject(path);
        return created.wait(patience);
    }
    static bool openProject(MainWindow& window, const QString& path) {
        Settled settled(window);
        window.open(path);
        return settled.wait();
    }
    /// Presses the button of the question that comes next.
    static void answer(const QString& text, QString* said = nullptr) {
        auto timer = new QTimer(qApp);
        connect(timer, &QTimer::timeout, timer, [timer, text, said] {
            auto box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box)
                return;
            timer->deleteLater();
            timer->stop();
            if (said)
                *said = box->text();
            for (QAbstractButton* button : box->buttons())
                if (button->text().remove('&') == text)
                    return QTest::mouseClick(button, Qt::LeftButton);
            box->reject();
        });
        timer->start(20);
    }
    static bool refuses(MainWindow& window, const QString& path, const char* words) {
        QSignalSpy failed(&window.project(), &app::ProjectKeeper::failed);
        window.open(path);
        if (!failed.wait(patience) || window.problems()->model()->rowCount() != 1)
            return false;
        const QAbstractItemModel* problems = window.problems()->model();
        for (int column = 0; column < problems->columnCount(); ++column)
            if (problems->index(0, column).data().toString().contains(words))
                return true;
        return false;
    }

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        isolate(*folder_, "test_project");
        QSettings().clear(); // they know their place from the first test on
        model_ = folder_->filePath("net/model.onnx");
        project_ = folder_->filePath("net/work.lathe");
        QVERIFY(QDir(folder_->path()).mkdir("net"));
        QVERIFY(QFile::copy(sample("small_cnn.onnx"), model_));
    }

    void theWorkComesBack() {
        driver::Decisions decisions;
        app::RunSettings settings;
        {
            MainWindow window;
            window.show();
            QVERIFY(!window.actions()["file.save"]->isEnabled());
            QVERIFY(openAndWait(window, model_));
            QVERIFY(compileAndWait(window));
            QVERIFY(save(window, project_));
            QVERIFY(window.windowTitle().startsWith("work.lathe (net/model.onnx)"));
            settings = window.runSettings();
            settings.threads = 1;
            settings.numerics = driver::NumericsLevel::Strict;
            window.setRunSettings(settings);
            {
                Settled settled(window);
                window.selection().set({{4, 5}});
                window.showPage("passes");
                QVERIFY(window.actions()["passes.up_to"]->isEnabled());
                window.actions()["passes.up_to"]->trigger();
                QVERIFY(settled.wait());
            }
            decisions = window.decisions();
            QVERIFY(decisions.optionalLimit >= 0);
            // Without an end of the window: within a second it is there.
            QTest::qWait(1000);
            const auto kept = project::File::peek(project_.toStdString());
            QVERIFY(kept && kept->decisions == decisions);
            window.showPage("fusion"); // the last moment before the end
        }
        QVERIFY(!project::File::isOpen(project_.toStdString()));
        app::RunSettings().keep(); // as another window left them
        MainWindow window;
        window.show();
        QVERIFY(openProject(window, project_));
        QVERIFY(window.decisions() == decisions);
        QVERIFY(window.runSettings() == settings);
        QCOMPARE(window.selection().nodes(), (std::vector<int>{4, 5}));
        QVERIFY(window.isCompiled());
        QVERIFY(window.compilation()->decisions == decisions);
        QVERIFY(window.fusionPage()->isVisible());
        // Another model is none of this project.
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QVERIFY(window.projectPath().isEmpty());
        QVERIFY(window.decisions() == driver::Decisions());
        QTRY_VERIFY(!project::File::isOpen(project_.toStdString()));
    }

    /// A name under which nothing can be saved leaves what is open as it was.
    void aProjectThatCannotBeMadeLeavesTheOldOne() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model_));
        QVERIFY(save(window, project_));
        QSignalSpy failed(&window.project(), &app::ProjectKeeper::failed);
        window.saveProject(folder_->filePath("no/such/folder.lathe"));
        QVERIFY(failed.wait(patience));
        QCOMPARE(window.projectPath(), project_);
        window.selection().set({{3}});
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(project::File::peek(project_.toStdString())->kept.at("nodes")),
                                  QString("[3]"), 5000);
    }

    /// The last of two wishes counts, whichever comes first.
    void aLaterWishCounts() {
        {
            MainWindow window;
            QVERIFY(openAndWait(window, model_));
            QVERIFY(save(window, project_));
        }
        MainWindow window;
        window.show();
        Settled settled(window);
        window.open(project_);
        window.open(sample("small_transformer.onnx"));
        QVERIFY(settled.wait());
        QTest::qWait(500);
        QVERIFY(window.projectPath().isEmpty());
        QVERIFY(window.windowTitle().contains("small_transformer.onnx"));
        QTRY_VERIFY(!project::File::isOpen(project_.toStdString()));
    }

    /// The file changed while it was compiled, and then something was decided: that counts, in the same project.
    void decisionsOutliveAChangedFile() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model_));
        QVERIFY(compileAndWait(window));
        QVERIFY(save(window, project_));
        QFile file(model_);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(7), QFileDevice::FileModificationTime));
        file.close();
        Settled settled(window);
        window.compile();
        window.passesPage()->choosePass(QStringLiteral("fuse"));
        emit window.passesPage()->whatIfWanted(views::models::switchPass(QStringLiteral("fuse"), true));
        QVERIFY(settled.wait());
        QVERIFY(window.isCompiled());
        QCOMPARE(window.decisions().skipPasses, std::set<std::string>{"fuse"});
        QVERIFY(window.compilation()->decisions == window.decisions());
        QCOMPARE(window.projectPath(), project_);
        QVERIFY(window.actions()["edit.undo"]->isEnabled());
    }

    void aModelThatMovedIsFound() {
        {
            MainWindow window;
            QVERIFY(openAndWait(window, model_));
            QVERIFY(save(window, project_));
        }
        QVERIFY(QDir(folder_->path()).rename("net", "moved"));
        MainWindow window;
        QVERIFY(openProject(window, folder_->filePath("moved/work.lathe")));
        QVERIFY(window.modelGraph());
        QVERIFY(window.windowTitle().contains("moved/model.onnx"));
    }

    void aModelThatIsGoneOrChangedIsAskedFor() {
        {
            MainWindow window;
            QVERIFY(openAndWait(window, model_));
            QVERIFY(save(window, project_));
        }
        QVERIFY(QFile::remove(model_));
        QString said;
        {
            MainWindow window;
            window.show();
            QSignalSpy opened(&window.project(), &app::ProjectKeeper::opened);
            answer("Cancel", &said);
            window.open(project_);
            QVERIFY(opened.wait(patience));
            QTRY_VERIFY(said.contains("is not there any more"));
            QVERIFY(openAndWait(window, sample("small_cnn.onnx"))); // the window is good for others
        }
        QVERIFY(QFile::copy(sample("small_transformer.onnx"), model_));
        MainWindow window;
        window.show();
        answer("Use it as it is now", &said);
        QVERIFY(openProject(window, project_));
        QVERIFY(said.contains("has changed"));
        QVERIFY(window.modelGraph());
        QCOMPARE(window.projectPath(), project_);
        // From now on that is its model.
        window.showPage("passes");
        QTRY_VERIFY_WITH_TIMEOUT(
            project::File::peek(project_.toStdString())->model == *project::referenceTo(model_.toStdString()), 5000);
    }

    /// Killed at random moments of work: the project opens, and at most the last second is lost. $LATHE_KILLS: how often.
    void killedAtRandomMoments() {
        {
            MainWindow window;
            QVERIFY(openAndWait(window, model_));
            QVERIFY(save(window, project_));
        }
        const int asked = qEnvironmentVariableIntValue("LATHE_KILLS"), times = asked > 0 ? asked : 8;
        std::mt19937 random(17);
        int kept = 0;
        qint64 longest = 0; // ms of work that were lost
        for (int i = 0; i < times; ++i) {
            QProcess worker;
            worker.start(QCoreApplication::applicationFilePath(), childOfTest(project_));
            QVERIFY(worker.waitForReadyRead(patience));
            QTest::qSleep(int(random() % 1500));
            const qint64 killed = QDateTime::currentMSecsSinceEpoch();
            worker.kill();
            QVERIFY(worker.waitForFinished());
            const auto project = project::File::peek(project_.toStdString());
            QVERIFY2(project, project ? "" : toString(project.error()).c_str());
            const int found = int(app::RunSettings::fromJson(project->kept.at("settings")).sizes["changes"]);
            QVERIFY(found >= kept); // what was kept once is not lost
            kept = found;
            const QList<QByteArray> told = worker.readAllStandardOutput().split('\n');
            for (const QByteArray& line : told.mid(0, told.size() - 1)) {
                const QList<QByteArray> words = line.split(' ');
                if (words.size() == 2 && words[0].toInt() > found)
                    longest = std::max(longest, killed - words[1].toLongLong());
            }
        }
        qInfo("%d changes were kept over %d kills, at most %lld ms of work were lost", kept, times, longest);
        QVERIFY(kept > 0);
        QVERIFY2(longest <= 10'000, qPrintable(QString::number(longest))); // a second, where the machine is not busy
    }

    void openElsewhereACopyIsOffered() {
        MainWindow first, second;
        first.show();
        second.show();
        QVERIFY(openAndWait(first, model_));
        QVERIFY(save(first, project_));
        QString said;
        answer("Open a copy", &said);
        QVERIFY(openProject(second, project_));
        QVERIFY(said.contains("open in another window"));
        QVERIFY(second.modelGraph());
        QVERIFY(second.projectPath().isEmpty());
        QCOMPARE(first.projectPath(), project_);
        QVERIFY(save(second, folder_->filePath("copy.lathe")));
        QVERIFY(refuses(second, folder_->filePath("no such.lathe"), "cannot be read"));
    }

    void whatIsNoProjectIsAProblem() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model_));
        QFile text(folder_->filePath("text.lathe"));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write(QByteArray("no project\n").repeated(200)) > 0);
        text.close();
        QVERIFY(refuses(window, text.fileName(), "no project of Lathe"));
        QVERIFY(window.modelGraph()); // the model is still there
        QVERIFY(compileAndWait(window));
    }

    void unsavedWorkComesBack() {
        {
            MainWindow window;
            window.show();
            QVERIFY(openAndWait(window, model_));
            QTRY_VERIFY(!window.project().path().isEmpty());
            QVERIFY(window.projectPath().isEmpty()); // it has no name
            QVERIFY(compileAndWait(window));
            Settled settled(window);
            window.passesPage()->choosePass(QStringLiteral("fuse"));
            emit window.passesPage()->whatIfWanted(views::models::switchPass(QStringLiteral("fuse"), true));
            QVERIFY(settled.wait());
            window.showPage("fusion");
            window.close();
        }
        MainWindow window;
        window.show();
        Settled settled(window);
        window.openLast();
        QVERIFY(settled.wait());
        QCOMPARE(window.decisions().skipPasses, std::set<std::string>{"fuse"});
        QVERIFY(window.isCompiled());
        QCOMPARE(window.fusionPage()->isVisible(), true);
        QVERIFY(window.projectPath().isEmpty());
        QVERIFY(!window.windowTitle().contains(".lathe"));
        const QString nameless = window.project().path();
        QVERIFY(QFile::exists(nameless));
        QVERIFY(save(window, project_)); // now it has one
        QTRY_VERIFY(!QFile::exists(nameless));
        QCOMPARE(window.projectPath(), project_);
        QCOMPARE(app::lastProject(), QString()); // it is open
    }

    /// The latest ones stay; of the others, what SQLite wrote beside them goes as well.
    void oldUnsavedWorkGoes() {
        const QDir place(QFileInfo(app::newUnsavedProject(model_)).absolutePath());
        for (int i = 0; i < 12; ++i)
            for (const char* part : {"", "-journal", "-wal", "-shm"}) {
                QFile file(place.filePath(QStringLiteral("old%1.lathe").arg(i) + part));
                QVERIFY(file.open(QIODevice::WriteOnly));
                QVERIFY(
                    file.setFileTime(QDateTime::currentDateTime().addDays(-20 + i), QFileDevice::FileModificationTime));
            }
        (void)app::newUnsavedProject(model_);
        for (const char* part : {"", "-journal", "-wal", "-shm"}) {
            QVERIFY2(!QFile::exists(place.filePath("old0.lathe") + part), part);
            QVERIFY2(QFile::exists(place.filePath("old11.lathe") + part), part);
            for (int i = 0; i < 12; ++i)
                QFile::remove(place.filePath(QStringLiteral("old%1.lathe").arg(i) + part));
        }
    }

    /// What ends the program while it opens what was open last does not do so at each start.
    void whatEndsAStartIsNotStartedWithAgain() {
        {
            MainWindow window;
            QVERIFY(openAndWait(window, model_));
            QTRY_VERIFY(!window.project().path().isEmpty());
        }
        QVERIFY(!app::lastProject().isEmpty());
        {
            MainWindow window;
            window.openLast();
        }
        MainWindow window;
        QSignalSpy opened(&window.project(), &app::ProjectKeeper::opened);
        window.openLast();
        QVERIFY(!opened.wait(300));
        QVERIFY(!app::lastProject().isEmpty()); // it is not lost
        window.openLast();                      // and tried again at the start after that
        QVERIFY(opened.wait(patience));
    }

    /// A project of a machine or a Lathe that knew other targets.
    void aTargetThatIsNotKnownIsSaid() {
        QVERIFY(project::File::create(project_.toStdString(), {.model = *project::referenceTo(model_.toStdString()),
                                                               .decisions = {},
                                                               .warnings = {},
                                                               .kept = {{"settings", "{\"target\":\"z80\"}"}}}));
        MainWindow window;
        window.show();
        QVERIFY(openProject(window, project_));
        QCOMPARE(window.runSettings().target, QString("native"));
        QVERIFY(window.logPanel()->text().contains("unknown target 'z80'; native stands in its place"));
    }

    /// Settings that cannot be read are said to be so, and are still there once others were written.
    void settingsThatCannotBeReadAreKept() {
        const std::string unread = "{\"threads\":\"four\",\"target\":\"native\"}";
        QVERIFY(project::File::create(project_.toStdString(), {.model = *project::referenceTo(model_.toStdString()),
                                                               .decisions = {},
                                                               .warnings = {},
                                                               .kept = {{"settings", unread}}}));
        for (int time = 0; time < 2; ++time) {
            MainWindow window;
            window.show();
            QVERIFY(openProject(window, project_));
            QCOMPARE(window.logPanel()->text().contains("threads [\"four\"] cannot be read"), time == 0);
            app::RunSettings settings = window.runSettings();
            settings.inputs.seed = uint64_t(7 + time);
            window.setRunSettings(settings);
            window.close();
        }
        auto kept = project::File::peek(project_.toStdString())->kept;
        QVERIFY(kept["settings"].find("\"seed\":8") != std::string::npos);
        QCOMPARE(kept[project::unreadSettings], unread);
    }

    /// Of any name that a file can have: its work is kept, comes back, and goes with the rest.
    void modelsOfAnyName_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("long") << QString(250, 'n') + ".onnx";
        QTest::newRow("long in bytes") << QString(50, QChar(0x4e00)) + QString(45, QChar(0xe9)) + "n.onnx";
        QTest::newRow("colon") << QString(":colon.onnx");
        QTest::newRow("hidden") << QString(".hidden.onnx");
        QTest::newRow("per cent") << QString("%1%2.onnx");
        QTest::newRow("lines") << QString("a\nb.onnx");
    }
    void modelsOfAnyName() {
        QFETCH(QString, name);
        const QString model = QFileInfo(model_).absolutePath() + '/' + name;
        QVERIFY(QFile::rename(model_, model));
        {
            MainWindow window;
            window.show();
            const QString before = QDir::currentPath();
            QVERIFY(QDir::setCurrent(QFileInfo(model_).absolutePath()));
            const bool opened = openAndWait(window, name); // as the command line names it
            QDir::setCurrent(before);
            QVERIFY(opened);
            QVERIFY(window.modelGraph());
            QTRY_VERIFY(!window.project().path().isEmpty());
            window.selection().set({{3}});
            window.close();
        }
        {
            MainWindow window;
            Settled settled(window);
            window.openLast();
            QVERIFY(settled.wait());
            QVERIFY(window.modelGraph());
            QCOMPARE(window.selection().nodes(), std::vector<int>{3});
        }
        for (int i = 0; i < 12; ++i) {
            QVERIFY(project::File::create(app::newUnsavedProject(model).toStdString(), {}));
            QTest::qWait(12); // so that their times differ
        }
        QCOMPARE(QFileInfo(app::newUnsavedProject(model)).dir().entryList(QDir::Files | QDir::Hidden).size(),
                 qsizetype(9)); // and the new one
    }

    void whatWasOpenLastAsksNothing() {
        {
            MainWindow window;
            QVERIFY(openAndWait(window, model_));
            QTRY_VERIFY(!window.project().path().isEmpty());
        }
        const QString last = app::lastProject();
        QVERIFY(QFile::remove(model_));
        MainWindow window;
        window.show();
        QSignalSpy opened(&window.project(), &app::ProjectKeeper::opened);
        window.openLast();
        QVERIFY(opened.wait(patience));
        QVERIFY(!QApplication::activeModalWidget());
        QVERIFY(window.logPanel()->text().contains("is not there any more"));
        app::setLastProject(last);
        app::Preferences preferences = app::Preferences::kept();
        preferences.beginsWithLast = false;
        preferences.keep();
        window.openLast();
        QVERIFY(!opened.wait(300));
    }

    void onlyTheLatestUnsavedWorkStays() {
        QString first;
        for (int i = 0; i < 14; ++i) {
            const QString path = app::newUnsavedProject(QStringLiteral("/models/net%1.onnx").arg(i));
            QVERIFY(app::isUnsavedProject(path));
            const auto made = project::File::create(path.toStdString(), {});
            QVERIFY(made);
            first = first.isEmpty() ? path : first;
            QTest::qWait(12); // so that their times differ
        }
        QVERIFY(!QFile::exists(first));
        QCOMPARE(QFileInfo(first).dir().entryList({"*.lathe"}).size(), qsizetype(10));
    }

    void aFileThatIsGoneIsMadeAgain() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model_));
        for (const bool damaged : {false, true}) {
            QVERIFY(save(window, project_));
            QVERIFY(!window.project().isFailing());
            QSignalSpy failed(&window.project(), &app::ProjectKeeper::failed);
            if (damaged)
                QVERIFY(QFile::resize(project_, 0));
            else
                QVERIFY(QFile::remove(project_));
            window.selection().set({std::vector<int>{damaged ? 3 : 1}});
            QVERIFY(failed.wait(patience));
            QVERIFY(window.project().isFailing());

            bool asked = false; // instead of being told that there is nothing to save
            QTimer::singleShot(0, [&] {
                auto dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                asked = dialog != nullptr;
                if (dialog)
                    dialog->reject();
            });
            window.actions()["file.save"]->trigger();
            QVERIFY(asked);

            QVERIFY(save(window, project_));
            QCOMPARE(QString::fromStdString(project::File::peek(project_.toStdString())->kept.at("nodes")),
                     QString(damaged ? "[3]" : "[1]"));
        }
    }

    void aFullDiskIsSaidAndTheWorkGoesOn() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model_));
        QVERIFY(save(window, project_));
        QSignalSpy failed(&window.project(), &app::ProjectKeeper::failed);
        {
            const FullDisk full(1024);
            window.selection().set({std::vector<int>{1}});
            QVERIFY(failed.wait(patience));
        }
        QVERIFY(window.problems()->model()->rowCount() > 0);
        QVERIFY(window.logPanel()->text().contains("see whether the disk has room"));
        window.selection().set({std::vector<int>{2}}); // there is room again
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(project::File::peek(project_.toStdString())->kept.at("nodes")),
                                  QString("[2]"), 15'000); // it is tried again after a while
    }

    /// Who has given the work no name knows of no project: what is said is that the work is not kept.
    void aFullDiskWithoutANameIsSaidToo() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model_));
        QTRY_VERIFY(!window.project().path().isEmpty());
        QSignalSpy failed(&window.project(), &app::ProjectKeeper::failed);
        const FullDisk full(1024);
        window.selection().set({std::vector<int>{1}});
        QVERIFY(failed.wait(patience));
        const QString said = window.logPanel()->text();
        QVERIFY2(said.contains("What you do is not kept: ") && said.contains("Ctrl+S"), qPrintable(said));
        QVERIFY2(!said.contains("the project"), qPrintable(said));
    }

    void aFolderThatCannotBeMadeIsSaid() {
        qputenv("XDG_DATA_HOME", model_.toUtf8()); // a file
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, model_));
        QVERIFY(window.project().path().isEmpty());
        QVERIFY(window.logPanel()->text().contains("What you do is not kept: its folder cannot be made"));
    }

    /// Bytes that are no UTF-8 are one sign to Qt: another file could be meant, and is not opened instead.
    void namesThatAreNoText() {
        const QString folder = QFileInfo(model_).absolutePath();
        const std::string bytes = folder.toStdString() + "/\xff.onnx";
        QVERIFY(std::filesystem::copy_file(sample("small_transformer.onnx").toStdString(), bytes));
        const QString seen = QFile::decodeName(bytes.c_str());
        QVERIFY(QFile::copy(model_, seen)); // the other file
        MainWindow window;
        window.show();
        const auto refused = [&] {
            return !window.isBusy() && window.problems()->model()->rowCount() == 1 &&
                   window.logPanel()->text().contains("no UTF-8 text");
        };
        window.open(seen);
        QVERIFY(refused() && !window.modelGraph());
        QVERIFY(openAndWait(window, model_));
        const QUrl dropped = QUrl::fromEncoded("file://" + folder.toUtf8() + "/%FF.onnx");
        QMimeData data;
        data.setUrls({dropped});
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
        QVERIFY(refused());
        QVERIFY(window.windowTitle().contains("model.onnx"));
        window.compareWith(seen);
        QVERIFY(refused());
        std::filesystem::remove(bytes); // QTemporaryDir does not see it
    }
};

Test test() {
    return {makes<TestProject>, Application::Window, workForEver};
}

} // namespace lathe::testing::test_project

#include "test_project.moc"
