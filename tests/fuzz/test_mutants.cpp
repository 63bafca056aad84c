// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
// Timeout: 600
//
// Damaged models and damaged IR text, by fixed seeds: whatever they hold, Lathe answers with a result or a diagnostic, in
// bounded time and memory. $LATHE_FUZZ multiplies the counts; 10 is the full run: 2,000 models in one process, 1,000 texts,
// 200 models by `lathe run`. The mutant at work lies in $TMPDIR/lathe_mutant_NUMBER (for when the process ends by it);
// $LATHE_FUZZ_FIRST is the number to begin with.
#include "driver/compile.h"
#include "fuzz/extent.h"
#include "fuzz/mutate.h"
#include "relay/text.h"
#include "relay/verify.h"
#include "support/fixtures.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/sample_models.h"
#include "tir/text.h"
#include "tir/verify.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

namespace lathe::testing::test_mutants {

using fuzz::residentPeak, fuzz::scaled;
namespace fs = std::filesystem;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LATHE_TEST_SANITIZED 1
#endif
#endif

constexpr time_t secondsOfOne = 60;               // of processor time, in a sanitized build
constexpr int64_t growthOfOne = int64_t{1} << 30; // bytes

struct Seed {
    std::string name, bytes;
};

std::vector<Seed> seeds() {
    std::vector<Seed> all;
    for (const SampleModel& sample : sampleModels)
        all.push_back({sample.name, graphBytes(sample.graph)});
    for (const char* path : {"models/mnist-8/model.onnx", "models/nested-if/gh_issue_18338.onnx"}) {
        const fs::path found = fixture(path);
        if (found.empty() && fixturesExpected())
            qFatal("%s is not unpacked: ./dev test does that", path);
        if (std::ifstream file(found, std::ios::binary); file)
            all.push_back({path, std::string(std::istreambuf_iterator<char>(file), {})});
    }
    return all;
}

size_t first() {
    const char* number = std::getenv("LATHE_FUZZ_FIRST");
    return number ? static_cast<size_t>(std::max(0, std::atoi(number))) : 0;
}

/// The file of a mutant while it is at work.
class AtWork {
public:
    AtWork(size_t number, const std::string& bytes)
        : path_(fs::temp_directory_path() / ("lathe_mutant_" + std::to_string(number))) {
        writeFile(path_, bytes);
        limitSeconds(secondsOfOne); // ends the process: a hang is a failure
    }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;
    ~AtWork() {
        limitSeconds(0);
        if (!kept_)
            fs::remove(path_);
    }
    void keep() { kept_ = true; }

private:
    static void limitSeconds(time_t seconds) {
        const itimerval limit{{0, 0}, {seconds, 0}};
        setitimer(ITIMER_PROF, &limit, nullptr);
    }

    fs::path path_;
    bool kept_ = false;
};

std::string mutant(const std::vector<Seed>& all, size_t index, uint64_t salt) {
    fuzz::Random random(index + salt);
    const Seed& seed = all[index % all.size()];
    return (index / all.size()) % 2 ? fuzz::mutateBytes(seed.bytes, random) : fuzz::mutateFields(seed.bytes, random);
}

driver::Options options() {
    driver::Options result;
    result.cache = false;
    result.verify = true;
    result.threads = 1;
    return result;
}

} // namespace

class TestMutants : public QObject {
    Q_OBJECT

private slots:
    void models() {
        const std::vector<Seed> all = seeds();
        const size_t count = scaled(200);
        size_t compiled = 0, refused = 0;
        double longest = 0;
        for (size_t i = first(); i < count; ++i) {
            const std::string bytes = mutant(all, i, 0);
            const int64_t before = residentPeak();
            AtWork atWork(i, bytes);
            QElapsedTimer timer;
            timer.start();
            driver::Trace trace;
            const auto result =
                driver::compileBytes(std::as_bytes(std::span(bytes)), "mutant.onnx", {}, {}, options(), trace);
            longest = std::max(longest, static_cast<double>(timer.elapsed()) / 1000);
            const std::string what = result ? "" : toString(result.error());
            const std::string where = all[i % all.size()].name + ", mutant " + std::to_string(i) + ": " + what;
            if (!result && result.error().kind == ErrorKind::Internal) {
                atWork.keep();
                QTest::qFail(where.c_str(), __FILE__, __LINE__);
            }
            QVERIFY2(residentPeak() - before < growthOfOne, where.c_str());
            ++(result ? compiled : refused);
        }
        qInfo("%zu models of %zu seeds: %zu compiled, %zu refused; the longest took %.1f s", count, all.size(),
              compiled, refused, longest);
        QVERIFY(compiled > 0 && refused > 0);
    }

