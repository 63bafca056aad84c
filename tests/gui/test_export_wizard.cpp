// SPDX-License-Identifier: GPL-3.0-or-later
// Needs: lathe lathe-runner runtimes samples
// Timeout: 900
//
// File > Export by clicks and keys: from the sample network to a bundle that passes its check; the command that the wizard
// names gives the same bundle; fields that cannot be are refused page by page; cancelling leaves nothing.
#include "app/main_window.h"
#include "deploy/archive.h"
#include "device/device_list.h"
#include "gui/window.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "views/exporting/export_wizard.h"
#include "views/models/exporting/export_warnings.h"
#include "views/models/exporting/packing.h"
#include "views/tuning/tuning_page.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <cmath>
#include <random>

namespace lathe::testing::test_export_wizard {

using views::exporting::ExportWizard;
using views::models::ExportRequest;

namespace {

const QString lathe_ = QStringLiteral(LATHE_BINARY_DIR "/lathe");

template <class Widget>
Widget* field(ExportWizard& wizard, const char* name) {
    return wizard.currentPage()->findChild<Widget*>(QLatin1String(name));
}

void type(QLineEdit* edit, const QString& text) {
    edit->setFocus();
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClicks(edit, text);
}

QString warnings(ExportWizard& wizard) {
    return field<QLabel>(wizard, "warnings")->text();
}

QString problem(ExportWizard& wizard) {
    return field<QLabel>(wizard, "problem")->text();
}

void choose(ExportWizard& wizard, const char* form) {
    QTest::mouseClick(field<QRadioButton>(wizard, form), Qt::LeftButton, {}, QPoint(8, 8));
}

/// Enter goes on, wherever the focus is.
void enter(ExportWizard& wizard) {
    QTest::keyClick(&wizard, Qt::Key_Return);
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestExportWizard : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static ExportWizard* ask(app::MainWindow& window) {
        window.show();
        QApplication::setActiveWindow(&window); // which a dialog that closes does not
        if (!QTest::qWaitForWindowActive(&window))
            return nullptr;
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
        return window.exportWizard();
    }
    /// Opened, with the wizard on its first page.
    ExportWizard* begin(app::MainWindow& window) {
        if (!openAndWait(window, sample("small_cnn.onnx")))
            return nullptr;
        return ask(window);
    }
    /// By Enter alone.
    bool goTo(ExportWizard& wizard, int id) {
        for (int step = 0; step < ExportWizard::Result && wizard.currentId() < id; ++step)
            enter(wizard);
        if (wizard.currentId() != id)
            qWarning("on page %d: %s", wizard.currentId(), qPrintable(problem(wizard)));
        return wizard.currentId() == id;
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_export_wizard");
        device::Device board{.transport = device::Device::Transport::Ssh, .host = "10.0.0.7"};
        board.name = "board";
        QVERIFY(device::addDevice(device::devicesFile(), board));
        device::Device old{.transport = device::Device::Transport::Qemu, .cpu = "Nehalem"};
        old.name = "old";
        QVERIFY(device::addDevice(device::devicesFile(), old));
    }

    /// The words of the command are those that a shell reads.
    void commandForAShell() {
        ExportRequest request;
        request.name = "net";
        request.licence = "MIT OR BSD-3-Clause";
        request.targets = {"native", "x86-64-v3"};
        request.parts = {"c", "golden"};
        request.sizes = {{"it's \"odd\"\n$n", 1, 64, 8}, {"free", 1, {}, 3}};
        request.p99Ms = 1.5;
        request.out = "/tmp/a b'c";
        const QString command = views::models::commandOf(request, "/m/\u00e4 \\.onnx", {"--shape", "x=1,3"});
        const Outcome shell = runProgram("/bin/sh", {"-c", "set -- " + command + "\nprintf '%s|' \"$@\""});
        QCOMPARE(QString::fromStdString(shell.out),
                 QStringLiteral("lathe|bundle|/m/\u00e4 \\.onnx|-o|/tmp/a b'c|--name|net|--model-license|MIT OR "
                                "BSD-3-Clause|--target|native|--target|x86-64-v3|--with|c,golden|--symbol|it's "
                                "\"odd\"\n$n=1..64:8|--symbol|free=3|--limit|p99=1.5ms|--shape|x=1,3|"));
    }

    /// Endings are those that bundles are archives by.
    void packingIsTheEnding() {
        using views::models::packingOf;
        using views::models::withPacking;
        for (const QString& packing : views::models::packings()) {
            QCOMPARE(deploy::isArchiveName(("out" + packing).toStdString()), !packing.isEmpty());
            QCOMPARE(packingOf("/x.y/out" + packing), packing);
            QCOMPARE(withPacking("/x.y/out.tar.zst", packing), "/x.y/out" + packing);
            QCOMPARE(withPacking("/x.y/out//", packing), "/x.y/out" + packing);
            QCOMPARE(withPacking("", packing), QString());
        }
        QVERIFY(!deploy::isArchiveName("out.tgz"));
        QCOMPARE(packingOf("out.tgz"), QString());
        QCOMPARE(withPacking("out.tgz", ".zip"), QString("out.tgz.zip"));
    }

    void verdicts() {
        using views::models::ExportVerdict;
        views::models::ExportEnd end;
        QCOMPARE(verdictOf(end), ExportVerdict::NotChecked);
        end.checked = true;
        QCOMPARE(verdictOf(end), ExportVerdict::Whole);
        end.variant = "x86-64-v2";
        QCOMPARE(verdictOf(end), ExportVerdict::Loads);
        end.cases = 1;
        QCOMPARE(verdictOf(end), ExportVerdict::Right);
        end.targets = {{"x86-64-v2", "right", ""}, {"x86-64-v3", "right", ""}};
        QCOMPARE(verdictOf(end), ExportVerdict::Right);
        end.targets.append({"aarch64", "not run", "it is for aarch64"});
        QCOMPARE(verdictOf(end), ExportVerdict::RightInPart);
        QCOMPARE(textOf(end.targets.last()), QString("not run: it is for aarch64"));
        end.good = false;
        QCOMPARE(verdictOf(end), ExportVerdict::NotGood);
    }

    void formsSayWhatTheyCannot() {
        app::MainWindow window;
        ExportWizard* wizard = begin(window);
        QVERIFY(wizard && goTo(*wizard, ExportWizard::Contents));
        QVERIFY(field<QRadioButton>(*wizard, "folder")->isChecked());
        QCOMPARE(field<QLabel>(*wizard, "fixed")->text(), QString());
        const QStringList all = wizard->request().parts;
        QCOMPARE(all.size(), 7);
        QTest::keyClick(field<QCheckBox>(*wizard, "sbom"), Qt::Key_Space);
        choose(*wizard, "exe");
        QVERIFY(!field<QCheckBox>(*wizard, "python")->isEnabled() && !field<QCheckBox>(*wizard, "python")->isChecked());
        QVERIFY(field<QLabel>(*wizard, "fixed")->text().contains("not for it"));
        QCOMPARE(wizard->request().parts, (QStringList{"golden", "reproduce"}));
        choose(*wizard, "static");
        QCOMPARE(wizard->request().parts, (QStringList{"cpp", "examples", "golden", "reproduce"}));
        choose(*wizard, "folder"); // what was chosen is chosen again
        QCOMPARE(wizard->request().parts.size(), all.size() - 1);
        QVERIFY(!wizard->request().parts.contains("sbom"));

        // A program is not checked over ssh; it is elsewhere, or not at all.
        choose(*wizard, "exe");
        QVERIFY(goTo(*wizard, ExportWizard::Checks));
        QVERIFY(!field<QLabel>(*wizard, "unrun")->isVisible());
        field<QDoubleSpinBox>(*wizard, "p99")->setValue(3);
        field<QComboBox>(*wizard, "device")->setCurrentText("board");
        QVERIFY2(problem(*wizard).contains("not checked over ssh"), qPrintable(problem(*wizard)));
        QVERIFY(!wizard->button(QWizard::NextButton)->isEnabled());
        QTest::keyClick(field<QCheckBox>(*wizard, "check"), Qt::Key_Space);
        QCOMPARE(problem(*wizard), QString());
        QTest::keyClick(field<QCheckBox>(*wizard, "check"), Qt::Key_Space);
        field<QComboBox>(*wizard, "device")->setCurrentText("qemu");
        QCOMPARE(problem(*wizard), QString());
        // Of source nothing is run, so there is no device and no time.
        const auto toContents = [&] {
            while (wizard->currentId() > ExportWizard::Contents)
                wizard->back();
        };
        toContents();
        choose(*wizard, "c");
        QVERIFY(goTo(*wizard, ExportWizard::Checks));
        QVERIFY(field<QLabel>(*wizard, "unrun")->isVisible());
        QVERIFY(!field<QComboBox>(*wizard, "device")->isEnabled());
        QVERIFY(!field<QDoubleSpinBox>(*wizard, "p99")->isEnabled());
        QVERIFY(field<QDoubleSpinBox>(*wizard, "size")->isEnabled());
        QVERIFY2(!warnings(*wizard).contains("emulator"), qPrintable(warnings(*wizard)));
        QCOMPARE(wizard->request().p99Ms, 0.0);
        QCOMPARE(wizard->request().device, QString("local"));
        QVERIFY(views::models::commandOf(wizard->request(), "m", {}).contains(" --form c "));
        toContents();
        choose(*wizard, "folder");
        QVERIFY(goTo(*wizard, ExportWizard::Checks));
        QCOMPARE(wizard->request().p99Ms, 3.0);
        QCOMPARE(wizard->request().device, QString("qemu"));
        QVERIFY(!views::models::commandOf(wizard->request(), "m", {}).contains("--form"));

        // Several targets are for a folder alone.
        toContents();
        wizard->back();
        auto targets = field<QListWidget>(*wizard, "targets");
        for (int i = 0; i < 2; ++i)
            targets->item(i)->setCheckState(Qt::Checked);
        QVERIFY(goTo(*wizard, ExportWizard::Contents));
        QCOMPARE(problem(*wizard), QString());
        choose(*wizard, "static");
        QVERIFY2(problem(*wizard).contains("2 are chosen"), qPrintable(problem(*wizard)));
        QVERIFY(!wizard->button(QWizard::NextButton)->isEnabled());
    }

    /// In an archive, by the box beside its path; then the command that the wizard names, and the list of exports.
    void formsAndPackings_data() {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("packing");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("state");
        QTest::newRow("program") << "exe" << ".zip" << "✓ Whole, and right on this machine." << "✓ right";
        QTest::newRow("C source") << "c" << ".tar.zst" << "✓ Whole. Nothing of it was run." << "✓ whole";
    }
    void formsAndPackings() {
        QFETCH(QString, form);
        QFETCH(QString, packing);
        QFETCH(QString, verdict);
        QFETCH(QString, state);
        app::MainWindow window;
        ExportWizard* wizard = begin(window);
        QVERIFY(wizard && goTo(*wizard, ExportWizard::Contents));
        choose(*wizard, qPrintable(form));
        Settled settled(window);
        QVERIFY(goTo(*wizard, ExportWizard::Summary));
        type(field<QLineEdit>(*wizard, "out"), folder_.filePath(form + "-bundle"));
        auto packings = field<QComboBox>(*wizard, "packing");
        QCOMPARE(packings->currentData().toString(), QString());
        packings->setFocus();
        while (packings->currentData().toString() != packing) {
            const int before = packings->currentIndex();
            QTest::keyClick(packings, Qt::Key_Down);
            QVERIFY(packings->currentIndex() > before);
        }
        const QString out = folder_.filePath(form + "-bundle" + packing);
        QCOMPARE(field<QLineEdit>(*wizard, "out")->text(), out);
        // The path goes before.
        type(field<QLineEdit>(*wizard, "out"), folder_.filePath("x.tar"));
        QCOMPARE(packings->currentData().toString(), QString(".tar"));
        type(field<QLineEdit>(*wizard, "out"), out);
        QCOMPARE(packings->currentData().toString(), packing);
        const QString command = field<QPlainTextEdit>(*wizard, "command")->toPlainText();
        QVERIFY(settled.wait());
        QCOMPARE(problem(*wizard), QString());
        enter(*wizard);
        QVERIFY(settled.wait());
        QCOMPARE(wizard->currentId(), int(ExportWizard::Result));
        QCOMPARE(field<QLabel>(*wizard, "verdict")->text().section('\n', 0, 0), verdict);
        QVERIFY(QFileInfo(out).isFile());
        const auto& kept = window.exportList().at(0);
        QVERIFY(kept.request.form == form && kept.request.out == out);
        const auto& list = window.exportList();
        QCOMPARE(list.index(0, views::models::ExportListModel::State).data().toString(), state);

        const QString again = folder_.filePath(form + "-again" + packing);
        const Outcome made =
            runProgram("/bin/sh", {"-c", "PATH=" LATHE_BINARY_DIR ":$PATH; " + QString(command).replace(out, again)});
        QVERIFY2(made.code == 0, made.err.c_str());
        const Outcome same = runProgram(lathe_, {"bundle", "diff", out, again});
        QVERIFY2(same.code == 0, same.out.c_str());
        // The next one begins with the same.
        enter(*wizard);
        wizard = ask(window);
        QVERIFY(wizard);
        QCOMPARE(wizard->request().form, form);
    }

    void refusesWhatCannotBe() {
        app::MainWindow window;
        ExportWizard* wizard = begin(window);
        QVERIFY(wizard);
        QCOMPARE(field<QLineEdit>(*wizard, "name")->text(), QString("small_cnn"));
        for (const char* name : {"", "9net", "a b", "Net", "a-b", "lathe_rt"}) {
            type(field<QLineEdit>(*wizard, "name"), name);
            QVERIFY2(!wizard->button(QWizard::NextButton)->isEnabled(), name);
            QVERIFY2(problem(*wizard).contains("name"), name);
        }
        type(field<QLineEdit>(*wizard, "name"), "net_2");
        type(field<QLineEdit>(*wizard, "version"), "1 2");
        QVERIFY(!wizard->button(QWizard::NextButton)->isEnabled());
        type(field<QLineEdit>(*wizard, "version"), "2.0.1");
        QVERIFY(goTo(*wizard, ExportWizard::Target));

        auto targets = field<QListWidget>(*wizard, "targets");
        for (int i = 0; i < targets->count(); ++i)
            targets->item(i)->setCheckState(Qt::Unchecked);
        QVERIFY(problem(*wizard).contains("one target"));
        targets->item(0)->setCheckState(Qt::Checked);
        QVERIFY(problem(*wizard).isEmpty());
        type(field<QLineEdit>(*wizard, "other"), "haswel");
        QVERIFY(problem(*wizard).contains("haswel"));
        QVERIFY(!wizard->button(QWizard::NextButton)->isEnabled());
        type(field<QLineEdit>(*wizard, "other"), "haswell");
        QTest::mouseClick(field<QAbstractButton>(*wizard, "add"), Qt::LeftButton);
        QVERIFY(problem(*wizard).isEmpty());
        QCOMPARE(wizard->request().targets.size(), 2);
        QVERIFY(wizard->request().targets.contains("haswell"));
        QVERIFY(goTo(*wizard, ExportWizard::Contents));

        QTest::keyClick(field<QCheckBox>(*wizard, "golden"), Qt::Key_Space);
        QVERIFY(problem(*wizard).contains("expected outputs"));
        QTest::keyClick(field<QCheckBox>(*wizard, "examples"), Qt::Key_Space);
        QVERIFY(problem(*wizard).isEmpty());
        // What was typed is there when one comes back.
        wizard->back();
        wizard->back();
        QCOMPARE(field<QLineEdit>(*wizard, "name")->text(), QString("net_2"));
        const ExportRequest request = wizard->request();
        QCOMPARE(request.version, QString("2.0.1"));
        QVERIFY(!request.parts.contains("golden") && request.parts.contains("c"));
        QTest::keyClick(wizard, Qt::Key_Escape);
        QVERIFY(!window.exportWizard());
    }

    void sizesHaveARange() {
        app::MainWindow window;
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        ExportWizard* wizard = ask(window);
        QVERIFY(wizard && goTo(*wizard, ExportWizard::Sizes));
        auto sizes = field<QTableWidget>(*wizard, "sizes");
        QVERIFY(sizes->rowCount() > 0);
        const auto set = [&](const char* least, const char* most, const char* usual) {
            sizes->item(0, 1)->setText(least);
            sizes->item(0, 2)->setText(most);
            sizes->item(0, 3)->setText(usual);
            return problem(*wizard);
        };
        QVERIFY(set("1", "", "8").isEmpty());
        QVERIFY(set("0", "", "8").contains("whole numbers"));
        QVERIFY(set("1", "x", "8").contains("whole numbers"));
        QVERIFY(set("2", "", "8").contains("begins at 1"));
        QVERIFY(set("2", "4", "8").contains("within the range"));
        QVERIFY(set("2", "64", "8").isEmpty());
        const auto size = wizard->request().sizes.constFirst();
        QVERIFY(size.least == 2 && size.most == 64 && size.usual == 8);
    }

    /// Each where it arises, and gone when that is mended.
    void warningsWhereTheyArise() {
        app::MainWindow window;
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        ExportWizard* wizard = ask(window);
        QVERIFY(wizard);
        QVERIFY(warnings(*wizard).contains("licence is not stated"));
        type(field<QLineEdit>(*wizard, "licence"), "MIT");
        QCOMPARE(warnings(*wizard), QString());
        QVERIFY(field<QLabel>(*wizard, "footer")->text().contains("once the model is compiled"));
        QTest::keyClick(wizard, Qt::Key_Escape);
        QVERIFY(compileAndWait(window));
        wizard = ask(window);
        QVERIFY(wizard && goTo(*wizard, ExportWizard::Target));
        QVERIFY(warnings(*wizard).contains("schedule by default"));
        auto targets = field<QListWidget>(*wizard, "targets");
        for (int i = 0; i < targets->count(); ++i)
            targets->item(i)->setCheckState(
                targets->item(i)->data(Qt::UserRole).toString() == "x86-64-v3" ? Qt::Checked : Qt::Unchecked);
        QVERIFY(goTo(*wizard, ExportWizard::Sizes));
        auto sizes = field<QTableWidget>(*wizard, "sizes");
        QVERIFY(warnings(*wizard).contains("no upper bound"));
        const QString footer = field<QLabel>(*wizard, "footer")->text();
        QVERIFY2(footer.contains("with no end to it"), qPrintable(footer));
        for (int row = 0; row < sizes->rowCount(); ++row)
            sizes->item(row, 2)->setText("64");
        QCOMPARE(warnings(*wizard), QString());
        QVERIFY(field<QLabel>(*wizard, "footer")->text().contains("at the largest"));
        QVERIFY(goTo(*wizard, ExportWizard::Checks));
        QVERIFY(warnings(*wizard).contains("computed here, without optimizations"));
        auto device = field<QComboBox>(*wizard, "device");
        QVERIFY(device->findText("board", Qt::MatchContains) >= 0);
        device->setFocus();
        device->lineEdit()->selectAll();
        QTest::keyClicks(device, "elsewhere");
        QVERIFY(problem(*wizard).contains("elsewhere"));
        QVERIFY(!wizard->button(QWizard::NextButton)->isEnabled());
        device->lineEdit()->selectAll();
        QTest::keyClicks(device, "qemu:Nehalem"); // which has no AVX2
        QCOMPARE(problem(*wizard), QString());
        QVERIFY2(warnings(*wizard).contains("x86-64-v3 is not run on qemu:Nehalem") &&
                     warnings(*wizard).contains("No target can be run there"),
                 qPrintable(warnings(*wizard)));
        QCOMPARE(wizard->request().device, QString("qemu:Nehalem"));
        QVERIFY(views::models::commandOf(wizard->request(), "m", {}).contains("--device qemu:Nehalem"));
        field<QDoubleSpinBox>(*wizard, "p99")->setValue(3);
        QVERIFY(warnings(*wizard).contains("limits of time are not held"));
        // By whatever name.
        device->lineEdit()->selectAll();
        QTest::keyClicks(device, "board");
        QVERIFY(!warnings(*wizard).contains("emulator"));
        device->lineEdit()->selectAll();
        QTest::keyClicks(device, "old");
        QVERIFY2(warnings(*wizard).contains("limits of time are not held"), qPrintable(warnings(*wizard)));
        field<QDoubleSpinBox>(*wizard, "p99")->setValue(0);
        QVERIFY(warnings(*wizard).contains("Times under an emulator") && !warnings(*wizard).contains("limits"));
        QTest::keyClick(field<QCheckBox>(*wizard, "check"), Qt::Key_Space);
        QVERIFY(!warnings(*wizard).contains("qemu") && !device->isEnabled());
        QTest::keyClick(field<QCheckBox>(*wizard, "check"), Qt::Key_Space);
        device->lineEdit()->selectAll();
        QTest::keyClicks(device, "local");
        QVERIFY(!warnings(*wizard).contains("not run"));
    }

    void warningsOfChoices() {
        using views::models::ExportChoices;
        using views::models::ExportTopic;
        const auto has = [](const ExportRequest& request, const ExportChoices& choices, ExportTopic topic,
                            const char* words) {
            for (const auto& each : views::models::warningsOf(request, choices))
                if (each.topic == topic && each.text.contains(words))
                    return true;
            return false;
        };
        ExportRequest request;
        request.parts = {"golden"};
        request.targets = {"cortex-a72", "native"};
        ExportChoices choices;
        choices.artifactBytes = 30'000'001;
        choices.modelBytes = 20'000'000;
        QVERIFY(has(request, choices, ExportTopic::Contents, "30.0 MB"));
        choices.artifactBytes = 30'000'000; // 1.5 times is not more than that
        QVERIFY(!has(request, choices, ExportTopic::Contents, "MB"));
        choices.artifactBytes = 900'000; // code is most of it
        choices.modelBytes = 1000;
        QVERIFY(!has(request, choices, ExportTopic::Contents, "MB"));
        choices.randomOutputs = {"noise\n"};
        QVERIFY(has(request, choices, ExportTopic::Checks, "drawn at random"));
        choices.hasData = true;
        QVERIFY(!has(request, choices, ExportTopic::Checks, "computed here"));
        request.cases = 0;
        QVERIFY(has(request, choices, ExportTopic::Checks, "no expected outputs"));
        choices.problemOfRun = [](const QString&, const QString& target) {
            return target == "native" ? QString() : QString("it is another machine");
        };
        QVERIFY(has(request, choices, ExportTopic::Checks, "cortex-a72 is not run on local: it is another machine."));
        QVERIFY(!has(request, choices, ExportTopic::Checks, "No target"));
        request.targets.removeLast();
        QVERIFY(has(request, choices, ExportTopic::Checks, "No target"));
        // Of source nobody knows how large it becomes.
        choices.bytesBeside = [](const ExportRequest& of) {
            return of.form == "c" ? std::optional<qint64>() : 1'000'000;
        };
        QVERIFY(views::models::estimateOf(request, choices, {}).startsWith("about 1.9 MB"));
        request.form = "c";
        QVERIFY(views::models::estimateOf(request, choices, {}).contains("once the model is compiled"));
        // Nor is it run.
        choices.forms = {{"c", {}, false, false}};
        QVERIFY(!has(request, choices, ExportTopic::Checks, "No target"));
        choices.isDecided = true;
        QVERIFY(has(request, choices, ExportTopic::Contents, "decided in this window"));
        choices.kernels = 12;
        choices.untunedKernels = 5;
        choices.target = "native";
        QVERIFY(!has(request, choices, ExportTopic::Targets, "kernels")); // of what is not exported
        request.targets = {"native", "cortex-a72"};
        QVERIFY(has(request, choices, ExportTopic::Targets, "5 of 12 kernels"));
        choices.untunedKernels = 0;
        QVERIFY(!has(request, choices, ExportTopic::Targets, "kernels"));
        choices.decidedKernels = 15;
        QVERIFY(has(request, choices, ExportTopic::Targets,
                    "15 schedules are decided for native: cortex-a72 will have the default ones"));
        request.targets = {"native"};
        QVERIFY(!has(request, choices, ExportTopic::Targets, "schedules"));
    }

    /// Schedules that were decided for this machine, as tuning does, and blocks of channels as wide as its vectors: of the bundle
    /// its variant has them, the others have the defaults, and it is said.
    void tunedForThisMachineAndExportedForOthers() {
        app::MainWindow window;
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(window));
        const driver::Trace& trace = window.provenance()->trace();
        const auto wish = [&](driver::Decisions& decisions) {
            for (const driver::KernelRecord& kernel : trace.kernels)
                if (kernel.schedulable)
                    decisions.kernels[kernel.workload].trace = kernel.schedule.trace;
            for (const driver::LayoutRecord& each : trace.layouts)
                decisions.layouts.push_back(each.chosen);
        };
        driver::Decisions decided;
        wish(decided);
        QVERIFY(decided.kernels.size() > 1);
        {
            Settled settled(window);
            emit window.tuningPage()->whatIfWanted({"applying", wish});
            QVERIFY(settled.wait());
        }
        QVERIFY(window.isCompiled());
        QCOMPARE(window.compilation()->decisions.kernels.size(), decided.kernels.size());
        ExportWizard* wizard = ask(window);
        QVERIFY(wizard && goTo(*wizard, ExportWizard::Target));
        auto targets = field<QListWidget>(*wizard, "targets");
        for (int i = 0; i < targets->count(); ++i) {
            const QString text = targets->item(i)->data(Qt::UserRole).toString();
            targets->item(i)->setCheckState(
                text == "native" || text == "x86-64-v2" || text == "cortex-a72" ? Qt::Checked : Qt::Unchecked);
        }
        const QString warning = QStringLiteral("%1 schedules are decided for native: ").arg(decided.kernels.size());
        QVERIFY2(warnings(*wizard).contains(warning), qPrintable(warnings(*wizard)));
        QVERIFY(!warnings(*wizard).contains("nobody tuned"));
        Settled settled(window);
        QVERIFY(goTo(*wizard, ExportWizard::Summary));
        type(field<QLineEdit>(*wizard, "out"), folder_.filePath("tuned"));
        QVERIFY(settled.wait());
        const QString remarks = field<QPlainTextEdit>(*wizard, "remarks")->toPlainText();
        QVERIFY2(remarks.contains(QStringLiteral("%1 decided schedules are for").arg(decided.kernels.size())) &&
                     remarks.contains("x86-64-v2, aarch64-cortex-a72 have the default ones"),
                 qPrintable(remarks));
        enter(*wizard);
        QVERIFY(settled.wait());
        QCOMPARE(wizard->currentId(), int(ExportWizard::Result));
        // Two of the three run here; of the third nothing is known, and nothing is said.
        const QString verdict = field<QLabel>(*wizard, "verdict")->text();
        QVERIFY2(verdict.contains("2 of 3 targets"), qPrintable(verdict));
        auto rows = field<QTableWidget>(*wizard, "targets");
        QCOMPARE(rows->rowCount(), 3);
        QStringList said;
        for (int row = 0; row < 3; ++row)
            said << rows->item(row, 0)->text() + ": " + rows->item(row, 1)->text();
        said.sort();
        QVERIFY2(said[0].startsWith("aarch64-cortex-a72: not run: ") && said[0].contains("aarch64"),
                 qPrintable(said[0]));
        QVERIFY2(said[1].endsWith(": ✓ right") && said[2].endsWith(": ✓ right"), qPrintable(said.join('\n')));
        const QString heading = field<QTableWidget>(*wizard, "figures")->horizontalHeaderItem(1)->text();
        QVERIFY2(heading.contains("thread"), qPrintable(heading));
        using views::models::ExportListModel;
        const QString state = window.exportList().index(0, ExportListModel::State).data().toString();
        QVERIFY2(state.startsWith("✓ right: ") && state.endsWith("not run: aarch64-cortex-a72"), qPrintable(state));
    }

