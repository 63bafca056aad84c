// SPDX-License-Identifier: Apache-2.0
// Tensor expressions print stably and become blocks that compute them: outputs that are read, doubled or inputs, rank 0.
#include "te/te.h"
#include "support/program_of_tests.h"
#include "te/collapse.h"
#include "tir/interpret.h"
#include "tir/text.h"

#include <QTest>

namespace lathe::testing::test_te {

using arith::Expr;

namespace {

std::vector<std::vector<float>> run(const tir::PrimFunc& function, std::vector<std::vector<float>> memory,
                                    std::vector<int64_t> scalars = {}) {
    std::vector<tir::Argument> arguments;
    for (auto& buffer : memory)
        arguments.push_back({std::as_writable_bytes(std::span(buffer)), 0});
    for (int64_t scalar : scalars)
        arguments.push_back({{}, scalar});
    auto result = tir::interpret(function, arguments);
    if (!result)
        qWarning("%s", toString(result.error()).c_str());
    return result ? memory : std::vector<std::vector<float>>{};
}

using Memory = std::vector<std::vector<float>>;

} // namespace

class TestTe : public QObject {
    Q_OBJECT

private slots:
    void prints() {
        arith::Var m = arith::symbol("m");
        auto a = te::placeholder("A", types::Float32, {m, 4});
        auto sum =
            te::reduce("S", {m}, te::ReduceKind::Sum, {4}, [&](auto& i, auto& k) { return (*a)({i[0], k[0]}); }, 1);
        auto twice = te::compute("T", {m}, [&](auto& i) { return (*sum)({i[0]}) + (*sum)({i[0]}); }, 2);
        QCOMPARE(te::print({twice}), std::string("A = placeholder float32[m, 4]\n"
                                                 "S[i0 < m] = float32 sum(k0 < 4) A[i0, k0] origin 1\n"
                                                 "T[i0 < m] = float32 S[i0] + S[i0] origin 2\n"));
        QCOMPARE(te::topologicalOrder({twice, sum}).size(), size_t(3));
        QCOMPARE(twice->inputs().size(), size_t(1));
    }

    void matrixProduct() {
        auto a = te::placeholder("A", types::Float32, {2, 2});
        auto b = te::placeholder("B", types::Float32, {2, 2});
        auto c = te::reduce(
            "C", {2, 2}, te::ReduceKind::Sum, {2},
            [&](auto& i, auto& k) { return (*a)({i[0], k[0]}) * (*b)({k[0], i[1]}); }, 0);
        auto function = te::toTir("mm", {a, b}, {c}, {});
        auto memory = run(*function, {{1, 2, 3, 4}, {5, 6, 7, 8}, {0, 0, 0, 0}});
        QCOMPARE(memory.at(2), (std::vector<float>{19, 22, 43, 50}));
    }

    void reductionsOfNothing() {
        arith::Var n = arith::symbol("n");
        auto a = te::placeholder("A", types::Float32, {n});
        auto over = [&](const char* name, te::ReduceKind kind) {
            return te::reduce(name, {}, kind, {n}, [&](auto&, auto& k) { return (*a)({k[0]}); }, 0);
        };
        auto sum = over("sum", te::ReduceKind::Sum), product = over("product", te::ReduceKind::Prod);
        auto top = over("top", te::ReduceKind::Max), least = over("least", te::ReduceKind::Min);
        auto function = te::toTir("nothing", {a}, {sum, product, top, least}, {n});
        float infinity = std::numeric_limits<float>::infinity();
        auto memory = run(*function, {{}, {7}, {7}, {7}, {7}}, {0});
        QCOMPARE(memory, (Memory{{}, {0}, {1}, {-infinity}, {infinity}}));
        memory = run(*function, {{2, -3, 5}, {7}, {7}, {7}, {7}}, {3});
        QCOMPARE(memory, (Memory{{2, -3, 5}, {4}, {-30}, {5}, {-3}}));
    }

