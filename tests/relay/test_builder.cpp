// SPDX-License-Identifier: Apache-2.0
//
// The Builder: types, requirements, known values, branches and loops. Shapes by hand from the operators' definitions.
#include "relay/builder.h"
#include "relay/text.h"
#include "relay/verify.h"

#include "arith/analysis.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_builder {

using namespace lathe::relay;

namespace {

struct Fixture {
    Module module;
    Builder b{module, nullptr};
    Fixture() {
        module.spans = std::make_shared<model::SpanTable>();
        b.setSpan(module.spans->of(0));
    }
    QString shape(Var var) {
        return b.failed() ? QString::fromStdString(toString(b.error())) : QString::fromStdString(toString(b.type(var)));
    }
    Var input(std::vector<Expr> shape, DataType dtype = types::Float32) {
        return b.param("x", tensorType(dtype, std::move(shape)));
    }
    /// Finishes and verifies; the text of main.
    QString finish(Var result) {
        FunctionPtr main = b.finish(result);
        if (!main)
            return QString::fromStdString(toString(b.error()));
        module.functions["main"] = main;
        if (Result<void> good = verify(module); !good)
            return QString::fromStdString(toString(good.error()) + "\n" + print(module));
        Result<Module> again = parse(print(module), constantsOf(module));
        if (!again)
            return QString::fromStdString(toString(again.error()) + "\n" + print(module));
        return print(*again) == print(module) ? "good" : "text differs";
    }
};

} // namespace

class TestBuilder : public QObject {
    Q_OBJECT

private slots:
    void broadcasting() {
        Fixture f;
        Var a = f.input({Expr(3), Expr(4)}), row = f.input({Expr(4)});
        QCOMPARE(f.shape(f.b.call(Op::Add, {a, row})), "float32[3, 4]");
        Expr n = arith::symbol("n", 0, 64);
        Var symbolic = f.input({n, Expr(1), Expr(4)});
        QCOMPARE(f.shape(f.b.call(Op::Multiply, {symbolic, a})), "float32[n, 3, 4]");
        f.b.call(Op::Add, {a, f.input({Expr(5)})});
        QVERIFY(f.b.failed());
        QCOMPARE(f.b.error().what, std::string("operands [3,4] and [5] do not broadcast"));
    }

    void unprovableBroadcastIsChecked() {
        Fixture f;
        Expr n = arith::symbol("n", 0, 64), m = arith::symbol("m", 0, 64);
        Var sum = f.b.call(Op::Add, {f.input({n}), f.input({m})});
        QVERIFY(!f.b.failed());
        QCOMPARE(f.finish(sum), "good");
        QVERIFY(print(f.module).find("assume(") != std::string::npos);
    }

    void convolutionAndPoolSizes() {
        Fixture f;
        Expr n = arith::symbol("n", 1, 64);
        Var x = f.input({n, Expr(3), Expr(224), Expr(224)}), w = f.input({Expr(64), Expr(3), Expr(7), Expr(7)});
        ConvAttrs conv;
        conv.strides = {2, 2};
        conv.dilations = {1, 1};
        conv.before = conv.after = {Expr(3), Expr(3)};
        Var y = f.b.call(Op::Conv, {x, w}, conv);
        QCOMPARE(f.shape(y), "float32[n, 64, 112, 112]");
        // ONNX: ceil((4 - 3) / 2) + 1 = 2; with 1 of padding behind, the third window would start in it.
        PoolAttrs pool;
        pool.kernel = {1, 1};
        pool.strides = {2, 2};
        pool.dilations = {1, 1};
        pool.before = {Expr(0), Expr(0)};
        pool.after = {Expr(1), Expr(1)};
        pool.ceilMode = true;
        QCOMPARE(f.shape(f.b.call(Op::MaxPool, {f.input({Expr(1), Expr(1), Expr(4), Expr(5)})}, pool)),
                 "float32[1, 1, 2, 3]");
        QCOMPARE(f.finish(y), "good");
    }

