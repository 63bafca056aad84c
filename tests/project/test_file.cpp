// SPDX-License-Identifier: Apache-2.0
// Timeout: 600
//
// A project's file: what is written is read back, whoever is killed on the way leaves the project of before, and what is no
// project is refused, whatever it is.
#include "project/file.h"
#include "support/full_disk.h"
#include "support/program_of_tests.h"
#include "support/sql.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::testing::test_file {

using lathe::testing::executeSql;
using project::File;
using project::Project;

namespace {

/// One number in all of its facts: a project of two writes would show it.
Project numbered(int number) {
    Project project;
    project.model.path = "/models/resnet.onnx";
    project.model.bytes = number;
    project.model.hash = std::to_string(number);
    project.decisions.optionalLimit = number % 1000;
    for (int i = 0; i < 40; ++i)
        project.kept[fmt::format("fact {}", i)] = fmt::format("{} {}", number, std::string(500, 'x'));
    return project;
}

/// The child that is killed: writes as fast as it can, and says what is written.
int writeForEver(const QString& path) {
    auto file = File::open(path.toStdString());
    if (!file)
        return 1;
    const auto start = file->read();
    for (int number = start ? static_cast<int>(start->model.bytes) + 1 : 1;; ++number) {
        if (!file->write(numbered(number)))
            return 1;
        std::printf("%d\n", number);
        std::fflush(stdout);
    }
}

} // namespace

class TestFile : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }
    static QString said(const Diagnostic& problem) { return QString::fromStdString(toString(problem)); }

