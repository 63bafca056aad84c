// SPDX-License-Identifier: Apache-2.0
//
// Which graph of a file the work is about: as a project keeps it, and as an import is asked for it.
#include "driver/options.h"
#include "project/graph_choice.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_graph_choice {

using project::GraphChoice;

namespace {

GraphChoice all() {
    GraphChoice choice;
    choice.signature = "score";
    choice.inputs = {"a", "b:1"};
    choice.outputs = {"y"};
    choice.shapes = {"x=n,3", "k="};
    choice.types = {"x=int64"};
    choice.arguments = {"rate=16000", "text=a=b"};
    return choice;
}

} // namespace

class TestGraphChoice : public QObject {
    Q_OBJECT

private slots:
    void itIsKept() {
        QCOMPARE(GraphChoice().toJson(), std::string("{}"));
        const auto read = GraphChoice::fromJson(all().toJson());
        QVERIFY(read && *read == all());
    }

    void anImportIsAskedForIt() {
        driver::Options options;
        QVERIFY(all().addTo(options));
        QCOMPARE(options.signature, std::string("score"));
        QVERIFY(options.cut == (model::Cut{.inputs = {"a", "b:1"}, .outputs = {"y"}}));
        QVERIFY(options.shapes == (driver::Shapes{{"x", {-1, 3}}, {"k", {}}}));
        QVERIFY(options.sizeNames == (model::SizeNames{{"x", {"n", ""}}}));
        QCOMPARE(options.types.size(), size_t(1));
        QVERIFY(options.types[0].second == types::Int64);
        QVERIFY(options.arguments ==
                (std::vector<std::pair<std::string, std::string>>{{"rate", "16000"}, {"text", "a=b"}}));
        // What it says nothing of stays.
        QVERIFY(GraphChoice().addTo(options));
        QCOMPARE(options.signature, std::string("score"));
        QVERIFY(!options.cut.empty());
    }

    void whatIsNoChoiceIsRefused_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("no object") << QByteArray("[]") << QByteArray("no object");
        QTest::newRow("cut off") << QByteArray("{\"signature\":") << QByteArray("no object");
        QTest::newRow("a number") << QByteArray(R"({"signature":3})") << QByteArray("signature 3");
        QTest::newRow("no list") << QByteArray(R"({"outputs":"y"})") << QByteArray("outputs \"y\"");
        QTest::newRow("no words") << QByteArray(R"({"shapes":[1]})") << QByteArray("shapes [1]");
        QTest::newRow("later") << QByteArray(R"({"layers":[]})") << QByteArray("layers []");
        QTest::newRow("no shape") << QByteArray(R"({"shapes":["x=a b"]})") << QByteArray("malformed shape 'x=a b'");
        QTest::newRow("no type") << QByteArray(R"({"types":["x=int63"]})") << QByteArray("malformed type");
        QTest::newRow("no value") << QByteArray(R"({"arguments":["rate"]})") << QByteArray("malformed argument");
    }
    void whatIsNoChoiceIsRefused() {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, said);
        const auto read = GraphChoice::fromJson(json.toStdString());
        QVERIFY(!read);
        QVERIFY2(QByteArray::fromStdString(read.error().what).contains(said), read.error().what.c_str());
    }
};

Test test() {
    return {makes<TestGraphChoice>};
}

} // namespace lathe::testing::test_graph_choice

#include "test_graph_choice.moc"
