// SPDX-License-Identifier: Apache-2.0
// The version is three numbers: scripts and cache keys rely on its form.
#include "base/version.h"
#include "support/program_of_tests.h"

#include <QRegularExpression>
#include <QTest>

namespace lathe::testing::test_version {

class TestVersion : public QObject {
    Q_OBJECT

private slots:
    void hasThreeNumbers() {
        const auto text = lathe::base::version();
        const QRegularExpression form(R"(^\d+\.\d+\.\d+$)");
        QVERIFY(form.match(QString::fromUtf8(text.data(), qsizetype(text.size()))).hasMatch());
    }
};

Test test() {
    return {makes<TestVersion>};
}

} // namespace lathe::testing::test_version

#include "test_version.moc"
