// SPDX-License-Identifier: GPL-3.0-or-later
// One selection through the pages, with real clicks and keys: from a node of the model to its loops and instructions, from an
// instruction back to nodes, and back along the way.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "arith/expr.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "tir/text.h"
#include "views/loops/loops_page.h"
#include "views/text/code_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <set>

namespace lathe::testing::test_loops {

using app::MainWindow;
using views::loops::LoopsPage;
using views::models::KernelLevel;
using views::text::CodeView;

namespace {

int nodeOf(const driver::Trace& trace, const char* op) {
    for (const model::Node* node : trace.graph->nodes)
        if (node && node->op == op)
            return node->id;
    return -1;
}

/// A real click into a line.
void click(CodeView* view, int line) {
    view->SendScintilla(QsciScintilla::SCI_ENSUREVISIBLE, line);
    view->SendScintilla(QsciScintilla::SCI_SETFIRSTVISIBLELINE, std::max(0, line - 2));
    const long position = view->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line);
    const int x = int(view->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0L, position + 1)),
              y = int(view->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0L, position + 1));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(x + 2, y + 4));
}

/// The last line with this in it; -1: none.
int lineWith(CodeView* view, const QString& text) {
    for (int line = view->lines() - 1; line >= 0; --line)
        if (view->text(line).contains(text))
            return line;
    return -1;
}

} // namespace

class TestLoops : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    LoopsPage* page_ = nullptr;

    CodeView* view(KernelLevel level) const { return page_->view(level); }
    /// Texts of the call that is shown are there.
    bool listed() const {
        return std::ranges::all_of(std::array{KernelLevel::Computation, KernelLevel::Loops, KernelLevel::Assembly},
                                   [&](KernelLevel level) { return view(level)->lines() > 3; });
    }
    const driver::Trace& trace() const { return window_->provenance()->trace(); }

