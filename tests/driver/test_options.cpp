// SPDX-License-Identifier: Apache-2.0
// Options as JSON: read back as they were written, and refused where a key, a type or a number is wrong.
#include "driver/options.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_options {

using driver::Options;

class TestOptions : public QObject {
    Q_OBJECT

private slots:
    void readBackAsWritten() {
        QCOMPARE(driver::parseOptions(driver::toJson(Options())).value(), Options());
        Options options;
        options.target = codegen::parseTarget("x86-64-v2").value();
        options.threads = 3;
        options.numerics = driver::NumericsLevel::Strict;
        options.verify = true;
        options.cache = options.emitCode = false;
        options.symbols = {{"batch", 4}, {"n", INT64_MAX}};
        options.shapes = {{"x \"quoted\"\n", {1, 0, 224}}, {"y", {-1, 3}}, {"z", {}}};
        options.sizeNames = {{"w", {"n", ""}}, {"y", {"batch-size", "?"}}};
        options.signature = "score";
        options.cut = {.inputs = {"a:0", "b"}, .outputs = {"c"}};
        options.shapesAtNeed = {{"z", {2}}};
        options.inputsAtNeed = {.byName = {{"z", "z \"1\".npy"}}, .folder = "data"};
        options.observe = {"/a", ""};
        options.offeredAlone = true;
        options.form = driver::Form::CSource;
        options.weights = codegen::CWeights::Arrays;
        options.name = "a \"b\"";
        QCOMPARE(driver::parseOptions(driver::toJson(options)).value(), options);
    }

    void weightsOfAnArtifact() {
        Options options;
        options.weights = codegen::CWeights::File;
        QCOMPARE(driver::parseOptions(driver::toJson(options)).value(), options);
    }

    void whatIsNotNamedStaysAtItsDefault() {
        Options two;
        two.threads = 2;
        QCOMPARE(driver::parseOptions(R"({"threads":2})").value(), two);
    }

    /// A level of optimization, which nothing went by, and a third level of numerics, which did what the default does.
    void whatEarlierVersionsWrote() {
        QCOMPARE(driver::parseOptions(R"({"level":3,"numerics":"fast","threads":2})").value(),
                 driver::parseOptions(R"({"threads":2})").value());
        QVERIFY(!driver::parseNumerics("fast"));
    }

    void refused_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("named");
        QTest::newRow("no JSON") << "threads: 2" << "JSON object";
        QTest::newRow("a list") << "[]" << "JSON object";
        QTest::newRow("unknown key") << R"({"thread":2})" << "'thread'";
        QTest::newRow("text for a number") << R"({"threads":"2"})" << "'threads'";
        QTest::newRow("fraction") << R"({"threads":1.5})" << "'threads'";
        QTest::newRow("negative") << R"({"threads":-1})" << "'threads'";
        QTest::newRow("beyond int") << R"({"threads":4294967297})" << "'threads'";
        QTest::newRow("number for a flag") << R"({"verify":1})" << "'verify'";
        QTest::newRow("unknown numerics") << R"({"numerics":"sloppy"})" << "'sloppy'";
        QTest::newRow("unknown target") << R"({"target":"z80"})" << "'z80'";
        QTest::newRow("negative dim") << R"({"shapes":{"x":[1,-2]}})" << "'shapes'";
        QTest::newRow("dim beyond int64") << R"({"shapes":{"x":[18446744073709551615]}})" << "'shapes'";
        QTest::newRow("dims that are none") << R"({"shapes":{"x":3}})" << "'shapes'";
        QTest::newRow("a number for a value's name") << R"({"cut":{"inputs":[3]}})" << "'cut'";
        QTest::newRow("another part of a cut") << R"({"cut":{"middle":["a"]}})" << "'cut'";
        QTest::newRow("a number for a size's name") << R"({"size_names":{"x":["n",3]}})" << "'size_names'";
        QTest::newRow("a form that is none") << R"({"form":"d"})" << "'form'";
        QTest::newRow("weights that are none") << R"({"weights":"digits"})" << "'digits'";
        QTest::newRow("one value for a list") << R"({"observe":"a"})" << "'observe'";
        QTest::newRow("a number for a value") << R"({"observe":["a",1]})" << "'observe'";
        QTest::newRow("symbols as a list") << R"({"symbols":[1]})" << "'symbols'";
    }
    void refused() {
        QFETCH(QString, json);
        QFETCH(QString, named);
        const auto options = driver::parseOptions(json.toStdString());
        QVERIFY(!options);
        QVERIFY2(QString::fromStdString(toString(options.error())).contains(named), toString(options.error()).c_str());
    }
};

Test test() {
    return {makes<TestOptions>};
}

} // namespace lathe::testing::test_options

#include "test_options.moc"
