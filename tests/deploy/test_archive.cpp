// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// Archives of bundles: what tar and zstd read, the same bytes each time, and what strangers may write into one.
#include "deploy/archive.h"

#include "deploy/made_bundle.h"
#include "support/program_of_tests.h"
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_archive {

using namespace lathe::deploy;
namespace fs = std::filesystem;

class TestArchive : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    fs::path at(const std::string& name) const { return fs::path(folder_.path().toStdString()) / name; }
    static PlannedFile file(std::string path, std::string text, bool program = false) {
        return {std::move(path), FileKind::Document, std::move(text), {}, program};
    }
    /// The sentence by which it is refused; empty: it was unpacked.
    std::string refused(const fs::path& archive, uint64_t most = 1 << 20) const {
        const fs::path to = at("refused");
        fs::remove_all(to);
        fs::create_directories(to);
        const auto unpacked = unpackArchive(archive, to, most, {});
        return unpacked ? std::string() : toString(unpacked.error());
    }

private slots:
    void otherToolsReadThem() {
        const std::string deep = std::string(90, 'd') + "/" + std::string(60, 'e') + "/f";
        const std::vector<PlannedFile> files = {file("a.txt", "hello\n"), file("b/empty", ""),
                                                file("check", "#!/bin/sh\n", true), file(deep, std::string(5000, 'x'))};
        for (const char* name : {"a.tar", "a.tar.zst", "a.zip"}) {
            QVERIFY(writeArchive(files, "top", 1'700'000'000, at(name), {}));
            QVERIFY(writeArchive(files, "top", 1'700'000'000, at("again" + std::string(name)), {}));
            QCOMPARE(lathe::testing::readAll(at(name)), lathe::testing::readAll(at("again" + std::string(name))));
            fs::create_directories(at("tar"));
            const QString archive = QString::fromStdString(at(name).string()),
                          to = QString::fromStdString(at("tar").string());
            const auto outcome = archive.endsWith(".zip")
                                     ? lathe::testing::runProgram(
                                           "/usr/bin/python3", {"-c",
                                                                "import os, sys, zipfile\n"
                                                                "with zipfile.ZipFile(sys.argv[1]) as archive:\n"
                                                                "    assert archive.testzip() is None\n"
                                                                "    for info in archive.infolist():\n"
                                                                "        path = archive.extract(info, sys.argv[2])\n"
                                                                "        os.chmod(path, info.external_attr >> 16 & "
                                                                "0o777)\n"
                                                                "        assert info.date_time == (1980, 1, 1, 0, 0, "
                                                                "0), info\n",
                                                                archive, to})
                                     : lathe::testing::runProgram("tar", {"-xf", archive, "-C", to});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QCOMPARE(lathe::testing::readAll(at("tar/top/a.txt")), "hello\n");
            QCOMPARE(lathe::testing::readAll(at("tar/top/" + deep)), std::string(5000, 'x'));
            QVERIFY((fs::status(at("tar/top/check")).permissions() & fs::perms::owner_exec) != fs::perms::none);
            QVERIFY((fs::status(at("tar/top/a.txt")).permissions() & fs::perms::owner_exec) == fs::perms::none);
            QCOMPARE(refused(at(name)), "");
            QCOMPARE(lathe::testing::filesBelow(at("refused")), lathe::testing::filesBelow(at("tar/top")));
            fs::remove_all(at("tar"));
        }
    }

    void hostileOnes() {
        const auto hostile = [&](const std::vector<PlannedFile>& files, const std::string& top) {
            const fs::path archive = at("hostile.tar");
            if (!writeArchive(files, top, 0, archive, {}))
                return std::string("not written");
            return refused(archive);
        };
        QVERIFY(!hostile({file("../../evil", "x")}, "top").empty());
        QVERIFY(!hostile({file("evil", "x")}, "..").empty());
        QVERIFY(!hostile({file("evil", "x")}, "/tmp").empty());
        QVERIFY(!hostile({file("a b", "x")}, "top").empty());
        QVERIFY(!hostile({file("a", "x"), file("a", "y")}, "top").empty());
        QVERIFY(hostile({file("a", std::string(2 << 20, 'x'))}, "top").find("more than") != std::string::npos);
        QCOMPARE(hostile({file("a", "x")}, "top"), "");
        QVERIFY(!fs::exists(at("evil")) && !fs::exists(at("../evil")));
        // A link, as tar writes it; and two folders beside each other.
        fs::create_directories(at("made/top"));
        fs::create_symlink("/etc/passwd", at("made/top/a"));
        fs::create_directories(at("made/other"));
        std::ofstream(at("made/other/b")) << "x";
        std::ofstream(at("made/top/c")) << "x";
        for (const QStringList& what : {QStringList{"top/a"}, QStringList{"top/c", "other/b"}}) {
            const auto made =
                lathe::testing::runProgram("tar", QStringList{"-cf", QString::fromStdString(at("linked.tar").string()),
                                                              "-C", QString::fromStdString(at("made").string())} +
                                                      what);
            QVERIFY2(made.code == 0, made.err.c_str());
            QVERIFY(!refused(at("linked.tar")).empty());
        }
    }

    /// Of entries without any bytes there could be no end.
    void endlessFolders() {
        fs::create_directories(at("many/top"));
        const auto made = lathe::testing::runProgram("tar", {"-cf", QString::fromStdString(at("one.tar").string()),
                                                             "--format=ustar", "--no-recursion", "-C",
                                                             QString::fromStdString(at("many").string()), "top"});
        QVERIFY2(made.code == 0, made.err.c_str());
        constexpr size_t header = 512;
        const std::string entry = lathe::testing::readAll(at("one.tar")).substr(0, header);
        for (const auto& [entries, says] : {std::pair{199'999, ""}, std::pair{200'001, "more files"}}) {
            {
                std::ofstream many(at("many.tar"), std::ios::binary);
                for (int i = 0; i < entries; ++i)
                    many << entry;
                many << std::string(2 * header, '\0');
            }
            const std::string refusal = refused(at("many.tar"));
            QVERIFY2(refusal.empty() == (*says == '\0') && refusal.find(says) != std::string::npos, refusal.c_str());
        }
        fs::remove(at("many.tar"));
    }

    /// The day and the time zone are nobody's.
    void timeZones() {
        const std::vector<PlannedFile> files = {file("a", "x")};
        for (const char* name : {"zone.tar", "zone.zip"}) {
            std::vector<std::string> made;
            for (const char* zone : {"UTC", "Pacific/Kiritimati"}) {
                qputenv("TZ", zone);
                tzset();
                QVERIFY(writeArchive(files, "top", 1'700'000'000, at(name), {}));
                made.push_back(lathe::testing::readAll(at(name)));
            }
            QCOMPARE(made[0], made[1]);
        }
        qunsetenv("TZ");
        tzset();
    }

    /// Zip archives by Python: names that lead out, links, one name twice, more than was said.
    void hostileZips() {
        const auto made = [&](const char* name, const char* how) {
            const auto outcome = lathe::testing::runProgram(
                "/usr/bin/python3",
                {"-c",
                 QString("import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\n") + how +
                     "\nz.close()",
                 QString::fromStdString(at(name).string())});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
        };
        for (const char* how :
             {"z.writestr('top/../../evil', 'x')", "z.writestr('/tmp/evil', 'x')",
              "z.writestr('top/a', 'x'); z.writestr('top/a', 'y')",
              "z.writestr('top/a', 'x'); z.writestr('other/b', 'x')", "z.writestr('top/a', '0' * (2 << 20))",
              "i = zipfile.ZipInfo('top/a'); i.external_attr = 0o120777 << 16; z.writestr(i, '/etc/passwd')"}) {
            made("hostile.zip", how);
            QVERIFY2(!refused(at("hostile.zip")).empty(), how);
        }
        made("good.zip", "z.writestr('top/a', 'x'); z.writestr('top/b/c', 'y')");
        QCOMPARE(refused(at("good.zip")), "");
        QVERIFY(!fs::exists(at("evil")) && !fs::exists("/tmp/evil"));
        const std::string good = lathe::testing::readAll(at("good.zip"));
        for (size_t i = 0; i < good.size(); i += 3) {
            std::string flipped = good;
            flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
            lathe::testing::writeFile(at("flipped.zip"), flipped);
            refused(at("flipped.zip")); // whatever it says, it ends and writes nowhere else
        }
    }

    /// A full disk is told as that, wherever it is noticed: in a file's header, in its bytes, or at the end. What is
    /// held of the archive is given back then, too, which the sanitizers tell.
    void fullDisks() {
        std::vector<PlannedFile> empty;
        for (int i = 0; i < 100; ++i)
            empty.push_back(file("f" + std::to_string(i), ""));
        for (const auto& files :
             {empty, std::vector{file("a", std::string(1 << 20, 'x'))}, std::vector{file("a", "x")}}) {
            const auto written = writeArchive(files, "top", 0, "/dev/full", {});
            QVERIFY(!written);
            QVERIFY2(toString(written.error()).find("No space left") != std::string::npos,
                     toString(written.error()).c_str());
        }
        for (const char* name : {"full.zip", "full.tar.zst"}) {
            fs::create_symlink("/dev/full", at(name));
            const auto packed = writeArchive({file("a", std::string(1 << 20, 'x'))}, "top", 0, at(name), {});
            QVERIFY(!packed);
        }
        // What the archive cannot have is no fault of the disk.
        const auto written = writeArchive({file(std::string(300, 'n'), "x")}, "top", 0, at("long.tar"), {});
        QVERIFY(!written);
        QVERIFY2(toString(written.error()).find("cannot be part of the archive") != std::string::npos,
                 toString(written.error()).c_str());
        QVERIFY(!fs::exists(at("long.tar")));
    }

    void damagedOnes() {
        QVERIFY(writeArchive({file("a", std::string(3000, 'a')), file("b", "b")}, "top", 0, at("good.tar.zst"), {}));
        const std::string good = lathe::testing::readAll(at("good.tar.zst"));
        for (size_t cut = 0; cut < good.size(); cut += 7) {
            lathe::testing::writeFile(at("cut.tar.zst"), good.substr(0, cut));
            QVERIFY(!refused(at("cut.tar.zst")).empty());
        }
        for (size_t i = 0; i < good.size(); i += 5) {
            std::string flipped = good;
            flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
            lathe::testing::writeFile(at("flipped.tar.zst"), flipped);
            refused(at("flipped.tar.zst")); // whatever it says, it ends and writes nowhere else
        }
        for (const char* text : {"", "no archive", "PK\x03\x04"}) {
            lathe::testing::writeFile(at("other"), text);
            QVERIFY(!refused(at("other")).empty());
        }
        QVERIFY(!fs::exists(at("a")));
    }
};

Test test() {
    return {makes<TestArchive>};
}

} // namespace lathe::testing::test_archive

#include "test_archive.moc"
