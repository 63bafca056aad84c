// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a model that break lines, turn directions, look like HTML or have no end: wherever the window shows them they are one
// line, and no page asks for more room than a screen has.
// Needs: lathe-runner
// Timeout: 900
#include "app/main_window.h"
#include "gui/window.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"
#include "views/graph/model_page.h"
#include "views/log/log_panel.h"
#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"
#include "views/page/elided_label.h"

#include <QAbstractItemView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>

namespace lathe::testing::test_names {

using app::MainWindow;
using views::models::oneLine;

namespace {

constexpr qsizetype longest = 10'000;

/// One line of what is seen, from the left to the right.
bool isOneLine(const QString& text) {
    for (const char16_t bad : {u'\n', u'\r', u'\t', u'\0', char16_t(0x2028), char16_t(0x202e), char16_t(0x200f)})
        if (text.contains(QChar(bad)))
            return false;
    return text.size() < longest;
}

/// x -> Relu -> Neg -> Add(with Relu's) -> y, whose nodes and values have these names.
std::string modelNamed(const std::vector<std::string>& nodes, const std::vector<std::string>& values) {
    ::onnx::ModelProto model =
        parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n"
                   "g (float[2, 8] x) => (float[2, 8] y) { a = Relu(x) b = Neg(a) y = Add(b, a) }");
    const auto nameOf = [&](const std::string& value) { return values[size_t(std::string("xaby").find(value))]; };
    auto& graph = *model.mutable_graph();
    for (int i = 0; i < graph.node_size(); ++i) {
        auto& node = *graph.mutable_node(i);
        node.set_name(nodes[size_t(i)]);
        for (auto& input : *node.mutable_input())
            input = nameOf(input);
        for (auto& output : *node.mutable_output())
            output = nameOf(output);
    }
    graph.mutable_input(0)->set_name(values.front());
    graph.mutable_output(0)->set_name(values.back());
    return model.SerializeAsString();
}

} // namespace

class TestNames : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { isolate(folder_, "test_names"); }

    void aNameIsOneLineOfBoundedLength() {
        for (const QString& plain : {QString("/layer0/Conv"), QString(), QString("größe 漢字 😀 שלום"), QString("a b")})
            QCOMPARE(oneLine(plain), plain);
        QCOMPARE(oneLine(QString("a\nb\tc")), QString("a\\nb\\tc"));
        QCOMPARE(oneLine(QString(QChar(0x202e)) + "gnp"), QString("\\xe2\\x80\\xaegnp"));
        QVERIFY(isOneLine(oneLine(QString(QChar(0x2028)) + QChar(0x85) + QChar(u'\0'))));
        const QString cut = oneLine("begin" + QString(longest, 'x') + "end", 20);
        QCOMPARE(cut.size(), 20);
        QVERIFY(cut.startsWith("begin") && cut.endsWith("end"));
        // No half of a letter stands at the cut, wherever that is.
        for (const qsizetype most : {9, 10, 11, 12})
            QVERIFY(oneLine(QString("😀").repeated(longest), most).isValidUtf16());
    }

    void tipsFitAScreen() {
        QCOMPARE(views::models::plainTip("one\ntwo"), QString("one\ntwo"));
        const auto shown = [](const QString& text) {
            const QString tip = views::models::plainTip(text);
            QTextDocument document;
            document.setHtml(Qt::mightBeRichText(tip) ? tip : Qt::convertFromPlainText(tip));
            return document.toPlainText();
        };
        QCOMPARE(shown("<b>bold</b>"), QString("<b>bold</b>"));
        QVERIFY(shown(QString(longest, 'W')).size() < 200);
        QVERIFY(shown(QString("line\n").repeated(longest)).count('\n') < 60);
        QVERIFY(Qt::mightBeRichText(views::models::plainTip(QString("word ").repeated(100)))); // else Qt breaks no line
    }

    void aLabelAsksForOneLine() {
        views::ElidedLabel label;
        label.setText("short");
        const QSize one = label.sizeHint();
        label.setText("three\nlines\nof it");
        QCOMPARE(label.sizeHint().height(), one.height());
        QCOMPARE(label.minimumSizeHint().height(), one.height());
        label.setText(QString(longest, 'W'));
        QVERIFY(label.minimumSizeHint().width() < one.width());
        QVERIFY(label.sizeHint().width() < 10'000);
        // Where it has the room that it asks for, nothing is cut.
        label.setContentsMargins(8, 2, 8, 2);
        for (const char* text : {"ONNX · 39 nodes", "a", "small_cnn.onnx · 16 kernel calls · 0.21 ms"}) {
            label.setText(text);
            label.resize(label.sizeHint());
            QCOMPARE(label.fontMetrics().elidedText(text, Qt::ElideMiddle, label.contentsRect().width()),
                     QString(text));
        }
    }

    void theWindowShowsThem() {
        const std::string end(longest, 'W');
        const std::string odd = folder_.filePath("odd.onnx").toStdString(),
                          plain = folder_.filePath("plain.onnx").toStdString();
        writeFile(odd, modelNamed({"first\nsecond\nthird", "\xe2\x80\xaegnp.exe\ttab", end},
                                  {"<b>in</b>\nput", "a\n" + end, end + "\r", "\xe2\x80\xaf\xe2\x80\x8f" + end + "y"}));
        writeFile(plain, modelNamed({"r", "n", "s"}, {"x", "a", "b", "y"}));
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        QVERIFY(openAndWait(window, QString::fromStdString(odd)));
        for (const auto& box : window.modelPage()->picture().boxes)
            for (const QString& line : QStringList{box.title, box.subtitle} + box.lines)
                QVERIFY2(isOneLine(line), qPrintable(line.left(60)));
        const auto wait = [&](auto start) {
            Settled settled(window);
            start();
            return settled.wait();
        };
        QVERIFY(compileAndWait(window));
        QVERIFY2(window.isCompiled(), qPrintable(window.logPanel()->text().right(2000)));
        QVERIFY(wait([&] { window.run(); }));
        QVERIFY(wait([&] { window.check(diagnose::AgainstUnoptimized{}); }));
        QVERIFY(wait([&] { window.compareWith(QString::fromStdString(plain)); }));
        for (const char* page : {"model", "passes", "fusion", "loops", "profile", "check", "compare", "tuning"}) {
            window.showPage(page);
            for (int node = -1; node < 3; ++node) {
                window.selection().set(node < 0 ? std::vector<int>() : std::vector{node});
                QCoreApplication::processEvents();
                const QSize least = window.minimumSizeHint();
                QVERIFY2(
                    least.width() <= 1280 && least.height() <= 800,
                    qPrintable(
                        QString("%1, node %2: %3 × %4").arg(page).arg(node).arg(least.width()).arg(least.height())));
            }
            const auto views = window.findChildren<QAbstractItemView*>();
            for (const QAbstractItemView* view : views)
                if (view->isVisible() && view->model() && view->model()->rowCount() > 0)
                    for (int row = 0; row < view->model()->rowCount(); ++row)
                        QVERIFY2(view->sizeHintForIndex(view->model()->index(row, 0)).height() < 40,
                                 qPrintable(page + QString(": ") + view->accessibleName()));
        }
        QVERIFY(isOneLine(window.windowTitle()));
    }
};

Test test() {
    return {makes<TestNames>, Application::Window};
}

} // namespace lathe::testing::test_names

#include "test_names.moc"
