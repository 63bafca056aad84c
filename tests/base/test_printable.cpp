// SPDX-License-Identifier: Apache-2.0
//
// Texts from outside stay one line, and do nothing to the terminal that shows them.
#include "base/diagnostic.h"
#include "base/printable.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_printable {

using lathe::printable;

class TestPrintable : public QObject {
    Q_OBJECT

private slots:
    void escapes_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const auto same = [](const char* name, QByteArray text) { QTest::newRow(name) << text << text; };
        same("empty", "");
        same("plain", "conv1/weights:0 \\ 'a' \"b\"");
        same("of two bytes", "Größe");
        same("of three and four", "畳み込み 🙂");
        QTest::newRow("line") << QByteArray("a\nb\r\tc") << QByteArray("a\\nb\\x0d\\tc");
        QTest::newRow("terminal") << QByteArray("\x1b[31mred") << QByteArray("\\x1b[31mred");
        QTest::newRow("zero and delete") << QByteArray("a\0b\x7f", 4) << QByteArray("a\\x00b\\x7f");
        QTest::newRow("no UTF-8") << QByteArray("a\xff\xc3") << QByteArray("a\\xff\\xc3");
        QTest::newRow("overlong") << QByteArray("\xc0\x8a") << QByteArray("\\xc0\\x8a");
        QTest::newRow("control of two bytes") << QByteArray("\xc2\x85") << QByteArray("\\xc2\\x85");
        QTest::newRow("line separator") << QByteArray("\xe2\x80\xa8") << QByteArray("\\xe2\\x80\\xa8");
        QTest::newRow("right to left") << QByteArray("\xe2\x80\xae") << QByteArray("\\xe2\\x80\\xae");
    }
    void escapes() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), shown);
        QCOMPARE(printable(shown.toStdString()), shown.toStdString()); // once is enough
    }

    void aDiagnosticIsOneLine() {
        lathe::Diagnostic odd = lathe::error("no input 'a\nb'");
        odd.node = "c\nd";
        QCOMPARE(toString(odd), std::string("error: node 'c\\nd': no input 'a\\nb'"));
    }
};

Test test() {
    return {makes<TestPrintable>};
}

} // namespace lathe::testing::test_printable

#include "test_printable.moc"
