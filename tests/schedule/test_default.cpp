// SPDX-License-Identifier: Apache-2.0
//
// Default schedules compute what the unscheduled function does, at sizes that divide and that do not, and take the shape
// that each structure is meant to get.
#include "codegen/target.h"
#include "harness.h"
#include "topi/default_schedule.h"

#include "arith/analysis.h"
#include "support/program_of_tests.h"

#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <set>

namespace lathe::testing::test_default {

using arith::Expr;
using te::ReduceKind;

namespace {

tir::PrimFuncPtr scheduled(const tir::PrimFuncPtr& function) {
    return topi::scheduleDefault(schedule::Schedule(function), *codegen::parseTarget("x86-64-v3")).schedule.function();
}

/// How many loops the schedule gave this kind: "vectorized", "unrolled" or "parallel". The unscheduled function has none.
int loopsOf(const tir::PrimFunc& function, const std::string& kind) {
    const std::string text = tir::print(function), word = " " + kind + " ";
    int count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

/// Where a buffer lies that the function allocates: "local" or "workspace".
std::string scopeOf(const std::string& text, const std::string& buffer) {
    const size_t at = text.find("allocate " + buffer + ":"), end = text.find(" @", at), word = text.rfind(' ', end - 1);
    return at == std::string::npos ? "" : text.substr(word + 1, end - word - 1);
}

/// C[h, i, j] = sum over k of A[h, i, k] * B[h, j, k].
tir::PrimFuncPtr dots(const Expr& m, const Expr& n, int64_t k, const std::vector<arith::Var>& scalars = {}) {
    auto a = te::placeholder("A", types::Float32, {2, m, Expr(k)}),
         b = te::placeholder("B", types::Float32, {2, n, Expr(k)});
    auto c = te::reduce(
        "C", {2, m, n}, ReduceKind::Sum, {Expr(k)},
        [&](auto& i, auto& r) { return (*a)({i[0], i[1], r[0]}) * (*b)({i[0], i[2], r[0]}); }, 0);
    return te::toTir("dots", {a, b}, {c}, scalars);
}

/// The sum of each row, and each element less it.
tir::PrimFuncPtr centred(const Expr& rows, int64_t columns, const std::vector<arith::Var>& scalars = {}) {
    auto x = te::placeholder("x", types::Float32, {rows, Expr(columns)});
    auto sum = te::reduce(
        "sum", {rows}, ReduceKind::Sum, {Expr(columns)}, [&](auto& i, auto& r) { return (*x)({i[0], r[0]}); }, 0);
    auto y = te::compute("y", {rows, Expr(columns)}, [&](auto& i) { return (*x)({i[0], i[1]}) - (*sum)({i[0]}); }, 0);
    return te::toTir("centred", {x}, {y}, scalars);
}

/// The largest of each window of 3, in steps of `step`.
tir::PrimFuncPtr windows(int64_t width, int64_t step) {
    auto x = te::placeholder("x", types::Float32, {4, Expr(std::max<int64_t>(0, (width - 1) * step) + 3)});
    auto y = te::reduce(
        "y", {4, Expr(width)}, ReduceKind::Max, {3},
        [&](auto& i, auto& r) { return (*x)({i[0], i[1] * Expr(step) + r[0]}); }, 0);
    return te::toTir("windows", {x}, {y}, {});
}

/// A convolution of each channel, or of groups of two channels to three, over an image within a frame of zeros. blocked:
/// channels innermost, each for itself.
tir::PrimFuncPtr channelwise(const Expr& height, int64_t width, int64_t step, bool grouped, bool blocked,
                             const std::vector<arith::Var>& scalars = {}) {
    const int64_t channels = blocked ? 8 : 6, results = grouped ? 9 : channels;
    const auto place = [&](const Expr& c, const Expr& h, const Expr& w) {
        return blocked ? std::vector<Expr>{h, w, c} : std::vector<Expr>{c, h, w};
    };
    const auto windowsOf = [&](const Expr& extent) {
        return arith::simplify(arith::floorDiv(extent - 1, Expr(step)) + 1);
    };
    auto x = te::placeholder("x", types::Float32, place(channels, height, width));
    const Expr operands = grouped ? 2 : 1;
    auto w = te::placeholder("w", types::Float32,
                             blocked ? std::vector<Expr>{operands, 3, 3, results}
                                     : std::vector<Expr>{results, operands, 3, 3});
    auto framed = te::compute(
        "framed", place(channels, height + 2, width + 2),
        [&](auto& i) {
            const size_t row = blocked ? 0 : 1;
            std::vector<Expr> at(i.begin(), i.end());
            Expr inside = arith::boolImm(true);
            for (size_t axis : {row, row + 1}) {
                const Expr extent = x->shape[axis], index = i[axis] - 1;
                inside = arith::logicalAnd(inside, arith::logicalAnd(arith::ge(index, 0), arith::lt(index, extent)));
                at[axis] = arith::max(arith::min(index, extent - 1), 0);
            }
            return arith::select(inside, (*x)(at), arith::floatImm(0, types::Float32));
        },
        0);
    auto y = te::reduce(
        "y", place(results, windowsOf(height), windowsOf(width)), ReduceKind::Sum, {operands, 3, 3},
        [&](auto& i, auto& r) {
            const Expr c = blocked ? i[2] : i[0], h = blocked ? i[0] : i[1], v = blocked ? i[1] : i[2];
            const Expr channel = grouped ? arith::floorDiv(c, 3) * 2 + r[0] : Expr(c);
            return (*framed)(place(channel, h * Expr(step) + r[1], v * Expr(step) + r[2])) *
                   (blocked ? (*w)({r[0], r[1], r[2], c}) : (*w)({c, r[0], r[1], r[2]}));
        },
        0);
    auto z = te::compute(
        "z", y->shape,
        [&](auto& i) { return arith::max((*y)({i[0], i[1], i[2]}), Expr(arith::floatImm(0, types::Float32))); }, 0);
    return te::toTir("channelwise", {x, w}, {z}, scalars);
}

/// The largest of each window of `length` in each row, within a frame.
tir::PrimFuncPtr framedRows(int64_t rows, int64_t width, int64_t length) {
    auto x = te::placeholder("x", types::Float32, {Expr(rows), Expr(width)});
    auto framed = te::compute(
        "framed", {Expr(rows), Expr(width + length - 1)},
        [&](auto& i) {
            const Expr at = i[1] - length / 2;
            return arith::select(arith::logicalAnd(arith::ge(at, 0), arith::lt(at, Expr(width))),
                                 (*x)({i[0], arith::max(arith::min(at, Expr(width - 1)), 0)}),
                                 arith::floatImm(0, types::Float32));
        },
        0);
    auto y = te::reduce(
        "y", {Expr(rows), Expr(width)}, ReduceKind::Max, {Expr(length)},
        [&](auto& i, auto& r) { return (*framed)({i[0], i[1] + r[0]}); }, 0);
    return te::toTir("framed_rows", {x}, {y}, {});
}

} // namespace

class TestDefault : public QObject {
    Q_OBJECT

private slots:
    void productsOfRowsByRows() {
        for (const auto& [m, n, k] :
             {std::tuple{7, 4, 32}, std::tuple{5, 3, 37}, std::tuple{4, 2, 16}, std::tuple{6, 7, 129}}) {
            const tir::PrimFuncPtr function = dots(Expr(m), Expr(n), k), made = scheduled(function);
            SAME(*function, *made);
            const std::string text = tir::print(*made);
            QVERIFY2(holds(text, "C_rf") && holds(text, "vectorized") && holds(text, "unrolled"), text.c_str());
        }
        // Many rows: columns are stored as vectors, once for all of them.
        for (const auto& [m, n, k] : {std::tuple{8, 4, 32}, std::tuple{9, 7, 129}, std::tuple{33, 40, 24}}) {
            const tir::PrimFuncPtr function = dots(Expr(m), Expr(n), k), made = scheduled(function);
            SAME(*function, *made);
            const std::string text = tir::print(*made);
            QCOMPARE(scopeOf(text, "B_local"), std::string("local"));
            const auto lineOf = [&](const std::string& word) {
                const size_t at = text.find(word);
                const size_t line = text.rfind('\n', at) + 1;
                return text.find_first_not_of(' ', line) - line; // its depth
            };
            QVERIFY2(lineOf("parallel") + 2 == lineOf("allocate B_local"), text.c_str());
        }
        const arith::Var m = arith::symbol("m", 1, 64), n = arith::symbol("n", 1, 64);
        const tir::PrimFuncPtr function = dots(m, n, 40, {m, n});
        SAME(*function, *scheduled(function), {{1, 1}, {8, 4}, {5, 3}, {6, 9}});
    }

