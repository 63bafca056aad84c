// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions: each chunk runs once, on the thread whose share it is unless that one is behind; statuses do not depend on
// timing, nesting and parking work.
// Runs: sanitized threads
#include "runtime/float_mode.h"
#include "runtime/thread_pool.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace lathe::testing::test_thread_pool {

using namespace lathe::runtime;

namespace {

struct Counts {
    std::vector<std::atomic<int>> chunks;
    explicit Counts(size_t size) : chunks(size) {}
};

int32_t count(void* closure, int64_t chunk, lathe_exec*) {
    static_cast<Counts*>(closure)->chunks[static_cast<size_t>(chunk)].fetch_add(1, std::memory_order_relaxed);
    return 0;
}

/// Plain memory that the region writes and the caller reads: what ThreadSanitizer watches.
struct Squares {
    std::vector<int64_t> values;
};

int32_t square(void* closure, int64_t chunk, lathe_exec*) {
    static_cast<Squares*>(closure)->values[static_cast<size_t>(chunk)] += chunk * chunk;
    return 0;
}

struct Nested {
    ThreadPool* pool;
    Counts* inner;
};

int32_t nest(void* closure, int64_t, lathe_exec* exec) {
    const auto* nested = static_cast<Nested*>(closure);
    return nested->pool->run(exec, count, nested->inner, static_cast<int64_t>(nested->inner->chunks.size()));
}

/// Chunks 3, 5 and 11 fail; the lowest one takes longest.
int32_t failSome(void*, int64_t chunk, lathe_exec*) {
    if (chunk == 3)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    return chunk == 3 || chunk == 5 || chunk == 11 ? static_cast<int32_t>(100 + chunk) : 0;
}

/// Who ran which chunks, in which order: a chunk waits where the test says so.
struct Log {
    std::vector<std::vector<int64_t>> ran; // by thread
    std::vector<std::atomic<int>> ended;   // chunks, by thread
    std::function<bool(const Log&, int64_t chunk, int thread)> mayEnd;

    explicit Log(int threads) : ran(static_cast<size_t>(threads)), ended(static_cast<size_t>(threads)) {}
    int all() const {
        int sum = 0;
        for (const auto& each : ended)
            sum += each.load(std::memory_order_relaxed);
        return sum;
    }
};

int32_t log(void* closure, int64_t chunk, lathe_exec* exec) {
    auto& log = *static_cast<Log*>(closure);
    const auto thread = static_cast<size_t>(exec->thread);
    log.ran[thread].push_back(chunk);
    // A pool that hands out chunks otherwise fails the test and does not hang it.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!log.mayEnd(log, chunk, exec->thread))
        if (std::this_thread::yield(); std::chrono::steady_clock::now() > until)
            return 1;
    log.ended[thread].fetch_add(1, std::memory_order_relaxed);
    return 0;
}

/// So many turns of a loop that others notice who runs what.
void work(int64_t turns) {
    for (std::atomic<int64_t> left{turns}; left.load(std::memory_order_relaxed) > 0;)
        left.fetch_sub(1, std::memory_order_relaxed);
}

/// Chunks of very different lengths: who is done early takes from the others.
int32_t countUnevenly(void* closure, int64_t chunk, lathe_exec* exec) {
    work(chunk % 7 == 0 ? 300 : chunk % 3);
    return count(closure, chunk, exec);
}

int32_t checkThread(void* closure, int64_t, lathe_exec* exec) {
    return exec->inRegion && exec->thread >= 0 && exec->thread < *static_cast<int*>(closure) ? 0 : 1;
}

} // namespace

class TestThreadPool : public QObject {
    Q_OBJECT

    lathe_exec top_{nullptr, 0, false};

private slots:
    void eachChunkRunsOnce_data() {
        QTest::addColumn<int>("threads");
        for (const int threads : {1, 2, 3, 4, 5, 8})
            QTest::addRow("%d threads", threads) << threads;
    }

