// SPDX-License-Identifier: Apache-2.0
//
// Artifacts on disk: constants lie where they were placed, in a segment of their own; a file is whole or absent.
#include "abi/abi.h"
#include "artifact/artifact.h"
#include "base/memory_file.h"
#include "support/program_of_tests.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace lathe::testing::test_artifact {

namespace fs = std::filesystem;

class TestArtifact : public QObject {
    Q_OBJECT

    static std::string read(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    template <class T>
    static T at(const std::string& bytes, size_t offset) {
        T value{};
        if (offset + sizeof value <= bytes.size())
            std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    }

    /// A shared object that holds 20 of these.
    std::span<const std::byte> code(char fill) {
        std::string& linked = code_[fill];
        if (linked.empty()) {
            const QTemporaryDir folder;
            QProcess compiler;
            compiler.setProcessChannelMode(QProcess::MergedChannels);
            compiler.start("clang-19", {"-shared", "-nostdlib", "-fPIC", "-fuse-ld=lld-19", "-x", "c", "-o",
                                        folder.filePath("a.so"), "-"});
            compiler.write("const char text[] = \"" + QByteArray(20, fill) + "\";\n");
            compiler.closeWriteChannel();
            if (!compiler.waitForFinished(60'000) || compiler.exitCode() != 0)
                qWarning() << compiler.readAll();
            linked = read(folder.filePath("a.so").toStdString());
        }
        return std::as_bytes(std::span(linked));
    }

    std::map<char, std::string> code_;

private slots:
    void constantsAreAligned() {
        artifact::ConstantLayout layout;
        QCOMPARE(layout.add(1), 0);
        QCOMPARE(layout.add(64), 64);
        QCOMPARE(layout.add(0), 128);
        QCOMPARE(layout.add(65), 128);
        QCOMPARE(layout.add(1), 256);
        QVERIFY(layout.size() >= 257);
    }

    /// In a segment of its own, which ends with the trailer; the code is as it was linked.
    void constantsAreTheLastSegment() {
        const QTemporaryDir folder;
        const fs::path path = folder.filePath("a.so").toStdString();
        const std::string first(100, '1'), second(70, '2');
        artifact::ConstantLayout layout;
        std::vector<artifact::ConstantSource> sources;
        for (const std::string* text : {&first, &second})
            sources.push_back(
                {layout.add(static_cast<int64_t>(text->size())), static_cast<int64_t>(text->size()),
                 [text]() -> Result<std::span<const std::byte>> { return std::as_bytes(std::span(*text)); }});
        QVERIFY(artifact::writeArtifact(path, code('1'), sources));
        const std::string file = read(path);
        const auto header = at<Elf64_Ehdr>(file, 0);
        Elf64_Phdr last{};
        uint64_t before = 0;
        for (int i = 0; i < header.e_phnum; ++i)
            if (const auto segment = at<Elf64_Phdr>(file, header.e_phoff + static_cast<size_t>(i) * sizeof(Elf64_Phdr));
                segment.p_type == PT_LOAD) {
                QVERIFY(segment.p_vaddr >= before); // loaders count on it
                before = segment.p_vaddr + segment.p_memsz;
                last = segment;
            }
        QCOMPARE(last.p_flags, uint32_t{PF_R});
        QCOMPARE(last.p_offset % 4096, 0u);
        QCOMPARE(last.p_offset % 65536, last.p_vaddr % 65536); // pages of any size
        QCOMPARE(last.p_filesz, 256 + sizeof(lathe_trailer));
        QCOMPARE(file.substr(last.p_offset, first.size()), first);
        QCOMPARE(file.substr(last.p_offset + 128, second.size()), second);
        const auto trailer = at<lathe_trailer>(file, last.p_offset + 256);
        QVERIFY(std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof trailer.magic) == 0);
        QCOMPARE(trailer.bytes, 198u);
        const auto parts = artifact::partsOf(path);
        QVERIFY(parts);
        QCOMPARE(parts->codeBytes, last.p_offset);
        QCOMPARE(parts->constantBytes, 198u);
        QVERIFY(artifact::writeArtifact(path, code('2'), sources));
        QVERIFY(artifact::partsOf(path)->codeHash != parts->codeHash);
    }

    /// A file in memory is written by its path; a link is not replaced.
    void whatIsNoPlainFileIsWrittenThrough() {
        MemoryFile memory("test");
        QVERIFY(artifact::writeArtifact(memory.path(), code('c'), {}));
        QVERIFY(artifact::partsOf(memory.path().string()));

        const QTemporaryDir folder;
        const fs::path file = folder.filePath("a.so").toStdString(), link = folder.filePath("link.so").toStdString();
        QVERIFY(std::ofstream(file) << std::string(100'000, 'x'));
        fs::create_symlink(file, link);
        QVERIFY(artifact::writeArtifact(link, code('c'), {}));
        QVERIFY(fs::is_symlink(link));
        QCOMPARE(read(file), read(memory.path()));
    }

    /// The file system of most folders can hold a file without a name: nothing is left of a process that is killed.
    void aKilledWriterLeavesNothing() {
        const QTemporaryDir folder;
        const fs::path path = folder.filePath("a.so").toStdString();
        const pid_t child = fork();
        if (child == 0) {
            (void)artifact::writeArtifact(path, code('c'), {{0, 8, []() -> Result<std::span<const std::byte>> {
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
            QVERIFY(artifact::writeArtifact(path, code(fill), {}));
            QVERIFY(read(path).contains(std::string(20, fill)));
            QCOMPARE(std::distance(fs::directory_iterator(folder.path().toStdString()), {}), 1);
        }
        const auto refused = artifact::writeArtifact("/proc/a.so", code('c'), {});
        QVERIFY(!refused);
        QVERIFY(refused.error().what.find("cannot write '/proc/a.so'") != std::string::npos);
    }

    void aFailureLeavesTheOldFile() {
        const QTemporaryDir folder;
        const fs::path path = folder.filePath("a.so").toStdString();
        QVERIFY(std::ofstream(path) << "old");
        const auto written = artifact::writeArtifact(
            path, code('c'),
            {{0, 8, []() -> Result<std::span<const std::byte>> { return failure("no such constant"); }}});
        QVERIFY(!written);
        QCOMPARE(written.error().what, "no such constant");
        QCOMPARE(read(path), "old");
        QCOMPARE(std::distance(fs::directory_iterator(folder.path().toStdString()), {}), 1);
    }
};

Test test() {
    return {makes<TestArtifact>};
}

} // namespace lathe::testing::test_artifact

#include "test_artifact.moc"
