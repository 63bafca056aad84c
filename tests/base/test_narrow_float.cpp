// SPDX-License-Identifier: Apache-2.0
// Narrow floats against the values that their specifications give, round trips over all bit patterns, and LLVM's APFloat
// (which has all of these types but float8_e8m0).
// Links: lathe_llvm
#include "base/narrow_float.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>

namespace lathe::testing::test_narrow_float {

namespace {

constexpr DataType e4m3fn{TypeCode::Float8E4M3FN, 8};
constexpr DataType e4m3fnuz{TypeCode::Float8E4M3FNUZ, 8};
constexpr DataType e5m2{TypeCode::Float8E5M2, 8};
constexpr DataType e5m2fnuz{TypeCode::Float8E5M2FNUZ, 8};
constexpr DataType e8m0{TypeCode::Float8E8M0, 8};
constexpr DataType e2m1{TypeCode::Float4E2M1, 4};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

struct Reference {
    DataType type;
    const llvm::fltSemantics& semantics;
};

const Reference references[] = {
    {types::Float16, llvm::APFloat::IEEEhalf()}, {types::BFloat16, llvm::APFloat::BFloat()},
    {e4m3fn, llvm::APFloat::Float8E4M3FN()},     {e4m3fnuz, llvm::APFloat::Float8E4M3FNUZ()},
    {e5m2, llvm::APFloat::Float8E5M2()},         {e5m2fnuz, llvm::APFloat::Float8E5M2FNUZ()},
    {e2m1, llvm::APFloat::Float4E2M1FN()}};

double referenceValue(uint64_t bits, const Reference& reference) {
    llvm::APFloat value(reference.semantics, llvm::APInt(reference.type.bits, bits));
    bool inexact = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return value.convertToDouble();
}

uint64_t referenceBits(double value, const Reference& reference) {
    llvm::APFloat number(value);
    bool inexact = false;
    number.convert(reference.semantics, llvm::APFloat::rmNearestTiesToEven, &inexact);
    return number.bitcastToAPInt().getZExtValue();
}

} // namespace

class TestNarrowFloat : public QObject {
    Q_OBJECT

private slots:
    void everyPatternReadsBack() {
        for (DataType type : {types::Float16, types::BFloat16, e4m3fn, e4m3fnuz, e5m2, e5m2fnuz, e8m0, e2m1})
            for (uint64_t bits = 0; bits < (uint64_t{1} << type.bits); ++bits) {
                double value = bitsToFloat(bits, type);
                if (!std::isnan(value))
                    QCOMPARE(floatToBits(value, type, Overflow::Special), bits);
            }
    }

    void everyPatternIsTheReferences() {
        for (const Reference& reference : references)
            for (uint64_t bits = 0; bits < (uint64_t{1} << reference.type.bits); ++bits) {
                const double value = bitsToFloat(bits, reference.type), expected = referenceValue(bits, reference);
                QCOMPARE(std::isnan(value), std::isnan(expected));
                if (!std::isnan(expected)) {
                    QCOMPARE(value, expected);
                    QCOMPARE(std::signbit(value), std::signbit(expected));
                }
            }
    }

    // Between each value and the next: the middle, where ties go to even, and just below and above it.
    void roundingIsTheReferences() {
        for (const Reference& reference : references)
            for (uint64_t bits = 0; bits < (uint64_t{1} << (reference.type.bits - 1)); ++bits) {
                const double low = bitsToFloat(bits, reference.type), high = bitsToFloat(bits + 1, reference.type);
                if (!std::isfinite(low) || !std::isfinite(high) || high <= low)
                    continue;
                const double middle = low + (high - low) / 2; // exact: a double has many more bits
                for (const double value : {low, std::nextafter(middle, low), middle, std::nextafter(middle, high)})
                    for (const double sign : {1.0, -1.0})
                        QCOMPARE(floatToBits(sign * value, reference.type, Overflow::Special),
                                 referenceBits(sign * value, reference));
            }
    }