private slots:
    void initTestCase() {
        isolate(folder_, "test_loops");
        window_ = std::make_unique<MainWindow>();
        window_->resize(1600, 900);
        window_->show();
        page_ = window_->loopsPage();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        window_->showPage("loops");
        QVERIFY(view(KernelLevel::Loops)->text().contains("F5")); // says what to do
        QVERIFY(compileAndWait(*window_));
    }
    void cleanupTestCase() { window_.reset(); }

    void init() {
        window_->selection().clear();
        window_->showPage("loops");
    }

    void aNodeIsFollowedToItsInstructions() {
        window_->showPage("model");
        const int pool = nodeOf(trace(), "MaxPool");
        QVERIFY(pool >= 0);
        window_->selection().set({{pool}});
        window_->showPage("loops");
        QTRY_VERIFY_WITH_TIMEOUT(listed(), patience);
        const driver::CallRecord& call = trace().calls[size_t(page_->call())];
        const auto& nodes = trace().graph->spans->ids(call.span);
        QVERIFY(std::ranges::find(nodes, pool) != nodes.end());
        QVERIFY(view(KernelLevel::Loops)->text().contains("max("));
        QVERIFY(view(KernelLevel::Assembly)->text().contains("max"));
        QVERIFY(page_->facts().contains("instructions"));
    }

    void anInstructionIsFollowedBack() {
        const int conv = nodeOf(trace(), "Conv"), relu = nodeOf(trace(), "Relu");
        window_->selection().set({{conv}});
        QTRY_VERIFY_WITH_TIMEOUT(listed(), patience);
        const int line = lineWith(view(KernelLevel::Assembly), "vfmadd") >= 0
                             ? lineWith(view(KernelLevel::Assembly), "vfmadd")
                             : lineWith(view(KernelLevel::Assembly), "mulps");
        QVERIFY(line >= 0);
        click(view(KernelLevel::Assembly), line);
        // The multiply-add is the convolution's alone, though the function computes the activation too.
        QTRY_COMPARE(window_->selection().place().call, page_->call()); // the view tells when it is painted
        QVERIFY(window_->selection().contains(conv));
        QVERIFY(!window_->selection().contains(relu));
        // The same statement stands out at every level, and what stands out is a multiplication.
        for (const KernelLevel level : {KernelLevel::Computation, KernelLevel::Loops, KernelLevel::Assembly}) {
            const std::vector<int> marked = view(level)->markedLines();
            QVERIFY(!marked.empty() && int(marked.size()) < view(level)->lines());
        }
        const auto marked = view(KernelLevel::Loops)->markedLines();
        QVERIFY(std::ranges::any_of(marked,
                                    [&](int each) { return view(KernelLevel::Loops)->text(each).contains(" * "); }));
        const auto instructions = view(KernelLevel::Assembly)->markedLines();
        QVERIFY(std::ranges::find(instructions, line) != instructions.end());
    }

    /// The loops as a tree, and the schedule step by step; each leads to the texts.
    void nestAndStepsLeadToTheTexts() {
        window_->selection().set({{nodeOf(trace(), "Conv")}});
        QTRY_VERIFY_WITH_TIMEOUT(listed(), patience);
        auto* tree = page_->findChild<QTreeView*>();
        auto* steps = page_->findChild<QTableView*>();
        const QAbstractItemModelTester ofTree(tree->model()), ofSteps(steps->model());
        const QModelIndex root = tree->model()->index(0, 0);
        QVERIFY(tree->model()->rowCount(root) > 0);
        // All of it is the convolution's own estimate: the flops of the call.
        const driver::CallRecord& call = trace().calls[size_t(page_->call())];
        const auto& nest = qobject_cast<const views::models::LoopNestModel*>(tree->model())->at(root);
        QVERIFY(nest.flops && *nest.flops >= double(*arith::asInt(call.flops)));
        tree->setCurrentIndex(tree->model()->index(0, 0, root));
        QVERIFY(window_->selection().place().origin >= 0);
        QCOMPARE(window_->selection().place().call, page_->call());
        const driver::KernelRecord& kernel = trace().kernels[size_t(window_->provenance()->kernelOf(page_->call()))];
        const int count = int(kernel.schedule.trace.steps.size());
        QVERIFY(count > 2);
        QCOMPARE(steps->model()->rowCount(), count + int(kernel.schedule.refusals.size()));
        const auto after = [&](int row) {
            steps->setCurrentIndex(steps->model()->index(row, 0));
            const QString title = QString("Schedule after step %1 of %2").arg(row + 1).arg(count);
            const auto labels = page_->findChildren<QLabel*>();
            return QTest::qWaitFor(
                [&] { return std::ranges::any_of(labels, [&](const QLabel* each) { return each->text() == title; }); },
                patience);
        };
        QVERIFY(after(count - 1));
        const auto shown = [&] { return view(KernelLevel::Schedule)->text().trimmed(); };
        const auto scheduled =
            std::ranges::find(kernel.stages, "schedule", [](const auto& each) { return each.first; });
        QCOMPARE(shown(), QString::fromStdString(tir::print(*scheduled->second)).trimmed());
        QVERIFY(after(0));
        QVERIFY(shown() != QString::fromStdString(tir::print(*scheduled->second)).trimmed());
    }

    /// What was inlined has lines of its own in the computation alone; picked there, its host stands out below.
    void whatWasInlinedIsFollowedDown() {
        const int relu = nodeOf(trace(), "Relu");
        window_->selection().set({{relu}});
        QTRY_VERIFY_WITH_TIMEOUT(listed(), patience);
        const auto uses = window_->provenance()->usesOf(relu);
        QVERIFY(!uses.empty() && uses.front().call == page_->call());
        const auto marks = [&](KernelLevel level) { return view(level)->markedLines(); };
        for (const KernelLevel level : {KernelLevel::Computation, KernelLevel::Loops, KernelLevel::Assembly})
            QVERIFY(!marks(level).empty());
        // A line of the computation that no later level has: the convolution's scale, or its padding.
        const driver::KernelRecord& kernel = trace().kernels[size_t(window_->provenance()->kernelOf(page_->call()))];
        std::set<int> above, below;
        const views::models::LoopTexts texts = views::models::loopTexts(kernel);
        above.insert(texts.levels[0].origins.begin(), texts.levels[0].origins.end());
        below.insert(texts.levels[2].origins.begin(), texts.levels[2].origins.end());
        for (const int origin : above) {
            if (origin < 0 || below.contains(origin))
                continue;
            window_->selection().set({window_->provenance()->nodesOf(page_->call(), origin), page_->call(), origin});
            for (const KernelLevel level : {KernelLevel::Computation, KernelLevel::Loops, KernelLevel::Assembly})
                QVERIFY(!marks(level).empty());
        }
        QVERIFY(std::ranges::any_of(above, [&](int origin) { return origin >= 0 && !below.contains(origin); }));
    }

    void everyInstructionLeadsToNodesOfItsFunction() {
        for (int call = 0; call < int(trace().calls.size()); ++call) {
            window_->selection().set({window_->provenance()->nodesOf(call, -1), call});
            QTRY_COMPARE_WITH_TIMEOUT(page_->call(), call, patience);
            QTRY_VERIFY_WITH_TIMEOUT(listed(), patience);
            CodeView* assembly = view(KernelLevel::Assembly);
            std::set<int> reached;
            for (int line = 0; line < assembly->lines() - 1; line += 7) {
                assembly->setCursorPosition(line, 3);
                assembly->viewport()->repaint(); // it tells when it is painted
                const views::models::Place& place = window_->selection().place();
                QVERIFY(place.call == call && place.origin >= 0 && !place.nodes.empty());
                reached.insert(window_->selection().nodes().begin(), window_->selection().nodes().end());
            }
            const auto& nodes = trace().graph->spans->ids(trace().calls[size_t(call)].span);
            QVERIFY(!reached.empty());
            for (const int node : reached)
                QVERIFY(std::ranges::find(nodes, node) != nodes.end());
        }
    }

    void theWayBack() {
        const int conv = nodeOf(trace(), "Conv"), pool = nodeOf(trace(), "MaxPool");
        window_->selection().set({{conv}});
        const int first = page_->call();
        window_->selection().set({{pool}});
        QVERIFY(page_->call() != first);
        QTest::keyClick(window_.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window_->selection().nodes(), std::vector<int>{conv});
        QCOMPARE(page_->call(), first);
        QTest::keyClick(window_.get(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window_->selection().nodes(), std::vector<int>{pool});
    }

    void aFunctionIsChosen() {
        auto chooser = page_->findChild<QComboBox*>();
        QCOMPARE(chooser->count(), int(trace().calls.size()));
        chooser->setFocus();
        const int before = chooser->currentIndex();
        QTest::keyClick(chooser, before + 1 < chooser->count() ? Qt::Key_Down : Qt::Key_Up);
        QVERIFY(chooser->currentIndex() != before);
        QCOMPARE(window_->selection().place().call, chooser->currentIndex());
        QCOMPARE(page_->call(), chooser->currentIndex());
    }

    void levelsAreShownOnRequest() {
        auto find = [&](const QString& text) {
            const auto buttons = page_->findChildren<QToolButton*>();
            const auto found = std::ranges::find(buttons, text, &QToolButton::text);
            return found == buttons.end() ? nullptr : *found;
        };
        QToolButton* llvm = find("LLVM IR");
        QVERIFY(llvm && !view(KernelLevel::Llvm)->isVisible());
        QTest::mouseClick(llvm, Qt::LeftButton);
        QTRY_VERIFY(view(KernelLevel::Llvm)->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(view(KernelLevel::Llvm)->text().startsWith("define "), patience);
        QVERIFY(!view(KernelLevel::Llvm)->text().contains("!dbg"));
        QTest::mouseClick(llvm, Qt::LeftButton);
        QTRY_VERIFY(!view(KernelLevel::Llvm)->isVisible());
    }
};

Test test() {
    return {makes<TestLoops>, Application::Window};
}

} // namespace lathe::testing::test_loops

#include "test_loops.moc"
