// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// Fixtures as they lie in folders: which are some, whose models and runs are found, and arrays that go by name.
#include "inspect/fixture.h"
#include "support/host_tensor.h"
#include "support/npz_file.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_fixture {

namespace fs = std::filesystem;
using inspect::Fixture;

class TestFixture : public QObject {
    Q_OBJECT

    QTemporaryDir root_;

    fs::path folder(const std::string& name, const std::string& meta) const {
        const fs::path path = fs::path(root_.path().toStdString()) / name;
        fs::create_directories(path);
        writeFile(path / "meta.json", meta);
        return path;
    }
    static std::vector<std::string> namesOf(const std::vector<fs::path>& paths) {
        std::vector<std::string> names;
        for (const fs::path& path : paths)
            names.push_back(path.filename().string());
        return names;
    }

private slots:
    void whatIsNone() {
        for (const char* meta : {"", "[]", "{\"runs\": []}", "{\"format\": \"F\"}", "{\"format\": 3, \"runs\": []}",
                                 "{\"format\": \"F\", \"runs\": 3}", "{\"format\": \"F\", \"runs\": ["})
            QVERIFY2(!inspect::fixtureIn(folder("none", meta)), meta);
        QVERIFY(!inspect::fixtureIn(root_.path().toStdString()));
        QVERIFY(!inspect::fixtureIn("/no/such/folder"));
        fs::create_directories(fs::path(root_.path().toStdString()) / "odd" / "meta.json");
        QVERIFY(!inspect::fixtureIn(root_.path().toStdString() + "/odd"));
    }

    /// Arrays beside a model are enough.
    void withoutADescription() {
        const fs::path path = fs::path(root_.path().toStdString()) / "plain";
        fs::create_directories(path);
        writeFile(path / "inputs.npz", zipOf({}));
        QVERIFY(!inspect::fixtureIn(path)); // nothing is expected of it
        for (const char* name : {"outputs.npz", "inputs_1.npz", "outputs_1.npz", "inputs_3.npz", "outputs_3.npz"})
            writeFile(path / name, zipOf({}));
        writeFile(path / "net.bin", graphBytes("g (float[2] x) => (float[2] y) { y = Neg (x) }"));
        const auto fixture = inspect::fixtureIn(path);
        QVERIFY(fixture);
        QVERIFY(fixture->expect == Fixture::Expect::Run);
        QCOMPARE(fixture->runs.size(), size_t(2)); // 3 follows on no 2
        QCOMPARE(fixture->runs[1].inputs + fixture->runs[1].outputs, std::string("inputs_1.npzoutputs_1.npz"));
        QCOMPARE(namesOf(inspect::modelsOf(*fixture)), std::vector<std::string>{"net.bin"});
        QCOMPARE(inspect::runsOf(*fixture, path / "net.bin").size(), size_t(2));
        writeFile(path / "meta.json", "no description");
        QVERIFY(!inspect::fixtureIn(path));
    }

    void whatItSays() {
        const auto fixture =
            inspect::fixtureIn(folder("says", R"({"format": "F", "expect": "refuse", "why": "it is cut",
            "tolerance": "1 step",
            "runs": [{"inputs": "i.npz", "outputs": "o.npz", "note": "n"}, 3, {"inputs": 4}]})"));
        QVERIFY(fixture);
        QVERIFY(fixture->expect == Fixture::Expect::Refuse);
        QCOMPARE(fixture->why, std::string("it is cut"));
        QCOMPARE(fixture->tolerance, std::string("1 step"));
        QCOMPARE(fixture->runs.size(), size_t(2));
        QCOMPARE(fixture->runs[0].outputs, std::string("o.npz"));
        QCOMPARE(fixture->runs[1].inputs, std::string());
        const auto expects = [&](const std::string& words) {
            const std::string meta = "{\"format\": \"F\", \"expect\": \"" + words + "\"}";
            return inspect::fixtureIn(folder("expects", meta))->expect;
        };
        QVERIFY(expects("run") == Fixture::Expect::Run);
        QVERIFY(expects("run or refuse by name") == Fixture::Expect::Either);
        QVERIFY(expects("refuse or run (computed)") == Fixture::Expect::Either);
    }