    /// Under an emulator that lacks nothing; what is estimated before comes near what is planned, where the window compiled for
    /// the same CPU: others choose other forms of weights.
    void onAnotherDevice() {
        app::MainWindow window;
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        app::RunSettings settings;
        settings.target = "cortex-a72";
        window.setRunSettings(settings);
        const auto back = qScopeGuard([&] { window.setRunSettings({}); }); // other windows begin with them
        QVERIFY(compileAndWait(window));
        ExportWizard* wizard = ask(window);
        QVERIFY(wizard && goTo(*wizard, ExportWizard::Target));
        auto targets = field<QListWidget>(*wizard, "targets");
        for (int i = 0; i < targets->count(); ++i)
            targets->item(i)->setCheckState(
                targets->item(i)->data(Qt::UserRole).toString() == "cortex-a72" ? Qt::Checked : Qt::Unchecked);
        QVERIFY(goTo(*wizard, ExportWizard::Checks));
        QVERIFY(warnings(*wizard).contains("not run on local"));
        field<QComboBox>(*wizard, "device")->setCurrentText("qemu");
        QVERIFY2(!warnings(*wizard).contains("not run"), qPrintable(warnings(*wizard)));
        const auto first = [](const QString& text) {
            return QRegularExpression("([0-9.]+) MB").match(text).captured(1).toDouble();
        };
        const double about = first(field<QLabel>(*wizard, "footer")->text());
        Settled settled(window);
        QVERIFY(goTo(*wizard, ExportWizard::Summary));
        const QString out = folder_.filePath("arm");
        type(field<QLineEdit>(*wizard, "out"), out);
        QVERIFY(settled.wait());
        const double planned = first(field<QLabel>(*wizard, "footer")->text());
        QVERIFY2(planned > 1 && std::abs(about - planned) < 0.15 * planned,
                 qPrintable(QStringLiteral("%1 for %2").arg(about).arg(planned)));
        QVERIFY(field<QPlainTextEdit>(*wizard, "remarks")->toPlainText().contains("licence is not stated"));
        enter(*wizard);
        QVERIFY(settled.wait());
        QCOMPARE(wizard->currentId(), int(ExportWizard::Result));
        QVERIFY2(field<QLabel>(*wizard, "verdict")->text().contains("Whole, and right on qemu"),
                 qPrintable(field<QLabel>(*wizard, "verdict")->text()));
    }

