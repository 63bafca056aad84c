// SPDX-License-Identifier: Apache-2.0
//
// Which Transposes go, which stay and which are made smaller, on graphs of a few calls; every result passes the
// verifier. That values stay the same is held in tests/driver/test_channels_last.cpp.
#include "relay/attrs.h"
#include "relay/text.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/simplify_arithmetic.h"
#include "relay/transform/sink_transposes.h"
#include "relay/verify.h"
#include "relay/visit.h"
#include "support/program_of_tests.h"

#include <QtTest>
#include <random>

namespace lathe::testing::test_sink_transposes {

using namespace lathe::relay;
using namespace lathe::relay::transform;

namespace {

/// A module of main alone; each binding gets the Span of its line.
Module mainOf(const QString& params, const QString& type, const QStringList& lines, const QString& result) {
    QString text = "module next %200\n\nfn main(" + params + ") -> " + type + " {\n";
    for (int i = 0; i < lines.size(); ++i)
        text += "  " + lines[i] + QString(" @{%1}\n").arg(i);
    text += "  -> " + result + "\n}\n";
    Result<Module> module = parse(text.toStdString(), {});
    if (!module)
        qFatal("%s\n%s", toString(module.error()).c_str(), qPrintable(text));
    return *module;
}

std::vector<const OpCall*> callsOf(const Module& module, Op op) {
    std::vector<const OpCall*> calls;
    visitBindings(module, [&](const Binding& binding) {
        const OpCall* call = binding.as<OpCall>();
        if (call && call->op == op)
            calls.push_back(call);
    });
    return calls;
}

size_t transposes(const Module& module) {
    return callsOf(module, Op::Transpose).size();
}

/// The module after the pass, which the verifier takes.
Module sunk(const Module& module, bool exact = false) {
    Module after = sinkTransposes(module, exact);
    if (Result<void> good = verify(after); !good)
        qFatal("%s\n%s", toString(good.error()).c_str(), print(after).c_str());
    return after;
}

bool isUnchanged(const Module& module) {
    return sunk(module).functions == module.functions;
}

const QString pool = "{kernel=[1, 1], strides=[1, 1], dilations=[1, 1], before=[0, 0], after=[0, 0]}";

} // namespace

class TestSinkTransposes : public QObject {
    Q_OBJECT

private slots:
    void aPairCancelsAcrossWhatStandsBetween() {
        const Module module = mainOf("%1: float32[2, 4, 4, 4], %2: float32[2, 4, 4, 4]", "float32[2, 4, 4, 4]",
                                     {"%3 = const float32[4] [1, 2, 3, 4]",
                                      "%4 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                                      "%5 = add(%4, %3) : float32[2, 4, 4, 4]", "%6 = relu(%5) : float32[2, 4, 4, 4]",
                                      "%7 = transpose(%2) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                                      "%8 = multiply(%6, %7) : float32[2, 4, 4, 4]",
                                      "%9 = transpose(%8) {axes=[0, 3, 1, 2]} : float32[2, 4, 4, 4]",
                                      "%10 = max_pool(%9) " + pool + " : float32[2, 4, 4, 4]"},
                                     "%10");
        const Module after = sunk(module);
        QCOMPARE(transposes(after), 0u);
        // A bias of the channels stands along them, though all dims are of one size.
        visitBindings(after, [](const Binding& binding) {
            if (const ConstantRef* bias = binding.as<ConstantRef>())
                QCOMPARE(text(asTensor(bias->constant->type)->shape), "[4,1,1]");
        });
    }

    void axesOfAttributesFollow() {
        const Module module = mainOf("%1: float32[2, 4, 4, 4]", "float32[2, 8, 4, 5]",
                                     {"%2 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                                      "%3 = concat(%2, %2) {axis=3} : float32[2, 4, 4, 8]",
                                      "%4 = pad(%3) {before=[0, 0, 1, 0], after=[0, 0, 0, 0]} : float32[2, 4, 5, 8]",
                                      "%5 = softmax(%4) {axis=3} : float32[2, 4, 5, 8]",
                                      "%6 = transpose(%5) {axes=[0, 3, 1, 2]} : float32[2, 8, 4, 5]"},
                                     "%6");
        const Module after = sunk(module);
        QCOMPARE(transposes(after), 0u);
        QCOMPARE(attrs<AxisAttrs>(callsOf(after, Op::Concat).at(0)->attrs).axis, 1);
        QCOMPARE(attrs<AxisAttrs>(callsOf(after, Op::Softmax).at(0)->attrs).axis, 1);
        QCOMPARE(text(attrs<PadAttrs>(callsOf(after, Op::Pad).at(0)->attrs).before), "[0,0,0,1]");
    }

