// SPDX-License-Identifier: Apache-2.0
//
// Each pass before and after, by text; every result passes the verifier.
#include "relay/attrs.h"
#include "relay/folding.h"
#include "relay/text.h"
#include "relay/transform/canonicalize.h"
#include "relay/transform/common_subexpressions.h"
#include "relay/transform/dead_code.h"
#include "relay/transform/fold_constants.h"
#include "relay/transform/fold_scale.h"
#include "relay/transform/fuse.h"
#include "relay/transform/inline_functions.h"
#include "relay/transform/make.h"
#include "relay/transform/observe.h"
#include "relay/transform/simplify_arithmetic.h"
#include "relay/transform/simplify_inference.h"
#include "relay/transform/sink_transposes.h"
#include "relay/verify.h"
#include "samples.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_passes {

using namespace lathe::relay;
using namespace lathe::relay::transform;

namespace {

Module read(const std::string& text) {
    Result<Module> module = parse(text, {});
    if (!module)
        qFatal("%s\n%s", toString(module.error()).c_str(), text.c_str());
    return *module;
}

/// Body lines of main, without indentation, Spans and types.
QStringList body(const Module& module) {
    if (Result<void> good = verify(module); !good)
        return {QString::fromStdString(toString(good.error()) + "\n" + print(module))};
    Result<Module> again = parse(print(module), constantsOf(module));
    if (!again || print(*again) != print(module))
        return {
            QString("text differs: %1").arg(QString::fromStdString(again ? print(*again) : toString(again.error())))};
    PrintOptions options;
    options.spans = false;
    QStringList lines =
        QString::fromStdString(print(module.main(), module, "main", options)).split('\n', Qt::SkipEmptyParts);
    QStringList result;
    for (int i = 1; i + 1 < lines.size(); ++i)
        result << lines[i].trimmed().section(" : ", 0, 0);
    return result;
}

/// A module of one function: "%1: T" parameters, bindings, result. Each binding gets the Span of its line.
Module function(const QString& params, const QString& type, const QStringList& lines, const QString& more = {}) {
    QString text = "module next %100\n" + more + "fn main(" + params + ") -> " + type + " {\n";
    for (int i = 0; i < lines.size(); ++i)
        text += "  " + lines[i] +
                (i + 1 < lines.size() && !lines[i].endsWith('{') && lines[i] != "->" && !lines[i].startsWith("->")
                     ? QString(" @{%1}").arg(i)
                     : "") +
                "\n";
    return read((text + "}\n").toStdString());
}

class NoEvaluator : public Evaluator {
    Result<std::vector<ConstantPtr>> evaluate(const Module&, const Function&,
                                              const std::vector<ConstantPtr>&) override {
        return failure("not here");
    }
};

QStringList list(std::initializer_list<const char*> lines) {
    QStringList result;
    for (const char* line : lines)
        result << line;
    return result;
}

} // namespace

class TestPasses : public QObject {
    Q_OBJECT

private slots:
    void deadCodeKeepsWhatSymbolsNeed() {
        Module module = function("%1: float32[4], %2: float32[]", "float32[k{0..4}]",
                                 {"%3 = relu(%1) : float32[4]", "%4 = non_zero(%1) : int64[1, k]",
                                  "%5 = broadcast_to(%2) {shape=[k]} : float32[k]", "-> %5"});
        QCOMPARE(body(deadCode(module)), list({"%4 = non_zero(%1)", "%5 = broadcast_to(%2) {shape=[k]}", "-> %5"}));
    }

    void deadCodeRemovesFunctions() {
        Module module = read(samples::control);
        Module flat = function("%1: float32[2]", "float32[2]", {"-> %1"});
        flat.functions["unused"] = module.functions.at("count");
        QCOMPARE(deadCode(flat).functions.size(), 1u);
    }

