// SPDX-License-Identifier: Apache-2.0
//
// What "fuse" says of operators and those that use their values: each outcome on a small graph whose reason is plain, and pairs
// that are decided to stay apart.
#include "relay/text.h"
#include "relay/transform/fuse.h"
#include "relay/verify.h"
#include "support/program_of_tests.h"

#include <QtTest>
#include <fmt/format.h>

namespace lathe::testing::test_fusion {

using namespace lathe::relay;
using namespace lathe::relay::transform;
using Outcome = FusionOutcome;
using Vars = std::pair<int, int>; // producer, consumer

namespace {

/// A function of %1: float32[8, 64], %2: float32[64, 64], %3: float32[64] and %4: int64[8, 3].
Module read(const QStringList& bindings, const QString& type) {
    QString text =
        "module next %100\nfn main(%1: float32[8, 64], %2: float32[64, 64], %3: float32[64], %4: int64[8]) -> " + type +
        " {\n";
    for (qsizetype i = 0; i < bindings.size(); ++i)
        text += bindings[i] + " @{" + QString::number(i) + "}\n";
    text += "-> " + bindings.back().section(' ', 0, 0) + "\n}\n";
    Result<Module> module = parse(text.toStdString(), {});
    if (!module)
        qFatal("%s\n%s", toString(module.error()).c_str(), qPrintable(text));
    return *module;
}

struct Said {
    Outcome outcome{};
    int due = 0; // 0: none
};

/// What is said of each pair. Two operators have joined exactly if one function has both.
std::map<Vars, Said> saidOf(const Fused& fused) {
    std::map<Vars, Said> all;
    const auto var = [&](size_t at) { return static_cast<int>(fused.operators.at(at).var.id); };
    for (const FusionEdge& edge : fused.edges) {
        const bool one = fused.operators[edge.producer].function == fused.operators[edge.consumer].function;
        if (one != (edge.outcome == Outcome::Joined))
            qFatal("%s, but %d and %d are %s", std::string(toString(edge.outcome)).c_str(), var(edge.producer),
                   var(edge.consumer), one ? "one" : "two");
        all[{var(edge.producer), var(edge.consumer)}] = {edge.outcome, edge.due ? var(*edge.due) : 0};
    }
    return all;
}

const QString whole = "float32[8, 64]";
const QString softmax = "%11 = exp(%1) : float32[8, 64]|"
                        "%12 = reduce(%11) {kind=\"sum\", axes=[1], keepDims=true} : float32[8, 1]|"
                        "%13 = divide(%11, %12) : float32[8, 64]";

} // namespace

class TestFusion : public QObject {
    Q_OBJECT

private slots:
    void eachOutcome_data() {
        QTest::addColumn<QString>("bindings");
        QTest::addColumn<QString>("type");
        QTest::addColumn<Vars>("pair");
        QTest::addColumn<int>("outcome");
        QTest::addColumn<int>("due");
        const auto add = [](Outcome outcome, const char* name, const QString& bindings, Vars pair, int due = 0,
                            const QString& type = whole) {
            QTest::addRow("%s: %s", std::string(toString(outcome)).c_str(), name)
                << bindings << type << pair << static_cast<int>(outcome) << due;
        };
        add(Outcome::Joined, "elementwise", "%11 = exp(%1) : float32[8, 64]|%12 = relu(%11) : float32[8, 64]",
            {11, 12});
        add(Outcome::Joined, "epilogue", "%11 = matmul(%1, %2) : float32[8, 64]|%12 = add(%11, %3) : float32[8, 64]",
            {11, 12});
        add(Outcome::OpaqueProducer, "a view",
            "%11 = reshape(%2) {shape=[4096]} : float32[4096]|%12 = relu(%11) : float32[4096]", {11, 12}, 0,
            "float32[4096]");
        add(Outcome::OpaqueConsumer, "a view",
            "%11 = relu(%2) : float32[64, 64]|%12 = reshape(%11) {shape=[4096]} : float32[4096]", {11, 12}, 0,
            "float32[4096]");
        const QString beside = "%11 = relu(%1) : float32[8, 64]|%12 = exp(%11) : float32[8, 64]|"
                               "%13 = reshape(%11) {shape=[8, 64]} : float32[8, 64]|"
                               "%14 = add(%12, %13) : float32[8, 64]";
        add(Outcome::OpaqueConsumer, "on one way", beside, {11, 13});
        add(Outcome::OpaqueConsumer, "on another way", beside, {11, 12}, 13);
        add(Outcome::Escapes, "an output",
            "%11 = exp(%1) : float32[8, 64]|%12 = relu(%11) : float32[8, 64]|"
            "%13 = tuple(%11, %12) : (float32[8, 64], float32[8, 64])",
            {11, 12}, 0, "(float32[8, 64], float32[8, 64])");
        add(Outcome::WaysPart, "two users",
            "%11 = exp(%1) : float32[8, 64]|%12 = relu(%11) : float32[8, 64]|%13 = sigmoid(%11) : float32[8, 64]|"
            "%14 = tuple(%12, %13) : (float32[8, 64], float32[8, 64])",
            {11, 13}, 0, "(float32[8, 64], float32[8, 64])");
        const QString products = "%11 = matmul(%1, %2) : float32[8, 64]|%12 = exp(%1) : float32[8, 64]|"
                                 "%13 = matmul(%12, %2) : float32[8, 64]|%14 = add(%11, %13) : float32[8, 64]";
        add(Outcome::SecondAnchor, "the residual", products, {13, 14}, 11);
        add(Outcome::Joined, "the first of the two", products, {11, 14});
        add(Outcome::SecondAnchor, "two in a row",
            "%11 = matmul(%1, %2) : float32[8, 64]|%12 = matmul(%11, %2) : float32[8, 64]", {11, 12});
        // Attention: scores %11, rows %12 and sums %13 are one, if nothing else needs the first two and rows are many.
        const QString square = "float32[64, 64]",
                      scores = "%10 = relu(%2) : float32[64, 64]|%11 = matmul(%2, %10) : float32[64, 64]|",
                      rows = "%12 = softmax(%11) {axis=1} : float32[64, 64]|",
                      sums = "%13 = matmul(%12, %2) : float32[64, 64]";
        add(Outcome::Joined, "scores and rows", scores + rows + sums, {11, 12}, 0, square);
        add(Outcome::Joined, "rows and sums", scores + rows + sums, {12, 13}, 0, square);
        add(Outcome::Joined, "masked scores and rows",
            scores + "%14 = add(%11, %3) : float32[64, 64]|%12 = softmax(%14) {axis=1} : float32[64, 64]|" + sums,
            {14, 12}, 0, square);
        add(Outcome::Joined, "sums and what is added", scores + rows + sums + "|%14 = add(%13, %3) : float32[64, 64]",
            {13, 14}, 0, square);
        add(Outcome::SecondAnchor, "few rows",
            "%11 = matmul(%1, %2) : float32[8, 64]|%12 = softmax(%11) {axis=1} : float32[8, 64]|"
            "%13 = matmul(%12, %2) : float32[8, 64]",
            {12, 13});
        add(Outcome::SecondAnchor, "softmax of columns",
            scores + "%12 = softmax(%11) {axis=0} : float32[64, 64]|" + sums, {12, 13}, 0, square);
        add(Outcome::SecondAnchor, "rows on the right", scores + rows + "%13 = matmul(%2, %12) : float32[64, 64]",
            {12, 13}, 0, square);
        add(Outcome::SecondAnchor, "scores that are used again",
            scores + rows + sums + "|%14 = add(%13, %11) : float32[64, 64]", {12, 13}, 0, square);
        add(Outcome::SecondAnchor, "attention behind attention",
            scores + rows + sums +
                "|%14 = softmax(%13) {axis=1} : float32[64, 64]|%15 = matmul(%14, %2) : float32[64, 64]",
            {13, 14}, 0, square);
        add(Outcome::SecondAnchor, "scores of one operand with itself",
            "%11 = matmul(%2, %2) {transposeB=true} : float32[64, 64]|" + rows + sums, {12, 13}, 0, square);
        add(Outcome::SecondAnchor, "rows of no product", "%12 = softmax(%2) {axis=1} : float32[64, 64]|" + sums,
            {12, 13}, 0, square);
        add(Outcome::EpilogueKind, "transpose",
            "%11 = matmul(%1, %2) : float32[8, 64]|%12 = transpose(%11) {axes=[1, 0]} : float32[64, 8]", {11, 12}, 0,
            "float32[64, 8]");
        add(Outcome::EpilogueKind, "a transposed residual",
            "%11 = matmul(%2, %2) : float32[64, 64]|%12 = transpose(%2) {axes=[1, 0]} : float32[64, 64]|"
            "%13 = add(%11, %12) : float32[64, 64]",
            {12, 13}, 0, "float32[64, 64]");
        add(Outcome::EpilogueShape, "broadcast", softmax, {12, 13});
        add(Outcome::TakesNoProducer, "product",
            "%11 = relu(%1) : float32[8, 64]|%12 = matmul(%11, %2) : float32[8, 64]", {11, 12});
        add(Outcome::AnchorBetween, "the reduction", softmax, {11, 12});
        add(Outcome::AnchorBetween, "beside the reduction", softmax, {11, 13}, 12);
        add(Outcome::ReadAgain, "gather",
            "%11 = relu(%1) : float32[8, 64]|%12 = gather(%11, %4) {axis=0} : float32[8, 64]", {11, 12});
        add(Outcome::FewerElements, "broadcast", "%11 = exp(%3) : float32[64]|%12 = add(%1, %11) : float32[8, 64]",
            {11, 12});
        add(Outcome::FewerElements, "at the end of another way",
            "%11 = exp(%3) : float32[64]|%12 = relu(%11) : float32[64]|%13 = add(%1, %12) : float32[8, 64]|"
            "%14 = multiply(%13, %11) : float32[8, 64]",
            {11, 12}, 13);
        QString chain;
        for (int i = 11; i < 11 + 65; ++i)
            chain += fmt::format("%{} = exp(%{}) : float32[8, 64]|", i, i == 11 ? 1 : i - 1).c_str();
        chain.chop(1);
        add(Outcome::TooLarge, "a chain of 65", chain, {74, 75});
        add(Outcome::Joined, "all but the last of 65", chain, {73, 74});
    }
    void eachOutcome() {
        QFETCH(QString, bindings);
        QFETCH(QString, type);
        QFETCH(Vars, pair);
        QFETCH(int, outcome);
        QFETCH(int, due);
        const Fused fused = fuse(read(bindings.split('|'), type));
        const auto said = saidOf(fused);
        QVERIFY2(said.contains(pair), print(fused.module).c_str());
        const std::string got(toString(said.at(pair).outcome));
        QVERIFY2(static_cast<int>(said.at(pair).outcome) == outcome, got.c_str());
        QCOMPARE(said.at(pair).due, due);
        seen_.insert(outcome);
    }

