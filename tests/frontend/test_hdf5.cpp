// SPDX-License-Identifier: Apache-2.0
//
// HDF5 files: what is in them comes out of both forms that they have, and whatever is wrong in one is said, never
// followed.
#include "frontend/hdf5/file.h"
#include "support/hdf5_file.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_hdf5 {

using frontend::hdf5::File;
using frontend::hdf5::ObjectPtr;

namespace {

Result<File> opened(const std::string& bytes) {
    const auto owner = std::make_shared<const std::string>(bytes);
    return File::open({owner, std::as_bytes(std::span(*owner))}, std::make_shared<Budget>());
}

std::vector<float> floats(const model::TensorData& tensor) {
    std::vector<float> values(tensor.bytes.view.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.view.data(), tensor.bytes.view.size());
    return values;
}

/// Everything that can be reached is read.
void readAll(File& file, const std::string& path, int depth) {
    const Result<ObjectPtr> object = file.find(path);
    if (!object || !*object || depth > 8)
        return;
    for (const auto& attribute : (*object)->attributes)
        (void)file.texts(**object, attribute.name);
    (void)file.read(**object);
    for (const auto& [name, link] : (*object)->links)
        readAll(file, path + "/" + name, depth + 1);
}

void readAll(const std::string& bytes) {
    if (Result<File> file = opened(bytes))
        readAll(*file, "", 0);
}

Hdf5Group sample() {
    std::vector<float> values(35);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i) / 8;
    Hdf5Group layer;
    layer.arrays["kernel"] = {{2, 3}, {1, 2, 3, 4, 5, 6}};
    layer.arrays["chunked"] = {{7, 5}, values, {3, 2}};
    layer.texts["weight_names"] = {"kernel", "a longer name"};
    Hdf5Group root;
    root.groups["layers"].groups["dense"] = layer;
    root.text["keras_version"] = "3.1.0";
    return root;
}

} // namespace

class TestHdf5 : public QObject {
    Q_OBJECT

private slots:
    void both_data() {
        QTest::addColumn<bool>("isOld");
        QTest::newRow("symbol tables") << true;
        QTest::newRow("link messages") << false;
    }
    void both() {
        QFETCH(bool, isOld);
        Result<File> file = opened(hdf5Of(sample(), isOld ? Hdf5Form::Old : Hdf5Form::New));
        QVERIFY(file);
        const Result<ObjectPtr> root = file->find(""), layer = file->find("layers/dense");
        QVERIFY(root && layer && *layer);
        QCOMPARE(**file->texts(**root, "keras_version"), std::vector<std::string>{"3.1.0"});
        QCOMPARE(**file->texts(**layer, "weight_names"), (std::vector<std::string>{"kernel", "a longer name"}));
        QVERIFY(!*file->texts(**layer, "nothing"));
        QVERIFY(!*file->find("layers/other"));
        const auto kernel = file->read(**file->find("layers/dense/kernel"));
        QVERIFY(kernel);
        QCOMPARE((*kernel)->shape, (std::vector<int64_t>{2, 3}));
        QCOMPARE(floats(**kernel), (std::vector<float>{1, 2, 3, 4, 5, 6}));
        const auto chunked = file->read(**file->find("layers/dense/chunked"));
        QVERIFY(chunked);
        QCOMPARE(floats(**chunked), sample().groups["layers"].groups["dense"].arrays["chunked"].values);
        QVERIFY(!file->read(**layer));
    }

    void cutAnywhereIsSaid_data() { both_data(); }
    void cutAnywhereIsSaid() {
        QFETCH(bool, isOld);
        const std::string whole = hdf5Of(sample(), isOld ? Hdf5Form::Old : Hdf5Form::New);
        for (size_t size = 0; size < whole.size(); ++size)
            QVERIFY(!opened(whole.substr(0, size)));
    }

    /// Whatever a byte says, reading ends.
    void changedAnywhereIsSurvived_data() { both_data(); }
    void changedAnywhereIsSurvived() {
        QFETCH(bool, isOld);
        const std::string whole = hdf5Of(sample(), isOld ? Hdf5Form::Old : Hdf5Form::New);
        for (size_t i = 0; i < whole.size(); ++i)
            for (const int change : {0x01, 0x80, 0xff}) {
                std::string changed = whole;
                changed[i] = static_cast<char>(changed[i] ^ change);
                readAll(changed);
            }
    }

    void softLinksAreNotFollowed() {
        Hdf5Group root = sample();
        root.softLinks["again"] = "/again";
        Result<File> file = opened(hdf5Of(root, Hdf5Form::New));
        QVERIFY(file);
        const auto found = file->find("again/kernel");
        QVERIFY(!found);
        QVERIFY(found.error().kind == ErrorKind::Unsupported);
        QVERIFY(QString::fromStdString(found.error().what).contains("soft link"));
    }

    /// A few bytes that say that they are gigabytes.
    void whatIsNotStoredIsNotMade() {
        Hdf5Group root;
        root.arrays["a"] = {{1'000'000, 1'000'000}, {1}};
        Result<File> file = opened(hdf5Of(root));
        QVERIFY(file);
        QVERIFY(!file->read(**file->find("a")));
    }
};

Test test() {
    return {.make = makes<TestHdf5>};
}

} // namespace lathe::testing::test_hdf5

#include "test_hdf5.moc"
