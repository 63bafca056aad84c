// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// The command line as scripts see it: exit codes, JSON that parses and has the fields of its contract, files written.
// In release alone: most commands compile a model, as the tests of driver/ do under sanitizers.
// Runs: release
#include "support/json_lines.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <QtCore/QJsonArray>
#include <filesystem>
#include <map>

namespace lathe::testing::test_commands {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr bool hostIsArm = true;
#else
constexpr bool hostIsArm = false;
#endif

class TestCommands : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_, bad_;

    void hasFields(const QJsonObject& object, const QStringList& fields) {
        for (const QString& field : fields)
            QVERIFY2(object.contains(field), qPrintable("no field " + field));
    }

    static QByteArray readFile(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    static std::string tensor(const std::vector<float>& values) {
        ::onnx::TensorProto proto;
        proto.set_data_type(::onnx::TensorProto::FLOAT);
        proto.add_dims(static_cast<int64_t>(values.size()));
        proto.set_raw_data(values.data(), values.size() * sizeof(float));
        return proto.SerializeAsString();
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        bad_ = folder_.filePath("bad.onnx");
        writeFile(model_.toStdString(),
                  graphBytes("g (float[n,3] x, float[n,3] z) => (float[n,3] y, float[n] s) <int64[1] one = {1}> "
                             "{ [sum] a = Add (x, z) [relu] y = Relu (a) "
                             "[total] s = ReduceSum <keepdims = 0> (y, one) }"));
        writeFile(bad_.toStdString(), graphBytes("g (float[2] x) => (float[2] y) { [odd] y = Frobnicate (x) }"));
    }

    void exitCodes_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        const QString model = folder_.filePath("model.onnx"), bad = folder_.filePath("bad.onnx");
        QTest::newRow("version") << QStringList{"--version"} << 0;
        QTest::newRow("help") << QStringList{"--help"} << 0;
        QTest::newRow("no command") << QStringList{} << 2;
        QTest::newRow("unknown command") << QStringList{"frobnicate"} << 2;
        QTest::newRow("unknown option") << QStringList{"inspect", model, "--frobnicate"} << 2;
        QTest::newRow("no model") << QStringList{"inspect"} << 2;
        QTest::newRow("unknown short option") << QStringList{"inspect", model, "-O", "2"} << 2;
        QTest::newRow("compile without output") << QStringList{"compile", model} << 2;
        QTest::newRow("missing file") << QStringList{"inspect", "/no/such/model.onnx"} << 1;
        QTest::newRow("unsupported") << QStringList{"inspect", bad} << 1;
        QTest::newRow("unsupported run") << QStringList{"run", bad} << 1;
        QTest::newRow("malformed shape") << QStringList{"inspect", model, "--shape", "x"} << 2;
        QTest::newRow("unknown target") << QStringList{"inspect", model, "--target", "z80"} << 2;
        QTest::newRow("empty target") << QStringList{"inspect", model, "--target", ""} << 2;
        QTest::newRow("unknown numerics") << QStringList{"inspect", model, "--numerics", "sloppy"} << 2;
        QTest::newRow("no tests") << QStringList{"test", folder_.path() + "/nothing"} << 2;
        QTest::newRow("unknown tolerance") << QStringList{"test", model, "--tolerance", "none"} << 2;
        QTest::newRow("memory below 0") << QStringList{"run", model, "--memory", "-1"} << 2;
        QTest::newRow("no number of threads") << QStringList{"run", model, "--threads", "-1"} << 2;
        for (const char* time : {"-1", "0", "nan", "inf", "1e300"})
            QTest::addRow("%s seconds", time) << QStringList{"run", model, "--timeout", time} << 2;
        QTest::newRow("code that this machine cannot run")
            << QStringList{"run", model, "--target", "x86_64-unknown-linux-gnu:x86-64-v3:+egpr"} << 2;
        QTest::newRow("code for another kind of machine")
            << QStringList{"run", model, "--target", hostIsArm ? "x86-64-v2" : "aarch64-linux-gnu"} << 2;
        QTest::newRow("unknown device") << QStringList{"run", model, "--device", "quemu"} << 2;
        QTest::newRow("tests on an unknown device") << QStringList{"test", model, "--device", "qemu:"} << 2;
        QTest::newRow("another system") << QStringList{"inspect", model, "--target", "x86_64-pc-freebsd"} << 2;
        QTest::newRow("result over the model") << QStringList{"compile", model, "-o", model} << 2;
        QTest::newRow("unknown pass") << QStringList{"passes", model, "--after", "frobnicate"} << 2;
        QTest::newRow("decisions that are not there")
            << QStringList{"inspect", model, "--decisions", "/no/such.json"} << 1;
    }
    void exitCodes() {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        const Outcome outcome = runLathe(arguments);
        QVERIFY2(outcome.code == code, (std::to_string(outcome.code) + " " + outcome.err).c_str());
        QVERIFY2(!outcome.err.empty() || !outcome.out.empty(), "it said nothing");
    }

