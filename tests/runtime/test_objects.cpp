// SPDX-License-Identifier: Apache-2.0
//
// Counted objects: a list that nobody else sees is changed in place, one that somebody sees stays as it was, and what has no
// reference any more is gone, however deep it is nested.
#include "runtime/objects.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

namespace lathe::testing::test_objects {

using namespace lathe::runtime;

namespace {

Object* numberIn(ObjectHeap& heap, int64_t value) {
    Object* tensor = heap.tensor(sizeof value, 1);
    tensor->dims()[0] = 1;
    std::memcpy(tensor->data, &value, sizeof value);
    return tensor;
}

std::vector<int64_t> numbersOf(const Object& list) {
    std::vector<int64_t> numbers(static_cast<size_t>(list.count));
    for (size_t i = 0; i < numbers.size(); ++i)
        std::memcpy(&numbers[i], list.at(static_cast<int64_t>(i))->data, sizeof numbers[i]);
    return numbers;
}

Object* rowsOf(ObjectHeap& heap, const std::vector<std::vector<float>>& rows) {
    Object* list = heap.list(0);
    for (const std::vector<float>& row : rows) {
        Object* tensor = heap.tensor(static_cast<int64_t>(row.size() * sizeof(float)), 2);
        tensor->dims()[0] = 2;
        tensor->dims()[1] = static_cast<int64_t>(row.size()) / 2;
        std::memcpy(tensor->data, row.data(), row.size() * sizeof(float));
        list = heap.insert(list, list->count, tensor);
    }
    return list;
}

} // namespace

class TestObjects : public QObject {
    Q_OBJECT

private slots:
    void elementsStandWhereTheyWerePut() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        {
            ObjectHeap heap(memory, true);
            std::mt19937 random(3);
            std::deque<int64_t> expected;
            Object* list = heap.list(0);
            for (int64_t step = 0; step < 5000; ++step) {
                const auto count = static_cast<int64_t>(expected.size());
                if (count > 0 && random() % 3 == 0) {
                    const auto place = static_cast<int64_t>(random() % static_cast<uint64_t>(count));
                    list = heap.erase(list, place);
                    expected.erase(expected.begin() + place);
                } else {
                    const auto place = static_cast<int64_t>(random() % static_cast<uint64_t>(count + 1));
                    list = heap.insert(list, place, numberIn(heap, step));
                    expected.insert(expected.begin() + place, step);
                }
            }
            QVERIFY(numbersOf(*list) == std::vector<int64_t>(expected.begin(), expected.end()));
            heap.release(list);
            QCOMPARE(heap.used(), int64_t{0});
        }
        QCOMPARE(memory.used(), int64_t{0});
    }

    void whatOthersSeeIsNotChanged() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        ObjectHeap heap(memory, true);
        Object* list = heap.insert(heap.list(0), 0, numberIn(heap, 1));
        QCOMPARE(heap.insert(list, 1, numberIn(heap, 2)), list); // nobody else has it
        ObjectHeap::retain(list);
        Object* longer = heap.insert(list, 0, numberIn(heap, 0));
        QVERIFY(longer != list);
        QVERIFY(numbersOf(*list) == (std::vector<int64_t>{1, 2}));
        QVERIFY(numbersOf(*longer) == (std::vector<int64_t>{0, 1, 2}));
        Object* shorter = heap.erase(longer, 2);
        QVERIFY(numbersOf(*shorter) == (std::vector<int64_t>{0, 1}));
        heap.release(list);
        QVERIFY(numbersOf(*shorter) == (std::vector<int64_t>{0, 1})); // shares an element with it
        heap.release(shorter);
        QCOMPARE(heap.used(), int64_t{0});
    }

    void aQueueHoldsNoMoreThanIsInIt() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        ObjectHeap heap(memory, true);
        heap.startPeak();
        Object* list = heap.list(0);
        for (int64_t step = 0; step < 100'000; ++step) {
            list = heap.insert(list, list->count, numberIn(heap, step));
            if (list->count > 4)
                list = heap.erase(list, 0);
        }
        QVERIFY(numbersOf(*list) == (std::vector<int64_t>{99'996, 99'997, 99'998, 99'999}));
        QVERIFY2(heap.peak() < 4096, std::to_string(heap.peak()).c_str());
    }

    void deepValuesGoWithoutRecursion() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        ObjectHeap heap(memory, true);
        Object* value = heap.list(0);
        for (int depth = 0; depth < 1'000'000; ++depth)
            value = heap.insert(heap.list(1), 0, value);
        heap.release(value);
        QCOMPARE(heap.used(), int64_t{0});
    }

    void memoryThatRunsOutLeavesNothing() {
        Memory memory(nullptr, nullptr, nullptr, 4096);
        {
            ObjectHeap heap(memory, true);
            Object* list = heap.list(0);
            while (Object* element = list ? heap.tensor(8, 0) : nullptr)
                list = heap.insert(list, list->count, element);
            if (list)
                heap.release(list);
            QCOMPARE(heap.used(), int64_t{0});
        }
        QCOMPARE(memory.used(), int64_t{0});
    }

    void tensorsAreJoinedAlongAnyAxis() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        ObjectHeap heap(memory, true);
        const Object* ragged = rowsOf(heap, {{1, 2}, {3, 4, 5, 6}});
        QCOMPARE(extentAlong(*ragged, 1, LATHE_EXTENT_SUM), int64_t{3});
        QCOMPARE(extentAlong(*ragged, 0, LATHE_EXTENT_SUM), int64_t{-1});
        QCOMPARE(extentAlong(*ragged, 0, LATHE_EXTENT_COUNT), int64_t{-1});
        QCOMPARE(extentAlong(*ragged, 1, LATHE_EXTENT_FIRST), int64_t{1});
        std::vector<float> joined(6);
        joinAlong(*ragged, 1, false, sizeof(float), reinterpret_cast<char*>(joined.data()));
        QVERIFY(joined == (std::vector<float>{1, 3, 4, 2, 5, 6}));
        const Object* equal = rowsOf(heap, {{1, 2, 3, 4}, {5, 6, 7, 8}});
        QCOMPARE(extentAlong(*equal, 0, LATHE_EXTENT_COUNT), int64_t{2});
        std::vector<float> stacked(8);
        joinAlong(*equal, 1, true, sizeof(float), reinterpret_cast<char*>(stacked.data()));
        QVERIFY(stacked == (std::vector<float>{1, 2, 5, 6, 3, 4, 7, 8}));
        joinAlong(*equal, 2, true, sizeof(float), reinterpret_cast<char*>(stacked.data()));
        QVERIFY(stacked == (std::vector<float>{1, 5, 2, 6, 3, 7, 4, 8}));
        QCOMPARE(extentAlong(*heap.list(0), 0, LATHE_EXTENT_FIRST), int64_t{0});
    }
};

Test test() {
    return {makes<TestObjects>};
}

} // namespace lathe::testing::test_objects

#include "test_objects.moc"
