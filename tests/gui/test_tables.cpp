// SPDX-License-Identifier: GPL-3.0-or-later
// The item models of passes, profile and problems, without widgets.
#include "support/program_of_tests.h"
#include "views/models/passes/pass_model.h"
#include "views/models/profile/profile_change_model.h"
#include "views/models/profile/profile_model.h"
#include "views/models/text/counted.h"
#include "views/models/window/problem_model.h"
#include "views/models/window/selection.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace lathe::testing::test_tables {

using namespace lathe::views::models;

class TestTables : public QObject {
    Q_OBJECT

private slots:
    void passesShowTheirEffect() {
        driver::Trace trace;
        auto add = [&](const char* name, bool changed, int64_t bindings) {
            driver::PassRecord pass;
            pass.name = name;
            pass.ran = true;
            pass.changed = changed;
            pass.bindings = bindings;
            pass.ms = 1.5;
            trace.passes.push_back(std::move(pass));
        };
        add("import", true, 100);
        add("dead code", false, 100);
        add("fuse", true, 60);
        trace.passes[1].enabled = trace.passes[1].ran = false;
        trace.passes[2].diagnostics.push_back(error("it failed"));

        PassModel model;
        QAbstractItemModelTester tester(&model);
        model.show(passRows(trace));
        trace.passes.emplace_back().name = "link"; // not reached
        model.show(passRows(trace));
        QCOMPARE(model.rowCount(), 4);
        auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(text(1, PassModel::Changed), QString("off"));
        QCOMPARE(text(2, PassModel::Changed), QString("failed"));
        QCOMPARE(text(2, PassModel::Amount), QString("60 bindings  (-40)"));
        QCOMPARE(text(3, PassModel::Changed), QString("not run"));
        model.setOnlyChanged(true);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.at(1).index, 2);
    }

    /// A kernel of a hundred nanoseconds is no "0.0001", and a difference of fifty no "-0.0000".
    void timesKeepTheirDigits() {
        QCOMPARE(msText(1234.56), QString("1234.6"));
        QCOMPARE(msText(12.345), QString("12.35"));
        QCOMPARE(msText(0.2084), QString("0.208"));
        QCOMPARE(msText(0.04251), QString("0.0425"));
        QCOMPARE(msText(0.000123), QString("0.000123"));
        QCOMPARE(msText(-0.00005), QString("-0.000050"));
    }

    /// What stands on one side alone became neither faster nor slower.
    void changesWithoutACounterpart() {
        const auto row = [](const char* name, double ms, std::vector<int32_t> nodes) {
            inspect::ProfileRow row;
            row.function = row.kernel = name;
            row.ms = ms;
            row.nodes = std::move(nodes);
            return row;
        };
        inspect::Profile before, after;
        before.rows = {row("both", 1, {0}), row("old", 3, {1})};
        after.rows = {row("both", 2, {0}), row("new", 5, {2})};
        ProfileChangeModel model;
        QAbstractItemModelTester tester(&model);
        model.show(before, after);
        const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(model.rowCount(), 3); // the largest difference first
        QCOMPARE(text(0, ProfileChangeModel::Before), QString("–"));
        QCOMPARE(text(0, ProfileChangeModel::After), QString("new"));
        QCOMPARE(text(0, ProfileChangeModel::BeforeTime), QString());
        QCOMPARE(text(0, ProfileChangeModel::Noise), QString("only now"));
        QCOMPARE(text(1, ProfileChangeModel::After), QString("–"));
        QCOMPARE(text(1, ProfileChangeModel::Noise), QString("only before"));
        QCOMPARE(text(2, ProfileChangeModel::Noise), QString("slower"));
    }

    void profileHasSharesAndRates() {
        inspect::Profile profile;
        profile.rows.resize(2);
        profile.rows[0].ms = 3;
        profile.rows[0].share = 0.75;
        profile.rows[0].bytes = 6e6; // 6 MB in 3 ms: 2 GB/s
        profile.rows[1].ms = 1;
        profile.rows[1].share = 0.25;
        profile.rows[1].flops = 2e9; // 2 GFLOP in 1 ms: 2000 GFLOP/s
        ProfileModel model;
        QAbstractItemModelTester tester(&model);
        model.show(profile);
        auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(text(0, ProfileModel::Share), QString("75.0 %"));
        QCOMPARE(text(1, ProfileModel::Gflops), QString("2000.0"));
        QCOMPARE(text(0, ProfileModel::Gbs), QString("2.00"));
    }

    void problemsOnceErrorsFirst() {
        Diagnostic warning = error("odd");
        warning.severity = Severity::Warning;
        ProblemModel model;
        QAbstractItemModelTester tester(&model);
        model.show({warning, error("bad"), error("bad")});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.errors(), 1);
        QCOMPARE(model.at(0).what, std::string("bad"));
    }

    void selectionTellsOnlyChanges() {
        Selection selection;
        QSignalSpy changes(&selection, &Selection::changed);
        selection.set({{3, 1, 3}});
        selection.set({{1, 3}});
        QCOMPARE(changes.count(), 1);
        QVERIFY(selection.contains(3));
        QVERIFY(!selection.contains(2));
    }

    void selectionGoesBackAndForward() {
        Selection selection;
        QVERIFY(!selection.canGoBack());
        const Place first({1}), second({2}, 5, 3), third({3});
        selection.set(first); // nothing was selected before: there is nothing to go back to
        QVERIFY(!selection.canGoBack());
        selection.set(second);
        selection.set(third);
        selection.goBack();
        QVERIFY(selection.place() == second);
        selection.goBack();
        QVERIFY(selection.place() == first && !selection.canGoBack());
        selection.goForward();
        QVERIFY(selection.place() == second && selection.canGoForward());
        selection.dropCalls();
        QVERIFY(selection.place() == Place({2}));
        selection.set(first); // another way: what lay ahead is forgotten
        QVERIFY(!selection.canGoForward());
        selection.clear();
        QVERIFY(selection.place() == Place() && !selection.canGoBack());
    }
};

Test test() {
    return {makes<TestTables>};
}

} // namespace lathe::testing::test_tables

#include "test_tables.moc"
