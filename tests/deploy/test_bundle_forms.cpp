// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner runtimes
// Links: onnx tflite_schema
// Timeout: 600
//
// Bundles that are no folder of a model and its runtime: each is used by what its README says, where nothing of Lathe is.
#include "deploy/bundle_options.h"
#include "deploy/made_bundle.h"
#include "support/program_of_tests.h"
#include "support/saved_model.h"
#include "support/tflite_model.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <unistd.h>

namespace lathe::testing::test_bundle_forms {

namespace fs = std::filesystem;

class TestBundleForms : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString at(const QString& name) const { return folder_.filePath(name); }
    static fs::path path(const QString& text) { return text.toStdString(); }

    /// In an environment without variables, with standard input closed.
    static Outcome runBare(const QString& command, const QString& folder) {
        return runProgram(
            "env", {"-i", "PATH=/usr/bin:/bin", "sh", "-c", "cd \"$1\" && exec 0<&- && " + command, "sh", folder});
    }
    void make(const QString& model, const QString& out, const QStringList& more) const {
        const Outcome outcome = runLathe(QStringList{"bundle", at(model), "-o", at(out)} + more);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }
    /// A bit of a file flipped at its end.
    void flip(const QString& file) const {
        std::string bytes = readAll(path(at(file)));
        bytes.back() = static_cast<char>(bytes.back() ^ 1);
        writeFile(path(at(file)), bytes);
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", at("cache").toLocal8Bit());
        qputenv("SOURCE_DATE_EPOCH", "1700000000");
        writeFile(path(at("odd model.onnx")), oddModel());
        writeFile(path(at("plain.onnx")), graphBytes("g (float[2,3] x) => (float[2,3] y) <float[3] w = {0.5, -2, 7}> "
                                                     "{ t = Tanh (x) u = Mul (t, w) y = Exp (u) }"));
    }

    void manifestsAreAsTheSchemaSays_data() {
        QTest::addColumn<QString>("form");
        for (const char* form : {"exe", "static", "c"})
            QTest::newRow(form) << QString(form);
    }
    /// And the same inputs give the same bytes, and Lathe's own check finds every change.
    void manifestsAreAsTheSchemaSays() {
        QFETCH(QString, form);
        make("plain.onnx", form + "-1", {"--form", form});
        make("plain.onnx", form + "-2", {"--form", form, "--threads", "1", "--no-cache"});
        QCOMPARE(filesBelow(path(at(form + "-1"))), filesBelow(path(at(form + "-2"))));
        Outcome outcome = runProgram("/usr/bin/python3", {LATHE_SOURCE_DIR "/tests/deploy/validate.py",
                                                          LATHE_SOURCE_DIR "/docs/schemas/lathe-bundle-1.json",
                                                          at(form + "-1") + "/manifest.json"});
        QVERIFY2(outcome.code == 0, outcome.out.c_str());
        QCOMPARE(nlohmann::json::parse(readAll(path(at(form + "-1/manifest.json"))))["form"], form.toStdString());
        // What is for a compiler is not run: nothing says that it is right here.
        outcome = runLathe({"bundle", "check", at(form + "-1")});
        QCOMPARE(outcome.code, 0);
        QVERIFY2(outcome.out.ends_with(form == "exe" ? "plain 0.1.0: whole, and right here\n" : "plain 0.1.0: whole\n"),
                 outcome.out.c_str());
        outcome = runLathe({"bundle", "check", at(form + "-1"), "--json"});
        const auto verdict =
            nlohmann::json::parse(outcome.out.substr(outcome.out.rfind('\n', outcome.out.size() - 2) + 1));
        QVERIFY(verdict["good"].get<bool>());
        QCOMPARE(verdict["cases"].get<size_t>(),
                 form == "exe"
                     ? nlohmann::json::parse(readAll(path(at(form + "-1/manifest.json"))))["golden"]["cases"].size()
                     : 0);
        outcome =
            runProgram("sh", {at(form + "-1/reproduce/reproduce.sh"), at("plain.onnx"), LATHE_BINARY_DIR "/lathe"});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        flip(form + "-2/golden/random-0/output_0.npy");
        QCOMPARE(runLathe({"bundle", "check", at(form + "-2")}).code, 1);
    }

