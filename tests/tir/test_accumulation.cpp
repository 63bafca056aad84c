// SPDX-License-Identifier: Apache-2.0
//
// Vectors along a reduction: what adds to one element becomes one horizontal sum a vector; what only looks like it stays a
// loop.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tir/transform/vectorize_loops.h"
#include "tir/verify.h"

#include <QTest>

namespace lathe::testing::test_accumulation {

using namespace lathe::tir;
using lathe::testing::read;

namespace {

std::string kernel(const std::string& type, const std::string& body) {
    return "primfunc f(B, A) outputs 1 {\n  buffer B: " + type + "[16]\n  buffer A: " + type +
           "[16]\n  for i in 16 vectorized @0 {\n" + body + "  }\n}\n";
}

} // namespace

class TestAccumulation : public QObject {
    Q_OBJECT

private slots:
    void lanesAreCombined_data() {
        QTest::addColumn<QString>("store");
        QTest::addColumn<QString>("expected"); // what is stored; empty: a loop
        QTest::addRow("sum") << "A[3] = A[3] + B[i]" << "A[3] + reduce_add:float32(B[ramp(0, 1, 16)])";
        QTest::addRow("other side") << "A[3] = B[i] * B[i] + A[3]"
                                    << "A[3] + reduce_add:float32(B[ramp(0, 1, 16)] * B[ramp(0, 1, 16)])";
        QTest::addRow("maximum") << "A[3] = max(A[3], B[i])" << "max(A[3], reduce_max:float32(B[ramp(0, 1, 16)]))";
        QTest::addRow("minimum") << "A[3] = min(A[3], B[i])" << "min(A[3], reduce_min:float32(B[ramp(0, 1, 16)]))";
        QTest::addRow("product") << "A[3] = A[3] * B[i]" << "A[3] * reduce_mul:float32(B[ramp(0, 1, 16)])";
        QTest::addRow("the same in each lane") << "A[3] = A[3] + B[5]"
                                               << "A[3] + reduce_add:float32(broadcast(B[5], 16))";
        QTest::addRow("difference") << "A[3] = A[3] - B[i]" << "";
        QTest::addRow("another element") << "A[3] = A[4] + B[i]" << "";
        QTest::addRow("reads itself twice") << "A[3] = A[3] + B[i] * A[3]" << "";
        QTest::addRow("the last one") << "A[3] = B[i]" << "";
    }
    void lanesAreCombined() {
        QFETCH(QString, store);
        QFETCH(QString, expected);
        const PrimFuncPtr function =
            vectorizeLoops(read(kernel("float32", "    " + store.toStdString() + " @0\n")), {});
        const auto verified = verify(*function, Level::Lowered);
        QVERIFY2(verified, verified ? "" : toString(verified.error()).c_str());
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(expected.isEmpty() ? text.contains("for i in 16 @0") && !text.contains("reduce_")
                                    : text.contains(expected) && !text.contains("for i"),
                 qPrintable(text));
    }

    void whatElseReadsItSeesEachStep() {
        const PrimFuncPtr function = vectorizeLoops(
            read(kernel("float32", "    seq @0 {\n      A[3] = A[3] + B[i] @0\n      A[i] = A[3] @0\n    }\n")), {});
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(text.contains("for i in 16 @0") && !text.contains("reduce_"), qPrintable(text));
    }

    void elementsThatLanesShareStay() {
        const PrimFuncPtr function =
            vectorizeLoops(read(kernel("float32", "    let j = floordiv(i, 4) @0\n    A[j] = A[j] + B[i] @0\n")), {});
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(text.contains("for i in 16 @0"), qPrintable(text));
    }

    /// A place that differs by lane though its index does not say so.
    void placesFromMemoryStay() {
        const PrimFuncPtr function = vectorizeLoops(
            read("primfunc f(P, B, A) outputs 1 {\n  buffer P: int64[16]\n  buffer B: float32[16]\n"
                 "  buffer A: float32[16]\n  for i in 16 vectorized @0 {\n    allocate t: int64[1] local @0\n"
                 "    seq @0 {\n      t[0] = P[i] @0\n"
                 "      A[cast:index(t[0])] = A[cast:index(t[0])] + B[i] @0\n    }\n  }\n}\n"),
            {});
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(text.contains("for i in 16 @0"), qPrintable(text));
    }

    /// Lanes of one store, a step apart, in iterations of a loop inside: whether the distances between these leave room.
    void lanesApart_data() {
        QTest::addColumn<QString>("index"); // j: the iteration inside
        QTest::addColumn<bool>("apart");
        QTest::addRow("a vector on") << "j * 16 + i" << true;
        QTest::addRow("further on") << "j * 24 + i" << true;
        QTest::addRow("half a vector on") << "j * 8 + i" << false;
        QTest::addRow("between the lanes") << "j * 3 + i * 6" << false;
        QTest::addRow("multiples of several") << "j * 48 + floordiv(j, 2) * 32 + i" << true;
        QTest::addRow("steps of three vectors") << "j * 96 + i * 2" << true;
    }
    void lanesApart() {
        QFETCH(QString, index);
        QFETCH(bool, apart);
        const PrimFuncPtr function = vectorizeLoops(
            read("primfunc f(A) outputs 1 {\n  buffer A: float32[999]\n  for i in 16 vectorized @0 {\n"
                 "    for j in 4 @0 {\n      A[" +
                 index.toStdString() + "] = A[" + index.toStdString() + "] + 1:float32 @0\n    }\n  }\n}\n"),
            {});
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(text.contains("for i in 16") != apart, qPrintable(text));
    }
    /// What is read never falls on a lane.
    void betweenLanes() {
        const PrimFuncPtr function = vectorizeLoops(
            read("primfunc f(A) outputs 1 {\n  buffer A: float32[999]\n  for i in 16 vectorized @0 {\n"
                 "    for j in 4 @0 {\n      A[j * 32 + i * 2] = A[j * 32 + i * 2 + 1] @0\n    }\n  }\n}\n"),
            {});
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(!text.contains("for i in 16"), qPrintable(text));
    }

    void someLanesStay() {
        const PrimFuncPtr function =
            vectorizeLoops(read(kernel("float32", "    if i < 9 @0 {\n      A[3] = A[3] + B[5] @0\n    }\n")), {});
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(text.contains("for i in 16 @0") || text.contains("for i in 9 @0"), qPrintable(text));
    }

    /// Sums of integers may be combined likewise, but nothing asks for it.
    void integersStay() {
        const PrimFuncPtr function = vectorizeLoops(read(kernel("int8", "    A[3] = A[3] + B[i] @0\n")), {});
        const QString text = QString::fromStdString(print(*function));
        QVERIFY2(text.contains("for i in 16 @0") && !text.contains("reduce_"), qPrintable(text));
    }
};

Test test() {
    return {makes<TestAccumulation>};
}

} // namespace lathe::testing::test_accumulation

#include "test_accumulation.moc"