    void eachChunkRunsOnce() {
        QFETCH(int, threads);
        ThreadPool pool(threads, false, nullptr);
        QCOMPARE(pool.threads(), threads);
        for (const size_t chunks : {0, 1, 2, 3, 17, 64, 1000}) {
            Counts counts(chunks);
            constexpr int regions = 200;
            pool.startRun();
            for (int i = 0; i < regions; ++i)
                QCOMPARE(pool.run(&top_, i % 2 ? count : countUnevenly, &counts, static_cast<int64_t>(chunks)), 0);
            pool.endRun();
            for (const auto& chunk : counts.chunks)
                QCOMPARE(chunk.load(), regions);
        }
    }

    void regionsOfChangingSizesDoNotMix() {
        ThreadPool pool(4, false, nullptr);
        Squares squares{std::vector<int64_t>(64)};
        std::vector<int64_t> expected(64);
        pool.startRun();
        for (int i = 0; i < 5000; ++i) {
            const int64_t chunks = 2 + i % 63;
            QCOMPARE(pool.run(&top_, square, &squares, chunks), 0);
            for (int64_t chunk = 0; chunk < chunks; ++chunk)
                expected[static_cast<size_t>(chunk)] += chunk * chunk;
        }
        pool.endRun();
        QCOMPARE(squares.values, expected);
    }

    /// Where all threads go at the same pace, each runs its own chunks, in ascending order.
    void eachThreadRunsItsShare_data() {
        QTest::addColumn<int>("chunks");
        QTest::addColumn<QList<QList<qint64>>>("shares");
        QTest::newRow("even, 2 threads") << 8 << QList<QList<qint64>>{{0, 1, 2, 3}, {4, 5, 6, 7}};
        QTest::newRow("even, 3 threads") << 6 << QList<QList<qint64>>{{0, 1}, {2, 3}, {4, 5}};
        QTest::newRow("one each") << 4 << QList<QList<qint64>>{{0}, {1}, {2}, {3}};
    }

    void eachThreadRunsItsShare() {
        QFETCH(int, chunks);
        QFETCH(QList<QList<qint64>>, shares);
        const auto threads = static_cast<int>(shares.size());
        ThreadPool pool(threads, false, nullptr);
        for (int region = 0; region < 50; ++region) {
            Log lockstep(threads);
            std::vector<std::atomic<int>> begun(static_cast<size_t>(threads));
            lockstep.mayEnd = [&](const Log& log, int64_t, int thread) {
                const int mine = log.ended[static_cast<size_t>(thread)].load(std::memory_order_relaxed) + 1;
                begun[static_cast<size_t>(thread)].store(mine, std::memory_order_relaxed);
                return std::ranges::all_of(begun, [&](const auto& each) { return each.load() >= mine; });
            };
            QCOMPARE(pool.run(&top_, log, &lockstep, chunks), 0);
            for (int thread = 0; thread < threads; ++thread) {
                const auto& ran = lockstep.ran[static_cast<size_t>(thread)];
                QCOMPARE(QList<qint64>(ran.begin(), ran.end()), shares[thread]);
            }
        }
    }

    /// A thread that is held up in its first chunk loses the others of its share, the last one first.
    void whoIsDoneTakesFromTheFarEnd_data() {
        QTest::addColumn<int>("slow");
        QTest::addColumn<QList<qint64>>("quick");
        QTest::newRow("worker") << 1 << QList<qint64>{0, 1, 2, 3, 7, 6, 5};
        QTest::newRow("caller") << 0 << QList<qint64>{4, 5, 6, 7, 3, 2, 1};
    }

    void whoIsDoneTakesFromTheFarEnd() {
        QFETCH(int, slow);
        QFETCH(QList<qint64>, quick);
        ThreadPool pool(2, false, nullptr);
        for (int region = 0; region < 50; ++region) {
            Log oneSided(2);
            std::atomic<int> begun{0};
            oneSided.mayEnd = [&, counted = std::array<bool, 8>{}](const Log& log, int64_t chunk, int thread) mutable {
                if (chunk % 4 == 0 && !std::exchange(counted[static_cast<size_t>(chunk)], true))
                    begun.fetch_add(1, std::memory_order_relaxed);
                return begun.load() == 2 && (thread != slow || log.all() == 7);
            };
            QCOMPARE(pool.run(&top_, log, &oneSided, 8), 0);
            const auto& slowly = oneSided.ran[static_cast<size_t>(slow)];
            const auto& quickly = oneSided.ran[static_cast<size_t>(1 - slow)];
            QCOMPARE(QList<qint64>(slowly.begin(), slowly.end()), QList<qint64>{slow * 4});
            QCOMPARE(QList<qint64>(quickly.begin(), quickly.end()), quick);
        }
    }

