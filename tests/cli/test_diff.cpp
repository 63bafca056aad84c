// SPDX-License-Identifier: Apache-2.0
// Needs: lathe lathe-runner
// Links: onnx
//
// `lathe diff` as scripts see it: 0 equal, 1 different, 2 for what cannot be compared; what it says of models and artifacts.
#include "project/file.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_diff {

class TestDiff : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString model(const QString& name, const std::string& graph) {
        const QString path = folder_.filePath(name);
        writeFile(path.toStdString(), graphBytes(graph));
        return path;
    }

    QString compiled(const QString& model, const QString& name, const QStringList& more = {}) {
        const QString path = folder_.filePath(name);
        const Outcome outcome = runLathe(QStringList{"compile", model, "-o", path} + more);
        if (outcome.code != 0)
            qWarning("%s", outcome.err.c_str());
        return path;
    }

    QString project(const QString& name, const QString& model, const lathe::driver::Decisions& decisions,
                    const std::string& settings) {
        const QString path = folder_.filePath(name);
        lathe::project::Project work;
        work.model.path = model.toStdString();
        work.decisions = decisions;
        work.kept = {{lathe::project::settingsKey, settings}, {"page", name.toStdString()}};
        if (!lathe::project::File::create(path.toStdString(), work))
            qWarning("cannot write a project");
        return path;
    }

    static QList<QJsonObject> lines(const Outcome& outcome) {
        QList<QJsonObject> objects;
        for (const QByteArray& line : QByteArray::fromStdString(outcome.out).trimmed().split('\n'))
            objects.push_back(QJsonDocument::fromJson(line).object());
        return objects;
    }

    QString one_, renamed_, other_, odd_;

