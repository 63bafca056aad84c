// SPDX-License-Identifier: Apache-2.0
// Whatever work throws becomes a diagnostic of the right kind; and the form of diagnostics that programs read.
#include "base/guarded.h"

#include "base/diagnostics.h"
#include "support/program_of_tests.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>

namespace lathe::testing::test_guarded {

namespace {

ErrorKind kindOf(const std::function<void()>& work) {
    const Result<int> result = guarded([&]() -> Result<int> {
        work();
        return 1;
    });
    return result ? ErrorKind::Usage : result.error().kind;
}

} // namespace

class TestGuarded : public QObject {
    Q_OBJECT

private slots:
    void exceptions() {
        QVERIFY(kindOf([] { throw Cancelled{}; }) == ErrorKind::Cancelled);
        QVERIFY(kindOf([] { internalError("x.cpp", 1, "a", "b"); }) == ErrorKind::Internal);
        QVERIFY(kindOf([] { throw std::bad_alloc(); }) == ErrorKind::Invalid);
        QVERIFY(kindOf([] { throw std::system_error(EAGAIN, std::generic_category()); }) == ErrorKind::Invalid);
        QVERIFY(kindOf([] { throw std::out_of_range("at"); }) == ErrorKind::Internal);
        QVERIFY(kindOf([] { throw std::length_error("resize"); }) == ErrorKind::Internal);
        QVERIFY(kindOf([] { throw 7; }) == ErrorKind::Internal);
    }

    void resultsPass() {
        QCOMPARE(*guarded([]() -> Result<int> { return 7; }), 7);
        const Result<int> failed = guarded([]() -> Result<int> { return failure(ErrorKind::Usage, "no"); });
        QVERIFY(failed.error().kind == ErrorKind::Usage);
        QCOMPARE(failed.error().what, std::string("no"));
    }

    void internalErrorsSaySo() {
        Diagnostic diagnostic = error(ErrorKind::Internal, "broken");
        diagnostic.file = "m.onnx";
        QCOMPARE(toString(diagnostic), std::string("internal error: m.onnx: broken"));
        diagnostic.kind = ErrorKind::Unsupported;
        QCOMPARE(toString(diagnostic), std::string("error: m.onnx: broken"));
    }

    void json() {
        Diagnostic diagnostic = error(ErrorKind::Unsupported, "\"quoted\"\n\xff", "replace it");
        diagnostic.op = "ai.onnx.Conv-11";
        diagnostic.line = 3;
        const std::string text = toJson(diagnostic);
        QVERIFY(text.find('\n') == std::string::npos);
        const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
        QCOMPARE(object["severity"].toString(), "error");
        QCOMPARE(object["kind"].toString(), "unsupported");
        QCOMPARE(object["operator"].toString(), "ai.onnx.Conv-11");
        QCOMPARE(object["line"].toInt(), 3);
        QVERIFY(object["what"].toString().startsWith("\"quoted\"\n"));
        QCOMPARE(object["hint"].toString(), "replace it");
    }
};

Test test() {
    return {makes<TestGuarded>};
}

} // namespace lathe::testing::test_guarded

#include "test_guarded.moc"
