// SPDX-License-Identifier: Apache-2.0
// Sizes of inputs from files and wishes, and the rows of a profile: what command line and workbench share, without a runner.
#include "arith/expr.h"
#include "device/input_integers.h"
#include "inspect/inputs.h"
#include "inspect/profile.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <set>

namespace lathe::testing::test_inputs {

using device::RunnerValue;
using driver::Shapes;

namespace {

constexpr int64_t huge = int64_t{1} << 62;

/// x: float32[n,3], z: float32[n,m].
const std::vector<RunnerValue> inputs = {{"x", types::Float32, {-1, 3}, {"n", ""}},
                                         {"z", types::Float32, {-1, -2}, {"n", "m"}}};

model::HostTensor floats(std::vector<int64_t> shape) {
    model::HostTensor tensor{types::Float32, std::move(shape), {}, {}};
    tensor.bytes.resize(static_cast<size_t>(tensor.elements()) * 4);
    return tensor;
}

} // namespace

class TestInputs : public QObject {
    Q_OBJECT

private slots:
    void symbolsTakeTheSizesOfFilesAndWishes() {
        QCOMPARE(inspect::inputShapes(inputs, {}, {}).value(), (Shapes{{"x", {1, 3}}, {"z", {1, 1}}}));
        QCOMPARE(inspect::inputShapes(inputs, {}, {{"z", {4, 5}}}).value(), (Shapes{{"x", {4, 3}}, {"z", {4, 5}}}));
        QCOMPARE(inspect::inputShapes(inputs, {{"x", floats({7, 3})}}, {}).value(),
                 (Shapes{{"x", {7, 3}}, {"z", {7, 1}}}));
        QCOMPARE(inspect::inputShapes(inputs, {{"x", floats({7, 3})}}, {{"z", {7, 2}}}).value(),
                 (Shapes{{"x", {7, 3}}, {"z", {7, 2}}}));
        QCOMPARE(inspect::inputShapes(inputs, {}, {{"x", {0, 3}}}).value(), (Shapes{{"x", {0, 3}}, {"z", {0, 1}}}));
    }

    /// An open size by its own name, and sizes that are left open.
    void sizesByName() {
        QCOMPARE(inspect::inputShapes(inputs, {}, {{"n", {5}}}).value(), (Shapes{{"x", {5, 3}}, {"z", {5, 1}}}));
        QCOMPARE(inspect::inputShapes(inputs, {}, {{"x", {-1, 3}}, {"z", {-1, 2}}}).value(),
                 (Shapes{{"x", {1, 3}}, {"z", {1, 2}}}));
        QCOMPARE(inspect::inputShapes(inputs, {{"x", floats({7, 3})}}, {{"x", {-1, 3}}, {"m", {4}}}).value(),
                 (Shapes{{"x", {7, 3}}, {"z", {7, 4}}}));
        QCOMPARE(inspect::sizesTakenAsOne(inputs, {}, {{"n", {5}}}), std::vector<std::string>{"m"});
    }

    void refused_data() {
        QTest::addColumn<Shapes>("asked");
        QTest::addColumn<QString>("named");
        QTest::newRow("no such input") << Shapes{{"y", {1}}} << "'y'";
        QTest::newRow("a size, twice") << Shapes{{"n", {2}}, {"x", {3, 3}}} << "[2,-1] and [3,3]";
        QTest::newRow("sizes for one") << Shapes{{"n", {2, 3}}} << "'n'";
        QTest::newRow("other rank") << Shapes{{"x", {1, 3, 1}}} << "'x'";
        QTest::newRow("sizes by the model's names") << Shapes{{"z", {1}}} << "[1], but is float32[n,m] in the model";
        QTest::newRow("no dims") << Shapes{{"x", {}}} << "'x'";
        QTest::newRow("other fixed dim") << Shapes{{"x", {1, 4}}} << "[1,4]";
        QTest::newRow("one symbol, two sizes") << Shapes{{"x", {2, 3}}, {"z", {3, 1}}} << "'z'";
        QTest::newRow("one input, two sizes") << Shapes{{"z", {2, 3}}, {"z", {2, 4}}} << "[2,4]";
        for (const int64_t size : {int64_t{1} << 40, int64_t{1} << 41, huge, INT64_MAX})
            QTest::addRow("size %lld", static_cast<long long>(size))
                << Shapes{{"x", {size, 3}}} << QString::number(size);
        QTest::newRow("product that wraps to 0") << Shapes{{"z", {int64_t{1} << 32, int64_t{1} << 32}}} << "too large";
        QTest::newRow("bytes that wrap to 0") << Shapes{{"z", {int64_t{1} << 31, int64_t{1} << 31}}} << "too large";
    }
    void refused() {
        QFETCH(Shapes, asked);
        QFETCH(QString, named);
        const auto shapes = inspect::inputShapes(inputs, {}, asked);
        QVERIFY(!shapes);
        QVERIFY2(QString::fromStdString(toString(shapes.error())).contains(named), toString(shapes.error()).c_str());
    }

    void wishesAgainstAFile() {
        QVERIFY(!inspect::inputShapes(inputs, {{"x", floats({7, 3})}}, {{"x", {6, 3}}}));
        QVERIFY(!inspect::inputShapes(inputs, {{"x", floats({7, 3})}}, {{"z", {6, 3}}}));
        QVERIFY(!inspect::inputShapes(inputs, {{"g", floats({7, 3})}}, {}));
    }

