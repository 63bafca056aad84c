// SPDX-License-Identifier: Apache-2.0
//
// Where the rows of local buffers begin.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tir/transform/flatten_buffers.h"
#include "tir/verify.h"

#include <QTest>

namespace lathe::testing::test_flatten_buffers {

using namespace lathe::tir;
using lathe::testing::read;

class TestFlattenBuffers : public QObject {
    Q_OBJECT

private slots:
    void rows_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("dims");
        QTest::addColumn<int>("elements");
        QTest::addColumn<int>("index"); // of [2, 1]
        QTest::addRow("longer than a line") << "float32" << "3, 20" << 2 * 32 + 20 << 2 * 32 + 1;
        QTest::addRow("two lines") << "float32" << "3, 32" << 96 << 65;
        QTest::addRow("shorter than a line") << "float32" << "3, 9" << 27 << 19;
        QTest::addRow("bytes") << "int8" << "3, 70" << 2 * 128 + 70 << 2 * 128 + 1;
    }
    void rows() {
        QFETCH(QString, type);
        QFETCH(QString, dims);
        QFETCH(int, elements);
        QFETCH(int, index);
        const std::string element = type.toStdString();
        const Flattened flattened =
            flattenBuffers(read("primfunc f(A) outputs 1 {\n  buffer A: " + element + "[3]\n  allocate t: " + element +
                                "[" + dims.toStdString() + "] local @0\n  seq @0 {\n    t[2, 1] = A[0] @0\n" +
                                "    A[1] = t[2, 1] @0\n  }\n}\n"));
        const auto verified = verify(*flattened.function, Level::Lowered);
        QVERIFY2(verified, verified ? "" : toString(verified.error()).c_str());
        const QString text = QString::fromStdString(print(*flattened.function));
        QVERIFY2(text.contains(QString("[%1] local").arg(elements)), qPrintable(text));
        QCOMPARE(text.count(QString("t[%1]").arg(index)), 2);
    }
};

Test test() {
    return {makes<TestFlattenBuffers>};
}

} // namespace lathe::testing::test_flatten_buffers

#include "test_flatten_buffers.moc"