    void inferenceDropsIdentitiesAndBatchNorm() {
        Module module =
            function("%1: float32[n{1..8}, 2, 5]", "float32[n, 2, 5]",
                     {"%2 = dropout(%1) : float32[n, 2, 5]", "%3 = const float32[2] [2, 3]",
                      "%4 = const float32[2] [1, 1]", "%5 = const float32[2] [4, 0]", "%6 = const float32[2] [4, 1]",
                      "%7 = batch_norm(%2, %3, %4, %5, %6) {epsilon=0} : float32[n, 2, 5]", "-> %7"});
        // s = 2 / sqrt(4), 3 / sqrt(1); t = 1 - 4 * 1, 1 - 0 * 3.
        QStringList lines = body(deadCode(simplifyInference(module)));
        QCOMPARE(lines.size(), 5);
        QVERIFY2(lines[0].contains("float32[2, 1] [1, 3]"), qPrintable(lines[0]));
        QVERIFY2(lines[1].contains("multiply(%1"), qPrintable(lines[1]));
        QVERIFY2(lines[2].contains("float32[2, 1] [-3, 1]"), qPrintable(lines[2]));
        QVERIFY2(lines[3].startsWith("%7 = add("), qPrintable(lines[3]));
    }

    void constantsFoldOrBecomeRecipes() {
        NoEvaluator evaluator;
        Budget budget;
        Module module = function("%1: float32[2]", "float32[2]",
                                 {"%2 = const float32[2] [1, 2]", "%3 = const float32[2] [3, 4]",
                                  "%4 = multiply(%2, %3) : float32[2]", "%5 = add(%1, %4) : float32[2]", "-> %5"});
        QStringList lines = body(deadCode(foldConstants(module, evaluator, budget)));
        QCOMPARE(lines, list({"%4 = const float32[2] [3, 8]", "%5 = add(%1, %4)", "-> %5"}));

        Module grown =
            function("%1: float32[128, 65]", "float32[128, 65]",
                     {"%2 = const float32[] [2]", "%3 = broadcast_to(%2) {shape=[128, 65]} : float32[128, 65]",
                      "%4 = add(%1, %3) : float32[128, 65]", "-> %4"});
        QCOMPARE(body(foldConstants(grown, evaluator, budget)).size(), 4); // growing stays a call
    }

    void largeResultsAreRecipes() {
        auto bytes = std::make_shared<std::vector<std::byte>>(128 * 256 * 4);
        ConstantPtr weights = makeConstant(types::Float32, {128, 256}, {bytes, std::span<const std::byte>(*bytes)});
        std::string text =
            "module next %9\n\nfn main(%1: float32[1, 256]) -> float32[1, 128] {\n  %2 = const float32[128, 256] #" +
            toString(weights->hash) +
            " @{0}\n  %3 = transpose(%2) {axes=[1, 0]} : float32[256, 128] @{1}\n  %4 = matmul(%1, %3) : float32[1, "
            "128] @{2}\n"
            "  -> %4\n}\n";
        Result<Module> module = parse(text, {{weights->hash, weights}});
        QVERIFY(module);
        NoEvaluator evaluator; // not asked: the recipe is evaluated when the artifact is written
        Budget budget;
        Module folded = deadCode(foldConstants(*module, evaluator, budget));
        QCOMPARE(body(folded).size(), 3);
        const Constant& constant = *folded.main().body->bindings[0]->as<ConstantRef>()->constant;
        QVERIFY(constant.recipe);
        QVERIFY(constant.recipeArgs.at(0)->hash == weights->hash);
        QCOMPARE(toString(constant.type), std::string("float32[256, 128]"));
    }

    /// A recipe that fails would be a fault of the whole model, not of the call when it runs.
    void largeResultsThatMayFailStayCalls() {
        auto bytes = std::make_shared<std::vector<std::byte>>(128 * 256 * 4);
        ConstantPtr weights = makeConstant(types::Float32, {128, 256}, {bytes, std::span<const std::byte>(*bytes)});
        ConstantPtr counts = makeConstant(types::Int32, {128, 256}, {bytes, std::span<const std::byte>(*bytes)});
        const auto folded = [&](const ConstantPtr& constant, const std::string& call) {
            const std::string type = toString(constant->type);
            Result<Module> module =
                parse("module next %9\n\nfn main(%1: int64[]) -> " + type + " {\n  %2 = const " + type + " #" +
                          toString(constant->hash) + " @{0}\n  %3 = const int64[128] splat [999] @{1}\n  %4 = " + call +
                          " : " + type + " @{2}\n  -> %4\n}\n",
                      {{constant->hash, constant}});
            if (!module)
                qFatal("%s", toString(module.error()).c_str());
            NoEvaluator evaluator;
            Budget budget;
            return foldConstants(*module, evaluator, budget).main().body->bindings.back()->as<ConstantRef>() != nullptr;
        };
        QVERIFY(!folded(weights, "gather(%2, %3) {axis=0}")); // row 999 of 128
        QVERIFY(!folded(counts, "divide(%2, %2)"));           // 0 / 0
        QVERIFY(!folded(counts, "mod(%2, %2) {fmod=false}"));
        QVERIFY(folded(weights, "divide(%2, %2)"));
        QVERIFY(folded(weights, "mod(%2, %2) {fmod=true}"));
    }