    /// A name that is no input's is the user's argument: whatever is done with it, the same code and the same words.
    void namesThatAreNoInputs_data() {
        QTest::addColumn<QStringList>("command");
        const QString out = folder_.filePath("unfit.out");
        for (const char* name : {"inspect", "passes", "run", "profile", "check", "bisect", "bench", "tune"})
            QTest::newRow(name) << QStringList{name, model_};
        QTest::newRow("compile") << QStringList{"compile", model_, "-o", out};
        QTest::newRow("report") << QStringList{"report", model_, "-o", out};
        QTest::newRow("report without a run") << QStringList{"report", model_, "-o", out, "--no-run"};
        QTest::newRow("diff") << QStringList{"diff", model_, model_};
        QTest::newRow("sweep") << QStringList{"profile", model_, "--sweep", "n=1,2"};
        QTest::newRow("count") << QStringList{"bisect", model_, "--count", "add:1"};
    }
    void namesThatAreNoInputs() {
        QFETCH(QStringList, command);
        const Outcome outcome = runLathe(command + QStringList{"--shape", "q=5,3"});
        QVERIFY2(outcome.code == 2, (std::to_string(outcome.code) + " " + outcome.err).c_str());
        QVERIFY2(outcome.err.find("model.onnx: the model has no input 'q' (its inputs are: x, z; its open sizes: n)") !=
                     std::string::npos,
                 outcome.err.c_str());
    }
    void namesOfTensorsThatAreNoInputs() {
        const QString file = folder_.filePath("given.pb");
        writeFile(file.toStdString(), tensor({1, 2}));
        for (const char* name : {"run", "profile", "check", "bisect"}) {
            const Outcome outcome = runLathe({name, model_, "--input", "q=" + file});
            QVERIFY2(outcome.code == 2 && outcome.err.find("the model has no input 'q'") != std::string::npos,
                     (name + outcome.err).c_str());
        }
    }

    void inspect() {
        const Outcome outcome = runLathe({"inspect", "--json", model_, "--shape", "x=5,3"});
        QCOMPARE(outcome.code, 0);
        const QJsonObject facts = jsonLines(outcome.out).value(0);
        hasFields(facts, {"inputs", "outputs", "states", "symbols", "operators", "parameters", "flops", "peak_bytes",
                          "unsupported"});
        const QJsonObject input = facts["inputs"].toArray().at(0).toObject();
        QCOMPARE(input["name"].toString(), "x");
        QCOMPARE(input["dtype"].toString(), "float32");
        QCOMPARE(input["shape"].toArray().size(), 2);
        QCOMPARE(facts["symbols"].toArray(), QJsonArray{"n"});
        QCOMPARE(facts["operators"].toObject()["Add"].toInt(), 1);
        QVERIFY(facts["peak_bytes"].isDouble());
    }

