// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// Plugins that are data: found where they may be, read without trust, and off where a command says so.
#include "driver/compile.h"
#include "driver/data_plugin.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_data_plugin {

namespace fs = std::filesystem;

namespace {

const std::string manifest = R"({"id": "acme", "version": "1.2", "licence": "Apache-2.0", "kind": "data",
                                 "adds": "an operator", "bodies": ["all.txt"]})";
const std::string twice = "<domain: \"acme\", opset_import: [\"\" : 18]>\nTwice (x) => (y) { y = Add (x, x) }\n";

} // namespace

class TestDataPlugin : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path folder_;

    fs::path written(const std::string& name, const std::string& json, const std::string& bodies) {
        const fs::path plugin = folder_ / name;
        fs::create_directories(plugin);
        writeFile(plugin / "plugin.json", json);
        writeFile(plugin / "all.txt", bodies);
        return plugin;
    }

    static Result<driver::Artifact> compile(const std::vector<driver::FoundPlugin>& plugins) {
        const std::string bytes = modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"acme\" : 1]> "
                                             "g (float[4] x) => (float[4] y) { y = acme.Twice (x) }");
        driver::Options options;
        options.extensions = driver::extensionsOf(plugins);
        options.emitCode = false;
        driver::Trace trace;
        return driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", {}, {}, options, trace);
    }

private slots:
    void init() {
        folder_ = temporary_.filePath(QTest::currentTestFunction()).toStdString();
        fs::create_directories(folder_);
    }

    void installedOnesAreOn() {
        written("acme", manifest, twice);
        const auto plugins = driver::findPlugins({}, {folder_, folder_ / "nowhere"});
        QVERIFY(plugins && plugins->size() == 1);
        const driver::DataPlugin& plugin = plugins->front().plugin;
        QVERIFY(plugins->front().isOn && !plugins->front().refused);
        QCOMPARE(plugin.id.id, "acme");
        QCOMPARE(plugin.id.version, "1.2");
        QCOMPARE(plugin.licence, "Apache-2.0");
        QCOMPARE(plugin.bodies.size(), size_t(1));
        QVERIFY(compile(*plugins));
        QVERIFY(!compile({}));
    }

    void oneThatIsOffIsNamed() {
        written("acme", manifest, twice);
        const auto plugins = driver::findPlugins({.folders = {}, .without = {"acme"}}, {folder_});
        QVERIFY(plugins && !plugins->front().isOn);
        const auto refused = compile(*plugins);
        QVERIFY(!refused && refused.error().what.contains("plugin acme, which is off"));
        const auto unknown = driver::findPlugins({.folders = {}, .without = {"other"}}, {folder_});
        QVERIFY(!unknown && unknown.error().kind == ErrorKind::Usage && unknown.error().what.contains("other"));
    }

    void whatIsNamedComesFirst() {
        written("installed/acme", manifest, twice);
        std::string newer = manifest;
        newer.replace(newer.find("1.2"), 3, "2.0");
        const fs::path named = written("named", newer, twice);
        const auto plugins = driver::findPlugins({.folders = {named}, .without = {}}, {folder_ / "installed"});
        QVERIFY(plugins && plugins->size() == 1);
        QCOMPARE(plugins->front().plugin.id.version, "2.0");
    }

    void badOnesAreRefused() {
        const auto with = [](const std::string& from, const std::string& to) {
            std::string text = manifest;
            return text.replace(text.find(from), from.size(), to);
        };
        int ordinal = 0;
        for (const auto& [json, bodies] :
             std::vector<std::pair<std::string, std::string>>{{"", twice},
                                                              {"[]", twice},
                                                              {std::string(100000, ' ') + manifest, twice},
                                                              {with("\"acme\"", "7"), twice},
                                                              {with("\"acme\"", "\"../acme\""), twice},
                                                              {with("\"data\"", "\"code\""), twice},
                                                              {with("\"version\"", "\"versions\""), twice},
                                                              {with("all.txt", "../all.txt"), twice},
                                                              {with("all.txt", "none.txt"), twice},
                                                              {with("[\"all.txt\"]", "\"all.txt\""), twice},
                                                              {manifest, "Twice"},
                                                              {manifest, std::string(2 << 20, ' ')},
                                                              {manifest, std::string(100000, '{')}}) {
            const std::string name = fmt::format("bad{}", ordinal++);
            const fs::path plugin = written(name, json, bodies);
            const auto refused = driver::readPlugin(plugin);
            QVERIFY2(!refused, name.c_str());
            QVERIFY2(refused.error().what.starts_with("plugin ") && refused.error().file.starts_with(plugin.string()),
                     toString(refused.error()).c_str());
            QVERIFY(!driver::findPlugins({.folders = {plugin}, .without = {}}, {}));
        }
        // Installed, they are in nobody's way.
        written("acme", manifest, twice);
        const auto plugins = driver::findPlugins({}, {folder_});
        QVERIFY(plugins && plugins->size() == static_cast<size_t>(ordinal) + 1);
        QVERIFY(compile(*plugins));
    }
};

Test test() {
    return {makes<TestDataPlugin>};
}

} // namespace lathe::testing::test_data_plugin

#include "test_data_plugin.moc"
