// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
//
// Kernels made in children: what comes back is what this process would make, and whatever becomes of a child is a verdict on one
// candidate, or a failure of the machine, and the next one is built.
#include "tuning/kernel_builders.h"

#include "support/host_tensor.h"
#include "support/processes.h"
#include "support/program_of_tests.h"
#include "te/te.h"
#include "tuning/kernels_in_child.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <csignal>
#include <set>
#include <thread>
#include <unistd.h>

namespace lathe::testing::test_kernel_builders {

using namespace lathe::tuning;
using tune::Verdict;

namespace {

/// y[i, j] = sum over k of a[i, k] * b[k, j].
tir::PrimFuncPtr product() {
    auto a = te::placeholder("a", types::Float32, {33, 40}), b = te::placeholder("b", types::Float32, {40, 50});
    auto y = te::reduce(
        "y", {33, 50}, te::ReduceKind::Sum, {40},
        [&](auto& i, auto& r) { return (*a)({i[0], r[0]}) * (*b)({r[0], i[1]}); }, 0);
    return te::toTir("product", {a, b}, {y}, {});
}

std::set<qint64> childrenOfThis() {
    return descendantsOf(getpid(), true);
}

} // namespace

class TestKernelBuilders : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    driver::Options options_;
    tune::Task task_;

