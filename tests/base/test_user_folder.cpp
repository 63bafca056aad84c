// SPDX-License-Identifier: Apache-2.0
//
// Where a user's files lie, by the XDG Base Directory Specification: "If an implementation encounters a relative path in any of
// these variables it should consider the path invalid and ignore it."
#include "base/user_folder.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_user_folder {

class TestUserFolder : public QObject {
    Q_OBJECT

private slots:
    void asTheSpecificationHasIt() {
        const std::tuple<UserFolder, const char*, const char*> rows[] = {
            {UserFolder::Cache, "XDG_CACHE_HOME", "/home/me/.cache/lathe"},
            {UserFolder::Config, "XDG_CONFIG_HOME", "/home/me/.config/lathe"},
            {UserFolder::Data, "XDG_DATA_HOME", "/home/me/.local/share/lathe"}};
        for (const auto& [kind, variable, inHome] : rows) {
            const QByteArray before = qgetenv(variable), home = qgetenv("HOME");
            qputenv("HOME", "/home/me");
            qputenv(variable, "/elsewhere");
            QCOMPARE(userFolder(kind), std::filesystem::path("/elsewhere/lathe"));
            for (const char* ignored : {"relative", "./relative", ""}) {
                qputenv(variable, ignored);
                QCOMPARE(userFolder(kind), std::filesystem::path(inHome));
            }
            qunsetenv("HOME");
            QCOMPARE(userFolder(kind), std::filesystem::path());
            qputenv("HOME", home);
            qputenv(variable, before);
        }
    }
};

Test test() {
    return {makes<TestUserFolder>};
}

} // namespace lathe::testing::test_user_folder

#include "test_user_folder.moc"