    void linearAlgebra() {
        Fixture f;
        Expr b = arith::symbol("b", 1, 64);
        Var x = f.input({b, Expr(12), Expr(128), Expr(64)}), y = f.input({b, Expr(12), Expr(128), Expr(64)});
        MatMulAttrs transposed;
        transposed.transposeB = true;
        QCOMPARE(f.shape(f.b.call(Op::MatMul, {x, y}, transposed)), "float32[b, 12, 128, 128]");
        EinsumAttrs equation;
        equation.equation = "...ij, ...kj -> ...ik";
        QCOMPARE(f.shape(f.b.call(Op::Einsum, {x, y}, equation)), "float32[b, 12, 128, 128]");
        f.b.call(Op::MatMul, {x, y}, MatMulAttrs{});
        QVERIFY(f.b.failed());
    }

    void shapeArithmeticIsKnown() {
        Fixture f;
        Expr n = arith::symbol("n", 1, 64);
        Var x = f.input({n, Expr(3), Expr(4)});
        Var shape = f.b.call(Op::ShapeOf, {x});
        AxisAttrs axis;
        Var batch = f.b.call(Op::Gather, {shape, f.b.scalarInt(0)}, axis);
        Var twice = f.b.call(Op::Multiply, {batch, f.b.scalarInt(2)});
        QVERIFY(f.b.known(twice));
        QVERIFY(arith::provablyEqual(f.b.known(twice)->at(0), n * 2));
        Var last = f.b.call(Op::Gather, {shape, f.b.scalarInt(-1)}, axis);
        QCOMPARE(f.b.knownInts(last).value(), std::vector<int64_t>{4});
        QVERIFY(f.b.constantOf(last));
        ReshapeAttrs reshape;
        reshape.shape = {f.b.known(twice)->at(0), Expr(6)};
        Var flat = f.b.call(Op::Reshape, {x}, reshape);
        QCOMPARE(f.finish(flat), "good");
        QVERIFY(print(f.module).find("assume") == std::string::npos);
    }

    void integersWrapAndDivide() {
        Fixture f;
        auto binary = [&](Op op, int64_t a, int64_t b, DataType dtype, AttrsPtr attrs = nullptr) {
            return f.b.knownInts(f.b.call(op, {f.b.scalarInt(a, dtype), f.b.scalarInt(b, dtype)}, attrs)).value().at(0);
        };
        QCOMPARE(binary(Op::Add, 127, 1, types::Int8), -128);
        QCOMPARE(binary(Op::Multiply, 200, 2, types::UInt8), 144);
        QCOMPARE(binary(Op::Divide, -7, 2, types::Int64), -3);
        QCOMPARE(binary(Op::Divide, std::numeric_limits<int32_t>::min(), -1, types::Int32),
                 std::numeric_limits<int32_t>::min());
        QCOMPARE(binary(Op::Mod, -7, 3, types::Int64, std::make_shared<ModAttrs>()), 2);
        ModAttrs fmod;
        fmod.fmod = true;
        QCOMPARE(binary(Op::Mod, -7, 3, types::Int64, std::make_shared<ModAttrs>(fmod)), -1);
        QCOMPARE(binary(Op::Power, 3, 4, types::Int32), 81);
    }

    void rangeLengths() {
        Fixture f;
        auto range = [&](int64_t a, int64_t b, int64_t c) {
            return f.b.knownInts(f.b.call(Op::Range, {f.b.scalarInt(a), f.b.scalarInt(b), f.b.scalarInt(c)})).value();
        };
        QCOMPARE(range(0, 5, 2), (std::vector<int64_t>{0, 2, 4}));
        QCOMPARE(range(10, 4, -3), (std::vector<int64_t>{10, 7}));
        QCOMPARE(range(3, 3, 1), std::vector<int64_t>{});
        Var limit = f.input({}, types::Int64);
        Var unknown = f.b.call(Op::Range, {f.b.scalarInt(0), limit, f.b.scalarInt(1)});
        QCOMPARE(f.shape(unknown), "int64[range]");
        QCOMPARE(f.finish(unknown), "good");
    }

    void elementsBecomeSymbols() {
        Fixture f;
        Var sizes = f.input({Expr(2)}, types::Int64), x = f.input({});
        std::vector<Expr> dims = f.b.symbolic(sizes, "size");
        QCOMPARE(dims.size(), 2u);
        QCOMPARE(f.b.symbolic(sizes, "again")[0].get(), dims[0].get());
        BroadcastAttrs to;
        to.shape = {arith::max(dims[0], Expr(0)), Expr(3)};
        QCOMPARE(f.finish(f.b.call(Op::BroadcastTo, {x}, to)), "good");
    }

