// SPDX-License-Identifier: Apache-2.0
//
// Files that are there whole or not at all, and the hash of a file.
#include "base/new_file.h"

#include "base/file_hash.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_new_file {

namespace {

std::span<const std::byte> bytes(const QByteArray& text) {
    return std::as_bytes(std::span(text.constData(), size_t(text.size())));
}

} // namespace

class TestNewFile : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QStringList left() const { return QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden); }

private slots:
    /// A folder is what its files are called and hold, whoever looks; a link that leads away is none of them.
    void contentOfFolders() {
        const QTemporaryDir folder;
        const auto write = [&](const QString& name, const QByteArray& text) {
            const QString path = folder.filePath(name);
            QDir().mkpath(QFileInfo(path).path());
            QFile file(path);
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
        };
        const auto content = [&](const char* name) { return contentOf(folder.filePath(name).toStdString()); };
        for (const char* model : {"a", "b"})
            QVERIFY(write(QString(model) + "/graph.pb", "graph") && write(QString(model) + "/variables/data", "12345"));
        const auto first = content("a");
        QVERIFY(first);
        QCOMPARE(first->bytes, int64_t{10});
        QVERIFY(content("a/")->hash == first->hash && content("b")->hash == first->hash);
        std::filesystem::create_directory_symlink(folder.filePath("a").toStdString(),
                                                  folder.filePath("b/more").toStdString());
        QVERIFY(content("b")->hash == first->hash);
        QVERIFY(write("b/variables/data", "12346"));
        QVERIFY(content("b")->hash != first->hash);
        QVERIFY(QFile::rename(folder.filePath("a/variables/data"), folder.filePath("a/variables/date")));
        QVERIFY(content("a")->hash != first->hash && content("a")->bytes == 10);
        QVERIFY(content("a/graph.pb")->hash == hashBytes(bytes("graph")));
        QVERIFY(!content("none") && !contentOf("/dev/zero"));
    }

    void aNameWhenItIsWhole() {
        const QString path = folder_.filePath("page");
        for (const QByteArray text : {"first", "second"}) {
            NewFile file(path.toStdString(), NewFile::Kind::Text);
            QVERIFY(file.write(bytes(text)));
            QFile before(path);
            QVERIFY(!before.open(QIODevice::ReadOnly) || before.readAll() != text);
            QVERIFY(file.keep());
            QFile after(path);
            QVERIFY(after.open(QIODevice::ReadOnly));
            QCOMPARE(after.readAll(), text);
            QVERIFY(!after.permissions().testFlag(QFile::ExeOwner));
        }
        QCOMPARE(left(), QStringList{"page"});
    }

    /// Of what is not kept nothing is lost, whatever way leads to it; what is open is written to as it is.
    void links() {
        const QTemporaryDir folder;
        const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
        const auto text = [&](const char* name) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("not there");
        };
        QFile real(folder.filePath("real"));
        QVERIFY(real.open(QIODevice::WriteOnly) && real.write("old") == 3);
        real.close();
        for (const auto& [to, link] : {std::pair{"real", "link"}, {"link", "far"}, {"nothing yet", "open end"}})
            std::filesystem::create_symlink(to, path(link));
        {
            NewFile file(path("far"), NewFile::Kind::Text);
            QVERIFY(file.write(bytes("new")));
        }
        QCOMPARE(text("real"), "old");
        for (const char* name : {"far", "open end"}) {
            NewFile file(path(name), NewFile::Kind::Text);
            QVERIFY2(file.write(bytes("new")) && file.keep(), file.problem().what.c_str());
            QVERIFY(std::filesystem::is_symlink(path(name)));
        }
        QCOMPARE(text("real"), "new");
        QCOMPARE(text("nothing yet"), "new");
        QFile opened(folder.filePath("opened"));
        QVERIFY(opened.open(QIODevice::ReadWrite));
        NewFile file("/proc/self/fd/" + std::to_string(opened.handle()), NewFile::Kind::Text);
        QVERIFY(file.write(bytes("new")) && file.keep());
        QCOMPARE(opened.readAll(), QByteArray("new"));
    }

    /// Who may read a file stays the same when it is replaced.
    void modeStays() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("x").toStdString();
        const auto mode = [&] { return static_cast<unsigned>(std::filesystem::status(path).permissions()); };
        const auto replace = [&](NewFile::Kind kind) {
            NewFile file(path, kind);
            return file.write(bytes("new")) && file.keep();
        };
        QVERIFY(replace(NewFile::Kind::Text));
        std::filesystem::permissions(path, std::filesystem::perms(0600));
        QVERIFY(replace(NewFile::Kind::Text));
        QCOMPARE(mode(), 0600u);
        QVERIFY(replace(NewFile::Kind::Program));
        QCOMPARE(mode(), 0700u);
        QVERIFY(replace(NewFile::Kind::Text));
        QCOMPARE(mode(), 0700u);
    }

    void whatIsNotKeptIsGone() {
        {
            NewFile file(folder_.filePath("dropped").toStdString(), NewFile::Kind::Text);
            QVERIFY(file.write(bytes("half")));
        }
        QVERIFY(!left().contains("dropped"));
    }

    void aFolderThatIsNotThere() {
        NewFile file(folder_.filePath("no/such/page").toStdString(), NewFile::Kind::Text);
        QVERIFY(!file.write(bytes("text")));
        QVERIFY(!file.keep());
        QVERIFY(file.problem().what.find("No such file") != std::string::npos);
    }

    void aFullDisk() {
        NewFile file("/dev/full", NewFile::Kind::Text);
        QVERIFY(!file.write(bytes("text")));
        QVERIFY(file.problem().what.find("No space left") != std::string::npos);
    }

    void hashes() {
        QByteArray content(3 << 20, 'x');
        content[12345] = 'y';
        QFile file(folder_.filePath("content"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QVERIFY(hashFile(file.fileName().toStdString()) == hashBytes(bytes(content)));
        QVERIFY(!hashFile(folder_.path().toStdString()));
        QVERIFY(!hashFile("/no/such/file"));
        QVERIFY(!hashFile("/dev/zero"));
    }
};

Test test() {
    return {makes<TestNewFile>};
}

} // namespace lathe::testing::test_new_file

#include "test_new_file.moc"
