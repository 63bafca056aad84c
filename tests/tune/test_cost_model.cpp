// SPDX-License-Identifier: Apache-2.0
//
// The model learns an order that it was not shown, of each task by itself; the same samples and seed give the same bytes; what
// is saved predicts the same, and bytes that are none are refused.
#include "support/program_of_tests.h"
#include "tune/quality.h"
#include "tune/xgb_model.h"

#include <QTest>
#include <cmath>
#include <random>

namespace lathe::testing::test_cost_model {

using namespace lathe::tune;

namespace {

using Tasks = std::vector<std::vector<Sample>>;

constexpr size_t columns = 12;

/// Speed follows from three of twelve numbers, not linearly.
double timeOf(const std::vector<float>& row) {
    return 1 + std::abs(row[2] - 3) + row[5] * row[7] / 4;
}

std::vector<std::vector<float>> rowsOf(uint64_t seed, size_t count) {
    std::mt19937_64 random(seed);
    std::vector<std::vector<float>> rows(count, std::vector<float>(columns));
    for (auto& row : rows)
        for (float& each : row)
            each = static_cast<float>(random() % 8);
    return rows;
}

/// `least` is the speed of what takes 1: it changes not who is faster.
std::vector<Sample> task(uint64_t seed, size_t count, double least = 1) {
    std::vector<Sample> samples;
    for (const auto& row : rowsOf(seed, count))
        samples.push_back({row, static_cast<float>(least / timeOf(row))});
    return samples;
}

double accuracyOn(const CostModel& model, uint64_t seed) {
    const auto rows = rowsOf(seed, 200);
    std::vector<Interval> times;
    for (const auto& row : rows)
        times.push_back({timeOf(row), timeOf(row), timeOf(row)});
    return pairsOf(model.predict(rows), times).right;
}

} // namespace

class TestCostModel : public QObject {
    Q_OBJECT

private slots:
    void knowsNothingAtFirst() {
        const auto model = makeTreeModel(1);
        QVERIFY(model->predict(rowsOf(1, 3)).empty());
        QVERIFY(model->save().empty());
        model->fit(Tasks{});
        QVERIFY(model->predict(rowsOf(1, 3)).empty());
    }

    void learns() {
        const auto model = makeTreeModel(1);
        model->fit(Tasks{task(1, 128)});
        const double accuracy = accuracyOn(*model, 9);
        QVERIFY2(accuracy >= 0.75, qPrintable(QString::number(accuracy)));
        QVERIFY(model->predict({}).empty());
    }

    /// The product of columns 5 and 7 decides more than anything else; what follows from column 2 is little.
    void importance() {
        const auto model = makeTreeModel(1);
        QVERIFY(model->importance().empty());
        model->fit(Tasks{task(1, 256), task(2, 256)});
        const std::vector<double> shares = model->importance();
        QCOMPARE(shares.size(), columns);
        double all = 0, others = 0;
        for (size_t i = 0; i < columns; ++i) {
            QVERIFY(shares[i] >= 0);
            all += shares[i];
            if (i != 2 && i != 5 && i != 7)
                others = std::max(others, shares[i]);
        }
        QVERIFY(std::abs(all - 1) < 1e-6);
        for (const size_t i : {5, 7})
            QVERIFY2(shares[i] > 2 * others, qPrintable(QString::number(shares[i])));
    }

    /// Two tasks of other scales: compared with each other, each of the slow one would be below each of the fast one.
    void tasksAreNotCompared() {
        const auto model = makeTreeModel(1);
        model->fit(Tasks{task(1, 64, 1), task(2, 64, 0.01)});
        const double accuracy = accuracyOn(*model, 9);
        QVERIFY2(accuracy >= 0.7, qPrintable(QString::number(accuracy)));
    }

    /// Of a task whose candidates are all alike nothing is learned, and the next is learned nonetheless.
    void eachTaskCounts() {
        std::vector<Sample> alike = task(1, 64);
        for (Sample& sample : alike)
            sample.speed = 1;
        const auto model = makeTreeModel(1);
        model->fit(Tasks{alike, task(2, 64)});
        const double accuracy = accuracyOn(*model, 9);
        QVERIFY2(accuracy >= 0.7, qPrintable(QString::number(accuracy)));
    }

