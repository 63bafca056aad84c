// SPDX-License-Identifier: Apache-2.0
//
// Models of several files: the same names and contents from a folder and from an archive of it, nothing from outside, no more
// than there is; and what is said of those that no frontend knows.
// Links: onnx
#include "base/limits.h"
#include "frontend/common/members.h"
#include "frontend/frontend.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/zip_file.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_members {

namespace fs = std::filesystem;
using frontend::Members;
using Names = std::vector<std::string>;

namespace {

const ZipFiles files = {{"model.pb", "graph"}, {"variables/a", ""}, {"variables/b.data", std::string(5000, 'x')}};

std::string textOf(const model::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size()};
}

model::Bytes owned(std::string bytes) {
    const auto owner = std::make_shared<const std::string>(std::move(bytes));
    return {owner, std::as_bytes(std::span(*owner))};
}

std::string hintOf(const fs::path& path) {
    const frontend::Imported imported = frontend::importFile(path, nullptr);
    return imported.diagnostics.size() == 1 ? imported.diagnostics[0].hint : std::string("no reason");
}

} // namespace

class TestMembers : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    fs::path written(const std::string& folder, const ZipFiles& contents) {
        const fs::path made = fs::path(temporary_.path().toStdString()) / folder;
        fs::create_directories(made);
        for (const auto& [name, content] : contents) {
            fs::create_directories((made / name).parent_path());
            writeFile(made / name, content);
        }
        return made;
    }

private slots:
    void folderAndArchiveAreTheSame() {
        const auto folder = frontend::membersOfFolder(written("same", files));
        const auto archive = frontend::membersIn(owned(zipOf(files)));
        QVERIFY(archive);
        for (const Members* members : {folder.get(), archive.get()}) {
            const auto names = members->names();
            QVERIFY(names);
            QCOMPARE(*names, (Names{"model.pb", "variables/a", "variables/b.data"}));
            for (const auto& [name, content] : files) {
                const auto read = members->read(name);
                QVERIFY(read);
                QCOMPARE(textOf(*read), content);
            }
            for (const char* name : {"", ".", "variables", "model", "nothing", "/etc/passwd", "../same/model.pb"})
                QVERIFY2(!members->read(name), name);
        }
        QVERIFY(!frontend::membersIn(owned("PK")));
    }

    /// Backwards, and one twice: what was read before does not matter.
    void archivesAreReadInAnyOrder() {
        const auto archive = frontend::membersIn(owned(zipOf(files)));
        for (const size_t i : {2U, 1U, 1U, 0U, 2U}) {
            const auto read = archive->read(files[i].first);
            QVERIFY(read);
            QCOMPARE(textOf(*read), files[i].second);
        }
        QVERIFY(archive->files().empty());
    }

    /// Who keeps what came of a folder sees by its files that one was replaced.
    void foldersKnowWhatWasRead() {
        const fs::path folder = written("watched", files);
        const auto members = frontend::membersOfFolder(folder);
        QVERIFY(members->read("variables/b.data") && members->read("variables/b.data"));
        const FileIdentities read = members->files();
        QCOMPARE(read.size(), 1U);
        QCOMPARE(read[0].first, folder / "variables/b.data");
        QVERIFY(identityOf(read[0].first) == read[0].second);
        writeFile(folder / "variables/b.data", "other");
        QVERIFY(identityOf(read[0].first) != read[0].second);
    }

    void linksLeadNowhereElse() {
        const fs::path outside = written("outside", {{"secret", "s"}});
        const fs::path folder = written("links", {{"a", "1"}});
        fs::create_symlink(outside / "secret", folder / "file");
        fs::create_directory_symlink(outside, folder / "folder");
        fs::create_symlink("a", folder / "b");
        const auto members = frontend::membersOfFolder(folder);
        QCOMPARE(*members->names(), (Names{"a", "b"}));
        QVERIFY(members->read("b"));
        QVERIFY(!members->read("file"));
        QVERIFY(!members->read("folder/secret"));
    }

    void whatIsTwiceOrCutOffIsRefused() {
        const auto twice = frontend::membersIn(owned(zipOf({{"x", "1"}, {"x", "2"}})))->names();
        QVERIFY(!twice && twice.error().what.find("'x' twice") != std::string::npos);
        const std::string whole = zipOf(files);
        const auto cut = frontend::membersIn(owned(whole.substr(0, whole.size() / 2)))->names();
        QVERIFY(!cut && cut.error().what.find("damaged") != std::string::npos);
    }

    /// An archive of 4 KiB with a file of 4 MB.
    void aSmallArchiveDoesNotFillTheMemory() {
        const std::string zip = zipOf({{"zeros", std::string(4'000'000, '\0')}});
        QVERIFY(zip.size() * limits::zipExpansion < 4'000'000);
        const auto read = frontend::membersIn(owned(zip))->read("zeros");
        QVERIFY(!read);
        QVERIFY(read.error().kind == ErrorKind::Unsupported);
    }

    void filesLieWhereTheDirectorySays() {
        std::string zip = zipOf({{"a", "1"}, {"b", "22"}});
        QVERIFY(frontend::membersIn(owned(zip))->names());
        constexpr size_t placeOfFile = 42;
        zip[zip.rfind("PK\x01\x02") + placeOfFile] = 0; // b is said to lie where a does
        const auto names = frontend::membersIn(owned(zip))->names();
        QVERIFY(!names && names.error().what.contains("where 'b' should lie"));
    }

    void whatNoFrontendKnowsIsCalledByItsName_data() {
        QTest::addColumn<std::string>("file");
        QTest::addColumn<std::string>("says");
        QTest::newRow("checkpoint") << std::string("checkpoint") << std::string("checkpoints");
        QTest::newRow("folder") << std::string("readme") << std::string("this is a folder");
        QTest::newRow("weights") << std::string("zip:m/data.pkl") << std::string("weights only, no program");
        QTest::newRow("arrays") << std::string("zip:x.npy") << std::string("arrays of NumPy");
        QTest::newRow("archive") << std::string("zip:x") << std::string("ZIP archive");
    }
    void whatNoFrontendKnowsIsCalledByItsName() {
        QFETCH(std::string, file);
        QFETCH(std::string, says);
        const bool zipped = file.starts_with("zip:");
        fs::path path;
        if (zipped) {
            path = fs::path(temporary_.path().toStdString()) / "archive";
            writeFile(path, zipOf({{file.substr(4), "x"}}));
        } else {
            path = written(std::string("of ") + QTest::currentDataTag(), {{file, "x"}});
        }
        QVERIFY2(hintOf(path).find(says) != std::string::npos, hintOf(path).c_str());
    }
};

Test test() {
    return {makes<TestMembers>};
}

} // namespace lathe::testing::test_members

#include "test_members.moc"
