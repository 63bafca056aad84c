// SPDX-License-Identifier: Apache-2.0
//
// Inputs from files: what does not fit is refused by file and input, and sizes that files say win over those asked for.
#include "inspect/input_choice.h"

#include "driver/tensor_files.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_input_choice {

using namespace lathe::inspect;

class TestInputChoice : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    /// x[n, 4], y[n], z[m, 2 known while running].
    const std::vector<device::RunnerValue> inputs_{
        {"x", types::Float32, {-1, 4}}, {"y", types::Float32, {-1}}, {"z", types::Float32, {-2, INT64_MIN}}};

    std::string file(const char* name, const model::HostTensor& tensor) {
        const std::string path = folder_.filePath(name).toStdString();
        return driver::writeNpy(path, tensor) ? path : std::string();
    }
    static model::HostTensor ones(std::vector<int64_t> shape) {
        int64_t count = 1;
        for (const int64_t dim : shape)
            count *= dim;
        return tensorOf(types::Float32, std::move(shape), std::vector<float>(size_t(count), 1));
    }

private slots:
    void filesAreRead() {
        const auto tensors = readInputs(inputs_, {.byName = {{"x", file("x.npy", ones({6, 4}))}}});
        QVERIFY(tensors.has_value());
        QCOMPARE(tensors->at("x").shape, (std::vector<int64_t>{6, 4}));
        QVERIFY(readInputs(inputs_, {})->empty());
    }

    void whatDoesNotFit_data() {
        QTest::addColumn<QString>("input");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("what");
        QVERIFY(!file("wide.npy", ones({6, 5})).empty() && !file("flat.npy", ones({24})).empty());
        QFile damaged(folder_.filePath("damaged.npy"));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        damaged.write("\x93NUMPY");
        damaged.close();
        QTest::newRow("other sizes") << "x" << "wide.npy" << "given as float32[6,5], but it is float32[?,4]";
        QTest::newRow("other rank") << "x" << "flat.npy" << "given as float32[24]";
        QTest::newRow("no such file") << "x" << "none.npy" << "for input 'x'";
        QTest::newRow("damaged") << "y" << "damaged.npy" << "for input 'y'";
        QTest::newRow("no such input") << "w" << "flat.npy" << "no input 'w'";
    }
    void whatDoesNotFit() {
        QFETCH(QString, input);
        QFETCH(QString, name);
        QFETCH(QString, what);
        const std::string path = folder_.filePath(name).toStdString();
        const auto tensors = readInputs(inputs_, {.byName = {{input.toStdString(), path}}});
        QVERIFY(!tensors.has_value());
        QCOMPARE(tensors.error().file, path);
        QVERIFY2(tensors.error().what.find(what.toStdString()) != std::string::npos, tensors.error().what.c_str());
    }

    void sizesOfFilesWin() {
        const Tensors given{{"x", ones({6, 4})}};
        const driver::Shapes shapes = shapesBeside(inputs_, given, {{"x", {1, 4}}, {"y", {1}}, {"z", {3, 7}}});
        QCOMPARE(shapes, (driver::Shapes{{"y", {6}}, {"z", {3, 7}}}));
        QVERIFY(inputShapes(inputs_, given, shapes).has_value());
    }
};

Test test() {
    return {makes<TestInputChoice>};
}

} // namespace lathe::testing::test_input_choice

#include "test_input_choice.moc"
