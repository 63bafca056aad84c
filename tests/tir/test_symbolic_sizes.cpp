// SPDX-License-Identifier: Apache-2.0
//
// Loops over sizes that are symbols: what binding indices leaves in the loops, how partitioning computes tails, and that
// every step gives the same results at every size. An index that leaves its buffer fails in the interpreter.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tir/interpret.h"
#include "tir/transform/bind_indices.h"
#include "tir/transform/move_tile.h"
#include "tir/transform/partition_loops.h"
#include "tir/transform/simplify.h"
#include "tir/transform/unroll_loops.h"
#include "tir/verify.h"
#include "tir/visit.h"

#include <QTest>
#include <numeric>

namespace lathe::testing::test_symbolic_sizes {

using namespace lathe::tir;
using lathe::testing::read;

namespace {

/// Sums over rows of an image [n, h, w, 2], whose rows are tiles of 12 and loops that were fused.
const char* const rows = R"(primfunc rows(X, Y, n, h, w) outputs 1 {
  var n: index[0, 64]
  var h: index[0, 64]
  var w: index[0, 64]
  buffer X: float32[n * h * w * 2]
  buffer Y: float32[n * h * w * 2]
  for f in n * h * floordiv(w + 11, 12) parallel @0 {
    allocate acc: float32[24] local @0
    seq @0 {
      for i in 12 unrolled @0 {
        for c in 2 vectorized @0 {
          if floormod(f, floordiv(w + 11, 12)) * 12 + i < w @0 {
            acc[i * 2 + c] = 0:float32 @0
          }
        }
      }
      for k in h @0 {
        for i_1 in 12 unrolled @0 {
          for c_1 in 2 vectorized @0 {
            if floormod(f, floordiv(w + 11, 12)) * 12 + i_1 < w @0 {
              acc[i_1 * 2 + c_1] = acc[i_1 * 2 + c_1] + X[floordiv(floordiv(f, floordiv(w + 11, 12)), h) * h * w * 2 + k * w * 2 + floormod(f, floordiv(w + 11, 12)) * 24 + i_1 * 2 + c_1] @0
            }
          }
        }
      }
      for i_2 in 12 unrolled @0 {
        for c_2 in 2 vectorized @0 {
          if floormod(f, floordiv(w + 11, 12)) * 12 + i_2 < w @0 {
            Y[floordiv(f, floordiv(w + 11, 12)) * w * 2 + floormod(f, floordiv(w + 11, 12)) * 24 + i_2 * 2 + c_2] = acc[i_2 * 2 + c_2] @0
          }
        }
      }
    }
  }
}
)";

/// As `rows` in short, but it adds to what is there: a tile that runs twice would count twice.
const char* const adding = R"(primfunc adding(X, Y, n) outputs 1 {
  var n: index[0, 64]
  buffer X: float32[n]
  buffer Y: float32[n]
  for t in floordiv(n + 11, 12) @0 {
    for i in 12 unrolled @0 {
      if t * 12 + i < n @0 {
        Y[t * 12 + i] = Y[t * 12 + i] + X[t * 12 + i] @0
      }
    }
  }
}
)";

/// Two statements with tails of their own behind a name for the place of both.
const char* const named = R"(primfunc named(X, Y, n) outputs 1 {
  var n: index[0, 64]
  buffer X: float32[n]
  buffer Y: float32[n]
  for t in floordiv(n + 11, 12) @0 {
    let base = t * 12 @0
    seq @0 {
      for i in 12 unrolled @0 {
        if t * 12 + i < n @0 {
          Y[base + i] = X[base + i] @0
        }
      }
      for j in 9 unrolled @0 {
        if t * 9 + j < n @0 {
          Y[t * 9 + j] = X[t * 9 + j] + 100:float32 @0
        }
      }
    }
  }
}
)";

/// Sums over tiles of 6 by 16 of a square of 49: rows and columns both leave one.
const char* const square = R"(primfunc square(X, Y) outputs 1 {
  buffer X: float32[2401]
  buffer Y: float32[2401]
  for t in 9 @0 {
    for u in 4 @0 {
      allocate acc: float32[96] local @0
      seq @0 {
        for i in 6 unrolled @0 {
          for c in 16 vectorized @0 {
            if t * 6 + i < 49 && u * 16 + c < 49 @0 {
              acc[i * 16 + c] = 0:float32 @0
            }
          }
        }
        for k in 3 @0 {
          for i_1 in 6 unrolled @0 {
            for c_1 in 16 vectorized @0 {
              if t * 6 + i_1 < 49 && u * 16 + c_1 < 49 @0 {
                acc[i_1 * 16 + c_1] = acc[i_1 * 16 + c_1] + X[t * 294 + i_1 * 49 + u * 16 + c_1] @0
              }
            }
          }
        }
        for i_2 in 6 unrolled @0 {
          for c_2 in 16 vectorized @0 {
            if t * 6 + i_2 < 49 && u * 16 + c_2 < 49 @0 {
              Y[t * 294 + i_2 * 49 + u * 16 + c_2] = acc[i_2 * 16 + c_2] @0
            }
          }
        }
      }
    }
  }
}
)";

