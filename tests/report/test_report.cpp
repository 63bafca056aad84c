// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// The page of a report: well-formed, complete, and safe whatever a model calls its nodes.
#include "report/report.h"

#include "base/guarded.h"
#include "inspect/roofline.h"
#include "report/html.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "support/report_page.h"
#include "support/sample_models.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace lathe::testing::test_report {

namespace {

report::Report reportOf(const std::string& bytes) {
    const auto trace = std::make_shared<driver::Trace>();
    report::Report made{.trace = trace,
                        .model = "a & b.onnx",
                        .options = {},
                        .decisions = {},
                        .profile = {},
                        .peaks = {},
                        .problems = {}};
    made.options.emitCode = false;
    (void)driver::compileBytes(std::as_bytes(std::span(bytes)), "a & b.onnx", {}, {}, made.options, *trace);
    return made;
}

/// As if each call had taken a millisecond more than the one before.
void addProfile(report::Report& report) {
    inspect::Profile profile;
    profile.medianMs = 12.5;
    profile.runs = 3;
    profile.threads = 1;
    const auto& calls = report.trace->calls;
    double total = 0;
    for (size_t i = calls.size(); i-- > 0;) {
        inspect::ProfileRow row;
        row.call = int(i);
        row.function = calls[i].function;
        row.kernel = calls[i].kernel;
        row.nodes = report.trace->graph->spans->ids(calls[i].span);
        row.home = driver::homeOf(calls[i], *report.trace->graph->spans);
        row.ms = double(i + 1);
        row.flops = 1e6 * double(i % 3);
        row.bytes = 1e5;
        total += row.ms;
        profile.rows.push_back(std::move(row));
    }
    for (inspect::ProfileRow& row : profile.rows)
        row.share = row.ms / total;
    report.profile = std::move(profile);
    report.peaks = inspect::MachinePeaks{.cpu = "a <cpu>", .threads = 2, .one = {100, 10}, .all = {200, 15}};
}

Page pageOf(const report::Report& report) {
    return readPage(QByteArray::fromStdString(report::toHtml(report)));
}

QString text(const std::string& text) {
    return QString::fromStdString(text);
}

} // namespace