    void specialPatterns() {
        QCOMPARE(bitsToFloat(0x3c00, types::Float16), 1.0);
        QCOMPARE(bitsToFloat(0x0001, types::Float16), 0x1p-24);
        QCOMPARE(bitsToFloat(0x3f80, types::BFloat16), 1.0);
        QCOMPARE(bitsToFloat(0x7e, e4m3fn), 448.0);
        QVERIFY(std::isnan(bitsToFloat(0x7f, e4m3fn)));
        QCOMPARE(bitsToFloat(0x7f, e4m3fnuz), 240.0);
        QVERIFY(std::isnan(bitsToFloat(0x80, e4m3fnuz)));
        QCOMPARE(bitsToFloat(0x7b, e5m2), 57344.0);
        QCOMPARE(bitsToFloat(0x7c, e5m2), infinity);
        QCOMPARE(bitsToFloat(0x7f, e5m2fnuz), 57344.0);
        QCOMPARE(bitsToFloat(127, e8m0), 1.0);
        QVERIFY(std::isnan(bitsToFloat(255, e8m0)));
        QCOMPARE(bitsToFloat(7, e2m1), 6.0);
        QCOMPARE(bitsToFloat(1, e2m1), 0.5);
    }

    // ONNX's test_cast_FLOAT_to_FLOAT4E2M1: inputs and codes.
    void castsToFloat4() {
        const double inputs[] = {0.48,       0.25,     1.05,     -3.5,      -8,   9,    1e6, 1e-7,
                                 notANumber, infinity, infinity, -infinity, -4.0, 0.01, -0.0};
        const uint64_t codes[] = {1, 0, 2, 14, 15, 7, 7, 0, 8, 7, 7, 15, 14, 0, 8};
        for (size_t i = 0; i < std::size(inputs); ++i)
            QCOMPARE(floatToBits(inputs[i], e2m1), codes[i]);
    }

    void roundsHalfToEven() {
        QCOMPARE(roundToType(2049.0, types::Float16), 2048.0);
        QCOMPARE(roundToType(2051.0, types::Float16), 2052.0);
        QCOMPARE(roundToType(0x1p-25, types::Float16), 0.0);
        QCOMPARE(roundToType(0x1.8p-25, types::Float16), 0x1p-24);
        QCOMPARE(roundToType(65520.0, types::Float16), infinity);
        QCOMPARE(roundToType(65519.0, types::Float16), 65504.0);
        QCOMPARE(roundToType(464.0, e4m3fn, Overflow::Special), 448.0);
        QVERIFY(std::isnan(roundToType(465.0, e4m3fn, Overflow::Special)));
        QCOMPARE(roundToType(1e9, e4m3fn), 448.0);
        QCOMPARE(roundToType(-infinity, e5m2), -57344.0);
        QCOMPARE(roundToType(-infinity, e5m2, Overflow::Special), -infinity);
        QCOMPARE(floatToBits(-0.0, e4m3fnuz), uint64_t{0});
    }

    // ONNX's test_cast_e8m0_FLOAT_to_FLOAT8E8M0 (rounding up).
    void roundsExponents() {
        const double inputs[] = {0.0, 0.124, 0.25, 0.5, 1.1, 2.0, 4.0, 8.0};
        const uint64_t codes[] = {0, 124, 125, 126, 128, 128, 129, 130};
        for (size_t i = 0; i < std::size(inputs); ++i)
            QCOMPARE(floatToBits(inputs[i], e8m0, Overflow::Saturate, E8M0Rounding::Up), codes[i]);
        QCOMPARE(floatToBits(1.1, e8m0, Overflow::Saturate, E8M0Rounding::Down), uint64_t{127});
        QCOMPARE(floatToBits(1.5, e8m0), uint64_t{128});
        QCOMPARE(floatToBits(infinity, e8m0), uint64_t{255});
    }
};

Test test() {
    return {makes<TestNarrowFloat>};
}

} // namespace lathe::testing::test_narrow_float

#include "test_narrow_float.moc"
