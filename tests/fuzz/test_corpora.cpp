// SPDX-License-Identifier: Apache-2.0
// Links: onnx
// Timeout: 600
//
// What libFuzzer has found worth keeping, run again: each file of corpora/TARGET by its target. Some of them are taken, so that
// what stands behind the first refusal is run too.
#include "fuzz/targets.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <filesystem>
#include <fstream>

namespace lathe::testing::test_corpora {

namespace fs = std::filesystem;

class TestCorpora : public QObject {
    Q_OBJECT

private slots:
    void replay_data() {
        QTest::addColumn<const fuzz::Target*>("target");
        for (const fuzz::Target& target : fuzz::targets())
            QTest::newRow(std::string(target.name).c_str()) << &target;
    }
    void replay() {
        QFETCH(const fuzz::Target*, target);
        size_t taken = 0;
        for (const auto& entry :
             fs::directory_iterator(fs::path(LATHE_SOURCE_DIR "/tests/fuzz/corpora") / target->name)) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string bytes(std::istreambuf_iterator<char>(file), {});
            try {
                taken += target->run(bytes);
            } catch (const std::exception& fault) {
                QTest::qFail((entry.path().string() + ": " + fault.what()).c_str(), __FILE__, __LINE__);
            }
        }
        QVERIFY(taken > 0);
    }
};

Test test() {
    return {makes<TestCorpora>};
}

} // namespace lathe::testing::test_corpora

#include "test_corpora.moc"