    void observedValuesStandBeforeStates() {
        const std::vector<std::string> values{"s"};
        const Module module = read(
            "module next %9\nfn main(%1 \"x\": float32[2], %2 \"h\": float32[2]) -> (float32[2], float32[2]) outputs "
            "[\"y\"] states [\"h\" = const float32[2] splat [0]] {\n  %3 = add(%1, %2) : float32[2] @{0} as \"s\"\n"
            "  %4 = exp(%3) : float32[2] @{1} as \"y\"\n  %5 = tuple(%4, %2) : (float32[2], float32[2]) @{1}\n"
            "  -> %5\n}\n");
        const Module observed = observe(module, values);
        QCOMPARE(body(observed), list({"%3 = add(%1, %2)", "%4 = exp(%3)", "%9 = tuple(%4, %3, %2)", "-> %9"}));
        QCOMPARE(observed.main().outputNames, (std::vector<std::string>{"y", "s"}));
        QCOMPARE(outputTypes(observed.main()).size(), size_t{2});
        QCOMPARE(inputParams(observed.main()).size(), size_t{1});
    }

    void equalBindingsAreOne() {
        Module module = function("%1: float32[2], %2: bool[]", "float32[2]",
                                 {"%3 = relu(%1) : float32[2]", "%4 = relu(%1) : float32[2]",
                                  "%5 = add(%3, %4) : float32[2]", "%6 = random_uniform() {shape=[2]} : float32[2]",
                                  "%7 = random_uniform() {shape=[2]} : float32[2]", "%8 = add(%6, %7) : float32[2]",
                                  "%9 = add(%5, %8) : float32[2]", "-> %9"});
        QCOMPARE(body(commonSubexpressions(module)),
                 list({"%3 = relu(%1)", "%5 = add(%3, %3)", "%6 = random_uniform() {shape=[2]}",
                       "%7 = random_uniform() {shape=[2]}", "%8 = add(%6, %7)", "%9 = add(%5, %8)", "-> %9"}));
        BindingPtr survivor = commonSubexpressions(module).main().body->bindings[0];
        QCOMPARE(module.spans->toString(survivor->span), std::string("0-1"));
    }

    void movementCancels() {
        Module module = function("%1: float32[2, 3, 4]", "float32[24]",
                                 {"%2 = transpose(%1) {axes=[1, 2, 0]} : float32[3, 4, 2]",
                                  "%3 = transpose(%2) {axes=[2, 0, 1]} : float32[2, 3, 4]",
                                  "%4 = reshape(%3) {shape=[6, 4]} : float32[6, 4]",
                                  "%5 = reshape(%4) {shape=[24]} : float32[24]", "-> %5"});
        QCOMPARE(body(simplifyArithmetic(module, true)), list({"%5 = reshape(%1) {shape=[24]}", "-> %5"}));
    }

