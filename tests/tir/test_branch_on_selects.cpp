// SPDX-License-Identifier: Apache-2.0
//
// Branch on selects: what becomes a branch and what does not, what partitioning makes of it, and that results stay the
// same. An index that leaves its buffer fails in the interpreter, so it also sees that each side loads what it may.
#include "support/loop_text.h"
#include "support/program_of_tests.h"
#include "tir/interpret.h"
#include "tir/text.h"
#include "tir/transform/branch_on_selects.h"
#include "tir/transform/partition_loops.h"
#include "tir/transform/simplify.h"
#include "tir/verify.h"
#include "tir/visit.h"

#include <QTest>
#include <numeric>
#include <random>

namespace lathe::testing::test_branch_on_selects {

using namespace lathe::tir;
using lathe::testing::read;

namespace {

int64_t storesIn(const PrimFunc& function) {
    int64_t count = 0;
    visitStmts(function.body, [&](const Stmt& stmt) {
        count += stmt->as<Store>() != nullptr;
        return true;
    });
    return count;
}

int64_t selectsIn(const PrimFunc& function) {
    int64_t count = 0;
    visitExprs(function.body, [&](const Expr& root) {
        arith::visit(root, [&](const Expr& e) {
            count += e.kind() == arith::ExprKind::Select;
            return true;
        });
    });
    return count;
}

/// The first buffers hold 1, 2, 3 …, the last one is the result.
std::vector<float> resultOf(const PrimFunc& function) {
    std::vector<std::vector<float>> buffers;
    for (const Param& param : function.params) {
        std::vector<float>& values = buffers.emplace_back(static_cast<size_t>(*arith::asInt(param.buffer->shape[0])));
        std::iota(values.begin(), values.end(), static_cast<float>(1000 * buffers.size()));
    }
    std::ranges::fill(buffers.back(), -1.0f);
    std::vector<Argument> arguments;
    for (std::vector<float>& values : buffers)
        arguments.push_back({std::as_writable_bytes(std::span(values)), 0});
    const auto ran = interpret(function, arguments);
    if (!ran)
        qFatal("%s in\n%s", ran.error().what.c_str(), print(function).c_str());
    return buffers.back();
}

/// Runs the pass and those after it that take its branches apart; every step gives the same results.
QString failureOf(const PrimFuncPtr& before) {
    const std::vector<float> expected = resultOf(*before);
    PrimFuncPtr function = before;
    const auto step = [&](const char* name, PrimFuncPtr after) -> QString {
        function = std::move(after);
        if (const auto verified = verify(*function, Level::Lowered); !verified)
            return QString("%1: %2").arg(name, toString(verified.error()).c_str());
        return resultOf(*function) == expected ? QString()
                                               : QString("%1 changed results\n%2").arg(name, print(*function).c_str());
    };
    for (const QString& failure :
         {step("branch on selects", branchOnSelects(function)), step("simplify", simplify(function)),
          step("partition loops", partitionLoops(function))})
        if (!failure.isEmpty())
            return failure;
    return {};
}

const char* const concat = R"(primfunc concat(A, B, C) outputs 1 {
  buffer A: float32[12]
  buffer B: float32[20]
  buffer C: float32[32]
  for c in 8 @0 {
    for i_0 in 2 @0 {
      for i_1 in 2 vectorized @0 {
        C[c * 4 + i_0 * 2 + i_1] = max(select(c < 3, A[min(c, 2) * 4 + i_0 * 2 + i_1], B[max(c - 3, 0) * 4 + i_0 * 2 + i_1]), 0:float32) @0
      }
    }
  }
}
)";

const char* const pad = R"(primfunc pad(A, P) outputs 1 {
  buffer A: float32[36]
  buffer P: float32[80]
  for h in 8 @0 {
    for w_0 in 3 @0 {
      for w_1 in 4 vectorized @0 {
        if w_0 * 4 + w_1 < 10 @0 {
          P[h * 10 + w_0 * 4 + w_1] = select(1 <= h && h < 7 && 2 <= w_0 * 4 + w_1 && w_0 * 4 + w_1 < 8, A[min(max(h - 1, 0), 5) * 6 + min(max(w_0 * 4 + w_1 - 2, 0), 5)], 0:float32) @0
        }
      }
    }
  }
}
)";

} // namespace

