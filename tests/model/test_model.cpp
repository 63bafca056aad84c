// SPDX-License-Identifier: Apache-2.0
//
// Spans, also from several threads, and the text of models.
// Runs: sanitized threads
#include "base/parallel.h"
#include "model/model_graph.h"
#include "support/program_of_tests.h"

#include <QtTest>

#include <stdexcept>

namespace lathe::testing::test_model {

using namespace lathe::model;

class TestModel : public QObject {
    Q_OBJECT

private slots:
    void spansAreSets() {
        SpanTable table;
        Span a = table.intern({7, 3, 5, 6, 3}), b = table.of(4);
        QCOMPARE(table.toString(a), std::string("3,5-7"));
        QCOMPARE(table.toString(table.join(a, b)), std::string("3-7"));
        QVERIFY(table.join(a, Span{}) == a);
        QVERIFY(table.intern({}).empty());
        Span read;
        QVERIFY(table.parse("3,5-7", read));
        QVERIFY(read == a);
    }

    void threadsShareATable() {
        SpanTable table;
        std::vector<Span> spans(400);
        parallelFor(spans.size(), 4, [&](size_t i) {
            const auto id = static_cast<int32_t>(i % 50);
            const Span one = table.of(id);
            spans[i] = table.join(one, table.intern({id + 1, 100}));
            if (table.ids(one) != std::vector{id})
                throw std::logic_error("a set of another's ids");
        });
        for (size_t i = 0; i < spans.size(); ++i) {
            const auto id = static_cast<int32_t>(i % 50);
            QVERIFY(spans[i] == spans[i % 50]); // whichever thread came first
            QCOMPARE(table.ids(spans[i]), (std::vector<int32_t>{id, id + 1, 100}));
        }
    }

    void malformedSpansAreRefused() {
        SpanTable table;
        Span span;
        for (const char* text : {"3,", ",", "5-", "7-5", "a", "-1", "0-99999999", "3 5"})
            QVERIFY2(!table.parse(text, span), text);
        QVERIFY(table.parse("", span));
        QVERIFY(span.empty());
    }

    void nestedGraphsAreIndexed() {
        auto inner = std::make_shared<Graph>();
        inner->nodes.resize(1);
        inner->nodes[0].id = 1;
        auto outer = std::make_shared<Graph>();
        outer->nodes.resize(1);
        outer->nodes[0].id = 0;
        outer->nodes[0].op = "If";
        outer->nodes[0].domain = "ai.onnx";
        outer->nodes[0].attributes.push_back({"then_branch", std::shared_ptr<const Graph>(inner)});
        ModelGraph model;
        model.graph = outer;
        model.nodeCount = 2;
        indexNodes(model);
        QCOMPARE(model.nodes[1], &inner->nodes[0]);
        QCOMPARE(displayName(outer->nodes[0]), std::string("#0 If"));
        QCOMPARE(operatorName(outer->nodes[0]), std::string("ai.onnx.If"));
        Node other; // of a format with one set of operators
        other.op = "CONV_2D";
        other.version = 3;
        QCOMPARE(operatorName(other), std::string("CONV_2D-3"));
    }

    void typesHaveText() {
        ValueType tensor{
            ValueType::Kind::Tensor, lathe::types::Float32, true, {{-1, "batch"}, {3, ""}, {-1, ""}}, nullptr, nullptr};
        QCOMPARE(toString(tensor), std::string("float32[batch,3,?]"));
        ValueType sequence{ValueType::Kind::Sequence, {}, false, {}, std::make_shared<ValueType>(tensor), nullptr};
        QCOMPARE(toString(sequence), std::string("sequence(float32[batch,3,?])"));
    }
};

Test test() {
    return {makes<TestModel>};
}

} // namespace lathe::testing::test_model

#include "test_model.moc"
