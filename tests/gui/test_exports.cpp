// SPDX-License-Identifier: GPL-3.0-or-later
// Needs: lathe lathe-runner runtimes samples
// Timeout: 900
//
// File > Exports by clicks and keys: what was exported is kept with the project and there again when it is opened; an export is
// found on the disk, made again, compared with another one and taken off the list. What a project says of exports may be
// anything.
// Runs: release sanitized
#include "app/main_window.h"
#include "gui/window.h"
#include "project/file.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "views/exporting/export_wizard.h"
#include "views/exporting/exports_dialog.h"
#include "views/log/log_panel.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <limits>

namespace lathe::testing::test_exports {

using views::exporting::ExportsDialog;
using views::exporting::ExportWizard;
using views::models::ExportListModel;
using views::models::KeptExport;

namespace {

/// Every field another one than by default.
KeptExport anExport() {
    KeptExport made;
    made.request.form = "exe";
    made.request.name = "net";
    made.request.version = "1.2";
    made.request.licence = "MIT OR \"x\"";
    made.request.targets = {"native", "x86-64-v3"};
    made.request.parts = {"c", "golden"};
    made.request.sizes = {{"it's\n\"odd\"", 2, 64, 8}, {"free", 1, {}, 3}};
    made.request.cases = 5;
    made.request.tolerance = 0.25;
    made.request.p50Ms = 1.5;
    made.request.p99Ms = 2.5;
    made.request.loadMs = 3.5;
    made.request.residentMb = 4.5;
    made.request.sizeMb = 5.5;
    made.request.check = false;
    made.request.device = "qemu:cortex-a72";
    made.request.out = "/tmp/an ä bundle";
    made.settings = {"--threads", "3"};
    made.end.out = "/tmp/an ä bundle";
    made.end.id = "00ff";
    made.end.checked = true;
    made.end.good = false;
    made.end.variant = "x86-64-v3";
    made.end.targets = {{"x86-64-v3", "wrong", "output 'y': 3 of 8 values differ"}, {"cortex-a72", "not run", "no"}};
    made.end.cases = 2;
    made.end.threads = 3;
    made.end.loadMs = 1;
    made.end.firstMs = 2;
    made.end.p50Ms = 3;
    made.end.p90Ms = 4;
    made.end.p99Ms = 5;
    made.end.residentBytes = qint64(1) << 40;
    made.end.bytes = 123456789;
    made.end.problems = {"too slow", "and more"};
    made.time = 1'700'000'000;
    return made;
}

class FolderSpy : public QObject {
    Q_OBJECT

public:
    FolderSpy() { QDesktopServices::setUrlHandler("file", this, "open"); }
    ~FolderSpy() override { QDesktopServices::unsetUrlHandler("file"); }
    QStringList opened;

public slots:
    void open(const QUrl& url) { opened << url.toLocalFile(); }
};

} // namespace

class TestExports : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static ExportsDialog* list(app::MainWindow& window) {
        window.show();
        QApplication::setActiveWindow(&window);
        if (!QTest::qWaitForWindowActive(&window))
            return nullptr;
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        return active(window.exportsDialog());
    }
    static ExportsDialog* active(ExportsDialog* dialog) {
        if (!dialog)
            return nullptr;
        QApplication::setActiveWindow(dialog);
        return QTest::qWaitForWindowActive(dialog) ? dialog : nullptr;
    }
    template <class Widget>
    static Widget* in(QWidget& dialog, const char* name) {
        return dialog.findChild<Widget*>(QLatin1String(name));
    }
    static QString cell(QTableView& table, int row, int column) {
        return table.model()->index(row, column).data().toString();
    }
    static bool hasRow(QTableView& table, const QString& what) {
        for (int row = 0; row < table.model()->rowCount(); ++row)
            if (cell(table, row, 0) == what)
                return true;
        return false;
    }
    /// By Enter from page to page.
    static bool exportTo(app::MainWindow& window, ExportWizard& wizard, const QString& out) {
        Settled settled(window);
        while (wizard.currentId() < ExportWizard::Summary) {
            const int before = wizard.currentId();
            QTest::keyClick(&wizard, Qt::Key_Return);
            if (wizard.currentId() == before)
                return false;
        }
        wizard.currentPage()->findChild<QLineEdit*>("out")->setText(out);
        if (!settled.wait() || !wizard.button(QWizard::CommitButton)->isEnabled())
            return false;
        QTest::keyClick(&wizard, Qt::Key_Return);
        return settled.wait() && wizard.currentId() == ExportWizard::Result;
    }
    static ExportWizard* ask(app::MainWindow& window) {
        window.show();
        QApplication::setActiveWindow(&window);
        if (!QTest::qWaitForWindowActive(&window))
            return nullptr;
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
        return window.exportWizard();
    }
    bool writeProject(const QString& path, const std::string& exports) const {
        project::Project project;
        project.model.path = sample("small_cnn.onnx").toStdString();
        project.kept["exports"] = exports;
        const auto model = project::referenceTo(project.model.path);
        if (!model)
            return false;
        project.model = *model;
        return project::File::create(path.toStdString(), project).has_value();
    }

private slots:
    void initTestCase() { isolate(folder_, "test_exports"); }

