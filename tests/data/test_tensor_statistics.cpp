// SPDX-License-Identifier: Apache-2.0
//
// Statistics of tensors against closed forms: sums of the first numbers, shifts and scales that mean and deviation follow,
// every bit pattern of each narrow type counted once, values at both ends of their type.
#include "data/tensor_statistics.h"

#include "base/narrow_float.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace lathe::testing::test_tensor_statistics {

using data::statisticsOf;
using data::TensorStatistics;

namespace {

template <typename T>
model::TensorData tensorOf(DataType dtype, const std::vector<T>& values) {
    auto owner = std::make_shared<std::vector<T>>(values);
    model::TensorData tensor;
    tensor.dtype = dtype;
    tensor.shape = {int64_t(values.size())};
    tensor.bytes = {owner, std::as_bytes(std::span(*owner))};
    return tensor;
}

TensorStatistics of(const model::TensorData& tensor) {
    const auto found = statisticsOf(tensor);
    if (!found)
        qFatal("there are no statistics");
    return *found;
}

int64_t counted(const TensorStatistics& found) {
    return std::accumulate(found.histogram.counts.begin(), found.histogram.counts.end(), int64_t(0));
}

bool near(double got, double expected, double relative) {
    return std::abs(got - expected) <= relative * std::abs(expected);
}

constexpr double infinite = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();

} // namespace

