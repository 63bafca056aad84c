// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// Differences of models: each kind alone, as a person who made the change would say it; and a real model against itself with
// every name changed.
#include "driver/compile.h"
#include "graph/model_diff.h"
#include "support/fixtures.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>

namespace lathe::testing::test_model_diff {

namespace {

model::ModelGraphPtr graphOf(const std::string& bytes) {
    const driver::ModelSource source{"model.onnx", [&](relay::Evaluator* evaluator, const frontend::Options& options) {
                                         return frontend::importBytes(std::as_bytes(std::span(bytes)), "model.onnx", {},
                                                                      evaluator, options);
                                     }};
    driver::Trace trace;
    if (auto imported = driver::importModel(source, {}, trace); !imported)
        qWarning("%s", toString(imported.error()).c_str());
    return trace.graph;
}

/// "+ name", "- name", "= name" (kept; renamed or moved), "~ name: change; change".
QStringList said(const graph::ModelDiff& diff) {
    QStringList lines;
    for (const graph::NodeChange& change : diff.nodes) {
        const model::Node& node = change.after ? *change.after : *change.before;
        QString line = !change.before ? "+ " : !change.after ? "- " : change.changes.empty() ? "= " : "~ ";
        line += QString::fromStdString(model::displayName(node));
        for (const std::string& text : change.changes)
            line += "; " + QString::fromStdString(text);
        if (change.renamed)
            line += "; was " + QString::fromStdString(change.before->name);
        if (change.moved)
            line += "; moved";
        lines << line;
    }
    for (const graph::ValueChange& change : diff.values)
        lines << QString::fromStdString((change.output ? "output " : "input ") + change.name + ": " + change.before +
                                        " → " + change.after);
    return lines;
}

const char* chain = R"(g (float[4] x, float[4] z) => (float[4] y) <float[4] w = {1,2,3,4}> {
  [Add_0] a = Add (x, w) [Relu_1] b = Relu (a) [Mul_2] c = Mul (b, z) [LeakyRelu_3] d = LeakyRelu <alpha = 0.5> (c)
  [Add_4] y = Add (d, w) })";

} // namespace

class TestModelDiff : public QObject {
    Q_OBJECT

private slots:
    void saysWhatChanged_data() {
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QStringList>("expected");
        QTest::addColumn<bool>("same");
        const auto with = [](std::initializer_list<std::pair<const char*, const char*>> edits) {
            QByteArray text = chain;
            for (const auto& [from, to] : edits) {
                Q_ASSERT(text.contains(from));
                text.replace(from, to);
            }
            return text;
        };
        QTest::newRow("nothing") << with({}) << QStringList{} << true;
        QTest::newRow("attribute") << with({{"alpha = 0.5", "alpha = 0.25"}})
                                   << QStringList{"~ LeakyRelu_3; attribute alpha: 0.5 → 0.25"} << false;
        QTest::newRow("no attribute") << with({{"<alpha = 0.5>", ""}})
                                      << QStringList{"~ LeakyRelu_3; attribute alpha: 0.5 → none"} << false;
        QTest::newRow("weights") << with({{"1,2,3,4", "1,2,3,5"}})
                                 << QStringList{"~ Add_0; operand 1: other values, constant float32[4]",
                                                "~ Add_4; operand 1: other values, constant float32[4]"}
                                 << false;
        QTest::newRow("operator") << with({{"b = Relu (", "b = Elu ("}})
                                  << QStringList{"~ Relu_1; operator: ai.onnx.Relu-14 → ai.onnx.Elu-6"} << false;
        QTest::newRow("operand") << with({{"Mul (b, z)", "Mul (b, a)"}}) << QStringList{"~ Mul_2; operand 1: z → Add_0"}
                                 << false;
        QTest::newRow("operands swapped")
            << with({{"Mul (b, z)", "Mul (z, b)"}})
            << QStringList{"~ Mul_2; operand 0: Relu_1 → z; operand 1: z → Relu_1"} << false;
        // Exporters number nodes: one more shifts the numbers of all behind it.
        QTest::newRow("added") << with({{"c = Mul (b, z)", "p = Exp (b) [Mul_3] c = Mul (p, z)"},
                                        {"[Mul_2]", "[Exp_2]"},
                                        {"LeakyRelu_3", "LeakyRelu_4"},
                                        {"Add_4", "Add_5"}})
                               << QStringList{"+ Exp_2", "~ Mul_3; operand 0: Relu_1 → Exp_2; was Mul_2",
                                              "= LeakyRelu_4; was LeakyRelu_3", "= Add_5; was Add_4"}
                               << false;
        QTest::newRow("removed") << with({{"[Relu_1] b = Relu (a)", ""}, {"Mul (b, z)", "Mul (a, z)"}})
                                 << QStringList{"- Relu_1", "~ Mul_2; operand 0: Relu_1 → Add_0"} << false;
        QTest::newRow("output") << with({{"=> (float[4] y)", "=> (float[4] d, float[4] y)"}})
                                << QStringList{"output d:  → float32[4]"} << false;
        QTest::newRow("input's type") << with({{"float[4] z)", "float[1] z)"}})
                                      << QStringList{"input z: float32[4] → float32[1]"} << false;
        QTest::newRow("input added before") << with({{"(float[4] x", "(float[2] more, float[4] x"}})
                                            << QStringList{"input more:  → float32[2]"} << false;
    }
    void saysWhatChanged() {
        QFETCH(QByteArray, after);
        QFETCH(QStringList, expected);
        QFETCH(bool, same);
        const auto a = graphOf(graphBytes(chain)), b = graphOf(graphBytes(after.toStdString()));
        QVERIFY(a && b);
        const graph::ModelDiff diff = graph::diffModels(*a, *b);
        QCOMPARE(said(diff), expected);
        QCOMPARE(diff.sameStructure(), same);
        // The same differences the other way round.
        const graph::ModelDiff back = graph::diffModels(*b, *a);
        QCOMPARE(back.nodes.size(), diff.nodes.size());
        QCOMPARE(back.values.size(), diff.values.size());
        QCOMPARE(back.sameStructure(), same);
    }