    void anotherModelHasItsOwnName() {
        app::MainWindow window;
        ExportWizard* wizard = begin(window);
        QVERIFY(wizard);
        type(field<QLineEdit>(*wizard, "name"), "other");
        Settled settled(window);
        QVERIFY(goTo(*wizard, ExportWizard::Summary));
        QVERIFY(settled.wait());
        wizard->reject();
        wizard = ask(window);
        QVERIFY(wizard);
        QCOMPARE(field<QLineEdit>(*wizard, "name")->text(), QString("other")); // what was chosen is kept
        wizard->reject();
        QVERIFY(openAndWait(window, sample("small_transformer.onnx")));
        wizard = ask(window);
        QVERIFY(wizard);
        QCOMPARE(field<QLineEdit>(*wizard, "name")->text(), QString("small_transformer"));
    }

    /// By keys alone; then the command that it names, into another folder.
    void toABundleThatIsRight() {
        app::MainWindow window;
        ExportWizard* wizard = begin(window);
        QVERIFY(wizard);
        Settled settled(window);
        QVERIFY(goTo(*wizard, ExportWizard::Summary));
        const QString out = folder_.filePath("exported");
        type(field<QLineEdit>(*wizard, "out"), out);
        QVERIFY(problem(*wizard).contains("compiled"));
        QVERIFY(settled.wait());
        QCOMPARE(problem(*wizard), QString());
        QVERIFY(field<QLabel>(*wizard, "footer")->text().contains("MB"));
        const QString command = field<QPlainTextEdit>(*wizard, "command")->toPlainText();
        QVERIFY(!QFileInfo::exists(out));
        enter(*wizard);
        QCOMPARE(wizard->currentId(), int(ExportWizard::Work));
        QVERIFY(settled.wait());
        QCOMPARE(wizard->currentId(), int(ExportWizard::Result));
        QVERIFY2(field<QLabel>(*wizard, "verdict")->text().contains("Whole, and right"),
                 qPrintable(field<QLabel>(*wizard, "verdict")->text()));
        QVERIFY(field<QTableWidget>(*wizard, "figures")->item(2, 1)->text().endsWith("ms"));
        QCOMPARE(runProgram(lathe_, {"bundle", "check", out, "--repeat", "0"}).code, 0);

        const QString again = folder_.filePath("again");
        QString other = command;
        other.replace(out, again);
        const Outcome made = runProgram("/bin/sh", {"-c", "PATH=" LATHE_BINARY_DIR ":$PATH; " + other});
        QVERIFY2(made.code == 0, made.err.c_str());
        const QByteArray manifest = contentOf(out + "/manifest.json");
        QVERIFY(!manifest.isEmpty());
        QCOMPARE(contentOf(again + "/manifest.json"), manifest);

        // What is there is not overwritten unasked.
        enter(*wizard);
        QVERIFY(!window.exportWizard());
        wizard = ask(window);
        QVERIFY(wizard && goTo(*wizard, ExportWizard::Summary));
        QVERIFY(settled.wait());
        QCOMPARE(field<QLineEdit>(*wizard, "out")->text(), out);
        QVERIFY(!wizard->button(QWizard::CommitButton)->isEnabled());
        QVERIFY(!problem(*wizard).isEmpty());
        QTest::keyClick(field<QCheckBox>(*wizard, "replace"), Qt::Key_Space);
        QVERIFY(wizard->button(QWizard::CommitButton)->isEnabled());
    }