    void productsByPanels() {
        for (const auto& [m, n, k] :
             {std::tuple{12, 32, 40}, std::tuple{13, 32, 7}, std::tuple{17, 49, 31}, std::tuple{1, 16, 3}})
            for (const bool epilogue : {false, true}) {
                const tir::PrimFuncPtr function = matmul(Expr(m), Expr(n), Expr(k), epilogue),
                                       made = scheduled(function);
                SAME(*function, *made);
                // A tile of rows times vectors: cleared, summed and stored alike, so three of each kind of loop.
                const std::string text = tir::print(*made);
                QVERIFY2(m == 1 || loopsOf(*made, "vectorized") >= 3, text.c_str());
                QVERIFY2(m == 1 || loopsOf(*made, "unrolled") >= 3, text.c_str());
                QVERIFY2(m == 1 || holds(text, " local"), text.c_str());
            }
        const arith::Var m = arith::symbol("m", 1, 64);
        const tir::PrimFuncPtr function = matmul(m, 32, 5, true, {m});
        SAME(*function, *scheduled(function), {{1}, {6}, {13}});
    }

    void rows() {
        for (const int64_t columns : {3, 8, 16, 37, 100}) {
            const tir::PrimFuncPtr function = centred(5, columns), made = scheduled(function);
            SAME(*function, *made);
            QVERIFY2(columns < 8 || loopsOf(*made, "vectorized") >= 1, tir::print(*made).c_str());
        }
        const arith::Var n = arith::symbol("n", 1, 64);
        const tir::PrimFuncPtr function = centred(n, 24, {n});
        SAME(*function, *scheduled(function), {{1}, {7}});
        // Short rows in groups that leave none over.
        for (const auto& [rows, columns, groups] :
             {std::tuple{16, 37, 2}, std::tuple{12, 37, 2}, std::tuple{11, 37, 11}, std::tuple{16, 200, 4},
              std::tuple{8, 600, 8}}) {
            const tir::PrimFuncPtr before = centred(rows, columns), after = scheduled(before);
            SAME(*before, *after);
            QVERIFY2(holds(tir::print(*after), "in " + std::to_string(groups) + " parallel"),
                     tir::print(*after).c_str());
        }
        const tir::PrimFuncPtr groups = centred(n * 8, 24, {n}), made = scheduled(groups);
        SAME(*groups, *made, {{1}, {3}});
        QVERIFY2(holds(tir::print(*made), "in n parallel"), tir::print(*made).c_str());
    }

