// SPDX-License-Identifier: Apache-2.0
//
// Which integers modules take that are small enough to be judged by hand: what each operator refuses follows from its definition.
#include "relay/taken_integers.h"
#include "relay/text.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_taken_integers {

using namespace lathe::relay;

namespace {

/// "0 <= i < 7, n+1" of each input that the module says something of, in the order of their names.
QString textOf(const QString& module) {
    const Result<Module> parsed = parse(module.toStdString(), {});
    if (!parsed)
        return QString::fromStdString(toString(parsed.error()));
    QStringList inputs;
    for (const auto& [name, taken] : takenIntegers(*parsed)) {
        QStringList limits;
        for (const TakenIntegers::Limit& limit : taken.below)
            limits << (arith::asInt(limit.size) ? QString::number(*arith::asInt(limit.size) + limit.more)
                                                : QString::fromStdString(arith::toString(limit.size)) +
                                                      (limit.more ? QStringLiteral("+%1").arg(limit.more) : QString()));
        inputs << QStringLiteral("%1 <= %2 < %3").arg(taken.least).arg(QString::fromStdString(name), limits.join(", "));
    }
    return inputs.join("; ");
}

QString mainOf(const QString& params, const QString& result, const QString& body) {
    return QStringLiteral("module next %90\n\nfn main(%1) -> %2 outputs [\"y\"] {\n%3}\n").arg(params, result, body);
}

} // namespace