    void modelsThatAFrontendKnows() {
        const fs::path path = folder("models", R"({"format": "F", "runs": []})");
        writeFile(path / "inputs.npz", zipOf({}));
        writeFile(path / "model.zzz", "noise");
        writeFile(path / "model.aaa", "noise");
        const auto fixture = inspect::fixtureIn(path);
        QCOMPARE(namesOf(inspect::modelsOf(*fixture)), std::vector<std::string>{"model.aaa"});
        const std::string model = graphBytes("g (float[2] x) => (float[2] y) { y = Neg (x) }");
        writeFile(path / "model_b.bin", model); // by its content, whatever its name is
        writeFile(path / "a.bin", model);
        QCOMPARE(namesOf(inspect::modelsOf(*fixture)), (std::vector<std::string>{"a.bin", "model_b.bin"}));
    }

    /// Of one network in several formats each takes the runs of its layout.
    void runsOfAFormat() {
        const fs::path path = folder("several", R"({"format": "ONNX+Other", "runs": [
            {"inputs": "0.npz", "note": "channels last: .other, Fourth"},
            {"inputs": "1.npz", "note": "channels first: ONNX"}]})");
        writeFile(path / "model.onnx", graphBytes("g (float[2] x) => (float[2] y) { y = Neg (x) }"));
        writeFile(path / "model.other", "noise");
        writeFile(path / "model.third", "noise");
        auto fixture = *inspect::fixtureIn(path);
        const auto firstOf = [&](const char* model) { return inspect::runsOf(fixture, path / model); };
        QCOMPARE(firstOf("model.onnx").size(), size_t(1));
        QCOMPARE(firstOf("model.onnx")[0].inputs, std::string("1.npz"));
        QCOMPARE(firstOf("model.other").size(), size_t(1));
        QCOMPARE(firstOf("model.other")[0].inputs, std::string("0.npz"));
        QCOMPARE(firstOf("model.third").size(), size_t(2));
        fixture.formats = "ONNX";
        QCOMPARE(firstOf("model.onnx").size(), size_t(2));
    }

    void arraysGoByName() {
        const fs::path path = folder("arrays", R"({"format": "F", "runs": [{"inputs": "i.npz", "outputs": "o.npz"}]})");
        const auto fixture = *inspect::fixtureIn(path);
        const auto vector = [](float value) { return tensorOf<float>(types::Float32, {1}, {value}); };
        writeFile(path / "i.npz", npzOf({{"b", vector(2)}, {"a", vector(1)}}));
        writeFile(path / "o.npz", npzOf({{"y", vector(3)}}));
        device::RunnerModel loaded;
        loaded.inputs = {{"a", types::Float32, {1}}, {"b", types::BFloat16, {1}}};
        loaded.outputs = {{"y", types::Float32, {1}}, {"y", types::Float32, {1}}}; // one value, given out twice
        const auto arrays = inspect::readRun(fixture, fixture.runs[0], loaded);
        QVERIFY2(arrays, arrays ? "" : toString(arrays.error()).c_str());
        const auto data = inspect::byPosition(*arrays, fixture.runs[0], loaded);
        QVERIFY2(data, data ? "" : toString(data.error()).c_str());
        QVERIFY(data->inputs.at(0) == vector(1));
        QVERIFY(data->inputs.at(1).dtype == types::BFloat16); // as which numbers of float32 are meant
        QCOMPARE(data->outputs.size(), size_t(2));
        QCOMPARE(inspect::inputFilesOf(fixture, fixture.runs[0]).byName.at("b"), (path / "i.npz").string());

        loaded.inputs.push_back({"c", types::Float32, {1}});
        const auto without = inspect::byPosition(*arrays, fixture.runs[0], loaded);
        QVERIFY(!without && without.error().what.contains("input 'c'"));
        loaded.inputs.pop_back();
        loaded.outputs = {{"z", types::Float32, {1}}};
        const auto unknown = inspect::byPosition(*arrays, fixture.runs[0], loaded);
        QVERIFY(!unknown && unknown.error().what.contains("output 'y'"));
    }

    /// Integers of a program's arguments stand in meta.json itself.
    void numbersAreInputs() {
        const fs::path path = folder("numbers", R"({"format": "F", "runs": [{"inputs": "i.npz", "outputs": "o.npz",
            "args": [{"name": "a", "structure": {}}, {"name": "n", "value": 3}, {"name": "x", "value": 0.5}, 7]}]})");
        const auto fixture = *inspect::fixtureIn(path);
        writeFile(path / "i.npz", npzOf({{"a", tensorOf<float>(types::Float32, {1}, {1})}}));
        writeFile(path / "o.npz", npzOf({{"y", tensorOf<float>(types::Float32, {1}, {2})}}));
        device::RunnerModel loaded;
        loaded.inputs = {{"a", types::Float32, {1}}, {"n", types::Int64, {}}};
        loaded.outputs = {{"y", types::Float32, {1}}};
        const auto arrays = inspect::readRun(fixture, fixture.runs[0], loaded);
        QVERIFY(arrays);
        const auto data = inspect::byPosition(*arrays, fixture.runs[0], loaded);
        QVERIFY2(data, data ? "" : toString(data.error()).c_str());
        QVERIFY(data->inputs.at(1) == tensorOf<int64_t>(types::Int64, {}, {3}));
    }

    /// Where the model has none of the names, as its format may have two for a value, the order of the run's model is meant.
    void arraysGoByOrderWhereNamesAreOthers() {
        const fs::path path = folder("order", R"({"format": "F", "runs": [{"inputs": "i.npz", "outputs": "o.npz",
                                                  "input_order": ["b:0", "a:0"], "output_order": ["y:0"]}]})");
        const auto fixture = *inspect::fixtureIn(path);
        const auto vector = [](float value) { return tensorOf<float>(types::Float32, {1}, {value}); };
        writeFile(path / "i.npz", npzOf({{"a:0", vector(1)}, {"b:0", vector(2)}}));
        writeFile(path / "o.npz", npzOf({{"y:0", vector(3)}}));
        device::RunnerModel loaded;
        loaded.inputs = {{"b", types::Float32, {1}}, {"a", types::Float32, {1}}};
        loaded.outputs = {{"y", types::Float32, {1}}};
        const auto arrays = inspect::readRun(fixture, fixture.runs[0], loaded);
        QVERIFY(arrays);
        const auto data = inspect::byPosition(*arrays, fixture.runs[0], loaded);
        QVERIFY2(data, data ? "" : toString(data.error()).c_str());
        QVERIFY(data->inputs.at(0) == vector(2) && data->inputs.at(1) == vector(1));
        QVERIFY(data->outputs.at(0) == vector(3));
        loaded.inputs[0].name = "b:0"; // one of the names is the model's, and at its place
        QVERIFY(inspect::byPosition(*arrays, fixture.runs[0], loaded));
        loaded.inputs[0].name = "a:0"; // and at another
        QVERIFY(!inspect::byPosition(*arrays, fixture.runs[0], loaded));
    }

    /// What meta.json names lies in its folder.
    void pathsThatLeadOut() {
        const fs::path path = folder("in", R"({"format": "F", "runs": []})");
        writeFile(path.parent_path() / "i.npz", npzOf({{"a", tensorOf<float>(types::Float32, {1}, {1})}}));
        const auto fixture = *inspect::fixtureIn(path);
        for (const std::string& name : {std::string(), std::string("."), std::string(".."), std::string("../i.npz"),
                                        (path.parent_path() / "i.npz").string()}) {
            inspect::FixtureRun run;
            run.inputs = run.outputs = name;
            const auto arrays = inspect::readRun(fixture, run, {});
            QVERIFY2(!arrays, name.c_str());
            QVERIFY(inspect::inputFilesOf(fixture, run).empty());
        }
    }
};

Test test() {
    return {makes<TestFixture>};
}

} // namespace lathe::testing::test_fixture

#include "test_fixture.moc"
