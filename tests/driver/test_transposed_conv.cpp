// SPDX-License-Identifier: Apache-2.0
//
// A transposed convolution is the adjoint of the convolution with the same weights: ⟨Conv(x), y⟩ = ⟨x, ConvTranspose(y)⟩
// for all x and y. Numbers are small integers, so both sides are exact.
// Needs: lathe-runner
// Links: onnx
#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <random>

namespace lathe::testing::test_transposed_conv {

namespace {

struct Case {
    std::vector<int64_t> size, kernel, strides, pads, dilations;
    int64_t groups = 1, channels = 3, results = 2; // of a group of the convolution

    std::vector<int64_t> resultSize() const {
        std::vector<int64_t> sizes;
        for (size_t i = 0; i < size.size(); ++i)
            sizes.push_back((size[i] + 2 * pads[i] - dilations[i] * (kernel[i] - 1) - 1) / strides[i] + 1);
        return sizes;
    }
};

std::vector<int64_t> joined(std::vector<int64_t> first, const std::vector<int64_t>& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

std::string bothWays(const Case& test) {
    std::vector<int64_t> extra;
    for (size_t i = 0; i < test.size.size(); ++i)
        extra.push_back((test.size[i] + 2 * test.pads[i] - test.dilations[i] * (test.kernel[i] - 1) - 1) %
                        test.strides[i]);
    const std::string attributes =
        fmt::format("group = {}, kernel_shape = [{}], strides = [{}], dilations = [{}], pads = [{},{}]", test.groups,
                    fmt::join(test.kernel, ","), fmt::join(test.strides, ","), fmt::join(test.dilations, ","),
                    fmt::join(test.pads, ","), fmt::join(test.pads, ","));
    return fmt::format(
        "g (float[1,{0},{1}] x, float[1,{2},{3}] y, float[{2},{4},{5}] w) => (float here, float there) {{ "
        "c = Conv <{6}> (x, w) cy = Mul(c, y) here = ReduceSum <keepdims = 0> (cy) "
        "t = ConvTranspose <{6}, output_padding = [{7}]> (y, w) xt = Mul(x, t) "
        "there = ReduceSum <keepdims = 0> (xt) }}",
        test.groups * test.channels, fmt::join(test.size, ","), test.groups * test.results,
        fmt::join(test.resultSize(), ","), test.channels, fmt::join(test.kernel, ","), attributes,
        fmt::join(extra, ","));
}

} // namespace

class TestTransposedConv : public QObject {
    Q_OBJECT

private slots:
    void adjoint() {
        const Case cases[] = {
            {{9}, {4}, {2}, {1}, {1}},
            {{10}, {3}, {3}, {0}, {1}, 2},
            {{9, 8}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
            {{8, 9}, {4, 2}, {2, 2}, {1, 0}, {1, 1}, 3},
            {{11, 7}, {5, 3}, {4, 1}, {2, 1}, {1, 1}},
            {{9, 6}, {3, 3}, {3, 3}, {0, 0}, {1, 1}, 2}, // phases of one tap
            {{8, 10}, {4, 2}, {2, 1}, {1, 1}, {1, 1}},
            {{3, 4}, {3, 4}, {2, 5}, {0, 0}, {1, 1}}, // of a single place
            {{4, 4}, {4, 3}, {1, 1}, {1, 1}, {1, 1}, 2},
            {{7, 7}, {2, 2}, {3, 3}, {0, 0}, {1, 1}}, // a phase without taps: no phases
            {{9, 9}, {3, 3}, {2, 2}, {2, 2}, {2, 2}}, // dilated: none
            {{5, 6, 7}, {3, 2, 3}, {2, 2, 1}, {1, 0, 1}, {1, 1, 1}, 2},
        };
        std::mt19937 generator(7);
        for (const Case& test : cases) {
            const std::string graph = bothWays(test), bytes = graphBytes(graph);
            const MemoryFile artifact("transposed");
            driver::Options options;
            options.cache = false;
            driver::Trace trace;
            const auto compiled =
                driver::compileBytes(std::as_bytes(std::span(bytes)), "model", artifact.path(), {}, options, trace);
            QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
            device::RunnerOptions where;
            where.program = LATHE_BINARY_DIR "/lathe-runner";
            device::RunnerClient runner(where);
            QVERIFY(runner.load(artifact.path()));
            const auto give = [&](const std::string& name, const std::vector<int64_t>& shape) {
                int64_t count = 1;
                for (const int64_t dim : shape)
                    count *= dim;
                std::vector<float> values(static_cast<size_t>(count));
                for (float& value : values)
                    value = static_cast<float>(static_cast<int>(generator() % 9) - 4);
                return runner.setInput(name, tensorOf(types::Float32, shape, values)).has_value();
            };
            QVERIFY(give("x", joined({1, test.groups * test.channels}, test.size)));
            QVERIFY(give("y", joined({1, test.groups * test.results}, test.resultSize())));
            QVERIFY(give("w", joined({test.groups * test.results, test.channels}, test.kernel)));
            QVERIFY(runner.run());
            const float here = valuesOf<float>(*runner.output(0)).at(0),
                        there = valuesOf<float>(*runner.output(1)).at(0);
            QVERIFY2(here == there && here != 0, fmt::format("{}: {} and {}", graph, here, there).c_str());
        }
    }
};

Test test() {
    return {makes<TestTransposedConv>};
}

} // namespace lathe::testing::test_transposed_conv

#include "test_transposed_conv.moc"