    /// LATHE_CANCELS: how often.
    void cancelledAtRandomMoments() {
        const int times =
            qEnvironmentVariableIsSet("LATHE_CANCELS") ? qEnvironmentVariableIntValue("LATHE_CANCELS") : 4;
        std::mt19937 random(5);
        QDir place(folder_.filePath("cancelled"));
        QVERIFY(place.mkpath("."));
        app::MainWindow window;
        QVERIFY(openAndWait(window, sample("small_cnn.onnx")));
        for (int i = 0; i < times; ++i) {
            ExportWizard* wizard = ask(window);
            QVERIFY(wizard && goTo(*wizard, ExportWizard::Summary));
            type(field<QLineEdit>(*wizard, "out"), place.filePath("bundle"));
            const bool writes = i % 2 == 1;
            if (writes) {
                QTRY_VERIFY_WITH_TIMEOUT(wizard->button(QWizard::CommitButton)->isEnabled(), patience);
                enter(*wizard);
            }
            QTest::qWait(int(random() % (writes ? 60 : 400)));
            const bool done = wizard->currentId() == ExportWizard::Result;
            wizard->reject();
            QTRY_VERIFY_WITH_TIMEOUT(!window.isBusy(), patience);
            const QStringList left = place.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
            if (done || left == QStringList{"bundle"}) { // it was whole before it was cancelled
                QCOMPARE(runProgram(lathe_, {"bundle", "check", place.filePath("bundle"), "--repeat", "0"}).code, 0);
                QVERIFY(QDir(place.filePath("bundle")).removeRecursively());
            } else {
                QCOMPARE(left, QStringList());
            }
        }
    }
};

Test test() {
    return {makes<TestExportWizard>, Application::Window};
}

} // namespace lathe::testing::test_export_wizard

#include "test_export_wizard.moc"
