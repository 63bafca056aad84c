// SPDX-License-Identifier: GPL-3.0-or-later
// Runs: release
// Needs: lathe-runner
// Timeout: 900
//
// The page Loops on the convolutions of a network: what its loops do is what the function does, and a line leads to its own
// statement at all levels, not to the padding or the initialization beside it. In release alone: it compiles a network.
#include "app/main_window.h"
#include "arith/expr.h"
#include "gui/window.h"
#include "support/fixtures.h"
#include "support/program_of_tests.h"
#include "views/loops/loops_page.h"
#include "views/text/code_view.h"

#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <cmath>

namespace lathe::testing::test_loops_of_networks {

using app::MainWindow;
using views::models::KernelLevel;
using views::text::CodeView;

class TestLoopsOfNetworks : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    MainWindow window_;

    const driver::Trace& trace() const { return window_.provenance()->trace(); }
    views::loops::LoopsPage* page() { return window_.loopsPage(); }
    CodeView* view(KernelLevel level) { return page()->view(level); }
    bool isShown(int call) {
        window_.selection().set({window_.provenance()->nodesOf(call, -1), call});
        return QTest::qWaitFor(
            [&] {
                return page()->call() == call && view(KernelLevel::Loops)->lines() > 3 &&
                       view(KernelLevel::Assembly)->lines() > 3;
            },
            patience);
    }
    /// As a click does.
    void goTo(CodeView* view, int line) {
        view->showLine(line);
        view->setCursorPosition(line, 3);
        view->viewport()->repaint(); // it tells when it is painted
    }
    static bool isInView(CodeView* view, int line) {
        const int first = view->firstVisibleLine(),
                  row = int(view->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, line));
        return row >= first && row < first + int(view->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
    }
    static bool anyInView(CodeView* view) {
        return std::ranges::any_of(view->statementLines(), [&](int line) { return isInView(view, line); });
    }
    /// A convolution with padding, scheduled.
    int paddedConvolution() const {
        for (size_t call = 0; call < trace().calls.size(); ++call)
            if (const int kernel = window_.provenance()->kernelOf(int(call));
                kernel >= 0 && trace().calls[call].function.starts_with("fused_conv") &&
                trace().kernels[size_t(kernel)].schedulable)
                return int(call);
        return -1;
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_loops_of_networks");
        const auto file = fixture("perf/resnet50/model.onnx");
        if (file.empty() && !fixturesExpected())
            QSKIP("there is no folder to unpack the fixtures from");
        window_.resize(1600, 900);
        window_.show();
        QVERIFY(openAndWait(window_, QString::fromStdString(file.string())));
        QVERIFY(compileAndWait(window_));
        window_.showPage("loops");
    }

    /// Direct convolutions, as their definition has it; rows that a split does not divide count once.
    void loopsDoWhatTheFunctionDoes() {
        int compared = 0;
        for (const driver::CallRecord& call : trace().calls) {
            if (!call.function.starts_with("fused_conv"))
                continue;
            const auto kernel = std::ranges::find(trace().kernels, call.kernel, &driver::KernelRecord::name);
            const auto schedule =
                std::ranges::find(kernel->stages, "schedule", [](const auto& stage) { return stage.first; });
            const lower::LoopCost cost = lower::loopCosts(*schedule->second);
            const auto expected = double(*arith::asInt(call.flops));
            QVERIFY2(cost.flops && std::abs(*cost.flops / expected - 1) < 0.01, call.function.c_str());
            QVERIFY(!cost.workAtMost);
            ++compared;
        }
        QVERIFY(compared > 30);
    }

    void anInstructionLeadsToItsStatement() {
        const int call = paddedConvolution();
        QVERIFY(call >= 0 && isShown(call));
        for (CodeView* each : {view(KernelLevel::Computation), view(KernelLevel::Loops), view(KernelLevel::Assembly)})
            QVERIFY(each->statementLines().empty() && each->markedLines().empty()); // all of it is no part
        CodeView* assembly = view(KernelLevel::Assembly);
        int hot = -1;
        for (int line = 0; line < assembly->lines() && hot < 0; ++line)
            if (assembly->text(line).contains("fmadd"))
                hot = line;
        QVERIFY(hot >= 0);
        goTo(assembly, hot);
        for (const KernelLevel level :
             {KernelLevel::Computation, KernelLevel::Schedule, KernelLevel::Loops, KernelLevel::Assembly}) {
            CodeView* each = view(level);
            QVERIFY(!each->statementLines().empty() && each->statementLines().size() < each->markedLines().size());
            QVERIFY(anyInView(each));
            if (level == KernelLevel::Assembly) {
                QVERIFY(std::ranges::binary_search(each->statementLines(), hot));
                continue;
            }
            // The product: neither the padding, which has none, nor the zero that the sum begins with.
            QVERIFY(std::ranges::all_of(each->statementLines(),
                                        [&](int line) { return each->text(line).contains(" * "); }));
        }
    }

    void aLoopOfTheNestLeadsToItsLines() {
        const int call = paddedConvolution();
        QVERIFY(isShown(call));
        auto* tree = page()->findChild<QTreeView*>();
        const auto* model = qobject_cast<const views::models::LoopNestModel*>(tree->model());
        QModelIndex innermost = model->index(0, 0);
        while (model->rowCount(innermost) > 0)
            innermost = model->index(model->rowCount(innermost) - 1, 0, innermost);
        const QModelIndex loop = innermost.parent();
        tree->setCurrentIndex(loop);
        const QString name = QString::fromStdString(model->at(loop).name);
        CodeView* schedule = view(KernelLevel::Schedule);
        QVERIFY(!schedule->statementLines().empty());
        // Names of which the text has several are numbered there.
        QVERIFY2(schedule->text(schedule->statementLines().front()).contains("for " + name), qPrintable(name));
        QVERIFY(anyInView(schedule) && anyInView(view(KernelLevel::Computation)));
        // Another loop, of the same operator.
        tree->setCurrentIndex(loop.parent());
        QVERIFY(schedule->text(schedule->statementLines().front())
                    .contains("for " + QString::fromStdString(model->at(loop.parent()).name)));
    }
};

Test test() {
    return {makes<TestLoopsOfNetworks>, Application::Window};
}

} // namespace lathe::testing::test_loops_of_networks

#include "test_loops_of_networks.moc"