    /// A model that is a folder, and one of its graphs by name: the manifest says which, and of which files it was made.
    void aFolderWithSignatures() {
        writeSavedModel(path(at("saved_model")));
        make("saved_model/", "saved", {"--form", "c", "--signature", "square"});
        const auto manifest = nlohmann::json::parse(readAll(path(at("saved/manifest.json"))));
        QCOMPARE(manifest["model"]["file"], "saved_model");
        QCOMPARE(manifest["model"]["signature"], "square");
        QCOMPARE(manifest["model"]["external_data"].size(), size_t{1});
        QCOMPARE(manifest["model"]["external_data"][0]["file"], "saved_model.pbtxt");
        QCOMPARE(manifest["outputs"][0]["name"], "z");
        QVERIFY(QByteArray::fromStdString(readAll(path(at("saved/README.md")))).contains("signature `square`"));
        Outcome outcome = runLathe({"bundle", "reproduce", at("saved"), at("saved_model")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        writeSavedModel(path(at("saved_model")), savedModelText("Sub"));
        outcome = runLathe({"bundle", "reproduce", at("saved"), at("saved_model")});
        QVERIFY2(outcome.code != 0 && QString::fromStdString(outcome.err).contains("another model"),
                 outcome.err.c_str());
    }

    /// The header has states by name, and holds the library against them.
    void states() {
        writeFile(path(at("stream.tflite")), lathe::testing::bytesOf(streamTflite()));
        make("stream.tflite", "stream", {"--form", "static"});
        const auto manifest = nlohmann::json::parse(readAll(path(at("stream/manifest.json"))));
        QCOMPARE(manifest["states"].size(), size_t{1});
        QCOMPARE(manifest["states"][0]["dtype"], "float32");
        QVERIFY(manifest["states"][0]["dims"] == nlohmann::json({2, 3}));
        const QByteArray header = QByteArray::fromStdString(readAll(path(at("stream/include/lathe/stream.h"))));
        QVERIFY(header.contains("STREAM_STATES = 1") && header.contains("lathe_reset_states"));
        QVERIFY(header.contains("_DIMS {2, 3}"));
        Outcome outcome = runProgram("cc", {"-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c",
                                            at("stream/include/lathe/stream.h")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        outcome = runProgram("/usr/bin/python3",
                             {LATHE_SOURCE_DIR "/tests/deploy/validate.py",
                              LATHE_SOURCE_DIR "/docs/schemas/lathe-bundle-1.json", at("stream/manifest.json")});
        QVERIFY2(outcome.code == 0, outcome.out.c_str());
        QVERIFY(QByteArray::fromStdString(readAll(path(at("stream/README.md")))).contains("| state |"));
    }

    void partsThatAreChosen_data() {
        QTest::addColumn<QString>("form");
        for (const char* form : {"folder", "exe", "static", "c"})
            QTest::newRow(form) << QString(form);
    }
    /// Leaving a part out leaves out files exactly where there is a choice.
    void partsThatAreChosen() {
        QFETCH(QString, form);
        const auto planned = [&](const QStringList& more) {
            const Outcome outcome =
                runLathe(QStringList{"bundle", at("plain.onnx"), "--form", form, "--dry-run", "--json"} + more);
            if (outcome.code != 0)
                throw std::runtime_error(outcome.err);
            std::set<std::string> paths;
            std::istringstream lines(outcome.out);
            for (std::string line; std::getline(lines, line);)
                if (const auto row = nlohmann::json::parse(line); row.contains("path"))
                    paths.insert(row["path"]);
            return paths;
        };
        const auto all = planned({});
        QVERIFY(all.contains("README.md"));
        for (const lathe::deploy::Part part : lathe::deploy::allParts) {
            const std::string name(toString(part));
            if (!hasChoice(*lathe::deploy::parseForm(form.toStdString()), part)) {
                for (const char* option : {"--with", "--without"}) {
                    const Outcome refused = runLathe({"bundle", at("plain.onnx"), "--form", form, "--dry-run", option,
                                                      QString::fromStdString(name)});
                    QVERIFY2(refused.code == 2 && refused.err.find("no part '" + name + "'") != std::string::npos,
                             refused.err.c_str());
                }
                continue;
            }
            const auto without = planned({"--without", QString::fromStdString(name)});
            QVERIFY(std::ranges::includes(all, without));
            QVERIFY2(without != all, name.c_str());
            if (part == lathe::deploy::Part::Golden)
                QVERIFY(std::ranges::none_of(without, [](const auto& file) { return file.starts_with("golden/"); }));
        }
    }

    void source_data() {
        QTest::addColumn<QString>("model");
        QTest::newRow("arrays") << "plain.onnx";
        QTest::newRow("sizes that stay open") << "odd model.onnx";
    }
    void source() {
        QFETCH(QString, model);
        const QString out = QString("source ") + QTest::currentDataTag();
        make(model, out, {"--form", "c", "--name", "it"});
        for (const char* compiler : {"gcc -Wall -Wextra -pedantic -Werror", "clang-19"}) {
            const Outcome outcome = runBare(QString("make CC='%1' clean check").arg(compiler), at(out));
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
            QVERIFY2(outcome.out.find("random-0: as expected") != std::string::npos, outcome.out.c_str());
        }
        // What was built there is nobody's concern.
        QCOMPARE(runLathe({"bundle", "check", at(out)}).code, 0);
        // What it computes is looked at.
        std::string golden = readAll(path(at(out + "/golden/random-0/output_0.npy")));
        golden[golden.size() - 1] = static_cast<char>(golden[golden.size() - 1] ^ 0x40);
        writeFile(path(at(out + "/golden/random-0/output_0.npy")), golden);
        Outcome outcome = runBare("make check", at(out));
        QVERIFY2(outcome.code != 0 && outcome.out.find("random-0/output_0.npy: FAILED") != std::string::npos,
                 (outcome.out + outcome.err).c_str());
        fs::remove(path(at(out + "/SHA256SUMS")));
        writeFile(path(at(out + "/SHA256SUMS")), "");
        outcome = runBare("sed -i 's/^check: hashes/check:/' Makefile && make check", at(out));
        QVERIFY2(outcome.code != 0 && outcome.err.find("elements differ") != std::string::npos,
                 (outcome.out + outcome.err).c_str());
    }

    /// The example, from the bundle alone; and two models in one program, whose symbols are apart.
    void libraries() {
        make("plain.onnx", "one", {"--form", "static", "--name", "one"});
        make("odd model.onnx", "two", {"--form", "static", "--name", "two"});
        for (const char* name : {"one", "two"}) {
            Outcome outcome = runBare("make -s -C examples run", at(name));
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
            QVERIFY2(outcome.out.find("as expected, p50") != std::string::npos, outcome.out.c_str());
            outcome = runBare(QString("nm -g --defined-only lib/lib%1.a | grep ' '").arg(name), at(name));
            QVERIFY2(outcome.out.ends_with(QString(" %1_lathe_model\n").arg(name).toStdString()) &&
                         std::ranges::count(outcome.out, '\n') == 1,
                     outcome.out.c_str());
            // Weights begin where vectors are read from.
            outcome = runBare(QString("readelf -SW lib/lib%1.a | grep lathe_weights").arg(name), at(name));
            QVERIFY2(outcome.code == 0 && outcome.out.ends_with(" 64\n"), outcome.out.c_str());
        }
        // Names that differ late, and in underscores alone, are those of two models.
        std::set<std::string> symbols;
        const QString longName = QString("a").repeated(60);
        for (const QString& name : {longName + "_1", longName + "_2", longName + "_1_"}) {
            make("plain.onnx", name, {"--form", "static", "--without", "golden,sbom,reproduce", "--name", name});
            symbols.insert(
                runBare(QString("nm -g --defined-only lib/lib%1.a | grep ' ' | cut -d' ' -f3").arg(name), at(name))
                    .out);
        }
        QCOMPARE(symbols.size(), size_t(3));
        writeFile(path(at("both.c")), R"(#include <lathe/one.h>
#include <lathe/two.h>
int main(void) {
    lathe_model *one, *two;
    if (one_open(&one) != LATHE_OK || two_open(&two) != LATHE_OK || two_check(one) != LATHE_MISMATCH)
        return 1;
    printf("%s %s\n", lathe_model_name(one), lathe_model_name(two));
    lathe_model_free(one);
    lathe_model_free(two);
    return 0;
})");
        for (const char* more : {"liblathe_rt.a", "liblathe_rt_nothreads.a"}) {
            const Outcome outcome =
                runBare(QString("gcc -std=c99 -Wall -Wextra -pedantic -Werror -I one/include -I two/include both.c "
                                "one/lib/libone.a two/lib/libtwo.a one/lib/%1 -lstdc++ -lpthread -ldl -lm -o both && "
                                "./both")
                            .arg(more),
                        folder_.path());
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QCOMPARE(outcome.out, "one two\n");
        }
    }

    void programs_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("machine");
        QTest::newRow("x86_64") << "x86-64-v2" << "x86_64";
        QTest::newRow("aarch64") << "cortex-a72" << "aarch64";
        QTest::newRow("riscv64") << "rv64gc" << "riscv64";
    }
    /// One file, in a root that has nothing else; other machines are emulated.
    void programs() {
        QFETCH(QString, target);
        QFETCH(QString, machine);
        const QString out = "program " + machine;
        make("plain.onnx", out, {"--form", "exe", "--name", "it", "--target", target, "--device", "qemu"});
        const QString emulator = machine == "x86_64" ? QString() : "qemu-" + machine + " ";
        Outcome outcome = runBare(emulator + "bin/it --check --repeat 3", at(out));
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        QVERIFY2(outcome.out.find("random-0: right") != std::string::npos, outcome.out.c_str());
        outcome =
            runLathe({"bundle", "check", at(out), "--device", emulator.isEmpty() ? "local" : "qemu", "--repeat", "3"});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        QVERIFY2(outcome.out.find("random-0") != std::string::npos, outcome.out.c_str());
        // What it writes is a golden file but for its values, which are no farther off than the check said.
        outcome = runBare(emulator + "bin/it --input x=golden/random-0/input_0.npy --output y=out.npy && "
                                     "cmp -n 64 out.npy golden/random-0/output_0.npy && rm out.npy",
                          at(out));
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        if (machine == "x86_64" && geteuid() == 0) {
            fs::create_directories(path(at("root")));
            fs::copy(path(at(out + "/bin/it")), path(at("root/it")), fs::copy_options::overwrite_existing);
            fs::copy(path(at(out + "/golden/random-0/input_0.npy")), path(at("root/in.npy")),
                     fs::copy_options::overwrite_existing);
            outcome = runProgram("env", {"-i", "/usr/sbin/chroot", at("root"), "/it", "--input", "x=/in.npy",
                                         "--output", "y=/out.npy", "--repeat", "2"});
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
            QCOMPARE(readAll(path(at("root/out.npy"))).size(),
                     readAll(path(at(out + "/golden/random-0/output_0.npy"))).size());
        }
        outcome = runBare(emulator + "bin/it --input x=README.md", at(out));
        QVERIFY2(outcome.code == 1 && outcome.err.find("README.md") != std::string::npos, outcome.err.c_str());
        QCOMPARE(runBare(emulator + "bin/it --input z=README.md", at(out)).code, 2);
        QCOMPARE(runBare(emulator + "bin/it --fly", at(out)).code, 2);
        QCOMPARE(runBare(emulator + "bin/it", at(out)).code, 2);
        // Other values than those that are expected are told.
        flip(out + "/golden/random-0/output_0.npy");
        QCOMPARE(runBare(emulator + "bin/it --check", at(out)).code, 1);
    }

    void whatIsRefused() {
        const Outcome outcome = runLathe({"bundle", at("plain.onnx"), "-o", at("refused"), "--form", "c", "--target",
                                          "x86-64-v2", "--target", "x86-64-v3"});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.find("no variants") != std::string::npos, outcome.err.c_str());
        QCOMPARE(runLathe({"bundle", at("plain.onnx"), "-o", at("refused"), "--form", "tower"}).code, 2);
        QVERIFY(!QFile::exists(at("refused")));
    }
};

Test test() {
    return {makes<TestBundleForms>};
}

} // namespace lathe::testing::test_bundle_forms

#include "test_bundle_forms.moc"
