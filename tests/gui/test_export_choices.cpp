// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the pages of the export wizard come to: for each form the options of the bundle, as docs/deployment.md says what
// `lathe bundle` makes of the same wishes; and what a form can be.
#include "app/export_choices.h"
#include "codegen/target.h"
#include "gui/window.h"
#include "project/graph_choice.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_export_choices {

using deploy::BundleForm;
using deploy::BundleOptions;
using views::models::ExportRequest;

class TestExportChoices : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_export_choices"); }

    void forms_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<BundleForm>("form");
        QTest::addColumn<bool>("isRunnable");
        QTest::addColumn<bool>("hasVariants");
        QTest::newRow("folder") << "folder" << BundleForm::Folder << true << true;
        QTest::newRow("one static program") << "exe" << BundleForm::Program << true << false;
        QTest::newRow("static library") << "static" << BundleForm::Library << false << false;
        QTest::newRow("C source") << "c" << BundleForm::CSource << false << false;
    }
    void forms() {
        QFETCH(QString, text);
        QFETCH(BundleForm, form);
        QFETCH(bool, isRunnable);
        QFETCH(bool, hasVariants);
        const auto trace = std::make_shared<driver::Trace>();
        trace->graph = std::make_shared<model::ModelGraph>();
        const views::models::ExportForm offered =
            app::exportChoices(folder_.filePath("model.onnx"), {}, trace).form(text);
        QCOMPARE(offered.isRunnable, isRunnable);
        QCOMPARE(offered.hasVariants, hasVariants);

        ExportRequest request;
        request.form = text;
        request.name = "digits";
        request.version = "1.2.0";
        request.licence = "MIT";
        request.targets = hasVariants ? QStringList{"x86-64-v3", "x86-64-v2"} : QStringList{"x86-64-v2"};
        request.parts = {"golden", "reproduce"};
        request.sizes = {{"n", 2, 64, 8}, {"free", 5, {}, 7}};
        request.cases = 5;
        request.tolerance = 0.25;
        request.p50Ms = 1.5;
        request.p99Ms = 2.5;
        request.loadMs = 3.5;
        request.residentMb = 4.1; // which a million times is less in floating point
        request.sizeMb = 30;
        request.device = "qemu:cortex-a72";
        driver::Options compile;
        compile.threads = 3;
        compile.shapes = {{"x", {1, -1}}};

        const BundleOptions options = app::bundleOptionsOf(request, compile);
        QVERIFY(options.form == form);
        QCOMPARE(options.name, "digits");
        QCOMPARE(options.version, "1.2.0");
        QCOMPARE(options.licence, "MIT");
        QCOMPARE(options.targets.size(), size_t(request.targets.size()));
        for (size_t i = 0; i < options.targets.size(); ++i) // best first, as they were named
            QVERIFY(options.targets[i] == *codegen::parseTarget(request.targets[qsizetype(i)].toStdString()));
        QVERIFY(options.parts == (std::set{deploy::Part::Golden, deploy::Part::Reproduce}));
        QVERIFY(options.compile == compile);
        QCOMPARE(options.symbols.size(), size_t(2));
        QVERIFY(options.symbols.at("n") == (deploy::SymbolRange{2, 64, 8}));
        QVERIFY(options.symbols.at("free") == (deploy::SymbolRange{1, {}, 7})); // any size from 1 on
        QCOMPARE(options.cases, 5);
        QCOMPARE(options.tolerance.ofRange, 0.25);
        QVERIFY(options.limits == (deploy::Limits{1.5, 2.5, 3.5, 4'100'000, 30'000'000}));
        QVERIFY(options.device.isEmulated());
        QCOMPARE(options.device.cpu, "cortex-a72");
        QVERIFY(deploy::validate(options));
    }

    /// What nobody changes on the pages is what `lathe bundle` does without options.
    void untouched() {
        ExportRequest request;
        for (const deploy::Part part : deploy::allParts) // all are ticked
            request.parts << QString::fromStdString(std::string(toString(part)));
        const BundleOptions options = app::bundleOptionsOf(request, {}), usual;
        QCOMPARE(QString::fromStdString(toJson(options)), QString::fromStdString(toJson(usual)));
        QVERIFY(options.device == usual.device);
    }

    /// "How far outputs may be off"; 0: not at all.
    void noTolerance() {
        ExportRequest request;
        request.tolerance = 0;
        const BundleOptions options = app::bundleOptionsOf(request, {});
        QCOMPARE(options.tolerance.ofRange, 0.0);
        QCOMPARE(options.tolerance.absolute, 0.0);
    }

    /// A project of a newer Lathe may ask for what this one does not know.
    void unknownWords() {
        ExportRequest request;
        request.form = "hologram";
        request.targets = {"z80", "x86-64-v2"};
        request.parts = {"smell", "c"};
        request.device = "quemu:";
        const BundleOptions options = app::bundleOptionsOf(request, {});
        QVERIFY(options.form == BundleForm::Folder);
        QCOMPARE(options.targets.size(), size_t(1));
        QVERIFY(options.parts == std::set{deploy::Part::C});
        QVERIFY(options.device.isLocal());
    }

    /// Settings of the window as the words that the command line takes for them.
    void settingsAsArguments() {
        QCOMPARE(app::argumentsOf({}), QStringList());
        driver::Options settings;
        settings.threads = 3;
        settings.numerics = driver::NumericsLevel::Strict;
        settings.shapes = {{"x", {1, -1}}, {"scale", {}}};
        QCOMPARE(app::argumentsOf(settings),
                 (QStringList{"--threads", "3", "--numerics", "strict", "--shape", "x=1,-1", "--shape", "scale="}));
        settings = {};
        project::GraphChoice choice; // in the same words
        choice.inputs = {"a", "b:1"};
        choice.outputs = {"y"};
        choice.shapes = {"x=n,3"};
        choice.types = {"x=int64"};
        choice.arguments = {"sizes=[1, 2]"};
        QVERIFY(choice.addTo(settings));
        QCOMPARE(app::argumentsOf(settings), (QStringList{"--inputs", "a,b:1", "--outputs", "y", "--shape", "x=n,3",
                                                          "--type", "x=int64", "--arg", "sizes=[1, 2]"}));
    }
};

Test test() {
    return {makes<TestExportChoices>};
}

} // namespace lathe::testing::test_export_choices

#include "test_export_choices.moc"