    void keptAsText() {
        QStringList unread;
        KeptExport other = anExport();
        other.request.sizes.clear();
        other.time = 0;
        KeptExport least;
        least.end.out = "/x";
        const QList<KeptExport> all{anExport(), least, other};
        QList<KeptExport> expected = all;
        expected[1].request.out = "/x"; // what was written to is where it is
        QCOMPARE(views::models::exportsIn(views::models::textOf(all), unread), expected);
        QCOMPARE(unread, QStringList());
        QCOMPARE(views::models::exportsIn("", unread), QList<KeptExport>());
        QCOMPARE(unread, QStringList());
    }

    /// The place is none of them, but what its ending says.
    void choicesThatChanged() {
        using views::models::ExportChange;
        KeptExport other = anExport();
        other.request.out = "/elsewhere";
        QCOMPARE(views::models::changedChoices(anExport(), other), QList<ExportChange>());
        other.request.form = "static";
        other.request.out = "/elsewhere.zip";
        QCOMPARE(views::models::changedChoices(anExport(), other),
                 (QList<ExportChange>{{"form", "exe", "static"}, {"packing", "", ".zip"}}));
    }

    /// A field that is not what it should be takes its export with it, no other; what is missing or unknown does no harm.
    void hostileTexts() {
        const QString good = views::models::textOf({anExport()});
        const auto refused = [](const QString& text) {
            QStringList unread;
            const auto read = views::models::exportsIn(text, unread);
            return read.isEmpty() && unread.size() == 1;
        };
        for (const char* text :
             {"{}", "[", "1", "[1]", "[[]]", "[null]", "[{}]", "[{\"result\":{\"out\":\"relative\"}}]",
              "[{\"result\":{\"out\":\"/a\\u0000b\"}}]", "[{\"result\":{\"out\":7}}]"})
            QVERIFY2(refused(text), text);
        QVERIFY(refused(QString(100'000, '[')));
        int mutants = 0;
        const QStringList fields = {
            "form",           "name",    "version",  "licence",  "targets",     "parts",         "sizes",
            "least",          "most",    "usual",    "cases",    "tolerance",   "p50 limit, ms", "memory limit, MB",
            "check",          "device",  "out",      "id",       "checked",     "good",          "variant",
            "target",         "outcome", "why",      "threads",  "right cases", "load_ms",       "p99_ms",
            "resident_bytes", "bytes",   "problems", "settings", "time"};
        for (const QString& field : fields)
            for (const char* value : {"-1", "1e300", "{}", "[[]]", "[1]", "null", "0.5e-1x"}) {
                const QString name = QStringLiteral("\"%1\":").arg(field);
                const qsizetype at = good.indexOf(name) + name.size();
                QVERIFY2(at >= name.size(), qPrintable(field));
                const QString mutant = good.left(at) + QLatin1String(value) + ",\"unknown\":" + good.mid(at);
                const bool fits =
                    QLatin1String(value) == "1e300" &&
                    (field.endsWith("_ms") || field.contains("limit") || field == "tolerance"); // a number
                QVERIFY2(refused(mutant) != fits, qPrintable(mutant));
                ++mutants;
            }
        QCOMPARE(mutants, int(fields.size()) * 7);
        QString longer = good;
        longer.replace("\"net\"", '"' + QString(10'000, 'a') + '"');
        QVERIFY(refused(longer));
        QStringList unread;
        QList<KeptExport> many(1000, anExport());
        many.last().time = 7;
        const auto read = views::models::exportsIn(views::models::textOf(many), unread);
        QCOMPARE(read.size(), views::models::mostExports);
        QCOMPARE(read.last().time, 7);
        QCOMPARE(unread.size(), 1);
    }

    /// Two exports by keys, compared, copied; closed and opened again, made again, taken off the list.
    void fromExportToExport() {
        const QString path = folder_.filePath("work.lathe"), first = folder_.filePath("first"),
                      second = folder_.filePath("second.tar.zst");
        FolderSpy folders;
        {
            app::MainWindow window;
            QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
            ExportsDialog* dialog = list(window);
            QVERIFY(dialog && in<QLabel>(*dialog, "hint")->text().contains("Nothing was exported"));
            QVERIFY(!in<QAbstractButton>(*dialog, "repeat")->isEnabled());
            QTest::keyClick(dialog, Qt::Key_Escape);
            QVERIFY(!window.exportsDialog());

            ExportWizard* wizard = ask(window);
            QVERIFY(wizard && exportTo(window, *wizard, first));
            QTest::keyClick(wizard, Qt::Key_Return);
            wizard = ask(window);
            QVERIFY(wizard);
            while (wizard->currentId() != ExportWizard::Contents)
                QTest::keyClick(wizard, Qt::Key_Return);
            QTest::mouseClick(wizard->currentPage()->findChild<QCheckBox*>("python"), Qt::LeftButton, {}, QPoint(8, 8));
            QVERIFY(!wizard->request().parts.contains("python"));
            QVERIFY(exportTo(window, *wizard, second));
            QTest::mouseClick(wizard->currentPage()->findChild<QAbstractButton*>("exports"), Qt::LeftButton);
            QVERIFY(!window.exportWizard());

            dialog = active(window.exportsDialog());
            QVERIFY(dialog);
            auto table = in<QTableView>(*dialog, "list");
            auto changes = in<QTableView>(*dialog, "changes");
            QCOMPARE(table->model()->rowCount(), 2);
            QVERIFY(changes->isVisible()); // with the one before it
            table->setCurrentIndex(table->model()->index(0, 0));
            QVERIFY(cell(*table, 0, ExportListModel::Place).endsWith("second.tar.zst"));
            QCOMPARE(cell(*table, 1, ExportListModel::State), QString("✓ right"));
            QVERIFY(cell(*table, 1, ExportListModel::Median).endsWith("ms"));
            QVERIFY(cell(*table, 1, ExportListModel::Threads).toInt() > 0);
            table->setFocus();
            QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
            QVERIFY(QGuiApplication::clipboard()->text().startsWith("lathe bundle "));
            QVERIFY(QGuiApplication::clipboard()->text().contains(second));
            QTest::keyClick(table, Qt::Key_Return); // the folder that the archive lies in
            QCOMPARE(folders.opened, QStringList{folder_.path()});
            QVERIFY(window.exportsDialog());

            QVERIFY(!in<QAbstractButton>(*dialog, "compare")->isEnabled());
            QTest::keyClick(table, Qt::Key_Down, Qt::ShiftModifier);
            QVERIFY(!in<QAbstractButton>(*dialog, "repeat")->isEnabled());
            Settled settled(window);
            QTest::keyClick(in<QAbstractButton>(*dialog, "compare"), Qt::Key_Space);
            QVERIFY(settled.wait());
            QVERIFY(hasRow(*changes, "Size, bytes") && hasRow(*changes, "Median of a run"));
            QVERIFY(hasRow(*changes, "file python/lathe_model/__init__.py"));
            QVERIFY(!hasRow(*changes, "file model/small_cnn.so"));
            // The same as the command says, and the figures.
            const Outcome said =
                runProgram(QStringLiteral(LATHE_BINARY_DIR "/lathe"), {"bundle", "diff", first, second});
            QCOMPARE(said.code, 1);
            const auto lines = QString::fromStdString(said.out).split('\n', Qt::SkipEmptyParts);
            int figures = 0;
            while (!cell(*changes, figures, 0).startsWith("file"))
                ++figures;
            QCOMPARE(changes->model()->rowCount() - figures, int(lines.size()) - 1);

            QSignalSpy created(&window.project(), &app::ProjectKeeper::created);
            window.saveProject(path);
            QVERIFY(created.wait(patience));
            window.close();
        }
        {
            app::MainWindow window;
            QVERIFY(openAndWait(window, path));
            ExportsDialog* dialog = list(window);
            QVERIFY(dialog);
            auto table = in<QTableView>(*dialog, "list");
            QCOMPARE(table->model()->rowCount(), 2);
            QCOMPARE(window.exportList().at(0).request.out, second);
            QVERIFY(!window.exportList().at(0).request.parts.contains("python"));
            QVERIFY(window.exportList().at(1).end.p50Ms > 0);
            // Made again: the wizard has its choices.
            table->setFocus();
            QTest::keyClick(table, Qt::Key_Down);
            QTest::mouseClick(in<QAbstractButton>(*dialog, "repeat"), Qt::LeftButton);
            QVERIFY(!window.exportsDialog());
            ExportWizard* wizard = window.exportWizard();
            QVERIFY(wizard);
            QCOMPARE(wizard->request(), window.exportList().at(1).request);
            QTest::keyClick(wizard, Qt::Key_Escape);
            // One whose bundle is gone is compared by figures and choices.
            QVERIFY(QDir(first).removeRecursively());
            dialog = list(window);
            QVERIFY(dialog);
            table = in<QTableView>(*dialog, "list");
            QVERIFY(cell(*table, 1, ExportListModel::State).contains("not there"));
            table->selectAll();
            QTest::mouseClick(in<QAbstractButton>(*dialog, "compare"), Qt::LeftButton);
            QVERIFY(in<QLabel>(*dialog, "compared")->text().contains("not there any more"));
            QVERIFY(hasRow(*in<QTableView>(*dialog, "changes"), "parts"));
            QVERIFY(hasRow(*in<QTableView>(*dialog, "changes"), "packing"));
            // Taken off the list; the bundle stays.
            table->setCurrentIndex(table->model()->index(0, 0));
            table->setFocus();
            QTest::keyClick(table, Qt::Key_Delete);
            QCOMPARE(table->model()->rowCount(), 1);
            QVERIFY(QFileInfo::exists(second));
            QTest::keyClick(dialog, Qt::Key_Escape);
            window.close();
        }
        app::MainWindow window;
        QVERIFY(openAndWait(window, path));
        QCOMPARE(window.exportList().rowCount(), 1);
        QCOMPARE(window.exportList().at(0).end.out, first);
        // Another model has none.
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        QCOMPARE(window.exportList().rowCount(), 0);
    }

    /// Places and words that somebody else wrote: shown, never run; what cannot be read stays in the file.
    void hostileProject() {
        const QString program = folder_.filePath("program");
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("#!/bin/sh\ntouch /tmp/never\n") > 0);
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner));
        KeptExport runs = anExport(), device = anExport(), odd = anExport();
        runs.end.out = program;
        device.end.out = "/dev/zero";
        odd.request.name = "<b>$(touch x)</b>\n\u202e" + QString(5000, 'y');
        odd.request.targets = QStringList(900, "no such cpu");
        odd.request.cases = std::numeric_limits<int>::max();
        odd.end.out = "/nowhere/" + QString(4000, 'z');
        QString text = views::models::textOf({runs, device, odd});
        text.insert(1, "{\"result\":5},");
        const QString path = folder_.filePath("hostile.lathe");
        QVERIFY(writeProject(path, text.toStdString()));
        FolderSpy folders;
        auto opened = std::make_unique<app::MainWindow>();
        app::MainWindow& window = *opened;
        QVERIFY(openAndWait(window, path));
        QCOMPARE(window.exportList().rowCount(), 3);
        ExportsDialog* dialog = list(window);
        QVERIFY(dialog);
        auto table = in<QTableView>(*dialog, "list");
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < ExportListModel::columns; ++column)
                QVERIFY(cell(*table, row, column).size() < 400 && !cell(*table, row, column).contains('\n'));
        for (int row = 0; row < 3; ++row) {
            table->setCurrentIndex(table->model()->index(row, 0));
            QTest::mouseClick(in<QAbstractButton>(*dialog, "open"), Qt::LeftButton);
        }
        QCOMPARE(folders.opened, (QStringList{"/dev", folder_.path()})); // of the first there is none
        QTest::mouseClick(in<QAbstractButton>(*dialog, "copy"), Qt::LeftButton);
        QVERIFY(QGuiApplication::clipboard()->text().startsWith("lathe bundle "));
        // Neither a program nor an endless file is a bundle.
        table->clearSelection();
        for (const int row : {1, 2})
            table->selectionModel()->select(table->model()->index(row, 0),
                                            QItemSelectionModel::Select | QItemSelectionModel::Rows);
        Settled settled(window);
        QTest::mouseClick(in<QAbstractButton>(*dialog, "compare"), Qt::LeftButton);
        QVERIFY(settled.wait());
        QVERIFY(in<QLabel>(*dialog, "compared")->text().contains("figures and choices alone"));
        // Its choices go through the wizard's own checks.
        table->setCurrentIndex(table->model()->index(0, 0));
        QTest::mouseClick(in<QAbstractButton>(*dialog, "repeat"), Qt::LeftButton);
        ExportWizard* wizard = window.exportWizard();
        QVERIFY(wizard);
        QVERIFY(!wizard->button(QWizard::NextButton)->isEnabled());
        QTest::keyClick(wizard, Qt::Key_Escape);
        dialog = list(window);
        QVERIFY(dialog);
        QTest::mouseClick(in<QAbstractButton>(*dialog, "remove"), Qt::LeftButton);
        QCOMPARE(window.exportList().rowCount(), 2);
        opened.reset(); // which writes it
        auto kept = project::File::peek(path.toStdString());
        QVERIFY(kept);
        QCOMPARE(QString::fromStdString(kept->kept["unread exports"]), text);
        QVERIFY(kept->kept["exports"] != text.toStdString());
    }
};

Test test() {
    return {makes<TestExports>, Application::Window};
}

} // namespace lathe::testing::test_exports

#include "test_exports.moc"
