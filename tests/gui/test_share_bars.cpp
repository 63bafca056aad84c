// SPDX-License-Identifier: GPL-3.0-or-later
// Shares as bars: against the largest of the column, and to be seen in a row that is selected, light and dark.
#include "support/program_of_tests.h"
#include "views/models/profile/profile_model.h"
#include "views/page/share_delegate.h"

#include <QHeaderView>
#include <QTableView>
#include <QTest>

namespace lathe::testing::test_share_bars {

using views::models::ProfileModel;

class TestShareBars : public QObject {
    Q_OBJECT

private slots:
    void barsAreSeen_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    /// Of many functions the slowest takes 8 % and fills its cell, and one of half its time half of it.
    void barsAreSeen() {
        QFETCH(bool, dark);
        inspect::Profile profile;
        for (const double share : {0.08, 0.04}) {
            inspect::ProfileRow& row = profile.rows.emplace_back();
            row.function = "fused";
            row.ms = 100 * share;
            row.share = share;
        }
        ProfileModel model;
        model.show(profile);
        QTableView table;
        QPalette palette(dark ? QColor(0x202020) : QColor(Qt::white));
        palette.setColor(QPalette::Highlight, QColor(0x2b5fb3));
        palette.setColor(QPalette::HighlightedText, Qt::white);
        table.setPalette(palette);
        table.setModel(&model);
        table.setItemDelegateForColumn(ProfileModel::Share, new views::ShareDelegate(&table));
        table.setSelectionBehavior(QAbstractItemView::SelectRows);
        table.setColumnWidth(ProfileModel::Share, 180);
        table.verticalHeader()->setDefaultSectionSize(views::rowHeight);
        table.resize(700, 200);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        for (const bool selected : {false, true}) {
            if (selected)
                table.selectAll();
            else
                table.clearSelection();
            const QImage image = table.viewport()->grab().toImage();
            const auto colourAt = [&](int row, double share) { // above the text
                const QRect cell = table.visualRect(model.index(row, ProfileModel::Share));
                return image.pixelColor(cell.left() + 3 + int(share * (cell.width() - 8)), cell.top() + 5);
            };
            const auto differ = [](const QColor& a, const QColor& b) {
                return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) >
                       30;
            };
            QCOMPARE(colourAt(0, 0), colourAt(0, 0.98));
            QCOMPARE(colourAt(1, 0), colourAt(1, 0.45));
            QVERIFY(differ(colourAt(1, 0), colourAt(1, 0.55)));
            QCOMPARE(colourAt(1, 0.55), colourAt(1, 0.98));
        }
    }
};

Test test() {
    return {makes<TestShareBars>, Application::Window};
}

} // namespace lathe::testing::test_share_bars

#include "test_share_bars.moc"
