// SPDX-License-Identifier: Apache-2.0
// The interpreter against results worked by hand, and its refusals.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tir/interpret.h"

#include <QTest>
#include <numeric>

namespace lathe::testing::test_interpret {

using namespace lathe::tir;
using lathe::testing::read;

namespace {

template <class T>
Argument bytesOf(std::vector<T>& values) {
    return {std::as_writable_bytes(std::span(values)), 0};
}

QString failureOf(const char* text, std::vector<Argument> arguments, int64_t limit = 1000) {
    auto result = interpret(*read(text), arguments, limit);
    return result ? QString("no failure") : QString::fromStdString(result.error().what);
}

} // namespace

class TestInterpret : public QObject {
    Q_OBJECT

private slots:
    void reductionWithInit() {
        auto function = read(R"(primfunc matmul(A, B, C, m) outputs 1 {
  var m: index[0, 100]
  buffer A: float32[m, 3]
  buffer B: float32[3, 2]
  buffer C: float32[m, 2]
  for i in 4 {
    for j in 2 {
      for k in 3 {
        block matmul {
          iter vi spatial m = i
          iter vj spatial 2 = j
          iter vk reduce 3 = k
          where i < m
          init {
            C[vi, vj] = 0:float32
          }
          C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        }
      }
    }
  }
})");
        std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 0, 1, 1, 1}, c(4, -1);
        std::vector<Argument> arguments{bytesOf(a), bytesOf(b), bytesOf(c), {{}, 2}};
        auto result = interpret(*function, arguments);
        QVERIFY2(result.has_value(), result ? "" : result.error().what.c_str());
        QVERIFY(c == (std::vector<float>{4, 5, 10, 11}));
    }

    void statementsOfEveryKind() {
        // Collatz steps of n, by a while over a local counter; then the greater of two strided columns.
        auto function = read(R"(primfunc f(A, B, C, n) outputs 2 {
  var n: index
  buffer A: int32[2, 2] strides [1, 2]
  buffer B: int64[1]
  buffer C: int32[2]
  allocate s: index[1] local
  s[0] = n
  B[0] = 0:int64
  while s[0] > 1 {
    let half = floordiv(s[0], 2) {
      if floormod(s[0], 2) == 0 {
        s[0] = half
      } else {
        s[0] = s[0] * 3 + 1
      }
    }
    B[0] = B[0] + 1:int64
  }
  check invalid_value "more than 100 steps": B[0] <= 100:int64
  for i in 2 from 0 unrolled {
    C[i] = max(A[0, i], A[1, i])
  }
})");
        std::vector<int32_t> a{1, 7, 5, 2}, c(2);
        std::vector<int64_t> b(1);
        std::vector<Argument> arguments{bytesOf(a), bytesOf(b), bytesOf(c), {{}, 27}};
        auto result = interpret(*function, arguments);
        QVERIFY(!result.has_value()); // 27 takes 111 steps
        QVERIFY(QString::fromStdString(result.error().what).contains("more than 100 steps"));
        arguments[3].scalar = 6; // 6 3 10 5 16 8 4 2 1
        QVERIFY(interpret(*function, arguments).has_value());
        QCOMPARE(b[0], 8);
        QVERIFY(c == (std::vector<int32_t>{7, 5}));
    }

    void narrowTypesAreStoredOneToAByte() {
        auto function = read(R"(primfunc f(A, B, C, D) outputs 3 {
  buffer A: float32[3]
  buffer B: float8_e4m3fn[3]
  buffer C: int4[3]
  buffer D: float16[3]
  for i in 3 {
    B[i] = cast:float8_e4m3fn(A[i])
    C[i] = cast:int4(A[i])
    D[i] = cast:float16(B[i])
  }
})");
        std::vector<float> a{1.0f, -9.0f, 1000.0f};
        std::vector<uint8_t> b(3), c(3);
        std::vector<uint16_t> d(3);
        std::vector<Argument> arguments{bytesOf(a), bytesOf(b), bytesOf(c), bytesOf(d)};
        auto result = interpret(*function, arguments);
        QVERIFY2(result.has_value(), result ? "" : result.error().what.c_str());
        QVERIFY(b == (std::vector<uint8_t>{0x38, 0xd1, 0x7e})); // 1, -9 = -1.125 * 8, 448
        QCOMPARE(static_cast<int8_t>(c[0]), int8_t{1});
        QCOMPARE(static_cast<int8_t>(c[1]), int8_t{7}); // -9 wraps
        QVERIFY(d == (std::vector<uint16_t>{0x3c00, 0xc880, 0x5f00}));
    }

    void sharedExpressionsAreComputedOnce() {
        BufferPtr a = makeBuffer("A", types::Float32, {Expr(1)});
        Expr value = arith::load(a, {Expr(0)});
        for (int i = 0; i < 60; ++i)
            value = arith::max(value + arith::floatImm(1, types::Float32), value); // 2^60 paths
        PrimFunc function{"f", {{a, {}}}, 1, makeStmt(Store{a, {Expr(0)}, value, {}}, 0), false};
        std::vector<float> memory{2};
        std::vector<Argument> arguments{bytesOf(memory)};
        QVERIFY(interpret(function, arguments).has_value());
        QCOMPARE(memory[0], 62.0f);
    }

    void failuresNameTheStatement() {
        std::vector<float> four(4);
        const char* store =
            "primfunc f(A, i) outputs 1 {\n var i: index[0, 9]\n buffer A: float32[4]\n A[i] = 1:float32\n}";
        QCOMPARE(failureOf(store, {bytesOf(four), {{}, 3}}), QString("no failure"));
        QCOMPARE(failureOf(store, {bytesOf(four), {{}, 4}}),
                 QString("'f', at 'A[i] = 1:float32': index 0 of 'A' is 4, outside 0 to 3"));
        QVERIFY(failureOf(store, {bytesOf(four), {{}, 10}}).contains("outside its range"));
        std::vector<float> three(3);
        QVERIFY(failureOf(store, {bytesOf(three), {{}, 0}}).contains("needs 16 bytes, found 12"));
        QVERIFY(failureOf(store, {bytesOf(four)}).contains("takes 2 arguments"));
        const char* division =
            "primfunc f(A, i) outputs 1 {\n var i: index\n buffer A: index[4]\n A[floordiv(1, i)] = 1\n}";
        std::vector<int64_t> longs(4);
        QVERIFY(failureOf(division, {bytesOf(longs), {{}, 0}}).contains("divided by zero"));
        const char* endless = "primfunc f(A) outputs 1 {\n buffer A: index[4]\n while true {\n }\n}";
        QVERIFY(failureOf(endless, {bytesOf(longs)}).contains("1000 steps"));
        const char* vectors =
            "primfunc f(A) outputs 1 {\n buffer A: float32[4]\n A[ramp(0, 1, 4)] = broadcast(1:float32, 4)\n}";
        QVERIFY(failureOf(vectors, {bytesOf(four)}).contains("vectors are not interpreted"));
        const char* strings = "primfunc f(A) outputs 1 {\n buffer A: string[1]\n}";
        QVERIFY(failureOf(strings, {bytesOf(four)}).contains("strings"));
    }
};

Test test() {
    return {makes<TestInterpret>};
}

} // namespace lathe::testing::test_interpret

#include "test_interpret.moc"