    void outputsMayBeReadDoubledOrInputs() {
        auto a = te::placeholder("A", types::Float32, {3});
        auto b = te::compute("B", {3}, [&](auto& i) { return (*a)({i[0]}) + arith::one(types::Float32); }, 0);
        auto c = te::compute("C", {3}, [&](auto& i) { return (*b)({i[0]}) * (*b)({i[0]}); }, 1);
        auto function = te::toTir("outputs", {a}, {b, c, b, a}, {});
        QCOMPARE(function->outputs, 4);
        auto memory = run(*function, {{1, 2, 3}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
        QCOMPARE(memory, (Memory{{1, 2, 3}, {2, 3, 4}, {4, 9, 16}, {2, 3, 4}, {1, 2, 3}}));
    }

    void rankZeroAndIntermediates() {
        auto a = te::placeholder("A", types::Float32, {});
        auto b = te::compute("B", {}, [&](auto&) { return (*a)({}) + (*a)({}); }, 0);
        auto c = te::compute("C", {}, [&](auto&) { return (*b)({}) * (*a)({}); }, 3);
        auto function = te::toTir("scalars", {a}, {c}, {});
        QCOMPARE(run(*function, {{3}, {0}}), (Memory{{3}, {18}}));
        std::string text = tir::print(*function);
        QVERIFY2(text.find("B") != std::string::npos, text.c_str());
    }

    void conditionsAreChecked() {
        auto a = te::placeholder("A", types::Float32, {2});
        auto safe = te::checked(
            "safe", a, tir::CheckKind::InvalidValue, "must not be negative",
            [](auto&, Expr element) { return arith::ge(element, arith::zero(types::Float32)); }, 0);
        auto root = te::compute(
            "root", {2},
            [&](auto& i) { return arith::call(arith::Intrinsic::Sqrt, {(*safe)({i[0]})}, types::Float32); }, 0);
        auto function = te::toTir("roots", {a}, {root}, {});
        QCOMPARE(run(*function, {{4, 9}, {0, 0}}), (Memory{{4, 9}, {2, 3}}));
        std::vector<float> bad{4, -1}, out{0, 0};
        std::vector<tir::Argument> arguments{{std::as_writable_bytes(std::span(bad)), 0},
                                             {std::as_writable_bytes(std::span(out)), 0}};
        auto result = tir::interpret(*function, arguments);
        QVERIFY(!result);
        QVERIFY(result.error().what.find("must not be negative") != std::string::npos);
    }

    void blocksSayWhatTheyReadAndWrite() {
        auto a = te::placeholder("A", types::Float32, {8});
        auto where = te::placeholder("where", types::Int64, {8});
        auto b = te::compute(
            "B", {8}, [&](auto& i) { return (*a)({arith::cast((*where)({i[0]}), types::Index)}) + (*a)({i[0]}); }, 0);
        auto function = te::toTir("gather", {a, where}, {b}, {});
        const auto* loop = function->body->as<tir::For>();
        QVERIFY(loop);
        const auto* block = loop->body->as<tir::Block>();
        QVERIFY(block);
        QCOMPARE(block->name, std::string("B"));
        QCOMPARE(block->writes.size(), size_t(1));
        QVERIFY(arith::isConst(block->writes[0].ranges[0].second, 1));
        int whole = 0;
        for (const tir::Region& region : block->reads)
            whole += arith::isConst(region.ranges[0].second, 8);
        QCOMPARE(block->reads.size(), size_t(3));
        QCOMPARE(whole, 1);
    }

    /// A 1×1 convolution with a bias: rows of the image are one axis, the unit window none. With a real window they stay.
    void axesSideBySideAreOne() {
        const auto build = [](int64_t window) {
            auto x = te::placeholder("x", types::Float32, {2, 3, 2 + window - 1, 4});
            auto w = te::placeholder("w", types::Float32, {2, 3, window});
            auto bias = te::placeholder("bias", types::Float32, {2});
            auto conv = te::reduce(
                "conv", {2, 2, 2, 4}, te::ReduceKind::Sum, {3, window},
                [&](auto& i, auto& k) { return (*x)({i[0], k[0], i[2] + k[1], i[3]}) * (*w)({i[1], k[0], k[1]}); }, 0);
            auto sum = te::compute(
                "sum", {2, 2, 2, 4}, [&](auto& i) { return (*conv)({i[0], i[1], i[2], i[3]}) + (*bias)({i[1]}); }, 0);
            return te::Dag{{x, w, bias}, {sum}};
        };
        for (const int64_t window : {1, 2}) {
            const te::Dag dag = build(window), collapsed = te::collapseAxes(dag);
            QCOMPARE(collapsed.outputs[0]->shape.size(), size_t(window == 1 ? 3 : 4));
            QCOMPARE(collapsed.inputs[0]->shape.size(), size_t(window == 1 ? 3 : 4));
            Memory memory(4);
            for (size_t i = 0; i < size_t(2 * 3 * 4 * (window + 1)); ++i)
                memory[0].push_back(float(i * 5 % 7));
            for (size_t i = 0; i < size_t(6 * window); ++i)
                memory[1].push_back(float(i * 3 % 5) - 2);
            memory[2] = {10, 20};
            memory[3].resize(32);
            const auto logical = run(*te::toTir("f", dag.inputs, dag.outputs, {}), memory);
            const auto one = run(*te::toTir("f", collapsed.inputs, collapsed.outputs, {}), memory);
            QCOMPARE(logical.size(), size_t(4));
            QCOMPARE(one, logical);
        }
    }

    /// A mean over pixels and a use of each of them: both see one row a channel. Windows have two axes as before.
    void axesOfAReductionAreOne() {
        const auto build = [](bool whole) {
            auto x = te::placeholder("x", types::Float32, {2, 3, 4});
            auto sum = te::reduce(
                "sum", {2}, te::ReduceKind::Sum, {whole ? 3 : 2, whole ? 4 : 3},
                [&](auto& i, auto& k) { return (*x)({i[0], k[0], k[1]}); }, 0);
            auto centered = te::compute(
                "centered", {2, 3, 4}, [&](auto& i) { return (*x)({i[0], i[1], i[2]}) - (*sum)({i[0]}); }, 0);
            return te::Dag{{x}, {centered}};
        };
        for (const bool whole : {true, false}) {
            const te::Dag dag = build(whole), collapsed = te::collapseAxes(dag);
            const std::vector<te::TensorPtr> tensors = te::topologicalOrder(collapsed.outputs);
            const auto sum = std::ranges::find_if(tensors, [](const te::TensorPtr& t) { return t->name == "sum"; });
            QVERIFY(sum != tensors.end());
            QCOMPARE((*sum)->reduceAxes.size(), size_t(whole ? 1 : 2));
            QCOMPARE(collapsed.outputs[0]->shape.size(), size_t(2));
            Memory memory(2);
            for (size_t i = 0; i < 24; ++i)
                memory[0].push_back(float(i * 5 % 7));
            memory[1].resize(24);
            QCOMPARE(run(*te::toTir("f", collapsed.inputs, collapsed.outputs, {}), memory),
                     run(*te::toTir("f", dag.inputs, dag.outputs, {}), memory));
        }
    }
};

Test test() {
    return {makes<TestTe>};
}

} // namespace lathe::testing::test_te

#include "test_te.moc"