    void theOrderIsNoStructure() {
        const auto a = graphOf(graphBytes("g (float[4] x) => (float[4] y) { [l] a = Exp (x) [m] b = Tanh (x) "
                                          "[r] c = Sin (x) [s] d = Add (a, b) [t] y = Add (d, c) }"));
        const auto b = graphOf(graphBytes("g (float[4] x) => (float[4] y) { [r] c = Sin (x) [l] a = Exp (x) "
                                          "[m] b = Tanh (x) [s] d = Add (a, b) [t] y = Add (d, c) }"));
        const graph::ModelDiff diff = graph::diffModels(*a, *b);
        QCOMPARE(said(diff), QStringList{"= r; moved"});
        QVERIFY(diff.sameStructure());
    }

    /// An operator that another one took the place of, under its name, and one that has the name of another.
    void namesMayBeIdentities() {
        const auto a = graphOf(graphBytes("g (float[4] x) => (float[4] y) { [l] a = Exp (x) [m] y = Tanh (a) }"));
        const auto b = graphOf(graphBytes("g (float[4] x) => (float[4] y) { [m] a = Exp (x) [l] y = Sin (a) }"));
        // As hints: Exp is the same, under another name.
        const QStringList hints = said(graph::diffModels(*a, *b));
        QVERIFY2(hints.contains("= m; was l"), qPrintable(hints.join('|')));
        const graph::ModelDiff diff = graph::diffModels(*a, *b, graph::NodeNames::Identities);
        QCOMPARE(diff.nodes.size(), size_t(2));
        for (const graph::NodeChange& change : diff.nodes) {
            QVERIFY(change.before && change.after && !change.renamed);
            QCOMPARE(change.before->name, change.after->name);
            QVERIFY(change.changes.front().starts_with("operator: "));
        }
    }

    void nestedGraphsTakePart() {
        const std::string text = R"(g (float[2] x, bool flag) => (float[2] y) { [branch] y = If (flag) <
            then_branch = one () => (float[2] t) { [twice] t = Add (x, x) },
            else_branch = two () => (float[2] f) { [square] f = Mul (x, x) } > })";
        std::string other = text;
        other.replace(other.find("Mul (x, x)"), 10, "Sub (x, x)");
        const auto a = graphOf(graphBytes(text)), b = graphOf(graphBytes(other));
        QVERIFY(graph::diffModels(*a, *a).sameStructure());
        const QStringList changes = said(graph::diffModels(*a, *b));
        QCOMPARE(changes, QStringList{"~ square; operator: ai.onnx.Mul-14 → ai.onnx.Sub-14"});
    }

    /// The same network whatever its nodes and values are called.
    void aRenamedModelIsTheSame() {
        const auto path = fixture("perf/mobilenet-v2/model.onnx");
        if (path.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        std::ifstream file(path, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), {});
        ::onnx::ModelProto proto;
        QVERIFY(proto.ParseFromString(bytes));
        const auto isOuter = [&](const std::string& name) {
            const auto is = [&](const auto& value) { return value.name() == name; };
            return std::ranges::any_of(proto.graph().input(), is) || std::ranges::any_of(proto.graph().output(), is);
        };
        auto renamed = proto;
        const auto rename = [&](std::string& name) {
            if (!name.empty() && !isOuter(name))
                name = "v" + std::to_string(std::hash<std::string>()(name));
        };
        int number = 0;
        for (::onnx::NodeProto& node : *renamed.mutable_graph()->mutable_node()) {
            node.set_name("n" + std::to_string(++number));
            std::ranges::for_each(*node.mutable_input(), rename);
            std::ranges::for_each(*node.mutable_output(), rename);
        }
        for (::onnx::TensorProto& tensor : *renamed.mutable_graph()->mutable_initializer())
            rename(*tensor.mutable_name());
        renamed.mutable_graph()->clear_value_info();
        const auto a = graphOf(bytes), b = graphOf(renamed.SerializeAsString());
        QVERIFY(a && b);
        const graph::ModelDiff diff = graph::diffModels(*a, *b);
        QVERIFY(diff.sameStructure());
        QCOMPARE(diff.nodes.size(), a->nodes.size());
        QVERIFY(std::ranges::all_of(diff.nodes, [](const auto& change) { return change.renamed && !change.moved; }));
    }
};

Test test() {
    return {makes<TestModelDiff>};
}

} // namespace lathe::testing::test_model_diff

#include "test_model_diff.moc"
