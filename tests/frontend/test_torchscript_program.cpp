// SPDX-License-Identifier: Apache-2.0
//
// TorchScript archives as models: what becomes inputs, arguments, outputs and states, what the graph shows, and what is said of
// archives that are damaged, hostile or no programs. Values are looked at where models run (driver).
// Links: onnx
#include "frontend/frontend.h"
#include "support/program_of_tests.h"
#include "support/torchscript_file.h"

#include <QTest>
#include <algorithm>
#include <random>

namespace lathe::testing::test_torchscript_program {

namespace {

frontend::Imported imported(const ZipFiles& files, const frontend::Options& options = {}) {
    const std::string bytes = zipOf(files);
    return frontend::importBytes(std::as_bytes(std::span(bytes)), "net.pt", {}, nullptr, options);
}

frontend::Imported imported(const ScriptFile& script, const frontend::Options& options = {}) {
    return imported(scriptFiles(script), options);
}

QString said(const frontend::Imported& model) {
    std::string all;
    for (const Diagnostic& diagnostic : model.diagnostics)
        all += toString(diagnostic) + "\n";
    return QString::fromStdString(all);
}

frontend::Options sized(std::vector<std::pair<std::string, std::vector<int64_t>>> shapes) {
    frontend::Options options;
    options.shapes = std::move(shapes);
    return options;
}

std::vector<std::string> namesOf(const std::vector<model::Value>& values) {
    std::vector<std::string> names;
    for (const model::Value& value : values)
        names.push_back(value.name);
    return names;
}

const ScriptFile scaled{.body = "  w : Tensor\n"
                                "  def forward(self: __torch__.Net,\n"
                                "    x: Tensor) -> Tensor:\n"
                                "    w = self.w\n"
                                "    return torch.mul(x, w)\n"
                                "  def twice(self: __torch__.Net,\n"
                                "    x: Tensor) -> Tensor:\n"
                                "    return torch.add(x, x)\n",
                        .attributes = {{"w", pickledTensor("0", {2}, {1})}},
                        .storages = {{"0", {1, 2}}}};

ScriptFile forward(const std::string& parameters, const std::string& lines) {
    return {.body = "  def forward(self: __torch__.Net" + parameters + ") -> Tensor:\n" + lines};
}

} // namespace

class TestTorchscriptProgram : public QObject {
    Q_OBJECT

private slots:
    void aProgramIsImported() {
        const frontend::Imported model = imported(scaled, sized({{"x", {3, 2}}}));
        QVERIFY2(model.module, qPrintable(said(model)));
        const model::Graph& graph = *model.graph->graph;
        QCOMPARE(model.graph->format, std::string("TorchScript"));
        QCOMPARE(namesOf(graph.inputs), std::vector<std::string>{"x"});
        QCOMPARE(namesOf(graph.outputs), std::vector<std::string>{"out"});
        QCOMPARE(graph.nodes.size(), size_t(1));
        QCOMPARE(graph.nodes[0].op, std::string("aten.mul.Tensor"));
        QCOMPARE(graph.nodes[0].inputs, (std::vector<std::string>{"x", "w"}));
        QCOMPARE(graph.initializers.at(0).name, std::string("w"));
        QCOMPARE(toString(model.module->main().resultType), std::string("float32[3, 2]"));
    }

    void whatIsNotDeclaredIsAskedFor() {
        const frontend::Imported model = imported(scaled);
        QVERIFY(!model.module && model.graph);
        QVERIFY2(said(model).contains("--shape x="), qPrintable(said(model)));
        frontend::Options options = sized({{"x", {2}}});
        options.types = {{"x", types::Int64}};
        const frontend::Imported whole = imported(scaled, options);
        QVERIFY2(whole.module, qPrintable(said(whole)));
        QCOMPARE(toString(whole.graph->graph->inputs[0].type).substr(0, 5), std::string("int64"));
    }

    void functionsAreSignatures() {
        frontend::Options options = sized({{"x", {2}}});
        options.signature = "twice";
        const frontend::Imported model = imported(scaled, options);
        QVERIFY2(model.module, qPrintable(said(model)));
        QCOMPARE(model.graph->graph->nodes.at(0).op, std::string("aten.add.Tensor"));
        QCOMPARE(model.graph->signatures, (std::vector<std::string>{"forward", "twice"}));
        QCOMPARE(model.graph->signature, std::string("twice"));
        QCOMPARE(imported(scaled, sized({{"x", {2}}})).graph->signature, std::string("forward"));
        options.signature = "thrice";
        QVERIFY(said(imported(scaled, options)).contains("forward, twice"));
    }

