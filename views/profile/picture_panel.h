// SPDX-License-Identifier: GPL-3.0-or-later
//
// A tab of this page with a painted picture: what it shows in words above, and the picture, which scrolls where it is higher
// than the window. (Charts with axes: views/page/chart_panel.h.)
#pragma once

#include <QWidget>

class QLabel;
class QScrollArea;

namespace lathe::views::profile {

class PicturePanel : public QWidget {
    Q_OBJECT

public:
    explicit PicturePanel(QWidget* picture);

    /// What stands above; empty: there is no picture, and it stands alone.
    void say(const QString& summary, bool empty);

private:
    QLabel* summary_;
    QScrollArea* area_;
};

} // namespace lathe::views::profile
