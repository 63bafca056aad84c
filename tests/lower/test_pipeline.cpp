// SPDX-License-Identifier: Apache-2.0
//
// The lists of kernel passes: each kind of code has one of its own.
#include "lower/pipeline.h"

#include "support/program_of_tests.h"

#include <QTest>
#include <set>

namespace lathe::testing::test_pipeline {

namespace {

std::vector<std::string_view> namesOf(lower::CodeKind kind) {
    std::vector<std::string_view> names;
    for (const lower::KernelPass& pass : lower::pipelineOf(kind))
        names.push_back(pass.name);
    return names;
}

} // namespace

class TestPipeline : public QObject {
    Q_OBJECT
private slots:
    void sourceHasNoVectorsAndNoUnrolledLoops() {
        std::vector<std::string_view> wanted = namesOf(lower::CodeKind::Native);
        QCOMPARE(std::erase(wanted, "vectorize"), size_t(1));
        QCOMPARE(std::erase(wanted, "unroll"), size_t(1));
        QVERIFY(namesOf(lower::CodeKind::CSource) == wanted);
    }

    void namesStandOnce() {
        for (const lower::CodeKind kind : {lower::CodeKind::Native, lower::CodeKind::CSource}) {
            const std::vector<std::string_view> names = namesOf(kind);
            QCOMPARE(std::set(names.begin(), names.end()).size(), names.size());
        }
    }

    /// What the loops come to is the same: code generators rely on it.
    void everyListHasAllThatIsRequired() {
        const auto requiredOf = [](lower::CodeKind kind) {
            std::vector<std::string_view> names;
            for (const lower::KernelPass& pass : lower::pipelineOf(kind))
                if (pass.required)
                    names.push_back(pass.name);
            return names;
        };
        QVERIFY(requiredOf(lower::CodeKind::Native) == requiredOf(lower::CodeKind::CSource));
    }
};

Test test() {
    return {makes<TestPipeline>};
}

} // namespace lathe::testing::test_pipeline

#include "test_pipeline.moc"
