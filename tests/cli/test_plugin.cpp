// SPDX-License-Identifier: Apache-2.0
// Needs: lathe
// Links: onnx
//
// `lathe plugin`, and plugins of other commands, as scripts see them.
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace lathe::testing::test_plugin {

class TestPlugin : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, acme_;

    QString at(const char* name) const { return folder_.filePath(name); }
    static bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", at("cache").toLocal8Bit());
        qputenv("XDG_DATA_HOME", at("data").toLocal8Bit());
        model_ = at("model.onnx");
        writeFile(model_.toStdString(),
                  modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]> "
                             "g (float[2,3] x) => (float[2,3] y) { y = com.microsoft.FastGelu (x) }"));
        acme_ = at("acme");
        std::filesystem::create_directories(acme_.toStdString());
        writeFile(acme_.toStdString() + "/plugin.json",
                  R"({"id": "acme", "version": "1.2", "licence": "MIT", "kind": "data", "adds": "one operator",
                      "bodies": ["all.txt"]})");
        writeFile(acme_.toStdString() + "/all.txt",
                  "<domain: \"acme\", opset_import: [\"\" : 18]> Twice (x) => (y) { y = Add (x, x) }");
    }

    void listSaysWhatIsThere() {
        const Outcome outcome = runLathe({"plugin", "list", "--plugin", acme_});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(says(outcome.out, "acme") && says(outcome.out, "MIT") && says(outcome.out, "contrib"));
        const Outcome off = runLathe({"plugin", "list", "--without-plugin", "contrib", "--json"});
        QCOMPARE(off.code, 0);
        const auto json = nlohmann::json::parse(off.out);
        QCOMPARE(json["id"].get<std::string>(), "contrib");
        QCOMPARE(json["state"].get<std::string>(), "off");
    }

    void infoSaysWhatOneAdds() {
        const Outcome outcome = runLathe({"plugin", "info", "acme", "--plugin", acme_});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(says(outcome.out, "operator Twice of acme") && says(outcome.out, "1.2"));
        QCOMPARE(runLathe({"plugin", "info", "acme"}).code, 2);
        QCOMPARE(runLathe({"plugin"}).code, 2);
    }

    void whatIsInstalledIsOn() {
        const Outcome good = runLathe({"inspect", model_});
        QVERIFY2(good.code == 0, good.err.c_str());
        const Outcome refused = runLathe({"inspect", model_, "--without-plugin", "contrib"});
        QCOMPARE(refused.code, 1);
        QVERIFY(says(refused.out + refused.err, "plugin contrib, which is off"));
        QCOMPARE(runLathe({"inspect", model_, "--without-plugin", "nothing"}).code, 2);
        QCOMPARE(runLathe({"inspect", model_, "--plugin", at("nowhere")}).code, 1);
    }

    void theUsersOwnFolderIsLookedThrough() {
        std::filesystem::create_directories(at("data/lathe/plugins").toStdString());
        std::filesystem::copy(acme_.toStdString(), at("data/lathe/plugins/acme").toStdString());
        QCOMPARE(runLathe({"plugin", "info", "acme"}).code, 0);
        writeFile(at("data/lathe/plugins/acme/all.txt").toStdString(), "Twice");
        const Outcome list = runLathe({"plugin", "list"});
        QCOMPARE(list.code, 0);
        QVERIFY(says(list.out, "refused"));
        QCOMPARE(runLathe({"plugin", "info", "acme"}).code, 1);
        QCOMPARE(runLathe({"inspect", model_}).code, 0);
    }
};

Test test() {
    return {makes<TestPlugin>};
}

} // namespace lathe::testing::test_plugin

#include "test_plugin.moc"