    /// A vector of rows, each step of their reduction a statement.
    void shortRows() {
        const auto extremes = [](const Expr& rows, int64_t columns, const std::vector<arith::Var>& scalars = {}) {
            auto x = te::placeholder("x", types::Float32, {3, rows, Expr(columns)});
            auto most = te::reduce(
                "most", {3, rows, 1}, ReduceKind::Max, {Expr(columns)},
                [&](auto& i, auto& r) { return (*x)({i[0], i[1], r[0]}); }, 0);
            auto twice = te::compute(
                "twice", {3, rows, 1},
                [&](auto& i) { return (*most)({i[0], i[1], i[2]}) * arith::floatImm(2, types::Float32); }, 0);
            return te::toTir("extremes", {x}, {twice}, scalars);
        };
        for (const int64_t columns : {2, 5, 7, 12, 15, 31})
            for (const int64_t rows : {1, 8, 19}) {
                const tir::PrimFuncPtr function = extremes(Expr(rows), columns), made = scheduled(function);
                SAME(*function, *made);
                if (rows >= 8 && columns >= 5 && columns < 16)
                    QVERIFY2(loopsOf(*made, "unrolled") == 1 && loopsOf(*made, "vectorized") >= 3,
                             tir::print(*made).c_str());
            }
        const arith::Var rows = arith::symbol("rows", 1, 64);
        const tir::PrimFuncPtr function = extremes(rows, 7, {rows});
        SAME(*function, *scheduled(function), {{1}, {8}, {21}});
    }

