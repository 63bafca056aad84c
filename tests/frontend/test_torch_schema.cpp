// SPDX-License-Identifier: Apache-2.0
//
// Schemas of PyTorch's operators, as its native_functions.yaml writes them.
// Links: onnx
#include "frontend/torch/operators.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_torch_schema {

using namespace frontend::torch;
using Kind = SchemaType::Kind;

namespace {

Schema parsed(std::string_view text) {
    Result<Schema> schema = parseSchema(text);
    if (!schema)
        qFatal("%s", toString(schema.error()).c_str());
    return *std::move(schema);
}

int64_t wholeOf(const TorchValue& value) {
    const arith::Expr* whole = value.as<arith::Expr>();
    return whole ? arith::asInt(*whole).value_or(-1000) : -1000;
}

} // namespace

class TestTorchSchema : public QObject {
    Q_OBJECT

private slots:
    void namesAndOverloads() {
        QCOMPARE(parsed("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor").name,
                 std::string("aten.add.Tensor"));
        QCOMPARE(parsed("aten::relu(Tensor self) -> Tensor").name, std::string("aten.relu.default"));
        QCOMPARE(parsed("quantized_decomposed::f(Tensor x) -> Tensor").name,
                 std::string("quantized_decomposed.f.default"));
    }

    void argumentsHaveKindsAndDefaults() {
        const Schema schema = parsed(
            "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, "
            "SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor");
        QCOMPARE(schema.arguments.size(), size_t(7));
        QVERIFY(!schema.arguments[0].hasDefault && schema.arguments[0].type.kind == Kind::Tensor);
        QVERIFY(schema.arguments[2].type.isOptional && schema.arguments[2].hasDefault);
        QVERIFY(schema.arguments[2].otherwise.isNone());
        QVERIFY(schema.arguments[3].type.isList && schema.arguments[3].type.kind == Kind::Int);
        QCOMPARE(wholeOf(schema.arguments[3].otherwise), int64_t(1));
        QCOMPARE(schema.arguments[5].otherwise.as<List>()->size(), size_t(2));
        QCOMPARE(schema.find("groups"), std::optional<size_t>(6));
        QVERIFY(!schema.find("group"));
    }

    void constantsOfEachKind() {
        const Schema schema =
            parsed("aten::f(float a=1e-05, bool b=True, str c='mean', float? d=None, int e=-100, Scalar f=0.5, *, "
                   "ScalarType g=long, int h=Mean, float i=1, float j=inf, MemoryFormat? k=contiguous_format) -> ()");
        const auto value = [&](const char* name) { return schema.arguments[*schema.find(name)].otherwise; };
        QCOMPARE(*value("a").as<double>(), 1e-5);
        QCOMPARE(*value("b").as<bool>(), true);
        QCOMPARE(*value("c").as<std::string>(), std::string("mean"));
        QVERIFY(value("d").isNone());
        QCOMPARE(wholeOf(value("e")), int64_t(-100));
        QCOMPARE(*value("f").as<double>(), 0.5);
        QVERIFY(*value("g").as<DataType>() == types::Int64);
        QCOMPARE(wholeOf(value("h")), int64_t(1)); // the second of None, Mean, Sum
        QCOMPARE(*value("i").as<double>(), 1.0);
        QCOMPARE(*value("j").as<double>(), std::numeric_limits<double>::infinity());
        QVERIFY(!schema.arguments[*schema.find("f")].isKeywordOnly &&
                schema.arguments[*schema.find("g")].isKeywordOnly);
        QVERIFY(schema.results.empty());
    }

    void viewsAndLists() {
        const Schema split =
            parsed("aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]");
        QVERIFY(split.arguments[0].type.isView && !split.arguments[0].type.isWritten);
        QVERIFY(split.results.size() == 1 && split.results[0].isList && split.results[0].isView);
        const Schema written = parsed("aten::relu_(Tensor(a!) self) -> Tensor(a!)");
        QVERIFY(written.arguments[0].type.isWritten);
        const Schema index = parsed("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor");
        QVERIFY(index.arguments[1].type.isList && index.arguments[1].type.hasOptionalElements);
        QVERIFY(!index.arguments[1].type.isOptional);
        const Schema pair =
            parsed("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)");
        QCOMPARE(pair.results.size(), size_t(2));
        const Schema sizes = parsed("aten::f(SymInt[]? size=None) -> Tensor");
        QVERIFY(sizes.arguments[0].type.isOptional && sizes.arguments[0].type.isList);
        QVERIFY(!sizes.arguments[0].type.hasOptionalElements);
    }

    void whatIsNoSchema() {
        for (const char* text :
             {"", "aten::", "aten::f", "aten::f(", "aten::f(Tensor)", "aten::f(Tensor x", "f(Tensor x) -> Tensor",
              "aten::f(Tensor x) -> Tensor and more", "aten::f(int x=) -> Tensor", "aten::f(int x=1.2.3) -> Tensor",
              "aten::f(int x=99999999999999999999) -> Tensor"})
            QVERIFY2(!parseSchema(text), text);
    }

    /// Schemas are parsed when the table is first asked.
    void theTableHoldsTogether() {
        const std::vector<std::string_view> names = operatorNames();
        QVERIFY(!names.empty());
        for (const std::string_view name : names)
            QVERIFY2(findOperator(name), std::string(name).c_str());
        QVERIFY(!findOperator("aten.none_such.default"));
        QVERIFY(!findAssigned("aten.item.default") && !findAssigned("aten.__and__.Tensor") && !findAssigned("_."));
        QVERIFY(findAssigned("aten.item_.default") == findOperator("aten.item.default"));
    }
};

Test test() {
    return {makes<TestTorchSchema>};
}

} // namespace lathe::testing::test_torch_schema

#include "test_torch_schema.moc"