    void aPairIsKeptApart() {
        const Module module = read(QString("%11 = matmul(%1, %2) : float32[8, 64]|%12 = add(%11, %3) : float32[8, 64]|"
                                           "%13 = relu(%12) : float32[8, 64]")
                                       .split('|'),
                                   whole);
        FuseOptions options;
        options.apart = {{Var{12}, Var{13}}};
        const Fused fused = fuse(module, options);
        QVERIFY(verify(fused.module));
        const auto said = saidOf(fused);
        QVERIFY(said.at({11, 12}).outcome == Outcome::Joined);
        QVERIFY(said.at({12, 13}).outcome == Outcome::KeptApart);
        QCOMPARE(fused.module.functions.size(), size_t(3));
        seen_.insert(static_cast<int>(Outcome::KeptApart));
    }

    /// Of attention, one edge that is cut leaves three functions.
    void attentionIsWholeOrNot() {
        const Module module = read(QString("%10 = relu(%2) : float32[64, 64]|%11 = matmul(%2, %10) : float32[64, "
                                           "64]|%12 = softmax(%11) {axis=1} : "
                                           "float32[64, 64]|%13 = matmul(%12, %2) : float32[64, 64]")
                                       .split('|'),
                                   "float32[64, 64]");
        QCOMPARE(fuse(module).module.functions.size(), size_t(3));
        for (const auto& [producer, consumer] : {Vars(11, 12), Vars(12, 13)}) {
            FuseOptions options;
            options.apart = {{Var{static_cast<uint32_t>(producer)}, Var{static_cast<uint32_t>(consumer)}}};
            const Fused fused = fuse(module, options);
            QVERIFY(verify(fused.module));
            QVERIFY(saidOf(fused).at({producer, consumer}).outcome == Outcome::KeptApart);
            QCOMPARE(fused.module.functions.size(), size_t(5));
        }
    }

