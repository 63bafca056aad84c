// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
//
// Models that keep values from one run to the next, compiled: the runner hands them on, takes, gives and resets them, they are
// kept in files between programs, an observed value changes nothing, and C source refuses them.
#include "device/runner_client.h"
#include "driver/compile.h"
#include "driver/tensor_files.h"
#include "inspect/states.h"
#include "support/host_tensor.h"
#include "support/json_lines.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "support/relay_source.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_kept_states {

namespace {

/// `sum` takes in x, `last` is x as it was one run before, `turn` goes 7, 8, …; `bias` stays what it is, and is not zero.
const char* text = R"(module next %20

fn main(%1 "x": float32[2, 3], %2 "sum": float32[2, 3], %3 "last": float32[2, 3], %4 "turn": int64[], %5 "bias": float32[3]) -> (float32[2, 3], float32[2, 3], float32[2, 3], int64[], float32[3]) outputs ["y"] states ["sum" = const float32[2, 3] splat [0], "last" = const float32[2, 3] splat [-1], "turn" = const int64[] [7], "bias" = const float32[3] [1, 2, 3]] {
  %6 = add(%2, %1) : float32[2, 3] @{0} as "sum after"
  %7 = multiply(%6, %3) : float32[2, 3] @{1}
  %8 = add(%7, %5) : float32[2, 3] @{2} as "y"
  %9 = const int64[] [1] @{3}
  %10 = add(%4, %9) : int64[] @{3}
  %11 = tuple(%8, %6, %1, %10, %5) : (float32[2, 3], float32[2, 3], float32[2, 3], int64[], float32[3]) @{0-3}
  -> %11
}
)";

driver::ModelSource source() {
    return relaySource("kept", text, {"sum after"});
}

/// What y is, over runs of these inputs, from the beginning.
std::vector<std::vector<float>> expected(const std::vector<std::vector<float>>& inputs) {
    std::vector<float> sum(6, 0), last(6, -1);
    std::vector<std::vector<float>> all;
    for (const std::vector<float>& x : inputs) {
        std::vector<float>& y = all.emplace_back();
        for (size_t i = 0; i < 6; ++i) {
            sum[i] += x[i];
            y.push_back(sum[i] * last[i] + static_cast<float>(i % 3 + 1));
        }
        last = x;
    }
    return all;
}

} // namespace

class TestKeptStates : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const std::vector<std::vector<float>> inputs_ = {{1, 2, 3, 4, 5, 6}, {-1, 0, 1, 2, 0.5, 3}, {2, 2, 2, 1, 1, 1}};

    std::filesystem::path compiled(const driver::Options& options, const driver::Decisions& decisions = {}) {
        const auto path = std::filesystem::path(folder_.filePath("model.so").toStdString());
        driver::Trace trace;
        const auto artifact = driver::compile(source(), path, decisions, options, trace);
        if (!artifact)
            qWarning("%s", toString(artifact.error()).c_str());
        return artifact ? path : std::filesystem::path();
    }

    static std::vector<float> ran(device::RunnerClient& runner, const std::vector<float>& x) {
        if (!runner.setInput("x", tensorOf<float>(types::Float32, {2, 3}, x)) || !runner.run())
            return {};
        const auto outputs = runner.outputs();
        return outputs && outputs->size() == 1 ? valuesOf<float>(outputs->front()) : std::vector<float>();
    }

