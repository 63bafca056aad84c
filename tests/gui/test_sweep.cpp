// SPDX-License-Identifier: GPL-3.0-or-later
// A size swept in the window: asked for by keys, measured, cancelled; its table and chart.
// Needs: lathe-runner samples
// Timeout: 600
#include "app/main_window.h"
#include "gui/window.h"
#include "support/program_of_tests.h"
#include "views/models/profile/sweep_model.h"
#include "views/profile/profile_page.h"
#include "views/profile/sweep_panel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <qcustomplot.h>

namespace lathe::testing::test_sweep {

using views::models::SweepModel;

class TestSweepPanel : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<app::MainWindow> window_;

    views::profile::SweepPanel* panel() { return window_->profilePage()->sweep(); }
    QLineEdit* field() { return panel()->findChild<QLineEdit*>(); }
    QPushButton* button() { return panel()->findChild<QPushButton*>(); }
    void type(const QString& text) {
        field()->selectAll();
        QTest::keyClicks(field(), text);
    }
    QString allText() {
        QString all;
        for (const QLabel* label : panel()->findChildren<QLabel*>())
            all += label->text() + '\n';
        return all;
    }

private slots:
    void initTestCase() {
        isolate(folder_, "test_sweep");
        QSettings().clear();
    }
    void cleanupTestCase() { window_.reset(); }

    void theTable() {
        SweepModel model;
        QAbstractItemModelTester tester(&model);
        inspect::Sweep sweep{"batch", {}, 4};
        sweep.points = {{.size = 1, .leastMs = 0.5, .medianMs = 1, .lowMs = 0.75, .highMs = 1.25, .runs = 20},
                        {.size = 8, .leastMs = 3, .medianMs = 4, .lowMs = 3.5, .highMs = 5, .runs = 10}};
        model.show(sweep);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.headerData(SweepModel::Size, Qt::Horizontal, Qt::DisplayRole).toString(), QString("batch"));
        QCOMPARE(model.index(1, SweepModel::Each).data().toString(), QString("0.500")); // 4 ms for 8
        QCOMPARE(model.index(0, SweepModel::Half).data().toString(), QString("0.750 to 1.250"));
        QVERIFY(views::models::summaryOf(sweep).contains("batch from 1 to 8 on 4 threads: 1.000 ms to 4.000 ms"));
        model.show({});
        QCOMPARE(model.rowCount(), 0);
    }

    void aSizeIsSwept() {
        window_ = std::make_unique<app::MainWindow>();
        window_->resize(1200, 800);
        window_->show();
        QVERIFY(openAndWait(*window_, sample("small_transformer.onnx")));
        QVERIFY(allText().contains("F5"));
        QVERIFY(compileAndWait(*window_));
        window_->actions()["model.sweep"]->trigger();
        QVERIFY(panel()->isVisible());
        QVERIFY(field()->hasFocus());
        QVERIFY(panel()->findChild<QComboBox*>()->count() > 0);
        type("3:1");
        QVERIFY(!button()->isEnabled());
        QVERIFY(allText().contains("FROM:TO"));
        type("1,3");
        QVERIFY(button()->isEnabled());
        Settled settled(*window_);
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(settled.wait());
        const inspect::Sweep& sweep = panel()->model()->sweep();
        QCOMPARE(QString::fromStdString(sweep.name), panel()->findChild<QComboBox*>()->currentText());
        QCOMPARE(sweep.points.size(), size_t(2));
        QCOMPARE(sweep.points[1].size, int64_t(3));
        QVERIFY(panel()->plot()->isVisible());
        QCOMPARE(panel()->findChild<QTableView*>()->model()->rowCount(), 2);
        QVERIFY(panel()->plot()->xAxis->range().contains(1) && panel()->plot()->xAxis->range().contains(3));
    }

    void aSweepIsCancelled() {
        type("1:1000");
        Settled settled(*window_);
        QTest::mouseClick(button(), Qt::LeftButton);
        QTest::qWait(300);
        QVERIFY(!button()->isEnabled()); // one at a time
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(!window_->actions()["model.sweep"]->isEnabled());
        window_->actions()["model.cancel"]->trigger();
        QVERIFY(settled.wait());
        QVERIFY(button()->isEnabled());
        QCOMPARE(panel()->model()->sweep().points.size(), size_t(2)); // those of before
    }

    void anotherCompilation() {
        QVERIFY(compileAndWait(*window_));
        QVERIFY(panel()->model()->sweep().points.empty());
    }

    /// What the settings fix is no size to run over.
    void sizesFixedByTheSettings() {
        auto* names = panel()->findChild<QComboBox*>();
        QVERIFY(names->count() > 0);
        app::RunSettings settings = window_->runSettings();
        settings.fixSizes = true;
        window_->setRunSettings(settings);
        QVERIFY(compileAndWait(*window_));
        QCOMPARE(names->count(), 0);
        QVERIFY(!button()->isVisibleTo(panel()));
        QVERIFY(allText().contains("The settings fix"));
        settings.fixSizes = false;
        window_->setRunSettings(settings);
        QVERIFY(compileAndWait(*window_));
        QVERIFY(names->count() > 0 && button()->isVisibleTo(panel()));
    }

    void fixedSizes() {
        QVERIFY(openAndWait(*window_, sample("small_cnn.onnx")));
        QVERIFY(compileAndWait(*window_));
        QVERIFY(allText().contains("No size of this model is open"));
        QVERIFY(!field()->isVisibleTo(panel()));
    }
};

Test test() {
    return {makes<TestSweepPanel>, Application::Window};
}

} // namespace lathe::testing::test_sweep

#include "test_sweep.moc"
