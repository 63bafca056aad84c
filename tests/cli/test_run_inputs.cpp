// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// What a model is run with: files, folders of data, and what is drawn at random, which has to be something that the model takes.
// In release alone: each command compiles a model.
// Runs: release
#include "support/json_lines.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <set>

namespace lathe::testing::test_run_inputs {

class TestRunInputs : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString data_;

    QString file(const QString& name) const { return folder_.filePath(name); }
    QString model(const QString& name, const std::string& graph) const {
        const QString path = file(name + ".onnx");
        writeFile(path.toStdString(), graphBytes(graph));
        return path;
    }

    /// All that runs a model at sizes that are given.
    static void addCommands() {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("run") << QStringList{"run"};
        QTest::newRow("profile") << QStringList{"profile"};
        QTest::newRow("bench") << QStringList{"bench", "--rounds", "2"};
        QTest::newRow("tune") << QStringList{"tune", "--time", "20s", "--trials", "2", "--no-records", "--no-layouts"};
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", file("cache").toLocal8Bit());
        model("product", "g (float[n,64] x, float[64,64] z) => (float[n,64] y) { a = MatMul (x, z) y = Relu (a) }");
        data_ = file("data");
        QVERIFY(QDir().mkpath(data_));
        for (const auto& [name, rows] : {std::pair("input_0.pb", 5), {"input_1.pb", 64}}) {
            ::onnx::ModelProto holder;
            addWeights(holder, "", {rows, 64}, [](int64_t i) { return static_cast<float>(i % 7); });
            writeFile((data_ + "/" + name).toStdString(), holder.graph().initializer(0).SerializeAsString());
        }
        QVERIFY(QDir().mkpath(file("rest")) && QFile::copy(data_ + "/input_1.pb", file("rest/input_1.pb")));
        QVERIFY(QDir().mkpath(file("one")) && QFile::copy(data_ + "/input_0.pb", file("one/input_0.pb")));
    }

    /// All that runs a model takes inputs from files and folders, and says what it drew itself: to people and in JSON.
    void filesAndFolders_data() {
        addCommands();
        QTest::newRow("sizes") << QStringList{"profile", "--sweep", "n=1,5"};
    }
    void filesAndFolders() {
        QFETCH(QStringList, command);
        const bool tunes = command.front() == "tune", sweeps = command.contains("--sweep");
        const QString x = "x=" + data_ + "/input_0.pb";
        using Case = std::pair<QStringList, QStringList>;
        for (auto [arguments, drawn] :
             {Case{{"--shape", "x=5,64"}, {"x", "z"}}, Case{{"--input", x}, {"z"}}, Case{{"--data", data_}, {}},
              Case{{"--data", file("rest"), "--input", x}, {}}}) {
            if (sweeps && !drawn.contains("x")) // at each size another
                drawn.prepend("x");
            // What kernels over open sizes are tuned for need not be what the model is run with.
            const bool isOpen = tunes && arguments.front() != "--shape";
            const QStringList sizes = isOpen ? QStringList{"--sizes", "n=16"} : QStringList();
            const Outcome outcome = runLathe(command + QStringList{file("product.onnx"), "--json"} + arguments + sizes);
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            const std::string said = "inputs drawn at random: " + drawn.join(", ").toStdString();
            QVERIFY2(outcome.err.find("drawn at random") == std::string::npos
                         ? drawn.isEmpty()
                         : outcome.err.find(said) != std::string::npos,
                     outcome.err.c_str());
            QVERIFY2(outcome.err.find("sizes that nothing gives") == std::string::npos, outcome.err.c_str());
            const QList<QJsonObject> lines = jsonLines(outcome.out);
            QVERIFY(!lines.isEmpty());
            QCOMPARE(lines.back()["drawn_inputs"].toArray(), QJsonArray::fromStringList(drawn));
        }
        const Outcome none = runLathe(command + QStringList{file("product.onnx"), "--data", folder_.path()});
        QCOMPARE(none.code, 1);
        QVERIFY2(none.err.find("input_0.pb") != std::string::npos, none.err.c_str());
        const QStringList unknown{file("product.onnx"), "--input", "w=" + data_ + "/input_0.pb"};
        const Outcome other = runLathe(command + unknown);
        QCOMPARE(other.code, 2);
        QVERIFY2(other.err.find("'w'") != std::string::npos, other.err.c_str());
    }

