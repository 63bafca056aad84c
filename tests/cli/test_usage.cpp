// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// What the command line takes: words and options that are misspelt or mean nothing, names that are not there, and sizes, as
// they are given, as they are refused, and as they are fixed where a model cannot be imported without.
// In release alone: most commands compile a model, as the tests of driver/ do under sanitizers.
// Runs: release
#include "support/json_lines.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <QtCore/QJsonArray>

namespace lathe::testing::test_usage {

class TestUsage : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString model_;

    /// What does something with one model at given sizes, and its exit code where that goes well.
    std::vector<std::pair<QStringList, int>> onModels() const {
        return {{{"run"}, 0},   {{"profile"}, 0}, {{"bench"}, 0},
                {{"check"}, 0}, {{"inspect"}, 0}, {{"report", "-o", folder_.filePath("on models.html")}, 0},
                {{"bisect"}, 4}}; // nothing to blame
    }

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        model_ = folder_.filePath("model.onnx");
        writeFile(model_.toStdString(),
                  graphBytes("g (float[n,3] x, float[n,3] z) => (float[n,3] y, float[n] s) <int64[1] one = {1}> "
                             "{ [sum] a = Add (x, z) [relu] y = Relu (a) "
                             "[total] s = ReduceSum <keepdims = 0> (y, one) }"));
    }

    void misspeltWordsAreNamed() {
        const std::pair<QStringList, std::string> cases[] = {
            {{"runn", model_}, "no command 'runn': did you mean 'run'?"},
            {{"bnech", model_}, "no command 'bnech': did you mean 'bench'?"},
            {{"xylophone", model_}, "no command 'xylophone' ("},
            {{"run", model_, "--shpae", "x=5,3"}, "'lathe run' has no option '--shpae': did you mean '--shape'?"},
            {{"records", "perune"}, "'lathe records' has no command 'perune': did you mean 'prune'?"},
            {{"bundle", "chekc", model_}, "'lathe bundle' has no command 'chekc': did you mean 'check'?"},
            {{"compile", "--taget", "x86-64-v3", model_}, "no option '--taget': did you mean '--target'?"},
            {{"compile", "-x", model_}, "'lathe compile' has no option '-x' ("},
            {{"help", "compil"}, "no command 'compil': did you mean 'compile'?"}};
        for (const auto& [arguments, said] : cases) {
            const Outcome outcome = runLathe(arguments);
            QCOMPARE(outcome.code, 2);
            QVERIFY2(outcome.err.find(said) != std::string::npos, outcome.err.c_str());
        }
    }

    /// Wrong usage is a line of JSON like everything else that --json asks for.
    void usageForPrograms() {
        const QStringList cases[] = {{"frob", "--json"},
                                     {"compile", model_, "--bogus", "--json"},
                                     {"compile", "--json"},
                                     {"compile", model_, "--json"},
                                     {"run", model_, "--threads", "x", "--json"},
                                     {"run", model_, "--threads=", "--json"}};
        for (const QStringList& arguments : cases) {
            const Outcome outcome = runLathe(arguments);
            QVERIFY2(outcome.code == 2 && outcome.out.empty(), qPrintable(arguments.join(' ')));
            const QList<QJsonObject> said = jsonLines(outcome.err);
            QVERIFY2(said.size() == 1, outcome.err.c_str());
            QCOMPARE(said.front()["severity"].toString(), "error");
            QCOMPARE(said.front()["kind"].toString(), "usage");
            QVERIFY(!said.front()["hint"].toString().isEmpty());
        }
    }

    void helpAndVersion() {
        QCOMPARE(runLathe({"version"}).out, runLathe({"--version"}).out);
        const Outcome all = runLathe({"help"}), one = runLathe({"help", "bundle", "check"});
        QCOMPARE(all.code, 0);
        QVERIFY2(all.out.find("bundle") != std::string::npos, all.out.c_str());
        QCOMPARE(one.code, 0);
        QVERIFY2(one.out.find("lathe bundle check ") != std::string::npos &&
                     one.out.find("--verify-key") != std::string::npos,
                 one.out.c_str());
        // What the time is of, for the command takes longer.
        const QString tune = QString::fromStdString(runLathe({"help", "tune"}).out).simplified();
        QVERIFY2(tune.contains("once the model was compiled and run"), qPrintable(tune));
    }

    /// An option that a command has no use for is a wish that silently would not come true.
    void optionsThatMeanNothing() {
        const QString page = folder_.filePath("meaningless.html");
        const std::pair<QStringList, QString> cases[] = {
            {{"target"}, "--optional-limit=3"},
            {{"target"}, "--threads=2"}, // without --measure
            {{"diff", model_, model_}, "--numerics=strict"},
            {{"records", "list"}, "--threads=2"},
            {{"bisect", model_}, "--progress"},
            {{"bisect", model_, "--count", "kernels:9"}, "--seed=1"},
            {{"bisect", model_, "--count", "kernels:9"}, "--timeout=9"},
            {{"bisect", model_, "--count", "kernels:9"}, "--tolerance=onnx"},
            {{"bisect", model_, "--crash"}, "--tolerance=onnx"},
            {{"compile", model_, "-o", "x.so"}, "--function=main"},
            {{"compile", model_, "--emit", "c", "-o", "x"}, "--function=main"},
            {{"compile", model_, "--emit", "tir"}, "--weights=file"},
            {{"passes", model_}, "--function=main"},
            {{"passes", model_, "--kernels"}, "--function=main"},
            {{"inspect", model_}, "--optional-limit=-5"},
            {{"bench", model_}, "--size=n=2"},
            {{"bench", model_}, "--cold"},
            {{"bench", model_, "--kernel", "x"}, "--against=a=true"},
            {{"report", model_, "--no-run", "-o", page}, "--seed=1"},
            {{"report", model_, "--no-run", "-o", page}, "--memory=64"},
            {{"report", model_, "--no-run", "-o", page}, "--timeout=9"},
            {{"tune", model_, "--no-records"}, "--study=one"},
            {{"bench", model_, "--kernel", "x"}, "--data=."}};
        for (const auto& [arguments, option] : cases) {
            const Outcome outcome = runLathe(arguments + QStringList{option});
            QVERIFY2(outcome.code == 2, qPrintable(arguments.join(' ') + ' ' + option));
            QVERIFY2(outcome.err.find(option.section('=', 0, 0).toStdString()) != std::string::npos,
                     outcome.err.c_str());
        }
        QCOMPARE(runLathe({"compile", model_, "-o", "x.so", "--numerics=fast"}).code, 2);
    }

    /// What steers a compilation comes too late for an artifact; its open sizes and its threads are the run's.
    void optionsOfCompilingForAnArtifact() {
        const QString artifact = folder_.filePath("given.so");
        QCOMPARE(runLathe({"compile", model_, "-o", artifact}).code, 0);
        const QStringList options[] = {{"--target", "native"},
                                       {"--numerics", "strict"},
                                       {"--decisions", "x.json"},
                                       {"--verify"},
                                       {"--optional-limit", "0"},
                                       {"--no-cache"},
                                       {"--tuned"},
                                       {"--records", "records.db"},
                                       {"--near-records"}};
        for (const char* command : {"run", "profile", "bench"})
            for (const QStringList& option : options) {
                const Outcome outcome = runLathe(QStringList{command, artifact} + option);
                const std::string said = option.front().toStdString() + " does nothing for '" + artifact.toStdString() +
                                         "', an artifact: it is compiled already";
                QVERIFY2(outcome.code == 2 && outcome.err.find(said) != std::string::npos, outcome.err.c_str());
            }
        for (const QStringList& option : {QStringList{"--shape", "x=5,3"}, {"--threads", "1"}}) {
            QCOMPARE(runLathe(QStringList{"run", artifact} + option).code, 0);
            const Outcome compared = runLathe(QStringList{"diff", artifact, artifact} + option);
            QVERIFY2(compared.code == 2 && compared.err.find(option.front().toStdString()) != std::string::npos,
                     compared.err.c_str());
        }
    }

    void namesThatAreNotThere() {
        const QString artifact = folder_.filePath("named.so");
        QCOMPARE(runLathe({"compile", model_, "-o", artifact}).code, 0);
        const std::tuple<QStringList, std::string> cases[] = {
            {{"inspect", artifact}, "this is an artifact, compiled already (name the model that it was made of"},
            {{"passes", model_, "--after", "nosuch"}, "there is no pass 'nosuch' (there are import, "},
            {{"passes", model_, "--after", "fuse", "--function", "nosuch"}, "there is no function 'nosuch' ("},
            {{"compile", model_, "--emit", "tir", "--function", "nosuch"}, "there is no function 'nosuch' ("},
            {{"compile", model_, "--emit", "relay", "--function", "nosuch"}, ", main)"},
            {{"passes", model_, "--fusion", "--function", "nosuch"}, "there is no function 'nosuch' ("}};
        for (const auto& [arguments, said] : cases) {
            const Outcome outcome = runLathe(arguments);
            QVERIFY2(outcome.code == 2 && outcome.err.find(said) != std::string::npos, outcome.err.c_str());
        }
    }

    /// The node that meets such an input first is innocent: one sentence, kind and code, whatever is done with the model.
    void sizesThatAnInputCannotHave() {
        const QString out = folder_.filePath("unfit.out");
        const QStringList commands[] = {{"inspect", model_},
                                        {"passes", model_},
                                        {"run", model_},
                                        {"profile", model_},
                                        {"bench", model_},
                                        {"check", model_},
                                        {"tune", model_},
                                        {"compile", model_, "-o", out},
                                        {"compile", model_, "--emit", "c", "-o", out},
                                        {"report", model_, "-o", out},
                                        {"bundle", model_, "-o", folder_.filePath("unfit.bundle")},
                                        {"diff", model_, model_}};
        for (const QStringList& command : commands)
            for (const auto& [shape, said] :
                 {std::pair("x=2,4", "input 'x' is to be [2,4], but is float32[n,3] in the model"),
                  std::pair("z=1,3,1", "input 'z' is to be [1,3,1], but is float32[n,3] in the model")}) {
                const Outcome outcome = runLathe(command + QStringList{"--json", "--shape", shape});
                QVERIFY2(outcome.code == 2, (command.join(' ').toStdString() + outcome.err).c_str());
                const QJsonObject first = jsonLines(outcome.err).value(0);
                QCOMPARE(first["what"].toString(), said);
                QCOMPARE(first["kind"].toString(), "usage");
                QCOMPARE(first["node"].toString(), QString());
            }
    }

    /// Sizes by their own names, open ones, and a rank of 0.
    void sizesByName() {
        const Outcome named = runLathe({"inspect", model_, "--shape", "n=5", "--json"});
        QVERIFY2(named.code == 0, named.err.c_str());
        QCOMPARE(jsonLines(named.out).value(0)["flops"],
                 jsonLines(runLathe({"inspect", model_, "--shape", "x=5,3", "--json"}).out).value(0)["flops"]);
        for (const char* open : {"x=n,3", "x=-1,3", "x=?,3"}) {
            const Outcome outcome = runLathe({"compile", model_, "--emit", "relay", "--shape", open});
            QVERIFY2(outcome.code == 0 && outcome.out.find("float32[n{") != std::string::npos, outcome.err.c_str());
        }
        for (const char* wrong : {"x=1,3,", "x=-2,3", "x=3n,3", "m=4"})
            QCOMPARE(runLathe({"inspect", model_, "--shape", wrong}).code, 2);
        const QString scalar = folder_.filePath("scalar.onnx");
        writeFile(scalar.toStdString(), graphBytes("g (float x) => (float y) { y = Relu (x) }"));
        QCOMPARE(runLathe({"run", scalar, "--shape", "x="}).code, 0);
        QCOMPARE(runLathe({"run", scalar, "--shape", "x=1"}).code, 2);
        // The size is fixed on import, for without it the model cannot be; it has no name any more when it is run.
        const QString undeclared = folder_.filePath("undeclared too.onnx");
        writeFile(undeclared.toStdString(), graphBytes("g (float[n] x, float[] z) => (float[] y) { y = Add (x, z) }"));
        for (const auto& [command, code] : onModels()) {
            const Outcome outcome = runLathe(command + QStringList{undeclared, "--shape", "n=2", "--shape", "z=2"});
            QVERIFY2(outcome.code == code, (command.front().toStdString() + outcome.err).c_str());
        }
    }

    /// A name is one size, as if the model declared it: of inputs that share it, and of one whose rank is not declared.
    void namesOfOpenSizes() {
        const QString apart = folder_.filePath("apart.onnx"), undeclared = folder_.filePath("no rank.onnx"),
                      fixed = folder_.filePath("fixed.onnx");
        writeFile(apart.toStdString(),
                  graphBytes("g (float[a,3] x, float[b,3] z) => (float[c,3] y) { y = Add (x, z) }"));
        writeFile(undeclared.toStdString(),
                  graphBytes("g (float[batch,3] x, float[] z) => (float[] y) { y = Add (x, z) }"));
        writeFile(fixed.toStdString(), graphBytes("g (float[5,3] x) => (float[5,3] y) { y = Relu (x) }"));
        const std::tuple<QString, QStringList, std::string> cases[] = {
            {apart, {"--shape", "x=rows,3", "--shape", "z=rows,3"}, "-> float32[rows, 3] outputs"},
            {apart, {"--shape", "x=b,3"}, "-> float32[b, 3] outputs"}, // another input's own
            {apart, {"--shape", "x=rows,3", "--shape", "z=rows,3", "--shape", "rows=4"}, "-> float32[4, 3] outputs"},
            {undeclared, {"--shape", "z=batch,3"}, "-> float32[batch, 3] outputs"}};
        for (const auto& [model, sizes, type] : cases) {
            const Outcome outcome = runLathe(QStringList{"compile", model, "--emit", "relay"} + sizes);
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QVERIFY2(outcome.out.find(type) != std::string::npos, outcome.out.c_str());
        }
        QCOMPARE(runLathe({"run", undeclared, "--shape", "z=batch,3", "--shape", "batch=4"}).code, 0);
        const std::pair<QStringList, std::string> wrong[] = {
            {{fixed, "--shape", "x=n,3"}, "input 'x' is to be [n,?], but is float32[5,3] in the model"},
            {{apart, "--shape", "x=n"}, "input 'x' is to be [n], but is float32[a,3] in the model"},
            {{apart, "--shape", "a=n"}, "'a' is a size, which takes one number"},
            {{apart, "--shape", "a=2,3"}, "'a' is a size, which takes one number"},
            {{apart, "--shape", "m=n"}, "the model has no input 'm'"}};
        for (const auto& [arguments, said] : wrong)
            for (const char* command : {"inspect", "run"}) {
                const Outcome outcome = runLathe(QStringList{command} + arguments);
                QVERIFY2(outcome.code == 2 && outcome.err.find(said) != std::string::npos, outcome.err.c_str());
            }
    }

    /// Types are for what a model does not declare: of another input, another than it declares, and twice they are wrong.
    void typesOfInputs() {
        const QString model = folder_.filePath("typed.onnx");
        writeFile(model.toStdString(), graphBytes("g (float[2] x) => (float[2] y) { y = Relu (x) }"));
        QCOMPARE(runLathe({"run", model, "--type", "x=float32"}).code, 0);
        const std::pair<QStringList, std::string> wrong[] = {
            {{"--type", "q=int64"}, "the model has no input 'q' (its inputs are: x)"},
            {{"--type", "x=int64"}, "input 'x' is to be int64, but is float32[2] in the model"},
            {{"--type", "x=int64", "--type", "x=float32"}, "the type of 'x' is given twice"},
            {{"--arg", "rate=1", "--arg", "rate=2"}, "the value of 'rate' is given twice"}};
        for (const auto& [options, said] : wrong)
            for (const QStringList& command : {QStringList{"inspect"}, {"run"}, {"compile", "--emit", "relay"}}) {
                const Outcome outcome = runLathe(command + QStringList{model} + options);
                QVERIFY2(outcome.code == 2 && outcome.err.find(said) != std::string::npos, outcome.err.c_str());
                QVERIFY2(outcome.err.find(said) == outcome.err.rfind(said), outcome.err.c_str()); // once
            }
        const QString listed = folder_.filePath("listed.onnx");
        writeFile(listed.toStdString(), graphBytes("g (seq(float[2]) q) => (int64 n) { n = SequenceLength (q) }"));
        const Outcome outcome = runLathe({"inspect", listed, "--type", "q=float32"});
        QVERIFY2(outcome.code == 2 && outcome.err.find("input 'q' is to be float32, but is") != std::string::npos,
                 outcome.err.c_str());
    }

    /// Whatever a model calls its sizes: as it does, and as they are called in what is compiled of it.
    void sizesWithOddNames() {
        ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n"
                                              "g (float[n,m] x) => (float[n,m] y) { y = Relu (x) }");
        for (auto* values : {model.mutable_graph()->mutable_input(), model.mutable_graph()->mutable_output()}) {
            auto* dims = values->Mutable(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
            dims->mutable_dim(0)->set_dim_param("batch size");
            dims->mutable_dim(1)->set_dim_param("m=1");
        }
        const QString odd = folder_.filePath("odd sizes.onnx"), artifact = folder_.filePath("odd sizes.so");
        writeFile(odd.toStdString(), model.SerializeAsString());
        QCOMPARE(runLathe({"compile", odd, "-o", artifact}).code, 0);
        for (const QString& name : {QString("batch size"), QString("batch_size")})
            for (const QStringList& arguments : {QStringList{"run", odd, "--shape", name + "=2"},
                                                 {"run", artifact, "--shape", name + "=2"},
                                                 {"profile", odd, "--sweep", name + "=2", "--shape", "m=1=3"},
                                                 {"profile", artifact, "--sweep", name + "=2", "--shape", "m_1=3"}}) {
                const Outcome outcome = runLathe(arguments);
                QVERIFY2(outcome.code == 0, (arguments.join(' ').toStdString() + ": " + outcome.err).c_str());
            }
        const Outcome other = runLathe({"profile", odd, "--sweep", "batch=1:2"});
        QVERIFY2(other.code == 2 && other.err.find("no size 'batch'") != std::string::npos, other.err.c_str());
    }

    /// Where the model declares no rank, names of sizes say it, and the numbers beside them hold.
    void numbersBesideNames() {
        const QString open = folder_.filePath("no rank at all.onnx");
        writeFile(open.toStdString(), graphBytes("g (float[] x) => (float[] y) { y = Abs (x) }"));
        const Outcome outcome = runLathe({"inspect", open, "--shape", "x=a,b,3", "--json"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        const QJsonArray inputs = jsonLines(outcome.out).value(0)["inputs"].toArray();
        QCOMPARE(inputs.at(0).toObject()["shape"].toArray(), (QJsonArray{"a", "b", 3}));
    }

    void openSizesAreNamed() {
        for (const char* command : {"run", "profile", "bench"}) {
            const Outcome open = runLathe({command, model_}), given = runLathe({command, model_, "--shape", "x=5,3"});
            QVERIFY2(open.err.find("note: sizes that nothing gives are 1: n") != std::string::npos, open.err.c_str());
            QVERIFY2(given.err.find("sizes that nothing gives") == std::string::npos, given.err.c_str());
        }
    }

    /// Sizes that are given fix what cannot be imported without; given tensors say theirs.
    void sizesAreFixedAtNeed() {
        const QString open = folder_.filePath("undeclared.onnx");
        writeFile(open.toStdString(), graphBytes("g (float[] x) => (float[] y) { y = Relu (x) }"));
        QCOMPARE(runLathe({"run", open}).code, 1);
        for (const auto& [command, code] : onModels()) {
            const Outcome outcome = runLathe(command + QStringList{open, "--shape", "x=2,3"});
            QVERIFY2(outcome.code == code, (command.front().toStdString() + outcome.err).c_str());
        }
        const QString saved = folder_.filePath("undeclared");
        QCOMPARE(runLathe({"run", open, "--shape", "x=2,3", "--save", saved}).code, 0);
        const Outcome given = runLathe({"run", open, "--json", "--input", "x=" + saved + "/y.npy"});
        QVERIFY2(given.code == 0, given.err.c_str());
        QCOMPARE(jsonLines(given.out).value(0)["shape"].toArray(), (QJsonArray{2, 3}));
    }
};

Test test() {
    return {makes<TestUsage>};
}

} // namespace lathe::testing::test_usage

#include "test_usage.moc"
