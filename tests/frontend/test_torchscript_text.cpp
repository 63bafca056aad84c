// SPDX-License-Identifier: Apache-2.0
//
// The text of TorchScript programs: what its lines are read as, and what is said of texts that are cut off or too deep.
#include "frontend/torch/script/syntax.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cmath>
#include <limits>

namespace lathe::testing::test_torchscript_text {

namespace {

using namespace frontend::torch::script;

CodeText parsed(const std::string& text) {
    Result<CodeText> code = parseCode(text, "code/net.py");
    return code ? *std::move(code) : CodeText();
}

QString faultOf(const std::string& text) {
    const Result<CodeText> code = parseCode(text, "code/net.py");
    return code ? QString() : QString::fromStdString(code.error().what);
}

} // namespace

class TestTorchscriptText : public QObject {
    Q_OBJECT

private slots:
    void classesHaveAttributesAndFunctions() {
        const CodeText code = parsed("class Net(Module):\n"
                                     "  __parameters__ = [\"w\", ]\n"
                                     "  w : Tensor\n"
                                     "  __annotations__[\"0\"] = __torch__.Other\n"
                                     "  k : Final[Tuple[int]] = (3,)\n"
                                     "  def forward(self: __torch__.Net,\n"
                                     "    x: Tensor,\n"
                                     "    n: int=-2) -> Tuple[Tensor, int]:\n"
                                     "    return (x, n)\n"
                                     "class Empty(Module):\n"
                                     "def relu(x: Tensor) -> Tensor:\n"
                                     "  return x\n");
        QCOMPARE(code.classes.size(), size_t(2));
        const ClassText& net = *code.classes[0];
        QCOMPARE(net.base, std::string("Module"));
        QCOMPARE(net.attributes.size(), size_t(3));
        QCOMPARE(net.attributes[1].name, std::string("0"));
        QCOMPARE(pathOf(*net.attributes[1].type), std::string("__torch__.Other"));
        QVERIFY(net.attributes[2].value->kind == Term::Kind::Tuple);
        const FunctionPtr forward = net.find("forward");
        QVERIFY(forward);
        QCOMPARE(forward->parameters.size(), size_t(3));
        QCOMPARE(forward->parameters[2].otherwise->whole, int64_t(-2));
        QCOMPARE(forward->line, 6);
        QCOMPARE(code.functions.at(0)->name, std::string("relu"));
    }

    void statementsNest() {
        const CodeText code = parsed("def f(x: Tensor) -> Tensor:\n"
                                     "  a, b, = torch.chunk(x, 2)\n"
                                     "  if bool(a):\n"
                                     "    for i in range(3):\n"
                                     "      y : Optional[Tensor] = torch.add(b, i, alpha=2)\n"
                                     "  else:\n"
                                     "    pass\n"
                                     "  self.n = 1\n"
                                     "  return (x)[0]\n");
        const std::vector<Statement>& body = code.functions.at(0)->body;
        QCOMPARE(body.size(), size_t(4));
        QVERIFY(body[0].isUnpacked);
        QCOMPARE(body[0].targets.size(), size_t(2));
        QVERIFY(body[1].kind == Statement::Kind::If && body[1].otherwise.empty());
        const Statement& loop = body[1].body.at(0);
        QVERIFY(loop.kind == Statement::Kind::For);
        const Term& call = *loop.body.at(0).value;
        QCOMPARE(pathOf(*call.parts[0]), std::string("torch.add"));
        QCOMPARE(call.keywords, (std::vector<std::string>{"", "", "", "alpha"}));
        QCOMPARE(loop.body[0].line, 5);
        QCOMPARE(pathOf(*body[2].targets[0]), std::string("self.n"));
        QVERIFY(body[3].value->kind == Term::Kind::Element);
    }

    void literals() {
        const auto term = [](const char* text) { return *parseTerm(text); };
        QCOMPARE(term("-9223372036854775808")->whole, std::numeric_limits<int64_t>::min());
        QCOMPARE(term("3.")->real, 3.0);
        QCOMPARE(term("-1.0000000000000001e-05")->real, -1e-05);
        QVERIFY(std::isinf(term("-inf")->real) && term("-inf")->real < 0);
        QCOMPARE(term("\"a\\n\\\"\\\\\\101\\x42\"")->text, std::string("a\n\"\\AB"));
        QCOMPARE(term("[1, [2, 3], ]")->parts.size(), size_t(2));
        QCOMPARE(term("{\"a\": 1, \"b\": 2}")->parts.size(), size_t(4));
        QVERIFY(term("(1)")->kind == Term::Kind::Int && term("(1,)")->kind == Term::Kind::Tuple);
        QVERIFY(!parseTerm("1 2") && !parseTerm("") && !parseTerm("\"a") && !parseTerm("[1"));
        QVERIFY(!parseTerm("99999999999999999999") && !parseTerm("9223372036854775808"));
        QVERIFY(!parseTerm("\"" + std::string(200'000, 'a') + "\""));
    }

    void faultsNameTheirLine() {
        QVERIFY(faultOf("def f(x: Tensor) -> Tensor:\n  y = torch.add(x,\n").contains("line 3"));
        QVERIFY(faultOf("def f(x):\n  y = \n  return y\n").contains("line 2"));
        QVERIFY(faultOf("def f(x):\n    y = 1\n  return y\n").contains("line 3"));
        QVERIFY(faultOf("def f(x):\n  1 = x\n").contains("line 2"));
        QVERIFY(faultOf("x = 1\n").contains("line 1"));
    }

    void nestingIsLimited() {
        QVERIFY(faultOf("def f(x):\n  y = " + std::string(100'000, '(')).contains("line"));
        QVERIFY(faultOf("def f(x):\n  y = " + std::string(100'000, '[') + std::string(100'000, ']') + "\n")
                    .contains("deep"));
        QVERIFY(faultOf("def f(x):\n  y = " + std::string(100'000, '-') + "1\n").contains("signs"));
        std::string calls = "x";
        for (int i = 0; i < 100'000; ++i)
            calls += "()";
        QVERIFY(faultOf("def f(x):\n  y = " + calls + "\n").contains("deep"));
        // What stands on the left lies as deep as what stands within.
        std::string left = "x";
        for (int i = 0; i < 200; ++i) {
            left = "x[" + left + "]";
            for (int k = 0; k < 200; ++k)
                left += "[0]";
        }
        QVERIFY(faultOf("def f(x):\n  y = " + left + "\n").contains("deep"));
        std::string blocks = "def f(x):\n";
        for (int i = 1; i < 1000; ++i)
            blocks += std::string(static_cast<size_t>(i), ' ') + "if x:\n";
        QVERIFY(faultOf(blocks).contains("deep"));
    }
};

Test test() {
    return {makes<TestTorchscriptText>};
}

} // namespace lathe::testing::test_torchscript_text

#include "test_torchscript_text.moc"
