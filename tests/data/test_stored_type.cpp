// SPDX-License-Identifier: Apache-2.0
//
// Types that NumPy lacks, as files have them: their bits and the numbers that widening gives are taken back exactly, and what is
// no such number is refused by its place.
#include "base/narrow_float.h"
#include "data/stored_type.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <numeric>

namespace lathe::testing::test_stored_type {

using model::HostTensor;

namespace {

DataType typeCalled(const QString& name) {
    return *parseDataType(name.toStdString());
}

} // namespace

class TestStoredType : public QObject {
    Q_OBJECT

private slots:
    /// Each value of the type, from the float32 that it widens to without loss.
    void floatsOfAllBits_data() {
        QTest::addColumn<int>("count");
        for (const char* name : {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0"})
            QTest::newRow(name) << 256;
        QTest::newRow("float4_e2m1") << 16;
        QTest::newRow("bfloat16") << 65536;
    }
    void floatsOfAllBits() {
        QFETCH(int, count);
        const DataType dtype = typeCalled(QTest::currentDataTag());
        std::vector<float> numbers;
        for (int bits = 0; bits < count; ++bits)
            numbers.push_back(static_cast<float>(bitsToFloat(static_cast<uint64_t>(bits), dtype)));
        const auto taken = data::takenAs(tensorOf(types::Float32, {count}, numbers), dtype);
        QVERIFY2(taken, taken ? "" : toString(taken.error()).c_str());
        QVERIFY(taken->dtype == dtype);
        for (int bits = 0; bits < count; ++bits) {
            const double number = model::elementAsDouble(dtype, taken->bytes, static_cast<size_t>(bits));
            const double wanted = numbers[static_cast<size_t>(bits)];
            QVERIFY2((std::isnan(number) && std::isnan(wanted)) ||
                         (number == wanted && std::signbit(number) == std::signbit(wanted)),
                     qPrintable(QString::number(bits)));
        }
    }

    /// -3 in four bits is 1101, which ml_dtypes has in a byte of its own, and int8 with its sign.
    void narrowIntegers() {
        const auto taken = [](DataType stored, std::vector<uint8_t> bytes, DataType meant) {
            const auto count = static_cast<int64_t>(bytes.size());
            const auto tensor = data::takenAs(tensorOf(stored, {count}, bytes), meant);
            return tensor && tensor->dtype == meant ? valuesOf<uint8_t>(*tensor) : std::vector<uint8_t>();
        };
        using Bytes = std::vector<uint8_t>;
        const Bytes signedOnes{1, 7, 0xfd, 0xf8};
        QCOMPARE(taken(types::Int8, signedOnes, types::Int4), signedOnes);
        QCOMPARE(taken(types::UInt8, {1, 7, 0x0d, 0x08}, types::Int4), signedOnes);
        QCOMPARE(taken(types::UInt8, signedOnes, types::Int4), signedOnes);
        QCOMPARE(taken(types::UInt8, {0, 9, 15}, types::UInt4), (Bytes{0, 9, 15}));
        QCOMPARE(taken(types::UInt8, {0, 1, 2, 3}, types::Int2), (Bytes{0, 1, 0xfe, 0xff}));
        QCOMPARE(taken(types::UInt8, {0, 3}, types::UInt2), (Bytes{0, 3}));
        QCOMPARE(taken(types::UInt8, {0, 15}, {TypeCode::Float4E2M1, 4}), (Bytes{0, 15}));
        for (const uint8_t beyond : {8, 127, 0x80, 0xf7})
            QCOMPARE(taken(types::Int8, {beyond}, types::Int4), Bytes());
        for (const uint8_t beyond : {16, 0x80, 0xf7})
            QCOMPARE(taken(types::UInt8, {beyond}, types::Int4), Bytes());
        QCOMPARE(taken(types::UInt8, {16}, types::UInt4), Bytes());
        QCOMPARE(taken(types::Int8, {1}, types::UInt4), Bytes()); // it may have a sign
        QCOMPARE(taken(types::UInt8, {16}, {TypeCode::Float4E2M1, 4}), Bytes());
    }

    void bitsInUnsignedIntegers() {
        const std::vector<uint16_t> bits{0x3f80, 0x4020, 0xc040, 0x7fc1};
        const auto taken = data::takenAs(tensorOf(types::UInt16, {2, 2}, bits), types::BFloat16);
        QVERIFY(taken && taken->dtype == types::BFloat16);
        QCOMPARE(valuesOf<uint16_t>(*taken), bits);
        QCOMPARE(taken->shape, (std::vector<int64_t>{2, 2}));
        QVERIFY(data::areBitsOf(types::UInt8, typeCalled("float8_e5m2")) &&
                data::areBitsOf(types::UInt8, types::UInt4));
        QVERIFY(!data::areBitsOf(types::UInt16, types::Float16) && !data::areBitsOf(types::UInt8, types::Int8));
        QVERIFY(!data::areBitsOf(types::UInt8, types::BFloat16) && !data::areBitsOf(types::Int16, types::BFloat16));
        QVERIFY(!data::areBitsOf(types::UInt8, types::Bool) && !data::areBitsOf(types::UInt64, types::Index));
    }

    void whatItLacks_data() {
        QTest::addColumn<float>("number");
        QTest::newRow("bfloat16") << 0.1F; // no sum of eight neighbouring powers of two
        QTest::newRow("float8_e4m3fn") << std::numeric_limits<float>::infinity();
        QTest::newRow("float8_e5m2") << 1.125F;
        QTest::newRow("float8_e8m0") << 0.F;
        QTest::newRow("float4_e2m1") << std::numeric_limits<float>::quiet_NaN();
    }
    void whatItLacks() {
        QFETCH(float, number);
        const std::string name = QTest::currentDataTag();
        const std::vector<float> numbers{1, 1, 1, number};
        const auto taken = data::takenAs(tensorOf(types::Float32, {2, 2}, numbers), *parseDataType(name));
        QVERIFY(!taken);
        QVERIFY2(taken.error().what.contains(name) && taken.error().what.contains("[1,1]"), taken.error().what.c_str());
    }

    /// What NumPy has is what the file says, and another type is no conversion's.
    void nothingElseIsConverted() {
        const HostTensor numbers = tensorOf<float>(types::Float32, {2}, {1, 2});
        for (const DataType meant :
             {types::Void, types::Float16, types::Float64, types::Float32, types::Int4, types::Bool})
            QVERIFY(*data::takenAs(numbers, meant) == numbers);
        const HostTensor wide = tensorOf<double>(types::Float64, {1}, {1});
        QVERIFY(*data::takenAs(wide, types::BFloat16) == wide);
        const HostTensor half = tensorOf<uint16_t>(types::Float16, {1}, {0x3c00});
        QVERIFY(*data::takenAs(half, types::BFloat16) == half);
        const HostTensor none = tensorOf<float>(types::Float32, {0, 3}, {});
        QCOMPARE(data::takenAs(none, types::BFloat16)->shape, none.shape);
    }
};

Test test() {
    return {makes<TestStoredType>};
}

} // namespace lathe::testing::test_stored_type

#include "test_stored_type.moc"
