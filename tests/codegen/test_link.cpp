// SPDX-License-Identifier: Apache-2.0
// Needs: runtimes
// Runs: release
//
// LLD in one process, again and again: a link leaves nothing behind that the next one writes to. Under sanitizers freed memory
// stays empty for long, so that nothing is there to be damaged.
#include "codegen/codegen.h"
#include "codegen/link.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace lathe::testing::test_link {

class TestCodegenLink : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString at(const char* name) const { return folder_.filePath(name); }
    void write(const char* name, const void* bytes, size_t size) const {
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(static_cast<const char*>(bytes), qint64(size)), qint64(size));
    }
    /// An object of C source, by the system's compiler; it stays in `name`.
    std::vector<std::byte> objectOf(const std::string& source, const char* name = "part.o") const {
        write("part.c", source.data(), source.size());
        const Outcome outcome = runProgram("gcc", {"-c", "-fPIC", "-o", at(name), at("part.c")});
        if (outcome.code != 0)
            qFatal("%s", outcome.err.c_str());
        QFile file(at(name));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("%s", qPrintable(file.errorString()));
        const QByteArray bytes = file.readAll();
        const auto whole = std::as_bytes(std::span(bytes.data(), size_t(bytes.size())));
        return {whole.begin(), whole.end()};
    }

private slots:
    void programsLeaveNothingBehind() {
        const std::string machine = QSysInfo::buildCpuArchitecture() == "arm64" ? "aarch64" : "x86_64";
        const std::filesystem::path parts =
            LATHE_BINARY_DIR "/../share/lathe/runtimes/" + machine + "-linux-gnu/lib/static";
        (void)objectOf("", "empty.o");
        const auto archive = codegen::linkLibrary({objectOf("int lathe_model_m[64];")}, at("empty.o").toStdString(),
                                                  "lathe_model_m", "m.o");
        QVERIFY2(archive, archive ? "" : toString(archive.error()).c_str());
        write("libm.a", archive->data(), archive->size());
        const auto program = codegen::linkProgram(parts, at("libm.a").toStdString(), "lathe_model_m");
        QVERIFY2(program, program ? "" : toString(program.error()).c_str());

        // All that was freed is in use again, in pieces as large as LLD's.
        using Piece = std::array<unsigned char, 4096>;
        std::vector<std::unique_ptr<Piece>> pieces(size_t{1} << 14);
        for (auto& piece : pieces) {
            piece = std::make_unique<Piece>();
            piece->fill(0xa5);
        }
        QVERIFY(codegen::linkShared({objectOf("int x; int* lathe_model = &x;")}, {"lathe_model"}));
        for (const auto& piece : pieces)
            QVERIFY(std::ranges::all_of(*piece, [](unsigned char each) { return each == 0xa5; }));
    }
};

Test test() {
    return {makes<TestCodegenLink>};
}

} // namespace lathe::testing::test_link

#include "test_link.moc"
