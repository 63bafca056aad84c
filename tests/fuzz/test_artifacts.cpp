// SPDX-License-Identifier: Apache-2.0
// Needs: lathe_rt
// Links: onnx
// Timeout: 600
//
// Damaged artifacts through liblathe_rt, by fixed seeds: a byte changed, a bit flipped, a piece lost, repeated or put in
// place of another, the end cut off or added to, the file replaced while it is open. Each is refused with a status and a
// message, or, where nothing of the code is damaged, runs to an end with a status. $LATHE_FUZZ multiplies the count; 10 is
// the full run: 2,000 artifacts.
#include "driver/compile.h"
#include "fuzz/extent.h"
#include "runtime/lathe_rt.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/sample_models.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <random>
#include <unistd.h>

namespace lathe::testing::test_artifacts {

using fuzz::residentPeak, fuzz::scaled;
namespace fs = std::filesystem;

namespace {

std::string readFile(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

size_t openFiles() {
    return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

size_t trailerAt(const std::string& bytes) {
    return bytes.rfind(LATHE_TRAILER_MAGIC) + 8 - sizeof(lathe_trailer);
}

std::string damaged(std::string bytes, std::mt19937_64& random) {
    auto position = [&] { return static_cast<size_t>(random() % bytes.size()); };
    switch (random() % 8) {
    case 0:
    case 1:
        bytes[position()] ^= static_cast<char>(1 << random() % 8);
        break;
    case 2:
        bytes[position()] = static_cast<char>(random());
        break;
    case 3: // of the trailer
        bytes[trailerAt(bytes) + random() % sizeof(lathe_trailer)] = static_cast<char>(random());
        break;
    case 4:
        bytes.resize(position());
        break;
    case 5:
        bytes.erase(position(), 1 + random() % 5000);
        break;
    case 6: {
        const std::string piece = bytes.substr(position(), 1 + random() % 5000);
        bytes.insert(position(), piece);
        break;
    }
    default: {
        const std::string piece = bytes.substr(position(), 1 + random() % 200);
        const size_t to = position();
        bytes.replace(to, std::min(piece.size(), bytes.size() - to), piece);
        break;
    }
    }
    return bytes;
}

} // namespace

class TestArtifacts : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::vector<std::string> good_;

    /// Runs it once with inputs of zeros; a model with constants changed may fail, but says so.
    void run(lathe_model* model) {
        lathe_context_options options{};
        options.struct_bytes = sizeof options;
        options.threads = 1;
        options.memory_limit = int64_t{1} << 28;
        lathe_context* context = nullptr;
        QCOMPARE(lathe_context_create(model, &options, &context), LATHE_OK);
        std::vector<std::vector<std::byte>> memory;
        for (int32_t i = 0; i < lathe_model_input_count(model); ++i) {
            lathe_value_info info{};
            lathe_model_input(model, i, &info);
            std::vector<int64_t> dims(info.dims, info.dims + info.rank);
            size_t bytes = (info.dtype.bits + 7U) / 8;
            for (int64_t& dim : dims) {
                dim = dim < 0 ? 2 : dim;
                bytes *= static_cast<size_t>(dim);
            }
            memory.emplace_back(bytes);
            DLTensor tensor{memory.back().data(), {kDLCPU, 0}, info.rank, info.dtype, dims.data(), nullptr, 0};
            QCOMPARE(lathe_set_input(context, i, &tensor), LATHE_OK);
        }
        const lathe_status status = lathe_run(context);
        QVERIFY(status == LATHE_OK || std::strlen(lathe_last_error(context)) > 0);
        lathe_context_free(context);
    }

private slots:
    void initTestCase() {
        for (size_t i = 0; i < 6; ++i) {
            const SampleModel& sample = sampleModels[i * sampleModels.size() / 6];
            const std::string bytes = graphBytes(sample.graph);
            const fs::path out = folder_.filePath("good.so").toStdString();
            driver::Options options;
            options.threads = 2;
            driver::Trace trace;
            const auto compiled =
                driver::compileBytes(std::as_bytes(std::span(bytes)), sample.name, out, {}, options, trace);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            good_.push_back(readFile(out));
        }
    }

    void damagedOnes() {
        const fs::path path = folder_.filePath("damaged.so").toStdString();
        const size_t files = openFiles();
        const int64_t before = residentPeak();
        size_t refused = 0, loaded = 0;
        for (size_t i = 0; i < scaled(200); ++i) {
            std::mt19937_64 random(i);
            writeFile(path, damaged(good_[i % good_.size()], random));
            lathe_model* model = nullptr;
            const lathe_status status = lathe_model_load(path.c_str(), &model);
            QVERIFY((status == LATHE_OK) == (model != nullptr));
            if (status == LATHE_OK) {
                ++loaded;
                run(model);
            } else {
                ++refused;
                QVERIFY(status == LATHE_BAD_ARTIFACT || status == LATHE_UNSUPPORTED); // another machine's, it seems
                QVERIFY(std::strlen(lathe_thread_error()) > 0);
            }
            lathe_model_free(model);
            fs::remove(path);
        }
        qInfo("%zu refused, %zu loaded and run; %lld MiB more than before", refused, loaded,
              static_cast<long long>((residentPeak() - before) >> 20));
        QVERIFY(refused > loaded);
        QCOMPARE(openFiles(), files);
        QVERIFY(residentPeak() - before < int64_t{1} << 28);
    }

    /// Every bit counts of what the loader maps and the CPU reads; what else a bit may change loads and runs all the same.
    void everyPartOfTheCodeIsHashed() {
        const std::string& good = good_.front();
        lathe_trailer trailer;
        std::memcpy(&trailer, good.data() + trailerAt(good), sizeof trailer);
        Elf64_Ehdr header;
        std::memcpy(&header, good.data(), sizeof header);
        std::vector<bool> counts(good.size());
        for (int i = 0; i < header.e_phnum; ++i) {
            Elf64_Phdr segment;
            std::memcpy(&segment, good.data() + header.e_phoff + static_cast<size_t>(i) * sizeof segment,
                        sizeof segment);
            for (const lathe_range& range : trailer.code)
                if (segment.p_type == PT_LOAD && range.address >= segment.p_vaddr &&
                    range.address + range.bytes <= segment.p_vaddr + segment.p_filesz)
                    std::fill_n(counts.begin() +
                                    static_cast<ptrdiff_t>(range.address - segment.p_vaddr + segment.p_offset),
                                range.bytes, true);
        }
        const auto end = trailerAt(good) - trailer.bytes / 64 * 64;
        QVERIFY(std::ranges::count(counts, true) >
                static_cast<ptrdiff_t>(end / 2)); // code, literals, tables, relocations
        const fs::path path = folder_.filePath("damaged.so").toStdString();
        for (size_t at = 0; at < end; at += at < 4096 ? 3 : std::max<size_t>(end / 200, 1)) {
            std::string bytes = good;
            bytes[at] ^= static_cast<char>(1 << at % 8);
            writeFile(path, bytes);
            lathe_model* model = nullptr;
            const lathe_status status = lathe_model_load(path.c_str(), &model);
            QVERIFY2(status != LATHE_OK || !counts[at], qPrintable(QString::number(at)));
            if (model)
                run(model);
            lathe_model_free(model);
        }
    }

    /// The path names another artifact while the first is in use: each load gives what the path names at that time.
    void replacedOnes() {
        const fs::path path = folder_.filePath("model.so").toStdString(),
                       next = folder_.filePath("next.so").toStdString();
        std::vector<lathe_model*> models;
        std::mt19937_64 random(3);
        const size_t files = openFiles();
        for (size_t i = 0; i < scaled(20); ++i) {
            const std::string& bytes = good_[i % good_.size()];
            writeFile(next, bytes);
            fs::rename(next, path);
            lathe_model* model = nullptr;
            QCOMPARE(lathe_model_load(path.c_str(), &model), LATHE_OK);
            QVERIFY(bytes.find(lathe_model_name(model)) != std::string::npos);
            models.push_back(model);
            run(models[random() % models.size()]);
            if (random() % 2) { // numbers of descriptors and addresses are used again
                const size_t which = random() % models.size();
                lathe_model_free(models[which]);
                models.erase(models.begin() + static_cast<ptrdiff_t>(which));
            }
            // A file that is cut off under its path: what is open is another file by now.
            writeFile(next, bytes.substr(0, bytes.size() / 2));
            fs::rename(next, path);
            lathe_model* cut = nullptr;
            QCOMPARE(lathe_model_load(path.c_str(), &cut), LATHE_BAD_ARTIFACT);
        }
        for (lathe_model* model : models) {
            run(model);
            lathe_model_free(model);
        }
        QCOMPARE(openFiles(), files);
    }
};

Test test() {
    return {makes<TestArtifacts>};
}

} // namespace lathe::testing::test_artifacts

#include "test_artifacts.moc"
