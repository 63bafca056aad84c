// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// The optional passes change no results: each sample model gives the same outputs with all of them as with none, at
// several sizes of its symbols. (Expected values come from outside in the tests of real models; this is an identity.)
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "support/sample_models.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <map>

namespace lathe::testing::test_optional_passes {

namespace fs = std::filesystem;

namespace {

struct Saved {
    std::string header; // type and shape
    std::string bytes;
};

/// The .npy files of a folder by name.
std::map<std::string, Saved> readOutputs(const fs::path& folder) {
    std::map<std::string, Saved> all;
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string content(std::istreambuf_iterator<char>(file), {});
        const size_t header =
            10 + static_cast<unsigned char>(content.at(8)) + 256 * static_cast<unsigned char>(content.at(9));
        all[entry.path().filename().string()] = {content.substr(10, header - 10), content.substr(header)};
    }
    return all;
}

/// Empty if b is a, floats up to rounding.
std::string difference(const std::string& name, const Saved& a, const Saved& b) {
    if (a.header != b.header || a.bytes.size() != b.bytes.size())
        return name + " has " + b.header + ", not " + a.header;
    if (a.header.find("<f4") == std::string::npos)
        return a.bytes == b.bytes ? "" : name + " differs";
    std::vector<float> x(a.bytes.size() / 4), y(x.size());
    std::memcpy(x.data(), a.bytes.data(), a.bytes.size());
    std::memcpy(y.data(), b.bytes.data(), b.bytes.size());
    float largest = 0;
    for (const float value : x)
        largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(x[i] - y[i]) <= 2e-5F * largest) && !(std::isnan(x[i]) && std::isnan(y[i])) && x[i] != y[i])
            return name + "[" + std::to_string(i) + "] is " + std::to_string(y[i]) + ", not " + std::to_string(x[i]);
    return {};
}

} // namespace

class TestOptionalPasses : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;

    struct Ran {
        Outcome outcome;
        std::map<std::string, Saved> outputs;
    };

    Ran run(const fs::path& model, const QStringList& more, const char* folder) {
        const fs::path saved = fs::path(temporary_.path().toStdString()) / folder;
        fs::remove_all(saved);
        const Outcome outcome = runLathe(QStringList{"run", QString::fromStdString(model.string()), "--seed", "3",
                                                     "--save", QString::fromStdString(saved.string()), "--no-cache"} +
                                         more);
        return {outcome, outcome.code == 0 ? readOutputs(saved) : std::map<std::string, Saved>{}};
    }

private slots:
    void changeNoResults_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QStringList>("shapes");
        const std::map<std::string, std::vector<QStringList>> sizes = {
            {"network", {{"x=1,3,8,8"}, {"x=5,3,8,8"}}},
            {"attention", {{"x=1,1,4"}, {"x=2,7,4"}}},
            {"blocks", {{"x=1,3,8,8"}, {"x=2,3,9,5"}, {"x=1,3,1,1"}, {"x=1,3,30,17"}}},
        };
        for (const SampleModel& sample : sampleModels) {
            const auto several = sizes.find(sample.name);
            const QByteArray bytes = QByteArray::fromStdString(graphBytes(sample.graph));
            for (const QStringList& shapes : several == sizes.end() ? std::vector<QStringList>{{}} : several->second)
                QTest::newRow((sample.name + (" " + shapes.join(" ")).toStdString()).c_str()) << bytes << shapes;
        }
    }
    void changeNoResults() {
        QFETCH(QByteArray, bytes);
        QFETCH(QStringList, shapes);
        const fs::path model = fs::path(temporary_.path().toStdString()) / "model.onnx";
        writeFile(model, bytes.toStdString());
        QStringList arguments;
        for (const QString& shape : shapes)
            arguments << "--shape" << shape;
        const Ran all = run(model, arguments, "all");
        const Ran none = run(model, arguments + QStringList{"--optional-limit", "0"}, "none");
        QCOMPARE(all.outcome.code, none.outcome.code);
        QCOMPARE(all.outcome.err, none.outcome.err); // random inputs may be refused: then for the same reason
        QCOMPARE(all.outputs.size(), none.outputs.size());
        for (const auto& [name, expected] : none.outputs) {
            const std::string different = difference(name, expected, all.outputs.at(name));
            QVERIFY2(different.empty(), different.c_str());
        }
    }
};

Test test() {
    return {makes<TestOptionalPasses>};
}

} // namespace lathe::testing::test_optional_passes

#include "test_optional_passes.moc"
