// SPDX-License-Identifier: Apache-2.0
//
// What the graph of an imported model says its nodes are for: the only way by which others than the frontend know them.
// Links: onnx
#include "frontend/frontend.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QtTest>

namespace lathe::testing::test_roles {

using model::Family;

class TestRoles : public QObject {
    Q_OBJECT

    /// The role of the node that is called "it".
    static model::Role roleOfIt(const QString& nodes, int opset) {
        const std::string bytes = lathe::testing::modelBytes(
            "<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) +
            ", \"com.microsoft\" : 1, \"own\" : 1]>\ng (float[2] x, bool b) => (y) { " + nodes.toStdString() + " }");
        const auto imported = frontend::importBytes(std::as_bytes(std::span(bytes)), "model", {}, nullptr, {});
        for (const model::Node* node : imported.graph->nodes)
            if (node->name == "it")
                return roleOf(*imported.graph, *node);
        qFatal("the model has no node of that name");
    }

private slots:
    void families_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<int>("opset");
        QTest::addColumn<Family>("family");
        const auto row = [](const char* nodes, int opset, Family family) {
            QTest::addRow("%s, opset %d", nodes, opset) << QString(nodes) << opset << family;
        };
        row("[it] y = MatMul (x, x)", 21, Family::Product);
        row("[it] y = Cast <to = 10> (x)", 21, Family::Conversion);
        row("[it] y = Less (x, x)", 21, Family::Logic);
        row("[it] y = Bernoulli (x)", 21, Family::Bernoulli);
        row("[it] y = Multinomial (x)", 21, Family::Random);
        row("[it] y = DequantizeLinear (x, x)", 21, Family::Dequantization);
        // Expanded into its body, and known nevertheless.
        row("[it] y, s, z = DynamicQuantizeLinear (x)", 21, Family::Quantization);
        // Refused, and in the graph that is shown.
        row("[it] y = com.microsoft.QLinearMul (x, x, x, x, x, x, x, x)", 21, Family::Quantization);
        row("[it] y = own.MatMul (x, x)", 21, Family::Other);
        row("[it] y = Frobnicate (x)", 21, Family::Other);
        // In a nested graph.
        row("y = If (b) <then_branch = t () => (float[2] p) { [it] p = Relu (x) }, "
            "else_branch = e () => (float[2] q) { q = Neg (x) }>",
            21, Family::Activation);
        // Only what may be training draws.
        row("[it] y = Dropout (x)", 21, Family::Other);
        row("[it] y = Dropout (x, , b)", 21, Family::Dropout);
        row("[it] y = Dropout (x)", 10, Family::Other);
        row("[it] y = Dropout <is_test = 0> (x)", 6, Family::Dropout);
        row("[it] y = Dropout <is_test = 1> (x)", 6, Family::Other);
    }
    void families() {
        QFETCH(QString, nodes);
        QFETCH(int, opset);
        QFETCH(Family, family);
        QCOMPARE(int(roleOfIt(nodes, opset).family), int(family));
    }

    void namedTypes() {
        QVERIFY(roleOfIt("[it] y = Cast <to = 10> (x)", 21).named == types::Float16);
        QVERIFY(roleOfIt("[it] y = Cast <to = 16> (x)", 21).named == types::BFloat16);
        QVERIFY(roleOfIt("[it] y = Cast <to = 99> (x)", 21).named == types::Void);
        QVERIFY(roleOfIt("[it] y = Relu (x)", 21).named == types::Void);
    }
};

Test test() {
    return {makes<TestRoles>};
}

} // namespace lathe::testing::test_roles

#include "test_roles.moc"
