// SPDX-License-Identifier: GPL-3.0-or-later
// Actions, their keys, and the command palette, with real keys: what is typed finds what is meant, and Enter does it.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "app/shortcuts_dialog.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/graph/model_page.h"
#include "views/loops/loops_page.h"
#include "views/models/text/fuzzy.h"
#include "views/palette/command_palette.h"
#include "views/passes/passes_page.h"

#include <QAbstractItemModelTester>
#include <QDialogButtonBox>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTest>
#include <QTreeWidget>

namespace lathe::testing::test_palette {

using app::MainWindow;
using views::models::fuzzyMatch;
using views::models::PaletteEntry;

namespace {

QStringList shown(const views::models::PaletteModel& model) {
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts << model.at(row).text;
    return texts;
}

} // namespace

class TestPalette : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// Every action that a menu shows, by its title.
    static QStringList inMenus(const MainWindow& window) {
        QStringList titles;
        for (const QAction* menu : window.menuBar()->actions())
            for (const QAction* action : menu->menu()->actions())
                if (!action->isSeparator() && !action->menu())
                    titles << action->text().remove('&');
        return titles;
    }

private slots:
    void initTestCase() { isolate(folder_, "test_palette"); }
    void init() { QSettings().clear(); }

    void fuzzy_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse"); // empty: does not match at all
        QTest::newRow("in order") << "cmp" << "Compile" << "";
        QTest::newRow("not in order") << "pmc" << "pmc" << "";
        QTest::newRow("starts of words") << "rp" << "Run and profile" << "Crop";
        QTest::newRow("together") << "conv" << "/layer1/Conv" << "commands of envelopes and vectors";
        QTest::newRow("camel case") << "ln" << "LayerNormalization" << "Fueling";
        QTest::newRow("the shorter") << "fuse" << "fuse" << "fuse all of the functions at once";
        QTest::newRow("words in any order") << "conv layer2" << "/layer2/Conv" << "";
        QTest::newRow("numbers") << "12" << "/encoder/layer.12/MatMul" << "/encoder/layer.1/x2/MatMul";
    }
    void fuzzy() {
        QFETCH(QString, pattern);
        QFETCH(QString, better);
        QFETCH(QString, worse);
        const auto good = fuzzyMatch(pattern, better);
        QVERIFY(good);
        if (!worse.isEmpty()) {
            const auto bad = fuzzyMatch(pattern, worse);
            QVERIFY(bad);
            QVERIFY2(good->score > bad->score, qPrintable(QString("%1, %2").arg(good->score).arg(bad->score)));
        }
        QString found;
        for (const int at : good->positions)
            found += better[at].toLower();
        QString letters = pattern;
        letters.remove(' ');
        std::sort(found.begin(), found.end());
        std::sort(letters.begin(), letters.end());
        QCOMPARE(found, letters);
        QVERIFY(!fuzzyMatch(pattern + "~", better));
    }

    void everyMenuActionIsInTheTable() {
        MainWindow window;
        QStringList titles;
        QSet<QString> ids;
        for (const app::Actions::Entry& entry : window.actions().entries()) {
            titles << entry.title;
            ids.insert(entry.id);
        }
        QCOMPARE(size_t(ids.size()), window.actions().entries().size());
        const QStringList menus = inMenus(window);
        QVERIFY(menus.size() > 12);
        for (const QString& title : menus)
            QVERIFY2(titles.contains(title), qPrintable(title));
        QCOMPARE(menus.size(), titles.size()); // and none that no menu has
    }

    void commandsByKeys() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        views::palette::CommandPalette* palette = window.palettePopup();
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(palette->isVisible());
        // Nothing is open: what cannot be done is not offered.
        QVERIFY(shown(palette->entries()).filter("Compile").isEmpty());
        QTest::keyClicks(palette->field(), "dark");
        QCOMPARE(shown(palette->entries()).value(0), QString("View: Dark theme"));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(window.theme().choice(), app::Theme::Choice::Dark);
        QCOMPARE(QSettings().value("window/theme").toInt(), 2);

        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(palette->field(), "theme");
        const QStringList themes = shown(palette->entries());
        QVERIFY(themes.size() >= 3);
        QTest::keyClick(palette->field(), Qt::Key_Down);
        QTest::keyClick(palette->field(), Qt::Key_Up);
        QTest::keyClicks(palette->field(), "zzz");
        QCOMPARE(palette->entries().rowCount(), 0);
        QTest::keyClick(palette->field(), Qt::Key_Return); // nothing to do
        QVERIFY(palette->isVisible());
        QTest::keyClick(palette->field(), Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
        QCOMPARE(window.theme().choice(), app::Theme::Choice::Dark);
    }

    void placesOfAModel() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        views::palette::CommandPalette* palette = window.palettePopup();
        const QAbstractItemModelTester tester(&palette->entries());
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier);
        QVERIFY(palette->isVisible());
        const int nodes = palette->entries().rowCount();
        QCOMPARE(nodes, 62); // as `lathe inspect` counts them
        QTest::keyClicks(palette->field(), "1 softmax");
        const PaletteEntry softmax = palette->entries().at(0);
        QVERIFY2(softmax.text.contains("Softmax"), qPrintable(softmax.text));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QCOMPARE(window.selection().nodes(), std::vector<int>{softmax.id});

        QVERIFY(compileAndWait(window));
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier);
        QVERIFY(palette->isVisible());
        QVERIFY2(palette->entries().matches() > nodes + 40, // passes and functions too
                 qPrintable(QString::number(palette->entries().matches())));
        QTest::keyClicks(palette->field(), "fused softmax");
        const PaletteEntry function = palette->entries().at(0);
        QCOMPARE(function.kind, PaletteEntry::Kind::Function);
        Settled shownThere(window);
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QVERIFY(!window.selection().nodes().empty());
        QVERIFY(shownThere.wait()); // its loops
        QCOMPARE(window.findChild<QTabWidget*>()->currentWidget(), window.loopsPage());
    }

    /// Results do not tear the user from what they read: the first of a model has a page to show, later ones have not.
    void pagesStay() {
        MainWindow window;
        window.show();
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        const auto* pages = window.findChild<QTabWidget*>();
        QVERIFY(compileAndWait(window));
        QCOMPARE(pages->currentWidget(), window.passesPage());
        window.showPage("model");
        QVERIFY(compileAndWait(window));
        QCOMPARE(pages->currentWidget(), window.modelPage());
        Settled ran(window);
        window.run();
        window.showPage("passes"); // meanwhile
        QVERIFY(ran.wait());
        QCOMPARE(pages->currentWidget(), window.passesPage());
    }

    void keysAreChangedAndKept() {
        const QKeySequence f9(Qt::Key_F9);
        {
            MainWindow window;
            app::ShortcutsDialog dialog(window.actions(), &window);
            auto* table = dialog.findChild<QTreeWidget*>();
            QCOMPARE(size_t(table->topLevelItemCount()), window.actions().entries().size());
            dialog.findChild<QLineEdit*>()->setText("run and p");
            QCOMPARE(table->topLevelItemCount(), 1);
            dialog.findChild<QKeySequenceEdit*>()->setKeySequence(f9);
            for (QPushButton* button : dialog.findChildren<QPushButton*>())
                if (button->text() == "&Set")
                    QTest::mouseClick(button, Qt::LeftButton);
            QCOMPARE(window.actions()["model.run"]->shortcuts(), QList<QKeySequence>{f9});
        }
        MainWindow window; // another time
        QCOMPARE(window.actions()["model.run"]->shortcuts(), QList<QKeySequence>{f9});
        // Who gets keys takes them from whoever had them.
        window.actions().setKeys("model.compile", {f9});
        QVERIFY(window.actions()["model.run"]->shortcuts().isEmpty());
        QCOMPARE(window.actions().withKeys(f9)->id, QString("model.compile"));
        app::ShortcutsDialog dialog(window.actions(), &window);
        QTest::mouseClick(dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::RestoreDefaults),
                          Qt::LeftButton);
        QCOMPARE(window.actions()["model.run"]->shortcuts(), QList<QKeySequence>{QKeySequence(Qt::Key_F6)});
        QCOMPARE(window.actions()["model.compile"]->shortcuts(), QList<QKeySequence>{QKeySequence(Qt::Key_F5)});
        QVERIFY(QSettings().allKeys().filter("shortcuts").isEmpty());
    }

    /// Where docks and toolbars are is kept; settings that are damaged do no harm.
    void windowIsKept() {
        {
            MainWindow window;
            window.show();
            QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
            window.actions()["view.log"]->trigger();
            QVERIFY(!window.actions()["view.log"]->isChecked());
            window.close();
        }
        {
            MainWindow window;
            window.show();
            QVERIFY(!window.actions()["view.log"]->isChecked());
            QVERIFY(window.actions()["view.problems"]->isChecked());
        }
        QSettings().setValue("window/state", QByteArray("no state"));
        QSettings().setValue("window/geometry", QByteArray("no geometry"));
        QSettings().setValue("window/theme", 77);
        QSettings().setValue("shortcuts/model.run", "no keys at all");
        MainWindow window;
        window.show();
        QVERIFY(window.width() > 300);
        QVERIFY(window.width() <= window.screen()->availableSize().width());
    }
};

Test test() {
    return {makes<TestPalette>, Application::Window};
}

} // namespace lathe::testing::test_palette

#include "test_palette.moc"