    /// Last axes that are shorter than a vector, and columns of a transpose.
    void transposes() {
        const auto moved = [](const std::vector<int64_t>& dims, const std::vector<size_t>& from) {
            std::vector<Expr> shape(dims.begin(), dims.end()), result;
            for (const size_t axis : from)
                result.push_back(shape[axis]);
            auto x = te::placeholder("x", types::Float32, shape);
            auto y = te::compute(
                "y", result,
                [&](auto& i) {
                    std::vector<Expr> at(from.size());
                    for (size_t d = 0; d < from.size(); ++d)
                        at[from[d]] = i[d];
                    return (*x)(at);
                },
                0);
            return te::toTir("moved", {x}, {y}, {});
        };
        for (const int64_t rows : {2, 3, 4, 5, 7, 8, 19})
            for (const int64_t columns : {7, 16, 37}) {
                for (const tir::PrimFuncPtr& function :
                     {moved({rows, columns}, {1, 0}), moved({3, rows, 2, columns}, {0, 1, 3, 2})})
                    SAME(*function, *scheduled(function));
                const tir::PrimFuncPtr made = scheduled(moved({rows, columns}, {1, 0}));
                QVERIFY2(columns == 7 || loopsOf(*made, "vectorized") == 1, tir::print(*made).c_str());
            }
    }

    /// What is read at several places, or again in an outer loop, is computed before if it is not cheap.
    void functionsByWideVectors() {
        const auto map = [](int64_t count, arith::Intrinsic which) {
            auto x = te::placeholder("x", types::Float32, {Expr(count)});
            auto y = te::compute(
                "y", {Expr(count)}, [&](auto& i) { return arith::call(which, {(*x)({i[0]})}, types::Float32); }, 0);
            return te::toTir("map", {x}, {y}, {});
        };
        const auto width = [](const tir::PrimFuncPtr& function) {
            for (int lanes : {8, 16, 32})
                if (holds(tir::print(*scheduled(function)), "in " + std::to_string(lanes) + " vectorized"))
                    return lanes;
            return 0;
        };
        QCOMPARE(width(map(1000, arith::Intrinsic::Exp)), 32);
        QCOMPARE(width(map(200, arith::Intrinsic::Erf)), 16);
        QCOMPARE(width(map(100, arith::Intrinsic::Erf)), 8);
        QCOMPARE(width(map(1000, arith::Intrinsic::Sqrt)), 8);
    }

    void tablesAreStored() {
        auto x = te::placeholder("x", types::Float32, {40, 64});
        auto table = te::compute(
            "table", {64},
            [&](auto& i) {
                return arith::call(arith::Intrinsic::Exp, {arith::cast(i[0], types::Float32)}, types::Float32);
            },
            0);
        auto scaled =
            te::compute("scaled", {40, 64}, [&](auto& i) { return (*x)({i[0], i[1]}) * (*table)({i[1]}); }, 0);
        QVERIFY(!scopeOf(tir::print(*scheduled(te::toTir("scaled", {x}, {scaled}, {}))), "table").empty());
        auto row = te::compute(
            "row", {40},
            [&](auto& i) {
                return arith::call(arith::Intrinsic::Exp, {arith::cast(i[0], types::Float32)}, types::Float32);
            },
            0);
        auto byRow = te::compute("byRow", {40, 64}, [&](auto& i) { return (*x)({i[0], i[1]}) * (*row)({i[0]}); }, 0);
        QVERIFY(scopeOf(tir::print(*scheduled(te::toTir("byRow", {x}, {byRow}, {}))), "row").empty());
        auto costly = te::compute(
            "costly", {40, 64},
            [&](auto& i) { return arith::call(arith::Intrinsic::Exp, {(*x)({i[0], i[1]})}, types::Float32); }, 0);
        auto neighbours = te::compute(
            "neighbours", {40, 63},
            [&](auto& i) { return (*costly)({i[0], i[1]}) + (*costly)({i[0], i[1] + Expr(1)}); }, 0);
        const tir::PrimFuncPtr function = te::toTir("neighbours", {x}, {neighbours}, {});
        QVERIFY(!scopeOf(tir::print(*scheduled(function)), "costly").empty());
        SAME(*function, *scheduled(function));
    }

