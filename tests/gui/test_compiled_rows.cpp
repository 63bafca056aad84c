// SPDX-License-Identifier: GPL-3.0-or-later
// What the compiler made of a node, beside its attributes on the page Model: functions, times, choices and checks as the pages
// about them have it, nothing before a compilation, and the way to the code.
// Needs: lathe-runner samples
// Timeout: 900
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/check/check_page.h"
#include "views/graph/model_page.h"
#include "views/loops/loops_page.h"
#include "views/models/graph/attribute_model.h"
#include "views/profile/profile_page.h"

#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

namespace lathe::testing::test_compiled_rows {

using views::models::AttributeModel;
using views::models::AttributeRow;

class TestCompiledRows : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<app::MainWindow> window_;

    QTableView* table() {
        for (QTableView* table : window_->modelPage()->findChildren<QTableView*>())
            if (qobject_cast<AttributeModel*>(table->model()))
                return table;
        return nullptr;
    }
    std::vector<AttributeRow> rows() {
        std::vector<AttributeRow> rows = static_cast<AttributeModel*>(table()->model())->rows();
        std::erase_if(rows, [](const AttributeRow& row) { return row.group != "Compiled" || row.heading; });
        return rows;
    }
    QString value(const char* name) {
        for (const AttributeRow& row : rows())
            if (row.name == name)
                return row.value;
        return {};
    }
    int nodeNamed(const char* name) {
        const auto& nodes = window_->modelGraph()->nodes;
        const auto found =
            std::ranges::find_if(nodes, [&](const model::Node* node) { return node && node->name == name; });
        return found == nodes.end() ? -1 : (*found)->id;
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_compiled_rows");
        window_ = std::make_unique<app::MainWindow>();
        window_->resize(1200, 800);
        window_->show();
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
    }
    void cleanupTestCase() { window_.reset(); }

    void fromFileToCheck() {
        const int conv = nodeNamed("/block1/a/Conv");
        window_->selection().set({{conv}});
        QVERIFY(rows().empty()); // nothing is compiled
        QVERIFY(compileAndWait(*window_));
        const inspect::Provenance& provenance = *window_->provenance();
        const int call = provenance.usesOf(conv).front().call;
        QCOMPARE(value("Function"), QString::fromStdString(provenance.trace().calls[size_t(call)].function));
        QCOMPARE(value("Kernel"), QString::fromStdString(provenance.trace().calls[size_t(call)].kernel));
        QCOMPARE(value("Schedule"), QString("default"));
        QVERIFY2(value("Variant").startsWith("winograd"), qPrintable(value("Variant"))); // a 3×3 of 16 channels
        QVERIFY(value("Variant").contains("of direct, "));
        QVERIFY(value("Time").isEmpty() && value("Check").isEmpty());
        {
            Settled settled(*window_);
            window_->run();
            QVERIFY(settled.wait());
        }
        const auto& ran = window_->profilePage()->model()->profile().rows;
        const auto row = std::ranges::find(ran, call, &inspect::ProfileRow::call);
        QVERIFY(value("Time").endsWith(QString("%1 % of a run").arg(row->share * 100, 0, 'f', 1)));
        {
            Settled settled(*window_);
            window_->check(window_->checkPage()->against());
            QVERIFY(settled.wait());
        }
        QVERIFY(!value("Check").isEmpty());
        // The row of the function leads to its code.
        window_->showPage("model");
        const auto& all = static_cast<AttributeModel*>(table()->model())->rows();
        const auto function = std::ranges::find(all, call, &AttributeRow::call);
        table()->setCurrentIndex(table()->model()->index(int(function - all.begin()), 1));
        QTest::keyClick(table(), Qt::Key_Return);
        QCOMPARE(window_->findChild<QTabWidget*>()->currentWidget(), static_cast<QWidget*>(window_->loopsPage()));
        QCOMPARE(window_->selection().place().call, call);
    }

    void aNodeThatIsGone() {
        window_->selection().set({{nodeNamed("/block1/a/BatchNormalization")}});
        const int node = window_->selection().nodes().front();
        const std::string_view pass = window_->provenance()->removedBy(node);
        QCOMPARE(value("Removed by"), QString::fromUtf8(pass.data(), qsizetype(pass.size())));
        QCOMPARE(value("Function").isEmpty(), window_->provenance()->usesOf(node).empty());
    }

    void theModelItself() {
        window_->selection().set({});
        QVERIFY(rows().empty());
    }
};

Test test() {
    return {makes<TestCompiledRows>, Application::Window};
}

} // namespace lathe::testing::test_compiled_rows

#include "test_compiled_rows.moc"