/// X holds 1, 2, 3 …, Y is 0 before.
std::vector<float> resultOf(const PrimFunc& function, const std::vector<int64_t>& sizes, int64_t elements) {
    std::vector<float> x(static_cast<size_t>(elements)), y(x.size());
    std::iota(x.begin(), x.end(), 1.0f);
    std::vector<Argument> arguments = {{std::as_writable_bytes(std::span(x)), 0},
                                       {std::as_writable_bytes(std::span(y)), 0}};
    for (int64_t size : sizes)
        arguments.push_back({{}, size});
    if (const auto ran = interpret(function, arguments); !ran)
        qFatal("%s in\n%s", ran.error().what.c_str(), print(function).c_str());
    return y;
}

std::vector<std::pair<const char*, PrimFuncPtr>> stepsOf(const PrimFuncPtr& function) {
    const PrimFuncPtr bound = bindIndices(simplify(function)), parts = partitionLoops(bound);
    return {{"bind indices", bound}, {"partition loops", parts}, {"unroll", unrollLoops(parts)}};
}

/// Divisions and products of symbols in loops within the one over tiles.
int64_t sizesWithin(const Stmt& body) {
    int64_t count = 0;
    visitExprs(body, [&](const Expr& root) {
        arith::visit(root, [&](const Expr& e) {
            count += e.kind() == arith::ExprKind::FloorDiv || e.kind() == arith::ExprKind::FloorMod;
            count += e.kind() == arith::ExprKind::Mul && e.dtype().isIndex() && !arith::isConst(e->args[1]);
            return true;
        });
    });
    return count;
}

const For* firstLoop(const Stmt& stmt) {
    const For* found = nullptr;
    visitStmts(stmt, [&](const Stmt& each) {
        if (!found)
            found = each->as<For>();
        return !found;
    });
    return found;
}

} // namespace

class TestSymbolicSizes : public QObject {
    Q_OBJECT

private slots:
    /// A result may be longer than the tile: full tiles and each tail; shorter: tails alone.
    void everySize() {
        const auto steps = stepsOf(read(rows));
        for (const auto& [name, function] : steps)
            if (const auto verified = verify(*function, Level::Lowered); !verified)
                QFAIL((std::string(name) + ": " + toString(verified.error())).c_str());
        for (int64_t n : {0, 1, 2})
            for (int64_t h : {0, 1, 3})
                for (int64_t w = 0; w <= 37; ++w) {
                    const std::vector<float> expected = resultOf(*read(rows), {n, h, w}, n * h * w * 2);
                    for (const auto& [name, function] : steps)
                        QVERIFY2(resultOf(*function, {n, h, w}, n * h * w * 2) == expected,
                                 qPrintable(QString("%1 at %2 %3 %4").arg(name).arg(n).arg(h).arg(w)));
                }
    }

    void whatRunsTwiceAddsOnce() {
        for (int64_t n = 0; n <= 40; ++n) {
            std::vector<float> expected(static_cast<size_t>(n));
            std::iota(expected.begin(), expected.end(), 1.0f);
            for (const auto& [name, function] : stepsOf(read(adding)))
                QVERIFY2(resultOf(*function, {n}, n) == expected, qPrintable(QString("%1 at %2").arg(name).arg(n)));
        }
    }

    void namesAroundATileStay() {
        for (int64_t n = 0; n <= 40; ++n)
            for (const auto& [name, function] : stepsOf(read(named)))
                QVERIFY2(resultOf(*function, {n}, n) == resultOf(*read(named), {n}, n),
                         qPrintable(QString("%1 at %2").arg(name).arg(n)));
    }

