// SPDX-License-Identifier: Apache-2.0
//
// Types of values that a file does not declare: the import finds them, and says them where a view looks for declared ones.
// Expected types follow from the operators' definitions.
// Links: onnx
#include "frontend/frontend.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>

namespace lathe::testing::test_found_types {

namespace {

frontend::Imported import(const std::string& graph) {
    const std::string bytes = testing::graphBytes(graph);
    return frontend::importBytes(std::as_bytes(std::span(bytes)), "model", {}, nullptr, {});
}

/// Empty: nothing is said of it; "twice": more than once.
QString typeOf(const frontend::Imported& imported, const std::string& value) {
    const auto& values = imported.graph->graph->values;
    const auto found = std::ranges::find(values, value, &model::Value::name);
    if (std::ranges::count(values, value, &model::Value::name) > 1)
        return "twice";
    return found == values.end() ? QString() : QString::fromStdString(toString(found->type));
}

} // namespace

class TestFoundTypes : public QObject {
    Q_OBJECT

private slots:
    void ofWhatIsNotDeclared() {
        const auto imported = import(R"(m (float[2,3,n] x) => (bool[n,6] y) <float[6] w = {1,2,3,4,5,6}> {
  t = Transpose<perm = [2,0,1]>(x)
  s = Constant<value = int64[2] {-1, 6}>()
  r = Reshape(t, s)
  a = Add(r, w)
  y = Greater(a, w)
})");
        QVERIFY(imported.module);
        QCOMPARE(typeOf(imported, "t"), QString("float32[n,2,3]"));
        QCOMPARE(typeOf(imported, "a"), QString("float32[n,6]"));
        QCOMPARE(typeOf(imported, "x"), QString()); // an input says its own
        QCOMPARE(typeOf(imported, "y"), QString()); // so does an output
        // The nodes are those of the graph that has them.
        const auto& graph = *imported.graph->graph;
        for (const model::Node* node : imported.graph->nodes)
            QVERIFY(node >= graph.nodes.data() && node < graph.nodes.data() + graph.nodes.size());
    }

    void declaredOnesStay() {
        const auto imported = import("m (float[n,4] x) => (float[n,4] y) <float[batch,4] a> {\n"
                                     "  a = Relu(x)\n  b = Neg(a)\n  y = Abs(b)\n}");
        QVERIFY(imported.module);
        QCOMPARE(typeOf(imported, "a"), QString("float32[batch,4]"));
        QCOMPARE(typeOf(imported, "b"), QString("float32[n,4]"));
    }

    /// An output whose declaration contradicts what its node computes: both are named. What is open contradicts nothing.
    void outputsDeclaredWrongly() {
        const auto warningsOf = [](const std::string& graph) {
            QStringList warnings;
            for (const Diagnostic& diagnostic : import(graph).diagnostics)
                if (diagnostic.severity == Severity::Warning)
                    warnings << QString::fromStdString(toString(diagnostic));
            return warnings;
        };
        const auto relu = [&](const std::string& output) {
            return warningsOf("m (float[2,3] x) => (" + output + " y) {\n  [kept] y = Relu(x)\n}");
        };
        for (const char* wrong : {"int64[2,3]", "float[3,2]", "float[2,3,1]", "float[2,n,3]", "int64[]"}) {
            const QStringList warnings = relu(wrong);
            QCOMPARE(warnings.size(), 1);
            QVERIFY2(warnings.front().contains("output 'y'") && warnings.front().contains("'kept'"),
                     qPrintable(warnings.front()));
        }
        const QString all = relu("int64[3,2]").value(0);
        QVERIFY2(all.contains("int64[3,2]") && all.contains("float32[2,3]"), qPrintable(all));
        for (const char* right : {"float[2,3]", "float[rows,3]", "float[]"})
            QVERIFY2(relu(right).isEmpty(), qPrintable(relu(right).join(' ')));
        QVERIFY(warningsOf("m (float[n,3] x) => (float[2,3] y) {\n  y = Relu(x)\n}").isEmpty());
    }

    void aRefusedModelHasItsOwn() {
        const auto imported = import("m (float[4] x) => (float[4] y) {\n  a = Relu(x)\n  y = NoSuchOperator(a)\n}");
        QVERIFY(imported.graph && !imported.module);
        QCOMPARE(typeOf(imported, "a"), QString());
    }
};

Test test() {
    return {makes<TestFoundTypes>};
}

} // namespace lathe::testing::test_found_types

#include "test_found_types.moc"
