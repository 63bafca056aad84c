// SPDX-License-Identifier: Apache-2.0
//
// The arena and its memory: alignment, marks, the limit, and that a second run of the same sizes allocates nothing.
#include "runtime/memory.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cstdlib>
#include <cstring>

namespace lathe::testing::test_memory {

using namespace lathe::runtime;

namespace {

struct Counter {
    int allocations = 0;
    int live = 0;
    static void* allocate(void* user, size_t bytes, size_t alignment) {
        auto* counter = static_cast<Counter*>(user);
        ++counter->allocations;
        ++counter->live;
        return std::aligned_alloc(alignment, bytes);
    }
    static void release(void* user, void* memory, size_t) {
        --static_cast<Counter*>(user)->live;
        std::free(memory);
    }
};

constexpr int64_t sizes[] = {1, 100, 64, 5000, 0, 300'000, 17};

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private slots:
    void piecesAreAlignedAndDoNotOverlap() {
        Counter counter;
        {
            Memory memory(Counter::allocate, Counter::release, &counter, 0);
            Arena arena(memory);
            arena.startRun();
            std::vector<std::pair<char*, int64_t>> pieces;
            for (const int64_t size : sizes) {
                auto* piece = static_cast<char*>(arena.push(size));
                QVERIFY(piece);
                QCOMPARE(reinterpret_cast<uintptr_t>(piece) % 64, uintptr_t{0});
                std::memset(piece, static_cast<int>(pieces.size() + 1), static_cast<size_t>(size));
                pieces.emplace_back(piece, size);
            }
            for (size_t i = 0; i < pieces.size(); ++i)
                for (int64_t byte = 0; byte < pieces[i].second; ++byte)
                    QCOMPARE(pieces[i].first[byte], static_cast<char>(i + 1));
        }
        QCOMPARE(counter.live, 0);
    }

    void secondRunAllocatesNothing() {
        Counter counter;
        Memory memory(Counter::allocate, Counter::release, &counter, 0);
        Arena arena(memory);
        const auto run = [&] {
            arena.startRun();
            for (const int64_t size : sizes)
                QVERIFY(arena.push(size));
            arena.endRun();
        };
        run();
        QVERIFY(counter.allocations > 1);
        QCOMPARE(counter.live, 1); // one chunk holds it all now
        const int before = counter.allocations;
        run();
        run();
        QCOMPARE(counter.allocations, before);
        QCOMPARE(arena.peak(), int64_t{64 + 128 + 64 + 5056 + 64 + 300'032 + 64});
    }

    void releaseGivesBackAcrossChunks() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        Arena arena(memory);
        arena.startRun();
        void* first = arena.push(1000);
        const int64_t mark = arena.mark();
        QCOMPARE(mark, int64_t{1024});
        void* second = arena.push(100'000);
        QVERIFY(arena.push(1'000'000));
        arena.release(mark);
        QCOMPARE(arena.mark(), mark);
        QCOMPARE(arena.push(90'000), second); // the chunk is still there
        arena.release(0);
        QCOMPARE(arena.push(1000), first);
        arena.release(int64_t{1} << 50); // no such mark
        QCOMPARE(arena.mark(), int64_t{1024});
    }

    void limitHolds() {
        Memory memory(nullptr, nullptr, nullptr, 10'000);
        Arena arena(memory);
        arena.startRun();
        QVERIFY(arena.push(6000));
        QVERIFY(!arena.push(6000));
        QCOMPARE(memory.refused(), int64_t{6016}); // rounded up to 64
        QVERIFY(arena.push(3000));
        QVERIFY(!arena.push(-1));
        QVERIFY(!arena.push(INT64_MAX));
        QVERIFY(memory.used() <= 10'000);
    }

    void buffersGrowAndStay() {
        Counter counter;
        {
            Memory memory(Counter::allocate, Counter::release, &counter, 0);
            GrowingBuffer buffer(memory);
            void* first = buffer.reserve(1000);
            QCOMPARE(buffer.reserve(10), first);
            QVERIFY(buffer.reserve(2000));
            QVERIFY(buffer.reserve(0));
            QCOMPARE(counter.allocations, 2);
            QVERIFY(!buffer.reserve(-5));
        }
        QCOMPARE(counter.live, 0);
    }
};

Test test() {
    return {makes<TestMemory>};
}

} // namespace lathe::testing::test_memory

#include "test_memory.moc"