    /// Guards that begin or end before, in or behind their loop: what runs is where both say so.
    void guardsAroundALoopsEnds() {
        struct Guard {
            const char* text;
            bool (*holds)(int64_t i, int64_t n);
        };
        for (const Guard& guard : {Guard{"n <= i", [](int64_t i, int64_t n) { return n <= i; }},
                                   {"i > n - 2", [](int64_t i, int64_t n) { return i > n - 2; }},
                                   {"i * 2 >= n", [](int64_t i, int64_t n) { return i * 2 >= n; }},
                                   {"i >= 1 && n < i", [](int64_t i, int64_t n) { return i >= 1 && n < i; }},
                                   {"i < n", [](int64_t i, int64_t n) { return i < n; }},
                                   {"n <= i && i < 2 * n", [](int64_t i, int64_t n) { return n <= i && i < 2 * n; }}}) {
            const std::string text = std::string(R"(primfunc guarded(X, Y, n) outputs 1 {
  var n: index[0, 64]
  buffer X: float32[16]
  buffer Y: float32[16]
  for i in 7 from 4 @0 {
    if )") + guard.text + R"( @0 {
      Y[i] = Y[i] + X[i] @0
    }
  }
}
)";
            for (int64_t n = 0; n <= 16; ++n) {
                std::vector<float> expected(16);
                for (int64_t i = 4; i < 11; ++i)
                    if (guard.holds(i, n))
                        expected[static_cast<size_t>(i)] = static_cast<float>(i + 1);
                for (const auto& [name, function] : stepsOf(read(text)))
                    QVERIFY2(resultOf(*function, {n}, 16) == expected,
                             qPrintable(QString("%1: %2 at %3").arg(guard.text, name).arg(n)));
            }
        }
    }

    void loopsHaveNamesInsteadOfSizes() {
        const PrimFuncPtr function = simplify(read(rows));
        const For* tiles = firstLoop(function->body);
        const For* inner = firstLoop(tiles->body);
        QVERIFY(sizesWithin(inner->body) > 0);
        const PrimFuncPtr bound = bindIndices(function);
        for (const For* loop = firstLoop(firstLoop(bound->body)->body); loop; loop = firstLoop(loop->body))
            QCOMPARE(sizesWithin(loop->body), 0);
        QCOMPARE(bindIndices(bound).get(), bound.get()); // nothing is left to bind
    }

    void functionsWithoutSymbolsStay() {
        const PrimFuncPtr function = read(R"(primfunc copy(A, B) outputs 1 {
  buffer A: float32[60]
  buffer B: float32[60]
  for f in 60 parallel @0 {
    B[floordiv(f, 7) * 7 + floormod(f, 7)] = A[f] @0
  }
}
)");
        QCOMPARE(bindIndices(function).get(), function.get());
    }

    /// Fewer tiles than lengths: the code of a tail does not grow with the tile.
    void tailsShareTiles() {
        int64_t branches = 0;
        visitStmts(partitionLoops(bindIndices(simplify(read(rows))))->body, [&](const Stmt& stmt) {
            branches += stmt->as<If>() != nullptr;
            return true;
        });
        QVERIFY2(branches >= 3 && branches <= 5, qPrintable(QString::number(branches)));
    }

    /// Each version knows both lengths: accumulators whose length differs between branches would not stay in registers.
    void remaindersOfRowsAndColumnsAreFixed() {
        const auto steps = stepsOf(read(square));
        std::vector<float> expected(2401);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = 3.0f * static_cast<float>(i + 1);
        for (const auto& [name, function] : steps)
            QVERIFY2(resultOf(*function, {}, 2401) == expected, name);
        int64_t loops = 0;
        visitStmts(steps[1].second->body, [&](const Stmt& stmt) {
            const For* loop = stmt->as<For>();
            if (loop && (loop->kind == ForKind::Unrolled || loop->kind == ForKind::Vectorized)) {
                ++loops;
                if (!arith::asInt(loop->extent))
                    QTest::qFail(arith::toString(loop->extent).c_str(), __FILE__, __LINE__);
            }
            return true;
        });
        QVERIFY(loops >= 12); // six where both are full, three where one is
    }

    void tilesThatSayTheirPlaceOtherwiseStay() {
        const auto body = [](const char* index) {
            const std::string text = std::string(R"(primfunc f(X, Y, n) outputs 1 {
  var n: index[0, 64]
  buffer X: float32[n * 24 + 24]
  buffer Y: float32[n * 24 + 24]
  for t in n @0 {
    Y[t * 24] = X[)") + index + R"(] @0
  }
}
)";
            return read(text);
        };
        const Var start = arith::var("start");
        // A store that stays where it is: the last tile wins.
        const PrimFuncPtr still = read(R"(primfunc f(X, Y, n) outputs 1 {
  var n: index[0, 64]
  buffer X: float32[n * 12]
  buffer Y: float32[1]
  for t in n @0 {
    Y[0] = X[t * 12] @0
  }
}
)");
        QVERIFY(!movedTile(firstLoop(still->body)->body, firstLoop(still->body)->var, 12, start));
        for (const auto& [index, moves] :
             {std::pair("t * 12 + 1", true), std::pair("t * 24 * n", true), std::pair("t", false),
              std::pair("t * 6", false), std::pair("t * t * 12", false), std::pair("floordiv(t, 2) * 12", false),
              std::pair("t * n", false)}) {
            const PrimFuncPtr function = body(index);
            const For* loop = firstLoop(function->body);
            const Stmt stmt = loop->body;
            const auto moved = movedTile(stmt, loop->var, 12, start);
            QVERIFY2(moved.has_value() == moves, index);
            if (moved)
                visitExprs(*moved, [&](const Expr& e) { QVERIFY(!arith::mentions(e, loop->var)); });
        }
    }
};

Test test() {
    return {makes<TestSymbolicSizes>};
}

} // namespace lathe::testing::test_symbolic_sizes

#include "test_symbolic_sizes.moc"