    /// Of an input without a declared shape a file says the sizes: none is open then, to run over.
    void filesSaySizesAtNeed_data() {
        addCommands();
        QTest::newRow("report") << QStringList{"report", "-o", file("report.html")};
        QTest::newRow("bisect") << QStringList{"bisect", "--crash"};
    }
    void filesSaySizesAtNeed() {
        QFETCH(QStringList, command);
        const int good = command.front() == "bisect" ? 4 : 0; // nothing to blame
        const QString path = model("undeclared", "g (float[] x) => (float[] y) { y = Relu (x) }");
        const QString x = "x=" + data_ + "/input_0.pb";
        QCOMPARE(runLathe(command + QStringList{path}).code, 1);
        for (const QStringList& inputs : {QStringList{"--input", x}, QStringList{"--data", file("one")}}) {
            const Outcome outcome = runLathe(command + QStringList{path} + inputs);
            QVERIFY2(outcome.code == good, outcome.err.c_str());
        }
        const Outcome beyond = runLathe(command + QStringList{path, "--data", data_});
        QVERIFY2(beyond.code == 1 && beyond.err.find("input_1.pb") != std::string::npos, beyond.err.c_str());
        writeFile(file("broken.npy").toStdString(), "\x93NUMPY");
        const Outcome broken = runLathe(command + QStringList{path, "--input", "x=" + file("broken.npy")});
        QVERIFY2(broken.code != 0 && broken.err.find("broken.npy") != std::string::npos, broken.err.c_str());
    }

    /// So do folders with what is expected too, by whatever command they are read; the elements are not negative.
    void dataSaysSizesAtNeed() {
        QVERIFY(QDir().mkpath(file("tested/test_data_set_0")));
        const QString path = model("tested/model", "g (float[] x) => (float[] y) { y = Relu (x) }"),
                      set = file("tested/test_data_set_0");
        for (const char* name : {"/input_0.pb", "/output_0.pb"})
            QVERIFY(QFile::copy(data_ + "/input_0.pb", set + name));
        const std::pair<QStringList, int> commands[] = {{{"test", file("tested"), "--jobs", "1"}, 0},
                                                        {{"check", path, "--against", set}, 0},
                                                        {{"bisect", path, "--data", set}, 4}};
        for (const auto& [command, code] : commands) {
            const Outcome outcome = runLathe(command);
            QVERIFY2(outcome.code == code, (outcome.out + outcome.err).c_str());
            if (command.front() == "test")
                QVERIFY2(outcome.out.find("1 passed, 0 wrong, 0 accepted, 0 refused") != std::string::npos,
                         outcome.out.c_str());
        }
        QCOMPARE(runLathe({"bench", path, "--rounds", "1"}).code, 1); // what nobody names is not read
        QCOMPARE(runLathe({"bench", path, "--rounds", "1", "--shape", "x=2,64"}).code, 0);
        const QString other = file("tested/test_data_set_1"); // 64 rows, not 5
        QVERIFY(QDir().mkpath(other));
        for (const char* name : {"/input_0.pb", "/output_0.pb"})
            QVERIFY(QFile::copy(data_ + "/input_1.pb", other + name));
        const Outcome both = runLathe({"test", file("tested"), "--jobs", "1"});
        QVERIFY2(both.out.find("0 passed, 0 wrong, 0 accepted, 1 refused") != std::string::npos, both.out.c_str());
        const Outcome blamed = runLathe({"bisect", path, "--data", set, "--data", other});
        QVERIFY2(blamed.code == 1 && blamed.err.find("[5,64] alone") != std::string::npos, blamed.err.c_str());
    }

