// SPDX-License-Identifier: Apache-2.0
//
// Loading artifacts from disk: a good one runs; a missing, cut or damaged one is refused with a reason, never a crash.
#include "runtime/lathe_rt.h"

#include "runtime/probe_artifact.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <random>
#include <sys/stat.h>

namespace lathe::testing::test_artifact {

class TestArtifact : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString probe_;

    lathe_status loadBytes(const QByteArray& bytes) {
        const QString path = folder_.filePath("damaged.so");
        writeFile(path, bytes);
        lathe_model* model = nullptr;
        const lathe_status status = lathe_model_load(path.toUtf8().constData(), &model);
        if (status != LATHE_OK) {
            Q_ASSERT(!model);
            Q_ASSERT(std::strlen(lathe_thread_error()) > 0);
        }
        lathe_model_free(model);
        return status;
    }

    /// Where the trailer is: behind the only segment that has one.
    static qsizetype trailerAt(const QByteArray& bytes) {
        return bytes.lastIndexOf(LATHE_TRAILER_MAGIC) + 8 - qsizetype{sizeof(lathe_trailer)};
    }

    void expectRight(const QString& path) {
        lathe_model* model = nullptr;
        QVERIFY2(lathe_model_load(path.toUtf8().constData(), &model) == LATHE_OK, lathe_thread_error());
        lathe_context* context = nullptr;
        QCOMPARE(lathe_context_create(model, nullptr, &context), LATHE_OK);
        lathe_model_free(model); // the context keeps it
        float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        int64_t dims[] = {2, 4};
        DLTensor input{x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, dims, nullptr, 0};
        QCOMPARE(lathe_set_input(context, 0, &input), LATHE_OK);
        QCOMPARE(lathe_run(context), LATHE_OK);
        DLTensor output{};
        QCOMPARE(lathe_get_output(context, 0, &output), LATHE_OK);
        QCOMPARE(output.shape[0], int64_t{2});
        for (int i = 0; i < 8; ++i) // the constants are 1, 2, 3, 4
            QCOMPARE(static_cast<float*>(output.data)[i], static_cast<float>(i + i % 4 + 1));
        lathe_context_free(context);
    }

private slots:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        probe_ = buildProbe(folder_.path());
        QVERIFY(!probe_.isEmpty());
    }

    void goodOneRuns() {
        lathe_model* model = nullptr;
        QCOMPARE(lathe_model_load(probe_.toUtf8().constData(), &model), LATHE_OK);
        QCOMPARE(lathe_model_name(model), "probe");
        QCOMPARE(lathe_model_symbol(model, 0), "n");
        QCOMPARE(lathe_model_find_output(model, "z"), 1);
        lathe_call_info call{};
        QCOMPARE(lathe_model_call(model, 0, &call), LATHE_OK);
        QCOMPARE(call.nodes[1], "gather_3");

        lathe_model_free(model);
        expectRight(probe_);
    }

    void missingFilesAreNamed() {
        lathe_model* model = nullptr;
        QCOMPARE(lathe_model_load("/nowhere/model.so", &model), LATHE_IO_ERROR);
        QCOMPARE(lathe_thread_error(), "cannot open /nowhere/model.so: No such file or directory");
        QCOMPARE(lathe_model_load(folder_.path().toUtf8().constData(), &model), LATHE_IO_ERROR);
        QCOMPARE(lathe_model_load(nullptr, &model), LATHE_INVALID_ARGUMENT);
        const QByteArray pipe = folder_.filePath("pipe").toUtf8(); // that nobody writes to
        QCOMPARE(mkfifo(pipe.constData(), 0600), 0);
        QCOMPARE(lathe_model_load(pipe.constData(), &model), LATHE_IO_ERROR);
        QVERIFY(QByteArray(lathe_thread_error()).contains("is not a regular file"));
    }

    /// Up to the table of sections, which nobody reads to load it.
    void everyCutIsRefused() {
        const QByteArray good = readFile(probe_);
        const qsizetype end = trailerAt(good) + qsizetype{sizeof(lathe_trailer)};
        for (qsizetype length = 0; length < end; length += length < 64 ? 1 : 61)
            QCOMPARE(loadBytes(good.left(length)), LATHE_BAD_ARTIFACT);
        QCOMPARE(loadBytes(good.left(end - 1)), LATHE_BAD_ARTIFACT);
        QCOMPARE(loadBytes(good.left(end)), LATHE_OK);
        QCOMPARE(loadBytes(good + "x"), LATHE_OK); // a signature may follow
    }

    void olderOnesAreNamed() {
        QCOMPARE(loadBytes(readFile(probe_) + QByteArray(24, '\0') + "LATHEWTS"), LATHE_BAD_ARTIFACT);
        QVERIFY(QByteArray(lathe_thread_error()).contains("was made by an older Lathe: compile the model again"));
    }

    void garbageIsRefused() {
        std::mt19937 random(7);
        const QByteArray good = readFile(probe_);
        for (int round = 0; round < 50; ++round) {
            QByteArray bytes(1 + static_cast<qsizetype>(random() % 9000), '\0');
            for (char& byte : bytes)
                byte = static_cast<char>(random());
            if (round % 2)
                bytes = good.left(64) + bytes + good.mid(trailerAt(good));
            QCOMPARE(loadBytes(bytes), LATHE_BAD_ARTIFACT);
        }
    }

    void liesInTheTrailerAreRefused() {
        const QByteArray good = readFile(probe_);
        const auto with = [&](auto&& change) {
            lathe_trailer trailer{};
            QByteArray bytes = good;
            char* at = bytes.data() + trailerAt(good);
            std::memcpy(&trailer, at, sizeof trailer);
            change(trailer);
            std::memcpy(at, &trailer, sizeof trailer);
            return loadBytes(bytes);
        };
        QCOMPARE(with([](lathe_trailer&) {}), LATHE_OK);
        for (const uint64_t bytes : {uint64_t{128}, uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{0} - 400})
            QCOMPARE(with([&](lathe_trailer& trailer) { trailer.bytes = bytes; }), LATHE_BAD_ARTIFACT);
        for (const uint64_t address : {uint64_t{17}, ~uint64_t{0}, uint64_t{1} << 20})
            QCOMPARE(with([&](lathe_trailer& trailer) { trailer.code[0].address = address; }), LATHE_BAD_ARTIFACT);
        for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}})
            QCOMPARE(with([&](lathe_trailer& trailer) { trailer.code[0].bytes = bytes; }), LATHE_BAD_ARTIFACT);
        QCOMPARE(with([](lathe_trailer& trailer) { trailer.symbols_bytes = 24; }), LATHE_BAD_ARTIFACT);
        QCOMPARE(with([](lathe_trailer& trailer) { trailer.code_hash ^= 1; }), LATHE_BAD_ARTIFACT);
        QCOMPARE(with([](lathe_trailer& trailer) { trailer.weights_apart = 1; }), LATHE_BAD_ARTIFACT);
    }

    /// Loading does not read the constants; verifying does.
    void aFlippedBitIsNoticed() {
        QCOMPARE(lathe_model_verify(probe_.toUtf8().constData()), LATHE_OK);
        QCOMPARE(lathe_model_verify("/nowhere/model.so"), LATHE_IO_ERROR);
        QCOMPARE(lathe_model_verify(nullptr), LATHE_INVALID_ARGUMENT);
        const QByteArray good = readFile(probe_);
        const QString path = folder_.filePath("flipped.so");
        QByteArray bytes = good;
        bytes[trailerAt(good) - 64 + 5] ^= 16; // of the second constant
        writeFile(path, bytes);
        QCOMPARE(lathe_model_verify(path.toUtf8().constData()), LATHE_BAD_ARTIFACT);
        QCOMPARE(lathe_thread_error(), path.toUtf8() + ": its constants are damaged: copy the file again");
        bytes = good;
        const qsizetype text = good.indexOf("index out of range (7 of 4)"); // of the tables
        bytes[text] ^= 1;
        writeFile(path, bytes);
        QCOMPARE(lathe_model_verify(path.toUtf8().constData()), LATHE_BAD_ARTIFACT);
        QVERIFY(QByteArray(lathe_thread_error()).startsWith(path.toUtf8() + ": its code is damaged"));
    }

    /// What packagers do to shared objects: the model computes the same, and verifies.
    void toolsLeaveItWhole_data() {
        QTest::addColumn<QStringList>("command");
        const QString in = "IN", out = "OUT";
        QTest::newRow("strip") << QStringList{"strip", "-o", out, in};
        QTest::newRow("strip --strip-unneeded") << QStringList{"strip", "--strip-unneeded", "-o", out, in};
        QTest::newRow("objcopy") << QStringList{"objcopy", in, out};
        QTest::newRow("llvm-strip") << QStringList{"llvm-strip-19", "-o", out, in};
        QTest::newRow("llvm-strip --strip-sections") << QStringList{"llvm-strip-19", "--strip-sections", "-o", out, in};
        QTest::newRow("llvm-objcopy") << QStringList{"llvm-objcopy-19", in, out};
        QTest::newRow("patchelf --set-rpath")
            << QStringList{"patchelf", "--set-rpath", "/a/long/path/that/was/never/there", "--output", out, in};
        QTest::newRow("patchelf --force-rpath")
            << QStringList{"patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", "--output", out, in};
    }
    void toolsLeaveItWhole() {
        QFETCH(QStringList, command);
        const QString changed = folder_.filePath("changed.so");
        QFile::remove(changed);
        command.replaceInStrings(QRegularExpression("^IN$"), probe_);
        command.replaceInStrings(QRegularExpression("^OUT$"), changed);
        QProcess tool;
        tool.setProcessChannelMode(QProcess::MergedChannels);
        tool.start(command.takeFirst(), command);
        QVERIFY2(tool.waitForFinished(60'000) && tool.exitCode() == 0, tool.readAll().constData());
        QVERIFY(readFile(changed) != readFile(probe_));
        expectRight(changed);
        QVERIFY2(lathe_model_verify(changed.toUtf8().constData()) == LATHE_OK, lathe_thread_error());
        QByteArray bytes = readFile(changed);
        bytes[trailerAt(bytes) - 64 + 5] ^= 16;
        writeFile(changed, bytes);
        QCOMPARE(lathe_model_verify(changed.toUtf8().constData()), LATHE_BAD_ARTIFACT);
    }

    void constantsMayLieApart() {
        const QTemporaryDir folder;
        const QString path = buildProbe(folder.path(), lathe::artifact::ArtifactForm::TwoFiles),
                      weights = folder.filePath("probe.weights");
        const auto load = [&] {
            lathe_model* model = nullptr;
            const lathe_status status = lathe_model_load(path.toUtf8().constData(), &model);
            lathe_model_free(model);
            return status;
        };
        expectRight(path);
        QCOMPARE(lathe_model_verify(path.toUtf8().constData()), LATHE_OK);
        const QByteArray good = readFile(weights);
        QByteArray bytes = good;
        bytes[5] ^= 16;
        writeFile(weights, bytes);
        QCOMPARE(load(), LATHE_OK);
        QCOMPARE(lathe_model_verify(path.toUtf8().constData()), LATHE_BAD_ARTIFACT);
        QCOMPARE(lathe_thread_error(), weights.toUtf8() + ": its constants are damaged: copy the file again");
        for (qsizetype length = 0; length < good.size(); ++length) {
            writeFile(weights, good.left(length));
            QCOMPARE(load(), LATHE_BAD_ARTIFACT);
        }
        bytes = good;
        bytes[good.size() - 20] ^= 1; // their hash
        writeFile(weights, bytes);
        QCOMPARE(load(), LATHE_BAD_ARTIFACT);
        QVERIFY(QByteArray(lathe_thread_error()).contains("holds the constants of another model than"));
        QFile::remove(weights);
        QCOMPARE(load(), LATHE_IO_ERROR);
        QVERIFY(QByteArray(lathe_thread_error()).startsWith("cannot open " + weights.toUtf8() + ", which holds"));
    }

    void codeForOtherMachinesIsNamed() {
        const QByteArray good = readFile(probe_);
        const auto as = [&](uint16_t machine, char byteOrder) {
            QByteArray other = good;
            std::memcpy(other.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
            other[EI_DATA] = byteOrder;
            return loadBytes(other);
        };
        Elf64_Ehdr header;
        std::memcpy(&header, good.constData(), sizeof header);
        const bool arm = header.e_machine == EM_AARCH64;
        QCOMPARE(as(arm ? EM_X86_64 : EM_AARCH64, ELFDATA2LSB), LATHE_UNSUPPORTED);
        const QByteArray here = arm ? "aarch64" : header.e_machine == EM_RISCV ? "riscv64" : "x86_64";
        const QByteArray there = arm ? "x86_64" : "aarch64";
        QVERIFY2(QByteArray(lathe_thread_error())
                     .endsWith(" is code for " + there + ", this is " + here + ": compile the model for " + here +
                               ", or run it through qemu-" + there),
                 lathe_thread_error());
        QCOMPARE(as(0x1600, ELFDATA2MSB), LATHE_UNSUPPORTED); // EM_S390, 22, as such a machine writes it
        QVERIFY(QByteArray(lathe_thread_error()).contains("is code for big-endian s390x, this is "));
        QCOMPARE(as(4711, ELFDATA2LSB), LATHE_UNSUPPORTED);
        QVERIFY(QByteArray(lathe_thread_error()).contains("is code for machine 4711 of ELF's list"));
        QCOMPARE(as(header.e_machine, static_cast<char>(header.e_ident[EI_DATA])), LATHE_OK);
    }

    void exampleRunsFromTwoThreads() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
        QSKIP("a program without the sanitizer cannot load the sanitized library");
#endif
#endif
        const QString program = folder_.filePath("run_model");
        // As bundles and packages have it.
        QVERIFY(QDir(folder_.path()).mkdir("include"));
        QVERIFY(QFile::link(LATHE_SOURCE_DIR "/compiler/runtime", folder_.filePath("include/lathe")));
        QProcess gcc;
        gcc.setProcessChannelMode(QProcess::MergedChannels);
        gcc.start("gcc",
                  {"-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", LATHE_SOURCE_DIR "/docs/examples/run_model.c",
                   "-I", folder_.filePath("include"), "-I", LATHE_SOURCE_DIR "/compiler/abi", "-o", program, "-L",
                   LATHE_BINARY_DIR, "-llathe_rt", "-Wl,-rpath," LATHE_BINARY_DIR, "-lpthread", "-lm"});
        QVERIFY(gcc.waitForFinished(60'000));
        QVERIFY2(gcc.exitCode() == 0, gcc.readAll().constData());
        const auto floats = [&](const char* name, const std::vector<float>& values) {
            writeFile(folder_.filePath(name), QByteArray(reinterpret_cast<const char*>(values.data()),
                                                         static_cast<qsizetype>(values.size() * sizeof(float))));
            return folder_.filePath(name);
        };
        const QString input = floats("input.raw", {10, 20, 30, 40});
        const QString right = floats("right.raw", {11, 22, 33, 44});
        const QString wrong = floats("wrong.raw", {11, 22, 33, 45});
        QProcess run;
        run.start(program, {probe_, input, right});
        QVERIFY(run.waitForFinished(60'000));
        QCOMPARE(run.exitCode(), 0);
        QCOMPARE(run.readAllStandardOutput().count("4 values, 0 wrong"), 2);
        run.start(program, {probe_, input, wrong});
        QVERIFY(run.waitForFinished(60'000));
        QCOMPARE(run.exitCode(), 1);
    }
};

Test test() {
    return {makes<TestArtifact>};
}

} // namespace lathe::testing::test_artifact

#include "test_artifact.moc"
