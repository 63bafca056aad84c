// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner runtimes
// Links: onnx
//
// `lathe bundle` as scripts see it, and its bundles as people do who have nothing else.
#include "deploy/made_bundle.h"
#include "support/program_of_tests.h"

#include <QCryptographicHash>
#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

namespace lathe::testing::test_bundle_command {

namespace fs = std::filesystem;

namespace {

/// What a command with --json says at its end.
nlohmann::json lastObject(const std::string& text) {
    return nlohmann::json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
}

/// What each step of a check with --json is called and says, without its figures.
QStringList stepsOf(const std::string& text) {
    static const QRegularExpression figure("\\d+(\\.\\d+)?(e[-+]?\\d+)?( kB| MB)?");
    QStringList steps;
    for (const QByteArray& line : QByteArray::fromStdString(text).split('\n'))
        if (const auto row = nlohmann::json::parse(line.toStdString(), nullptr, false);
            row.is_object() && row.contains("step"))
            steps << QString::fromStdString(row["step"]) + ": " +
                         QString::fromStdString(row["text"]).replace(figure, "N");
    return steps;
}

} // namespace

class TestBundleCommand : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString odd_, plain_; // bundles
    QString numpy_ = QStringLiteral(LATHE_SOURCE_DIR "/build/venv-onnx/bin/python");

    QString at(const char* name) const { return folder_.filePath(name); }
    static fs::path path(const QString& text) { return text.toStdString(); }

