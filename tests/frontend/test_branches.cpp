// SPDX-License-Identifier: Apache-2.0
//
// Branches whose results have no common type, and shapes that are data. Models in ONNX's own text form; expected shapes
// follow from the operators' definitions.
// Links: onnx
#include "arith/analysis.h"
#include "frontend/frontend.h"
#include "relay/text.h"
#include "relay/verify.h"
#include "support/program_of_tests.h"

#include <onnx/defs/parser.h>

#include <QtTest>

namespace lathe::testing::test_branches {

namespace {

frontend::Imported import(const std::string& body) {
    const std::string text = "<ir_version: 8, opset_import: [\"\" : 17]>\n" + body;
    ::onnx::ModelProto proto;
    const ::onnx::Common::Status parsed = ::onnx::OnnxParser::Parse(proto, text.c_str());
    if (!parsed.IsOK())
        qFatal("%s", parsed.ErrorMessage().c_str());
    const std::string bytes = proto.SerializeAsString();
    return frontend::importBytes(std::as_bytes(std::span(bytes)), "model", {}, nullptr, {});
}

QString why(const frontend::Imported& imported) {
    return imported.diagnostics.empty() ? "" : QString::fromStdString(toString(imported.diagnostics.front()));
}

/// The text of a module that the verifier accepts.
QString verified(const frontend::Imported& imported) {
    if (!imported.module)
        return why(imported);
    if (Result<void> good = relay::verify(*imported.module); !good)
        return QString::fromStdString(toString(good.error()));
    return QString::fromStdString(relay::print(*imported.module));
}

} // namespace

class TestBranches : public QObject {
    Q_OBJECT

private slots:
    void theRestGoesIntoBothBranches() {
        const QString text = verified(import(R"(m (bool c, float[2,3] x) => (float y) {
  a = If (c) <
    then_branch = g1 () => (float[6] t) { s = Constant<value = int64[1] {6}> () t = Reshape(x, s) },
    else_branch = g2 () => (float[2,3] e) { e = Relu(x) }
  >
  b = Neg(a)
  y = ReduceSum<keepdims = 0>(b)
})"));
        QVERIFY2(text.contains("-> float32[] outputs"), qPrintable(text));
        QCOMPARE(text.count("negative("), 2);
        QCOMPARE(text.count("reduce("), 2);
        QCOMPARE(text.count("= if "), 1);
    }

    /// The inner branches disagree, so the outer ones do, and the sum goes into three places.
    void nested() {
        const QString text = verified(import(R"(m (bool c, bool d, float[2,3] x) => (float y) {
  a = If (c) <
    then_branch = g1 () => (float[6] t) {
      t = If (d) <
        then_branch = g3 () => (float[6] p) { s = Constant<value = int64[1] {6}> () p = Reshape(x, s) },
        else_branch = g4 () => (float[2,3] q) { q = Relu(x) }
      >
    },
    else_branch = g2 () => (float[1,2,3] e) { z = Constant<value = int64[3] {1,2,3}> () e = Reshape(x, z) }
  >
  y = ReduceSum<keepdims = 0>(a)
})"));
        QCOMPARE(text.count("reduce("), 3);
        QCOMPARE(text.count("= if "), 2);
    }

    /// Where what follows cannot be computed after one branch, that one is not to be taken: a check says so.
    void aBranchThatWouldFail() {
        const QString text = verified(import(R"(m (bool c, float[2,3] x, float[3,4] w) => (float[2,4] y) {
  a = If (c) <
    then_branch = g1 () => (float[6] t) { s = Constant<value = int64[1] {6}> () t = Reshape(x, s) },
    else_branch = g2 () => (float[2,3] e) { e = Relu(x) }
  >
  y = MatMul(a, w)
})"));
        QVERIFY2(text.contains("assume(") && text.contains("relu("), qPrintable(text));
        QVERIFY2(!text.contains("= if "), qPrintable(text));
    }

    /// Inside of a branch the condition is known.
    void theSameConditionAgain() {
        const QString text = verified(import(R"(m (bool c, float[2,3] x) => (float[2,3] y) {
  y = If (c) <
    then_branch = g1 () => (float[2,3] t) {
      t = If (c) <
        then_branch = g3 () => (float[2,3] p) { p = Relu(x) },
        else_branch = g4 () => (float[2,3] q) { q = Exp(x) }
      >
    },
    else_branch = g2 () => (float[2,3] e) { e = Neg(x) }
  >
})"));
        QCOMPARE(text.count("= if "), 1);
        QVERIFY2(text.contains("relu(") && !text.contains("exp("), qPrintable(text));
    }

    void resultsThatDisagreeAreRefused() {
        const frontend::Imported imported = import(R"(m (bool c, float[2,3] x) => (float[N] y) {
  y = If (c) <
    then_branch = g1 () => (float[6] t) { s = Constant<value = int64[1] {6}> () t = Reshape(x, s) },
    else_branch = g2 () => (float[2,3] e) { e = Relu(x) }
  >
})");
        QVERIFY(!imported.module);
        QVERIFY2(why(imported).contains("If") && why(imported).contains("do not agree"), qPrintable(why(imported)));
    }

