// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner runtimes
// Links: onnx
// Timeout: 600
//
// Where a bundle comes from: who signed it, whether it can be made again, and what its lists of parts say. Other programs give
// the expected values: ssh-keygen, and Python's hashes.
#include "deploy/made_bundle.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lathe::testing::test_bundle_origin {

namespace fs = std::filesystem;

class TestBundleOrigin : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString at(const QString& name) const { return folder_.filePath(name); }
    static fs::path path(const QString& text) { return text.toStdString(); }
    void make(const QString& out, const QStringList& more = {}) const {
        const Outcome outcome = runLathe(QStringList{"bundle", at("plain.onnx"), "-o", at(out)} + more);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }
    /// The exit code of a check, which has to say why if it is not 0.
    int checked(const QString& bundle, const QString& keys, const char* says = "") const {
        const Outcome outcome = runLathe({"bundle", "check", at(bundle), "--verify-key", at(keys), "--repeat", "0"});
        if ((outcome.out + outcome.err).find(says) == std::string::npos)
            qWarning("%s%s", outcome.out.c_str(), outcome.err.c_str());
        return (outcome.out + outcome.err).find(says) == std::string::npos ? -1 : outcome.code;
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", at("cache").toLocal8Bit());
        writeFile(path(at("plain.onnx")),
                  graphBytes("g (float[2,3] x) => (float[2,3] y) { t = Tanh (x) y = Mul (t, x) }"));
        writeFile(path(at("other.onnx")), graphBytes("g (float[2,3] x) => (float[2,3] y) { y = Tanh (x) }"));
        for (const char* key : {"key", "stranger"})
            QCOMPARE(runProgram("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", at(key)}).code, 0);
        make("plain");
        make("signed", {"--sign", at("key")});
    }

    void signatures() {
        QCOMPARE(checked("signed", "key.pub", "by a key that is known"), 0);
        QCOMPARE(runLathe({"bundle", "check", at("signed"), "--repeat", "0"}).code, 0);
        QCOMPARE(checked("signed", "stranger.pub", "SHA256SUMS.sig"), 1);
        QCOMPARE(checked("plain", "key.pub", "not signed"), 1);
        QCOMPARE(checked("signed", "plain.onnx"), 1);
        QCOMPARE(checked("signed", "nothing.pub", "nothing.pub"), 1);
        // Several keys, and lines that are none.
        writeFile(path(at("keys")),
                  "# ours\n" + readAll(path(at("stranger.pub"))) + "\n" + readAll(path(at("key.pub"))));
        QCOMPARE(checked("signed", "keys"), 0);
        // It is not part of what is signed: the bundle is the same.
        QCOMPARE(runLathe({"bundle", "diff", at("plain"), at("signed")}).code, 0);
        // A module that Python would take instead of the signed one lies where nobody else looks.
        fs::create_directories(path(at("signed/python/lathe_model/__pycache__")));
        writeFile(path(at("signed/python/lathe_model/__pycache__/__init__.cpython-311.pyc")), "planted");
        QCOMPARE(runLathe({"bundle", "check", at("signed"), "--repeat", "0"}).code, 0);
        QCOMPARE(checked("signed", "key.pub", "cpython-311.pyc"), 1);
        fs::remove_all(path(at("signed/python/lathe_model/__pycache__")));
        make("again", {"--sign", at("key")});
        QCOMPARE(filesBelow(path(at("again"))), filesBelow(path(at("signed"))));
        // ssh-keygen alone says the same.
        writeFile(path(at("allowed")), "maker " + readAll(path(at("key.pub"))));
        const Outcome outcome = runProgram("sh", {"-c",
                                                  "ssh-keygen -Y verify -f \"$1\" -I maker -n lathe-bundle -s "
                                                  "\"$2/SHA256SUMS.sig\" < \"$2/SHA256SUMS\"",
                                                  "sh", at("allowed"), at("signed")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        // Signed files that are others.
        writeFile(path(at("again/README.md")), "other");
        QCOMPARE(checked("again", "key.pub", "README.md"), 1);
        writeFile(path(at("again/SHA256SUMS")), readAll(path(at("plain/SHA256SUMS"))) + "\n");
        QCOMPARE(checked("again", "key.pub", "no signature of this bundle"), 1);
        // A signature of something else by the same key.
        QCOMPARE(runProgram("sh", {"-c",
                                   "ssh-keygen -q -Y sign -n file -f \"$1\" < \"$2/SHA256SUMS\" > "
                                   "\"$2/SHA256SUMS.sig\"",
                                   "sh", at("key"), at("signed")})
                     .code,
                 0);
        QCOMPARE(checked("signed", "key.pub", "no signature of this bundle"), 1);
        const Outcome noKey = runLathe({"bundle", at("plain.onnx"), "-o", at("refused"), "--sign", at("plain.onnx")});
        QVERIFY2(noKey.code == 1 && noKey.err.find("signs nothing") != std::string::npos, noKey.err.c_str());
        QVERIFY(!QFile::exists(at("refused")));
    }

    void reproduce() {
        Outcome outcome = runLathe({"bundle", "reproduce", at("plain"), at("plain.onnx")});
        QVERIFY2(outcome.code == 0 && outcome.out.find("the same bundle") != std::string::npos, outcome.err.c_str());
        outcome = runLathe({"bundle", "reproduce", at("plain"), at("other.onnx")});
        QVERIFY2(outcome.code == 1 || outcome.code == 2, outcome.err.c_str());
        QVERIFY2(outcome.err.find("another model") != std::string::npos, outcome.err.c_str());
        make("bare", {"--without", "reproduce"});
        outcome = runLathe({"bundle", "reproduce", at("bare"), at("plain.onnx")});
        QVERIFY2(outcome.code != 0 && outcome.err.find("options.json") != std::string::npos, outcome.err.c_str());
        // Another bundle of the same model is found out.
        make("strict", {"--numerics", "strict", "--version", "3.0"});
        fs::copy(path(at("strict")), path(at("mixed")), fs::copy_options::recursive);
        fs::copy(path(at("plain/reproduce/options.json")), path(at("mixed/reproduce/options.json")),
                 fs::copy_options::overwrite_existing);
        outcome = runLathe({"bundle", "reproduce", at("mixed"), at("plain.onnx")});
        QVERIFY2(outcome.code != 0 && outcome.err.find("options.json") != std::string::npos, outcome.err.c_str());
        QVERIFY(runLathe({"bundle", "reproduce", at("strict"), at("plain.onnx")}).code == 0);
    }

    /// Data that lie elsewhere are named again; weights that lie beside the model are looked at as well.
    void reproducesWithData() {
        fs::create_directories(path(at("data")));
        // y = tanh(x) x, of zeros: TensorProto of float[2,3].
        const std::string zeros = std::string("\x08\x02\x08\x03\x10\x01\x4a\x18", 8) + std::string(24, '\0');
        writeFile(path(at("data/input_0.pb")), zeros);
        writeFile(path(at("data/output_0.pb")), zeros);
        make("checked", {"--golden", at("data")});
        QCOMPARE(readAll(path(at("checked/golden/data-0/case.json"))).find("data set") != std::string::npos, true);
        Outcome outcome = runLathe({"bundle", "reproduce", at("checked"), at("plain.onnx")});
        QVERIFY2(outcome.code != 0 && outcome.err.find("--golden") != std::string::npos, outcome.err.c_str());
        outcome = runLathe({"bundle", "reproduce", at("checked"), at("plain.onnx"), "--golden", at("data")});
        QVERIFY2(outcome.code == 0 && outcome.out.find("the same bundle") != std::string::npos, outcome.err.c_str());
        outcome = runProgram("sh", {at("checked/reproduce/reproduce.sh"), at("plain.onnx"), LATHE_BINARY_DIR "/lathe",
                                    "--golden", at("data")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }

    /// A bundle names the plugins that it cannot be made again without, and no others that are installed.
    void plugins() {
        QVERIFY(readAll(path(at("plain/manifest.json"))).find("\"plugins\"") == std::string::npos);
        const auto plugin = [&](const char* folder, const std::string& version) {
            fs::create_directories(path(at(folder)));
            writeFile(path(at(folder)) / "plugin.json",
                      fmt::format(R"({{"id": "acme", "version": "{}", "licence": "MIT", "kind": "data", "adds": "",
                                      "bodies": ["all.txt"]}})",
                                  version));
            writeFile(path(at(folder)) / "all.txt", "<domain: \"acme\", opset_import: [\"\" : 18]>\n"
                                                    "Twice (x) => (y) { y = Add (x, x) }\n");
        };
        plugin("acme", "1.2");
        writeFile(path(at("added.onnx")), modelBytes("<ir_version: 10, opset_import: [\"\" : 21, \"acme\" : 1]> "
                                                     "g (float[2,3] x) => (float[2,3] y) { y = acme.Twice (x) }"));
        Outcome outcome = runLathe({"bundle", at("added.onnx"), "-o", at("added"), "--plugin", at("acme")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto named = nlohmann::json::parse(R"([{"id": "acme", "version": "1.2"}])");
        for (const char* file : {"added/manifest.json", "added/reproduce/options.json"})
            QVERIFY2(nlohmann::json::parse(readAll(path(at(file))))["plugins"] == named, file);
        outcome = runLathe({"bundle", "info", at("added")});
        QVERIFY2(outcome.out.find("with plugin acme 1.2") != std::string::npos, outcome.out.c_str());
        outcome = runLathe({"bundle", "reproduce", at("added"), at("added.onnx"), "--plugin", at("acme")});
        QVERIFY2(outcome.code == 0 && outcome.out.find("the same bundle") != std::string::npos, outcome.err.c_str());
        // What is compiled already needs none.
        outcome = runLathe({"bundle", "check", at("added"), "--repeat", "0"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        for (const QStringList& without :
             {QStringList{"bundle", "reproduce", at("added"), at("added.onnx")},
              {"bundle", at("added.onnx"), "-o", at("refused"), "--options", at("added/reproduce/options.json")}}) {
            outcome = runLathe(without);
            QVERIFY2(outcome.code == 1 && outcome.err.find("acme 1.2") != std::string::npos, outcome.err.c_str());
        }
        plugin("newer", "1.3");
        outcome = runLathe({"bundle", "reproduce", at("added"), at("added.onnx"), "--plugin", at("newer")});
        QVERIFY2(outcome.code == 1 && outcome.err.find("1.3") != std::string::npos, outcome.err.c_str());
        QVERIFY2(outcome.out.find("plugin acme: 1.2 -> 1.3") != std::string::npos, outcome.out.c_str());
    }

    /// Whose work is in a bundle: named in both lists, and its terms lie beside them.
    void licences() {
        const std::string spdx = readAll(path(at("plain/sbom.spdx.json"))),
                          cdx = readAll(path(at("plain/sbom.cdx.json")));
        for (const char* name : {"dlpack", "xxhash", "fmt", "nlohmann-json", "glibc", "libstdc++", "libgcc"}) {
            const std::string quoted = fmt::format("\"name\": \"{}\"", name);
            QVERIFY2(spdx.find(quoted) != std::string::npos && cdx.find(quoted) != std::string::npos, name);
        }
        for (const auto& [file, says] : {std::pair{"fmt.txt", "fmt"}, std::pair{"json.txt", "nlohmann"},
                                         std::pair{"xxhash.txt", "BSD"}, std::pair{"LGPL-2.1.txt", "LESSER"},
                                         std::pair{"glibc.txt", "GNU C Library"}, std::pair{"gcc.txt", "EXCEPTION"}})
            QVERIFY2(readAll(path(at("plain/licenses")) / file).find(says) != std::string::npos, file);
        make("linked", {"--form", "static"});
        QVERIFY(QFile::exists(at("linked/licenses/xxhash.txt")));
        QVERIFY(!QFile::exists(at("linked/licenses/glibc.txt")));
        QVERIFY(readAll(path(at("linked/sbom.cdx.json"))).find("glibc") == std::string::npos);
    }

    /// SPDX 2.3, 7.9 and 8.4, and what the manifest asks of a machine.
    void lists() {
        const Outcome outcome =
            runProgram("/usr/bin/python3", {LATHE_SOURCE_DIR "/tests/deploy/check_lists.py", at("plain")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }
};

Test test() {
    return {makes<TestBundleOrigin>};
}

} // namespace lathe::testing::test_bundle_origin

#include "test_bundle_origin.moc"