    void dimsBecomeData() {
        Fixture f;
        Expr n = arith::symbol("n", 1, 64);
        Var x = f.input({n});
        Var data = f.b.fromExprs({n * 2, Expr(-1), n - 8});
        QVERIFY(f.b.known(data));
        QVERIFY(arith::provablyEqual(f.b.known(data)->at(0), n * 2));
        QVERIFY(arith::provablyEqual(f.b.known(data)->at(2), n - 8));
        (void)x;
        QCOMPARE(f.finish(data), "good");
    }

    void knownConditionsTakeOneBranch() {
        Fixture f;
        Var x = f.input({Expr(2)});
        Var condition = f.b.call(Op::Less, {f.b.scalarInt(1), f.b.scalarInt(2)});
        Var result = f.b.ifElse(
            condition, [&] { return f.b.call(Op::Relu, {x}); }, [&]() -> Var { throw InternalError("not built"); });
        QCOMPARE(f.shape(result), "float32[2]");
    }

    void branchesJoin() {
        Fixture f;
        Expr n = arith::symbol("n", 1, 64);
        Var x = f.input({n, Expr(3)}), y = f.input({Expr(7), Expr(3)}), flag = f.input({}, types::Bool);
        Var result = f.b.ifElse(flag, [&] { return x; }, [&] { return y; });
        QCOMPARE(f.shape(result), "float32[branch, 3]");
        QCOMPARE(f.b.shape(result)[0]->lower, 1);
        QCOMPARE(f.b.shape(result)[0]->upper, 64);
        QCOMPARE(f.finish(result), "good");
    }

    void branchesOfDifferentRankAreRefused() {
        Fixture f;
        Var x = f.input({Expr(2), Expr(3)}), y = f.input({Expr(6)}), flag = f.input({}, types::Bool);
        f.b.ifElse(flag, [&] { return x; }, [&] { return y; });
        QVERIFY(f.b.failed());
        QVERIFY(f.b.error().what.find("float32[2, 3] and float32[6]") != std::string::npos);
    }

    void growingLoopIsWidened() {
        Fixture f;
        Var start = f.input({Expr(1)}), row = f.input({Expr(4)}), trips = f.input({}, types::Int64);
        int built = 0;
        Var result = f.b.loop(trips, {}, {start}, 1, [&](Var, const std::vector<Var>& carried) {
            ++built;
            return std::vector<Var>{f.b.call(Op::Concat, {carried[0], start}, AxisAttrs{}), row};
        });
        QCOMPARE(built, 2);
        QCOMPARE(f.shape(result), "(float32[carried], float32[trips, 4])");
        QCOMPARE(f.finish(result), "good");
    }

    void countedLoopHasKnownScanLength() {
        Fixture f;
        Var start = f.input({Expr(4)});
        Var result = f.b.loop(f.b.scalarInt(10), {}, {start}, 1, [&](Var, const std::vector<Var>& carried) {
            Var next = f.b.call(Op::Tanh, {carried[0]});
            return std::vector<Var>{next, next};
        });
        QCOMPARE(f.shape(result), "(float32[4], float32[10, 4])");
        QCOMPARE(f.finish(result), "good");
    }

    void errorsStickAndNameTheNode() {
        Fixture f;
        Diagnostic where;
        where.node = "conv1";
        where.op = "ai.onnx.Conv-11";
        f.b.setContext(where);
        Var bad = f.b.call(Op::Exp, {f.input({Expr(2)}, types::Int64)});
        QVERIFY(!bad);
        QVERIFY(!f.b.call(Op::Relu, {bad}));
        QCOMPARE(toString(f.b.error()), std::string("error: node 'conv1' (ai.onnx.Conv-11): exp of int64"));
        QVERIFY(!f.b.finish(bad));
    }
};

Test test() {
    return {makes<TestBuilder>};
}

} // namespace lathe::testing::test_builder

#include "test_builder.moc"