    /// In an environment without variables, with standard input closed.
    static Outcome runBare(const QString& command, const QString& folder = "/") {
        return runProgram(
            "env", {"-i", "PATH=/usr/bin:/bin", "sh", "-c", "cd \"$1\" && exec 0<&- && " + command, "sh", folder});
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", at("cache").toLocal8Bit());
        qputenv("SOURCE_DATE_EPOCH", "1700000000");
        writeFile(path(at("odd model.onnx")), oddModel());
        writeFile(path(at("plain.onnx")),
                  graphBytes("g (float[2,3] x) => (float[2,3] y) { t = Tanh (x) y = Mul (t, x) }"));
        odd_ = at("b\xc3\xbcndel 'odd' $x");
        plain_ = at("plain");
        Outcome outcome = runLathe({"bundle", at("odd model.onnx"), "-o", odd_, "--symbol", "n=1..64:5"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        outcome = runLathe({"bundle", at("plain.onnx"), "-o", plain_, "--model-license", "MIT", "--version", "2.0.1"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }

    void hashesAreThoseOfOtherTools() {
        for (const QString& bundle : {odd_, plain_}) {
            const Outcome outcome = runBare("sha256sum --strict --quiet -c SHA256SUMS", bundle);
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            const Outcome sorted = runBare("grep -v ' manifest.json$' SHA256SUMS | sha256sum", bundle);
            const auto manifest = nlohmann::json::parse(readAll(path(bundle) / "manifest.json"));
            QCOMPARE(sorted.out.substr(0, 64), manifest["bundle_id"].get<std::string>());
            std::set<std::string> listed;
            for (const auto& file : manifest["files"])
                listed.insert(file["path"].get<std::string>());
            for (const auto& [name, content] : filesBelow(path(bundle)))
                QVERIFY2(listed.contains(name) || name == "manifest.json" || name == "SHA256SUMS", name.c_str());
            QCOMPARE(listed.size() + 2, filesBelow(path(bundle)).size());
        }
    }

    void manifestsAreAsTheSchemaSays() {
        for (const QString& bundle : {odd_, plain_}) {
            const Outcome outcome = runProgram(
                "/usr/bin/python3", {LATHE_SOURCE_DIR "/tests/deploy/validate.py",
                                     LATHE_SOURCE_DIR "/docs/schemas/lathe-bundle-1.json", bundle + "/manifest.json"});
            QVERIFY2(outcome.code == 0, outcome.out.c_str());
        }
    }

    void checkByItself() {
        for (const QString& bundle : {odd_, plain_}) {
            Outcome outcome = runBare("./check", bundle);
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
            QVERIFY2(outcome.out.find("random-0") != std::string::npos, outcome.out.c_str());
        }
        // Moved, on a file system that may only be read, with nothing but itself.
        const QString moved = at("moved");
        QVERIFY(runProgram("cp", {"-r", odd_, moved}).code == 0);
        if (geteuid() == 0) {
            const Outcome outcome = runProgram(
                "unshare", {"-m", "-n", "sh", "-c",
                            "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" && exec chroot \"$1\" "
                            "/bin/$(uname -m)-linux-gnu/lathe-check",
                            "sh", moved});
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        }
    }

    /// The device's check and the desk's are the same steps, and say the same of each.
    void deskAndDeviceSayTheSame() {
        const QString device = "./bin/$(uname -m)-linux-gnu/lathe-check --json --repeat 3 .";
        for (const QString& bundle : {odd_, plain_}) {
            const Outcome there = runBare(device, bundle);
            const Outcome here = runLathe({"bundle", "check", bundle, "--json", "--repeat", "3"});
            QVERIFY2(there.code == 0 && here.code == 0, (there.out + here.out + here.err).c_str());
            QCOMPARE(stepsOf(here.out), stepsOf(there.out));
            QVERIFY(stepsOf(here.out).size() > 3);
        }
        // A value that is wrong, in files that are what the hashes say.
        const QString wrong = at("wrong value");
        QVERIFY(runProgram("cp", {"-r", plain_, wrong}).code == 0);
        const fs::path folder = path(wrong);
        const std::string array = "golden/random-0/output_0.npy", before = readAll(folder / array);
        std::string after = before;
        after.back() = static_cast<char>(after.back() ^ 0x40); // of the exponent
        const auto hashOf = [](const std::string& bytes) {
            return QCryptographicHash::hash(QByteArray::fromStdString(bytes), QCryptographicHash::Sha256)
                .toHex()
                .toStdString();
        };
        const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
            for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
                text.replace(at, from.size(), to);
            return text;
        };
        const std::string sums = replaced(readAll(folder / "SHA256SUMS"), hashOf(before), hashOf(after));
        const std::string manifest = readAll(folder / "manifest.json");
        const size_t own = sums.find("  manifest.json\n");
        const size_t line = sums.rfind('\n', own) == std::string::npos ? 0 : sums.rfind('\n', own) + 1;
        std::string others = sums;
        others.erase(line, own + std::string_view("  manifest.json\n").size() - line);
        const std::string now = replaced(replaced(manifest, hashOf(before), hashOf(after)),
                                         nlohmann::json::parse(manifest)["bundle_id"], hashOf(others));
        writeFile(folder / array, after);
        writeFile(folder / "manifest.json", now);
        writeFile(folder / "SHA256SUMS", replaced(sums, hashOf(manifest), hashOf(now)));
        const Outcome there = runBare(device, wrong);
        const Outcome here = runLathe({"bundle", "check", wrong, "--json", "--repeat", "3"});
        QCOMPARE(there.code, 1);
        QCOMPARE(here.code, 1);
        QCOMPARE(stepsOf(here.out), stepsOf(there.out));
        QVERIFY2(here.out.find("elements differ") != std::string::npos, here.out.c_str());
    }

    void checkByLathe() {
        for (const QString& bundle : {odd_, plain_}) {
            const Outcome outcome = runLathe({"bundle", "check", bundle, "--json", "--repeat", "5"});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            const auto facts = lastObject(outcome.out);
            QVERIFY(facts["good"] == true && facts["p50_ms"] > 0 && facts["resident_bytes"] > 0);
        }
        const Outcome slow = runLathe({"bundle", "check", plain_, "--limit", "p50=0.000001us", "--repeat", "5"});
        QCOMPARE(slow.code, 1);
        QVERIFY(slow.err.find("p50 in ms is") != std::string::npos);
        QCOMPARE(runLathe({"bundle", "check", plain_, "--limit", "p50=soon"}).code, 2);
        QCOMPARE(runLathe({"bundle", "check", at("nowhere")}).code, 2);
        QCOMPARE(runLathe({"bundle", "info", odd_}).code, 0);
        const std::string asJson = runLathe({"bundle", "info", odd_, "--json"}).out;
        QCOMPARE(std::ranges::count(asJson, '\n'), 1); // an object a line, as of all commands
        QVERIFY(nlohmann::json::parse(asJson).contains("bundle_id"));
        QCOMPARE(runLathe({"bundle", "diff", odd_, odd_}).code, 0);
        QCOMPARE(runLathe({"bundle", "diff", odd_, plain_}).code, 1);
    }

    /// gcc, g++, make and CMake on the bundle alone; the strictest that C and C++ have.
    void examplesInC() {
        for (const QString& bundle : {odd_, plain_}) {
            const QString work = at("work");
            QDir(work).removeRecursively();
            QDir().mkpath(work);
            const QString flags = " -Wall -Wextra -pedantic -Werror -I \"$1/include\" ";
            const QString link = " \"$1\"/lib/*/liblathe_rt.so.1 \"-Wl,-rpath,$(echo \"$1\"/lib/$(uname -m)*)\" -lm ";
            for (const QString& compile : {"gcc -std=c99" + flags + "\"$1/examples/main.c\"" + link + "-o c",
                                           "g++ -std=c++17" + flags + "\"$1/examples/main.cpp\"" + link + "-o cpp"}) {
                const Outcome outcome = runProgram("sh", {"-c", "cd \"$2\" && " + compile, "sh", bundle, work});
                QVERIFY2(outcome.code == 0, outcome.err.c_str());
            }
            for (const char* program : {"c", "cpp"}) {
                const Outcome outcome = runProgram(work + "/" + program, {bundle});
                QVERIFY2(outcome.code == 0, outcome.err.c_str());
                QVERIFY2(outcome.out.find("as expected, p50") != std::string::npos, outcome.out.c_str());
            }
        }
        const QString copy = at("copy");
        QVERIFY(runProgram("cp", {"-r", plain_, copy}).code == 0);
        const Outcome made = runProgram("make", {"-s", "-C", copy + "/examples", "run"});
        QVERIFY2(made.code == 0 && std::ranges::count(made.out, '\n') == 2, (made.out + made.err).c_str());
        for (const QStringList& arguments :
             {QStringList{"-S", odd_ + "/examples", "-B", at("cmake")}, QStringList{"--build", at("cmake")}}) {
            const Outcome outcome = runProgram("cmake", arguments);
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        }
        const Outcome tested = runProgram("ctest", {"--test-dir", at("cmake")});
        QVERIFY2(tested.code == 0, tested.out.c_str());
    }

    void staticLibraryAndPkgConfig() {
        const Outcome outcome = runProgram(
            "sh",
            {"-c",
             "cd \"$2\" && gcc -std=c99 -I \"$1/include\" \"$1/examples/main.c\" \"$1\"/lib/$(uname -m)*/liblathe_rt.a "
             "-lstdc++ -lpthread -ldl -lm -o static && ./static \"$1\" && gcc -std=c99 \"$1/examples/main.c\" "
             "$(PKG_CONFIG_PATH=\"$1/lib/pkgconfig\" pkg-config --cflags --libs lathe) -lm -o shared && ./shared "
             "\"$1\"",
             "sh", plain_, folder_.path()});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }

    void python() {
        QVERIFY2(QFile::exists(numpy_), "./dev makes this Python with NumPy");
        for (const QString& bundle : {odd_, plain_}) {
            for (const QString& python : {QStringLiteral("/usr/bin/python3"), numpy_}) {
                const Outcome outcome = runProgram(python, {"-I", "-B", bundle + "/examples/main.py"});
                QVERIFY2(outcome.code == 0, outcome.err.c_str());
                QVERIFY(outcome.out.find("as expected, p50") != std::string::npos);
            }
        }
        for (const QString& python : {QStringLiteral("/usr/bin/python3"), numpy_}) {
            const Outcome outcome =
                runProgram(python, {"-I", "-B", LATHE_SOURCE_DIR "/tests/deploy/use_module.py", plain_, odd_});
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        }
    }

    void theSameBytes() {
        const QString again = at("elsewhere");
        QDir().mkpath(again);
        QFile::copy(at("plain.onnx"), again + "/plain.onnx");
        Outcome outcome = runLathe({"bundle", again + "/plain.onnx", "-o", again + "/out", "--model-license", "MIT",
                                    "--version", "2.0.1", "--threads", "1", "--no-cache"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto before = filesBelow(path(plain_)), after = filesBelow(path(again + "/out"));
        QCOMPARE(after.size(), before.size());
        for (const auto& [name, content] : before)
            QVERIFY2(after.at(name) == content, name.c_str());
        // So do an archive, and one of the same files that were written by another name.
        QStringList archives;
        for (const char* name : {"one.tar.zst", "two.tar.zst"}) {
            archives << again + "/" + name;
            outcome = runLathe({"bundle", again + "/plain.onnx", "-o", archives.back(), "--model-license", "MIT",
                                "--version", "2.0.1"});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
        }
        QCOMPARE(readAll(path(archives[0])), readAll(path(archives[1])));
        outcome = runLathe({"bundle", "diff", archives[0], plain_});
        QVERIFY2(outcome.code == 0, outcome.out.c_str());
        QCOMPARE(runLathe({"bundle", "check", archives[0], "--repeat", "0"}).code, 0);
        // And it says how to make it again.
        outcome = runProgram("sh", {plain_ + "/reproduce/reproduce.sh", at("plain.onnx"), LATHE_BINARY_DIR "/lathe"});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        QVERIFY(outcome.out.find("the same bundle") != std::string::npos);
        QCOMPARE(runProgram("sh", {plain_ + "/reproduce/reproduce.sh", at("odd model.onnx"), LATHE_BINARY_DIR "/lathe"})
                     .code,
                 1);
    }

    void nothingOfThisMachine() {
        char host[256] = {};
        QVERIFY(gethostname(host, sizeof host - 1) == 0);
        std::vector<std::string> words = {folder_.path().toStdString(), QDir::homePath().toStdString() + "/",
                                          LATHE_SOURCE_DIR, fmt::format("\"{}\"", host)};
        for (const QString& bundle : {odd_, plain_})
            for (const auto& [name, content] : filesBelow(path(bundle)))
                for (const std::string& word : words)
                    QVERIFY2(word.size() < 4 || content.find(word) == std::string::npos, (name + ": " + word).c_str());
    }

    void parts() {
        const QString out = at("bare");
        Outcome outcome = runLathe({"bundle", at("plain.onnx"), "-o", out, "--without",
                                    "c,cpp,python,examples,sbom,reproduce", "--cases", "1"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        for (const char* absent : {"include", "python", "examples", "reproduce", "sbom.spdx.json", "lib/cmake"})
            QVERIFY2(!QFile::exists(out + "/" + absent), absent);
        QCOMPARE(QDir(out + "/golden").entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList{"random-0"});
        QCOMPARE(runLathe({"bundle", "check", out}).code, 0);
        outcome = runLathe({"bundle", at("plain.onnx"), "--dry-run", "--json"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(outcome.out.find("\"path\":\"model/plain.so\"") != std::string::npos);
    }

    void variants() {
        const QString out = at("variants");
        Outcome outcome =
            runLathe({"bundle", at("plain.onnx"), "-o", out, "--target", "x86-64-v3", "--target", "x86-64-v2"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY(QFile::exists(out + "/model/plain-x86-64-v3.so") && QFile::exists(out + "/model/plain-x86-64-v2.so"));
        outcome = runBare("./check", out);
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        QCOMPARE(runProgram("/usr/bin/python3", {"-I", "-B", out + "/examples/main.py"}).code, 0);
        outcome = runProgram("make", {"-s", "-C", out + "/examples"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QCOMPARE(runProgram(out + "/examples/main_c", {out}).code, 0);
        // A damaged one is no reason to run another, slower, without a word.
        fs::resize_file((out + "/model/plain-x86-64-v3.so").toStdString(), 500);
        for (const QStringList& command : {QStringList{"/usr/bin/python3", "-I", "-B", out + "/examples/main.py"},
                                           {out + "/examples/main_c", out},
                                           {out + "/examples/main_cpp", out}}) {
            outcome = runProgram(command.front(), command.mid(1));
            QVERIFY2(outcome.code != 0 && (outcome.out + outcome.err).find("x86-64-v3.so") != std::string::npos,
                     (outcome.out + outcome.err).c_str());
        }
        writeFile((out + "/manifest.json").toStdString(),
                  R"({"schema":"lathe-bundle/1","name":"x","version":"1","symbols":{},)"
                  R"("variants":[{"tag":"x","triple":"x86_64-linux-gnu","path":"../plain.so"}]})");
        outcome = runProgram("/usr/bin/python3", {"-I", "-B", out + "/examples/main.py"});
        QVERIFY2(outcome.code != 0 && outcome.err.find("not in it") != std::string::npos, outcome.err.c_str());
    }

    /// Other machines, emulated: tried when made, then checked by Lathe and by the bundle itself.
    void otherMachines_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("machine");
        QTest::newRow("aarch64") << "cortex-a72" << "aarch64";
        QTest::newRow("riscv64") << "rv64gc" << "riscv64";
    }
    void otherMachines() {
        QFETCH(QString, target);
        QFETCH(QString, machine);
        const QString out = at("other") + machine;
        Outcome outcome = runLathe({"bundle", at("odd model.onnx"), "-o", out, "--target", target, "--device", "qemu"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY2(outcome.err.find("not tried") == std::string::npos, outcome.err.c_str());
        outcome = runLathe({"bundle", "check", out, "--device", "qemu", "--repeat", "3", "--limit", "p99=1us"});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        outcome =
            runProgram("qemu-" + machine, {out + "/bin/" + machine + "-linux-gnu/lathe-check", "--repeat", "2", out});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        // This machine says what it lacks, and runs none of it.
        outcome = runBare("./check", out);
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.find("made for " + machine.toStdString()) != std::string::npos, outcome.err.c_str());
        outcome = runLathe({"bundle", "check", out});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.find(machine.toStdString()) != std::string::npos, outcome.err.c_str());
    }

    void goldenData() {
        const QString data = at("data");
        QDir().mkpath(data + "/test_data_set_0");
        writeFile(path(data + "/model.onnx"), graphBytes("g (float[2] x) => (float[2] y) { y = Neg (x) }"));
        const auto tensor = [](float a, float b) {
            ::onnx::TensorProto proto;
            proto.set_data_type(::onnx::TensorProto::FLOAT);
            proto.add_dims(2);
            proto.add_float_data(a);
            proto.add_float_data(b);
            return proto.SerializeAsString();
        };
        writeFile(path(data + "/test_data_set_0/input_0.pb"), tensor(1, -2));
        writeFile(path(data + "/test_data_set_0/output_0.pb"), tensor(-1, 2));
        Outcome outcome = runLathe({"bundle", data + "/model.onnx", "-o", data + "/good"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const std::string array = readAll(path(data + "/good/golden/data-0/output_0.npy"));
        const float expected[] = {-1, 2};
        QVERIFY(array.ends_with(std::string_view(reinterpret_cast<const char*>(expected), sizeof expected)));
        writeFile(path(data + "/test_data_set_0/output_0.pb"), tensor(-1, 3));
        outcome = runLathe({"bundle", data + "/model.onnx", "-o", data + "/bad"});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.find("test_data_set_0") != std::string::npos, outcome.err.c_str());
        // Nothing would be compared, and be called right.
        QVERIFY(QFile::remove(data + "/test_data_set_0/output_0.pb"));
        outcome = runLathe({"bundle", data + "/model.onnx", "-o", data + "/bad"});
        QVERIFY2(outcome.code == 1 && outcome.err.find("no outputs") != std::string::npos, outcome.err.c_str());
        QVERIFY(!QFile::exists(data + "/bad"));
        // Open sizes are those of the data where nobody names them.
        writeFile(path(data + "/test_data_set_0/output_0.pb"), tensor(-1, 2));
        writeFile(path(data + "/model.onnx"), graphBytes("g (float[n] x) => (float[n] y) { y = Neg (x) }"));
        for (const auto& [more, usual] : {std::pair{QStringList{}, 2}, {QStringList{"--symbol", "n=3..9:5"}, 5}}) {
            outcome = runLathe(QStringList{"bundle", data + "/model.onnx", "-o", data + "/sizes", "--force"} + more);
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            const auto manifest = nlohmann::json::parse(readAll(path(data + "/sizes/manifest.json")));
            QCOMPARE(manifest["symbols"]["n"]["default"], usual);
            // Data of a size that the bundle is not for are no case of it, or its own example would refuse them.
            QCOMPARE(QFile::exists(data + "/sizes/golden/data-0"), usual == 2);
            QCOMPARE(outcome.err.find("'n' is 2 there, and the bundle is for 3 to 9") != std::string::npos, usual == 5);
            QCOMPARE(runProgram("/usr/bin/python3", {"-I", "-B", data + "/sizes/examples/main.py"}).code, 0);
            const std::string readme = readAll(path(data + "/sizes/README.md"));
            QVERIFY(readme.find("The Python module refuses other sizes. From C and C++ they run") != std::string::npos);
        }
    }

    void randomOutputs() {
        writeFile(path(at("random.onnx")), graphBytes("g (float[8] x) => (float[8] y, float[8] z) "
                                                      "{ r = RandomUniformLike (x) y = Add (x, r) z = Neg (x) }"));
        const Outcome outcome = runLathe({"bundle", at("random.onnx"), "-o", at("random")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY2(outcome.err.find("'y' is drawn at random") != std::string::npos, outcome.err.c_str());
        const auto facts = nlohmann::json::parse(readAll(path(at("random/golden/random-0/case.json"))));
        QVERIFY(facts["outputs"][0]["compare"] == false && facts["outputs"][1]["compare"] == true);
        QCOMPARE(runLathe({"bundle", "check", at("random")}).code, 0);
        QCOMPARE(runProgram("/usr/bin/python3", {"-I", "-B", at("random/examples/main.py")}).code, 0);
        // The same draws each time; and where all is drawn nothing is called right.
        QCOMPARE(runLathe({"bundle", "reproduce", at("random"), at("random.onnx")}).code, 0);
        writeFile(path(at("drawn.onnx")), graphBytes("g (float[8] x) => (float[8] y) { y = RandomUniformLike (x) }"));
        QCOMPARE(runLathe({"bundle", at("drawn.onnx"), "-o", at("drawn")}).code, 0);
        for (const Outcome& checked : {runLathe({"bundle", "check", at("drawn")}), runBare("./check", at("drawn"))})
            QVERIFY2(checked.code == 0 && checked.out.find("no values are compared") != std::string::npos &&
                         checked.out.find("right") == std::string::npos,
                     checked.out.c_str());
    }

    /// In each language: strings lie in a file as NumPy has them, and go to the runtime as its own elements.
    void strings() {
        writeFile(
            path(at("words.onnx")),
            graphBytes("g (string[3,2] x, float[4] v) => (string[3,2] y, float[4] w, string[6] z) <int64[1] flat = "
                       "{6}> { y = StringConcat (x, x) w = Neg (v) z = Reshape (x, flat) }"));
        const QString out = at("words");
        const Outcome outcome = runLathe({"bundle", at("words.onnx"), "-o", out});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        for (const Outcome& ran :
             {runLathe({"bundle", "check", out}), runBare("./check", out), runBare("make -s -C examples run", out),
              runProgram("/usr/bin/python3", {"-I", "-B", out + "/examples/main.py"})})
            QVERIFY2(ran.code == 0, (ran.out + ran.err).c_str());
        // What is expected is looked at.
        const std::filesystem::path golden = path(out) / "golden" / "random-0" / "output_0.npy";
        std::string array = readAll(golden);
        array[array.size() - 4] = array[array.size() - 4] == 'q' ? 'r' : 'q';
        writeFile(golden, array);
        QVERIFY(runBare("make -s -C examples run", out).code != 0);
    }

    /// Inputs are drawn again where that tells more.
    void casesThatSaySomething() {
        writeFile(path(at("log.onnx")), graphBytes("g (float[1] x) => (float[1] y) { y = Log (x) }"));
        Outcome outcome = runLathe({"bundle", at("log.onnx"), "-o", at("log")});
        QVERIFY2(outcome.code == 0 && outcome.err.find("nothing is known") == std::string::npos, outcome.err.c_str());
        const auto cases = nlohmann::json::parse(readAll(path(at("log/manifest.json"))))["golden"]["cases"];
        QCOMPARE(cases.size(), size_t{2}); // not that of zeros, whose logarithm is infinite
        QVERIFY2(outcome.err.find("golden case 'zeros' is left out") != std::string::npos, outcome.err.c_str());
        for (const auto& each : cases) {
            const std::string name = each["name"];
            const std::string array = readAll(path(at("log")) / "golden" / name / "output_0.npy");
            float value = 0;
            std::memcpy(&value, array.data() + array.size() - sizeof value, sizeof value);
            QVERIFY2(std::isfinite(value), name.c_str());
        }
        // Some values say something: it is right, and the others are named.
        writeFile(path(at("some.onnx")), graphBytes("g (float[32] x) => (float[32] y) { l = Log (x) y = Sqrt (l) }"));
        outcome = runLathe({"bundle", at("some.onnx"), "-o", at("some")});
        const std::string named = "of 32 values are not a number on both sides: nothing is known of these";
        QVERIFY2(outcome.code == 0 && outcome.err.find("'random-0': ") != std::string::npos &&
                     outcome.err.find(named) != std::string::npos,
                 outcome.err.c_str());
        for (const Outcome& checked : {runLathe({"bundle", "check", at("some")}), runBare("./check", at("some"))})
            QVERIFY2(checked.code == 0 && checked.out.find(named) != std::string::npos &&
                         checked.out.find("right") != std::string::npos,
                     checked.out.c_str());
    }

    /// A case whose outputs hold no finite number certifies nothing, and all who run it say so.
    void casesThatSayNothing() {
        const std::string none = "8 of 8 values are not a number on both sides: nothing is known of these";
        writeFile(path(at("none.onnx")), graphBytes("g (float[0,3] x) => (float[0,3] y) { y = Relu (x) }"));
        const Outcome empty = runLathe({"bundle", at("none.onnx"), "--dry-run"});
        QVERIFY2(empty.code == 0 && empty.err.find("'random-0': no values are compared") != std::string::npos,
                 empty.err.c_str());
        writeFile(path(at("nan.onnx")), graphBytes("g (float[8] x) => (float[8] y) <float[1] one = {1}> "
                                                   "{ a = Abs (x) n = Neg (a) m = Sub (n, one) y = Sqrt (m) }"));
        for (const char* form : {"folder", "exe", "c"}) {
            const Outcome outcome = runLathe(
                {"bundle", at("nan.onnx"), "-o", folder_.filePath("nan-") + form, "--form", form, "--name", "it"});
            QVERIFY2(outcome.code == 0 && outcome.err.find("golden case 'random-0': " + none) != std::string::npos,
                     outcome.err.c_str());
        }
        for (const Outcome& checked :
             {runLathe({"bundle", "check", at("nan-folder")}), runBare("./check", at("nan-folder")),
              runProgram("/usr/bin/python3", {"-I", "-B", at("nan-folder/examples/main.py")}),
              runBare("make -s -C examples run", at("nan-folder")), runLathe({"bundle", "check", at("nan-exe")}),
              runBare("bin/it --check .", at("nan-exe")), runBare("make -s check", at("nan-c"))})
            QVERIFY2(checked.code == 0 && checked.out.find(none) != std::string::npos &&
                         checked.out.find("right") == std::string::npos &&
                         checked.out.find("as expected") == std::string::npos,
                     (checked.out + checked.err).c_str());
        for (const char* bundle : {"nan-folder", "nan-exe"}) {
            const Outcome checked = runLathe({"bundle", "check", at(bundle)});
            QVERIFY2(checked.out.ends_with("it 0.1.0: whole, and runs here; nothing is known of its values\n"),
                     checked.out.c_str());
        }
    }

    /// What was not run is not called right.
    void severalMachines() {
        const QString out = at("several");
        QCOMPARE(
            runLathe({"bundle", at("plain.onnx"), "-o", out, "--target", "x86-64-v2", "--target", "cortex-a72"}).code,
            0);
        Outcome outcome = runLathe({"bundle", "check", out, "--repeat", "1", "--device", "qemu:cortex-a72"});
        QVERIFY2(outcome.code == 0 &&
                     outcome.out.find("load       good   model/plain-aarch64-cortex-a72.so (") != std::string::npos,
                 (outcome.out + outcome.err).c_str());
        QVERIFY2(outcome.out.find("load       good   skipped: ") != std::string::npos &&
                     outcome.out.find("model/plain-x86-64-v2.so") != std::string::npos,
                 outcome.out.c_str());
        outcome = runLathe({"bundle", "check", out, "--repeat", "1", "--threads", "1"});
        QVERIFY2(outcome.code == 0 && outcome.out.find("load       good   skipped: ") != std::string::npos &&
                     outcome.out.find("model/plain-aarch64-cortex-a72.so") != std::string::npos &&
                     outcome.out.find(" of 1 run; ") != std::string::npos &&
                     outcome.out.find("1 thread,") != std::string::npos &&
                     outcome.out.ends_with("right here; not run: aarch64-cortex-a72\n"),
                 outcome.out.c_str());
        // All that can be run there are, as ./check does; times are those of the first.
        const QString both = at("both");
        QCOMPARE(
            runLathe({"bundle", at("plain.onnx"), "-o", both, "--target", "nehalem", "--target", "x86-64-v2"}).code, 0);
        outcome = runLathe({"bundle", "check", both, "--repeat", "1", "--json"});
        const auto facts = lastObject(outcome.out);
        QCOMPARE(facts["variants"].size(), size_t(2));
        for (const auto& each : facts["variants"])
            QVERIFY2(each["outcome"] == "right", outcome.out.c_str());
        QVERIFY2(facts["variant"] == facts["variants"][0]["tag"] && facts["threads"] > 0, outcome.out.c_str());
        outcome = runLathe({"bundle", "check", out, "--repeat", "1", "--device", "qemu:nothing"});
        QVERIFY2(outcome.code == 1 && outcome.err.find("-cpu help") != std::string::npos, outcome.err.c_str());
    }

    void whatIsRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const QString model = at("plain.onnx"), out = at("refused");
        QTest::newRow("no model") << QStringList{} << 2 << "lathe bundle MODEL -o";
        QTest::newRow("no output") << QStringList{model} << 2 << "-o";
        QTest::newRow("no such model") << QStringList{at("nothing.onnx"), "-o", out} << 1 << "nothing.onnx";
        QTest::newRow("a name") << QStringList{model, "-o", out, "--name", "A b"} << 2 << "no name";
        QTest::newRow("a licence") << QStringList{model, "-o", out, "--model-license", "a\nb"} << 2 << "licence";
        QTest::newRow("a target") << QStringList{model, "-o", out, "--target", "z80"} << 2 << "z80";
        QTest::newRow("a part") << QStringList{model, "-o", out, "--without", "doors"} << 2 << "doors";
        QTest::newRow("a part twice") << QStringList{model, "-o", out, "--with", "c,cpp", "--without", "c"} << 2
                                      << "both in --with and in --without";
        QTest::newRow("cases of none") << QStringList{model, "-o", out, "--without", "golden", "--cases", "2"} << 2
                                       << "--cases is of golden cases";
        QTest::newRow("a model to check") << QStringList{model, "check", plain_} << 2 << "does nothing for 'check'";
        QTest::newRow("an output of check")
            << QStringList{"-o", out, "check", plain_} << 2 << "--output: it does nothing for 'check'";
        QTest::newRow("a symbol") << QStringList{model, "-o", out, "--symbol", "n=4"} << 2 << "no size 'n' open";
        QTest::newRow("a limit") << QStringList{model, "-o", out, "--limit", "size=1kB"} << 1 << "at most 1000";
        QTest::newRow("no runtime") << QStringList{model, "-o", out, "--runtime-dir", at("empty")} << 1
                                    << "--runtime-dir";
        QTest::newRow("no data") << QStringList{model, "-o", out, "--golden", at("empty")} << 1 << "golden";
        QTest::newRow("no folder") << QStringList{model, "-o", out + "/a/b"} << 1 << "make it first";
        QTest::newRow("over the model") << QStringList{model, "-o", model, "--force"} << 1 << "plain.onnx";
        writeFile(at("notes.zip").toStdString(), "no archive, whatever it is called");
        QTest::newRow("over notes") << QStringList{model, "-o", at("notes.zip"), "--force"} << 1 << "left as it is";
        QTest::newRow("a bundle is there") << QStringList{model, "-o", plain_} << 1 << "--force";
        QTest::newRow("another folder") << QStringList{model, "-o", folder_.path(), "--force"} << 1 << "left as it is";
        QTest::newRow("another archive") << QStringList{model, "-o", out + ".tar.gz"} << 1 << "NAME.tar.zst";
        QTest::newRow("a target twice") << QStringList{model,       "-o",       out,        "--target",
                                                       "x86-64-v2", "--target", "x86-64-v2"}
                                        << 2 << "named twice";
        QTest::newRow("options") << QStringList{model, "-o", out, "--options", model} << 2 << "plain.onnx";
        QTest::newRow("an artifact") << QStringList{plain_ + "/model/plain.so", "-o", out} << 2 << "artifact";
    }
    void whatIsRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, says);
        const Outcome outcome = runLathe(QStringList{"bundle"} + arguments);
        QVERIFY2(outcome.code == code, outcome.err.c_str());
        QVERIFY2(QString::fromStdString(outcome.err).contains(says), outcome.err.c_str());
        nothingIsLeft("refused");
        QVERIFY(QFile::exists(at("plain.onnx")));
    }

    void replaced() {
        const QString out = at("replaced");
        QCOMPARE(runLathe({"bundle", at("plain.onnx"), "-o", out}).code, 0);
        QCOMPARE(runLathe({"bundle", at("odd model.onnx"), "-o", out, "--force", "--name", "other"}).code, 0);
        QVERIFY(QFile::exists(out + "/model/other.so") && !QFile::exists(out + "/model/plain.so"));
        QCOMPARE(runLathe({"bundle", "check", out}).code, 0);
        nothingIsLeft("nothing");
        // Somebody's file in it does not go with it.
        writeFile(path(out + "/key"), "secret");
        const Outcome kept = runLathe({"bundle", at("plain.onnx"), "-o", out, "--force"});
        QVERIFY2(kept.code == 1 && kept.err.find("key") != std::string::npos, kept.err.c_str());
        QCOMPARE(readAll(path(out + "/key")), "secret");
        QVERIFY(QFile::exists(out + "/model/other.so"));
        QVERIFY(QFile::remove(out + "/key"));
        // Nor what somebody has written to the examples; what was built there does.
        fs::create_directory(path(out + "/examples/build"));
        writeFile(path(out + "/examples/build/it"), "built");
        writeFile(path(out + "/examples/main_c"), "built");
        const std::string example = readAll(path(out + "/examples/main.c"));
        for (const auto& [file, text] :
             {std::pair("/examples/notes.txt", std::string("mine")), {"/examples/main.c", example + "/* mine */\n"}}) {
            writeFile(path(out + file), text);
            const Outcome refused = runLathe({"bundle", at("plain.onnx"), "-o", out, "--force"});
            QVERIFY2(refused.code == 1 && refused.err.find(file) != std::string::npos, refused.err.c_str());
            QCOMPARE(readAll(path(out + file)), text);
            QVERIFY(QFile::remove(out + file));
        }
        writeFile(path(out + "/examples/main.c"), example);
        QCOMPARE(runLathe({"bundle", at("plain.onnx"), "-o", out, "--force"}).code, 0);
        QVERIFY(QFile::exists(out + "/model/plain.so"));
    }

    /// What the arguments say goes before what a file of options says, and the file before defaults.
    void optionsOfAFile() {
        writeFile(path(at("options.json")),
                  R"({"compile":{"level":1,"numerics":"strict","verify":true},"name":"of_file"})");
        const auto made = [&](const char* name, const QStringList& more) {
            const QString out = at(name);
            const Outcome outcome =
                runLathe(QStringList{"bundle", at("plain.onnx"), "-o", out, "--options", at("options.json")} + more);
            return outcome.code == 0 ? nlohmann::json::parse(readAll(path(out + "/reproduce/options.json")))
                                     : nlohmann::json(outcome.err);
        };
        const auto file = made("of file", {}), arguments = made("of arguments", {"--numerics", "default"});
        QVERIFY(!file["compile"].contains("level")); // which earlier versions wrote
        QCOMPARE(file["compile"]["numerics"], "strict");
        QCOMPARE(arguments["compile"]["numerics"], "default");
        QCOMPARE(arguments["name"], "of_file");
        QVERIFY(file["compile"]["verify"] == true && arguments["compile"]["verify"] == true);
    }

    /// An empty folder stays the one that it is, with its mode, also where somebody stands in it.
    void anEmptyFolder() {
        const QString out = at("empty folder");
        fs::create_directory(path(out));
        fs::permissions(path(out), fs::perms::owner_all);
        const Outcome outcome = runProgram(
            "sh", {"-c", R"(cd "$2" && "$1" bundle "$3" -o . && test -f manifest.json && "$1" bundle check .)", "sh",
                   LATHE_BINARY_DIR "/lathe", out, at("plain.onnx")});
        QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        QVERIFY(fs::status(path(out)).permissions() == fs::perms::owner_all);
    }

    void noFolderForTemporaryFiles() {
        qputenv("TMPDIR", at("no/such/folder").toLocal8Bit());
        const Outcome outcome = runLathe({"bundle", at("plain.onnx"), "-o", at("untemporary"), "--form", "static"});
        qunsetenv("TMPDIR");
        QVERIFY2(outcome.code == 1 && outcome.err.find("set TMPDIR") != std::string::npos, outcome.err.c_str());
    }

    /// The signals by which somebody, a program or a closed terminal asks for the end, at many moments: all of it or nothing.
    void cancelled_data() {
        QTest::addColumn<int>("signal");
        for (const int signal : {SIGINT, SIGTERM, SIGHUP})
            QTest::addRow("SIG%s", sigabbrev_np(signal)) << signal;
    }
    void cancelled() {
        QFETCH(int, signal);
        int ended = 0;
        for (int ms = 0; ms < 400; ms += 25) {
            const QString out = at("cancelled");
            QProcess process;
            process.start(LATHE_BINARY_DIR "/lathe", {"bundle", at("odd model.onnx"), "-o", out, "--no-cache"});
            QVERIFY(process.waitForStarted());
            QTest::qWait(ms);
            if (const auto child = static_cast<pid_t>(process.processId()); child > 0)
                kill(child, signal);
            QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(60'000));
            const bool done = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
            if (done || QFile::exists(out)) { // the signal may find a program that is done and ends
                QVERIFY(done || process.exitStatus() == QProcess::CrashExit);
                QCOMPARE(runLathe({"bundle", "check", out, "--repeat", "0"}).code, 0);
                QDir(out).removeRecursively();
            } else {
                // Before it listens the signal itself ends it.
                ended += process.exitStatus() == QProcess::NormalExit && process.exitCode() == 128 + signal;
            }
            nothingIsLeft("cancelled");
        }
        QVERIFY(ended > 0);
    }

    void diskIsFull() {
        if (geteuid() != 0)
            QSKIP("only root may mount a small disk");
        // Sizes at which it fills at different files.
        for (const char* size : {"16k", "200k", "1m", "2m"}) {
            const Outcome outcome =
                runProgram("unshare", {"-m", "sh", "-c",
                                       "mount -t tmpfs -o size=" + QString(size) +
                                           " none \"$1\" && " LATHE_BINARY_DIR
                                           "/lathe bundle \"$2\" -o \"$1/out\"; code=$?; ls -A \"$1\"; exit $code",
                                       "sh", at("empty"), at("plain.onnx")});
            QVERIFY2(outcome.code == 1, outcome.err.c_str());
            QVERIFY2(outcome.out.empty(), outcome.out.c_str());
            QVERIFY2(outcome.err.find(at("empty").toStdString() + "/out") != std::string::npos, outcome.err.c_str());
        }
        const Outcome readOnly = runProgram("unshare", {"-m", "sh", "-c",
                                                        "mount -t tmpfs -o ro none \"$1\" && exec " LATHE_BINARY_DIR
                                                        "/lathe bundle \"$2\" -o \"$1/out\"",
                                                        "sh", at("empty"), at("plain.onnx")});
        QVERIFY2(readOnly.code == 1 && readOnly.err.find("Read-only") != std::string::npos, readOnly.err.c_str());
    }

    void init() { QDir().mkpath(at("empty")); }

private:
    /// Neither the folder nor what it is made of on the way.
    void nothingIsLeft(const char* name) const {
        QVERIFY(!QFile::exists(at(name)));
        for (const QString& entry :
             QDir(folder_.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
            QVERIFY2(!entry.startsWith('.') && !entry.endsWith(".part"), qPrintable(entry));
    }
};

Test test() {
    return {makes<TestBundleCommand>};
}

} // namespace lathe::testing::test_bundle_command

#include "test_bundle_command.moc"
