// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions: each chunk runs once, statuses do not depend on timing, nesting and parking work.
// Runs: sanitized threads
#include "runtime/thread_pool.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <atomic>
#include <chrono>
#include <thread>

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
        for (const int threads : {1, 2, 3, 8})
            QTest::addRow("%d threads", threads) << threads;
    }

    void eachChunkRunsOnce() {
        QFETCH(int, threads);
        ThreadPool pool(threads, nullptr);
        QCOMPARE(pool.threads(), threads);
        for (const size_t chunks : {0, 1, 2, 3, 17, 1000}) {
            Counts counts(chunks);
            constexpr int regions = 200;
            pool.startRun();
            for (int i = 0; i < regions; ++i)
                QCOMPARE(pool.run(&top_, count, &counts, static_cast<int64_t>(chunks)), 0);
            pool.endRun();
            for (const auto& chunk : counts.chunks)
                QCOMPARE(chunk.load(), regions);
        }
    }

    void regionsOfChangingSizesDoNotMix() {
        ThreadPool pool(4, nullptr);
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

    void nestedRegionsRunInline() {
        ThreadPool pool(3, nullptr);
        Counts inner(10);
        Nested nested{&pool, &inner};
        QCOMPARE(pool.run(&top_, nest, &nested, 25), 0);
        for (const auto& chunk : inner.chunks)
            QCOMPARE(chunk.load(), 25);
    }

    void statusIsThatOfTheLowestFailingChunk() {
        for (const int threads : {1, 2, 4}) {
            ThreadPool pool(threads, nullptr);
            for (int i = 0; i < 100; ++i)
                QCOMPARE(pool.run(&top_, failSome, nullptr, 16), 103);
            Counts counts(4);
            QCOMPARE(pool.run(&top_, count, &counts, 4), 0); // a failure does not stick
        }
    }

    void chunksKnowTheirThread() {
        int threads = 4;
        ThreadPool pool(threads, nullptr);
        QCOMPARE(pool.run(&top_, checkThread, &threads, 1000), 0);
    }

    void parkedWorkersWakeAgain() {
        ThreadPool pool(3, nullptr);
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
            ThreadPool pool(4, nullptr);
            Counts counts(3);
            if (i % 2)
                QCOMPARE(pool.run(&top_, count, &counts, 3), 0);
            if (i % 5 == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    void emptyRegion() {
        ThreadPool pool(2, nullptr);
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