    void argumentsAreFixed() {
        const ScriptFile script =
            forward(",\n    x: Tensor,\n    n: int,\n    kind: str", "    if torch.eq(kind, \"sum\"):\n"
                                                                     "      y = torch.sum(x)\n"
                                                                     "    else:\n"
                                                                     "      y = torch.mul(x, n)\n"
                                                                     "    return y\n");
        frontend::Options options = sized({{"x", {2}}});
        QVERIFY(said(imported(script, options)).contains("--arg kind="));
        options.arguments = {{"kind", "sum"}, {"n", "3"}};
        frontend::Imported model = imported(script, options);
        QVERIFY2(model.module, qPrintable(said(model)));
        QCOMPARE(model.graph->graph->nodes.at(0).op, std::string("aten.sum.default"));
        // An int that is not fixed is an input.
        options.arguments = {{"kind", "'product'"}};
        model = imported(script, options);
        QVERIFY2(model.module, qPrintable(said(model)));
        QCOMPARE(namesOf(model.graph->graph->inputs), (std::vector<std::string>{"x", "n"}));
        options.arguments = {{"other", "1"}};
        QVERIFY(said(imported(script, options)).contains("no argument 'other'"));
        options.arguments = {{"n", "1 +"}};
        QVERIFY(said(imported(script, options)).contains("'n' cannot be"));
    }

    void structuresAreInputsAndOutputs() {
        const ScriptFile script = {.body = "  def forward(self: __torch__.Net,\n"
                                           "    d: Dict[str, Tensor],\n"
                                           "    l: List[Tensor],\n"
                                           "    o: Optional[Tensor]=None) -> Dict[str, Tensor]:\n"
                                           "    y = d[\"a\"]\n"
                                           "    for i in range(torch.len(l)):\n"
                                           "      y = torch.add(y, l[i])\n"
                                           "    return {\"y\": y, \"z\": (y, torch.len(l), None)}\n"};
        const frontend::Imported model = imported(script, sized({{"l.0", {2}}, {"l.1", {2}}, {"d.a", {2}}}));
        QVERIFY2(model.module, qPrintable(said(model)));
        QCOMPARE(namesOf(model.graph->graph->inputs), (std::vector<std::string>{"d.a", "l.0", "l.1"}));
        QCOMPARE(namesOf(model.graph->graph->outputs), (std::vector<std::string>{"out.y", "out.z.0", "out.z.1"}));
        QVERIFY(said(imported(script, sized({{"d.a", {2}}}))).contains("--shape l.0="));
    }

    /// A list of strings is one tensor, as a string is; no call gives either, so an argument of them can only be fixed.
    void stringsAreOutputsAndFixed() {
        const ScriptFile script = {.body = "  def forward(self: __torch__.Net,\n"
                                           "    xs: List[str]) -> Tuple[List[str], str, int]:\n"
                                           "    all = annotate(List[str], [])\n"
                                           "    for i in range(torch.len(xs)):\n"
                                           "      x = xs[i]\n"
                                           "      _0 = torch.append(all, torch.slice(x, None, -1))\n"
                                           "    return (all, xs[0], torch.len(xs))\n"};
        const QString open = said(imported(script));
        QVERIFY2(open.contains("(fix it: --arg xs='[\"text\", \"text\"]')"), qPrintable(open));
        frontend::Options options;
        options.arguments = {{"xs", "[\"one\", \"two\", \"\"]"}};
        const frontend::Imported model = imported(script, options);
        QVERIFY2(model.module, qPrintable(said(model)));
        QCOMPARE(namesOf(model.graph->graph->outputs), (std::vector<std::string>{"out.0", "out.1", "out.2"}));
        QCOMPARE(relay::toString(model.module->main().resultType), std::string("(string[3], string[], int64[])"));
    }