    /// 0 copies a dim and -1 stands for the rest also where the shape is an input.
    void reshapeByData() {
        const frontend::Imported imported =
            import("m (float[2,3,4] x, int64[3] s) => (float[A,B,C] y) { y = Reshape(x, s) }");
        QVERIFY2(imported.module, qPrintable(why(imported)));
        const std::vector<arith::Expr> shape = relay::asTensor(imported.module->main().resultType)->shape;
        const auto sizes = [&](std::vector<int64_t> given) {
            std::vector<int64_t> result;
            for (const arith::Expr& dim : shape) {
                arith::VarMap map;
                for (const arith::Var& symbol : arith::freeVars(dim))
                    map[symbol.get()] = given.at(static_cast<size_t>(symbol->name.back() - '0'));
                result.push_back(arith::asInt(arith::simplify(arith::substitute(dim, map))).value_or(-99));
            }
            return result;
        };
        QCOMPARE(sizes({4, 3, 2}), (std::vector<int64_t>{4, 3, 2}));
        QCOMPARE(sizes({0, -1, 2}), (std::vector<int64_t>{2, 6, 2}));
        QCOMPARE(sizes({-1, 0, 0}), (std::vector<int64_t>{2, 3, 4}));
    }

    /// "?" names no size: two such dims are two symbols.
    void placeholdersAreNoNames() {
        ::onnx::ModelProto proto;
        const ::onnx::Common::Status parsed = ::onnx::OnnxParser::Parse(
            proto,
            "<ir_version: 8, opset_import: [\"\" : 17]> m (float[A,B,C,C] x) => (float[A,B,C,C] y) { y = Relu(x) }");
        QVERIFY(parsed.IsOK());
        auto* shape = proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
        shape->mutable_dim(0)->set_dim_param("?");
        shape->mutable_dim(1)->set_dim_param("?");
        const std::string bytes = proto.SerializeAsString();
        const auto imported = frontend::importBytes(std::as_bytes(std::span(bytes)), "model", {}, nullptr, {});
        QVERIFY2(imported.module, qPrintable(why(imported)));
        const std::vector<arith::Expr> dims = relay::asTensor(imported.module->main().params.at(0).type)->shape;
        QVERIFY(!dims[0].same(dims[1]));
        QCOMPARE(arith::toString(dims[1]), std::string("size_1_of_x")); // stands in messages
        QVERIFY(dims[2].same(dims[3]));
    }

    /// What is refused because of an input is told at the node that reads it.
    void unsupportedInput() {
        const frontend::Imported imported = import("m (seq(map(int64, float[2])) x) => (float[2] y) "
                                                   "{ i = Constant<value = int64 {0}> () y = SequenceAt(x, i) }");
        QVERIFY(!imported.module);
        QVERIFY2(why(imported).contains("SequenceAt"), qPrintable(why(imported)));
    }

    /// Each element has sizes of its own; what a sequence may hold is known where it is put in, if not before.
    void sequencesOfInputs() {
        const frontend::Imported taken = import("m (seq(float[N,2]) x, int64 i) => (seq(float[N,2]) y, float[M,2] z) "
                                                "{ z = SequenceAt(x, i) y = SequenceInsert(x, z) }");
        QVERIFY2(taken.module, qPrintable(why(taken)));
        const relay::Function& main = taken.module->main();
        QCOMPARE(relay::toString(main.params.at(0).type), std::string("List(float32[?, 2])"));
        const std::vector<relay::Type> results = relay::fieldTypes(main.resultType);
        QCOMPARE(relay::toString(results.at(0)), std::string("List(float32[?, 2])"));
        const std::vector<arith::Expr> dims = relay::asTensor(results.at(1))->shape;
        QVERIFY(!arith::asInt(dims.at(0)) && arith::asInt(dims.at(1)) == 2);

        const frontend::Imported undeclared =
            import("m (seq(float[]) x, float[3] a) => (seq(float[]) y) { y = SequenceInsert(x, a) }");
        QVERIFY2(undeclared.module, qPrintable(why(undeclared)));
        QCOMPARE(relay::toString(undeclared.module->main().params.at(0).type), std::string("List"));
        QCOMPARE(relay::toString(undeclared.module->main().resultType), std::string("List(float32[3])"));
        QVERIFY(undeclared.diagnostics.size() == 1 && undeclared.diagnostics[0].severity == Severity::Warning);

        const frontend::Imported ranks =
            import("m (seq(float[2]) x, float[2,2] a) => (seq(float[2]) y) { y = SequenceInsert(x, a) }");
        QVERIFY(!ranks.module);
        QVERIFY2(why(ranks).contains("SequenceInsert") && why(ranks).contains("do not agree"), qPrintable(why(ranks)));
    }
};

Test test() {
    return {makes<TestBranches>};
}

} // namespace lathe::testing::test_branches

#include "test_branches.moc"