class TestBranchOnSelects : public QObject {
    Q_OBJECT

private slots:
    void sidesBecomeBranches() {
        QCOMPARE(print(*branchOnSelects(read(concat))).c_str(), R"(primfunc concat(A, B, C) outputs 1 {
  buffer A: float32[12]
  buffer B: float32[20]
  buffer C: float32[32]
  for c in 8 @0 {
    for i_0 in 2 @0 {
      for i_1 in 2 vectorized @0 {
        if c < 3 @0 {
          C[c * 4 + i_0 * 2 + i_1] = max(A[min(c, 2) * 4 + i_0 * 2 + i_1], 0:float32) @0
        } else {
          C[c * 4 + i_0 * 2 + i_1] = max(B[max(c - 3, 0) * 4 + i_0 * 2 + i_1], 0:float32) @0
        }
      }
    }
  }
}
)");
    }

    void partitioningTakesThemApart() {
        QCOMPARE(print(*partitionLoops(branchOnSelects(read(concat)))).c_str(), R"(primfunc concat(A, B, C) outputs 1 {
  buffer A: float32[12]
  buffer B: float32[20]
  buffer C: float32[32]
  for c in 3 @0 {
    for i_0 in 2 @0 {
      for i_1 in 2 vectorized @0 {
        C[c * 4 + i_0 * 2 + i_1] = max(A[c * 4 + i_0 * 2 + i_1], 0:float32) @0
      }
    }
  }
  for c_1 in 5 from 3 @0 {
    for i_0_1 in 2 @0 {
      for i_1_1 in 2 vectorized @0 {
        C[c_1 * 4 + i_0_1 * 2 + i_1_1] = max(B[c_1 * 4 + i_0_1 * 2 + i_1_1 - 12], 0:float32) @0
      }
    }
  }
}
)");
    }

    /// Vectors at a border ask for each element, under whose answer the index needs no limits either.
    void bordersAreApart() {
        QCOMPARE(print(*partitionLoops(branchOnSelects(read(pad)))).c_str(), R"(primfunc pad(A, P) outputs 1 {
  buffer A: float32[36]
  buffer P: float32[80]
  for w_0 in 2 @0 {
    for w_1 in 4 vectorized @0 {
      P[w_0 * 4 + w_1] = 0:float32 @0
    }
  }
  for w_1_1 in 2 vectorized @0 {
    P[w_1_1 + 8] = 0:float32 @0
  }
  for h in 6 from 1 @0 {
    for w_1_2 in 4 vectorized @0 {
      P[h * 10 + w_1_2] = select(0 < w_1_2 - 1, A[h * 6 + w_1_2 - 8], 0:float32) @0
    }
    for w_1_3 in 4 vectorized @0 {
      P[h * 10 + w_1_3 + 4] = A[h * 6 + w_1_3 - 4] @0
    }
    for w_1_4 in 2 vectorized @0 {
      P[h * 10 + w_1_4 + 8] = 0:float32 @0
    }
  }
  for w_0_1 in 2 @0 {
    for w_1_5 in 4 vectorized @0 {
      P[w_0_1 * 4 + w_1_5 + 70] = 0:float32 @0
    }
  }
  for w_1_6 in 2 vectorized @0 {
    P[w_1_6 + 78] = 0:float32 @0
  }
}
)");
    }

    void resultsStay() {
        QCOMPARE(failureOf(read(concat)), QString());
        QCOMPARE(failureOf(read(pad)), QString());
    }

    /// A block of channels: the loop over blocks decides, though the condition mentions the loops within.
    void outerLoopsDecide() {
        const PrimFuncPtr after = simplify(branchOnSelects(read(R"(primfunc blocks(A, B, C) outputs 1 {
  buffer A: float32[16]
  buffer B: float32[16]
  buffer C: float32[32]
  for b in 4 @0 {
    for i_0 in 2 @0 {
      for i_1 in 4 vectorized @0 {
        C[b * 8 + i_0 * 4 + i_1] = select(b * 8 + i_0 * 4 + i_1 < 16, A[min(b * 8 + i_0 * 4 + i_1, 15)], B[max(b * 8 + i_0 * 4 + i_1 - 16, 0)]) @0
      }
    }
  }
})")));
        QCOMPARE(print(*after).c_str(), R"(primfunc blocks(A, B, C) outputs 1 {
  buffer A: float32[16]
  buffer B: float32[16]
  buffer C: float32[32]
  for b in 4 @0 {
    for i_0 in 2 @0 {
      for i_1 in 4 vectorized @0 {
        if b < 2 @0 {
          C[b * 8 + i_0 * 4 + i_1] = A[b * 8 + i_0 * 4 + i_1] @0
        } else {
          C[b * 8 + i_0 * 4 + i_1] = B[b * 8 + i_0 * 4 + i_1 - 16] @0
        }
      }
    }
  }
}
)");
    }

    void whatReadsMemoryStays() {
        const PrimFuncPtr before = read(R"(primfunc greater(A, B, C) outputs 1 {
  buffer A: float32[8]
  buffer B: float32[8]
  buffer C: float32[8]
  for i in 8 @0 {
    C[i] = select(A[i] < B[i], A[i], B[i]) @0
  }
})");
        QVERIFY(branchOnSelects(before) == before);
    }

    /// Part of a condition may become a branch: the rest stays in the select.
    void partsBecomeBranches() {
        const PrimFuncPtr after = branchOnSelects(read(R"(primfunc some(A, C) outputs 1 {
  buffer A: float32[8]
  buffer C: float32[8]
  for i in 8 @0 {
    C[i] = select(A[i] < 1002:float32 && i < 4, A[i], 0:float32) @0
  }
})"));
        QCOMPARE(print(*after).c_str(), R"(primfunc some(A, C) outputs 1 {
  buffer A: float32[8]
  buffer C: float32[8]
  for i in 8 @0 {
    if i < 4 @0 {
      C[i] = select(A[i] < 1002:float32, A[i], 0:float32) @0
    } else {
      C[i] = 0:float32 @0
    }
  }
}
)");
    }

    /// n operands are n sides, and n - 1 vectors with elements of two; beyond the budget a chain stays.
    void chainsGrowByTheirLength_data() {
        QTest::addColumn<int>("operands");
        QTest::addColumn<int>("width");
        for (int operands : {2, 3, 10, 100})
            for (int width : {1, 2, 4, 5, 7})
                QTest::addRow("%d of %d", operands, width) << operands << width;
    }
    void chainsGrowByTheirLength() {
        QFETCH(int, operands);
        QFETCH(int, width);
        const std::string total = std::to_string(operands * width),
                          vectors = std::to_string((operands * width + 3) / 4);
        std::string chain, close;
        for (int i = 0; i + 1 < operands; ++i) {
            const std::string start = std::to_string(i * width), end = std::to_string((i + 1) * width);
            chain += "select(j * 4 + l < " + end + ", A[min(max(j * 4 + l - " + start + ", 0), " +
                     std::to_string(width - 1) + ")], ";
            close += ")";
        }
        chain += "A[min(max(j * 4 + l - " + std::to_string((operands - 1) * width) + ", 0), " +
                 std::to_string(width - 1) + ")]" + close;
        const PrimFuncPtr before =
            read("primfunc chain(A, C) outputs 1 {\n  buffer A: float32[" + std::to_string(width) +
                 "]\n  buffer C: float32[" + total + "]\n  for j in " + vectors +
                 " @0 {\n    for l in 4 vectorized @0 {\n      if j * 4 + l < " + total +
                 " @0 {\n        C[j * 4 + l] = " + chain + " @0\n      }\n    }\n  }\n}");
        QCOMPARE(failureOf(before), QString());
        const int64_t stores = storesIn(*branchOnSelects(before));
        QVERIFY2(stores <= 64 + 3 * operands, qPrintable(QString::number(stores)));
        if (width == 4 && operands <= 10)
            QCOMPARE(selectsIn(*simplify(branchOnSelects(before))), 0);
    }

    /// Nests of three loops, one a vector or unrolled, and selects by affine conditions in each other's sides.
    void randomNests_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 150; ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    void randomNests() {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
        const int rows = 1 + below(7), columns = 1 + below(4), lanes = 2 + below(4);
        const auto term = [&](const char* var) { return std::to_string(below(7) - 3) + " * " + var; };
        const auto comparison = [&]() -> std::string {
            static const char* const signs[] = {" < ", " <= ", " > ", " >= ", " == "};
            std::string sum = below(2) ? term("i") : "j * " + std::to_string(lanes) + " + l";
            if (below(4) == 0)
                sum += " + " + term("l");
            return sum + signs[below(9) == 0 ? 4 : below(4)] + std::to_string(below(12) - 3);
        };
        const std::function<std::string(int)> value = [&](int depth) -> std::string {
            if (depth == 0 || below(4) == 0)
                return below(4) ? "A[min(max(i * 4 + j * 2 + l - " + std::to_string(below(6)) + ", 0), 9)]"
                                : std::to_string(below(9)) + ":float32";
            if (below(4) == 0)
                return "max(" + value(depth - 1) + ", " + value(depth - 1) + ")";
            std::string condition = comparison();
            for (int more = below(3); more > 0; --more)
                condition += (below(3) ? " && " : " || ") + comparison();
            return "select(" + condition + ", " + value(depth - 1) + ", " + value(depth - 1) + ")";
        };
        const std::string width = std::to_string(columns * lanes);
        const std::string text = "primfunc nest(A, C) outputs 1 {\n  buffer A: float32[10]\n  buffer C: float32[" +
                                 std::to_string(rows * columns * lanes) + "]\n  for i in " + std::to_string(rows) +
                                 (below(3) == 0 ? " parallel" : "") + " @0 {\n    for j in " + std::to_string(columns) +
                                 (below(4) == 0 ? " unrolled" : "") + " @0 {\n      for l in " + std::to_string(lanes) +
                                 (below(4) ? " vectorized" : "") + " @0 {\n        C[i * " + width + " + j * " +
                                 std::to_string(lanes) + " + l] = " + value(4) + " @0\n      }\n    }\n  }\n}";
        QCOMPARE(failureOf(read(text)), QString());
    }
};

Test test() {
    return {makes<TestBranchOnSelects>};
}

} // namespace lathe::testing::test_branch_on_selects

#include "test_branch_on_selects.moc"
