// SPDX-License-Identifier: Apache-2.0
//
// How many rows a first cache holds a line of, against a cache that is counted out: lines with their places in a page, as many
// ways for each place as the cache has pages.
#include "base/cache_lines.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <map>

namespace lathe::testing::test_cache_lines {

namespace {

/// Lines of rows that begin at 0, apart, 2 * apart, …, until one finds all ways of its place taken.
int64_t countedOut(int64_t apart, int64_t ways) {
    std::map<int64_t, int64_t> taken;
    for (int64_t row = 0;; ++row)
        if (++taken[row * apart % pageBytes / lineBytes] > ways)
            return row;
}

} // namespace

class TestCacheLines : public QObject {
    Q_OBJECT

private slots:
    void asCountedOut() {
        for (const int64_t ways : {1, 2, 8, 12})
            for (int64_t apart = lineBytes; apart <= 5 * pageBytes; apart += lineBytes)
                QCOMPARE(rowsHeld(apart, ways), countedOut(apart, ways));
    }

    void wholePages() {
        QCOMPARE(rowsHeld(pageBytes, 1), int64_t{1});
        QCOMPARE(rowsHeld(3 * pageBytes, 8), int64_t{8});
        QVERIFY(rowsHeld(pageBytes + lineBytes, 1) > 1);
    }

    /// Rows that drift through the lines, and no rows at all.
    void nothingCompetes() {
        for (const int64_t apart : {int64_t{0}, int64_t{4}, int64_t{100}, pageBytes + 4, -pageBytes})
            QCOMPARE(rowsHeld(apart, 1), manyRows);
    }

    /// 32 KiB in 8 ways are Intel's and AMD's first caches, 48 KiB in 12 Intel's since Ice Lake.
    void ways() {
        Target target;
        for (const auto& [kib, ways] : {std::pair{32, 8}, {48, 12}, {4, 1}, {1, 1}}) {
            target.l1Bytes = int64_t{kib} << 10;
            QCOMPARE(waysOf(target), int64_t{ways});
        }
    }
};

Test test() {
    return {makes<TestCacheLines>};
}

} // namespace lathe::testing::test_cache_lines

#include "test_cache_lines.moc"
