// SPDX-License-Identifier: Apache-2.0
// Links: tensorflow_proto
//
// What tables hold that a vocabulary file beside the model fills: columns of its lines and their numbers, as
// TensorFlow's description of InitializeTableFromTextFileV2 has it.
#include "frontend/tensorflow/saved_tables.h"
#include "model/host_tensor.h"
#include "support/members_in_memory.h"
#include "support/program_of_tests.h"

#include <QtTest>

#include <google/protobuf/text_format.h>
#include <tensorflow/core/framework/graph.pb.h>

namespace lathe::testing::test_tensorflow_tables {

namespace {

using namespace frontend::tensorflow;
using Texts = std::vector<std::string>;

/// The table that is filled from the file; `how` has the attributes that say by what of its lines.
Result<SavedTable> tableOf(const std::string& key, const std::string& value, const std::string& how,
                           const std::string& file) {
    const auto type = [](const char* name, const std::string& word) {
        return std::string("attr { key: '") + name + "' value { type: " + word + " } } ";
    };
    const std::string text = "node { name: 't' op: 'HashTableV2' " + type("key_dtype", key) +
                             type("value_dtype", value) +
                             "} node { name: 'file' op: 'Placeholder' } "
                             "node { name: 'fill' op: 'InitializeTableFromTextFileV2' input: 't' input: 'file' " +
                             how + "}";
    auto graph = std::make_shared<::tensorflow::GraphDef>();
    if (!google::protobuf::TextFormat::ParseFromString(text, graph.get()))
        qFatal("%s", text.c_str());
    const BodyPtr body = bodyOfGraph(graph->node());
    Functions functions(graph->library().function());
    TensorReader tensors(graph, std::make_shared<Budget>());
    const FilesInMemory files = {{"assets/words.txt", file}};
    SavedTables tables(*body, graph->library().function(), functions, tensors, std::make_shared<MembersInMemory>(files),
                       {{"file", "words.txt"}});
    return tables.table("t");
}

std::string integer(const char* name, int64_t value) {
    return std::string("attr { key: '") + name + "' value { i: " + std::to_string(value) + " } } ";
}

Texts textsOf(const model::TensorData& tensor) {
    if (tensor.dtype == types::String)
        return tensor.strings;
    Texts texts;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        const double element = model::elementAsDouble(tensor.dtype, tensor.bytes.view, static_cast<size_t>(i));
        texts.push_back(QString::number(element).toStdString());
    }
    return texts;
}

} // namespace

class TestTensorflowTables : public QObject {
    Q_OBJECT

private slots:
    void linesAndTheirNumbers_data() {
        QTest::addColumn<std::string>("key");
        QTest::addColumn<std::string>("value");
        QTest::addColumn<std::string>("how");
        QTest::addColumn<std::string>("file");
        QTest::addColumn<Texts>("keys");
        QTest::addColumn<Texts>("values");
        const std::string words = "DT_STRING", numbers = "DT_INT64";
        const std::string byLine = integer("key_index", -2) + integer("value_index", -1);
        QTest::newRow("words") << words << numbers << byLine << std::string("the\ncat\n\nsat")
                               << Texts{"the", "cat", "", "sat"} << Texts{"0", "1", "2", "3"};
        QTest::newRow("the first ones") << words << numbers << byLine + integer("vocab_size", 2)
                                        << std::string("the\ncat\nsat\n") << Texts{"the", "cat"} << Texts{"0", "1"};
        QTest::newRow("numbers that begin elsewhere")
            << words << numbers << byLine + integer("offset", 5) << std::string("the\ncat\n") << Texts{"the", "cat"}
            << Texts{"5", "6"};
        QTest::newRow("numbers of words") << numbers << words << integer("key_index", -1) + integer("value_index", -2)
                                          << std::string("the\ncat") << Texts{"0", "1"} << Texts{"the", "cat"};
        QTest::newRow("columns, by ascending number")
            << numbers << words
            << integer("key_index", 1) + integer("value_index", 0) + "attr { key: 'delimiter' value { s: ' ' } } "
            << std::string("the 7\ncat -3\nsat 7") << Texts{"-3", "7"} << Texts{"cat", "the"};
    }
    void linesAndTheirNumbers() {
        QFETCH(std::string, key);
        QFETCH(std::string, value);
        QFETCH(std::string, how);
        QFETCH(std::string, file);
        QFETCH(Texts, keys);
        QFETCH(Texts, values);
        const auto table = tableOf(key, value, how, file);
        QVERIFY2(table.has_value(), table ? "" : table.error().what.c_str());
        QCOMPARE(textsOf(*table->keys), keys);
        QCOMPARE(textsOf(*table->values), values);
        QCOMPARE(table->keys->shape, std::vector<int64_t>{std::ssize(keys)});
        QCOMPARE(table->values->shape, std::vector<int64_t>{std::ssize(keys)});
    }

    void whatDoesNotFitIsSaid() {
        const std::string columns = integer("key_index", 0) + integer("value_index", 1);
        const auto faultOf = [&](const std::string& key, const std::string& file) {
            const auto table = tableOf(key, "DT_INT64", columns, file);
            return table ? std::string() : table.error().what;
        };
        QCOMPARE(faultOf("DT_STRING", "a\t1\nb\t2"), std::string());
        QCOMPARE(faultOf("DT_STRING", "a\t1\nb"),
                 std::string("line 2 of 'words.txt' does not hold what its table is of"));
        QCOMPARE(faultOf("DT_INT64", "1\t1\nb\t2"),
                 std::string("line 2 of 'words.txt' does not hold what its table is of"));
        QVERIFY(faultOf("DT_HALF", "1\t1").find("not supported") != std::string::npos);
    }
};

Test test() {
    return {makes<TestTensorflowTables>};
}

} // namespace lathe::testing::test_tensorflow_tables

#include "test_tensorflow_tables.moc"