    /// Every answer to every question, one at a time: the same results, and what is refused is said.
    void everyAnswerKeepsMeaning() {
        const Target target = *codegen::parseTarget("x86-64-v3");
        int followed = 0, refused = 0;
        for (const tir::PrimFuncPtr& function : {dots(Expr(9), Expr(7), 129), matmul(Expr(13), Expr(33), Expr(7), true),
                                                 centred(5, 37), windows(33, 2), chain(Expr(7), Expr(40))}) {
            const auto noting = std::make_shared<schedule::Noting>(std::make_shared<schedule::Preferred>());
            topi::scheduleDefault(schedule::Schedule(function, noting), target);
            QVERIFY(!noting->asked().empty());
            for (const schedule::Question& question : noting->asked())
                for (const int64_t candidate : question.candidates) {
                    const auto pins =
                        std::make_shared<schedule::Pinned>(schedule::Answers{{question.name, {candidate}}});
                    try {
                        const topi::Scheduled made = topi::scheduleDefault(schedule::Schedule(function, pins), target);
                        SAME(*function, *made.schedule.function());
                        schedule::Schedule again(function);
                        QVERIFY(again.replay(made.schedule.trace()));
                        QCOMPARE(tir::print(*again.function()), tir::print(*made.schedule.function()));
                        ++followed;
                    } catch (const schedule::AnswerError& why) {
                        QVERIFY2(candidate != question.preferred[0] && holds(why.what(), question.name), why.what());
                        ++refused;
                    }
                }
        }
        qDebug("%d answers followed, %d refused", followed, refused);
        QVERIFY(followed > 40);
    }

    /// The padded operand of windows that overlap or meet is computed for each band, not stored as a whole.
    void windowsThatMeetHaveBands() {
        for (const int64_t step : {1, 2, 3}) {
            auto x = te::placeholder("x", types::Float32, {4, 34, 34});
            auto padded = te::compute(
                "padded", {4, 36, 36},
                [&](auto& i) {
                    const auto inside = [](const Expr& at) {
                        return arith::logicalAnd(arith::ge(at, Expr(1)), arith::lt(at, Expr(35)));
                    };
                    const auto kept = [](const Expr& at) { return arith::max(arith::min(at - 1, Expr(33)), Expr(0)); };
                    return arith::select(arith::logicalAnd(inside(i[1]), inside(i[2])),
                                         (*x)({i[0], kept(i[1]), kept(i[2])}), arith::floatImm(0, types::Float32));
                },
                0);
            const int64_t results = step == 1 ? 35 : step == 2 ? 18 : 12;
            auto sum = te::reduce(
                "sum", {4, results, results}, ReduceKind::Sum, {2, 2},
                [&](auto& i, auto& k) { return (*padded)({i[0], i[1] * Expr(step) + k[0], i[2] * Expr(step) + k[1]}); },
                0);
            const tir::PrimFuncPtr function = te::toTir("sums", {x}, {sum}, {});
            const auto noting = std::make_shared<schedule::Noting>(std::make_shared<schedule::Preferred>());
            const topi::Scheduled made =
                topi::scheduleDefault(schedule::Schedule(function, noting), *codegen::parseTarget("x86-64-v3"));
            SAME(*function, *made.schedule.function());
            const bool banded = std::ranges::any_of(
                noting->asked(), [](const schedule::Question& question) { return question.name.ends_with(".band"); });
            QCOMPARE(banded, step <= 2);
            QCOMPARE(scopeOf(tir::print(*made.schedule.function()), "padded") == "local", banded);
        }
    }