private slots:
    void initTestCase() {
        qputenv("LATHE_CACHE", folder_.filePath("cache").toLocal8Bit());
        const char* graph =
            "g (float[n,3] x) => (float[n,3] y) <float[3] w = {1,2,3}> { [a] b = Add (x, w) [c] d = Relu (b) "
            "[e] f = Sin (d) [s] y = Softmax (f) }";
        std::string other = graph, renamed = graph;
        other.replace(other.find("Sin"), 3, "Cos");
        renamed.replace(renamed.find("[c]"), 3, "[r]");
        one_ = model("one.onnx", graph);
        other_ = model("other.onnx", other);
        renamed_ = model("renamed.onnx", renamed);
        odd_ = model("odd.onnx", "g (float[2] x) => (float[2] y) { [odd] y = Frobnicate (x) }");
        writeFile(folder_.filePath("damaged.onnx").toStdString(), "no model");
        compiled(one_, "one.so");
    }

    void exitCodes_data() {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("said");
        const auto at = [&](const char* name) { return folder_.filePath(name); };
        QTest::newRow("itself") << QStringList{at("one.onnx"), at("one.onnx")} << 0 << "4 the same";
        QTest::newRow("renamed") << QStringList{at("one.onnx"), at("renamed.onnx")} << 0 << "r (Relu), renamed from c";
        QTest::newRow("different") << QStringList{at("one.onnx"), at("other.onnx")} << 1 << "Sin-7 → ai.onnx.Cos-7";
        QTest::newRow("unsupported") << QStringList{at("odd.onnx"), at("odd.onnx")} << 0 << "1 the same";
        QTest::newRow("missing") << QStringList{at("one.onnx"), at("nothing.onnx")} << 2 << "nothing.onnx";
        QTest::newRow("damaged") << QStringList{at("damaged.onnx"), at("one.onnx")} << 2 << "damaged.onnx";
        QTest::newRow("model and artifact") << QStringList{at("one.onnx"), at("one.so")} << 2 << "compare two";
        QTest::newRow("one file") << QStringList{at("one.onnx")} << 2 << "after";
    }
    void exitCodes() {
        QFETCH(QStringList, files);
        QFETCH(int, code);
        QFETCH(QString, said);
        const Outcome outcome = runLathe(QStringList{"diff"} + files);
        const std::string all = outcome.out + outcome.err;
        QVERIFY2(outcome.code == code, all.c_str());
        QVERIFY2(all.find(said.toStdString()) != std::string::npos, all.c_str());
    }

    void modelsAsJson() {
        const auto objects = lines(runLathe({"diff", "--json", one_, other_}));
        QCOMPARE(objects.size(), 2);
        QCOMPARE(objects[0]["node"].toString(), "e");
        QCOMPARE(objects[0]["change"].toString(), "changed");
        QCOMPARE(objects[0]["changes"].toArray().size(), 1);
        QVERIFY(!objects[1]["equal"].toBool(true));
        QCOMPARE(objects[1]["same"].toInt(), 3);
    }

    /// A project stands for its model; where a window was left is no difference.
    void projects() {
        lathe::driver::Decisions fewer, other;
        fewer.skipPasses = {"fuse", "unroll"};
        other.skipPasses = {"fuse"};
        other.optionalLimit = 5;
        const QString a = project("a.lathe", one_, fewer, "{\"threads\":0,\"sizes\":{\"n\":4},\"target\":\"native\"}"),
                      same = project("same.lathe", one_, fewer,
                                     "{\"threads\":0,\"sizes\":{\"n\":4},\"target\":\"native\"}"),
                      b = project("b.lathe", other_, other,
                                  "{\"threads\":2,\"sizes\":{\"n\":8},\"target\":\"native\"}");
        const Outcome equal = runLathe({"diff", a, same});
        QVERIFY2(equal.code == 0, (equal.out + equal.err).c_str());
        const Outcome different = runLathe({"diff", a, b});
        QCOMPARE(different.code, 1);
        for (const char* said : {"- decision skip unroll: yes\n", "+ decision optional_limit: 5\n",
                                 "~ setting threads: 0 → 2\n", "~ setting sizes n: 4 → 8\n", "Sin-7 → ai.onnx.Cos-7"})
            QVERIFY2(different.out.find(said) != std::string::npos, different.out.c_str());
        for (const char* silent : {"skip fuse", "target", "page"})
            QVERIFY2(different.out.find(silent) == std::string::npos, different.out.c_str());
        const auto objects = lines(runLathe({"diff", "--json", a, b}));
        QCOMPARE(objects.first()["decision"].toString(), "optional_limit");
        QCOMPARE(objects.last()["decided"].toInt(), 4);
        QVERIFY(!objects.last()["equal"].toBool(true));
        // The same model, decided otherwise.
        QCOMPARE(runLathe({"diff", a, project("c.lathe", one_, other, "{}")}).code, 1);
        // The same model, of which one work is about a part.
        const auto parts = lines(runLathe({"diff", "--json", project("whole.lathe", one_, fewer, "{}"),
                                           project("part.lathe", one_, fewer, "{\"graph\":{\"outputs\":[\"b\"]}}")}));
        QCOMPARE(parts.first()["setting"].toString(), "graph outputs");
        QCOMPARE(parts.last()["same"].toInt(), 1);
        // What cannot be read is not equal to nothing.
        QCOMPARE(
            runLathe({"diff", project("d.lathe", one_, other, "{}"), project("e.lathe", one_, other, "{\"threads")})
                .code,
            1);
        // A model has no decisions to compare.
        QCOMPARE(runLathe({"diff", a, one_}).code, 0);
        QCOMPARE(runLathe({"diff", one_, b}).code, 1);
        QCOMPARE(runLathe({"diff", a, folder_.filePath("one.so")}).code, 2);
        writeFile(folder_.filePath("text.lathe").toStdString(), "no project, and longer than any header of a file");
        const Outcome text = runLathe({"diff", a, folder_.filePath("text.lathe")});
        QVERIFY2(text.code == 2 && text.err.find("no project of Lathe") != std::string::npos, text.err.c_str());
    }

    /// Two projects of one path, written when other files stood there; what is compared is the file of now, which is said.
    void projectsOfOtherContents() {
        const auto written = [&](const QString& name, const QString& model) {
            lathe::project::Project work;
            work.model = *lathe::project::referenceTo(model.toStdString());
            work.model.path = one_.toStdString();
            const QString path = folder_.filePath(name);
            if (!lathe::project::File::create(path.toStdString(), work))
                qWarning("cannot write a project");
            return path;
        };
        const QString now = written("now.lathe", one_), again = written("again.lathe", one_),
                      then = written("then.lathe", other_);
        QCOMPARE(runLathe({"diff", now, again}).code, 0);
        const Outcome different = runLathe({"diff", now, then});
        QVERIFY2(different.code == 1, (different.out + different.err).c_str());
        QVERIFY2(different.out.find("~ model contents: ") != std::string::npos, different.out.c_str());
        QVERIFY2(different.out.find("equal structure, of other files: ") != std::string::npos, different.out.c_str());
        QVERIFY2(different.err.find("one.onnx: the model has changed since the project was written") !=
                     std::string::npos,
                 different.err.c_str());
        const auto objects = lines(runLathe({"diff", "--json", now, then}));
        QCOMPARE(objects.first()["model"].toString(), "contents");
        QVERIFY(!objects.last()["equal"].toBool(true));
        QCOMPARE(objects.last()["decided"].toInt(-1), 0);
    }

    /// Compiling twice gives the same; a pass more or less is seen in the kernels; other weights in one constant.
    void artifacts() {
        const QString one = folder_.filePath("one.so"), again = compiled(one_, "again.so");
        const Outcome equal = runLathe({"diff", one, again});
        QVERIFY2(equal.code == 0, equal.out.c_str());
        // A model's file gives its artifact the name, which is all that differs if it is moved.
        QVERIFY(QFile::copy(one_, folder_.filePath("moved.onnx")));
        const Outcome moved = runLathe({"diff", one, compiled(folder_.filePath("moved.onnx"), "moved.so")});
        QCOMPARE(moved.code, 1);
        QVERIFY2(moved.out.starts_with("~ name: one → moved\ndifferent in the name alone"), moved.out.c_str());
        const QString unfused = compiled(one_, "unfused.so", {"--optional-limit", "0"});
        const Outcome different = runLathe({"diff", "--json", one, unfused});
        QCOMPARE(different.code, 1);
        QStringList whats, changes;
        for (const QJsonObject& line : lines(different)) {
            whats << line["what"].toString();
            changes << line["change"].toString();
        }
        QVERIFY(whats.contains("kernel") && whats.contains("call"));
        QVERIFY(changes.contains("added") && changes.contains("removed"));
        QVERIFY(!whats.contains("input") && !whats.contains("output") && !whats.contains("target"));

        const QString cosine = compiled(other_, "cosine.so");
        const auto of = lines(runLathe({"diff", "--json", one, cosine}));
        QVERIFY(std::ranges::none_of(of, [](const QJsonObject& line) { return line["what"] == "constant"; }));
        const QString haswell = compiled(one_, "haswell.so", {"--target", "x86-64-v2"});
        const Outcome target = runLathe({"diff", one, haswell});
        QCOMPARE(target.code, 1);
        QVERIFY(target.out.find("~ target: ") != std::string::npos);
    }
};

Test test() {
    return {makes<TestDiff>};
}

} // namespace lathe::testing::test_diff

#include "test_diff.moc"
