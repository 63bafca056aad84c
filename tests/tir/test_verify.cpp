// SPDX-License-Identifier: Apache-2.0
// Each rule of the verifier refuses what breaks it, and structural hashes leave out names and origins alone.
#include "support/program_of_tests.h"
#include "tir/structure.h"
#include "tir/text.h"
#include "tir/verify.h"

#include <QTest>

namespace lathe::testing::test_verify {

using namespace lathe::tir;

namespace {

PrimFuncPtr withBody(const std::string& body) {
    auto function = parsePrimFunc("primfunc f(A, B, n) outputs 1 {\n  var n: index[0, 100]\n  buffer A: float32[n, 8]\n"
                                  "  buffer B: float32[n, 8]\n" +
                                  body + "\n}\n");
    if (!function)
        qFatal("%s", function.error().what.c_str());
    return *function;
}

QString problem(const PrimFunc& function, Level level) {
    auto result = verify(function, level);
    return result ? QString() : QString::fromStdString(result.error().what);
}

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private slots:
    void rules_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("level");
        QTest::addColumn<QString>("expected"); // part of the diagnostic; empty: right
        int blocks = static_cast<int>(Level::Blocks);
        int loops = static_cast<int>(Level::Loops);
        int lowered = static_cast<int>(Level::Lowered);
        QTest::newRow("right") << "for i in n @0 {\n B[i, 0] = A[i, 0] @0\n }" << loops << "";
        QTest::newRow("no origin") << "B[0, 0] = A[0, 0]" << loops << "no origin";
        QTest::newRow("rank") << "B[0] = A[0, 0] @0" << loops << "1 indices instead of 2";
        QTest::newRow("rank lowered") << "B[0, 0] = A[0] @0" << lowered << "2 indices instead of 1";
        QTest::newRow("input") << "A[0, 0] = B[0, 0] @0" << loops << "the input 'A' is written";
        QTest::newRow("type") << "B[0, 0] = 1:int32 @0" << loops << "type int32 is stored";
        QTest::newRow("condition") << "if 1 @0 {\n B[0, 0] = A[0, 0] @0\n }" << loops << "is no bool";
        QTest::newRow("float index") << "B[0, 1:float32] = A[0, 0] @0" << loops << "type float32";
        QTest::newRow("grain") << "for i in n grain 5 @0 {\n B[i, 0] = A[i, 0] @0\n }" << loops << "is not parallel";
        QTest::newRow("no grain") << "for i in n parallel grain 0 @0 {\n B[i, 0] = A[i, 0] @0\n }" << loops
                                  << "has a grain of 0";
        QTest::newRow("block") << "block b @0 {\n B[0, 0] = A[0, 0] @0\n }" << loops << "still there";
        QTest::newRow("domain")
            << "for i in 9 @0 {\n block b @0 {\n iter v spatial 8 = i\n reads A[0 for 1, v for 1]\n "
               "writes B[0 for 1, v for 1]\n B[0, v] = A[0, v] @0\n } }"
            << blocks << "takes the values 0 to 8";
        QTest::newRow("domain, guarded")
            << "for i in 9 @0 {\n block b @0 {\n iter v spatial 8 = i\n where i < 8\n reads A[0 for 1, v for 1]\n "
               "writes B[0 for 1, v for 1]\n B[0, v] = A[0, v] @0\n } }"
            << blocks << "";
        QTest::newRow("twice")
            << "for i in 2 @0 {\n B[i, 0] = A[i, 0] @0\n }\n for same i in 2 @0 {\n B[i, 0] = A[i, 0] @0\n }" << blocks
            << "'i' is defined twice";
        QTest::newRow("twice, later")
            << "for i in 2 @0 {\n B[i, 0] = A[i, 0] @0\n }\n for same i in 2 @0 {\n B[i, 0] = A[i, 0] @0\n }" << loops
            << "";
        QTest::newRow("within itself") << "for i in 2 @0 {\n for same i in 2 @0 {\n B[i, 0] = A[i, 0] @0\n } }" << loops
                                       << "'i' is defined twice";
        QTest::newRow("read without region") << "block b @0 {\n writes B[0 for 1, 0 for 1]\n B[0, 0] = A[0, 0] @0\n }"
                                             << blocks << "'A' is read, but no region";
        QTest::newRow("written without region") << "block b @0 {\n reads A[0 for 1, 0 for 1]\n B[0, 0] = A[0, 0] @0\n }"
                                                << blocks << "'B' is written, but no region";
        QTest::newRow("region without read")
            << "block b @0 {\n reads A[0 for 1, 0 for 1]\n writes B[0 for 1, 0 for 1]\n B[0, 0] = 1:float32 @0\n }"
            << blocks << "says that 'A' is read";
        QTest::newRow("region without write")
            << "block b @0 {\n writes B[0 for 1, 0 for 1]\n writes A[0 for 1, 0 for 1]\n B[0, 0] = A[0, 0] @0\n }"
            << blocks << "says that 'A' is written";
        QTest::newRow("check without number")
            << "check shape_mismatch \"m\": n == 1 @0" << lowered << "is not numbered";
        QTest::newRow("two checks, one number")
            << "check shape_mismatch 0 \"m\": n == 1 @0\n check shape_mismatch 0 \"other\": n == 2 @0" << lowered
            << "have the number 0";
        QTest::newRow("copies of a check")
            << "check shape_mismatch 0 \"m\": n == 1 @0\n check shape_mismatch 0 \"m\": n == 2 @0" << lowered << "";
        QTest::newRow("lanes") << "B[0, ramp(0, 1, 8)] = A[0, 0] @0" << loops << "1 lanes are stored to 8 places";
        QTest::newRow("loop bounds") << "for i in 2:int32 @0 {\n B[0, 0] = A[0, 0] @0\n }" << loops
                                     << "has bounds of type";
    }