    /// Bands along a width that only running tells are short: all of a band's operand is computed, however narrow the image.
    void bandsOfUnknownWidthAreShort() {
        const arith::Var width = arith::symbol("w", 0, int64_t{1} << 40);
        auto x = te::placeholder("x", types::Float32, {4, 35, width});
        auto padded = te::compute(
            "padded", {4, 35, Expr(width) + 2},
            [&](auto& i) {
                const Expr inside = arith::logicalAnd(arith::ge(i[2], Expr(1)), arith::lt(i[2], Expr(width) + 1));
                const Expr kept = arith::max(arith::min(i[2] - 1, Expr(width) - 1), Expr(0));
                return arith::select(inside, (*x)({i[0], i[1], kept}), arith::floatImm(0, types::Float32));
            },
            0);
        auto sum = te::reduce(
            "sum", {4, 7, arith::floorDiv(width, Expr(3))}, ReduceKind::Sum, {5, 5},
            [&](auto& i, auto& k) { return (*padded)({i[0], i[1] * Expr(5) + k[0], i[2] * Expr(3) + k[1]}); }, 0);
        const tir::PrimFuncPtr made = scheduled(te::toTir("sums", {x}, {sum}, {}));
        const auto text = QString::fromStdString(tir::print(*made));
        const auto allocated = QRegularExpression(R"(allocate padded: float32\[1, (\d+), (\d+)\] local)").match(text);
        QVERIFY2(allocated.hasMatch(), qPrintable(text));
        QVERIFY2(allocated.captured(2).toInt() < 200, qPrintable(allocated.captured()));
    }

    /// Windows of one row in long steps, of several filters: no dim of the row is the columns' own, so none is repacked.
    void windowsInLongSteps() {
        for (const int64_t step : {4, 5}) {
            auto x = te::placeholder("x", types::Float32, {64 * step + 11});
            auto w = te::placeholder("w", types::Float32, {17, 11});
            auto sum = te::reduce(
                "sum", {17, 64}, ReduceKind::Sum, {11},
                [&](auto& i, auto& k) { return (*x)({i[1] * Expr(step) + k[0]}) * (*w)({i[0], k[0]}); }, 0);
            const tir::PrimFuncPtr function = te::toTir("filters", {x, w}, {sum}, {}), made = scheduled(function);
            SAME(*function, *made);
            QVERIFY2(loopsOf(*made, "vectorized") >= 1, tir::print(*made).c_str());
        }
    }

    void slidingWindows() {
        for (const int64_t width : {0, 1, 8, 16, 33})
            for (const int64_t step : {1, 2, 5}) {
                const tir::PrimFuncPtr function = windows(width, step), made = scheduled(function);
                SAME(*function, *made);
                QVERIFY2(width < 8 || step > 2 || loopsOf(*made, "vectorized") >= 1, tir::print(*made).c_str());
            }
    }

    /// Elements of a window that lie between those of its neighbours are statements in sequence.
    void stepsShareReads() {
        for (const int64_t width : {8, 16, 33})
            QCOMPARE(loopsOf(*scheduled(windows(width, 2)), "unrolled"),
                     loopsOf(*scheduled(windows(width, 1)), "unrolled") + 1);
    }

    /// Windows in steps wider than a vector is loaded by: each vector is for all results that read it.
    void stepsOfConvolutions() {
        for (const int64_t step : {1, 3, 5, 8}) {
            auto x = te::placeholder("x", types::Float32, {3, Expr(20 * step + 5)});
            auto w = te::placeholder("w", types::Float32, {7, 3, 5});
            auto y = te::reduce(
                "y", {7, 21}, ReduceKind::Sum, {3, 5},
                [&](auto& i, auto& r) { return (*x)({r[0], i[1] * Expr(step) + r[1]}) * (*w)({i[0], r[0], r[1]}); }, 0);
            const tir::PrimFuncPtr function = te::toTir("convolution", {x, w}, {y}, {}), made = scheduled(function);
            SAME(*function, *made);
            QVERIFY2(loopsOf(*made, "vectorized") >= 3 && loopsOf(*made, "unrolled") >= 3, tir::print(*made).c_str());
        }
    }