    void whatIsChangedIsKept() {
        const ScriptFile script = {.body = "  count : Tensor\n"
                                           "  n : int\n"
                                           "  def forward(self: __torch__.Net,\n"
                                           "    x: Tensor) -> Tensor:\n"
                                           "    count = self.count\n"
                                           "    _0 = torch.add_(count, 1)\n"
                                           "    n = self.n\n"
                                           "    self.n = torch.add(n, 2)\n"
                                           "    return torch.mul(x, count)\n",
                                   .attributes = {{"count", pickledTensor("0", {1}, {1})}, {"n", pickledInt(5)}},
                                   .storages = {{"0", {7}}}};
        const frontend::Imported model = imported(script, sized({{"x", {2}}}));
        QVERIFY2(model.module, qPrintable(said(model)));
        const std::vector<relay::StateValue>& states = model.module->main().states;
        QCOMPARE(states.size(), size_t(2));
        QCOMPARE(states[0].name, std::string("count"));
        QCOMPARE(toString(states[0].initial->type), std::string("float32[1]"));
        QCOMPARE(states[1].name, std::string("n"));
        QCOMPARE(toString(states[1].initial->type), std::string("int64[]"));
    }

    void guardsGoOrHold() {
        const ScriptFile script = forward(
            ",\n    x: Tensor", "    if torch.ne(torch.size(x, 1), 4):\n"
                                "      ops.prim.RaiseException(torch.format(\"got {}\", torch.size(x, 1)), \"E\")\n"
                                "    else:\n"
                                "      pass\n"
                                "    return torch.relu(x)\n");
        QVERIFY(imported(script, sized({{"x", {2, 4}}})).module);
        QVERIFY(said(imported(script, sized({{"x", {2, 5}}}))).contains("'got 5'"));
        const frontend::Imported open = imported(script, sized({{"x", {2, -1}}})); // checked while running
        QVERIFY2(open.module, qPrintable(said(open)));
    }

    void modulesAreScopes() {
        ZipFiles files = scriptFiles(
            {.body = "  inner : __torch__.Inner\n"
                     "  def forward(self: __torch__.Net,\n"
                     "    x: Tensor) -> Tensor:\n"
                     "    inner = self.inner\n"
                     "    return (inner).forward(x, )\n"
                     "class Inner(Module):\n"
                     "  training : bool\n"
                     "  def forward(self: __torch__.Inner,\n"
                     "    x: Tensor) -> Tensor:\n"
                     "    return torch.neg(x)\n",
             .attributes = {{"inner", pickledObject("c__torch__\nInner\n", {{"training", pickledBool(false)}})}}});
        const frontend::Imported model = imported(files, sized({{"x", {2}}}));
        QVERIFY2(model.module, qPrintable(said(model)));
        QCOMPARE(model.graph->graph->nodes.at(0).scope, std::vector<std::string>{"inner"});
    }

