// SPDX-License-Identifier: Apache-2.0
// Needs: lathe-runner
// Links: onnx
//
// Loops that hand on values whose sizes change: the values are right even where they trade places, the memory is that of
// the values and not of all iterations, and no fixed number is claimed for it.
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_growing_loops {

namespace {

/// a, b = b with x + i behind it, a: each grows every second iteration. `all` stacks up x + i, as long as the loop runs.
const char* growing = R"(g (int64 n, float[1,3] x) => (float[p,3] y, float[q,3] z, float[r,1,3] all)
<bool go = {1}, float[0,3] none = {}> {
  [grow] y, z, all = Loop (n, go, none, none) <
    body = step (int64 i, bool c, float[k,3] a, float[m,3] b) => (bool d, float[o,3] na, float[s,3] nb, float[1,3] row) {
      d = Identity (c)
      f = Cast <to = 1> (i)
      row = Add (x, f)
      [longer] na = Concat <axis = 0> (b, row)
      nb = Identity (a)
    }
  >
})";

} // namespace

class TestGrowingLoops : public QObject {
    Q_OBJECT

private slots:
    void memoryIsThatOfTheValues() {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.filePath("model.so").toStdString());
        const std::string bytes = graphBytes(growing);
        driver::Options options;
        options.verify = true;
        driver::Trace trace;
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(bytes)), "model.onnx", path, {}, options, trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        QVERIFY(!trace.peakBytes);

        device::RunnerOptions runnerOptions;
        runnerOptions.program = LATHE_BINARY_DIR "/lathe-runner";
        device::RunnerClient runner(runnerOptions);
        QVERIFY(runner.load(path));
        QVERIFY(runner.setInput("x", tensorOf<float>(types::Float32, {1, 3}, {0, 10, 20})));
        for (const int64_t n : {0, 1, 2, 7, 3000}) {
            QVERIFY(runner.setInput("n", tensorOf<int64_t>(types::Int64, {}, {n})));
            std::vector<float> a, b, all;
            for (int64_t i = 0; i < n; ++i) {
                std::vector<float> longer = b;
                for (const float x : {0.F, 10.F, 20.F}) {
                    longer.push_back(x + static_cast<float>(i));
                    all.push_back(x + static_cast<float>(i));
                }
                b = std::exchange(a, std::move(longer));
            }
            for (int round = 0; round < 2; ++round) {
                const auto times = runner.run();
                QVERIFY2(times, times ? "" : toString(times.error()).c_str());
                const auto outputs = runner.outputs();
                QVERIFY(outputs && outputs->size() == 3);
                QCOMPARE((*outputs)[0].shape, (std::vector<int64_t>{static_cast<int64_t>(a.size()) / 3, 3}));
                QCOMPARE(valuesOf<float>((*outputs)[0]), a);
                QCOMPARE(valuesOf<float>((*outputs)[1]), b);
                QCOMPARE((*outputs)[2].shape, (std::vector<int64_t>{n, 1, 3}));
                QCOMPARE(valuesOf<float>((*outputs)[2]), all);
                // Two places for each of two values, each half as large again as needed, the stack, and a frame.
                const auto needed = static_cast<int64_t>((a.size() + b.size() + all.size()) * 4);
                QVERIFY2(times->arenaPeak < 5 * needed + 65536, std::to_string(times->arenaPeak).c_str());
            }
        }
    }
};

Test test() {
    return {makes<TestGrowingLoops>};
}

} // namespace lathe::testing::test_growing_loops

#include "test_growing_loops.moc"
