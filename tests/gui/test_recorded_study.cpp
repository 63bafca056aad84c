// SPDX-License-Identifier: GPL-3.0-or-later
//
// A study out of the records, as the page Tuning gets it: its tasks, and what it found in kernels and in the graph; what of it
// cannot be read is said, and the rest is there.
// Runs: release sanitized
#include "app/recorded_study.h"
#include "records/sample.h"
#include "support/program_of_tests.h"
#include "support/sql.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_recorded_study {

using records::File;

class TestRecordedStudy : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    records::Batch batch_ = sampleBatch({1, 0.8});

    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }
    void make(const std::filesystem::path& path) {
        auto file = File::open(path, File::Access::Write);
        QVERIFY2(file, file ? "" : toString(file.error()).c_str());
        QVERIFY(file->write(batch_));
    }
    app::RecordedStudy read(const std::filesystem::path& path) const {
        records::StudyWish wish;
        wish.file = path;
        const auto found = app::readStudy(wish, {}, batch_.studies[0].id, [] { return false; });
        if (!found || !*found)
            throw std::runtime_error(found ? "no study" : toString(found.error()));
        return **found;
    }

private slots:
    void hasWhatTheGraphChose() {
        make(at("without.db"));
        QVERIFY(!read(at("without.db")).end.graph);
        batch_.graphs = {sampleGraph(batch_.studies[0], batch_.tasks[0].workload)};
        make(at("with.db"));
        const app::RecordedStudy study = read(at("with.db"));
        QVERIFY(study.problems.empty() && study.end.graph);
        const views::models::FoundGraph& graph = *study.end.graph;
        QVERIFY(graph.before == views::models::FoundGraph::Choices());
        QCOMPARE(graph.found.variants.at(0).variant, "winograd4");
        QCOMPARE(graph.found.layouts.at(0).width, 16);
        QCOMPARE(graph.found.apart.at(0).producer.node, "c");
        QVERIFY(graph.workloads == std::set<std::string>{batch_.tasks[0].workload});
        QVERIFY(graph.workloadsBefore == std::set<std::string>{"before"});
        QCOMPARE(study.end.found.size(), size_t(1));
    }

    void whatCannotBeReadIsSaid() {
        batch_.graphs = {sampleGraph(batch_.studies[0], batch_.tasks[0].workload)};
        make(at("odd.db"));
        executeSql(at("odd.db"), "UPDATE graph SET found = '{\"variants\":1}'");
        const app::RecordedStudy study = read(at("odd.db"));
        QVERIFY(!study.end.graph);
        QCOMPARE(study.problems.size(), size_t(1));
        QVERIFY(study.problems[0].severity == Severity::Warning && study.problems[0].file.ends_with("odd.db"));
        QCOMPARE(study.update.tasks.size(), size_t(1));
        QCOMPARE(study.end.found.size(), size_t(1));
    }
};

Test test() {
    return {makes<TestRecordedStudy>};
}

} // namespace lathe::testing::test_recorded_study

#include "test_recorded_study.moc"