    void texts() {
        struct Text {
            bool relay;
            std::string text;
            relay::ConstantPool pool;
        };
        std::vector<Text> all;
        for (const SampleModel& sample : sampleModels) {
            const std::string bytes = graphBytes(sample.graph);
            driver::Options without = options();
            without.emitCode = false;
            driver::Trace trace;
            (void)driver::compileBytes(std::as_bytes(std::span(bytes)), sample.name, {}, {}, without, trace);
            for (const driver::PassRecord& pass : trace.passes)
                if (pass.after && (pass.name == "import" || pass.name == "fuse"))
                    all.push_back({true, relay::print(*pass.after), relay::constantsOf(*pass.after)});
            if (!trace.kernels.empty())
                for (const auto& [stage, function] : trace.kernels.front().stages)
                    if (stage == "computation" || stage == "schedule" || stage == "legalize data types")
                        all.push_back({false, tir::print(*function), {}});
            if (trace.entry)
                all.push_back({false, tir::print(*trace.entry), {}});
        }
        for (const Text& whole : all)
            QVERIFY(whole.relay ? relay::parse(whole.text, whole.pool).has_value()
                                : tir::parsePrimFunc(whole.text).has_value());
        const size_t count = scaled(100);
        size_t read = 0;
        for (size_t i = first(); i < count; ++i) {
            fuzz::Random random(i);
            const Text& original = all[i % all.size()];
            const std::string text = fuzz::mutateText(original.text, random);
            const AtWork atWork(i, text);
            if (original.relay) {
                if (const auto module = relay::parse(text, original.pool)) {
                    ++read;
                    (void)relay::verify(*module);
                    (void)relay::print(*module);
                }
            } else if (const auto function = tir::parsePrimFunc(text)) {
                ++read;
                for (const tir::Level level : {tir::Level::Blocks, tir::Level::Loops, tir::Level::Lowered})
                    (void)tir::verify(**function, level);
                (void)tir::print(**function);
            }
        }
        qInfo("%zu texts of %zu: %zu could still be read", count, all.size(), read);
    }

    void runs() {
#ifdef LATHE_TEST_SANITIZED
        QSKIP("a sanitized program reserves more memory than the limit");
#endif
        const std::vector<Seed> all = seeds();
        const size_t count = scaled(20);
        const QTemporaryDir folder;
        const fs::path model = fs::path(folder.path().toStdString()) / "mutant.onnx";
        std::array<size_t, 2> codes = {0, 0};
        for (size_t i = first(); i < count; ++i) {
            writeFile(model, mutant(all, i, 1'000'000));
            QProcess process;
            process.setChildProcessModifier([] {
                const rlimit limit{rlim_t{2} << 30, rlim_t{2} << 30};
                setrlimit(RLIMIT_AS, &limit);
                const rlimit seconds{10, 10}; // of processor time: a busy machine is no hang
                setrlimit(RLIMIT_CPU, &seconds);
            });
            process.start(LATHE_BINARY_DIR "/lathe",
                          {"run", QString::fromStdString(model.string()), "--timeout", "10"});
            const bool ended = process.waitForFinished(120'000);
            const std::string said = process.readAllStandardError().toStdString();
            const std::string where = all[i % all.size()].name + ", mutant " + std::to_string(i) + ": ";
            if (!ended) {
                process.kill();
                process.waitForFinished();
            }
            const bool good = ended && process.exitStatus() == QProcess::NormalExit &&
                              (process.exitCode() == 0 || process.exitCode() == 1);
            if (!good || said.find("crashed") != std::string::npos) {
                fs::copy_file(model, fs::temp_directory_path() / ("lathe_run_mutant_" + std::to_string(i)),
                              fs::copy_options::overwrite_existing);
                QTest::qFail((where + (ended ? "" : "did not end; ") + said).c_str(), __FILE__, __LINE__);
            } else {
                ++codes[static_cast<size_t>(process.exitCode())];
            }
        }
        qInfo("%zu mutants by lathe run: %zu ran, %zu were refused", count, codes[0], codes[1]);
    }
};

Test test() {
    return {makes<TestMutants>};
}

} // namespace lathe::testing::test_mutants

#include "test_mutants.moc"