    /// A program that says what a builder says first, and then does this; a first message can be read by `take`.
    BuilderOptions fake(const QString& name, const QString& body) {
        QFile script(temporary_.filePath(name));
        (void)script.open(QFile::WriteOnly);
        script.write("#!/bin/bash\n"
                     "printf '\\x0f\\0\\0\\0\\0\\0\\0\\0lathe builder 1'\n"
                     "take() { head -c 8 >/dev/null; }\n" +
                     body.toUtf8() + "\n");
        script.close();
        script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        BuilderOptions builders;
        builders.program = script.fileName().toStdString();
        builders.count = 1;
        return builders;
    }
    Result<std::vector<MadeKernel>> make(KernelMaker& maker, size_t count = 1) {
        std::vector<WantedKernel> wanted;
        for (size_t i = 0; i < count; ++i)
            wanted.push_back({"kernel" + std::to_string(i), nullptr});
        return maker.make(task_, wanted);
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit());
        qputenv("LATHE_BUILDER", LATHE_BINARY_DIR "/lathe");
        qputenv("LATHE_RUNNER", LATHE_BINARY_DIR "/lathe-runner");
        options_.cache = false;
        task_.workload = "product";
        task_.computation = product();
    }

    void makesWhatThisProcessWouldMake() {
        const auto here = makeKernelsHere(options_, {});
        KernelBuilders there(options_, {});
        const auto scheduled = driver::compileKernelAlone(task_.computation, "scheduled", true, {}, options_);
        QVERIFY(scheduled);
        const schedule::ScheduleTrace& trace = (*scheduled)->record.schedule.trace;
        QVERIFY(!trace.steps.empty());
        const std::vector<WantedKernel> wanted{{"plain", nullptr}, {"scheduled", &trace}};
        const auto one = here->make(task_, wanted), other = there.make(task_, wanted);
        QVERIFY2(one && other, other ? "" : toString(other.error()).c_str());
        for (size_t i = 0; i < wanted.size(); ++i) {
            QVERIFY((*one)[i].kernel && (*other)[i].kernel);
            QVERIFY((*one)[i].kernel->object == (*other)[i].kernel->object);
            QCOMPARE((*other)[i].kernel->kernel.name, wanted[i].name);
        }
        KernelsInChild child({.threads = 1});
        std::vector<std::vector<float>> results;
        for (const auto* built : {&*one, &*other})
            for (const MadeKernel& each : *built) {
                const auto linked = KernelsInChild::link({&each.kernel, 1}, options_);
                QVERIFY(linked);
                QVERIFY(child.load(*linked, *task_.computation, {}, KernelsInChild::Inputs::SmallWhole));
                const auto outputs = child.outputs(0);
                QVERIFY2(outputs, outputs ? "" : toString(outputs.error()).c_str());
                results.push_back(valuesOf<float>(outputs->front()));
            }
        for (const std::vector<float>& result : results)
            QCOMPARE(result, results.front());
    }

    void aTraceThatDoesNotFitIsABuildError() {
        KernelBuilders builders(options_, {});
        const auto trace = schedule::parseTrace("split loops(7) numbers(-1, 4) gives(8, 9)\n");
        QVERIFY(trace);
        const WantedKernel wanted{"bad", &*trace};
        const auto built = builders.make(task_, std::span(&wanted, 1));
        QVERIFY(built && !built->front().kernel);
        QVERIFY(built->front().verdict == Verdict::BuildError && !built->front().message.empty());
        QVERIFY(make(builders)->front().kernel);
    }

    void whatIsKnownHasMoreTime() {
        BuilderOptions options = fake("slow", "take; exec sleep 1000");
        options.wall = std::chrono::milliseconds(500);
        KernelBuilders builders(options_, options);
        const std::vector<WantedKernel> wanted{{"new", nullptr}, {"known", nullptr, true}};
        const auto built = builders.make(task_, wanted);
        QVERIFY(built);
        QCOMPARE((*built)[0].message, std::string("it was not compiled within 0.5 s"));
        QCOMPARE((*built)[1].message, std::string("it was not compiled within 2 s"));
    }

    void whateverBecomesOfAChildIsAVerdict_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<Verdict>("verdict");
        QTest::addColumn<QString>("message");
        QTest::newRow("killed") << "take; kill -9 $$" << Verdict::BuildMemory << "SIGKILL";
        QTest::newRow("crashes") << "take; kill -SEGV $$" << Verdict::BuildError << "SIGSEGV";
        QTest::newRow("hangs") << "take; exec sleep 1000" << Verdict::BuildTimeout << "within 1 s";
        QTest::newRow("takes too much of a processor")
            << "take; ulimit -St 1; while :; do :; done" << Verdict::BuildTimeout << "of a processor";
        QTest::newRow("ends for lack of memory") << "take; exit 3" << Verdict::BuildMemory << "MiB";
        QTest::newRow("ends") << "take; exit 0" << Verdict::BuildError << "exit code 0";
        QTest::newRow("half an object") << "take; printf '\\x40\\0\\0\\0\\0\\0\\0\\0\\x01abc'" << Verdict::BuildError
                                        << "exit code 0";
        QTest::newRow("no object") << "take; printf '\\x08\\0\\0\\0\\0\\0\\0\\0\\x01abcdefg'; exec sleep 1000"
                                   << Verdict::BuildError << "not a whole object";
        QTest::newRow("far too long") << "take; printf '\\0\\0\\0\\0\\0\\0\\0\\x7f'; exec sleep 1000"
                                      << Verdict::BuildError << "closed its connection";
    }
    void whateverBecomesOfAChildIsAVerdict() {
        QFETCH(QString, body);
        QFETCH(Verdict, verdict);
        QFETCH(QString, message);
        BuilderOptions options = fake("builder", body);
        options.wall = message.startsWith("within") ? std::chrono::seconds(1) : std::chrono::seconds(20);
        KernelBuilders builders(options_, options);
        for (int time = 0; time < 2; ++time) {
            const auto built = make(builders);
            QVERIFY2(built, built ? "" : toString(built.error()).c_str());
            QVERIFY(!built->front().kernel);
            QVERIFY2(built->front().verdict == verdict, built->front().message.c_str());
            QVERIFY2(built->front().message.find(message.toStdString()) != std::string::npos,
                     built->front().message.c_str());
        }
    }

    /// Nor is it the candidate's fault that somebody ends all builders.
    void whoEndsBuildersIsNoVerdict() {
        const BuilderOptions options = fake("builder", "take; kill -TERM $$");
        KernelBuilders builders(options_, options);
        const auto built = make(builders);
        QVERIFY(!built);
        QVERIFY2(built.error().what.find("SIGTERM") != std::string::npos, built.error().what.c_str());
    }

    void whatIsNoBuilderIsTheMachinesFault() {
        for (const char* program : {"/bin/true", "/nowhere/lathe"}) {
            BuilderOptions options;
            options.program = program;
            options.count = 1;
            KernelBuilders builders(options_, options);
            const auto built = make(builders);
            QVERIFY(!built);
            QVERIFY2(built.error().what.find(program) != std::string::npos, built.error().what.c_str());
        }
    }

    /// As the system does where memory is short: the candidate is built again, and is not to blame.
    void aBuilderThatIsKilledBetweenTwoIsReplaced() {
        BuilderOptions options;
        options.count = 1;
        KernelBuilders builders(options_, options);
        QVERIFY(make(builders)->front().kernel);
        const std::set<qint64> before = childrenOfThis();
        QCOMPARE(before.size(), size_t(1));
        kill(pid_t(*before.begin()), SIGKILL);
        const auto built = make(builders);
        QVERIFY2(built && built->front().kernel, built ? built->front().message.c_str() : "");
        QVERIFY(childrenOfThis() != before);
    }

    void buildersAreReplacedNowAndThenAndEndWithTheirOwner() {
        BuilderOptions options;
        options.count = 1;
        options.builds = 2;
        {
            KernelBuilders builders(options_, options);
            std::set<qint64> seen;
            for (int time = 0; time < 4; ++time) {
                QVERIFY(make(builders)->front().kernel);
                seen.merge(childrenOfThis());
            }
            QCOMPARE(seen.size(), size_t(2));
        }
        QVERIFY(childrenOfThis().empty());
    }

    void cancellingEndsWhatIsUnderWay() {
        std::atomic<bool> cancelled = false;
        BuilderOptions options = fake("sleeper", "take; exec sleep 1000");
        options.cancelled = [&] { return cancelled.load(); };
        KernelBuilders builders(options_, options);
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            cancelled = true;
        });
        const auto built = make(builders);
        QVERIFY(!built && built.error().kind == ErrorKind::Cancelled);
        QVERIFY(childrenOfThis().empty());
    }
};

Test test() {
    return {makes<TestKernelBuilders>};
}

} // namespace lathe::testing::test_kernel_builders

#include "test_kernel_builders.moc"