    /// Names of inputs are the model's: they may have an equals sign, as paths may.
    void equalsSignsInNames() {
        ::onnx::ModelProto odd = parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n"
                                            "g (float[n,64] x) => (float[n,64] y) { y = Identity (x) }");
        odd.mutable_graph()->mutable_input(0)->set_name("x=1");
        odd.mutable_graph()->mutable_node(0)->set_input(0, "x=1");
        const QString path = file("odd.onnx"), plain = data_ + "/input_0.pb", part = file("k=1.pb");
        writeFile(path.toStdString(), odd.SerializeAsString());
        QVERIFY(QFile::copy(plain, part));
        for (const QStringList& arguments : {QStringList{"--shape", "x=1=5,64"}, QStringList{"--input", "x=1=" + plain},
                                             QStringList{"--input", "x=1=" + part}}) {
            const Outcome outcome = runLathe(QStringList{"run", path, "--json"} + arguments);
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QCOMPARE(jsonLines(outcome.out).front()["shape"].toArray(), (QJsonArray{5, 64}));
        }
        const Outcome written = runLathe({"report", path, "--input", "x=1=" + part, "-o", part});
        QVERIFY2(written.code == 2 && written.err.find("is a file that is read here") != std::string::npos,
                 written.err.c_str());
    }

    /// What `run --save` writes of types that NumPy lacks is what it computed: as an input, and to hold the model against.
    void savedOutputsAreReadBack() {
        for (const std::string type : {"bfloat16", "int4", "uint4", "float8e4m3fn"}) {
            const QString twice = model("widen", "g (" + type + "[5] x) => (float[5] y) { y = Cast <to = 1> (x) }");
            const int code = type == "bfloat16" ? 16
                             : type == "int4"   ? 22
                             : type == "uint4"  ? 21
                                                : 17; // of TensorProto
            const QString narrow = model("narrow", "g (float[5] x) => (" + type +
                                                       "[5] y) { y = Cast <to = " + std::to_string(code) + "> (x) }");
            const QString saved = file(QString::fromStdString(type));
            const Outcome made = runLathe({"run", narrow, "--seed", "7", "--save", saved});
            QVERIFY2(made.code == 0, made.err.c_str());
            const Outcome checked = runLathe({"check", narrow, "--seed", "7", "--against", saved});
            QVERIFY2(checked.code == 0, checked.err.c_str());
            const Outcome run = runLathe({"run", twice, "--input", "x=" + saved + "/y.npy", "--save", saved + "/wide"});
            QVERIFY2(run.code == 0, run.err.c_str());
        }
        const QString brain = model("brain", "g (bfloat16[5] x) => (bfloat16[5] y) { y = Add (x, x) }");
        QVERIFY(runLathe({"run", model("exact", "g (float[5] x) => (float[5] y) { y = Add (x, x) }"), "--save",
                          file("exact")})
                    .code == 0);
        const Outcome lost = runLathe({"run", brain, "--input", "x=" + file("exact/y.npy")});
        QVERIFY2(lost.code == 1 && lost.err.find("which bfloat16 does not have") != std::string::npos &&
                     lost.err.find("'x'") != std::string::npos,
                 lost.err.c_str());
    }

    /// numpy.savez_compressed(file, x=numpy.arange(6, dtype="f4").reshape(2, 3), z=numpy.array([10, 20, 30], "f4"))
    void severalInputsInOneFile() {
        const QByteArray bytes = QByteArray::fromBase64(
            "UEsDBC0AAAAIAAAAIQBP6QAq//////////8FABQAeC5ucHkBABAAmAAAAAAAAABVAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6l"
            "oG6TZqKuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GkY6CsaaOgq1CmQDLgYwaLAHEg5ABMQNQLzAAQBQSwMELQAAAAgA"
            "AAAhAJESx/f//////////wUAFAB6Lm5weQEAEACMAAAAAAAAAE8AAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgbpNmoq6joJ6W"
            "X1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkaxjqaOgq1ChQALgYGBUcGhgVA/MERAFBLAQItAy0AAAAIAAAAIQBP6QAqVQAAAJgA"
            "AAAFAAAAAAAAAAAAAACAAQAAAAB4Lm5weVBLAQItAy0AAAAIAAAAIQCREsf3TwAAAIwAAAAFAAAAAAAAAAAAAACAAYwAAAB6Lm5w"
            "eVBLBQYAAAAAAgACAGYAAAASAQAAAAA=");
        const QString packed = file("both=1.npz"); // a name with an equals sign
        writeFile(packed.toStdString(), bytes.toStdString());
        const QString sum = model("summed", "g (float[2,3] x, float[3] z) => (float[2,3] y) { y = Add (x, z) }");
        for (const QStringList& inputs : {QStringList{packed}, {"x=" + packed, "z=" + packed}}) {
            QStringList command{"run", sum, "--json"};
            for (const QString& input : inputs)
                command << "--input" << input;
            const Outcome outcome = runLathe(command);
            QVERIFY2(outcome.code == 0 && outcome.err.find("drawn") == std::string::npos, outcome.err.c_str());
            QCOMPARE(jsonLines(outcome.out).front()["first"].toArray(), (QJsonArray{10, 21, 32, 13, 24, 35}));
        }
        const Outcome both = runLathe({"run", sum, "--input", packed, "--input", "x=" + packed});
        QVERIFY2(both.code == 2 && both.err.find("input 'x' has two files") != std::string::npos, both.err.c_str());
        const QString other = model("other", "g (float[2,3] a) => (float[2,3] y) { y = Relu (a) }");
        const Outcome none = runLathe({"run", other, "--input", "a=" + packed});
        QVERIFY2(none.code == 1 && none.err.find("none is called 'a'") != std::string::npos, none.err.c_str());
        QVERIFY2(none.err.find("both=1.npz") != std::string::npos, none.err.c_str());
        const Outcome unknown = runLathe({"run", other, "--input", packed});
        QVERIFY2(unknown.code == 2 && unknown.err.find("no input 'x'") != std::string::npos, unknown.err.c_str());
    }

    void reportsSayWhatIsDrawn() {
        const QStringList report{"report", file("product.onnx"), "-o", file("report.html")};
        const Outcome drawn = runLathe(report);
        QVERIFY2(drawn.code == 0 && drawn.err.find("inputs drawn at random: x, z") != std::string::npos &&
                     drawn.err.find("sizes that nothing gives are 1: n") != std::string::npos,
                 drawn.err.c_str());
        const Outcome given = runLathe(report + QStringList{"--data", data_});
        QVERIFY2(given.code == 0 && given.err.find("drawn") == std::string::npos &&
                     given.err.find("sizes that") == std::string::npos,
                 given.err.c_str());
    }

    /// What is compared may depend on it as what is measured does.
    void checksSayWhatIsDrawn() {
        const QString path = file("product.onnx"), x = "x=" + data_ + "/input_0.pb";
        for (const auto& [command, code] : {std::pair("check", 0), std::pair("bisect", 4)})
            for (const auto& [arguments, drawn, isOpen] :
                 {std::tuple(QStringList(), QStringList{"x", "z"}, true),
                  {{"--shape", "n=5"}, {"x", "z"}, false},
                  {{"--input", x}, {"z"}, false},
                  {{"--input", x, "--input", "z=" + data_ + "/input_1.pb"}, {}, false}}) {
                const Outcome outcome = runLathe(QStringList{command, path, "--json"} + arguments);
                QVERIFY2(outcome.code == code, outcome.err.c_str());
                const std::string said = "inputs drawn at random: " + drawn.join(", ").toStdString() + '"';
                QCOMPARE(outcome.err.find(said) != std::string::npos, !drawn.isEmpty());
                QCOMPARE(outcome.err.find("sizes that nothing gives are 1: n") != std::string::npos, isOpen);
                QCOMPARE(jsonLines(outcome.out).back()["drawn_inputs"].toArray(), QJsonArray::fromStringList(drawn));
            }
    }

    /// --input and --data are of whole models.
    void oneKernelHasNone() {
        const QStringList bench{"bench", file("product.onnx"), "--kernel", "matmul"};
        QCOMPARE(runLathe(bench + QStringList{"--data", data_}).code, 2);
        QCOMPARE(runLathe(bench + QStringList{"--input", "x=" + data_ + "/input_0.pb"}).code, 2);
    }

    /// The values that `identity` models draw are what they give back: tables whose element i is i.
    void drawnIntegersAreTaken_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QList<double>>("range"); // of what is given back: least and most
        QTest::newRow("rows of a table")
            << "g (int64[64] i) => (float[64] y) <float[7] t = {0,1,2,3,4,5,6}> { y = Gather (t, i) }" << QStringList()
            << QList<double>{0, 6};
        QTest::newRow("a table of one row")
            << "g (int64[64] i) => (float[64] y) <float[1] t = {0}> { y = Gather (t, i) }" << QStringList()
            << QList<double>{0, 0};
        QTest::newRow("through casts and reshapes")
            << "g (int32[8,8] i) => (float[64] y) <float[7] t = {0,1,2,3,4,5,6}, int64[1] s = {-1}> "
               "{ a = Cast <to = 7> (i) b = Reshape (a, s) y = Gather (t, b) }"
            << QStringList() << QList<double>{0, 6};
        QTest::newRow("an offset, as of position embeddings")
            << "g (int64[64] i) => (float[64] y) <float[7] t = {0,1,2,3,4,5,6}, int64 two = {2}> "
               "{ a = Add (i, two) y = Gather (t, a) }"
            << QStringList() << QList<double>{2, 6};
        QTest::newRow("a table as long as an input")
            << "g (float[n] x, int64[64] i) => (int64[64] y) { z = Gather <axis = 0> (x, i) "
               "c = Cast <to = 7> (z) d = Sub (c, c) y = Add (d, i) }"
            << QStringList{"--shape", "n=5"} << QList<double>{0, 4};
        QTest::newRow("elements") << "g (int64[3,64] i) => (float[3,64] y) <float[3,4] t = {0,1,2,3,0,1,2,3,0,1,2,3}> "
                                     "{ y = GatherElements <axis = 1> (t, i) }"
                                  << QStringList() << QList<double>{0, 3};
        QTest::newRow("places in two dims")
            << "g (int64[64,2] i) => (float[64] y) <float[3,2] t = {0,1,2,3,4,5}> { y = GatherND (t, i) }"
            << QStringList() << QList<double>{0, 3}; // both below 2
        QTest::newRow("a divisor") << "g (int64[64] i) => (int64[64] y) <int64 one = {1}> "
                                      "{ a = Div (one, i) b = Mul (a, a) c = Sub (b, b) y = Add (c, i) }"
                                   << QStringList() << QList<double>{1, 2};
        QTest::newRow("lengths of sequences")
            << "g (float[5,64] x, int64[64] i) => (int64[64] y) { a = ReverseSequence <time_axis = 0, batch_axis = 1> "
               "(x, i) m = ReduceMax <keepdims = 0> (a) c = Cast <to = 7> (m) d = Sub (c, c) y = Add (d, i) }"
            << QStringList() << QList<double>{1, 5};
        QTest::newRow("a mask") << "g (int64[64] i) => (int64[64] y) { a = Cast <to = 9> (i) y = Cast <to = 7> (a) }"
                                << QStringList() << QList<double>{0, 1};
        QTest::newRow("how many are wanted")
            << "g (float[5] x, int64[1] k) => (float[m] y, int64[m] j) { y, j = TopK (x, k) }" << QStringList()
            << QList<double>();
        QTest::newRow("indices to scatter to")
            << "g (float[3] x, int64[2] i, float[2] u) => (float[3] y) { y = ScatterElements <axis = 0> (x, i, u) }"
            << QStringList() << QList<double>();
        QTest::newRow("a step") << "g (int64 from, int64 to, int64 by) => (int64[m] y) { y = Range (from, to, by) }"
                                << QStringList() << QList<double>();
    }
    void drawnIntegersAreTaken() {
        QFETCH(QString, graph);
        QFETCH(QStringList, arguments);
        QFETCH(QList<double>, range);
        const QString path = model("integers", graph.toStdString());
        std::set<double> seen;
        for (int seed = 0; seed < 6; ++seed) {
            const QStringList command{"run", path, "--seed", QString::number(seed), "--json"};
            const Outcome outcome = runLathe(command + arguments);
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            for (const QJsonValue& value : jsonLines(outcome.out).front()["first"].toArray())
                seen.insert(value.toDouble());
        }
        if (range.isEmpty())
            return;
        QVERIFY(*seen.begin() >= range.front() && *seen.rbegin() <= range.back());
        QVERIFY2(*seen.begin() == range.front() && *seen.rbegin() == range.back(), "all of the range is drawn");
    }

    /// An artifact knows it without its model; so do the compilations of a check and of a bisection.
    void withoutTheModel() {
        const QString path =
            model("table", "g (int64[64] i) => (float[64] y) <float[1] t = {3}> { y = Gather (t, i) }");
        QCOMPARE(runLathe({"compile", path, "-o", file("table.so")}).code, 0);
        for (const QStringList& command : {QStringList{"run", file("table.so")}, QStringList{"profile", path},
                                           QStringList{"bench", path, "--rounds", "1"}, QStringList{"check", path}})
            for (const char* seed : {"1", "2"}) {
                const Outcome outcome =
                    runLathe(command + (command.front() == "bench" ? QStringList() : QStringList{"--seed", seed}));
                QVERIFY2(outcome.code == 0, outcome.err.c_str());
            }
        QCOMPARE(runLathe({"bisect", path}).code, 4); // nothing is to blame
    }
};

Test test() {
    return {makes<TestRunInputs>};
}

} // namespace lathe::testing::test_run_inputs

#include "test_run_inputs.moc"