private slots:
    void runsGoOn_data() {
        QTest::addColumn<bool>("fuses");
        QTest::newRow("as by default") << true;
        QTest::newRow("each operator a kernel") << false;
    }

    void runsGoOn() {
        QFETCH(bool, fuses);
        driver::Options options;
        options.verify = true;
        driver::Decisions decisions;
        if (!fuses)
            decisions.skipPasses = {"fuse"};
        const auto path = compiled(options, decisions);
        QVERIFY(!path.empty());
        device::RunnerOptions runnerOptions;
        runnerOptions.program = LATHE_BINARY_DIR "/lathe-runner";
        runnerOptions.guard = device::Guard::End;
        device::RunnerClient runner(runnerOptions);
        const auto loaded = runner.load(path);
        QVERIFY2(loaded, loaded ? "" : toString(loaded.error()).c_str());
        QCOMPARE(loaded->inputs.size(), size_t{1});
        QCOMPARE(loaded->outputs.size(), size_t{1});
        QCOMPARE(loaded->states.size(), size_t{4});
        QCOMPARE(loaded->states[3].name, std::string("bias"));
        QCOMPARE(loaded->states[3].dims, std::vector<int64_t>{3});
        const auto right = expected(inputs_);
        for (int round = 0; round < 2; ++round) {
            for (size_t i = 0; i < inputs_.size(); ++i)
                QCOMPARE(ran(runner, inputs_[i]), right[i]);
            QVERIFY(runner.resetStates());
        }
    }

    /// A stream that is left and gone on with elsewhere gives what it would have given.
    void statesAreGivenAndTaken() {
        const auto path = compiled({});
        QVERIFY(!path.empty());
        const auto folder = std::filesystem::path(folder_.filePath("stream").toStdString());
        const auto right = expected(inputs_);
        for (size_t i = 0; i < inputs_.size(); ++i) { // each in a runner of its own
            device::RunnerClient runner;
            const auto loaded = runner.load(path);
            QVERIFY(loaded);
            const auto kept = inspect::keptStates(loaded->states, folder);
            QVERIFY2(kept, kept ? "" : toString(kept.error()).c_str());
            QCOMPARE(kept->size(), i == 0 ? size_t{0} : size_t{4});
            QVERIFY(inspect::setStates(runner, *kept));
            QCOMPARE(ran(runner, inputs_[i]), right[i]);
            const auto states = runner.states();
            QVERIFY(states && states->size() == 4);
            QCOMPARE(valuesOf<float>((*states)[1]), inputs_[i]); // "last"
            QCOMPARE(valuesOf<int64_t>((*states)[2]), std::vector<int64_t>{8 + static_cast<int64_t>(i)});
            QVERIFY(inspect::keepStates(loaded->states, *states, folder));
        }
        std::filesystem::remove(folder / "turn.npy");
        device::RunnerClient runner;
        const auto loaded = runner.load(path);
        QVERIFY(loaded);
        const auto some = inspect::keptStates(loaded->states, folder);
        QVERIFY(!some && some.error().what.find("'turn'") != std::string::npos);

        const auto given = inspect::readStates(loaded->states, {{"sum", "0.5"}, {"turn", "-3"}});
        QVERIFY(given);
        QCOMPARE(valuesOf<float>(given->at("sum")), std::vector<float>(6, 0.5F));
        QCOMPARE(valuesOf<int64_t>(given->at("turn")), std::vector<int64_t>{-3});
        QVERIFY(inspect::setStates(runner, *given));
        const auto begun = runner.states();
        QVERIFY(begun);
        QCOMPARE(valuesOf<float>((*begun)[0]), std::vector<float>(6, 0.5F));
        QCOMPARE(valuesOf<float>((*begun)[1]), std::vector<float>(6, -1)); // as the model says
        for (const auto& [name, text] : {std::pair("turn", "1.5"), {"nothing", "1"}, {"sum", "/nowhere.npy"}})
            QVERIFY2(!inspect::readStates(loaded->states, {{name, text}}), text);
        QVERIFY(driver::writeNpy(folder / "other.npy", tensorOf<float>(types::Float32, {3, 2}, inputs_[0])));
        const auto other = inspect::readStates(loaded->states, {{"sum", (folder / "other.npy").string()}});
        QVERIFY(!other && other.error().what.find("float32[3,2]") != std::string::npos);
        QVERIFY(!runner.setState("sum", tensorOf<float>(types::Float32, {3, 2}, inputs_[0])));
        QVERIFY(runner.outcome() == device::RunnerOutcome::Refused);
        QVERIFY(!runner.setState("nothing", tensorOf<float>(types::Float32, {2, 3}, inputs_[0])));
    }

    /// Calls of the program go on from each other by a folder.
    void callsGoOn() {
        const auto path = compiled({});
        QVERIFY(!path.empty());
        const QString model = QString::fromStdString(path.string()), folder = folder_.filePath("calls");
        const auto turns = [&](const QStringList& more) {
            const Outcome outcome = runLathe(QStringList{"run", model, "--json"} + more);
            for (const QJsonObject& line : jsonLines(outcome.out))
                if (line["state"].toString() == "turn")
                    return line["first"].toArray().at(0).toInt();
            qWarning("%s", outcome.err.c_str());
            return -1;
        };
        QCOMPARE(turns({}), 8);
        QCOMPARE(turns({"--keep-states", folder}), 8);
        QCOMPARE(turns({"--keep-states", folder}), 9);
        QCOMPARE(turns({"--keep-states", folder, "--state", "turn=40"}), 41);
        QCOMPARE(turns({"--keep-states", folder}), 42);
        QCOMPARE(turns({"--keep-states", folder, "--reset-states"}), 8);
        QCOMPARE(turns({"--keep-states", folder}), 9);
        QCOMPARE(runLathe({"run", model, "--state", "none=1"}).code, 2);
        QCOMPARE(runLathe({"run", model, "--reset-states"}).code, 2); // of which folder?
    }

    void observedValuesAreOutputsBesideThem() {
        driver::Options options;
        options.verify = true;
        options.observe = {"sum after"};
        const auto path = compiled(options);
        QVERIFY(!path.empty());
        device::RunnerOptions runnerOptions;
        runnerOptions.program = LATHE_BINARY_DIR "/lathe-runner";
        device::RunnerClient runner(runnerOptions);
        const auto loaded = runner.load(path);
        QVERIFY(loaded && loaded->outputs.size() == 2 && loaded->states.size() == 4);
        QCOMPARE(loaded->outputs[1].name, std::string("sum after"));
        for (const float sum : {1.F, 2.F, 3.F}) {
            QVERIFY(runner.setInput("x", tensorOf<float>(types::Float32, {2, 3}, std::vector<float>(6, 1))));
            QVERIFY(runner.run());
            const auto outputs = runner.outputs();
            QVERIFY(outputs && outputs->size() == 2);
            QCOMPARE(valuesOf<float>((*outputs)[1]), std::vector<float>(6, sum));
        }
    }

    void cSourceRefusesThem() {
        driver::Options options;
        options.form = driver::Form::CSource;
        driver::Trace trace;
        const auto path = std::filesystem::path(folder_.filePath("c").toStdString());
        const auto made = driver::compile(source(), path, {}, options, trace);
        QVERIFY(!made);
        QVERIFY(made.error().kind == ErrorKind::Unsupported);
        QVERIFY2(made.error().what.find("keeps 4 states") != std::string::npos, toString(made.error()).c_str());
    }
};

Test test() {
    return {makes<TestKeptStates>};
}

} // namespace lathe::testing::test_kept_states

#include "test_kept_states.moc"