    void whatDoesNotRunIsLast() {
        std::vector<Sample> samples = task(1, 100);
        for (Sample& sample : samples)
            if (sample.row[0] > 5) // says nothing of speed
                sample.speed = 0;
        const auto model = makeTreeModel(1);
        model->fit(Tasks{samples});
        std::vector<std::vector<float>> rows(2, std::vector<float>(columns, 3));
        rows[1][0] = 7;
        const auto scores = model->predict(rows);
        QVERIFY(scores[0] > scores[1]);
    }

    void theSameSeedGivesTheSameModel() {
        const auto one = makeTreeModel(1), again = makeTreeModel(1), other = makeTreeModel(2);
        for (const auto& model : {one.get(), again.get(), other.get()})
            model->fit(Tasks{task(1, 100), task(2, 50)});
        const auto rows = rowsOf(4, 20);
        QCOMPARE(one->predict(rows), again->predict(rows));
        QVERIFY(one->save() == again->save());
        QVERIFY(one->predict(rows) != other->predict(rows));
        one->fit(Tasks{task(3, 80)}); // anew: nothing is left of what it knew
        again->fit(Tasks{task(3, 80)});
        QVERIFY(one->save() == again->save());
    }

    void savedAndLoaded() {
        const auto model = makeTreeModel(1), copy = makeTreeModel(5);
        model->fit(Tasks{task(1, 100)});
        const std::string bytes = model->save();
        const auto loaded = copy->load(bytes, columns);
        QVERIFY2(loaded, loaded ? "" : toString(loaded.error()).c_str());
        const auto rows = rowsOf(4, 50);
        QCOMPARE(copy->predict(rows), model->predict(rows));
    }

    /// What was loaded is not forgotten for a few samples of something else; what has grown for long begins anew.
    void learnsOnTopOfWhatWasLoaded() {
        const auto before = makeTreeModel(1), few = makeTreeModel(1), both = makeTreeModel(1);
        before->fit(Tasks{task(1, 256)});
        QVERIFY(both->load(before->save(), columns));
        for (CostModel* model : {few.get(), both.get()})
            model->fit(Tasks{task(2, 16)});
        const double alone = accuracyOn(*few, 9), onTop = accuracyOn(*both, 9);
        QVERIFY2(onTop > alone + 0.05, qPrintable(QString("%1 and %2").arg(onTop).arg(alone)));
        const auto again = makeTreeModel(1);
        QVERIFY(again->load(before->save(), columns));
        again->fit(Tasks{task(3, 16)}); // each time from what was loaded
        again->fit(Tasks{task(2, 16)});
        QVERIFY(again->save() == both->save());
        std::string bytes = before->save();
        size_t longest = 0;
        for (int study = 0; study < 12; ++study) {
            const auto next = makeTreeModel(1);
            QVERIFY(next->load(bytes, columns));
            next->fit(Tasks{task(uint64_t(study), 64)});
            bytes = next->save();
            longest = std::max(longest, bytes.size());
        }
        QVERIFY(longest < 12 * before->save().size());
    }

    void otherBytesAreRefused_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto model = makeTreeModel(1);
        model->fit(Tasks{task(1, 50)});
        const QByteArray whole = QByteArray::fromStdString(model->save());
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("a word") << QByteArray("trees");
        QTest::newRow("a line") << QByteArray("trees\n");
        QTest::newRow("half") << whole.first(whole.size() / 2);
        QByteArray changed = whole;
        changed[whole.size() / 2] = char(changed[whole.size() / 2] ^ 1);
        QTest::newRow("a bit") << changed;
        QTest::newRow("longer") << whole + "x";
    }
    void otherBytesAreRefused() {
        QFETCH(QByteArray, bytes);
        const auto model = makeTreeModel(1);
        model->fit(Tasks{task(2, 50)});
        const auto rows = rowsOf(4, 10);
        const auto before = model->predict(rows);
        QVERIFY(!model->load(bytes.toStdString(), columns));
        QCOMPARE(model->predict(rows), before);
    }

    void otherRowsAreRefused() {
        const auto model = makeTreeModel(1), copy = makeTreeModel(1);
        model->fit(Tasks{task(1, 50)});
        const auto loaded = copy->load(model->save(), columns + 1);
        QVERIFY(!loaded);
        QVERIFY(loaded.error().what.find("12") != std::string::npos);
        QVERIFY(copy->predict(rowsOf(1, 2)).empty());
    }
};

Test test() {
    return {makes<TestCostModel>};
}

} // namespace lathe::testing::test_cost_model

#include "test_cost_model.moc"