    /// Names with line breaks and sequences for terminals: as many lines as with names that are plain.
    void namesThatBreakLines() {
        QStringList models;
        for (const std::string& odd : {std::string("plain"), std::string("a\n  error: \x1b[31m\r\xff")}) {
            ::onnx::ModelProto network = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[2,3] x) => "
                                                    "(float[2,3] y) { [n] a = Relu (x) [m] y = Softmax (a) }");
            ::onnx::GraphProto& graph = *network.mutable_graph();
            graph.mutable_input(0)->set_name(odd);
            graph.mutable_node(0)->set_input(0, odd);
            graph.mutable_node(0)->set_name(odd + "1");
            graph.mutable_node(0)->set_output(0, odd + "2");
            graph.mutable_node(1)->set_input(0, odd + "2");
            graph.mutable_node(1)->set_name(odd + "3");
            graph.mutable_node(1)->set_output(0, odd + "4");
            graph.mutable_output(0)->set_name(odd + "4");
            network.set_producer_name(odd);
            models << folder_.filePath(QString("lines%1.onnx").arg(models.size()));
            writeFile(models.back().toStdString(), network.SerializeAsString());
        }
        const auto linesOf = [&](const QStringList& words, const QString& model) {
            const Outcome outcome = runLathe(QStringList(words).replaceInStrings("MODEL", model));
            const QString all = QString::fromLatin1(QByteArray::fromStdString(outcome.out + outcome.err));
            for (const char byte : {'\x1b', '\r', '\xff'})
                if (all.contains(QLatin1Char(byte)))
                    return qsizetype(-1);
            return all.count('\n');
        };
        for (const char* command : {"inspect MODEL", "passes MODEL", "passes --fusion MODEL", "check MODEL",
                                    "profile MODEL", "run MODEL", "inspect --shape q=1 MODEL"}) {
            const QStringList words = QString(command).split(' ');
            const qsizetype expected = linesOf(words, models[0]);
            QVERIFY2(expected > 0, command);
            QVERIFY2(linesOf(words, models[1]) == expected, command);
        }
        QCOMPARE(linesOf({"diff", models[0], models[1]}, {}), linesOf({"diff", models[1], models[0]}, {}));
        QVERIFY(linesOf({"diff", models[0], models[1]}, {}) > 0);
    }

    /// The variable of a script that is not set: said, with the option, before anything is done.
    void valuesThatAreEmpty_data() {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<QString>("option");
        const QString out = folder_.filePath("empty.out");
        for (const char* option : {"--target", "--decisions", "--shape", "--records", "--numerics", "-o", "--emit"})
            QTest::newRow(option) << QStringList{"compile", model_, option, ""}
                                  << (option == QString("-o") ? "--output" : option);
        QTest::newRow("joined") << QStringList{"compile", "--decisions=", model_, "-o", out} << "--decisions";
        QTest::newRow("a model") << QStringList{"inspect", ""} << "model";
        QTest::newRow("tune, out") << QStringList{"tune", model_, "-o", ""} << "--output";
        QTest::newRow("tune, kernel") << QStringList{"tune", model_, "--kernel", ""} << "--kernel";
        QTest::newRow("of a list") << QStringList{"run", model_, "--input", "x=y", "--input", ""} << "--input";
        QTest::newRow("within records") << QStringList{"records", "list", "--records", ""} << "--records";
        QTest::newRow("save") << QStringList{"run", model_, "--save", ""} << "--save";
        QTest::newRow("dump") << QStringList{"passes", model_, "--dump", ""} << "--dump";
        QTest::newRow("sweep") << QStringList{"profile", model_, "--sweep", ""} << "--sweep";
    }
    void valuesThatAreEmpty() {
        QFETCH(QStringList, command);
        QFETCH(QString, option);
        const Outcome outcome = runLathe(command);
        QVERIFY2(outcome.code == 2, (std::to_string(outcome.code) + outcome.out + outcome.err).c_str());
        QVERIFY2(outcome.err.find(option.toStdString() + ": ") != std::string::npos, outcome.err.c_str());
        QVERIFY2(outcome.err.find("empty") != std::string::npos, outcome.err.c_str());
    }

    void inspectOfWhatIsUnsupported() {
        const Outcome outcome = runLathe({"inspect", "--json", bad_});
        QCOMPARE(outcome.code, 1);
        const QJsonObject reason = jsonLines(outcome.out).value(0)["unsupported"].toArray().at(0).toObject();
        QCOMPARE(reason["node"].toString(), "odd");
        QVERIFY(reason["operator"].toString().contains("Frobnicate"));
        QVERIFY(!reason["reason"].toString().isEmpty());
    }

    /// A refused model is told as one that is not: a shape is one, and what is no tensor has none.
    void inputsOfWhatIsUnsupported() {
        const QString model = folder_.filePath("odd_inputs.onnx");
        writeFile(model.toStdString(),
                  graphBytes("g (float[n,3] x, seq(float[2]) s, float z) => (float[n,3] y) { y = Frobnicate (x) }"));
        const QJsonArray inputs = jsonLines(runLathe({"inspect", "--json", model}).out).value(0)["inputs"].toArray();
        QCOMPARE(inputs.size(), 3);
        QCOMPARE(inputs[0].toObject()["dtype"].toString(), "float32");
        QCOMPARE(inputs[0].toObject()["shape"].toArray(), (QJsonArray{"n", 3}));
        QCOMPARE(inputs[1].toObject()["dtype"].toString(), "sequence(float32[2])");
        QVERIFY(!inputs[1].toObject().contains("shape"));
        const std::string text = runLathe({"inspect", model}).out;
        for (const char* line :
             {"input   x: float32 [n,3]\n", "input   s: sequence(float32[2])\n", "input   z: float32"})
            QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    }

    void diagnosticsAreJson() {
        const Outcome outcome = runLathe({"compile", "--json", bad_, "-o", folder_.filePath("bad.so")});
        QCOMPARE(outcome.code, 1);
        const QJsonObject diagnostic = jsonLines(outcome.err).value(0);
        hasFields(diagnostic, {"severity", "kind", "file", "node", "operator", "what", "hint"});
        QCOMPARE(diagnostic["severity"].toString(), "error");
        QCOMPARE(diagnostic["kind"].toString(), "invalid");
        QVERIFY(!QFile::exists(folder_.filePath("bad.so")));
    }

    void passes() {
        const Outcome outcome = runLathe({"passes", "--json", model_});
        QCOMPARE(outcome.code, 0);
        const auto records = jsonLines(outcome.out);
        QVERIFY(records.size() > 10);
        for (const QJsonObject& record : records)
            hasFields(record, {"pass", "stage", "required", "enabled", "ran", "ms", "changed"});
        QCOMPARE(records.first()["pass"].toString(), "import");
    }

    /// A figure that is not known is absent, not 0: bindings where no module stands, work while a size is open.
    void figuresOfPassesAreTrue() {
        const auto recordsOf = [this](const QStringList& more) {
            std::map<QString, QJsonObject> records;
            for (const QJsonObject& record : jsonLines(runLathe(QStringList{"passes", "--json", model_} + more).out))
                records[record["pass"].toString()] = record;
            return records;
        };
        const QStringList fixed = {"--shape", "x=5,3", "--shape", "z=5,3"};
        auto open = recordsOf({}), known = recordsOf(fixed);
        for (const auto& [name, record] : known) {
            const QString stage = record["stage"].toString();
            const bool graph = stage == "import" || stage == "relay";
            QCOMPARE(record.contains("bindings"), graph);
            QVERIFY(!record.contains("bindings") || record["bindings"].toInt() > 0);
            QCOMPARE(record.contains("statements_delta"), stage == "tir" && record["changed"].toBool());
            QCOMPARE(record.contains("bindings_delta"), stage == "relay" && record["changed"].toBool());
            QCOMPARE(record.contains("flops"), name == "make entry" || graph);
        }
        QVERIFY(!open["make entry"].contains("flops") && !open["fuse"].contains("flops"));
        QVERIFY(known["fuse"]["bytes_delta"].toDouble() < 0); // what is within a kernel is not moved
        const QJsonObject facts = jsonLines(runLathe(QStringList{"inspect", "--json", model_} + fixed).out).value(0);
        QCOMPARE(known["make entry"]["flops"].toDouble(), facts["flops"].toDouble());
        QVERIFY(known["make entry"].contains("peak_bytes"));
    }

    /// What joined, what did not and why; a pair of it is a decision as it is printed.
    void passesFusion() {
        const Outcome outcome = runLathe({"passes", "--json", "--fusion", model_});
        QCOMPARE(outcome.code, 0);
        QJsonObject joined;
        QStringList reasons;
        for (const QJsonObject& function : jsonLines(outcome.out)) {
            hasFields(function, {"function", "members", "joined", "apart"});
            QVERIFY(!function["members"].toArray().isEmpty());
            for (const QJsonValue pair : function["joined"].toArray())
                joined = pair.toObject();
            for (const QJsonValue pair : function["apart"].toArray()) {
                hasFields(pair.toObject(), {"producer", "consumer", "outcome", "reason"});
                if (pair["producer"].toObject()["node"] == "relu")
                    reasons << pair["outcome"].toString(); // y is an output, and is summed up
            }
        }
        QVERIFY(reasons.contains("escapes"));
        QCOMPARE(joined["producer"].toObject()["node"].toString(), "sum");
        QCOMPARE(joined["consumer"].toObject()["node"].toString(), "relu");
        const Outcome text = runLathe({"passes", "--fusion", model_});
        QVERIFY2(text.out.find("not with") != std::string::npos, text.out.c_str());

        const QString decisions = folder_.filePath("apart.json");
        writeFile(decisions.toStdString(),
                  QJsonDocument(QJsonObject{{"apart", QJsonArray{joined}}}).toJson().toStdString());
        const Outcome apart = runLathe({"passes", "--fusion", model_, "--decisions", decisions});
        QVERIFY2(apart.out.find("A decision keeps the two apart.") != std::string::npos, apart.out.c_str());
        QCOMPARE(runLathe({"passes", model_, "--fusion", "--choices"}).code, 2);
    }

    void passesDump() {
        const QString dump = folder_.filePath("dump");
        QCOMPARE(runLathe({"passes", model_, "--dump", dump}).code, 0);
        QVERIFY(QFile::exists(dump + "/entry.tir"));
        // Of a model that fails before a pass, why is said once.
        const Outcome failed = runLathe({"passes", model_, "--after", "fuse", "--shape", "nosuch=1"});
        QCOMPARE(failed.code, 2);
        QVERIFY2(failed.err.find("'nosuch'") != std::string::npos, failed.err.c_str());
        QVERIFY2(failed.err.find("no pass") == std::string::npos, failed.err.c_str());
        const Outcome after = runLathe({"passes", model_, "--after", "fuse"});
        QCOMPARE(after.code, 0);
        QVERIFY(after.out.find("fn main") != std::string::npos);
    }

    /// One object that says of what the text is, which is the same as people read.
    void textsForPrograms() {
        const std::tuple<QStringList, QString, QString> cases[] = {
            {{"compile", model_, "--emit", "relay"}, "stage", "relay"},
            {{"compile", model_, "--emit", "tir"}, "stage", "tir"},
            {{"compile", model_, "--emit", "asm"}, "stage", "asm"},
            {{"passes", model_, "--after", "fuse"}, "pass", "fuse"},
            {{"passes", model_, "--diff", "fuse"}, "pass", "fuse"}};
        for (const auto& [arguments, key, name] : cases) {
            const QString people = QString::fromStdString(runLathe(arguments).out);
            const Outcome outcome = runLathe(arguments + QStringList{"--json"});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            const QList<QJsonObject> lines = jsonLines(outcome.out);
            QCOMPARE(lines.size(), 1);
            QCOMPARE(lines[0][key].toString(), name);
            QVERIFY(!lines[0].contains("function")); // none was named
            QString text = lines[0]["text"].toString();
            for (const QJsonValue& line : lines[0]["diff"].toArray())
                text += line.toString() + "\n";
            QVERIFY(!text.isEmpty());
            QCOMPARE(text, people);
        }
        for (const QStringList& arguments :
             {QStringList{"compile", model_, "--emit", "relay"}, {"passes", model_, "--after", "import"}}) {
            const Outcome outcome = runLathe(arguments + QStringList{"--function", "main", "--json"});
            QCOMPARE(jsonLines(outcome.out).value(0)["function"].toString(), "main");
        }
        const QString file = folder_.filePath("stage.relay");
        const Outcome written = runLathe({"compile", model_, "--emit", "relay", "-o", file, "--json"});
        QCOMPARE(jsonLines(written.out).value(0)["file"].toString(), file);
        QVERIFY(readFile(file).contains("fn main"));
    }

    /// What memory grows by, in a line that can be read; counts of the same operator are told apart.
    void memoryOfDynamicModels() {
        const QString counts = folder_.filePath("counts.onnx");
        writeFile(counts.toStdString(),
                  graphBytes("g (float[n] x) => (int64[1, a] p, int64[1, b] q) { one = Relu (x) "
                             "two = Exp (x) i = NonZero (one) j = NonZero (two) p = Neg (i) q = Neg (j) }"));
        const std::string text = runLathe({"inspect", counts}).out;
        QVERIFY2(text.find("by n (--shape gives them), and by what only running tells: nonzero, nonzero_2") !=
                     std::string::npos,
                 text.c_str());
    }

    /// The system's word for it, whatever the file system says of files without names.
    void folderThatWasRemoved() {
        const Outcome outcome =
            runProgram("/bin/sh", {"-c", "mkdir \"$2\" && cd \"$2\" && rmdir \"$2\" && \"$0\" compile \"$1\" -o g.so",
                                   LATHE_BINARY_DIR "/lathe", model_, folder_.filePath("gone")});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.find("cannot write 'g.so': No such file or directory") != std::string::npos,
                 outcome.err.c_str());
    }

    void memoryThatDoesNotHoldTheInputs() {
        const QString large = folder_.filePath("large.onnx");
        writeFile(large.toStdString(), graphBytes("g (float[n] x) => (float[n] y) { y = Relu (x) }"));
        const Outcome outcome = runLathe({"run", large, "--shape", "x=40000000", "--memory", "100"});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.find("does not hold its inputs (allow it more (--memory)") != std::string::npos,
                 outcome.err.c_str());
    }

    void integersArePrintedWhole() {
        const QString whole = folder_.filePath("integers.onnx");
        writeFile(whole.toStdString(),
                  graphBytes("g (int64[2] x) => (int64[2] y) { z = Sub (x, x) c = Constant <value = int64[2] {1234567, "
                             "9007199254740993}> () y = Add (z, c) }"));
        const Outcome text = runLathe({"run", whole}), json = runLathe({"run", whole, "--json"});
        QVERIFY2(text.out.find("y: int64[2] 1234567 9007199254740993\n") != std::string::npos, text.out.c_str());
        QVERIFY2(json.out.find("\"first\":[1234567,9007199254740993]") != std::string::npos, json.out.c_str());
    }

    /// What there is one of is spoken of as one.
    void oneOfEach() {
        const QString model = folder_.filePath("relu.onnx"), page = folder_.filePath("relu.html");
        writeFile(model.toStdString(), graphBytes("g (float[2] x) => (float[2] y) { y = Relu (x) }"));
        const std::pair<QStringList, std::string> cases[] = {
            {{"compile", model, "-o", folder_.filePath("relu.so")}, " s, 1 kernel for 1 call, "},
            {{"inspect", model}, ", 1 node, 0 parameters\n"},
            {{"profile", model}, " ms in 1 call\n"},
            {{"bench", model, "--rounds", "1", "--threads", "1"}, "  1 round  "}};
        for (const auto& [arguments, said] : cases) {
            const Outcome outcome = runLathe(arguments);
            QVERIFY2(outcome.out.find(said) != std::string::npos, (outcome.out + outcome.err).c_str());
        }
        QCOMPARE(runLathe({"report", model, "-o", page}).code, 0);
        QVERIFY(readFile(page).contains("the middle half of them 1 kernel call takes "));
    }

    void compileAndRunTheArtifact() {
        const QString artifact = folder_.filePath("model.so"), saved = folder_.filePath("saved");
        const Outcome compiled = runLathe({"compile", "--json", model_, "-o", artifact});
        QVERIFY2(compiled.code == 0, compiled.err.c_str());
        hasFields(jsonLines(compiled.out).value(0), {"artifact", "seconds", "bytes"});
        const Outcome run = runLathe({"run", "--json", artifact, "--shape", "x=5,3", "--save", saved});
        QVERIFY2(run.code == 0, run.err.c_str());
        const auto outputs = jsonLines(run.out);
        QCOMPARE(outputs.size(), 2);
        hasFields(outputs[0], {"output", "dtype", "shape", "first", "ms"});
        QCOMPARE(outputs[0]["shape"].toArray(), (QJsonArray{5, 3}));
        QVERIFY(QFile::exists(saved + "/y.npy") && QFile::exists(saved + "/s.npy"));
        // The same seed gives the same inputs, so the model's own run agrees.
        const Outcome again = runLathe({"run", "--json", model_, "--shape", "x=5,3"});
        QCOMPARE(jsonLines(again.out).value(1)["first"], outputs[1]["first"]);
    }

    /// The file beside the artifact has a name that nobody gave: nothing of anybody's goes with it.
    void weightsInAFileOfTheirOwn() {
        const QString model = folder_.filePath("scaled.onnx"), artifact = folder_.filePath("scaled.so"),
                      whole = folder_.filePath("whole.so"), weights = folder_.filePath("scaled.weights");
        writeFile(model.toStdString(),
                  graphBytes("g (float[2] x) => (float[2] y) <float[2] w = {3, 5}> { y = Mul (x, w) }"));
        const QStringList words{"compile", model, "--weights", "file", "-o"};
        writeFile(weights.toStdString(), "somebody's");
        const Outcome kept = runLathe(words + QStringList{artifact});
        QCOMPARE(kept.code, 1);
        QVERIFY2(kept.err.find("scaled.weights") != std::string::npos, kept.err.c_str());
        QCOMPARE(readFile(weights), "somebody's");
        QVERIFY(!QFile::exists(artifact));
        QVERIFY(QFile::remove(weights));
        for (int again = 0; again < 2; ++again)
            QCOMPARE(runLathe(words + QStringList{artifact}).code, 0);
        QCOMPARE(runLathe({"compile", model, "-o", whole}).code, 0);
        writeFile(folder_.filePath("two.pb").toStdString(), tensor({1, 2}));
        const auto result = [&](const QString& of) {
            return runLathe({"run", of, "--input", "x=" + folder_.filePath("two.pb")}).out;
        };
        const std::string expected = result(whole);
        QVERIFY2(expected.find("3 10") != std::string::npos, expected.c_str());
        QCOMPARE(result(artifact).substr(0, expected.find('\n')), expected.substr(0, expected.find('\n')));
        QVERIFY(QFile::remove(weights));
        QVERIFY(runLathe({"run", artifact, "--input", "x=" + folder_.filePath("two.pb")}).code != 0);
        QCOMPARE(runLathe({"compile", model, "--weights", "arrays", "-o", artifact}).code, 2);
        QCOMPARE(runLathe({"compile", model, "--name", "it", "-o", artifact}).code, 2);
        QCOMPARE(runLathe({"compile", model, "--weights", "file", "-o", folder_.filePath("libit.a")}).code, 2);
    }

    void emitStages() {
        for (const char* stage : {"relay", "tir", "llvm", "asm"}) {
            const Outcome outcome = runLathe({"compile", model_, "--emit", stage});
            QVERIFY2(outcome.code == 0 && outcome.out.size() > 100, stage);
        }
        QCOMPARE(runLathe({"compile", model_, "--emit", "tea"}).code, 2);
    }

    void profile() {
        const Outcome outcome = runLathe({"profile", "--json", model_, "--shape", "x=64,3"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        for (const QJsonObject& line : jsonLines(outcome.out))
            hasFields(line, {"function", "kernel", "ms", "share", "gflops", "gbs", "nodes"});
    }

    void profileInTime() {
        const QString file = folder_.filePath("timeline.json");
        const Outcome outcome = runLathe({"profile", "--json", model_, "--timeline", file});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const QJsonArray events = QJsonDocument::fromJson(readFile(file)).object()["traceEvents"].toArray();
        QSet<QString> called, profiled;
        for (const QJsonValue& event : events)
            if (event["cat"].toString() == "call")
                called << event["name"].toString();
        for (const QJsonObject& line : jsonLines(outcome.out))
            profiled << line["function"].toString();
        QCOMPARE(called, profiled);
        QCOMPARE(runLathe({"profile", model_, "--timeline", folder_.filePath("no/such/folder.json")}).code, 1);
    }

    void profileAdvises() {
        const Outcome outcome = runLathe({"profile", "--json", model_, "--advice", "--shape", "x=64,3"});
        QCOMPARE(outcome.code, 0);
        QHash<QString, QString> steps; // by rule
        for (const QJsonObject& line : jsonLines(outcome.out))
            if (line.contains("advice"))
                steps[line["advice"].toString()] = line["step"].toString();
        QCOMPARE(steps.value("unchecked"), QString("check")); // of whatever model
        QCOMPARE(runLathe({"profile", "--advice", model_, "--sweep", "n=1,2"}).code, 2);
    }

    void profileOverASize() {
        const Outcome outcome = runLathe({"profile", "--json", model_, "--sweep", "n=2:6:2"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QList<int> sizes;
        for (const QJsonObject& line : jsonLines(outcome.out)) {
            sizes << line["size"].toInt();
            QVERIFY(line["runs"].toInt() >= 5);
            QVERIFY(line["least_ms"].toDouble() > 0);
            QVERIFY(line["least_ms"].toDouble() <= line["low_ms"].toDouble());
            QVERIFY(line["low_ms"].toDouble() <= line["median_ms"].toDouble());
            QVERIFY(line["median_ms"].toDouble() <= line["high_ms"].toDouble());
        }
        QCOMPARE(sizes, QList<int>({2, 4, 6}));
        QCOMPARE(runLathe({"profile", model_, "--sweep", "n=3:1"}).code, 2);
        const Outcome other = runLathe({"profile", model_, "--sweep", "batch=1,2"});
        QCOMPARE(other.code, 2);
        QVERIFY(other.err.find("it leaves open: n") != std::string::npos);
    }

    /// Each choice stands with one function, the one that it was made for.
    void profileWithChoices() {
        const QString model = folder_.filePath("convolution.onnx");
        ::onnx::ModelProto network = parseModel(
            "<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,32,28,28] x) => (float[a,b,c,d] y) {\n"
            "  s = Conv<pads=[1,1,1,1]>(x, w)  r = Relu(s)  y = MaxPool<kernel_shape=[2,2], strides=[2,2]>(r)\n}");
        addWeights(network, "w", {64, 32, 3, 3}, [](int64_t i) { return static_cast<float>(i % 7) - 3; });
        writeFile(model.toStdString(), network.SerializeAsString());
        QStringList chosen, shown;
        for (const QJsonObject& line : jsonLines(runLathe({"passes", "--json", "--choices", model}).out))
            chosen.append(QJsonDocument(line).toJson());
        const Outcome outcome = runLathe({"profile", "--json", "--choices", model});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        for (const QJsonObject& line : jsonLines(outcome.out))
            for (const QJsonValue choice : line["choices"].toArray()) {
                shown.append(QJsonDocument(choice.toObject()).toJson());
                if (choice.toObject().contains("variant"))
                    QVERIFY2(line["function"].toString().contains("conv"), outcome.out.c_str());
            }
        chosen.sort();
        shown.sort();
        QVERIFY(!chosen.isEmpty());
        QCOMPARE(shown, chosen);
        const QString artifact = folder_.filePath("convolution.so");
        QCOMPARE(runLathe({"compile", model, "-o", artifact}).code, 0);
        QCOMPARE(runLathe({"profile", "--choices", artifact}).code, 1);
    }

    void bench() {
        const Outcome outcome = runLathe({"bench", "--json", model_, "--rounds", "2"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        hasFields(jsonLines(outcome.out).value(0),
                  {"model", "threads", "runtime", "median_ms", "min_ms", "rounds", "compile_s", "peak_bytes"});
    }

    /// The contender is given the sizes of --shape, in files that NumPy reads.
    void benchAgainst() {
        const QString script = folder_.filePath("contender.sh"), seen = folder_.filePath("seen");
        writeFile(script.toStdString(),
                  "for i in 0 1; do head -c 128 \"$3/input_$i.npy\" | tr -cd '[:print:]'; done > '" +
                      seen.toStdString() + "'\necho ready\nwhile read line; do echo 1000; done\n");
        const Outcome outcome = runLathe(
            {"bench", "--json", model_, "--rounds", "2", "--shape", "x=7,3", "--against", "probe=sh '" + script + "'"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QCOMPARE(jsonLines(outcome.out).size(), 2);
        QFile file(seen);
        QVERIFY(file.open(QFile::ReadOnly));
        const QString headers = file.readAll();
        QCOMPARE(headers.count("(7, 3)"), 2); // of x, and of z by the same symbol
        QCOMPARE(headers.count("'<f4'"), 2);
    }

    /// Three contenders: each runs once a round, and each comes first in its turn.
    void benchAgainstTwo() {
        const QString script = folder_.filePath("turns.sh"), turns = folder_.filePath("turns");
        writeFile(script.toStdString(), "name=$1\necho ready\nwhile read line; do echo $name >> '" +
                                            turns.toStdString() + "'; echo 1000; done\n");
        const QString command = "=sh '" + script + "' ";
        const Outcome outcome = runLathe({"bench", "--json", model_, "--rounds", "3", "--against", "a" + command + "a",
                                          "--against", "b" + command + "b"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const auto rows = jsonLines(outcome.out);
        QCOMPARE(rows.size(), 3);
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(rows[i]["runtime"].toString(), QString(i == 0 ? "lathe" : i == 1 ? "a" : "b"));
            QCOMPARE(rows[i]["rounds"].toInt(), 3);
        }
        QFile file(turns);
        QVERIFY(file.open(QFile::ReadOnly));
        // To warm up, then (lathe) a b, a b (lathe), b (lathe) a.
        QCOMPARE(QString(file.readAll()).simplified(), QString("a a b b a b a b b a"));
    }

    void test() {
        // y = x + 1, with right and with wrong expected data.
        const fs::path root = folder_.filePath("tests").toStdString();
        for (const bool right : {true, false}) {
            const fs::path set = root / (right ? "right" : "wrong") / "test_data_set_0";
            fs::create_directories(set);
            writeFile(set.parent_path() / "model.onnx",
                      graphBytes("g (float[n] x) => (float[n] y) <float one = {1}> { y = Add (x, one) }"));
            writeFile(set / "input_0.pb", tensor({1, 2}));
            writeFile(set / "output_0.pb", tensor({2, right ? 3.0F : 3.5F}));
        }
        // Of an input without a declared shape the data tells it.
        const fs::path undeclared = root / "undeclared" / "test_data_set_0";
        fs::create_directories(undeclared);
        writeFile(undeclared.parent_path() / "model.onnx", graphBytes("g (float[] x) => (float[] y) { y = Neg (x) }"));
        writeFile(undeclared / "input_0.pb", tensor({1, 2}));
        writeFile(undeclared / "output_0.pb", tensor({-1, -2}));
        fs::create_directories(root / "refused");
        fs::copy_file(bad_.toStdString(), root / "refused" / "model.onnx");
        const Outcome outcome = runLathe({"test", "--json", QString::fromStdString(root.string())});
        QCOMPARE(outcome.code, 1);
        auto results = jsonLines(outcome.out);
        QCOMPARE(results.size(), 5);
        const QJsonObject counts = results.takeLast();
        QCOMPARE(counts["passed"].toInt(), 2);
        QCOMPARE(counts["wrong"].toInt(), 1);
        QCOMPARE(counts["refused"].toInt(), 1);
        QCOMPARE(counts["crashed"].toInt() + counts["timeout"].toInt(), 0);
        for (const QJsonObject& result : results)
            hasFields(result, {"path", "outcome", "ms", "message"});
        QCOMPARE(runLathe({"test", QString::fromStdString((root / "right").string())}).code, 0);
    }

    /// Only what depends on a draw may have any values, and no output any shape.
    void testOfRandomOutputs_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QList<float>>("drawn"); // the expected output 0
        QTest::addColumn<QList<float>>("exact"); // the expected output 1
        QTest::addColumn<QString>("outcome");
        const QString uniform = "r = RandomUniformLike <low = 5.0, high = 6.0> (x) y = Relu (x)";
        QTest::newRow("any values") << uniform << QList<float>{7, 8} << QList<float>{1, 2} << "passed";
        QTest::newRow("wrong beside a draw") << uniform << QList<float>{7, 8} << QList<float>{1, 3} << "wrong";
        QTest::newRow("wrong shape of a draw") << uniform << QList<float>{7, 8, 9} << QList<float>{1, 2} << "wrong";
        QTest::newRow("a draw that is not given out") << "u = RandomUniformLike (x) r = Neg (x) y = Relu (x)"
                                                      << QList<float>{-1, 3} << QList<float>{1, 2} << "wrong";
        QTest::newRow("0 or 1") << "p = Sigmoid (x) r = Bernoulli (p) y = Relu (x)" << QList<float>{7, 8}
                                << QList<float>{1, 2} << "passed";
        QTest::newRow("no training") << "t = Constant <value = bool {0}> () k = Constant <value = float {0.5}> () r = "
                                        "Dropout (x, k, t) y = Relu (x)"
                                     << QList<float>{1, 3} << QList<float>{1, 2} << "wrong";
        QTest::newRow("training") << "t = Constant <value = bool {1}> () k = Constant <value = float {0.5}> () r = "
                                     "Dropout (x, k, t) y = Relu (x)"
                                  << QList<float>{7, 8} << QList<float>{1, 2} << "passed";
    }
    void testOfRandomOutputs() {
        QFETCH(QString, nodes);
        QFETCH(QList<float>, drawn);
        QFETCH(QList<float>, exact);
        QFETCH(QString, outcome);
        const QTemporaryDir root;
        const fs::path set = fs::path(root.path().toStdString()) / "test_data_set_0";
        fs::create_directories(set);
        writeFile(set.parent_path() / "model.onnx",
                  graphBytes("g (float[2] x) => (float[2] r, float[2] y) { " + nodes.toStdString() + " }"));
        writeFile(set / "input_0.pb", tensor({1, 2}));
        writeFile(set / "output_0.pb", tensor({drawn.begin(), drawn.end()}));
        writeFile(set / "output_1.pb", tensor({exact.begin(), exact.end()}));
        const QJsonObject result = jsonLines(runLathe({"test", "--json", root.path()}).out).value(0);
        QVERIFY2(result["outcome"].toString() == outcome,
                 qPrintable(result["outcome"].toString() + " " + result["message"].toString()));
    }
};

Test test() {
    return {makes<TestCommands>};
}

} // namespace lathe::testing::test_commands

#include "test_commands.moc"