private slots:
    void whatIsWrittenIsReadBack() {
        Project project = numbered(7);
        project.decisions.apart.push_back({{"Conv_0", "conv", 0}, {"Relu_1", "relu", 0}});
        project.kept["hostile \"name\n"] = "'; DROP TABLE facts; -- \xf0\x9f\x98\x80";
        auto file = File::create(at("a.lathe"), project);
        QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
        QVERIFY(file->read() == project);
        project.model.bytes = 8;
        project.kept["hostile \"name\n"].clear();
        QVERIFY(file->write(project));
        QVERIFY(file->read() == project);
        {
            const File gone = std::move(*file);
        }
        auto again = File::open(at("a.lathe"));
        QVERIFY(again && !again->isReadOnly());
        QVERIFY(again->read() == project);
    }

    void aModelThatMovedWithItsProjectIsFound() {
        const std::filesystem::path first = at("first"), second = at("second");
        std::filesystem::create_directory(first);
        QFile model(QString::fromStdString((first / "m.onnx").string()));
        QVERIFY(model.open(QIODevice::WriteOnly) && model.write("abc") == 3);
        model.close();
        Project project;
        const auto reference = project::referenceTo(first / "m.onnx");
        QVERIFY(reference && reference->bytes == 3);
        QVERIFY(reference->hash.size() == 32);
        for (const auto& [contents, same] : {std::pair("abc", true), std::pair("abd", false)}) {
            QFile other(folder_.filePath("other.onnx"));
            QVERIFY(other.open(QIODevice::WriteOnly) && other.write(contents) == 3);
            other.close();
            QCOMPARE(project::referenceTo(at("other.onnx"))->hash == reference->hash, same);
        }
        project.model = *reference;
        QVERIFY(File::create(first / "p.lathe", project));
        std::filesystem::rename(first, second);
        auto moved = File::open(second / "p.lathe");
        QVERIFY(moved);
        QVERIFY(moved->read()->model.path == second / "m.onnx");
        QVERIFY(!project::referenceTo(first / "m.onnx"));
    }

    void oneHasItOpenAtATime() {
        const auto path = at("locked.lathe");
        auto file = File::create(path, numbered(1));
        QVERIFY(file);
        QVERIFY(File::isOpen(path));
        const auto second = File::open(path);
        QVERIFY(!second);
        QVERIFY2(said(second.error()).contains("open in another window"), qPrintable(said(second.error())));
        QVERIFY(File::peek(path) == numbered(1)); // for a copy
        QVERIFY(!File::create(path, numbered(2)));
        QVERIFY(file->read() == numbered(1));
        {
            const File gone = std::move(*file);
        }
        QVERIFY(!File::isOpen(path));
        QVERIFY(File::open(path));
        QVERIFY(!File::isOpen(at("no such.lathe")));
    }

    void whatIsNoProjectIsRefused_data() {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("words");
        QTest::newRow("text") << QByteArray("this is a text of some length, no database\n").repeated(40) << ""
                              << "no project";
        QTest::newRow("empty") << QByteArray() << "" << "no project";
        QTest::newRow("newer") << QByteArray("x") << "PRAGMA user_version = 99" << "format 99";
        QTest::newRow("another's") << QByteArray("x") << "PRAGMA application_id = 1" << "no project";
        QTest::newRow("a view that never ends")
            << QByteArray("x")
            << "DROP TABLE facts; CREATE VIEW facts AS WITH RECURSIVE n(name) AS (SELECT 'a' UNION ALL SELECT "
               "name FROM n) SELECT name, name AS value FROM n"
            << "view 'facts'";
        QTest::newRow("a trigger") << QByteArray("x")
                                   << "CREATE TRIGGER t AFTER UPDATE ON facts BEGIN DELETE FROM facts; END"
                                   << "trigger 't'";
        QTest::newRow("a column that is computed")
            << QByteArray("x")
            << "DROP TABLE facts; CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT AS (hex(zeroblob(499999999)))); "
               "INSERT INTO facts(name) VALUES ('decisions')"
            << "table 'facts'";
        QTest::newRow("no facts") << QByteArray("x") << "DROP TABLE facts" << "damaged";
    }
    void whatIsNoProjectIsRefused() {
        QFETCH(QByteArray, contents);
        QFETCH(QString, sql);
        QFETCH(QString, words);
        const auto path = at("bad.lathe");
        std::filesystem::remove(path);
        if (sql.isEmpty()) {
            QFile file(QString::fromStdString(path.string()));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(contents) == contents.size());
        } else {
            QVERIFY(File::create(path, numbered(1)));
            executeSql(path, qPrintable(sql));
        }
        const auto project = [&]() -> Result<Project> {
            LATHE_TRY(const File file, File::open(path));
            return file.read();
        }();
        QVERIFY(!project);
        QVERIFY2(said(project.error()).contains(words), qPrintable(said(project.error())));
        QVERIFY(said(project.error()).contains("bad.lathe"));
    }

    void decisionsThatAreNoneTakeNothingElseAlong() {
        const auto path = at("odd decisions.lathe");
        const std::string text = "{\"skip\": 3}";
        for (const std::string& bad : {text, std::string(), std::string(100'000, '[')}) {
            std::filesystem::remove(path);
            QVERIFY(File::create(path, numbered(1)));
            executeSql(path, ("UPDATE facts SET value = '" + bad + "' WHERE name = 'decisions'").c_str());
            const auto file = File::open(path);
            QVERIFY(file);
            auto project = file->read();
            QVERIFY2(project, project ? "" : toString(project.error()).c_str());
            QCOMPARE(project->warnings.size(), size_t(1));
            QVERIFY(said(project->warnings[0]).contains("decisions"));
            QVERIFY(said(project->warnings[0]).contains("odd decisions.lathe"));
            QCOMPARE(project->kept[lathe::project::unreadDecisions], bad);
            Project expected = numbered(1);
            expected.decisions = {};
            project->warnings.clear();
            project->kept.erase(lathe::project::unreadDecisions);
            QVERIFY(*project == expected);
        }
    }

    void damagedAtAnyPlace() {
        const auto path = at("damaged.lathe");
        QVERIFY(File::create(path, numbered(1)));
        QFile whole(QString::fromStdString(path.string()));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray good = whole.readAll();
        std::mt19937 random(3);
        for (int i = 0; i < 300; ++i) {
            QByteArray bad = good;
            const int count = 1 + int(random() % 40);
            for (int j = 0; j < count; ++j)
                bad[qsizetype(random() % unsigned(bad.size()))] = char(random());
            if (i % 5 == 0)
                bad.truncate(qsizetype(random() % unsigned(bad.size())));
            QFile file(QString::fromStdString(path.string()));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bad) == bad.size());
            file.close();
            auto opened = File::open(path); // whatever it says, it says it
            if (opened && opened->read())
                (void)opened->write(numbered(2));
        }
    }

    void whatMayNotBeWrittenIsReadOnly() {
        const auto path = at("readonly.lathe");
        QVERIFY(File::create(path, numbered(1)));
        ::chmod(path.c_str(), 0444);
        ::chmod(folder_.path().toLocal8Bit(), 0755);
        const bool superuser = geteuid() == 0; // may write everything
        QVERIFY(!superuser || seteuid(65534) == 0);
        auto file = File::open(path);
        const bool good = file && file->isReadOnly() && file->read() == numbered(1) && !file->write(numbered(2));
        QVERIFY(!superuser || seteuid(0) == 0);
        QVERIFY(good);
    }

    void aFullDiskLeavesWhatWasThere() {
        const auto path = at("full.lathe");
        auto file = File::create(path, numbered(1));
        QVERIFY(file);
        const auto [written, made] = [&] {
            const testing::FullDisk full(8192);
            return std::pair(file->write(numbered(2)), File::create(at("made.lathe"), numbered(3)));
        }();
        QVERIFY(!written && !made);
        QVERIFY2(said(written.error()).contains("room"), qPrintable(said(written.error())));
        QCOMPARE(QDir(folder_.path()).entryList({"made*", "*.new*"}, QDir::Files | QDir::Hidden), QStringList());
        QVERIFY(file->read() == numbered(1));
        QVERIFY(file->write(numbered(2))); // there is room again
        QVERIFY(file->read() == numbered(2));
    }

    /// Not "read-only": whoever reads that looks for rights.
    void aFileThatIsGoneIsSaidToBe() {
        const auto path = at("gone.lathe");
        for (const bool replaced : {false, true}) {
            auto file = File::create(path, numbered(1));
            QVERIFY(file);
            std::filesystem::remove(path);
            if (replaced)
                QVERIFY(QFile(QString::fromStdString(path.string())).open(QIODevice::WriteOnly));
            const auto written = file->write(numbered(2));
            QVERIFY(!written);
            QVERIFY2(said(written.error()).contains("removed"), qPrintable(said(written.error())));
            std::filesystem::remove(path);
        }
    }

    void namesUpToTheLongest() {
        const std::string longest(255 - 8, 'n'); // SQLite's journal has eight bytes more
        auto file = File::create(at(longest.c_str()), numbered(1));
        QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
        QVERIFY(file->write(numbered(2)));
        const auto longer = File::create(at((longest + 'n').c_str()), numbered(1));
        QVERIFY(!longer);
        QVERIFY2(said(longer.error()).contains("too long"), qPrintable(said(longer.error())));
    }

    /// The journal of a writer that was killed is not that of the file that takes its place.
    void anOldJournalIsNotOfTheNewFile() {
        const auto path = at("replaced.lathe");
        QVERIFY(File::create(path, numbered(1)));
        QVERIFY(QFile::copy(QString::fromStdString(path.string()), QString::fromStdString(path.string() + "-journal")));
        QVERIFY(File::create(path, numbered(2)));
        QVERIFY(!std::filesystem::exists(path.string() + "-journal"));
        QVERIFY(File::open(path)->read() == numbered(2));
    }

    void whatIsNoFileIsNotWaitedFor() {
        const auto path = at("pipe.lathe");
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        QVERIFY(!File::isOpen(path));
        QVERIFY(!File::open(path));
        QVERIFY(!File::create(path, numbered(1)));
        QVERIFY(!project::referenceTo(path));
        QVERIFY(!project::referenceTo("/dev/zero"));
    }

    void whereNoFileCanBe() {
        QVERIFY(!File::create(at("no/such/folder.lathe"), numbered(1)));
        QVERIFY(!std::filesystem::exists(at("no")));
        QVERIFY(!File::create(folder_.path().toStdString(), numbered(1)));
        QVERIFY(!File::open(at("no such.lathe")));
        QVERIFY(!File::open(folder_.path().toStdString()));
    }

    /// The writer is killed at random moments: the project opens, is of one write, and of the last that was told of or later.
    void killedAtAnyMoment() {
        const auto path = at("killed.lathe");
        QVERIFY(File::create(path, numbered(0)));
        std::mt19937 random(5);
        int last = 0;
        for (int i = 0; i < 200; ++i) {
            QProcess writer;
            writer.start(QCoreApplication::applicationFilePath(), childOfTest(QString::fromStdString(path.string())));
            QVERIFY(writer.waitForStarted());
            QVERIFY(writer.waitForReadyRead(30'000));
            QTest::qSleep(int(random() % 15));
            writer.kill();
            QVERIFY(writer.waitForFinished());
            const QList<QByteArray> told = writer.readAllStandardOutput().split('\n');
            int acknowledged = last;
            for (const QByteArray& line : told.mid(0, told.size() - 1)) // a line without its end was cut
                acknowledged = std::max(acknowledged, line.toInt());
            if (i % 2) { // whoever looks at it first finds it as it was
                const auto seen = File::peek(path);
                QVERIFY2(seen, seen ? "" : qPrintable(said(seen.error())));
            }
            auto file = File::open(path);
            QVERIFY2(file, file ? "" : qPrintable(said(file.error())));
            const auto project = file->read();
            QVERIFY(project);
            last = static_cast<int>(project->model.bytes);
            QVERIFY(*project == numbered(last));
            QVERIFY2(last >= acknowledged, qPrintable(QString("%1 of %2").arg(last).arg(acknowledged)));
        }
        QVERIFY(last > 200);
    }
};

Test test() {
    return {makes<TestFile>, Application::Core, writeForEver};
}

} // namespace lathe::testing::test_file

#include "test_file.moc"
