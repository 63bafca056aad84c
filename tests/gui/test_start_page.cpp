// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows without a model: samples, and what was open last with what was seen of it; closing a model comes back
// to it. The guide: its contents, its links to headings, and a page that is not there.
// Needs: lathe-runner samples
#include "app/flow_bar.h"
#include "app/main_window.h"
#include "app/recent_files.h"
#include "app/shared_folder.h"
#include "app/unsaved_work.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/help/guide_window.h"
#include "views/profile/profile_page.h"
#include "views/start/start_page.h"

#include <QCommandLinkButton>
#include <QDir>
#include <QListWidget>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

namespace lathe::testing::test_start_page {

using app::MainWindow;
using views::help::GuideWindow;
using views::models::RecentFile;
using views::start::StartPage;

namespace {

/// Titles and descriptions of what can be clicked.
QStringList linksOf(const MainWindow& window) {
    QStringList links;
    for (const QCommandLinkButton* link : window.findChild<StartPage*>()->findChildren<QCommandLinkButton*>())
        links << link->accessibleName() + " | " + link->description();
    return links;
}

} // namespace

class TestStartPage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_start_page"); }
    void init() { QSettings().clear(); }

    void facts_data() {
        QTest::addColumn<RecentFile>("file");
        QTest::addColumn<QString>("facts");
        const QDateTime noon(QDate(2026, 3, 14), QTime(12, 5));
        QTest::newRow("nothing") << RecentFile{.path = "a.onnx"} << "";
        QTest::newRow("all") << RecentFile{.path = "a.onnx", .opened = noon, .nodes = 1204, .medianMs = 0.1154}
                             << "1,204 nodes · 0.115 ms a run · today, 12:05";
        QTest::newRow("yesterday") << RecentFile{.path = "a.onnx", .opened = noon.addDays(-1)} << "yesterday, 12:05";
        QTest::newRow("before") << RecentFile{.path = "a.onnx", .opened = noon.addDays(-30)} << "12 February 2026";
    }
    void facts() {
        QFETCH(RecentFile, file);
        QFETCH(QString, facts);
        QCOMPARE(factsOf(file, QDateTime(QDate(2026, 3, 14), QTime(18, 0))), facts);
    }

    void recentFilesAreKept() {
        app::rememberRecent("/a.onnx", 7);
        app::rememberRun("/a.onnx", 2.5);
        app::rememberRun("/never.onnx", 1); // is not listed, and does not come in so
        app::rememberRecent("/b.lathe", 0);
        QList<RecentFile> files = app::recentFiles();
        QCOMPARE(files.size(), 2);
        QVERIFY(files[0].path == "/b.lathe" && files[0].isProject());
        QVERIFY(files[1].nodes == 7 && files[1].medianMs == 2.5);
        app::rememberRecent("/a.onnx", 0); // refused this time: what was known stays
        files = app::recentFiles();
        QVERIFY(files[0].path == "/a.onnx" && files[0].nodes == 7);
        for (int i = 0; i < 20; ++i)
            app::rememberRecent(QString("/%1.onnx").arg(i), 1);
        QCOMPARE(app::recentFiles().size(), 10);
        QSettings().setValue(
            "recentFacts", QStringList{"{", "[]", "{\"path\":1}", "{\"path\":\"/19.onnx\",\"nodes\":-3,\"ms\":1e308}"});
        QCOMPARE(app::recentFiles()[0].nodes, 0);
        QCOMPARE(app::recentFiles()[0].medianMs, 0.0);
    }