    void reductionsTakeAnyOrder() {
        const Module module = mainOf("%1: float32[2, 4, 4, 4]", "float32[2, 4]",
                                     {"%2 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                                      "%3 = reduce(%2) {kind=\"mean\", axes=[1, 2]} : float32[2, 4]"},
                                     "%3");
        const Module after = sunk(module);
        QCOMPARE(transposes(after), 0u);
        QCOMPARE(attrs<ReduceAttrs>(callsOf(after, Op::Reduce).at(0)->attrs).axes, (std::vector<int64_t>{2, 3}));
    }

    void rowsOfWeightsFollowMergedDims() {
        const Module module = mainOf(
            "%1: float32[2, 2, 1, 3]", "float32[2, 1]",
            {"%2 = const float32[6, 1] [0, 1, 2, 3, 4, 5]",
             "%3 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 1, 3, 2]", "%4 = relu(%3) : float32[2, 1, 3, 2]",
             "%5 = reshape(%4) {shape=[2, 6]} : float32[2, 6]", "%6 = matmul(%5, %2) : float32[2, 1]"},
            "%6");
        const Module after = sunk(module);
        QCOMPARE(transposes(after), 0u);
        // Row w * 2 + c of the model's weights is row c * 3 + w.
        QVERIFY2(print(after).find("[0, 2, 4, 1, 3, 5]") != std::string::npos, print(after).c_str());
    }

    void sumsKeepTheirSequenceIfTheyMust() {
        const Module rows = mainOf(
            "%1: float32[2, 2, 2, 3]", "float32[2, 1]",
            {"%2 = const float32[12, 1] splat [0.5]", "%3 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 2, 3, 2]",
             "%4 = reshape(%3) {shape=[2, 12]} : float32[2, 12]", "%5 = matmul(%4, %2) : float32[2, 1]"},
            "%5");
        QCOMPARE(transposes(sunk(rows)), 0u);
        QCOMPARE(transposes(sunk(rows, true)), 1u);
        const auto reduced = [](const QString& axes, const QString& type) {
            return mainOf("%1: float32[2, 4, 4, 4]", type,
                          {"%2 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                           "%3 = reduce(%2) {kind=\"sum\", axes=" + axes + "} : " + type},
                          "%3");
        };
        QCOMPARE(transposes(sunk(reduced("[1, 2]", "float32[2, 4]"), true)), 0u); // rows, then columns
        QCOMPARE(transposes(sunk(reduced("[2, 3]", "float32[2, 4]"), true)), 1u); // columns, then channels
        QCOMPARE(transposes(sunk(reduced("[2, 3]", "float32[2, 4]"))), 0u);
    }

    void whatReadsBothWaysIsMovedOnce() {
        // The result is wanted in the other order: one Transpose is left, of the relu.
        const Module module = mainOf("%1: float32[2, 4, 4, 4]", "(float32[2, 4, 4, 4], float32[2, 4, 4, 4])",
                                     {"%2 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                                      "%3 = relu(%2) : float32[2, 4, 4, 4]",
                                      "%4 = transpose(%3) {axes=[0, 3, 1, 2]} : float32[2, 4, 4, 4]",
                                      "%5 = max_pool(%4) " + pool + " : float32[2, 4, 4, 4]",
                                      "%6 = tuple(%3, %5) : (float32[2, 4, 4, 4], float32[2, 4, 4, 4])"},
                                     "%6");
        const Module after = sunk(module);
        QCOMPARE(transposes(after), 1u);
        QCOMPARE(callsOf(after, Op::Relu).at(0)->args[0], after.main().params[0].var);
    }

    void theSmallerSideIsMoved() {
        // Before the padding there is less to move; before the mean there is more.
        const Module padded = mainOf("%1: float32[2, 4, 4, 3]", "float32[2, 3, 8, 8]",
                                     {"%2 = pad(%1) {before=[0, 2, 2, 0], after=[0, 2, 2, 0]} : float32[2, 8, 8, 3]",
                                      "%3 = transpose(%2) {axes=[0, 3, 1, 2]} : float32[2, 3, 8, 8]",
                                      "%4 = max_pool(%3) " + pool + " : float32[2, 3, 8, 8]"},
                                     "%4");
        const Module after = sunk(padded);
        QCOMPARE(transposes(after), 1u);
        QCOMPARE(callsOf(after, Op::Transpose).at(0)->args[0], after.main().params[0].var);

        const Module pooled = mainOf("%1: float32[2, 3, 4, 4]", "float32[2, 4, 3]",
                                     {"%2 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 3]",
                                      "%3 = reduce(%2) {kind=\"max\", axes=[2]} : float32[2, 4, 3]"},
                                     "%3");
        const Module small = sunk(pooled);
        QCOMPARE(transposes(small), 1u);
        QCOMPARE(callsOf(small, Op::Reduce).at(0)->args[0], small.main().params[0].var);
    }

    /// It moves as much before as behind, but a convolution is fused with what follows it.
    void productsAreFollowedByWhatIsDoneToTheirElements() {
        const QString conv = "{strides=[1, 1], dilations=[1, 1], before=[0, 0], after=[0, 0]}";
        const Module module =
            mainOf("%1: float32[n{1..8}, 3, 4, 5]", "float32[n, 4, 5, 3]",
                   {"%2 = const float32[3, 3, 1, 1] [1, 2, 3, 4, 5, 6, 7, 8, 9]", "%3 = const float32[3] [1, 2, 3]",
                    "%4 = conv(%1, %2) " + conv + " : float32[n, 3, 4, 5]",
                    "%5 = transpose(%4) {axes=[0, 2, 3, 1]} : float32[n, 4, 5, 3]",
                    "%6 = add(%5, %3) : float32[n, 4, 5, 3]", "%7 = sigmoid(%6) : float32[n, 4, 5, 3]"},
                   "%7");
        const Module after = sunk(module);
        QCOMPARE(transposes(after), 1u);
        const BindingPtr& last = after.main().body->bindings.back();
        QCOMPARE(last->var, after.main().body->result);
        QVERIFY2(last->as<OpCall>() && last->as<OpCall>()->op == Op::Transpose, print(after).c_str());
        QVERIFY2(print(after).find("float32[3, 1, 1] [1, 2, 3]") != std::string::npos, print(after).c_str());

        // A wider type is more to move.
        const Module wider = mainOf("%1: float32[2, 3, 4, 5]", "float64[2, 4, 5, 3]",
                                    {"%2 = const float32[3, 3, 1, 1] [1, 2, 3, 4, 5, 6, 7, 8, 9]",
                                     "%4 = conv(%1, %2) " + conv + " : float32[2, 3, 4, 5]",
                                     "%5 = transpose(%4) {axes=[0, 2, 3, 1]} : float32[2, 4, 5, 3]",
                                     "%6 = cast(%5) {dtype=float64} : float64[2, 4, 5, 3]"},
                                    "%6");
        QVERIFY2(isUnchanged(wider), print(sunk(wider)).c_str());
    }

    void whatMovesNothingGoes() {
        const Module module = mainOf(
            "%1: float32[2, 7, 1], %2: float32[2, 3, 4]", "(float32[2, 1, 7], float32[2, 3, 4], float32[4, 2, 3])",
            {"%3 = transpose(%1) {axes=[0, 2, 1]} : float32[2, 1, 7]",
             "%4 = transpose(%2) {axes=[0, 2, 1]} : float32[2, 4, 3]",
             "%5 = transpose(%4) {axes=[0, 2, 1]} : float32[2, 3, 4]",
             "%6 = transpose(%4) {axes=[1, 0, 2]} : float32[4, 2, 3]",
             "%7 = tuple(%3, %5, %6) : (float32[2, 1, 7], float32[2, 3, 4], float32[4, 2, 3])"},
            "%7");
        const Module after = sunk(module);
        QCOMPARE(callsOf(after, Op::Reshape).size(), 1u);
        const std::vector<const OpCall*> left = callsOf(after, Op::Transpose);
        QCOMPARE(left.size(), 1u);
        QCOMPARE(attrs<TransposeAttrs>(left[0]->attrs).axes, (std::vector<int64_t>{2, 0, 1}));
        QCOMPARE(left[0]->args[0], after.main().params[1].var);
    }

    void moreIsNeverMoved() {
        for (const Module& module : {mainOf("%1: float32[2, 4, 4, 4]", "float32[2, 4, 4, 16]",
                                            {"%2 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                                             "%3 = tile(%2) {repeats=[1, 1, 1, 4]} : float32[2, 4, 4, 16]"},
                                            "%3"),
                                     mainOf("%1: float32[2, 4, 4, 4], %2: float32[2, 4, 4, 4]", "float32[2, 4, 4, 4]",
                                            {"%3 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 4, 4]",
                                             "%4 = add(%3, %2) : float32[2, 4, 4, 4]"},
                                            "%4")})
            QVERIFY2(isUnchanged(module), print(sunk(module)).c_str());
    }

    /// Heads are split off and put together by Transposes that no other order can save.
    void attentionStaysAsItIs() {
        const Module module =
            mainOf("%1: float32[2, n{1..128}, 8], %2: float32[2, n, 8]", "float32[2, n, 8]",
                   {"%3 = reshape(%1) {shape=[2, n, 2, 4]} : float32[2, n, 2, 4]",
                    "%4 = transpose(%3) {axes=[0, 2, 1, 3]} : float32[2, 2, n, 4]",
                    "%5 = reshape(%2) {shape=[2, n, 2, 4]} : float32[2, n, 2, 4]",
                    "%6 = transpose(%5) {axes=[0, 2, 1, 3]} : float32[2, 2, n, 4]", "%7 = const float32[] [0.5]",
                    "%8 = multiply(%4, %7) : float32[2, 2, n, 4]",
                    "%9 = matmul(%8, %6) {transposeB=true} : float32[2, 2, n, n]",
                    "%10 = softmax(%9) {axis=3} : float32[2, 2, n, n]", "%11 = matmul(%10, %6) : float32[2, 2, n, 4]",
                    "%12 = transpose(%11) {axes=[0, 2, 1, 3]} : float32[2, n, 2, 4]",
                    "%13 = reshape(%12) {shape=[2, n, 8]} : float32[2, n, 8]"},
                   "%13");
        QVERIFY2(isUnchanged(module), print(sunk(module)).c_str());
    }

    void withoutTransposesNothingChanges() {
        QVERIFY(isUnchanged(mainOf(
            "%1: float32[2, 4, 4, 4]", "float32[2, 4]",
            {"%2 = relu(%1) : float32[2, 4, 4, 4]", "%3 = reduce(%2) {kind=\"mean\", axes=[2, 3]} : float32[2, 4]"},
            "%3")));
    }

    void branchesSeeWhatTheyUse() {
        const Module module = mainOf(
            "%1: float32[2, 3, 4, 5], %2: bool[]", "(float32[2, 4, 5, 3], float32[2, 3, 4, 5])",
            {"%3 = transpose(%1) {axes=[0, 2, 3, 1]} : float32[2, 4, 5, 3]", "%4 = relu(%3) : float32[2, 4, 5, 3]",
             "%5 = transpose(%4) {axes=[0, 3, 1, 2]} : float32[2, 3, 4, 5]",
             "%6 = if %2 {\n    %7 = negative(%4) : float32[2, 4, 5, 3] @{9}\n    -> %7\n  } else {\n    -> %4\n  } : "
             "float32[2, 4, 5, 3]",
             "%8 = max_pool(%5) " + pool + " : float32[2, 3, 4, 5]",
             "%9 = tuple(%6, %8) : (float32[2, 4, 5, 3], float32[2, 3, 4, 5])"},
            "%9");
        const Module after = sunk(module);
        QCOMPARE(transposes(after), 1u); // for the branches
        QCOMPARE(callsOf(after, Op::Relu).at(0)->args[0], after.main().params[0].var);
    }

    void neverMoreThanBefore_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 200; ++seed)
            QTest::newRow(qPrintable(QString::number(seed))) << seed;
    }
    /// Random graphs of calls between Transposes, of values of one size: what is left of Transposes when chains of
    /// them are merged.
    void neverMoreThanBefore() {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
        const QString cube = "float32[4, 4, 4]";
        const QStringList orders{"[0, 2, 1]", "[1, 0, 2]", "[2, 0, 1]", "[1, 2, 0]", "[2, 1, 0]"};
        QStringList lines, values{"%1", "%2"};
        for (int i = 3; i < 20; ++i) {
            const QString value = values[static_cast<int>(pick(static_cast<size_t>(values.size())))];
            const QString other = values[static_cast<int>(pick(static_cast<size_t>(values.size())))];
            const QString order = orders[static_cast<int>(pick(5))];
            const QStringList kinds{"transpose(" + value + ") {axes=" + order + "}",
                                    "transpose(" + other + ") {axes=" + order + "}",
                                    "relu(" + value + ")",
                                    "multiply(" + value + ", " + other + ")",
                                    "softmax(" + value + ") {axis=1}",
                                    "reverse(" + value + ") {axes=[2]}"};
            values << '%' + QString::number(i);
            lines << values.back() + " = " + kinds[static_cast<int>(pick(6))] + " : " + cube;
        }
        const Module module = deadCode(mainOf("%1: " + cube + ", %2: " + cube, cube, lines, values.back()));
        const auto left = [](const Module& of) { return transposes(simplifyArithmetic(of, true)); };
        const Module after = sunk(module);
        QVERIFY2(left(after) <= left(module), (print(module) + print(after)).c_str());
    }
};

Test test() {
    return {makes<TestSinkTransposes>};
}

} // namespace lathe::testing::test_sink_transposes

#include "test_sink_transposes.moc"
