// SPDX-License-Identifier: Apache-2.0
//
// Artifacts on disk: constants lie where they were placed, page-aligned behind the code; a file is whole or absent.
#include "base/memory_file.h"
#include "bundle/artifact.h"
#include "runtime/abi.h"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace lathe;
namespace fs = std::filesystem;

class TestArtifact : public QObject {
    Q_OBJECT

    static std::string read(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private slots:
    void constantsAreAligned() {
        bundle::ConstantLayout layout;
        QCOMPARE(layout.add(1), 0);
        QCOMPARE(layout.add(64), 64);
        QCOMPARE(layout.add(0), 128);
        QCOMPARE(layout.add(65), 128);
        QCOMPARE(layout.add(1), 256);
        QVERIFY(layout.size() >= 257);
    }

    void constantsLieBehindTheCode() {
        const QTemporaryDir folder;
        const fs::path path = folder.filePath("a.so").toStdString();
        const std::string code(5000, 'c'), first(100, '1'), second(70, '2');
        bundle::ConstantLayout layout;
        std::vector<bundle::ConstantSource> sources;
        for (const std::string* text : {&first, &second})
            sources.push_back(
                {layout.add(static_cast<int64_t>(text->size())), static_cast<int64_t>(text->size()),
                 [text]() -> Result<std::span<const std::byte>> { return std::as_bytes(std::span(*text)); }});
        QVERIFY(bundle::writeArtifact(path, std::as_bytes(std::span(code)), sources));
        const std::string file = read(path);
        lathe_trailer trailer;
        QVERIFY(file.size() > sizeof trailer);
        std::memcpy(&trailer, file.data() + file.size() - sizeof trailer, sizeof trailer);
        QVERIFY(std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof trailer.magic) == 0);
        QVERIFY(file.starts_with(code));
        QCOMPARE(trailer.offset % 4096, 0u);
        QCOMPARE(file.substr(trailer.offset, first.size()), first);
        QCOMPARE(file.substr(trailer.offset + 128, second.size()), second);
    }

    /// A file in memory is written by its path; a link is not replaced.
    void whatIsNoPlainFileIsWrittenThrough() {
        const std::string code(100, 'c');
        MemoryFile memory("test");
        QVERIFY(bundle::writeArtifact(memory.path(), std::as_bytes(std::span(code)), {}));
        QVERIFY(read(memory.path()).starts_with(code));

        const QTemporaryDir folder;
        const fs::path file = folder.filePath("a.so").toStdString(), link = folder.filePath("link.so").toStdString();
        QVERIFY(std::ofstream(file) << std::string(100'000, 'x'));
        fs::create_symlink(file, link);
        QVERIFY(bundle::writeArtifact(link, std::as_bytes(std::span(code)), {}));
        QVERIFY(fs::is_symlink(link));
        QCOMPARE(read(file), read(memory.path()));
    }

    /// The file system of most folders can hold a file without a name: nothing is left of a process that is killed.
    void aKilledWriterLeavesNothing() {
        const QTemporaryDir folder;
        const fs::path path = folder.filePath("a.so").toStdString();
        const std::string code(100, 'c');
        const pid_t child = fork();
        if (child == 0) {
            (void)bundle::writeArtifact(path, std::as_bytes(std::span(code)),
                                        {{0, 8, []() -> Result<std::span<const std::byte>> {
                                              raise(SIGKILL);
                                              return failure("still there");
                                          }}});
            _exit(0);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(std::distance(fs::directory_iterator(folder.path().toStdString()), {}), 0);
    }

    void aPlainFileIsReplaced() {
        const QTemporaryDir folder;
        const fs::path path = folder.filePath("a.so").toStdString();
        for (const char fill : {'a', 'b', 'c'}) {
            const std::string code(100, fill);
            QVERIFY(bundle::writeArtifact(path, std::as_bytes(std::span(code)), {}));
            QVERIFY(read(path).starts_with(code));
            QCOMPARE(std::distance(fs::directory_iterator(folder.path().toStdString()), {}), 1);
        }
        const std::string code(100, 'd');
        const auto refused = bundle::writeArtifact("/proc/a.so", std::as_bytes(std::span(code)), {});
        QVERIFY(!refused);
        QVERIFY(refused.error().what.find("cannot write '/proc/a.so'") != std::string::npos);
    }

    void aFailureLeavesTheOldFile() {
        const QTemporaryDir folder;
        const fs::path path = folder.filePath("a.so").toStdString();
        QVERIFY(std::ofstream(path) << "old");
        const std::string code(100, 'c');
        const auto written = bundle::writeArtifact(
            path, std::as_bytes(std::span(code)),
            {{0, 8, []() -> Result<std::span<const std::byte>> { return failure("no such constant"); }}});
        QVERIFY(!written);
        QCOMPARE(written.error().what, "no such constant");
        QCOMPARE(read(path), "old");
        QCOMPARE(std::distance(fs::directory_iterator(folder.path().toStdString()), {}), 1);
    }
};

QTEST_GUILESS_MAIN(TestArtifact)
#include "test_artifact.moc"
