// SPDX-License-Identifier: Apache-2.0
//
// TorchScript programs, compiled and run: writes through views, in branches and loops; loops that elements end; lists that loops
// fill; what is kept from one call to the next; what older versions meant. Values by hand, by Python's and PyTorch's rules.
// Needs: lathe-runner
// Links: onnx
#include "base/memory_file.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "support/host_tensor.h"
#include "support/program_of_tests.h"
#include "support/torchscript_file.h"

#include <QTest>
#include <optional>

namespace lathe::testing::test_torchscript_values {

namespace {

using Values = std::vector<float>;

/// A program that is compiled for an input x of some sizes, and runs.
class Running {
public:
    Running(const ScriptFile& script, const std::vector<int64_t>& shape) : shape_(shape), artifact_("script") {
        const std::string bytes = zipOf(scriptFiles(script));
        driver::Options options;
        options.cache = false;
        options.shapes = {{"x", shape}};
        driver::Trace trace;
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(bytes)), "net.pt", artifact_.path(), {}, options, trace);
        if (!compiled)
            problem = QString::fromStdString(toString(compiled.error()));
        device::RunnerOptions where;
        where.program = LATHE_BINARY_DIR "/lathe-runner";
        runner_.emplace(where);
        if (compiled && !runner_->load(artifact_.path()))
            problem = "not loaded";
    }
    /// The first output; empty after a problem.
    Values operator()(const Values& x) {
        if (problem.isEmpty() && (!runner_->setInput("x", tensorOf(types::Float32, shape_, x)) || !runner_->run()))
            problem = "did not run";
        if (!problem.isEmpty())
            return {};
        const auto output = runner_->output(0);
        shape = output->shape;
        return valuesOf<float>(*output);
    }

    QString problem;
    std::vector<int64_t> shape; // of the output

private:
    std::vector<int64_t> shape_;
    MemoryFile artifact_;
    std::optional<device::RunnerClient> runner_;
};

ScriptFile forward(const std::string& lines) {
    return {.body = "  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n" + lines};
}

#define COMPARE_VALUES(running, x, expected)                                                                           \
    {                                                                                                                  \
        const Values got = running(x);                                                                                 \
        QVERIFY2(running.problem.isEmpty(), qPrintable(running.problem));                                              \
        QCOMPARE(got, expected);                                                                                       \
    }

} // namespace