    void everyPairOfLargeSizesIsAnswered() {
        // Whatever two sizes are asked for, the answer is a tensor that fits its limits, or a refusal.
        std::vector<int64_t> sizes;
        for (int bit = 0; bit <= 62; ++bit)
            for (const int64_t around : {-1, 0, 1})
                sizes.push_back((int64_t{1} << bit) + around);
        int good = 0;
        for (const int64_t a : sizes)
            for (const int64_t b : sizes) {
                const auto shapes = inspect::inputShapes(inputs, {}, {{"z", {a, b}}});
                const double bytes = static_cast<double>(a) * static_cast<double>(b) * 4;
                if (shapes)
                    QVERIFY(bytes <= 0x1p42);
                good += shapes.has_value();
            }
        QVERIFY(good > 1000);
    }

    void randomValuesAreOfTheSeed() {
        std::mt19937_64 one(3), two(3);
        const auto a = inspect::randomTensor(types::Float32, {100}, one);
        QCOMPARE(a, inspect::randomTensor(types::Float32, {100}, two));
        QVERIFY(a != inspect::randomTensor(types::Float32, {100}, two));
        for (const std::byte value : inspect::randomTensor(types::Bool, {100}, one).bytes)
            QVERIFY(value == std::byte{0} || value == std::byte{1});
        QCOMPARE(inspect::randomTensor(types::Int64, {0, 5}, one).bytes.size(), size_t(0));
    }

    /// Of a table of 7 rows, of one as long as a size of an input, and of neither; through metadata, as artifacts have it.
    void integersAreThoseThatTheModelTakes() {
        device::RunnerModel loaded;
        loaded.symbols = {"n"};
        loaded.metadata =
            R"({"integers": {"i": {"least": 0, "below": [[7, 0], [-1, 2]]}, "d": {"least": 1, "below": []},
                              "odd": {"least": 0, "below": [[-2, 0]]}, "none": {"least": 0, "below": [[0, 0]]}}})";
        for (const char* name : {"i", "d", "odd", "none", "other"})
            loaded.inputs.push_back({name, types::Int64, {-1}, {"n"}});
        device::readIntegers(loaded);
        QVERIFY(loaded.inputs[0].integers && !loaded.inputs[2].integers && !loaded.inputs[4].integers);
        const auto rangesAt = [&](int64_t n) {
            Shapes shapes;
            for (const RunnerValue& input : loaded.inputs)
                shapes.emplace_back(input.name, std::vector<int64_t>{n});
            return device::rangesOf(loaded.inputs, shapes);
        };
        using Ranges = std::vector<device::IntegerRange>;
        QCOMPARE(rangesAt(3), (Ranges{{0, 5}, {1, 3}, {0, 2}, {0, 2}, {0, 2}}));
        QCOMPARE(rangesAt(9), (Ranges{{0, 7}, {1, 3}, {0, 2}, {0, 2}, {0, 2}}));
        for (const char* text : {"", "[]", "{", R"({"integers": 3})", R"({"integers": {"i": {"least": "a"}}})",
                                 R"({"integers": {"i": {"least": 1, "below": [[1]]}}})"}) {
            loaded.metadata = text;
            loaded.inputs[0].integers.reset();
            device::readIntegers(loaded);
            QVERIFY(!loaded.inputs[0].integers);
        }
    }

    void integersFitTheirType() {
        using device::IntegerRange;
        QCOMPARE(device::within(types::Int8, {0, 30522}), (IntegerRange{0, 128}));
        QCOMPARE(device::within(types::UInt8, {-3, 30522}), (IntegerRange{0, 256}));
        QCOMPARE(device::within(types::Int64, {-3, int64_t{1} << 40}), (IntegerRange{-3, int64_t{1} << 40}));
        QCOMPARE(device::within(types::Int8, {200, 300}), (IntegerRange{0, 2}));
        std::mt19937_64 generator(3);
        const auto drawn = inspect::randomTensor(types::Int8, {1000}, generator, {-2, 3});
        std::set<int> seen;
        for (const std::byte value : drawn.bytes)
            seen.insert(static_cast<int8_t>(value));
        QCOMPARE(seen, (std::set<int>{-2, -1, 0, 1, 2}));
    }

    void profileRowsHaveSharesAndRates() {
        device::RunnerModel loaded;
        loaded.calls = {{"f", "k", {"a", "a", "b"}, 1e9, 0}, {"g", "k", {}, 0, 6e6}, {"never", "k", {}, 1, 1}};
        device::RunnerProfile measured;
        // Two runs: f once in each, 1 ms a run; g in a loop, twice in each, 3 ms a run.
        measured.calls = {{2, 2'000'000, 0, 0}, {4, 6'000'000, 0, 0}, {0, 0, 0, 0}};
        const auto rows = inspect::profileRows(loaded, measured, 2, {}, {});
        QCOMPARE(rows.size(), size_t(2)); // the third did not run
        QCOMPARE(rows[0].function, std::string("g"));
        QCOMPARE(rows[0].share, 0.75);
        QCOMPARE(rows[0].gbs(), 4.0); // 12 MB in 3 ms
        QCOMPARE(rows[1].ms, 1.0);
        QCOMPARE(rows[1].gflops(), 1000.0); // 1 GFLOP in 1 ms
        QCOMPARE(rows[1].origins, (std::vector<std::string>{"a", "b"}));
    }
};

Test test() {
    return {makes<TestInputs>};
}

} // namespace lathe::testing::test_inputs

#include "test_inputs.moc"