    /// -0 + 0 is 0, so adding 0 is no identity of floats; adding -0 is.
    void zeroSignsAreKept() {
        Module module =
            function("%1: float32[2], %2: int32[2]", "(float32[2], int32[2])",
                     {"%3 = const float32[] [0]", "%4 = add(%1, %3) : float32[2]", "%5 = const int32[] [0]",
                      "%6 = add(%2, %5) : int32[2]", "%7 = const float32[] [1]", "%8 = multiply(%4, %7) : float32[2]",
                      "%9 = tuple(%8, %6) : (float32[2], int32[2])", "-> %9"});
        for (bool exact : {true, false})
            QCOMPARE(body(simplifyArithmetic(module, exact)),
                     list({"%3 = const float32[] [0]", "%4 = add(%1, %3)", "%9 = tuple(%4, %2)", "-> %9"}));
        Module negative = function("%1: float32[2]", "float32[2]",
                                   {"%2 = const float32[] [-0]", "%3 = add(%2, %1) : float32[2]", "-> %3"});
        for (bool exact : {true, false})
            QCOMPARE(body(simplifyArithmetic(negative, exact)), list({"-> %1"}));
        Module root = function("%1: float32[2]", "float32[2]",
                               {"%2 = const float32[] [0.5]", "%3 = power(%1, %2) : float32[2]", "-> %3"});
        const QStringList lines = body(simplifyArithmetic(root, false));
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines[1].contains("add(%1"), qPrintable(lines.join('\n')));
        QVERIFY2(lines[2].contains("sqrt("), qPrintable(lines.join('\n')));
    }

    /// 0.5 and -1 would be 0 and the greatest value, were they written as elements of the exponent.
    void exponentsThatTheirTypeDoesNotHold() {
        for (const char* exponent : {"int64[] [0]", "uint64[] [-1]", "uint8[] [255]"}) {
            Module module = function("%1: float32[2]", "float32[2]",
                                     {QString("%2 = const ") + exponent, "%3 = power(%1, %2) : float32[2]", "-> %3"});
            for (bool exact : {true, false})
                QCOMPARE(body(simplifyArithmetic(module, exact)), body(module));
        }
    }

    /// A chain of calls that each double a tensor is no better than one that makes it large at once; a float made of
    /// narrower numbers may be four times as large.
    void growthIsMeasuredFromTheModelsConstants() {
        const auto constant = [](DataType dtype, std::vector<int64_t> shape) {
            const auto count = static_cast<size_t>(shape[0] * dtype.bytes());
            auto bytes = std::make_shared<std::vector<std::byte>>(count);
            return makeConstant(dtype, std::move(shape), {bytes, std::span<const std::byte>(*bytes)});
        };
        Module module;
        const auto cast = [&](const ConstantPtr& from, DataType dtype) {
            return computeConstant(module, model::Span(), Op::Cast, {from},
                                   attrsWith<CastAttrs>([&](CastAttrs& a) { a.dtype = dtype; }));
        };
        const ConstantPtr bytes = constant(types::Int8, {100'000});
        const ConstantPtr shorts = cast(bytes, types::Int16);
        Origins origins;
        QVERIFY(paysAsConstant(shorts->type, origins.of(bytes)));
        const ConstantPtr words = cast(shorts, types::Int32);
        QVERIFY(!paysAsConstant(words->type, origins.of(shorts)));
        QVERIFY(paysAsConstant(cast(bytes, types::Float32)->type, origins.of(bytes)));
        QVERIFY(paysAsConstant(tensorType(types::Float32, {4096}), {}));
        QVERIFY(
            !paysAsConstant(tensorType(types::Float32, {Expr(1'000'000)}), origins.of(constant(types::Float32, {1}))));
    }

    void quantizedWeightsStayNarrow() {
        Module module = function("%1: int32[1, 2]", "int32[1, 2]",
                                 {"%2 = const int8[2, 2] [1, 2, 3, 4]", "%3 = cast(%2) {dtype=int32} : int32[2, 2]",
                                  "%4 = matmul(%1, %3) : int32[1, 2]", "-> %4"});
        const QStringList lines = body(canonicalize(module));
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[1].startsWith("%4 = matmul(%1, %2)"), qPrintable(lines[1]));
        QVERIFY2(lines[1].contains("outDtype=int32"), qPrintable(lines[1]));
    }

    void scaleGoesIntoWeights() {
        Module module =
            function("%1: float32[n{1..8}, 1, 4]", "float32[n, 2, 4]",
                     {"%2 = const float32[2, 1, 1] [1, 2]",
                      "%3 = conv(%1, %2) {strides=[1], dilations=[1], before=[0], after=[0]} : float32[n, 2, 4]",
                      "%4 = const float32[2, 1] [10, 20]", "%5 = add(%3, %4) : float32[n, 2, 4]",
                      "%6 = const float32[2, 1] [3, 5]", "%7 = multiply(%5, %6) : float32[n, 2, 4]", "-> %7"});
        QStringList lines = body(foldScale(module));
        QCOMPARE(lines.size(), 5);
        QVERIFY2(lines[0].contains("float32[2, 1, 1] [3, 10]"), qPrintable(lines.join('\n')));
        QVERIFY(lines[1].contains("conv(%1, "));
        QVERIFY(lines[2].contains("float32[2, 1] [30, 100]"));
        QVERIFY(lines[3].startsWith("%7 = add("));
    }

    /// A bias before the normalisation and the shift behind it are one summand.
    void shiftJoinsTheBias() {
        const Module module =
            function("%1: float32[n{1..8}, 1, 4]", "float32[n, 2, 4]",
                     {"%2 = const float32[2, 1, 1] [1, 2]",
                      "%3 = conv(%1, %2) {strides=[1], dilations=[1], before=[0], after=[0]} : float32[n, 2, 4]",
                      "%4 = const float32[1, 2, 1] [10, 20]", "%5 = add(%3, %4) : float32[n, 2, 4]",
                      "%6 = const float32[2, 1] [3, 5]", "%7 = multiply(%5, %6) : float32[n, 2, 4]",
                      "%8 = const float32[2, 1] [-1, 4]", "%9 = add(%7, %8) : float32[n, 2, 4]", "-> %9"});
        const QStringList lines = body(foldScale(module));
        QCOMPARE(lines.filter("add(").size(), 1);
        QVERIFY2(!lines.filter("[29, 104]").isEmpty(), qPrintable(lines.join('\n')));
    }

    /// The factor of a float16 convolution is float32: it goes through the casts, and the convolution gives what they gave.
    void scaleGoesIntoNarrowWeights() {
        Module module = function(
            "%1: float16[n{1..8}, 1, 4]", "float16[n, 2, 4]",
            {"%2 = const float16[2, 1, 1] [1, 2]",
             "%3 = conv(%1, %2) {strides=[1], dilations=[1], before=[0], after=[0]} : float16[n, 2, 4]",
             "%4 = cast(%3) {dtype=float32} : float32[n, 2, 4]", "%5 = const float32[2, 1] [3, 5]",
             "%6 = multiply(%4, %5) : float32[n, 2, 4]", "%7 = cast(%6) {dtype=float16} : float16[n, 2, 4]", "-> %7"});
        const QStringList lines = body(foldScale(module));
        QVERIFY2(lines.filter("multiply(").isEmpty(), qPrintable(lines.join('\n')));
        QCOMPARE(lines.filter("conv(").size(), 1);
        QVERIFY2(lines.filter("conv(")[0].contains("outDtype=float32"), qPrintable(lines.join('\n')));
    }

    void repeatsAlongSpatialAxesAreOneResize() {
        const Module module = function("%1: float32[n{1..8}, 2, 4, 3]", "float32[n, 2, 8, 9]",
                                       {"%2 = reshape(%1) {shape=[n, 2, 4, 1, 3]} : float32[n, 2, 4, 1, 3]",
                                        "%3 = tile(%2) {repeats=[1, 1, 1, 2, 1]} : float32[n, 2, 4, 2, 3]",
                                        "%4 = reshape(%3) {shape=[n, 2, 8, 3, 1]} : float32[n, 2, 8, 3, 1]",
                                        "%5 = tile(%4) {repeats=[1, 1, 1, 1, 3]} : float32[n, 2, 8, 3, 3]",
                                        "%6 = reshape(%5) {shape=[n, 2, 8, 9]} : float32[n, 2, 8, 9]", "-> %6"});
        const QStringList lines = body(canonicalize(module));
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].contains("resize(%1) {sizes=[n, 2, 8, 9], coordinate=\"asymmetric\", nearest=\"floor\"}"),
                 qPrintable(lines.join('\n')));
        // Heads that are read several times are no axis of a picture, and whole pictures side by side are no repetition.
        for (const char* shape : {"[2, 3, 1, 4, 5]", "[2, 3, 4, 2, 5]"}) {
            const QString repeated = QString(shape).contains(", 1,") ? "[2, 3, 2, 4, 5]" : "[2, 3, 4, 4, 5]";
            const Module other =
                function(QString("%1: float32") + shape, "float32" + repeated,
                         {QString("%2 = tile(%1) {repeats=") +
                              (QString(shape).contains(", 1,") ? "[1, 1, 2, 1, 1]" : "[1, 1, 1, 2, 1]") +
                              "} : float32" + repeated,
                          "-> %2"});
            QCOMPARE(body(canonicalize(other)), body(other));
        }
    }

    /// Each in two spellings, of which formats have one or the other; constants are named by what they hold.
    void canonicalSpellings_data() {
        QTest::addColumn<QStringList>("one");
        QTest::addColumn<QStringList>("other");
        const QString x = "float32[1, 2, 4, 4]", window = "kernel=[2, 2], strides=[2, 2], dilations=[1, 1]",
                      weights = "%2 = const float32[2, 2, 2, 2] [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7]",
                      strided = "strides=[2, 2], dilations=[1, 1]";
        QTest::newRow("padding") << QStringList{weights,
                                                "%3 = pad(%1) {before=[0, 0, 0, 1], after=[0, 0, 1, 0]} : "
                                                "float32[1, 2, 5, 5]",
                                                "%4 = conv(%3, %2) {" + strided +
                                                    ", before=[0, 0], after=[0, 1]} : "
                                                    "float32[1, 2, 2, 3]"}
                                 << QStringList{weights, "%4 = conv(%1, %2) {" + strided +
                                                             ", before=[0, 1], after=[1, 1]} : float32[1, 2, 2, 3]"};
        QTest::newRow("bias") << QStringList{"%2 = const float32[1, 2, 1, 1] [1, 2]", "%4 = add(%2, %1) : " + x}
                              << QStringList{"%2 = const float32[2, 1, 1] [1, 2]", "%4 = add(%1, %2) : " + x};
        QTest::newRow("relu") << QStringList{"%2 = const float32[1] [0]", "%4 = maximum(%1, %2) : " + x}
                              << QStringList{"%4 = relu(%1) : " + x};
        QTest::newRow("average") << QStringList{"%4 = avg_pool(%1) {" + window +
                                                ", before=[0, 0], after=[0, 0], countPadding=true} : "
                                                "float32[1, 2, 2, 2]"}
                                 << QStringList{"%4 = avg_pool(%1) {" + window +
                                                ", before=[0, 0], after=[0, 0]} : float32[1, 2, 2, 2]"};
        for (const char* way : {"coordinate=\"tf_half_pixel_for_nn\", nearest=\"floor\"",
                                "coordinate=\"half_pixel\", nearest=\"round_prefer_ceil\"",
                                "scales=[1, 1, 3, 2], coordinate=\"asymmetric\", nearest=\"floor\""})
            QTest::newRow(way) << QStringList{QString("%4 = resize(%1) {sizes=[1, 2, 12, 8], ") + way +
                                              "} : float32[1, 2, 12, 8]"}
                               << QStringList{"%4 = resize(%1) {sizes=[1, 2, 12, 8], coordinate=\"asymmetric\", "
                                              "nearest=\"floor\"} : float32[1, 2, 12, 8]"};
    }
    void canonicalSpellings() {
        QFETCH(QStringList, one);
        QFETCH(QStringList, other);
        const auto canonical = [](const QStringList& lines) {
            const QString type = lines.back().section(" : ", -1);
            QString text =
                body(canonicalize(function("%1: float32[1, 2, 4, 4]", type, lines + QStringList("-> %4")))).join('\n');
            int named = 0;
            for (const QString& line : text.split('\n'))
                if (line.contains("= const "))
                    text.replace(QRegularExpression("%" + line.mid(1).section(' ', 0, 0) + "\\b"),
                                 QString("%c%1").arg(named++));
            return text;
        };
        QCOMPARE(canonical(one), canonical(other));
        QCOMPARE(canonical(other).count('\n'), static_cast<int>(other.size()));
    }

    /// Channels that are padded, edges, factors that are not whole, and the other zero.
    void spellingsThatMeanSomethingElse() {
        const QString conv = "{strides=[1, 1], dilations=[1, 1], before=[0, 0], after=[0, 0]}";
        for (const Module& module :
             {function("%1: float32[1, 2, 4, 4]", "float32[1, 1, 4, 4]",
                       {"%2 = const float32[1, 3, 1, 1] [1, 2, 3]",
                        "%3 = pad(%1) {before=[0, 1, 0, 0], after=[0, 0, 0, 0]} : float32[1, 3, 4, 4]",
                        "%4 = conv(%3, %2) " + conv + " : float32[1, 1, 4, 4]", "-> %4"}),
              function("%1: float32[1, 2, 4, 4]", "float32[1, 1, 5, 4]",
                       {"%2 = const float32[1, 2, 1, 1] [1, 2]",
                        "%3 = pad(%1) {mode=\"edge\", before=[0, 0, 1, 0], after=[0, 0, 0, 0]} : float32[1, 2, 5, 4]",
                        "%4 = conv(%3, %2) " + conv + " : float32[1, 1, 5, 4]", "-> %4"}),
              function("%1: float32[1, 2, 4, 4]", "float32[1, 2, 6, 8]",
                       {"%4 = resize(%1) {sizes=[1, 2, 6, 8], coordinate=\"half_pixel\", "
                        "nearest=\"round_prefer_floor\"} : float32[1, 2, 6, 8]",
                        "-> %4"}),
              function("%1: float32[2]", "float32[2]",
                       {"%2 = const float32[] [-0]", "%4 = maximum(%1, %2) : float32[2]", "-> %4"})})
            QCOMPARE(body(canonicalize(module)), body(module));
    }

    void canonicalProductsAndRanges() {
        Module module =
            function("%1: float32[n{1..8}, 3], %2: float32[5, 3]", "(float32[n, 5], int64[n])",
                     {"%3 = transpose(%2) {axes=[1, 0]} : float32[3, 5]", "%4 = matmul(%1, %3) : float32[n, 5]",
                      "%5 = const int64[] [0]", "%6 = shape_of(%1) : int64[2]", "%7 = const int64[] [0]",
                      "%8 = gather(%6, %7) : int64[]", "%9 = const int64[] [1]", "%10 = range(%5, %8, %9) : int64[n]",
                      "%11 = tuple(%4, %10) : (float32[n, 5], int64[n])", "-> %11"});
        QStringList lines = body(canonicalize(module));
        QVERIFY2(lines.contains("%4 = matmul(%1, %2) {transposeB=true}"), qPrintable(lines.join('\n')));
        QVERIFY(lines.filter("range(").isEmpty());
        QVERIFY(!lines.filter("iota()").isEmpty());
    }

    void functionsAreInlined() {
        QString callee =
            "fn twice(%50: float32[a{0..9}]) -> float32[a] {\n  %51 = add(%50, %50) : float32[a] @{7}\n  -> %51\n}\n";
        Module module =
            function("%1: float32[4]", "float32[4]",
                     {"%2 = call twice(%1) : float32[4]", "%3 = call twice(%2) : float32[4]", "-> %3"}, callee);
        Result<Module> flat = inlineFunctions(module);
        QVERIFY(flat);
        QCOMPARE(flat->functions.size(), 1u);
        QStringList lines = body(*flat);
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[0].contains("add(%1, %1)"));
    }

    void recursionStaysAndClosuresGo() {
        Result<Module> flat = inlineFunctions(read(samples::control));
        QVERIFY(flat);
        QStringList lines = body(*flat);
        QVERIFY2(lines.filter("call count").size() == 1, qPrintable(lines.join('\n')));
        QVERIFY(lines.filter("apply").isEmpty());
        QVERIFY(!lines.filter("multiply(").isEmpty());
    }

    void convolutionTakesItsEpilogue() {
        Module module = function(
            "%1: float32[n{1..8}, 2, 4, 4], %2: float32[2, 2, 1, 1], %3: float32[2, 1, 1]", "float32[n, 2, 4, 4]",
            {"%4 = relu(%1) : float32[n, 2, 4, 4]",
             "%5 = conv(%4, %2) {strides=[1, 1], dilations=[1, 1], before=[0, 0], after=[0, 0]} : float32[n, 2, 4, 4]",
             "%6 = add(%5, %3) : float32[n, 2, 4, 4]", "%7 = sigmoid(%6) : float32[n, 2, 4, 4]",
             "%8 = multiply(%6, %7) : float32[n, 2, 4, 4]", "%9 = add(%8, %4) : float32[n, 2, 4, 4]", "-> %9"});
        Module fused = fuse(module).module;
        QCOMPARE(body(fused), list({"%4 = call fused_relu_0(%1)",
                                    "%9 = call fused_conv_add_sigmoid_multiply_add_1(%4, %2, %3)", "-> %9"}));
        FuseOptions alone;
        alone.maxOps = 1;
        QCOMPARE(body(fuse(module, alone).module).size(), 7);
        FuseOptions small;
        small.maxOps = 2;
        QVERIFY(body(fuse(module, small).module).size() > 3);
    }

    void reductionTakesProducersOnce() {
        Module module = function("%1: float32[8, 64]", "float32[8, 64]",
                                 {"%2 = reduce(%1) {kind=\"mean\", axes=[1], keepDims=true} : float32[8, 1]",
                                  "%3 = subtract(%1, %2) : float32[8, 64]", "%4 = multiply(%3, %3) : float32[8, 64]",
                                  "%5 = reduce(%4) {kind=\"mean\", axes=[1], keepDims=true} : float32[8, 1]",
                                  "%6 = const float32[] [1]", "%7 = add(%5, %6) : float32[8, 1]",
                                  "%8 = sqrt(%7) : float32[8, 1]", "%9 = divide(%3, %8) : float32[8, 64]", "-> %9"});
        // The centred value has two users that meet behind the second reduction: it is computed once, alone.
        QCOMPARE(body(fuse(module).module),
                 list({"%2 = call fused_reduce_0(%1)", "%3 = call fused_subtract_1(%1, %2)", "%6 = const float32[] [1]",
                       "%8 = call fused_multiply_reduce_add_sqrt_2(%3)", "%9 = call fused_divide_3(%3, %8)", "-> %9"}));
    }

    void sharedAndEscapingValuesAreKept() {
        Module module = function("%1: float32[8]", "(float32[8], float32[8])",
                                 {"%2 = exp(%1) : float32[8]", "%3 = relu(%2) : float32[8]",
                                  "%4 = tuple(%2, %3) : (float32[8], float32[8])", "-> %4"});
        QCOMPARE(body(fuse(module).module),
                 list({"%2 = call fused_exp_0(%1)", "%3 = call fused_relu_1(%2)", "%4 = tuple(%2, %3)", "-> %4"}));
    }

    void allPassesKeepTheSamples() {
        NoEvaluator evaluator;
        Budget budget;
        for (const char* text : {samples::network, samples::states, samples::control}) {
            Result<Module> flat = inlineFunctions(read(text));
            QVERIFY(flat);
            Module module = *flat;
            for (const auto& pass : std::vector<std::function<Module(const Module&)>>{
                     [](const Module& m) { return simplifyInference(m); }, [](const Module& m) { return deadCode(m); },
                     [&](const Module& m) { return foldConstants(m, evaluator, budget); },
                     [](const Module& m) { return commonSubexpressions(m); },
                     [](const Module& m) { return sinkTransposes(m, false); },
                     [](const Module& m) { return simplifyArithmetic(m, false); },
                     [](const Module& m) { return foldScale(m); }, [](const Module& m) { return canonicalize(m); },
                     [](const Module& m) { return fuse(m).module; }}) {
                module = pass(module);
                QVERIFY2(!body(module)[0].startsWith("error"), qPrintable(body(module)[0]));
                QCOMPARE(module.main().states.size(), flat->main().states.size());
            }
        }
    }
};

Test test() {
    return {makes<TestPasses>};
}

} // namespace lathe::testing::test_passes

#include "test_passes.moc"
