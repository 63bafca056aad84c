// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx lathe_broken_passes
// Runs: release
// Timeout: 900
//
// Bisecting finds passes that are broken on purpose (support/broken_passes.cpp): a relay pass, a schedule and a TIR pass, on
// real models, by each question that may be asked; and says so where there is nothing to find. In release alone: one answer is
// a dozen compilations of a network, which under sanitizers takes longer than Qt Test waits for a function.
#include "diagnose/bisect.h"
#include "driver/passes.h"
#include "driver/tensor_files.h"
#include "support/fixtures.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

namespace lathe::testing::test_bisect {

namespace fs = std::filesystem;

class TestBisect : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    static diagnose::BisectQuestion questionOf(diagnose::Fault fault) {
        diagnose::BisectQuestion question;
        question.fault = std::move(fault);
        question.runner.program = LATHE_BINARY_DIR "/lathe-runner";
        question.runner.timeout = std::chrono::seconds(20);
        question.runner.threads = 1;
        return question;
    }

    static Result<diagnose::Bisection> ask(const fs::path& model, const diagnose::BisectQuestion& question) {
        driver::Session session(model);
        return diagnose::bisect(session, question, [](const diagnose::BisectStep& step) {
            qInfo("%-4s %-36s %s", step.bad ? "bad" : "good", step.passes.c_str(), step.reason.c_str());
        });
    }

    /// The second kernel of those whose name has this in it.
    static driver::KernelRecord kernelOf(const fs::path& model, const std::string& part) {
        driver::Options options;
        options.emitCode = false;
        driver::Trace trace;
        if (!driver::compileFile(model, {}, {}, options, trace))
            return {};
        std::erase_if(trace.kernels, [&](const auto& kernel) { return kernel.name.find(part) == std::string::npos; });
        return trace.kernels.at(1);
    }

    fs::path written(const std::string& graph) {
        const fs::path model = fs::path(temporary_.path().toStdString()) / "model.onnx";
        writeFile(model, graphBytes(graph));
        return model;
    }

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", temporary_.filePath("cache").toLocal8Bit()); }
    void init() { qunsetenv("LATHE_BROKEN_PASS"); }