class TestTorchscriptValues : public QObject {
    Q_OBJECT

private slots:
    void writesThroughViewsAreSeen_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QList<float>>("expected");
        // x = [[1, 2, 3], [4, 5, 6]]
        QTest::newRow("a slice") << "    y = torch.clone(x)\n"
                                    "    _0 = torch.add_(torch.slice(torch.slice(y), 1, 1, 3), 1)\n"
                                    "    return y\n"
                                 << QList<float>{1, 3, 4, 4, 6, 7};
        QTest::newRow("all in one row") << "    y = torch.clone(x)\n"
                                           "    v = torch.view(y, [-1])\n"
                                           "    _0 = torch.fill_(torch.select(v, 0, 0), 5)\n"
                                           "    return y\n"
                                        << QList<float>{5, 2, 3, 4, 5, 6};
        QTest::newRow("one of two parts") << "    y = torch.clone(x)\n"
                                             "    a, b, = torch.chunk(y, 2)\n"
                                             "    _0 = torch.mul_(a, 2)\n"
                                             "    _1 = torch.sub_(b, a)\n"
                                             "    return y\n"
                                          << QList<float>{2, 4, 6, 2, 1, 0};
        QTest::newRow("a transposed row") << "    y = torch.clone(x)\n"
                                             "    _0 = torch.zero_(torch.select(torch.t(y), 0, 1))\n"
                                             "    return y\n"
                                          << QList<float>{1, 0, 3, 4, 0, 6};
        QTest::newRow("a reshape that is a copy") << "    y = torch.clone(x)\n"
                                                     "    c = torch.reshape(torch.t(y), [-1])\n"
                                                     "    _0 = torch.add_(c, 100)\n"
                                                     "    return y\n"
                                                  << QList<float>{1, 2, 3, 4, 5, 6};
        QTest::newRow("a reshape that is a view") << "    y = torch.clone(x)\n"
                                                     "    c = torch.reshape(y, [-1])\n"
                                                     "    _0 = torch.add_(c, 100)\n"
                                                     "    return y\n"
                                                  << QList<float>{101, 102, 103, 104, 105, 106};
        QTest::newRow("what is there already") << "    y = torch.clone(x)\n"
                                                  "    z = torch.to(y, 6)\n"
                                                  "    _0 = torch.neg_(z)\n"
                                                  "    return y\n"
                                               << QList<float>{-1, -2, -3, -4, -5, -6};
        QTest::newRow("elements of a list") << "    l = [torch.clone(x), x]\n"
                                               "    for i in range(2):\n"
                                               "      _0 = torch._set_item(l, i, torch.add(l[i], i))\n"
                                               "    _1 = torch.mul_(l[0], 2)\n"
                                               "    return torch.add(l[0], l[1])\n"
                                            << QList<float>{4, 7, 10, 13, 16, 19};
    }
    void writesThroughViewsAreSeen() {
        QFETCH(QString, lines);
        QFETCH(QList<float>, expected);
        Running run(forward(lines.toStdString()), {2, 3});
        COMPARE_VALUES(run, (Values{1, 2, 3, 4, 5, 6}), Values(expected.begin(), expected.end()));
    }

    void branchesWriteToo() {
        Running run(forward("    y = torch.clone(x)\n"
                            "    v = torch.select(y, 0, 1)\n"
                            "    if bool(torch.gt(torch.select(x, 0, 0), 0)):\n"
                            "      _0 = torch.fill_(v, 3.)\n"
                            "      k = 2\n"
                            "    else:\n"
                            "      _1 = torch.zero_(torch.select(y, 0, 0))\n"
                            "      k = 5\n"
                            "    return torch.mul(torch.add(y, v), k)\n"),
                    {2});
        COMPARE_VALUES(run, (Values{1, 2}), (Values{8, 12}));
        COMPARE_VALUES(run, (Values{-1, 2}), (Values{10, 20}));
    }

    void branchesChooseViewsAndMakeDicts() {
        Running row(forward("    if bool(torch.gt(torch.sum(x), 0)):\n"
                            "      y = torch.select(x, 0, 0)\n"
                            "    else:\n"
                            "      y = torch.select(x, 0, 1)\n"
                            "    z = torch.neg(x)\n"
                            "    return torch.add(y, 1)\n"),
                    {2, 2});
        COMPARE_VALUES(row, (Values{1, 2, 3, 4}), (Values{2, 3}));
        COMPARE_VALUES(row, (Values{-1, -2, -3, -4}), (Values{-2, -3}));
        // Of a tensor that the branch writes to as well.
        Running written(forward("    a = torch.clone(x)\n"
                                "    if bool(torch.gt(torch.sum(x), 0)):\n"
                                "      _0 = torch.add_(a, 1)\n"
                                "      y = torch.select(a, 0, 0)\n"
                                "    else:\n"
                                "      y = torch.select(a, 0, 1)\n"
                                "    return torch.mul(y, 10)\n"),
                        {2});
        COMPARE_VALUES(written, (Values{1, 2}), (Values{20}));
        COMPARE_VALUES(written, (Values{-1, -2}), (Values{-20}));
        Running dict(forward("    if bool(torch.gt(torch.sum(x), 0)):\n"
                             "      d = {\"a\": torch.neg(x), \"b\": x}\n"
                             "    else:\n"
                             "      d = {\"a\": x, \"b\": torch.neg(x)}\n"
                             "    l = [torch.zeros_like(x)]\n"
                             "    return torch.add(torch.mul(d[\"a\"], 10), d[\"b\"])\n"),
                     {2});
        COMPARE_VALUES(dict, (Values{1, 2}), (Values{-9, -18}));
        COMPARE_VALUES(dict, (Values{-1, -2}), (Values{-9, -18}));
    }

    void dictsKeepTheLastOfEqualKeys() {
        Running running(forward("    d = torch.dict([(\"a\", 1), (\"b\", 5), (\"a\", 2)])\n"
                                "    e = torch.dict(d)\n"
                                "    torch._set_item(e, \"a\", 3)\n"
                                "    n = torch.add(torch.mul(d[\"a\"], 10), e[\"a\"])\n"
                                "    return torch.mul(x, torch.add(n, torch.mul(torch.len(d), 100)))\n"),
                        {1});
        COMPARE_VALUES(running, (Values{1}), (Values{223}));
    }

    void branchesNest() {
        Running run(forward("    s = torch.sum(x)\n"
                            "    if bool(torch.gt(s, 0)):\n"
                            "      if bool(torch.gt(s, 10)):\n"
                            "        y = torch.mul(x, 10)\n"
                            "      else:\n"
                            "        y = torch.add(x, 1)\n"
                            "      z = y\n"
                            "    else:\n"
                            "      z = torch.neg(x)\n"
                            "    return z\n"),
                    {2});
        COMPARE_VALUES(run, (Values{5, 6}), (Values{50, 60}));
        COMPARE_VALUES(run, (Values{1, 2}), (Values{2, 3}));
        COMPARE_VALUES(run, (Values{-1, -2}), (Values{1, 2}));
    }

    void elementsEndLoops() {
        // Collatz: 6 → 3 → 10 → 5 → 16 → 8 → 4 → 2 → 1 in eight steps.
        Running run(forward("    n = x\n"
                            "    k = 0\n"
                            "    go = bool(torch.gt(n, 1))\n"
                            "    while go:\n"
                            "      if bool(torch.eq(torch.remainder(n, 2), 0)):\n"
                            "        m = torch.div(n, 2)\n"
                            "      else:\n"
                            "        m = torch.add(torch.mul(n, 3), 1)\n"
                            "      k0 = torch.add(k, 1)\n"
                            "      go, n, k = bool(torch.gt(m, 1)), m, k0\n"
                            "    return torch.mul(torch.ones([1]), k)\n"),
                    {1});
        COMPARE_VALUES(run, (Values{6}), (Values{8}));
        COMPARE_VALUES(run, (Values{1}), (Values{0}));
    }

    void loopsBreak() {
        // The sum of rows before the first that begins with more than 1, and how many they are.
        Running run(forward("    none = uninitialized(Tensor)\n"
                            "    s = torch.zeros([2])\n"
                            "    i = 0\n"
                            "    go = torch.gt(torch.size(x, 0), 0)\n"
                            "    while go:\n"
                            "      if bool(torch.gt(torch.select(torch.select(x, 0, i), 0, 0), 1.)):\n"
                            "        more, s0 = False, none\n"
                            "        t = s\n"
                            "      else:\n"
                            "        more, s0 = True, torch.add(s, torch.select(x, 0, i))\n"
                            "        t = s0\n"
                            "      j = torch.add(i, 1)\n"
                            "      go, s, i = torch.__and__(torch.lt(j, torch.size(x, 0)), more), t, j\n"
                            "    return torch.mul(s, i)\n"),
                    {3, 2});
        COMPARE_VALUES(run, (Values{0, 1, 1, 2, 5, 9}), (Values{3, 9}));
        COMPARE_VALUES(run, (Values{7, 1, 1, 2, 5, 9}), (Values{0, 0}));
        COMPARE_VALUES(run, (Values{0, 1, 1, 2, 1, 9}), (Values{6, 36}));
    }

    void loopsFillLists() {
        Running run(forward("    out = annotate(List[Tensor], [])\n"
                            "    y = x\n"
                            "    go = bool(torch.lt(torch.sum(y), 20))\n"
                            "    while go:\n"
                            "      y0 = torch.mul(y, 2)\n"
                            "      _0 = torch.append(out, y0)\n"
                            "      go, y = bool(torch.lt(torch.sum(y0), 20)), y0\n"
                            "    return torch.stack(out, 1)\n"),
                    {2});
        COMPARE_VALUES(run, (Values{1, 2}), (Values{2, 4, 8, 4, 8, 16}));
        QCOMPARE(run.shape, (std::vector<int64_t>{2, 3}));
        COMPARE_VALUES(run, (Values{5, 6}), (Values{10, 12}));
        QCOMPARE(run.shape, (std::vector<int64_t>{2, 1}));
    }

    void loopsChangeDictsAndReadListsFromTheirEnd() {
        // 3, 6, 12: doubled until it is 10 or more, and how often.
        Running run(forward("    d = {\"a\": x, \"n\": torch.zeros([1])}\n"
                            "    l = annotate(List[Tensor], [])\n"
                            "    go = bool(torch.lt(torch.sum(d[\"a\"]), 10))\n"
                            "    while go:\n"
                            "      _0 = torch._set_item(d, \"a\", torch.mul(d[\"a\"], 2))\n"
                            "      _1 = torch.add_(d[\"n\"], 1)\n"
                            "      _2 = torch.append(l, d[\"a\"])\n"
                            "      go = bool(torch.lt(torch.sum(l[-1]), 10))\n"
                            "    return torch.cat([d[\"a\"], d[\"n\"], torch.cat(l)])\n"),
                    {1});
        COMPARE_VALUES(run, (Values{3}), (Values{12, 2, 6, 12}));
    }

    void branchesAppend() {
        Running run(forward("    l = [x]\n"
                            "    if bool(torch.gt(torch.sum(x), 0)):\n"
                            "      _0 = torch.append(l, torch.neg(x))\n"
                            "    else:\n"
                            "      _1 = torch.append(l, torch.mul(x, 5))\n"
                            "    return torch.cat(l)\n"),
                    {1});
        COMPARE_VALUES(run, (Values{3}), (Values{3, -3}));
        COMPARE_VALUES(run, (Values{-1}), (Values{-1, -5}));
    }

    void stateIsKept() {
        Running run({.body = "  total : Tensor\n"
                             "  calls : int\n"
                             "  def forward(self: __torch__.Net,\n"
                             "    x: Tensor) -> Tensor:\n"
                             "    total = self.total\n"
                             "    self.total = torch.add(total, x)\n"
                             "    calls = self.calls\n"
                             "    self.calls = torch.add(calls, 1)\n"
                             "    total0 = self.total\n"
                             "    return torch.add(total0, torch.mul(calls, 100))\n",
                     .attributes = {{"total", pickledTensor("0", {2}, {1})}, {"calls", pickledInt(1)}},
                     .storages = {{"0", {10, 20}}}},
                    {2});
        COMPARE_VALUES(run, (Values{1, 2}), (Values{111, 122}));
        COMPARE_VALUES(run, (Values{1, 2}), (Values{212, 224}));
        COMPARE_VALUES(run, (Values{0, 0}), (Values{312, 324}));
    }

    void theFirstCallMayBeAnother() {
        // A buffer that is empty until the first call, and the rate that was used last.
        Running run({.body = "  h : Tensor\n"
                             "  rate : int\n"
                             "  def forward(self: __torch__.Net,\n"
                             "    x: Tensor) -> Tensor:\n"
                             "    h = self.h\n"
                             "    if torch.eq(torch.numel(h), 0):\n"
                             "      again = True\n"
                             "    else:\n"
                             "      rate = self.rate\n"
                             "      again = torch.ne(rate, 16)\n"
                             "    if again:\n"
                             "      self.h = torch.ones([2])\n"
                             "    else:\n"
                             "      pass\n"
                             "    self.rate = 16\n"
                             "    h0 = self.h\n"
                             "    self.h = torch.add(torch.mul(h0, 2), x)\n"
                             "    h1 = self.h\n"
                             "    return h1\n",
                     .attributes = {{"h", pickledTensor("0", {0}, {1})}, {"rate", pickledInt(0)}},
                     .storages = {{"0", {}}}},
                    {2});
        COMPARE_VALUES(run, (Values{1, 2}), (Values{3, 4}));
        COMPARE_VALUES(run, (Values{1, 2}), (Values{7, 10}));
        COMPARE_VALUES(run, (Values{0, 0}), (Values{14, 20}));
    }

    /// By a half with the zero point 10: 2.5 steps are rounded to the even 2; and what the scale and the zero point are.
    void quantizedTensorsShowTheirIntegers() {
        Running run(
            forward("    q = torch.quantize_per_tensor(x, 0.5, 10, 13)\n"
                    "    n = torch.to(torch.int_repr(q), 6)\n"
                    "    s = torch.add(torch.mul(torch.ones_like(x), torch.q_scale(q)), torch.q_zero_point(q))\n"
                    "    return torch.cat([n, s])\n"),
            {3});
        COMPARE_VALUES(run, (Values{1.25F, -3, 200}), (Values{12, 4, 255, 10.5F, 10.5F, 10.5F}));
    }

    /// 2 (1/e - 1) is about -5 quarters, 2 (1/e² - 1) about -7.
    void quantizedOperatorsHaveScalesInTheirPlaces() {
        for (const auto& [call, expected] :
             {std::pair("celu(q, 0.25, 20, 2.)", Values{1, -1.25F}), {"elu(q, 0.25, 20, 2., 1., 1.)", {1, -1.75F}}}) {
            Running run(forward(std::string("    q = torch.quantize_per_tensor(x, 0.5, 10, 13)\n") +
                                "    return torch.dequantize(ops.quantized." + call + ")\n"),
                        {2});
            COMPARE_VALUES(run, (Values{1, -2}), expected);
        }
        Running run(forward("    q = torch.quantize_per_tensor(torch.reshape(x, [1, 1, 2]), 0.5, 10, 13)\n"
                            "    y = ops.quantized.instance_norm(q, None, None, 0., 0.25, 20)\n"
                            "    return torch.reshape(torch.dequantize(y), [2])\n"),
                    {2});
        COMPARE_VALUES(run, (Values{-2, 2}), (Values{-1, 1}));
    }

    /// Of -1 and 1: 0, and 2 where the variance is divided by one less; half of it goes on. What is moved is the program's own.
    void batchesMoveMoments() {
        Running run(
            forward("    m = torch.mul(torch.ones([1]), 4)\n"
                    "    v = torch.ones([1])\n"
                    "    y = torch.batch_norm(torch.reshape(x, [2, 1]), None, None, m, v, True, 0.5, 0., False)\n"
                    "    return torch.cat([torch.round(torch.reshape(y, [2])), m, v])\n"),
            {2});
        COMPARE_VALUES(run, (Values{-1, 1}), (Values{-1, 1, 2, 1.5F}));
    }

    void versionsDivideOtherwise() {
        const std::string lines = "    n = torch.to(x, 3)\n"
                                  "    return torch.to(torch.div(n, 2), 6)\n";
        ScriptFile script = forward(lines);
        Running now(script, {2});
        COMPARE_VALUES(now, (Values{7, -7}), (Values{3.5, -3.5}));
        script.version = 3;
        Running before(script, {2});
        COMPARE_VALUES(before, (Values{7, -7}), (Values{3, -3}));
    }
};

Test test() {
    return {makes<TestTorchscriptValues>};
}

} // namespace lathe::testing::test_torchscript_values

#include "test_torchscript_values.moc"
