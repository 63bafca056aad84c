// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tab with the flame view: what it shows in words, and the picture, which scrolls where it is deeper than the window.
#pragma once

#include "views/profile/flame_view.h"

class QLabel;
class QScrollArea;

namespace lathe::views::profile {

class FlamePanel : public QWidget {
    Q_OBJECT

public:
    explicit FlamePanel(models::Selection* selection);

    void setFlame(std::shared_ptr<const models::Flame> flame); // null: there is none
    FlameView* view() const { return view_; }

private:
    QLabel* summary_;
    QScrollArea* area_;
    FlameView* view_;
};

} // namespace lathe::views::profile
