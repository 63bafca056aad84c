// SPDX-License-Identifier: Apache-2.0
// The version is three numbers: scripts and cache keys rely on its form.
#include "base/version.h"

#include <QRegularExpression>
#include <QTest>

class TestVersion : public QObject {
    Q_OBJECT

private slots:
    void hasThreeNumbers() {
        const auto text = lathe::base::version();
        const QRegularExpression form(R"(^\d+\.\d+\.\d+$)");
        QVERIFY(form.match(QString::fromUtf8(text.data(), qsizetype(text.size()))).hasMatch());
    }
};

QTEST_MAIN(TestVersion)
#include "test_version.moc"