    /// Both ends of a diamond's edge are tried with the node below it, so the other way is told of the decision too.
    void theDecidedPairIsToldFromTheRest() {
        const Module module = read(QString("%11 = exp(%1) : float32[8, 64]|%12 = relu(%11) : float32[8, 64]|"
                                           "%13 = sigmoid(%11) : float32[8, 64]|%14 = add(%12, %13) : float32[8, 64]")
                                       .split('|'),
                                   whole);
        FuseOptions options;
        options.apart = {{Var{11}, Var{12}}};
        const auto said = saidOf(fuse(module, options));
        QVERIFY(said.at({11, 12}).outcome == Outcome::KeptApart);
        QVERIFY(said.at({11, 13}).outcome == Outcome::OthersApart);
        QCOMPARE(said.at({11, 13}).due, 12);
        seen_.insert(static_cast<int>(Outcome::OthersApart));
    }

    /// Of a diamond one edge is cut: whatever joins, never both of its ends.
    void noOtherWayLeadsAround() {
        const Module module = read(QString("%11 = exp(%1) : float32[8, 64]|%12 = relu(%11) : float32[8, 64]|"
                                           "%13 = sigmoid(%11) : float32[8, 64]|%14 = add(%12, %13) : float32[8, 64]|"
                                           "%15 = relu(%14) : float32[8, 64]")
                                       .split('|'),
                                   whole);
        for (const auto& [pair, joined] : saidOf(fuse(module)))
            QVERIFY(joined.outcome == Outcome::Joined);
        for (const auto& [pair, joined] : saidOf(fuse(module))) {
            FuseOptions options;
            options.apart = {{Var{static_cast<uint32_t>(pair.first)}, Var{static_cast<uint32_t>(pair.second)}}};
            const Fused fused = fuse(module, options);
            QVERIFY(verify(fused.module));
            QVERIFY(saidOf(fused).at(pair).outcome == Outcome::KeptApart);
        }
    }

    /// Operators alone: nothing was to join, so nothing is said.
    void aloneSaysNothing() {
        FuseOptions options;
        options.maxOps = 1;
        const Fused fused = fuse(read(softmax.split('|'), whole), options);
        QCOMPARE(fused.operators.size(), size_t(3));
        QVERIFY(fused.edges.empty());
    }

    void allOutcomesWereSeen() {
        QCOMPARE(seen_.size(), size_t(fusionOutcomes));
        std::set<std::string_view> names, sentences;
        for (const int outcome : seen_) {
            names.insert(toString(static_cast<Outcome>(outcome)));
            sentences.insert(sentenceOf(static_cast<Outcome>(outcome)));
            QVERIFY(sentenceOf(static_cast<Outcome>(outcome)).ends_with('.'));
        }
        QCOMPARE(names.size(), seen_.size());
        QCOMPARE(sentences.size(), seen_.size());
    }

private:
    std::set<int> seen_;
};

Test test() {
    return {makes<TestFusion>};
}

} // namespace lathe::testing::test_fusion

#include "test_fusion.moc"