    void rules() {
        QFETCH(QString, body);
        QFETCH(int, level);
        QFETCH(QString, expected);
        QString found = problem(*withBody(body.toStdString()), static_cast<Level>(level));
        QVERIFY2(expected.isEmpty() ? found.isEmpty() : found.contains(expected), qPrintable(found));
    }

    void undefinedNames() {
        auto function = parsePrimFunc("primfunc f(A) outputs 1 {\n  var n: index\n  buffer A: float32[n]\n}\n");
        QVERIFY(problem(**function, Level::Loops).contains("'n' is not defined"));
        auto free = parsePrimFunc(
            "primfunc f(A) outputs 1 {\n  buffer A: float32[2]\n  buffer B: float32[2]\n  A[0] = B[0] @0\n}\n");
        QVERIFY(problem(**free, Level::Loops).contains("'B' is not declared"));
    }

    void callsFitTheKernels() {
        auto kernel = withBody("");
        auto entry = [](const std::string& call) {
            auto function = parsePrimFunc("primfunc main(n, a) outputs 0 entry {\n  var n: index\n  var a: handle\n  " +
                                          call + "\n}\n");
            if (!function)
                qFatal("%s", function.error().what.c_str());
            return *function;
        };
        auto problemOf = [&](const std::string& call) {
            auto result = verifyCalls(*entry(call), {{"f", kernel}});
            return result ? QString() : QString::fromStdString(result.error().what);
        };
        QCOMPARE(problemOf("call f(a, a, n) id 0"), QString());
        QVERIFY(problemOf("call f(a, a) id 0").contains("2 arguments for 3 parameters"));
        QVERIFY(
            problemOf("call f(a, n, n) id 0").contains("argument 2 of a call of 'f' has type index instead of handle"));
        QVERIFY(problemOf("call f(a, a, a) id 0").contains("argument 3"));
        QVERIFY(problemOf("call g(a, a, n) id 0").contains("no kernel 'g'"));
    }

    void hashesLeaveOutNamesAndOrigins() {
        auto a = withBody("for i in n @0 {\n B[i, 0] = A[i, 0] @0\n }");
        auto renamed = withBody("for z in n @5 {\n B[z, 0] = A[z, 0] @7\n }");
        auto other = withBody("for i in n @0 {\n B[i, 0] = A[i, 1] @0\n }");
        auto swapped = withBody("for i in n @0 {\n B[i, 0] = B[i, 0] @0\n }");
        auto parallel = withBody("for i in n parallel @0 {\n B[i, 0] = A[i, 0] @0\n }");
        QVERIFY(structurallyEqual(*a, *renamed));
        QVERIFY(structuralHash(*a) == structuralHash(*renamed));
        auto coarse = withBody("for i in n parallel grain 65536 @0 {\n B[i, 0] = A[i, 0] @0\n }");
        QVERIFY(structuralHash(*parallel) != structuralHash(*coarse) && !structurallyEqual(*parallel, *coarse));
        for (const auto& different : {other, swapped, parallel}) {
            QVERIFY(!structurallyEqual(*a, *different));
            QVERIFY(structuralHash(*a) != structuralHash(*different));
        }
    }
};

Test test() {
    return {makes<TestVerify>};
}

} // namespace lathe::testing::test_verify

#include "test_verify.moc"