    void noProgramsAreRefused() {
        const ZipFiles good = scriptFiles(scaled);
        const auto changed = [&](size_t at, const std::string& name, const std::string& content) {
            ZipFiles files = good;
            files[at] = {name, content};
            return said(imported(files, sized({{"x", {2}}})));
        };
        QVERIFY(changed(2, "net/code/net.py.debug_pkl", "").contains("weights only"));
        QVERIFY(changed(0, "net/model.json", "{}").contains("model.json"));
        QVERIFY(changed(3, "net/version", "99").contains("99"));
        const std::string called = "cposix\nsystem\n" + pickledTuple({pickledText("ls")}) + "R";
        QVERIFY(changed(0, "net/data.pkl", pickle(called)).contains("posix system"));
        QVERIFY(changed(0, "net/data.pkl", pickle(pickledObject("c__torch__\nNet\n", {{"a", "cposix\nsystem\n"}})))
                    .contains("posix system"));
        QVERIFY(
            changed(0, "net/data.pkl", pickle(pickledObject("c__torch__\nOther\n", {}))).contains("'__torch__.Other'"));
        QVERIFY(changed(0, "net/data.pkl", pickle(std::string(50'000, ']'))).contains("no module"));
        ZipFiles keeping = good;
        keeping[0].second = pickle(")" + std::string(1'100'000, '\x94'));
        std::string noise(40'000, '\0'); // so that what is unpacked is not much more than the archive
        std::ranges::generate(noise, [random = std::minstd_rand(1)]() mutable { return static_cast<char>(random()); });
        keeping.emplace_back("net/extra/noise", noise);
        const QString kept = said(imported(keeping, sized({{"x", {2}}})));
        QVERIFY2(kept.contains("come back"), qPrintable(kept));
        QVERIFY(changed(4, "net/data/1", "").contains("net/data/0"));
        QVERIFY(changed(4, "net/data/0", "1234").contains("storage"));
        QVERIFY(changed(2, "net/code/__torch__.py", good[2].second.substr(0, good[2].second.size() - 4))
                    .contains("code/__torch__.py"));
    }

    void trainingIsRefusedWhereItIsRandom() {
        ScriptFile script = forward(",\n    x: Tensor", "    training = self.training\n"
                                                        "    return torch.dropout(x, 0.5, training)\n");
        QVERIFY2(imported(script, sized({{"x", {2}}})).module, "it is not in training mode");
        script.attributes = {{"training", pickledBool(true)}}; // the last one counts
        const frontend::Imported model = imported(script, sized({{"x", {2}}}));
        QVERIFY(!model.module && said(model).contains("aten::dropout") && said(model).contains("eval()"));
        QVERIFY(said(imported(script)).contains("saved in training mode"));
    }

    void momentsOfTheModulesOwnAreNotTrained() {
        ScriptFile script = scaled;
        script.body = "  w : Tensor\n"
                      "  def forward(self: __torch__.Net,\n"
                      "    x: Tensor) -> Tensor:\n"
                      "    w = torch.detach(self.w)\n"
                      "    return torch.batch_norm(x, None, None, w, torch.clone(w), True, 0.1, 0.001, False)\n";
        const frontend::Imported model = imported(script, sized({{"x", {3, 2}}}));
        QVERIFY2(said(model).contains("aten::batch_norm") && said(model).contains("eval()"), qPrintable(said(model)));
    }

    void whatNeedsNoInputsIsToldFirst() {
        QVERIFY(said(imported(forward(",\n    x: Tensor", "    return ops.odd.thing(x)\n"))).contains("odd::thing"));
        QVERIFY(
            said(imported(forward(",\n    x: Tensor", "    return (self).forward(x, )\n"))).contains("calls itself"));
        ZipFiles files = scriptFiles(scaled);
        files.pop_back();
        QVERIFY(said(imported(files)).contains("net/data/0"));
    }

    void whatGrowsWithoutEndIsRefused() {
        const auto reason = [](const std::string& first, const std::string& next) {
            const ScriptFile script =
                forward(",\n    x: Tensor",
                        "    v = " + first + "\n    for i in range(500):\n      v = " + next + "\n    return x\n");
            return said(imported(script, sized({{"x", {2}}})));
        };
        QVERIFY(reason("[x]", "torch.add(v, v)").contains("elements is made"));
        QVERIFY(reason("\"a\"", "torch.add(v, v)").contains("elements is made"));
        QVERIFY(reason("(1, 2)", "(v, v)").contains("tuples"));
        QVERIFY(reason("1", "2\n    l = torch.mul([1, 2, 3, 4], 4611686018427387904)").contains("elements is made"));
        QVERIFY(reason("torch.mul(\"aaaaaaaaaa\", 4000)", "torch.percentFormat(\"%s%s%s%s\", v, v, v, v)")
                    .contains("elements is made"));
        const std::string longText = "\"" + std::string(90'000, 'a') + "\"";
        QVERIFY(reason("annotate(List[str], [])\n    t = " + longText, "torch.append(v, t)").contains("steps"));
        QVERIFY(reason("[x]", "[v]\n    self.v = v").contains("objects are nested"));
        QVERIFY(reason("1", "i\n      for j in range(5):\n        def f(y: Tensor) -> Tensor:\n          return y")
                    .contains("functions are defined"));
        std::string calls =
            "  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    return (self).f0(x, )\n";
        for (int i = 0; i < 50; ++i) // twice as many calls in each
            calls += "  def f" + std::to_string(i) +
                     "(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    y = (self).f" + std::to_string(i + 1) +
                     "(x, )\n    return (self).f" + std::to_string(i + 1) + "(y, )\n";
        calls += "  def f50(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    return x\n";
        QVERIFY(said(imported(ScriptFile{.body = calls}, sized({{"x", {2}}}))).contains("steps"));
    }

    void whatIsBeyondIsRefused() {
        const auto reason = [](const ScriptFile& script) { return said(imported(script, sized({{"x", {2}}}))); };
        const std::string x = ",\n    x: Tensor";
        QVERIFY(reason(forward(x, "    return (self).forward(x, )\n")).contains("calls itself"));
        QVERIFY(reason(forward(x, "    return ops.odd.thing(x)\n")).contains("odd::thing"));
        QVERIFY(reason(forward(x, "    return torch.relu(x, x, x)\n")).contains("aten::relu"));
        QVERIFY(reason(forward(x, "    return ops.thing(x)\n")).contains("operator thing"));
        QVERIFY(reason(forward(x, "    return y\n")).contains("code/__torch__.py:7"));
        QVERIFY(reason(forward(x, "    n = torch.stride(torch.sum(x), 0)\n    return x\n")).contains("there are 0"));
        QVERIFY(reason(forward(x, "    l = [1]\n    torch.remove(l, 2)\n    return x\n")).contains("not in list"));
        const std::string loop =
            "    l = annotate(List[Tensor], [])\n    n = int(torch.sum(x))\n    for i in range(n):\n";
        QVERIFY(reason(forward(x, loop + "      _0 = torch.append(l, x)\n    _1 = torch.append(l, 3)\n"
                                         "    return torch.stack(l)\n"))
                    .contains("aten::stack"));
        QVERIFY(reason(forward(x, loop + "      torch.clear(l)\n      _0 = torch.append(l, x)\n"
                                         "    return torch.stack(l)\n"))
                    .contains("emptied"));
        QVERIFY(said(imported(forward(x, "    l = torch.slice([1, 2, 3], torch.size(x, 0))\n"
                                         "    return torch.mul(x, torch.len(l))\n"),
                              sized({{"x", {-1}}})))
                    .contains("which part of a list"));
        QVERIFY(reason(forward(x, "    s = torch.ones([2])\n"
                                  "    q = torch.quantize_per_channel(x, s, torch.zeros([2]), 7, 13)\n"
                                  "    return torch.dequantize(q)\n"))
                    .contains("along a dim"));
        QVERIFY(reason(forward(x, "    w = torch.quantize_per_tensor(torch.ones([1, 2]), 1., 0, 12)\n"
                                  "    p = ops.quantized.linear_prepack(w, None)\n"
                                  "    q = torch.quantize_per_tensor(x, 0.5, 10, 13)\n"
                                  "    return torch.dequantize(ops.quantized.linear_tanh(q, p, 0.5, 10))\n"))
                    .contains("quantized::linear_tanh"));
        // What a branch makes is there no more after it, but for tensors and what is made of them.
        const auto branched = [&](const std::string& one, const std::string& other) {
            return reason(forward(x, "    if bool(torch.gt(torch.sum(x), 0)):\n      q = " + one +
                                         "\n    else:\n      q = " + other + "\n    return torch.dequantize(q)\n"));
        };
        QVERIFY(branched("torch.quantize_per_tensor(x, 0.5, 0, 13)", "torch.quantize_per_tensor(x, 0.25, 0, 13)")
                    .contains("quantized otherwise"));
        QVERIFY(branched("uninitialized(Tensor)", "torch.quantize_per_tensor(x, 0.25, 0, 13)").contains("made in a"));
        QVERIFY(branched("__torch__.Net.__new__(__torch__.Net)", "__torch__.Net.__new__(__torch__.Net)")
                    .contains("made in a"));
        // Views that may be copies, then written to.
        QVERIFY(reason(forward(x, "    if bool(torch.gt(torch.sum(x), 0)):\n"
                                  "      y = x\n"
                                  "    else:\n"
                                  "      y = torch.neg(x)\n"
                                  "    _0 = torch.add_(y, 1)\n"
                                  "    return x\n"))
                    .contains("clone()"));
        // One of two tensors, of which the other one is written to then.
        QVERIFY(reason(forward(x, "    a = torch.neg(x)\n    b = torch.relu(x)\n"
                                  "    if bool(torch.gt(torch.sum(x), 0)):\n"
                                  "      y = a\n"
                                  "    else:\n"
                                  "      y = b\n"
                                  "    _0 = torch.add_(b, 1)\n"
                                  "    return y\n"))
                    .contains("clone()"));
    }
};

Test test() {
    return {makes<TestTorchscriptProgram>};
}

} // namespace lathe::testing::test_torchscript_program

#include "test_torchscript_program.moc"