    void findsTheBrokenPass_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("broken");
        QTest::addColumn<diagnose::Fault>("fault");
        const QString yunet = "models/yunet/yunet_n_320_320.onnx", mnist = "models/mnist-8/model.onnx",
                      bert = "models/bert-toy/bert_toy_optimized.onnx";
        const diagnose::Fault wrong = diagnose::WrongValues{}, crash = diagnose::Crashes{};
        QTest::newRow("relay, wrong, yunet") << yunet << "simplify arithmetic:zeros" << wrong;
        QTest::newRow("relay, throws, mnist") << mnist << "simplify arithmetic:throws" << crash;
        QTest::newRow("relay, count, bert")
            << bert << "simplify arithmetic:more" << diagnose::Fault(diagnose::MoreThan{"negative", 0});
        QTest::newRow("schedule, wrong, yunet") << yunet << "schedule:wrong" << wrong;
        QTest::newRow("schedule, throws, mnist") << mnist << "schedule:throws" << crash;
        QTest::newRow("TIR, wrong, yunet") << yunet << "hoist conditions:wrong" << wrong;
        QTest::newRow("TIR, wrong, bert") << bert << "hoist conditions:wrong" << wrong;
        QTest::newRow("TIR, throws, mnist") << mnist << "hoist conditions:throws" << wrong;
        QTest::newRow("TIR, faults, mnist") << mnist << "hoist conditions:faults" << crash;
        QTest::newRow("TIR, hangs, mnist") << mnist << "hoist conditions:hangs" << crash;
        QTest::newRow("TIR, slow, mnist")
            << mnist << "hoist conditions:slow" << diagnose::Fault(diagnose::SlowerThan{1.5, true});
    }
    void findsTheBrokenPass() {
        QFETCH(QString, model);
        QFETCH(QString, broken);
        QFETCH(diagnose::Fault, fault);
        const fs::path path = fixture(model.toStdString());
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        diagnose::BisectQuestion question = questionOf(fault);
        if (broken.endsWith("hangs"))
            question.runner.timeout = std::chrono::seconds(1);
        qputenv("LATHE_BROKEN_PASS", broken.toLocal8Bit());
        const auto found = ask(path, question);
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QCOMPARE(found->answer, diagnose::BisectAnswer::Found);
        QCOMPARE(found->pass, broken.section(':', 0, 0).toStdString());
        QVERIFY(found->mends);
        // Halving, not one after the other; then perhaps the kernels.
        QVERIFY(found->steps.size() <= 8 + (found->kernel ? 9 : 0));
        const auto record = std::ranges::find(found->trace.passes, found->pass, &driver::PassRecord::name);
        QVERIFY(record->enabled);
        QCOMPARE(found->kernel.has_value(), found->stage == driver::Stage::Tir);
    }

    /// One kernel of all is spoilt: it is named, with its nodes, and alone.
    void findsTheKernel_data() {
        QTest::addColumn<QString>("broken");
        QTest::newRow("schedule") << "schedule:wrong:";
        QTest::newRow("TIR") << "hoist conditions:wrong:";
    }
    void findsTheKernel() {
        QFETCH(QString, broken);
        const fs::path path = fixture("models/mnist-8/model.onnx");
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        const driver::KernelRecord spoilt = kernelOf(path, "");
        qputenv("LATHE_BROKEN_PASS", broken.toLocal8Bit() + spoilt.name.c_str());
        diagnose::BisectQuestion question = questionOf(diagnose::WrongValues{});
        question.data = {path.parent_path() / "test_data_set_0", path.parent_path() / "test_data_set_1"};
        const auto found = ask(path, question);
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QCOMPARE(found->answer, diagnose::BisectAnswer::Found);
        QVERIFY(found->kernel && found->kernel->alone && !found->kernel->nodes.empty());
        QCOMPARE(found->kernel->kernel, spoilt.name);
        // The schedule changes all kernels, so it was switched off in some; the other pass changed no other one.
        if (found->pass == "schedule")
            QCOMPARE(found->steps.back().decisions.skipIn.at(spoilt.workload), std::set{found->pass});
    }

    /// A kernel that computes weights while the model is compiled: the passes are off there too, and it is found. The kernels of
    /// the model are good.
    void findsTheKernelOfConstants() {
        ::onnx::ModelProto model =
            parseModel("<ir_version: 10, opset_import: [\"\" : 21]> "
                       "g (float[256,256] x) => (float[256,256] y) { e = Exp (w) y = MatMul (x, e) }");
        addWeights(model, "w", {256, 256}, [](int64_t i) { return float(i % 97) / 97; });
        const fs::path path = fs::path(temporary_.path().toStdString()) / "constants.onnx";
        writeFile(path, model.SerializeAsString());
        driver::Trace trace;
        const fs::path out = fs::path(temporary_.path().toStdString()) / "constants.lathe";
        QVERIFY(driver::compileFile(path, out, {}, {}, trace));
        const auto spoilt = std::ranges::find_if(trace.constantKernels, [](const driver::KernelRecord& kernel) {
            return kernel.name.find("exp") != std::string::npos;
        });
        QVERIFY(spoilt != trace.constantKernels.end());
        QVERIFY(std::ranges::none_of(trace.kernels, [&](const auto& each) { return each.name == spoilt->name; }));
        for (const char* pass : {"hoist conditions", "schedule"}) {
            qputenv("LATHE_BROKEN_PASS", (std::string(pass) + ":wrong:" + spoilt->name).c_str());
            const auto found = ask(path, questionOf(diagnose::WrongValues{}));
            QVERIFY2(found, found ? "" : toString(found.error()).c_str());
            QCOMPARE(found->answer, diagnose::BisectAnswer::Found);
            QCOMPARE(found->pass, std::string(pass));
            QVERIFY(found->mends && found->kernel);
            QCOMPARE(found->kernel->kernel, spoilt->name);
            QVERIFY(found->kernel->ofConstants && found->kernel->alone);
            QVERIFY(found->kernel->functions.empty() && found->kernel->nodes.empty());
        }
    }

    /// A workload of constants is known, one of nothing is refused, and then nothing is written.
    void passesAreOffInKernelsThatThereAre() {
        ::onnx::ModelProto model =
            parseModel("<ir_version: 10, opset_import: [\"\" : 21]> "
                       "g (float[256,256] x) => (float[256,256] y) { e = Exp (w) y = MatMul (x, e) }");
        addWeights(model, "w", {256, 256}, [](int64_t i) { return float(i % 97) / 97; });
        const fs::path path = fs::path(temporary_.path().toStdString()) / "known.onnx";
        writeFile(path, model.SerializeAsString());
        driver::Trace trace;
        const fs::path out = fs::path(temporary_.path().toStdString()) / "known.lathe";
        QVERIFY(driver::compileFile(path, out, {}, {}, trace));
        driver::Decisions decisions;
        for (const driver::KernelRecord& kernel : trace.constantKernels)
            decisions.skipIn[kernel.workload] = {"unroll"};
        QVERIFY(!decisions.skipIn.empty());
        fs::remove(out);
        driver::Trace again;
        QVERIFY(driver::compileFile(path, out, decisions, {}, again));
        QVERIFY(fs::exists(out));
        for (const driver::KernelRecord& kernel : again.constantKernels)
            QVERIFY(std::ranges::none_of(kernel.stages, [](const auto& stage) { return stage.first == "unroll"; }));
        decisions.skipIn["nothing"] = {"unroll"};
        fs::remove(out);
        driver::Trace refused;
        const auto failed = driver::compileFile(path, out, decisions, {}, refused);
        QVERIFY(!failed && failed.error().what.find("'nothing'") != std::string::npos);
        QVERIFY(!fs::exists(out));
    }

    void twoBrokenPassesAreSaid() {
        const fs::path path = fixture("models/mnist-8/model.onnx");
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        qputenv("LATHE_BROKEN_PASS", "schedule:wrong,hoist conditions:wrong");
        const auto found = ask(path, questionOf(diagnose::WrongValues{}));
        QVERIFY(found);
        QCOMPARE(found->pass, "schedule");
        QVERIFY(!found->mends);
        QVERIFY(found->kernel);
        // Without the second one it is the only fault.
        diagnose::BisectQuestion without = questionOf(diagnose::WrongValues{});
        without.decisions.skipPasses = {"hoist conditions"};
        const auto again = ask(path, without);
        QVERIFY(again && again->pass == "schedule" && again->mends);
        without.decisions.skipPasses = {"hoist conditions", "schedule"};
        const auto none = ask(path, without);
        QVERIFY(none);
        QCOMPARE(none->answer, diagnose::BisectAnswer::GoodWithAll);
    }

    /// Schedules without the passes behind them can be slower than the limit too, for no fault of theirs. It lies between what
    /// fused kernels take without a schedule, 0.9 to 1.7 times, and what the broken pass makes of it, over 6.
    void aTimeNeedNotGrowWithThePasses() {
        const fs::path path = fixture("models/bert-toy/bert_toy_optimized.onnx");
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        const driver::KernelRecord slow = kernelOf(path, "matmul");
        qputenv("LATHE_BROKEN_PASS", ("hoist conditions:slow:" + slow.name).c_str());
        const auto found = ask(path, questionOf(diagnose::SlowerThan{4, true}));
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QCOMPARE(found->answer, diagnose::BisectAnswer::Found);
        QCOMPARE(found->pass, "hoist conditions");
        QVERIFY(found->mends && found->kernel && found->kernel->alone);
        QCOMPARE(found->kernel->kernel, slow.name);
    }

    /// No pass is broken: what makes more relayouts is the pass that is for them.
    void aCountIsFollowedToItsPass() {
        const fs::path path = fixture("perf/mobilenet-v2/model.onnx");
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        const auto found = ask(path, questionOf(diagnose::MoreThan{"relayout", 0}));
        QVERIFY(found);
        QCOMPARE(found->pass, "choose layouts");
        QVERIFY(found->mends);
    }

    void decisionsStay() {
        const fs::path path = fixture("models/mnist-8/model.onnx");
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        diagnose::BisectQuestion question = questionOf(diagnose::MoreThan{"relayout", 0});
        question.decisions.skipPasses = {"choose layouts"};
        const auto found = ask(path, question);
        QVERIFY(found);
        QCOMPARE(found->answer, diagnose::BisectAnswer::GoodWithAll);
        QCOMPARE(found->steps.size(), size_t(2));
    }

    void whatNoPassIsToBlameFor() {
        const auto model = written("g (float[4] x) => (float[4] y) { y = Add (x, x) }");
        const auto bad = ask(model, questionOf(diagnose::MoreThan{"kernels", 0}));
        QVERIFY(bad);
        QCOMPARE(bad->answer, diagnose::BisectAnswer::BadWithout);
        // Every compilation differs from data that is wrong.
        ::onnx::TensorProto tensor;
        tensor.set_data_type(::onnx::TensorProto::FLOAT);
        tensor.add_dims(4);
        for (const float value : {1, 2, 3, 4})
            tensor.add_float_data(value);
        const fs::path data = model.parent_path() / "data";
        fs::create_directories(data);
        writeFile(data / "input_0.pb", tensor.SerializeAsString());
        writeFile(data / "output_0.pb", tensor.SerializeAsString());
        diagnose::BisectQuestion question = questionOf(diagnose::WrongValues{});
        question.data = {data};
        const auto required = ask(model, question);
        QVERIFY(required);
        QCOMPARE(required->answer, diagnose::BisectAnswer::BadWithout);
        QCOMPARE(required->trace.passes.size(), driver::pipeline().size());
    }

    void aModelThatDoesNotEndIsNoPassesFault() {
        const auto model = written("g (float[4] x) => (float[4] y) <int64 n = {9223372036854775807}, bool go = {1}> {"
                                   " y = Loop (n, go, x) < body = step (int64 i, bool c, float[4] v) => (bool d, "
                                   "float[4] w) { d = Identity (c) w = Neg (v) } > }");
        for (const diagnose::Fault& fault :
             {diagnose::Fault(diagnose::WrongValues{}), diagnose::Fault(diagnose::Crashes{})}) {
            diagnose::BisectQuestion question = questionOf(fault);
            question.runner.timeout = std::chrono::milliseconds(300);
            const auto found = ask(model, question);
            QVERIFY2(found, found ? "" : toString(found.error()).c_str());
            QCOMPARE(found->answer, diagnose::BisectAnswer::Endless);
            QCOMPARE(found->steps.size(), size_t(2));
        }
    }

    void whatCannotBeAskedFails() {
        const auto refused =
            ask(written("g (float[2] x) => (float[2] y) { y = Frobnicate (x) }"), questionOf(diagnose::Crashes{}));
        QVERIFY(!refused && refused.error().kind == ErrorKind::Invalid);
        const auto model = written("g (float[4] x) => (float[4] y) { y = Add (x, x) }");
        diagnose::BisectQuestion question = questionOf(diagnose::WrongValues{});
        question.data = {model.parent_path() / "nothing"};
        QVERIFY(!ask(model, question));
        // A model that takes no random inputs takes chosen ones; one that is not there is named.
        const auto picky = written("g (float[2] x, int64[1] i) => (float[1] y) <int64[1] far = {-4}> "
                                   "{ k = Mul (i, i) j = Add (k, far) y = Gather (x, j) }");
        diagnose::BisectQuestion chosen = questionOf(diagnose::WrongValues{});
        const auto byChance = ask(picky, chosen);
        QVERIFY(!byChance && byChance.error().hint.find("inputs") != std::string::npos);
        const fs::path file = picky.parent_path() / "i.npy";
        QVERIFY(driver::writeNpy(file, tensorOf<int64_t>(types::Int64, {1}, {2})));
        chosen.chosen.files.byName["i"] = file.string();
        const auto found = ask(picky, chosen);
        QVERIFY2(found, found ? "" : toString(found.error()).c_str());
        QCOMPARE(found->answer, diagnose::BisectAnswer::GoodWithAll);
        chosen.chosen.files.byName["i"] = (picky.parent_path() / "nowhere.npy").string();
        const auto missing = ask(picky, chosen);
        QVERIFY(!missing);
        QCOMPARE(missing.error().file, chosen.chosen.files.byName["i"]);
        int asked = 0;
        driver::Session session(written("g (float[4] x) => (float[4] y) { y = Add (x, x) }"));
        const auto cancelled = diagnose::bisect(session, questionOf(diagnose::Crashes{}), {},
                                                {.report = {}, .cancelled = [&] { return ++asked > 3; }});
        QVERIFY(!cancelled && cancelled.error().kind == ErrorKind::Cancelled);
    }
};

Test test() {
    return {makes<TestBisect>};
}

} // namespace lathe::testing::test_bisect

#include "test_bisect.moc"