    /// Rows of a tile are results of one group, whether its results fill tiles or not: they share each vector.
    void groupsOfChannels() {
        for (const int64_t group : {4, 8, 12, 13, 29}) {
            std::set<std::string> locals; // tiles are the same however many channels a group has
            for (const int64_t channels : {1, 3}) {
                auto x = te::placeholder("x", types::Float32, {Expr(2 * channels), 9, 20});
                auto w = te::placeholder("w", types::Float32, {Expr(2 * group), Expr(channels), 3, 3});
                const auto first = [&](const Expr& result) {
                    return arith::simplify(arith::floorDiv(result, Expr(group)) * Expr(channels));
                };
                auto y = te::reduce(
                    "y", {Expr(2 * group), 7, 18}, ReduceKind::Sum, {Expr(channels), 3, 3},
                    [&](auto& i, auto& r) {
                        const Expr channel = channels == 1 ? first(i[0]) : first(i[0]) + r[0];
                        return (*x)({channel, i[1] + r[1], i[2] + r[2]}) * (*w)({i[0], r[0], r[1], r[2]});
                    },
                    0);
                const tir::PrimFuncPtr function = te::toTir("grouped", {x, w}, {y}, {}), made = scheduled(function);
                SAME(*function, *made);
                const std::string text = tir::print(*made);
                QVERIFY2(holds(text, "allocate y_local: ") && !holds(text, "allocate y_local: float32[1, "),
                         text.c_str());
                const size_t at = text.find("allocate y_local: ");
                locals.insert(text.substr(at, text.find(']', at) - at));
            }
            QCOMPARE(locals.size(), size_t{1});
        }
    }

    void windowsWithinAFrame() {
        for (const bool grouped : {false, true})
            for (const bool blocked : {false, true})
                for (const int64_t step : {1, 2})
                    for (const auto& [height, width] : {std::pair{9, 33}, std::pair{16, 16}, std::pair{3, 8}}) {
                        if (grouped && blocked)
                            continue;
                        const tir::PrimFuncPtr function = channelwise(height, width, step, grouped, blocked);
                        const tir::PrimFuncPtr made = scheduled(function);
                        SAME(*function, *made);
                        const std::string text = tir::print(*made);
                        QVERIFY2(width < 16 || holds(text, "unrolled"), text.c_str());
                        // The frame of each channel is the task's own, unless several results read it. Around whole
                        // vectors of channels there is none, but code for the borders.
                        QVERIFY2(width < 16 || blocked || (scopeOf(text, "framed") == "local") != grouped,
                                 text.c_str());
                        QVERIFY2(!blocked || !holds(text, "buffer framed") && !holds(text, "allocate framed"),
                                 text.c_str());
                    }
        const arith::Var h = arith::symbol("h", 1, 64);
        const tir::PrimFuncPtr function = channelwise(h, 17, 1, false, true, {h});
        SAME(*function, *scheduled(function), {{1}, {7}, {20}, {33}});
    }

    /// An index that is computed in floats, as resizing does.
    void readsByFloats() {
        auto x = te::placeholder("x", types::Float32, {4, 28});
        auto y = te::compute(
            "y", {4, 49},
            [&](auto& i) {
                const Expr at = arith::div(arith::cast(i[1], types::Float64), arith::floatImm(1.75, types::Float64));
                return (*x)({i[0], arith::min(arith::cast(at, types::Index), 27)});
            },
            0);
        const tir::PrimFuncPtr function = te::toTir("resized", {x}, {y}, {});
        SAME(*function, *scheduled(function));
    }

    /// Rows without windows of their own are tasks: what frames them is a task's too, and all of them are not one task.
    void framesOfRows() {
        for (const auto& [rows, width, length] : {std::tuple{20, 40, 3}, std::tuple{5, 17, 9}, std::tuple{1, 100, 5}}) {
            const tir::PrimFuncPtr function = framedRows(rows, width, length), made = scheduled(function);
            SAME(*function, *made);
            const std::string text = tir::print(*made);
            QVERIFY2(scopeOf(text, "framed") == "local", text.c_str());
            QVERIFY2(rows < 20 || !holds(text, "in 1 parallel"), text.c_str());
        }
    }
};

Test test() {
    return {makes<TestDefault>};
}

} // namespace lathe::testing::test_default

#include "test_default.moc"