class TestReport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("LATHE_CACHE", cache_.path().toLocal8Bit()); }

    void everyKernelHasItsPlace_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<bool>("ran");
        for (const SampleModel& sample : sampleModels)
            QTest::newRow(sample.name) << QString(sample.graph) << (QString(sample.name) < "m");
    }
    void everyKernelHasItsPlace() {
        QFETCH(QString, graph);
        QFETCH(bool, ran);
        report::Report report = reportOf(graphBytes(graph.toStdString()));
        if (ran)
            addProfile(report);
        const driver::Trace& trace = *report.trace;
        QVERIFY(!trace.kernels.empty());
        const Page page = pageOf(report);
        const QStringList wrong = wrongIn(page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        for (const char* section : {"summary", "graph", "passes", "fusion", "kernels", "profile", "memory"})
            QVERIFY2(page.ids.contains(section), section);
        for (const char* section : {"roofline", "flame"})
            QCOMPARE(page.ids.contains(section), ran);
        for (const driver::KernelRecord& kernel : trace.kernels)
            QCOMPARE(page.ids.count("kernel-" + text(kernel.name)), 1);
        for (const driver::PassRecord& pass : trace.passes)
            QVERIFY2(page.of["passes"].contains(text(pass.name)), pass.name.c_str());
        for (size_t i = 0; ran && i < trace.calls.size(); ++i) {
            QCOMPARE(page.ids.count(QString("call-%1").arg(i)), 1);
            // From its point or its row to the kernel, and back.
            QVERIFY(page.links.contains("#kernel-" + text(trace.calls[i].kernel)));
        }
        for (const driver::FusionRecord::Operator& one : trace.fusion.operators)
            QVERIFY(page.of["fusion"].contains(text(one.name.node)));
    }

    /// Eight operators in two scopes: boxes of the whole, the scopes and the functions, each with its time and share.
    void timesStandInTheirScopes() {
        std::string graph = "g (float[8,8] x) => (float[8,8] y) {";
        std::string last = "x";
        for (int i = 0; i < 8; ++i) {
            const std::string next = i == 7 ? "y" : "v" + std::to_string(i);
            graph += " [\"/" + std::string(i < 4 ? "left" : "right") + "/op" + std::to_string(i) + "\"] " + next +
                     " = MatMul (" + last + ", x)";
            last = next;
        }
        report::Report report = reportOf(graphBytes(graph + " }"));
        QVERIFY(report.trace->diagnostics.empty());
        QCOMPARE(report.trace->calls.size(), size_t(8));
        addProfile(report); // 1 to 8 ms
        const Page page = pageOf(report);
        const QStringList wrong = wrongIn(page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        const QString flame = page.of["flame"];
        QVERIFY2(flame.contains("a & b.onnx\n36.00 ms, 100.0 % of the run\n8 kernel calls"), qPrintable(flame));
        QVERIFY2(flame.contains("left\n10.00 ms, 27.8 % of the run\n4 kernel calls"), qPrintable(flame));
        QVERIFY2(flame.contains("right\n26.00 ms, 72.2 % of the run\n4 kernel calls"), qPrintable(flame));
        QVERIFY(flame.contains(text(report.trace->calls[7].function) + "\n8.0000 ms, 22.2 % of the run"));
        for (int call = 0; call < 8; ++call) // of the flame, and where else it is drawn
            QVERIFY(page.links.contains(QString("#call-%1").arg(call)));
    }

    /// What passes changed of what there is to do; by hand: dead code takes away one of two operators.
    void passesHaveTheirFigures() {
        const Page page =
            pageOf(reportOf(graphBytes("g (float[1000] x) => (float[1000] y) { unused = Exp (x) y = Relu (x) }")));
        const QString passes = page.of["passes"];
        const QString row =
            passes.mid(passes.indexOf("dead code"), passes.indexOf("fold constants") - passes.indexOf("dead code"));
        QVERIFY2(row.contains("-1"), qPrintable(row));      // binding
        QVERIFY2(row.contains("-1.00 k"), qPrintable(row)); // FLOPs
        QVERIFY2(row.contains("-8.00 k"), qPrintable(row)); // bytes: read and written
        QVERIFY2(row.contains("-4.00 k"), qPrintable(row)); // of memory
    }

    void namesAreNoMarkup() {
        const std::string hostile = "</title><script>alert('x')</script>&amp;\"\x01\xff\xe2\x80\xae\xed\xa0\x80<!--]]>";
        ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]> g (float[2,2] x) => "
                                              "(float[2,2] y) { a = MatMul (x, x) b = Relu (a) y = Softmax (b) }");
        ::onnx::GraphProto& graph = *model.mutable_graph();
        for (::onnx::NodeProto& node : *graph.mutable_node()) {
            node.set_name(hostile + node.op_type());
            for (std::string* name : {node.mutable_input(0), node.mutable_output(0)})
                *name = hostile + *name;
            if (node.input_size() > 1)
                node.set_input(1, node.input(0));
        }
        graph.mutable_input(0)->set_name(hostile + "x");
        graph.mutable_output(0)->set_name(hostile + "y");
        report::Report report = reportOf(model.SerializeAsString());
        report.model = hostile;
        if (!report.trace->calls.empty())
            addProfile(report);
        report.problems.push_back(error(hostile, hostile));
        const std::string html = report::toHtml(report);
        QCOMPARE(QByteArray::fromStdString(html).count("<script>"), 1);
        QVERIFY(html.find("alert('x')") == std::string::npos);
        const Page page = readPage(QByteArray::fromStdString(html));
        const QStringList wrong = wrongIn(page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        QVERIFY(page.text.contains("<script>alert('x')</script>&amp;\"\ufffd\ufffd"));
        QVERIFY(!page.text.contains(QChar(0x202e)));
    }

    void escapes() {
        QCOMPARE(report::escaped("a<b>&\"'\n\t"), std::string("a&lt;b&gt;&amp;&quot;&#39;\n\t"));
        QCOMPARE(report::escaped("ü€😀"), std::string("ü€😀"));
        const std::string bad = "\xef\xbf\xbd";
        for (const char* text : {"\xff", "\xc0\xaf", "\xe2\x82", "\xf5\x80\x80\x80", "\x01", "\x7f"})
            QVERIFY2(report::escaped(text).starts_with(bad), text);
        QCOMPARE(report::escaped(std::string_view("a\0b", 3)), "a" + bad + "b");
    }

    /// The reason, and what was reached: the graph with the node that is refused.
    void aModelThatIsRefused() {
        const report::Report report =
            reportOf(graphBytes("g (float[2] x) => (float[2] y) { [odd] y = Frobnicate (x) }"));
        const Page page = pageOf(report);
        const QStringList wrong = wrongIn(page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        QVERIFY(page.of["problems"].contains("Frobnicate"));
        QVERIFY(page.of["graph"].contains("Frobnicate"));
        QVERIFY(!page.ids.contains("kernels"));
    }

    void noModelAtAll() {
        const Page page = pageOf(reportOf("this is no model"));
        const QStringList wrong = wrongIn(page);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        QVERIFY(!page.of["problems"].isEmpty());
    }

    /// Many nodes: their functions are drawn, or nodes are listed; and the page stays small.
    void largeModels_data() {
        QTest::addColumn<int>("nodes");
        QTest::newRow("fused functions") << 1000;
        QTest::newRow("a list") << 6000;
    }
    void largeModels() {
        QFETCH(int, nodes);
        std::string graph = "g (float[4,4] x0) => (float[4,4] x" + std::to_string(nodes) + ") {";
        for (int i = 0; i < nodes; ++i)
            graph += " [n" + std::to_string(i) + "] x" + std::to_string(i + 1) +
                     (i % (nodes > 2000 ? 2 : 5) == 0 ? " = MatMul (x" + std::to_string(i) + ", x" + std::to_string(i)
                                                      : " = Relu (x" + std::to_string(i)) +
                     ")";
        report::Report report = reportOf(graphBytes(graph + " }"));
        QVERIFY(report.trace->diagnostics.empty());
        addProfile(report);
        const std::string html = report::toHtml(report);
        QVERIFY2(html.size() < 5'000'000, std::to_string(html.size()).c_str());
        const Page page = readPage(QByteArray::fromStdString(html));
        QVERIFY2(wrongIn(page).isEmpty(), qPrintable(wrongIn(page).join('\n')));
        QCOMPARE(page.of["graph"].contains("n1999"), nodes > 2000);
        QCOMPARE(page.of["graph"].contains("more nodes are left out"), nodes > 2000);
        QVERIFY(page.tags.contains("svg"));
    }

    void wholeOrNotAtAll() {
        QTemporaryDir folder;
        const report::Report report = reportOf(graphBytes("g (float[2] x) => (float[2] y) { y = Relu (x) }"));
        const QString path = folder.filePath("page.html");
        QVERIFY(report::writeReport(report, path.toStdString()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(readPage(file.readAll()).malformed.isEmpty());
        const auto refused = report::writeReport(report, folder.filePath("no/page.html").toStdString());
        QVERIFY(!refused);
        QVERIFY(refused.error().what.find("cannot write") != std::string::npos);
    }

    void cancelled() {
        const report::Report report = reportOf(graphBytes("g (float[2] x) => (float[2] y) { y = Relu (x) }"));
        QTemporaryDir folder;
        const QString path = folder.filePath("page.html");
        const auto written = guarded([&] {
            return report::writeReport(report, path.toStdString(), {.report = {}, .cancelled = [] { return true; }});
        });
        QVERIFY(!written);
        QVERIFY(written.error().kind == ErrorKind::Cancelled);
        QVERIFY(!QFile::exists(path));
    }

private:
    QTemporaryDir cache_;
};

Test test() {
    return {makes<TestReport>};
}

} // namespace lathe::testing::test_report

#include "test_report.moc"
