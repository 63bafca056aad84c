// SPDX-License-Identifier: Apache-2.0
//
// Each piece of work is done once at any number of threads, and the first failure comes back when all threads have stopped.
// Runs: sanitized threads
#include "base/parallel.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace lathe::testing::test_parallel {

class TestParallel : public QObject {
    Q_OBJECT

private slots:
    void eachPieceOnce() {
        for (const size_t count : {0, 1, 2, 7, 1000})
            for (const int threads : {0, 1, 2, 3, 8}) {
                std::vector<int> done(count, 0); // each written by one thread alone
                parallelFor(count, threads, [&](size_t i) { ++done[i]; });
                QCOMPARE(done, std::vector<int>(count, 1));
            }
    }

    void resultsAreSeenByTheCaller() {
        std::vector<size_t> squares(10000);
        parallelFor(squares.size(), 4, [&](size_t i) { squares[i] = i * i; });
        for (size_t i = 0; i < squares.size(); ++i)
            QCOMPARE(squares[i], i * i);
    }

    void failureEndsTheWork() {
        for (const int threads : {1, 4}) {
            std::atomic<int> working = 0, begun = 0;
            try {
                parallelFor(100000, threads, [&](size_t i) {
                    ++working;
                    ++begun;
                    struct Done {
                        std::atomic<int>& count;
                        ~Done() { --count; }
                    } done{working};
                    if (i == 20)
                        throw std::runtime_error("the 21st");
                });
                QFAIL("nothing was thrown");
            } catch (const std::runtime_error& thrown) {
                QCOMPARE(thrown.what(), "the 21st");
            }
            QCOMPARE(working.load(), 0);   // no thread is still at it
            QVERIFY(begun.load() < 50000); // and what was not begun is left
        }
    }
};

Test test() {
    return {makes<TestParallel>};
}

} // namespace lathe::testing::test_parallel

#include "test_parallel.moc"
