// SPDX-License-Identifier: Apache-2.0
// Text of loop IR: printing, reading and printing again gives the same bytes and the same structure; wrong text gives a
// Diagnostic with its line, never a crash; long functions take linear time.
#include "support/program_of_tests.h"
#include "tests/tir/random_function.h"
#include "tir/structure.h"
#include "tir/text.h"
#include "tir/verify.h"
#include "tir/visit.h"

#include <QTest>
#include <ctime>
#include <random>

namespace lathe::testing::test_text {

using namespace lathe::arith;
using namespace lathe::tir;

namespace {

const char* const matmul = R"(primfunc matmul(A, B, C, m) outputs 1 {
  var m: index[0, 1048576]
  buffer A: float32[m, 64]
  buffer B: float32[64, 32] strides [1, 64] align 16
  buffer C: float32[m, 32]
  allocate acc: float32[6, 16] local @1
  check shape_mismatch 0 "m is even": floormod(m, 2) == 0 @0
  for i in m parallel grain 65536 @1 {
    for j in 32 @1 {
      for k in 64 @1 {
        block matmul @1 {
          iter vi spatial m = i
          iter vj spatial 32 = j
          iter vk reduce 64 = k
          where i < m
          reads A[vi for 1, vk for 1]
          reads B[vk for 1, vj for 1]
          writes C[vi for 1, vj for 1]
          init {
            C[vi, vj] = 0:float32 @1
          }
          C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj] @1
        }
      }
    }
  }
}
)";

QString readAndPrint(const std::string& text) {
    auto function = parsePrimFunc(text);
    return function
               ? QString::fromStdString(print(**function))
               : QString::fromStdString("line " + std::to_string(function.error().line) + ": " + function.error().what);
}

} // namespace

class TestText : public QObject {
    Q_OBJECT

private slots:
    void aKernelReadsBack() { QCOMPARE(readAndPrint(matmul), QString(matmul)); }

    void whatIsReadIsMeant() {
        auto function = parsePrimFunc(matmul);
        QVERIFY(function.has_value());
        QCOMPARE((*function)->params.size(), size_t{4});
        QCOMPARE((*function)->params[3].scalar->upper, 1048576);
        const auto* allocate = (*function)->body->as<Allocate>();
        QVERIFY(allocate != nullptr && allocate->buffer->scope == Scope::Local);
        const auto* list = allocate->body->as<Seq>();
        QVERIFY(list != nullptr && list->stmts.size() == 2);
        QCOMPARE(list->stmts[0]->as<Check>()->message, std::string("m is even"));
        QVERIFY(list->stmts[1]->as<For>()->kind == ForKind::Parallel);
        QCOMPARE(list->stmts[1]->as<For>()->grain, 65536);
        QCOMPARE(list->stmts[1]->origin, 1);
    }

    void randomFunctionsReadBack() {
        for (unsigned seed = 0; seed < 600; ++seed) {
            PrimFunc function = RandomFunction(seed).make();
            std::string text = print(function);
            auto again = parsePrimFunc(text);
            QVERIFY2(again.has_value(), qPrintable(QString::fromStdString(text) + readAndPrint(text)));
            QCOMPARE(QString::fromStdString(print(**again)), QString::fromStdString(text));
            QVERIFY2(structurallyEqual(function, **again), qPrintable(QString::fromStdString(text)));
            QVERIFY(structuralHash(function) == structuralHash(**again));
        }
    }

    void aSharedVariableStaysShared() {
        // Copies of a body bind the same variable twice; another variable of the same name is another one.
        Var i = var("i");
        Var other = var("i");
        BufferPtr a = makeBuffer("A", types::Index, {Expr(8)});
        auto loop = [&](const Var& over) {
            return makeStmt(For{over, 0, 8, ForKind::Serial, makeStmt(Store{a, {over}, over, {}}, 0)}, 0);
        };
        PrimFunc function{"f", {{a, {}}}, 1, seq({loop(i), loop(i), loop(other)}, 0), false};
        auto again = parsePrimFunc(print(function));
        QVERIFY(again.has_value());
        const auto& stmts = (*again)->body->as<Seq>()->stmts;
        QVERIFY(stmts[0]->as<For>()->var.same(stmts[1]->as<For>()->var));
        QVERIFY(!stmts[0]->as<For>()->var.same(stmts[2]->as<For>()->var));
        QCOMPARE(QString::fromStdString(print(**again)), QString::fromStdString(print(function)));
    }

