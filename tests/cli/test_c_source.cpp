// SPDX-License-Identifier: Apache-2.0
// Needs: lathe
// Links: onnx
//
// `lathe compile --emit c`: what is written compiles without a warning and computes what is right, whatever the model's names
// are; the same bytes each time; nothing where something went wrong.
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"
#include "support/sample_models.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>

namespace lathe::testing::test_c_source {

class TestCSource : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString at(const QString& name) const { return folder_.filePath(name); }

    static QByteArray readFile(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    template <class T>
    void writeNumbers(const QString& name, const std::vector<T>& numbers) {
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(reinterpret_cast<const char*>(numbers.data()), static_cast<qint64>(numbers.size() * sizeof(T)));
    }

    template <class T>
    std::vector<T> readNumbers(const QString& name) {
        const QByteArray bytes = readFile(at(name));
        std::vector<T> numbers(static_cast<size_t>(bytes.size()) / sizeof(T));
        std::memcpy(numbers.data(), bytes.constData(), numbers.size() * sizeof(T));
        return numbers;
    }

    /// Compiles the model to C in a folder of this name, and that to a program in it.
    void build(const QString& name, const std::string& model, const QStringList& more = {}) {
        writeFile(at(name + ".onnx").toStdString(), model);
        const Outcome made =
            runLathe(QStringList{"compile", at(name + ".onnx"), "--emit", "c", "-o", at(name), "--name", name} + more);
        QCOMPARE(made.code, 0);
        const Outcome compiled = runProgram(
            "sh", {"-c",
                   "cd \"$0\" && gcc -std=c99 -pedantic -Wall -Wextra -Werror -O1 -g -fsanitize=address,undefined "
                   "-fno-sanitize-recover=all *.c -o program -lm",
                   at(name)});
        QVERIFY2(compiled.code == 0, compiled.err.c_str());
    }

    Outcome run(const QString& name, const QStringList& arguments) {
        QStringList all;
        for (const QString& argument : arguments)
            all << (argument.startsWith('=') ? argument.mid(1) : at(argument));
        return runProgram(at(name + "/program"), all);
    }

    static std::string sample(const std::string& name) {
        for (const SampleModel& model : sampleModels)
            if (name == model.name)
                return graphBytes(model.graph);
        return {};
    }

private slots:
    void sizesAreGivenByTheCaller() {
        build("sum", graphBytes("g (float[n,3] x) => (float[n] s) <int64[1] one = {1}> "
                                "{ [total] s = ReduceSum <keepdims = 0> (x, one) }"));
        writeNumbers<float>("x", {1, 2, 3, 10, 20, 30});
        const Outcome ran = run("sum", {"=2", "x", "y"});
        QCOMPARE(ran.out, "output 0: 2\n");
        QCOMPARE(readNumbers<float>("y"), (std::vector<float>{6, 60}));
        QCOMPARE(run("sum", {"=3", "x", "y"}).code, 1); // the file has fewer
    }

    void sizesOfResultsFollowFromData() {
        build("control", sample("control"));
        writeNumbers<float>("x", {3, 0, -2});
        writeNumbers<uint8_t>("yes", {1});
        writeNumbers<uint8_t>("no", {0});
        QCOMPARE(run("control", {"=3", "x", "yes", "y", "places"}).out, "output 0: 3\noutput 1: 1 2\n");
        QCOMPARE(readNumbers<float>("y"), (std::vector<float>{6, 0, -4}));
        QCOMPARE(readNumbers<int64_t>("places"), (std::vector<int64_t>{0, 2}));
        QCOMPARE(run("control", {"=3", "x", "no", "y", "places"}).code, 0);
        QCOMPARE(readNumbers<float>("y"), (std::vector<float>{9, 0, 4}));
    }

    void loopsHandOnWhatGrows() {
        build("loop", sample("loop"));
        writeNumbers<int64_t>("trips", {3});
        writeNumbers<uint8_t>("yes", {1});
        writeNumbers<float>("x", {1, 10});
        const Outcome ran = run("loop", {"trips", "yes", "x", "y", "all"});
        QVERIFY2(ran.code == 0, ran.err.c_str());
        QCOMPARE(ran.out, "output 0: 2\noutput 1: 3 2\n");
        QCOMPARE(readNumbers<float>("y"), (std::vector<float>{8, 80}));
        QCOMPARE(readNumbers<float>("all"), (std::vector<float>{2, 20, 4, 40, 8, 80}));
    }

    void failedChecksAreStatuses() {
        build("gather", graphBytes("g (float[3] x, int64[1] i) => (float[1] y) { [pick] y = Gather (x, i) }"));
        writeNumbers<float>("x", {1, 2, 3});
        writeNumbers<int64_t>("i", {-1});
        QCOMPARE(run("gather", {"x", "i", "y"}).code, 0);
        QCOMPARE(readNumbers<float>("y"), (std::vector<float>{3}));
        writeNumbers<int64_t>("i", {3});
        const Outcome failed = run("gather", {"x", "i", "y"});
        QCOMPARE(failed.code, 1);
        QVERIFY2(QByteArray(failed.err.c_str()).contains("pick"), failed.err.c_str());
    }

    void weightsAreAFileOrArrays() {
        const std::string model =
            graphBytes("g (float[2] x) => (float[2] y) <float[2] w = {1.5, -2}> { y = Mul (x, w) }");
        writeNumbers<float>("x", {2, 2});
        build("arrays", model, {"--weights", "arrays"});
        QCOMPARE(run("arrays", {"x", "y"}).code, 0);
        QCOMPARE(readNumbers<float>("y"), (std::vector<float>{3, -4}));
        build("file", model, {"--weights", "file"});
        QCOMPARE(run("file", {"file/file.weights", "x", "z"}).code, 0);
        QCOMPARE(readNumbers<float>("z"), (std::vector<float>{3, -4}));
        QByteArray other = readFile(at("file/file.weights"));
        other[1] = static_cast<char>(other[1] ^ 1);
        QFile damaged(at("damaged"));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        damaged.write(other);
        damaged.close();
        QCOMPARE(run("file", {"damaged", "x", "z"}).code, 1);
        QCOMPARE(runLathe({"compile", at("file.onnx"), "--emit", "c", "-o", at("x2"), "--weights", "digits"}).code, 2);
    }

    void modelsLinkIntoOneProgram() {
        // What a linker sees begins with the model's name, whatever the kernels are.
        for (const QString name : {"one", "two"}) {
            build(name, sample("network"), {"--weights", name == "one" ? "arrays" : "file"});
            const Outcome seen = runProgram(
                "sh", {"-c", "cd \"$0\" && rm *_main.c && gcc -std=c99 -c *.c && nm -g --defined-only *.o", at(name)});
            int symbols = 0;
            for (const QByteArray& line : QByteArray::fromStdString(seen.out).split('\n'))
                if (const QList<QByteArray> words = line.split(' '); words.size() == 3) {
                    ++symbols;
                    QVERIFY2(words[2].startsWith("lathe_" + name.toLatin1() + "_"), line.constData());
                }
            QVERIFY(symbols > 3);
        }
    }

    void namesAreAnyText() {
        // Each would end a comment, a literal or a line, or mean something to a preprocessor.
        const std::string names[] = {"x*/ int",
                                     "y\"; #error",
                                     "z\\\n",
                                     "?"
                                     "?/",
                                     "\xe6\xa8\xa1\xe5\x9e\x8b",
                                     "int",
                                     "NULL"};
        ::onnx::ModelProto model =
            parseModel("g (float[n] a) => (float[n] g0) { [n0] b = Relu (a) [n1] c = Abs (b) [n2] d = Exp (c) "
                       "[n3] e = Sqrt (d) [n4] f = Log (e) [n5] g0 = Neg (f) }");
        auto* graph = model.mutable_graph();
        const std::string old[] = {"a", "b", "c", "d", "e", "f", "g0"};
        const auto renamed = [&](const std::string& name) {
            const auto found = std::ranges::find(old, name);
            return found == std::end(old) ? name : names[found - std::begin(old)];
        };
        for (auto& node : *graph->mutable_node()) {
            node.set_name(names[static_cast<size_t>(&node - &graph->node(0)) % 7] + node.name());
            *node.mutable_input(0) = renamed(node.input(0));
            *node.mutable_output(0) = renamed(node.output(0));
        }
        for (auto* value : {graph->mutable_input(0), graph->mutable_output(0)}) {
            value->set_name(renamed(value->name()));
            value->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("%d\n*/\"");
        }
        build("names", model.SerializeAsString());
        writeNumbers<float>("x", {4});
        QCOMPARE(run("names", {"=1", "x", "y"}).code, 0);
        QCOMPARE(readNumbers<float>("y"), (std::vector<float>{-2})); // -log sqrt exp 4
        // LATHE_…_OUT_OF_MEMORY is a status as well.
        build("status", graphBytes("g (float[2] x) => (float[2] of_memory) { of_memory = Neg (x) }"));
    }

    void theSameModelGivesTheSameBytes() {
        writeFile(at("same.onnx").toStdString(), sample("network"));
        for (const char* folder : {"first", "second"})
            QCOMPARE(runLathe({"compile", at("same.onnx"), "--emit", "c", "-o", at(folder), "--threads",
                               *folder == 'f' ? "1" : "2"})
                         .code,
                     0);
        const QStringList files = QDir(at("first")).entryList(QDir::Files);
        QCOMPARE(files, QDir(at("second")).entryList(QDir::Files));
        QVERIFY(files.contains("same.c"));
        for (const QString& file : files)
            QCOMPARE(readFile(at("first/" + file)), readFile(at("second/" + file)));
    }

    void nothingIsLeftOfWhatFailed() {
        writeFile(at("full.onnx").toStdString(), sample("network"));
        // A file may not grow beyond a kilobyte: what a full disk is to a program.
        const Outcome full =
            runProgram("sh", {"-c", "ulimit -f 2; exec \"$@\"", "sh", LATHE_BINARY_DIR "/lathe", "compile",
                              at("full.onnx"), "--emit", "c", "-o", at("full"), "--no-cache"});
        QCOMPARE(full.code, 1);
        QVERIFY2(QByteArray(full.err.c_str()).contains("full/full"), full.err.c_str());
        QVERIFY(!QDir(at("full")).exists());
        writeFile(at("taken").toStdString(), "text");
        QCOMPARE(runLathe({"compile", at("full.onnx"), "--emit", "c", "-o", at("taken")}).code, 1);
        QCOMPARE(readFile(at("taken")), QByteArray("text"));
    }
};

Test test() {
    return {makes<TestCSource>};
}

} // namespace lathe::testing::test_c_source

#include "test_c_source.moc"