    void fromSampleToClosed() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        auto* start = window.findChild<StartPage*>();
        QVERIFY(start->isVisible());
        QVERIFY(!window.actions()["file.close"]->isEnabled());
        QCOMPARE(linksOf(window).size(), 2); // the samples
        {
            Settled settled(window);
            QTest::mouseClick(start->findChild<QCommandLinkButton*>("small_cnn.onnx"), Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QVERIFY(!start->isVisible());
        {
            Settled settled(window);
            window.run();
            QVERIFY(settled.wait());
        }
        QVERIFY(!app::lastProject().isEmpty() || !window.project().path().isEmpty());
        QTest::keyClick(&window, Qt::Key_W, Qt::ControlModifier);
        QVERIFY(start->isVisible());
        QVERIFY(!window.modelGraph() && !window.compilation());
        QCOMPARE(window.windowTitle(), QString("Lathe"));
        QCOMPARE(window.profilePage()->model()->rowCount(), 0);
        for (const char* action : {"file.close", "file.save", "model.compile", "model.run", "file.export",
                                   "tuning.start", "check.values", "file.report"})
            QVERIFY2(!window.actions()[action]->isEnabled(), action);
        const QStringList links = linksOf(window);
        QCOMPARE(links.size(), 3);
        QVERIFY2(links.last().contains("samples/small_cnn.onnx | Model · 39 nodes · "), qPrintable(links.last()));
        QVERIFY(links.last().contains(" ms a run · today"));
        QVERIFY(app::lastProject().isEmpty()); // the next start begins here
        // And again, from the list.
        {
            Settled settled(window);
            QTest::mouseClick(start->findChildren<QCommandLinkButton*>().last(), Qt::LeftButton);
            QVERIFY(settled.wait());
        }
        QVERIFY(window.modelGraph());
    }

    void closingEndsWhatGoesOn() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        window.run();
        window.actions()["file.close"]->trigger();
        Settled settled(window);
        if (window.isBusy())
            QVERIFY(settled.wait());
        QVERIFY(!window.modelGraph());
        QVERIFY(window.findChild<StartPage*>()->isVisible()); // an answer that came later opens nothing
    }

    /// What was changed last is written, though it was closed at once.
    void closingKeepsTheProject() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        const QString path = folder_.filePath("kept.lathe");
        window.saveProject(path);
        QTRY_COMPARE(window.projectPath(), path);
        app::RunSettings settings = window.runSettings();
        settings.fixSizes = true;
        window.setRunSettings(settings);
        window.actions()["file.close"]->trigger();
        QVERIFY(!window.runSettings().fixSizes); // it was of that model
        QVERIFY(openAndWait(window, path));
        QVERIFY(window.runSettings().fixSizes);
    }

    void fragments_data() {
        QTest::addColumn<QString>("heading");
        QTest::addColumn<QString>("fragment");
        QTest::newRow("words") << "The graph" << "the-graph";
        QTest::newRow("signs") << "Overview: what to do next" << "overview-what-to-do-next";
        QTest::newRow("dashes") << "Re-using C++" << "re-using-c";
    }
    void fragments() {
        QFETCH(QString, heading);
        QFETCH(QString, fragment);
        QCOMPARE(views::help::fragmentOf(heading), fragment);
    }

    void theGuide() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_F1);
        auto* guide = window.findChild<GuideWindow*>();
        QVERIFY(guide && guide->isVisible());
        auto* contents = guide->findChild<QListWidget*>();
        QVERIFY(contents->count() > 20);
        QVERIFY(guide->browser()->toPlainText().contains("From then on it is a model like any other"));
        // Each link to a heading has one.
        const auto place = [&] { return guide->browser()->textCursor().block().text(); };
        guide->open("user_guide.md", "overview-what-to-do-next");
        QCOMPARE(place(), QString("Overview: what to do next"));
        QTest::mouseClick(contents->viewport(), Qt::LeftButton, {},
                          contents->visualItemRect(contents->item(1)).center());
        QCOMPARE(place(), contents->item(1)->text().trimmed());
        guide->open("glossary.md");
        QVERIFY(guide->browser()->toPlainText().contains("A-normal form"));
        guide->open("nothing.md");
        QVERIFY(guide->browser()->toPlainText().contains("is not there"));
        QCOMPARE(contents->count(), 0);
    }
};

Test test() {
    return {makes<TestStartPage>, Application::Window};
}

} // namespace lathe::testing::test_start_page

#include "test_start_page.moc"