    void wrongTextNamesItsLine_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("line");
        QTest::newRow("unknown variable") << "A[x] = 1:float32" << 3;
        QTest::newRow("unknown buffer") << "B[0] = 1:float32" << 3;
        QTest::newRow("types differ") << "A[0] = 1:float32 + 2" << 3;
        QTest::newRow("float for bool") << "\n\nif 1:float32 {\n}" << 0;
        QTest::newRow("no brace") << "for i in 4 {" << 4;
        QTest::newRow("number") << "A[0] = 99999999999999999999" << 3;
        QTest::newRow("arity") << "A[0] = pow:float32(1:float32)" << 3;
        QTest::newRow("lanes") << "A[ramp(0, 1, 0)] = 1:float32" << 3;
        QTest::newRow("lanes") << "A[0] = 1:float32 @99999999999" << 3;
    }

    void wrongTextNamesItsLine() {
        QFETCH(QString, body);
        QFETCH(int, line);
        auto result = parsePrimFunc("primfunc f(A) outputs 1 {\nbuffer A: float32[4]\n" + body.toStdString() + "\n}\n");
        if (line == 0) { // well-formed; the verifier refuses it
            QVERIFY(result.has_value());
            QVERIFY(!verify(**result, Level::Loops).has_value());
            return;
        }
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().line, line);
    }

    void deepTextIsRefused() {
        std::string head = "primfunc f(A) outputs 1 {\nbuffer A: index[4]\nA[0] = ";
        QVERIFY(!parsePrimFunc(head + std::string(100000, '(')).has_value());
        QVERIFY(!parsePrimFunc(head + std::string(100000, '!')).has_value());
        QVERIFY(!parsePrimFunc(head + std::string(100000, '-') + "A").has_value());
        std::string sum = "A[0]";
        std::string loops;
        std::string lets;
        for (int i = 0; i < 100000; ++i) {
            sum += " + A[0]";
            loops += "while true {\n";
            lets += "let x = 1\n";
        }
        QVERIFY(!parsePrimFunc(head + sum + "}").has_value());
        QVERIFY(!parsePrimFunc(head + "1\n" + loops).has_value());
        QVERIFY(!parsePrimFunc(head + "1\n" + lets + "}").has_value());
    }

    void mutantsNeverCrash() {
        std::mt19937 random(7);
        auto below = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
        static const std::string pieces[] = {"{",     "}",   "(",        ")",       "[",          "]",      "-",
                                             "@",     ":",   "same ",    "for ",    "1:float32",  "`",      "\"",
                                             "ramp(", "nan", "let x = ", "0:uint8", "cast:int4(", "select("};
        int read = 0;
        for (unsigned seed = 0; seed < 1500; ++seed) {
            std::string text = seed % 3 == 0 ? matmul : print(RandomFunction(seed % 100).make());
            for (size_t i = 1 + below(3); i > 0; --i) {
                size_t place = below(text.size());
                switch (below(4)) {
                case 0:
                    text.erase(place, 1 + below(12));
                    break;
                case 1:
                    text.insert(place, pieces[below(20)]);
                    break;
                case 2:
                    text[place] = static_cast<char>(below(256));
                    break;
                default: {
                    std::string part = text.substr(below(text.size()), below(40));
                    text.insert(place, part);
                }
                }
            }
            if (auto function = parsePrimFunc(text)) {
                ++read;
                std::string first = print(**function);
                auto again = parsePrimFunc(first);
                QVERIFY2(again.has_value(), qPrintable(QString::fromStdString(first) + readAndPrint(first)));
                (void)verify(**function, Level::Blocks);
            }
        }
        QVERIFY2(read > 10, qPrintable(QString::number(read)));
    }

    void longFunctionsTakeLinearTime() {
        auto milliseconds = [](int length) {
            BufferPtr a = makeBuffer("A", types::Float32, {Expr(100)});
            std::vector<Stmt> stmts;
            for (int i = 0; i < length; ++i) {
                Var x = var("x"); // all of one name
                Stmt store = makeStmt(Store{a, {x}, floatImm(i, types::Float32), {}}, 0);
                stmts.push_back(makeStmt(Let{x, Expr(i % 100), store}, 0));
            }
            PrimFunc function{"long", {{a, {}}}, 1, seq(std::move(stmts), 0), false};
            std::clock_t start = std::clock(); // of this process: other load on the machine does not count
            std::vector<const StmtNode*> lines;
            PrintOptions options;
            options.lines = &lines;
            std::string text = print(function, options);
            bool complete = static_cast<size_t>(std::ranges::count(text, '\n')) == lines.size();
            auto again = parsePrimFunc(text);
            complete = complete && again && print(**again) == text;
            return complete ? qint64{(std::clock() - start) * 1000 / CLOCKS_PER_SEC} : qint64{-1};
        };
        qint64 shorter = milliseconds(10000);
        qint64 longer = milliseconds(100000);
        QVERIFY(shorter >= 0 && longer >= 0);
        // Ten times the length; a quadratic step would take a hundred times as long.
        QVERIFY2(longer < 40 * (shorter + 5), qPrintable(QString("%1 ms, %2 ms").arg(shorter).arg(longer)));
    }

    void rewritingKeepsOriginsAndStructure() {
        auto function = *parsePrimFunc(matmul);
        Var m = function->params[3].scalar;
        Stmt halved = substitute(function->body, {{m.get(), m * 2}});
        QVERIFY(print(halved).find("for i in m * 2 parallel grain 65536 @1 {") != std::string::npos);
        int exprs = 0;
        visitExprs(function->body, [&](const Expr&) { ++exprs; });
        QVERIFY(exprs > 20);
        Mutator nothing;
        QVERIFY(nothing.mutate(function->body) == function->body);
    }
};

Test test() {
    return {makes<TestText>};
}

} // namespace lathe::testing::test_text

#include "test_text.moc"
