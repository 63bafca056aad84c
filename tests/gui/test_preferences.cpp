// SPDX-License-Identifier: GPL-3.0-or-later
// How the program is for its user: what is chosen in the dialog holds at once and in later windows.
// Timeout: 300
#include "app/preferences.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/page/table.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSpinBox>
#include <QStringListModel>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <functional>

namespace lathe::testing::test_preferences {

using app::MainWindow;
using app::Preferences;
using app::PreferencesDialog;

class TestPreferences : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    /// Opens the dialog by its action and lets `act` work on it.
    static bool inDialog(MainWindow& window, const std::function<void(PreferencesDialog&)>& act) {
        bool seen = false;
        QTimer::singleShot(0, &window, [&] {
            auto* dialog = qobject_cast<PreferencesDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            seen = true;
            act(*dialog);
        });
        window.actions()["file.preferences"]->trigger();
        return seen;
    }
    static void press(const PreferencesDialog& dialog, QDialogButtonBox::StandardButton button) {
        QTest::mouseClick(dialog.findChild<QDialogButtonBox*>()->button(button), Qt::LeftButton);
    }

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        isolate(*folder_, "test_preferences");
        QSettings().clear();
    }

    void whatIsChosenHolds() {
        MainWindow window;
        window.show();
        const double before = QApplication::font().pointSizeF();
        window.actions()["view.theme.light"]->trigger();
        const QColor light = window.palette().color(QPalette::Window);
        QVERIFY(inDialog(window, [](PreferencesDialog& dialog) {
            auto* theme = dialog.findChild<QComboBox*>();
            theme->setFocus();
            QTest::keyClick(theme, Qt::Key_End); // dark
            auto* size = dialog.findChild<QSpinBox*>();
            size->selectAll();
            QTest::keyClicks(size, "15");
            QTest::mouseClick(dialog.findChild<QCheckBox*>(), Qt::LeftButton, {}, QPoint(8, 8));
            press(dialog, QDialogButtonBox::Ok);
        }));
        QVERIFY(window.actions()["view.theme.dark"]->isChecked());
        QCOMPARE(QApplication::font().pointSizeF(), 15.0);
        QTRY_VERIFY(window.palette().color(QPalette::Window).lightness() < light.lightness());
        QVERIFY(!Preferences::kept().beginsWithLast);
        {
            MainWindow later;
            QVERIFY(later.actions()["view.theme.dark"]->isChecked());
        }
        // The theme that is chosen in the menu is the same thing.
        window.actions()["view.theme.light"]->trigger();
        QVERIFY(Preferences::kept().theme == app::Theme::Choice::Light);
        QCOMPARE(Preferences::kept().textSize, 15);
        QVERIFY(inDialog(window, [](PreferencesDialog& dialog) {
            press(dialog, QDialogButtonBox::RestoreDefaults);
            press(dialog, QDialogButtonBox::Ok);
        }));
        QVERIFY(Preferences::kept() == Preferences());
        QCOMPARE(QApplication::font().pointSizeF(), before);
    }

    void cancelChangesNothing() {
        MainWindow window;
        window.show();
        QVERIFY(inDialog(window, [](PreferencesDialog& dialog) {
            QTest::keyClick(dialog.findChild<QComboBox*>(), Qt::Key_End);
            press(dialog, QDialogButtonBox::Cancel);
        }));
        QVERIFY(Preferences::kept() == Preferences());
    }

    void settingsThatAreNonsenseAreAsByDefault() {
        QSettings settings;
        settings.setValue("window/textSize", 4000);
        settings.setValue("window/theme", -7);
        QCOMPARE(Preferences::kept().textSize, Preferences::largestText);
        QVERIFY(Preferences::kept().theme == app::Theme::Choice::System);
    }

    void junkInAnyKeyLeavesAWindow_data() {
        QTest::addColumn<QVariant>("junk");
        QTest::newRow("negative") << QVariant(-7);
        QTest::newRow("huge") << QVariant(1e300);
        QTest::newRow("word") << QVariant("junk");
        QTest::newRow("bytes") << QVariant(QByteArray(1000, char(0xff)));
        QTest::newRow("list") << QVariant(QStringList(1000, "/nowhere/" + QString(200, 'W')));
        QTest::newRow("map") << QVariant(QVariantMap{{"a", 1}});
        QTest::newRow("long") << QVariant(QString(100'000, 'W'));
        QTest::newRow("folder") << QVariant("/tmp");
    }
    void junkInAnyKeyLeavesAWindow() {
        QFETCH(QVariant, junk);
        for (const char* key : {"window/geometry", "window/state", "window/theme", "session/restore", "session/last",
                                "session/beginning", "recentFiles", "choices/passes.picture", "choices/fusion.picture",
                                "run/target", "run/numerics", "run/threads", "shortcuts/model.compile"})
            QSettings().setValue(key, junk);
        MainWindow window;
        window.show();
        window.openLast();
        const QSize least = window.minimumSizeHint();
        QVERIFY2(least.width() <= 1280 && least.height() <= 800,
                 qPrintable(QString("%1 × %2").arg(least.width()).arg(least.height())));
        QTRY_VERIFY(!window.isBusy());
    }

    /// It may have been moved to a screen that is gone.
    void aWindowFarAwayComesBack() {
        {
            MainWindow window;
            window.show();
            window.setGeometry(-30'000, -30'000, 20'000, 20'000);
            window.close();
        }
        MainWindow window;
        window.show();
        const QRect screen = window.screen()->availableGeometry();
        QVERIFY(screen.intersects(window.geometry()));
        const QRect seen = screen.intersected(window.geometry());
        QVERIFY(seen.width() > 100 && seen.height() > 100);
    }

    void rowsAreAsHighAsTheirTexts() {
        QStringListModel model({"one", "two"});
        QTableView table;
        views::setUpTable(table, model);
        table.show();
        const int before = table.rowHeight(1);
        const QFont usual = QApplication::font();
        QFont large = usual;
        large.setPointSizeF(Preferences::largestText);
        const int needed = QFontMetrics(large).height();
        QVERIFY(before < needed);
        table.setFont(large);
        QVERIFY(table.rowHeight(1) >= needed);
        table.setFont(usual);
        QCOMPARE(table.rowHeight(1), before);
    }

    void theCacheIsCleared() {
        QVERIFY(QDir().mkpath(folder_->filePath("cache/kernels")));
        QFile kernel(folder_->filePath("cache/kernels/k.o"));
        QVERIFY(kernel.open(QIODevice::WriteOnly) && kernel.write(QByteArray(2048, 'x')) == 2048);
        kernel.close();
        PreferencesDialog dialog({}, nullptr);
        dialog.show();
        const auto says = [&](const QString& words) {
            for (const QLabel* label : dialog.findChildren<QLabel*>())
                if (label->text().contains(words))
                    return true;
            return false;
        };
        QTRY_VERIFY(says("1 kernel, 2.05 kB"));
        for (QPushButton* button : dialog.findChildren<QPushButton*>())
            if (button->text().contains("Clear"))
                QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(says("0 kernels"));
        QVERIFY(!kernel.exists());
    }
};

Test test() {
    return {makes<TestPreferences>, Application::Window};
}

} // namespace lathe::testing::test_preferences

#include "test_preferences.moc"
