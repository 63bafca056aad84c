// SPDX-License-Identifier: Apache-2.0
//
// Type promotion: the examples of PyTorch's documentation ("torch.dtype"), and its table of torch.promote_types.
// Links: onnx
#include "frontend/torch/promotion.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_torch_promotion {

using namespace frontend::torch;

namespace {

/// What two operands are promoted to; each is "int32" with dims, "int32 0" of rank 0, or a number.
std::string promotedOf(const std::vector<std::string>& operands, Integers integers = Integers::Stay) {
    relay::Module module;
    relay::Builder builder(module, nullptr);
    const Schema schema = *parseSchema("aten::f() -> Tensor");
    int64_t randomCalls = 0;
    Call call(schema, {}, randomCalls, builder);
    std::vector<Operand> all;
    for (const std::string& operand : operands) {
        const std::string name = operand.substr(0, operand.find(' '));
        if (const std::optional<DataType> dtype = parseDataType(name))
            all.emplace_back(
                builder.param("x", relay::tensorType(*dtype, operand.ends_with(" 0") ? std::vector<arith::Expr>{}
                                                                                     : std::vector<arith::Expr>{3})));
        else if (name == "True")
            all.emplace_back(Scalar{Scalar::Kind::Bool, arith::boolImm(true), 0, {}});
        else if (name.contains('.'))
            all.emplace_back(Scalar{Scalar::Kind::Float, {}, std::stod(name), {}});
        else
            all.emplace_back(Scalar{Scalar::Kind::Int, static_cast<int64_t>(std::stoll(name)), 0, {}});
    }
    const DataType dtype = promotedType(call, all, integers);
    return builder.failed() ? "fault" : toString(dtype);
}

} // namespace

class TestTorchPromotion : public QObject {
    Q_OBJECT

private slots:
    void documentedExamples() {
        QCOMPARE(promotedOf({"5", "5"}), std::string("int64"));
        QCOMPARE(promotedOf({"int32", "5"}), std::string("int32"));
        QCOMPARE(promotedOf({"int32", "int64 0"}), std::string("int32"));
        QCOMPARE(promotedOf({"int64", "int32"}), std::string("int64"));
        QCOMPARE(promotedOf({"bool", "int64"}), std::string("int64"));
        QCOMPARE(promotedOf({"bool", "uint8"}), std::string("uint8"));
        QCOMPARE(promotedOf({"float32", "float64"}), std::string("float64"));
        QCOMPARE(promotedOf({"bool", "int32"}), std::string("int32"));
        QCOMPARE(promotedOf({"int64", "float32"}), std::string("float32"));
    }

    /// "If a zero-dim tensor operand has a higher category than dimensioned operands, we promote to a type with sufficient size
    /// and category to hold all zero-dim operands of that category"; and so for numbers beside tensors.
    void tensorsWithDimsDecideWithinAKind() {
        QCOMPARE(promotedOf({"float32", "float64 0"}), std::string("float32"));
        QCOMPARE(promotedOf({"float16", "1.5"}), std::string("float16"));
        QCOMPARE(promotedOf({"int32", "float64 0"}), std::string("float64"));
        QCOMPARE(promotedOf({"int32", "1.5"}), std::string("float32"));
        QCOMPARE(promotedOf({"int32 0", "1.5"}), std::string("float32"));
        QCOMPARE(promotedOf({"bool", "3"}), std::string("int64"));
        QCOMPARE(promotedOf({"bool", "True"}), std::string("bool"));
        QCOMPARE(promotedOf({"uint8 0", "int16 0"}), std::string("int16"));
        QCOMPARE(promotedOf({"bfloat16 0", "3"}), std::string("bfloat16"));
    }

    void pairsOfTypes() {
        QCOMPARE(promotedOf({"uint8", "int8"}), std::string("int16"));
        QCOMPARE(promotedOf({"uint8", "int32"}), std::string("int32"));
        QCOMPARE(promotedOf({"float16", "bfloat16"}), std::string("float32"));
        QCOMPARE(promotedOf({"bfloat16", "int64"}), std::string("bfloat16"));
        QCOMPARE(promotedOf({"float16", "float64"}), std::string("float64"));
        QCOMPARE(promotedOf({"uint16", "float32"}), std::string("float32"));
        QCOMPARE(promotedOf({"uint16", "int32"}), std::string("fault"));
        QCOMPARE(promotedOf({"float8_e4m3fn", "float8_e5m2"}), std::string("fault"));
    }

    void divisionGivesFloats() {
        QCOMPARE(promotedOf({"int64", "int64"}, Integers::BecomeFloat), std::string("float32"));
        QCOMPARE(promotedOf({"bool", "3"}, Integers::BecomeFloat), std::string("float32"));
        QCOMPARE(promotedOf({"float16", "int64"}, Integers::BecomeFloat), std::string("float16"));
        QCOMPARE(promotedOf({"float64", "3"}, Integers::BecomeFloat), std::string("float64"));
    }
};

Test test() {
    return {makes<TestTorchPromotion>};
}

} // namespace lathe::testing::test_torch_promotion

#include "test_torch_promotion.moc"
