// SPDX-License-Identifier: Apache-2.0
//
// Interned strings: equal ones have one handle, in a table and in the one that is asked before it, until they are forgotten.
// Runs: sanitized
#include "runtime/string_table.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <set>
#include <string>

namespace lathe::testing::test_string_table {

using namespace std::string_literals;
using runtime::Memory, runtime::StringTable;

class TestStringTable : public QObject {
    Q_OBJECT

private slots:
    void equalStringsHaveOneHandle() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        StringTable constants(memory, nullptr), run(memory, &constants);
        const uint64_t known = constants.intern("a\0b"s);
        QCOMPARE(run.intern("a\0b"s), known);
        QVERIFY(run.intern("a") != known && run.intern("a\0c"s) != known);
        QCOMPARE(run.intern(""), uint64_t{0});
        QCOMPARE(StringTable::textOf(0), std::string_view());
        std::set<uint64_t> handles;
        for (int round = 0; round < 2; ++round)
            for (int i = 0; i < 20'000; ++i) {
                const std::string text = std::to_string(i) + std::string(static_cast<size_t>(i % 97), 'x');
                const uint64_t handle = run.intern(text);
                QCOMPARE(StringTable::textOf(handle), std::string_view(text));
                QCOMPARE(reinterpret_cast<const char*>(handle)[text.size()], '\0');
                QCOMPARE(handles.insert(handle).second, round == 0);
            }
        run.clear();
        QCOMPARE(run.intern("a\0b"s), known); // of the other table
    }

    /// A run of many strings does not make all later ones clear as many slots.
    void slotsOfOneLargeRunGo() {
        Memory memory(nullptr, nullptr, nullptr, 0);
        {
            StringTable table(memory, nullptr);
            for (int i = 0; i < 100'000; ++i)
                table.intern(std::to_string(i));
            const int64_t many = table.memory();
            table.clear();
            QVERIFY(table.memory() > many / 2); // such a run may come again
            QVERIFY(table.intern("one") != 0);
            table.clear();
            const int64_t half = 200'000 * int64_t{sizeof(uint64_t)}; // a table is full by half at most
            QVERIFY2(table.memory() <= many - half, std::to_string(table.memory()).c_str());
            for (int i = 0; i < 1000; ++i)
                QCOMPARE(StringTable::textOf(table.intern(std::to_string(i))), std::string_view(std::to_string(i)));
        }
        QCOMPARE(memory.used(), int64_t{0});
    }

    void memoryThatLacksIsSaid() {
        Memory memory(nullptr, nullptr, nullptr, 1 << 16);
        StringTable table(memory, nullptr);
        QCOMPARE(table.intern(std::string(1 << 17, 'x')), uint64_t{0});
        QVERIFY(table.lacked());
        table.clear();
        QVERIFY(!table.lacked());
        QVERIFY(table.intern("x") != 0);
    }
};

Test test() {
    return {makes<TestStringTable>};
}

} // namespace lathe::testing::test_string_table

#include "test_string_table.moc"