class TestTensorStatistics : public QObject {
    Q_OBJECT

private slots:
    /// 0 … n-1: the mean is (n-1)/2, the variance (n²-1)/12; across many blocks.
    void firstNumbers() {
        for (const int64_t n : {1, 2, 7, 4096, 4097, 100'000}) {
            std::vector<int32_t> values(static_cast<size_t>(n));
            std::iota(values.begin(), values.end(), 0);
            std::shuffle(values.begin(), values.end(), std::mt19937_64(7));
            const TensorStatistics found = of(tensorOf(types::Int32, values));
            QCOMPARE(found.elements, n);
            QCOMPARE(found.finite, n);
            QCOMPARE(found.zeros, int64_t(1));
            QCOMPARE(found.minimum, 0.0);
            QCOMPARE(found.maximum, double(n - 1));
            QVERIFY(near(found.mean, double(n - 1) / 2, 1e-15));
            QVERIFY(near(found.deviation, std::sqrt((double(n) * double(n) - 1) / 12), 1e-14));
            QCOMPARE(counted(found), n);
            // Each bar but the last holds as many values as it is wide.
            const auto& histogram = found.histogram;
            QVERIFY(histogram.counts.size() <= size_t(data::histogramBars));
            for (size_t i = 0; i + 1 < histogram.counts.size(); ++i)
                QCOMPARE(double(histogram.counts[i]), histogram.width);
        }
    }

    /// a·x + b has the mean a·m + b and the deviation |a|·d; a large b must not swallow the deviation.
    void shiftedAndScaled() {
        std::mt19937_64 random(3);
        std::normal_distribution<double> normal;
        std::vector<double> values(50'000), other;
        for (double& value : values)
            value = normal(random);
        const TensorStatistics first = of(tensorOf(types::Float64, values));
        for (const auto& [a, b] : {std::pair(3.0, 1e6), std::pair(-0.25, -1e6)}) {
            other.clear();
            for (const double value : values)
                other.push_back(a * value + b);
            const TensorStatistics second = of(tensorOf(types::Float64, other));
            QVERIFY(near(second.mean, a * first.mean + b, 1e-12));
            QVERIFY(near(second.deviation, std::abs(a) * first.deviation, 1e-9));
            QCOMPARE(second.minimum, a * (a > 0 ? first.minimum : first.maximum) + b);
            QCOMPARE(counted(second), int64_t(values.size()));
        }
    }

    /// The order of the elements says nothing but where blocks end.
    void anyOrderIsTheSame() {
        std::mt19937_64 random(5);
        std::vector<float> values(20'000);
        for (float& value : values)
            value = float(random() % 1000) - 500;
        const TensorStatistics first = of(tensorOf(types::Float32, values));
        std::sort(values.begin(), values.end());
        const TensorStatistics second = of(tensorOf(types::Float32, values));
        QVERIFY(near(second.mean, first.mean, 1e-14));
        QVERIFY(near(second.deviation, first.deviation, 1e-14));
        QCOMPARE(second.histogram.counts, first.histogram.counts);
        QCOMPARE(second.zeros, first.zeros);
    }

    void bars() {
        std::vector<float> values(6400);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 64) + 0.5F;
        values[0] = 0;
        values[63] = 64; // at both ends: 64 bars of width 1, each with 100 elements
        const TensorStatistics found = of(tensorOf(types::Float32, values));
        QCOMPARE(found.histogram.from, 0.0);
        QCOMPARE(found.histogram.width, 1.0);
        QCOMPARE(found.histogram.counts, std::vector<int64_t>(64, 100));
        // Few values of integers stand in the middle of a bar each.
        const TensorStatistics few = of(tensorOf(types::Int8, std::vector<int8_t>{-2, 1, 1, 0, -2, -2}));
        QCOMPARE(few.histogram.from, -2.5);
        QCOMPARE(few.histogram.width, 1.0);
        QCOMPARE(few.histogram.counts, (std::vector<int64_t>{3, 0, 1, 2}));
        const TensorStatistics equal = of(tensorOf(types::Float32, std::vector<float>(9, 0.1F)));
        QCOMPARE(equal.histogram.counts, std::vector<int64_t>{9});
        QCOMPARE(equal.deviation, 0.0);
        const TensorStatistics truth = of(tensorOf(types::Bool, std::vector<uint8_t>{1, 0, 1, 1}));
        QCOMPARE(truth.histogram.counts, (std::vector<int64_t>{1, 3}));
        QCOMPARE(truth.mean, 0.75);
        QVERIFY(near(truth.deviation, std::sqrt(0.75 * 0.25), 1e-15));
    }

    void noNumbersAreCountedApart() {
        const TensorStatistics found =
            of(tensorOf(types::Float64, std::vector<double>{none, 1, infinite, -infinite, 3, -0.0, none}));
        QCOMPARE(found.elements, int64_t(7));
        QCOMPARE(found.notNumbers, int64_t(2));
        QCOMPARE(found.infinities, int64_t(2));
        QCOMPARE(found.finite, int64_t(3));
        QCOMPARE(found.zeros, int64_t(1)); // -0 is one
        QCOMPARE(found.minimum, 0.0);
        QCOMPARE(found.maximum, 3.0);
        QVERIFY(near(found.mean, 4.0 / 3, 1e-15));
        QCOMPARE(counted(found), int64_t(3));
        const TensorStatistics nothing = of(tensorOf(types::Float32, std::vector<float>{NAN, INFINITY}));
        QCOMPARE(nothing.finite, int64_t(0));
        QCOMPARE(nothing.maximum, 0.0);
        QVERIFY(nothing.histogram.counts.empty());
        QCOMPARE(of(tensorOf(types::Float32, std::vector<float>())).elements, int64_t(0));
    }

    /// Each bit pattern once: as many NaNs, infinities and zeros as the format has, and a mean that its symmetry gives.
    void everyPatternOfNarrowTypes() {
        std::vector<uint16_t> all(1 << 16);
        std::iota(all.begin(), all.end(), uint16_t(0));
        const TensorStatistics half = of(tensorOf(types::Float16, all));
        QCOMPARE(half.notNumbers, int64_t(2 * 1023));
        QCOMPARE(half.infinities, int64_t(2));
        QCOMPARE(half.zeros, int64_t(2));
        QCOMPARE(half.maximum, 65504.0);
        QCOMPARE(half.minimum, -65504.0);
        QVERIFY(std::abs(half.mean) < 1e-9);
        const TensorStatistics brain = of(tensorOf(types::BFloat16, all));
        QCOMPARE(brain.notNumbers, int64_t(2 * 127));
        QCOMPARE(brain.infinities, int64_t(2));
        QCOMPARE(brain.maximum, 0x1.FEp127);
        QCOMPARE(counted(brain), brain.finite);
        std::vector<uint8_t> bytes(256);
        std::iota(bytes.begin(), bytes.end(), uint8_t(0));
        const TensorStatistics signedBytes = of(tensorOf(types::Int8, bytes));
        QCOMPARE(signedBytes.minimum, -128.0);
        QCOMPARE(signedBytes.maximum, 127.0);
        QCOMPARE(signedBytes.mean, -0.5);
        QCOMPARE(signedBytes.histogram.counts, std::vector<int64_t>(64, 4));
        const DataType narrow{TypeCode::Float8E4M3FN, 8};
        const TensorStatistics eight = of(tensorOf(narrow, bytes));
        QCOMPARE(eight.notNumbers, int64_t(2));
        QCOMPARE(eight.infinities, int64_t(0));
        QCOMPARE(eight.maximum, greatestFinite(narrow));
    }

    void endsOfTheWideTypes() {
        const double most = std::numeric_limits<double>::max();
        const TensorStatistics wide = of(tensorOf(types::Float64, std::vector<double>{most, -most, most, -most}));
        QCOMPARE(wide.mean, 0.0);
        QCOMPARE(wide.deviation, most);
        QCOMPARE(wide.histogram.counts.front(), int64_t(2));
        QCOMPARE(wide.histogram.counts.back(), int64_t(2));
        const double least = std::numeric_limits<double>::denorm_min();
        QCOMPARE(counted(of(tensorOf(types::Float64, std::vector<double>{0, least, 2 * least}))), int64_t(3));
        const auto both = std::numeric_limits<int64_t>();
        const TensorStatistics whole = of(tensorOf(types::Int64, std::vector<int64_t>{both.min(), both.max(), 0}));
        QCOMPARE(counted(whole), int64_t(3));
        QCOMPARE(whole.minimum, -0x1p63);
        const TensorStatistics positive =
            of(tensorOf(types::UInt64, std::vector<uint64_t>{std::numeric_limits<uint64_t>::max(), 0}));
        QCOMPARE(positive.maximum, 0x1p64);
        QCOMPARE(positive.zeros, int64_t(1));
    }

    void whatHasNone() {
        model::TensorData strings;
        strings.dtype = types::String;
        strings.shape = {2};
        strings.strings = {"a", "b"};
        QVERIFY(!data::hasNumbers(strings));
        QVERIFY(!statisticsOf(strings));
        model::TensorData lacking = tensorOf(types::Float32, std::vector<float>(8));
        lacking.shape = {9};
        QVERIFY(!statisticsOf(lacking));
        int asked = 0;
        const auto soon = [&] { return ++asked == 3; };
        QVERIFY(!statisticsOf(tensorOf(types::Float32, std::vector<float>(1 << 20)), soon));
        QCOMPARE(asked, 3);
    }
};

Test test() {
    return {makes<TestTensorStatistics>};
}

} // namespace lathe::testing::test_tensor_statistics

#include "test_tensor_statistics.moc"