class TestTakenIntegers : public QObject {
    Q_OBJECT

private slots:
    void whatOperatorsWant_data() {
        QTest::addColumn<QString>("params");
        QTest::addColumn<QString>("result");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        const QString table = "  %9 = const float32[7, 4] splat [0.5] @{0}\n";
        QTest::newRow("rows of a table") << "%1 \"i\": int64[2]" << "float32[2, 4]"
                                         << table + "  %2 = gather(%9, %1) {axis=0} : float32[2, 4] @{0}\n  -> %2\n"
                                         << "0 <= i < 7";
        QTest::newRow("columns") << "%1 \"i\": int64[2]" << "float32[7, 2]"
                                 << table + "  %2 = gather(%9, %1) {axis=1} : float32[7, 2] @{0}\n  -> %2\n"
                                 << "0 <= i < 4";
        QTest::newRow("an open table") << "%1 \"x\": float32[n{0..64}], %2 \"i\": int32[2]" << "float32[2]"
                                       << "  %3 = gather(%1, %2) {axis=0} : float32[2] @{0}\n  -> %3\n"
                                       << "0 <= i < n";
        QTest::newRow("through what moves values")
            << "%1 \"i\": int32[2, 3]" << "float32[6, 4]"
            << table + "  %2 = cast(%1) {dtype=int64} : int64[2, 3] @{0}\n"
                       "  %3 = transpose(%2) {axes=[1, 0]} : int64[3, 2] @{0}\n"
                       "  %4 = reshape(%3) {shape=[6]} : int64[6] @{0}\n"
                       "  %5 = gather(%9, %4) {axis=0} : float32[6, 4] @{0}\n  -> %5\n"
            << "0 <= i < 7";
        QTest::newRow("plus an offset") << "%1 \"i\": int64[2]" << "float32[2, 4]"
                                        << table + "  %2 = const int64[] [2] @{0}\n  %3 = add(%1, %2) : int64[2] @{0}\n"
                                                   "  %4 = gather(%9, %3) {axis=0} : float32[2, 4] @{0}\n  -> %4\n"
                                        << "0 <= i < 5";
        QTest::newRow("minus an offset")
            << "%1 \"i\": int64[2]" << "float32[2, 4]"
            << table + "  %2 = const int64[] [2] @{0}\n  %3 = subtract(%1, %2) : int64[2] @{0}\n"
                       "  %4 = gather(%9, %3) {axis=0} : float32[2, 4] @{0}\n  -> %4\n"
            << "2 <= i < 9";
        QTest::newRow("made positive") << "%1 \"i\": int64[2]" << "float32[2, 4]"
                                       << table + "  %2 = const int64[] [7] @{0}\n  %3 = const int64[] [0] @{0}\n"
                                                  "  %4 = add(%1, %2) : int64[2] @{0}\n"
                                                  "  %5 = less(%1, %3) : bool[2] @{0}\n"
                                                  "  %6 = where(%5, %4, %1) : int64[2] @{0}\n"
                                                  "  %7 = gather(%9, %6) {axis=0} : float32[2, 4] @{0}\n  -> %7\n"
                                       << "0 <= i < 7";
        QTest::newRow("two tables") << "%1 \"i\": int64[2]" << "float32[2, 4]"
                                    << table + "  %2 = const float32[3, 4] splat [1] @{0}\n"
                                               "  %3 = gather(%9, %1) {axis=0} : float32[2, 4] @{0}\n"
                                               "  %4 = gather(%2, %1) {axis=0} : float32[2, 4] @{0}\n"
                                               "  %5 = add(%3, %4) : float32[2, 4] @{0}\n  -> %5\n"
                                    << "0 <= i < 3, 7";
        QTest::newRow("places in two dims") << "%1 \"i\": int64[5, 2]" << "float32[5]"
                                            << table + "  %2 = gather_nd(%9, %1) {batchDims=0} : float32[5] @{0}\n"
                                                       "  -> %2\n"
                                            << "0 <= i < 7, 4";
        QTest::newRow("elements") << "%1 \"i\": int64[7, 2]" << "float32[7, 2]"
                                  << table + "  %2 = gather_elements(%9, %1) {axis=1} : float32[7, 2] @{0}\n  -> %2\n"
                                  << "0 <= i < 4";
        QTest::newRow("a divisor") << "%1 \"x\": int64[2], %2 \"i\": int64[2]" << "int64[2]"
                                   << "  %3 = divide(%1, %2) : int64[2] @{0}\n  -> %3\n"
                                   << "1 <= i < ";
        QTest::newRow("lengths of sequences")
            << "%1 \"x\": float32[9, 2], %2 \"i\": int64[2]" << "float32[9, 2]"
            << "  %3 = reverse_sequence(%1, %2) {timeAxis=0, batchAxis=1} : float32[9, 2] @{0}\n  -> %3\n"
            << "1 <= i < 10";
        QTest::newRow("lengths beside places") << "%1 \"i\": int64[2, 1]" << "bool[2, 5]"
                                               << "  %2 = iota() {shape=[5], axis=0, dtype=int64} : int64[5] @{0}\n"
                                                  "  %3 = less(%2, %1) : bool[2, 5] @{0}\n  -> %3\n"
                                               << "1 <= i < 6";
        QTest::newRow("in a branch") << "%1 \"b\": bool[], %2 \"i\": int64[2]" << "float32[2, 4]"
                                     << table + "  %3 = if %1 {\n"
                                                "    %4 = gather(%9, %2) {axis=0} : float32[2, 4] @{0}\n    -> %4\n"
                                                "  } else {\n"
                                                "    %5 = const float32[2, 4] splat [0] @{0}\n    -> %5\n"
                                                "  } : float32[2, 4] @{0}\n  -> %3\n"
                                     << "0 <= i < 7";
        QTest::newRow("carried by a loop")
            << "%1 \"i\": int64[2], %2 \"t\": int64[]" << "float32[2, 4]"
            << table + "  %3 = loop %2 while _ (%4: int64[], %5: int64[2] = %1, %10: int64[] = %2) scans 0 {\n"
                       "    %6 = tuple(%5, %10) : (int64[2], int64[]) @{0}\n    -> %6\n"
                       "  } : (int64[2], int64[]) @{0}\n  %7 = %3.0 : int64[2] @{0}\n"
                       "  %8 = gather(%9, %7) {axis=0} : float32[2, 4] @{0}\n  -> %8\n"
            << "0 <= i < 7; 1 <= t < ";
        // 0 and 1 are masks: nothing is said.
        QTest::newRow("a mask") << "%1 \"i\": int64[2]" << "bool[2]"
                                << "  %2 = const int64[] [0] @{0}\n  %3 = equal(%1, %2) : bool[2] @{0}\n  -> %3\n"
                                << "";
        QTest::newRow("a mask as it is") << "%1 \"i\": int64[2]" << "bool[2]"
                                         << "  %2 = cast(%1) {dtype=bool} : bool[2] @{0}\n  -> %2\n"
                                         << "";
    }
    void whatOperatorsWant() {
        QFETCH(QString, params);
        QFETCH(QString, result);
        QFETCH(QString, body);
        QTEST(textOf(mainOf(params, result, body)), "expected");
    }
};

Test test() {
    return {makes<TestTakenIntegers>};
}

} // namespace lathe::testing::test_taken_integers

#include "test_taken_integers.moc"
