// SPDX-License-Identifier: GPL-3.0-or-later
// Plugins that are installed add their operators in the window too.
// Links: onnx
#include "app/engine.h"
#include "app/open_work.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_plugins {

class TestPlugins : public QObject {
    Q_OBJECT

private slots:
    void aModelWithAnOperatorOfOneIsOpenedAndCompiled() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("gelu.onnx");
        writeFile(path.toStdString(),
                  modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\n"
                             "gelu (float[4] x) => (float[4] y) { [gelu] y = com.microsoft.FastGelu (x) }"));
        app::OpenWork work;
        std::vector<Diagnostic> problems;
        work.plugins = app::installedPlugins(problems);
        QVERIFY(problems.empty());
        QVERIFY(work.plugins != nullptr);
        app::Engine engine;
        app::TracePtr opened;
        app::CompilationPtr compiled;
        connect(&engine, &app::Engine::opened, this,
                [&](const QString&, const app::TracePtr& trace) { opened = trace; });
        connect(&engine, &app::Engine::compiled, this,
                [&](const QString&, const app::CompilationPtr& compilation) { compiled = compilation; });
        // Without them it is refused.
        engine.open(path);
        QTRY_VERIFY_WITH_TIMEOUT(opened, 60'000);
        QVERIFY(!opened->diagnostics.empty());
        opened.reset();
        engine.open(path, work.importOptions());
        QTRY_VERIFY_WITH_TIMEOUT(opened, 60'000);
        QVERIFY(opened->diagnostics.empty());
        work.trace = opened;
        engine.compile(work.options());
        QTRY_VERIFY_WITH_TIMEOUT(compiled, 60'000);
        QVERIFY(compiled->artifact);
        QCOMPARE(compiled->trace().graph->nodes.size(), size_t(1)); // its body stays one node
    }
};

Test test() {
    return {makes<TestPlugins>, Application::Window};
}

} // namespace lathe::testing::test_plugins

#include "test_plugins.moc"