    /// Subnormal results of workers are as the pool was told, those of the caller as they were before.
    void workersComputeInTheirMode_data() {
        QTest::addColumn<bool>("flushes");
        QTest::newRow("flushed") << true;
        QTest::newRow("kept") << false;
    }

    void workersComputeInTheirMode() {
        QFETCH(bool, flushes);
        const FloatMode others(!flushes); // of whoever calls, which workers would inherit
        const auto product = [] {
            volatile float small = 1e-30F, smaller = 1e-10F;
            return small * smaller; // NOLINT
        };
        ThreadPool pool(3, flushes, nullptr);
        Log together(3);
        std::array<std::atomic<float>, 3> products{};
        std::atomic<int> begun{0};
        together.mayEnd = [&, first = std::array<bool, 3>{true, true, true}](const Log&, int64_t chunk,
                                                                             int thread) mutable {
            if (std::exchange(first[static_cast<size_t>(chunk)], false)) {
                products[static_cast<size_t>(thread)].store(product());
                begun.fetch_add(1);
            }
            return begun.load() == 3;
        };
        QCOMPARE(pool.run(&top_, log, &together, 3), 0);
#if defined(__x86_64__)
        const float wanted[] = {flushes ? 1e-40F : 0, flushes ? 0 : 1e-40F, flushes ? 0 : 1e-40F};
#else
        const float wanted[] = {1e-40F, 1e-40F, 1e-40F};
#endif
        for (size_t thread = 0; thread < 3; ++thread)
            QCOMPARE(std::bit_cast<uint32_t>(products[thread].load()), std::bit_cast<uint32_t>(wanted[thread]));
    }

    void nestedRegionsRunInline() {
        ThreadPool pool(3, false, nullptr);
        Counts inner(10);
        Nested nested{&pool, &inner};
        QCOMPARE(pool.run(&top_, nest, &nested, 25), 0);
        for (const auto& chunk : inner.chunks)
            QCOMPARE(chunk.load(), 25);
    }

    void statusIsThatOfTheLowestFailingChunk() {
        for (const int threads : {1, 2, 3, 4, 5}) {
            ThreadPool pool(threads, false, nullptr);
            for (int i = 0; i < 100; ++i)
                QCOMPARE(pool.run(&top_, failSome, nullptr, 16), 103);
            Counts counts(4);
            QCOMPARE(pool.run(&top_, count, &counts, 4), 0); // a failure does not stick
        }
    }

    void chunksKnowTheirThread() {
        int threads = 4;
        ThreadPool pool(threads, false, nullptr);
        QCOMPARE(pool.run(&top_, checkThread, &threads, 1000), 0);
    }

    void parkedWorkersWakeAgain() {
        ThreadPool pool(3, false, nullptr);
        for (int i = 0; i < 20; ++i) {
            Counts counts(8);
            pool.startRun();
            QCOMPARE(pool.run(&top_, count, &counts, 8), 0);
            pool.endRun();
            std::this_thread::sleep_for(std::chrono::milliseconds(i % 4)); // longer than workers spin after a run
            for (const auto& chunk : counts.chunks)
                QCOMPARE(chunk.load(), 1);
        }
    }

    void poolsEndAtAnyTime() {
        for (int i = 0; i < 50; ++i) {
            ThreadPool pool(4, false, nullptr);
            Counts counts(3);
            if (i % 2)
                QCOMPARE(pool.run(&top_, count, &counts, 3), 0);
            if (i % 5 == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    void emptyRegion() {
        ThreadPool pool(2, false, nullptr);
        Counts counts(2);
        pool.startRun();
        QBENCHMARK {
            pool.run(&top_, count, &counts, 2);
        }
        pool.endRun();
    }
};

Test test() {
    return {makes<TestThreadPool>};
}

} // namespace lathe::testing::test_thread_pool

#include "test_thread_pool.moc"
