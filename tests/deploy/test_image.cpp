// SPDX-License-Identifier: Apache-2.0
//
// Container images: held against the layout that the OCI prescribes, read by skopeo, and run as an engine would, in a root that
// has nothing else.
// Needs: lathe lathe-runner runtimes
// Links: onnx
// Timeout: 600
#include "deploy/made_bundle.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace lathe::testing::test_image {

namespace fs = std::filesystem;

class TestImage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString at(const QString& name) const { return folder_.filePath(name); }
    static fs::path path(const QString& text) { return text.toStdString(); }
    void make(const QString& out, const QStringList& more) const {
        const Outcome outcome = runLathe(QStringList{"bundle", at("plain.onnx"), "-o", at(out)} + more);
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }
    /// What the layout says, unpacked below `unpacked`.
    std::string unpack(const QString& image, const QString& unpacked) const {
        const Outcome outcome =
            runProgram("/usr/bin/python3", {LATHE_SOURCE_DIR "/tests/deploy/check_image.py", at(image), at(unpacked)});
        return outcome.code == 0 ? outcome.out : outcome.err;
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", at("cache").toLocal8Bit());
        qputenv("SOURCE_DATE_EPOCH", "1700000000");
        writeFile(path(at("plain.onnx")), graphBytes("g (float[2,3] x) => (float[2,3] y) { y = Exp (x) }"));
        make("x86", {"--form", "exe", "--name", "it", "--version", "1.0+a", "--target", "x86-64-v2"});
        make("arm.tar.zst", {"--form", "exe", "--name", "it", "--version", "1.0+a", "--target", "cortex-a72"});
    }

    void severalMachines() {
        for (const char* name : {"both.tar", "again.tar"}) {
            const Outcome outcome = runLathe({"bundle", "image", at("x86"), at("arm.tar.zst"), "-o", at(name)});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
        }
        QVERIFY(readAll(path(at("both.tar"))) == readAll(path(at("again.tar"))));
        QCOMPARE(unpack("both.tar", "root"), "amd64 /bundle/bin/it\narm64 /bundle/bin/it\n");
        QVERIFY(filesBelow(path(at("x86"))) == filesBelow(path(at("root/amd64/bundle"))));
        for (const auto& [machine, emulator] : {std::pair("amd64", ""), std::pair("arm64", "qemu-aarch64 ")}) {
            const Outcome outcome =
                runProgram("env", {"-i", "PATH=/usr/bin", "sh", "-c",
                                   QString("cd \"$1\" && exec %1bin/it --check --repeat 3").arg(emulator), "sh",
                                   at(QString("root/%1/bundle").arg(machine))});
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        }
        if (geteuid() == 0) {
            const Outcome outcome =
                runProgram("env", {"-i", "/usr/sbin/chroot", at("root/amd64"), "/bundle/bin/it", "--check", "/bundle"});
            QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).c_str());
        }
    }

    /// By somebody else's reader, as an image of the OCI and as one that Docker saved.
    void isReadByOthers_data() {
        QTest::addColumn<QString>("transport");
        QTest::addColumn<QString>("wanted");
        QTest::newRow("one of several") << "oci-archive" << "arm64";
        QTest::newRow("the first") << "oci-archive" << "amd64";
        QTest::newRow("Docker's") << "docker-archive" << "amd64";
    }
    void isReadByOthers() {
        QFETCH(QString, transport);
        QFETCH(QString, wanted);
        QVERIFY(runLathe({"bundle", "image", at("x86"), at("arm.tar.zst"), "-o", at("all.tar"), "--force"}).code == 0);
        const Outcome outcome = runProgram("skopeo", {"inspect", "--override-os", "linux", "--override-arch", wanted,
                                                      "--config", transport + ":" + at("all.tar")});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto configuration = nlohmann::json::parse(outcome.out);
        QCOMPARE(configuration["architecture"], wanted.toStdString());
        QCOMPARE(configuration["created"], "2023-11-14T22:13:20Z");
        QCOMPARE(configuration["config"]["Entrypoint"], nlohmann::json::array({"/bundle/bin/it"}));
        QCOMPARE(configuration["config"]["Labels"]["org.opencontainers.image.version"], "1.0+a");
        const Outcome copied = runProgram("skopeo", {"copy", "--quiet", "--insecure-policy", "--override-arch", wanted,
                                                     transport + ":" + at("all.tar"), "dir:" + at("copy")});
        QVERIFY2(copied.code == 0, copied.err.c_str());
    }

    void oneMachine() {
        const Outcome outcome = runLathe({"bundle", "image", at("x86"), "-o", at("one.tar"), "--json"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto said = nlohmann::json::parse(outcome.out);
        QCOMPARE(said["bytes"].get<size_t>(), readAll(path(at("one.tar"))).size());
        QCOMPARE(unpack("one.tar", "one"), "amd64 /bundle/bin/it\n");
    }

    void whatIsRefused_data() {
        QTest::addColumn<QStringList>("bundles");
        QTest::addColumn<QString>("out");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("word");
        QTest::newRow("two of a machine") << QStringList{"x86", "x86"} << "no.tar" << 2 << "x86_64";
        QTest::newRow("two models") << QStringList{"x86", "other"} << "no.tar" << 2 << "two models";
        QTest::newRow("another form") << QStringList{"folder"} << "no.tar" << 2 << "--form exe";
        QTest::newRow("another ending") << QStringList{"x86"} << "no.zip" << 2 << "NAME.tar";
        QTest::newRow("no name") << QStringList{"x86"} << "" << 2 << "-o";
        QTest::newRow("damaged") << QStringList{"damaged"} << "no.tar" << 1 << "README.md";
        QTest::newRow("no bundle") << QStringList{"nowhere"} << "no.tar" << 1 << "nowhere";
        QTest::newRow("over its bundle") << QStringList{"x86.tar"} << "x86.tar" << 2 << "x86.tar";
        QTest::newRow("over somebody's file") << QStringList{"x86"} << "notes.tar" << 1 << "no archive";
    }
    void whatIsRefused() {
        QFETCH(QStringList, bundles);
        QFETCH(QString, out);
        QFETCH(int, code);
        QFETCH(QString, word);
        if (!QFile::exists(at("folder"))) {
            make("folder", {"--name", "it"});
            make("other", {"--form", "exe", "--name", "that", "--target", "cortex-a72"});
            QVERIFY(runProgram("cp", {"-r", at("x86"), at("damaged")}).code == 0);
            writeFile(path(at("damaged/README.md")), "read me");
            make("x86.tar", {"--form", "exe", "--name", "it", "--target", "x86-64-v2"});
            writeFile(path(at("notes.tar")), "mine");
        }
        const auto before = filesBelow(path(folder_.path()));
        QStringList words{"bundle", "image", "--force"};
        for (const QString& bundle : bundles)
            words << at(bundle);
        if (!out.isEmpty())
            words << "-o" << at(out);
        const Outcome outcome = runLathe(words);
        QCOMPARE(outcome.code, code);
        QVERIFY2(outcome.err.find(word.toStdString()) != std::string::npos, outcome.err.c_str());
        QVERIFY(filesBelow(path(folder_.path())) == before);
    }
};

Test test() {
    return {makes<TestImage>};
}

} // namespace lathe::testing::test_image

#include "test_image.moc"
