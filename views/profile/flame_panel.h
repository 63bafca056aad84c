// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tab with the flame view.
#pragma once

#include "views/profile/flame_view.h"
#include "views/profile/picture_panel.h"

namespace lathe::views::profile {

class FlamePanel : public PicturePanel {
    Q_OBJECT

public:
    explicit FlamePanel(models::Selection* selection) : FlamePanel(new FlameView(selection)) {}

    void setFlame(std::shared_ptr<const inspect::Flame> flame); // null: there is none
    FlameView* view() const { return view_; }

private:
    explicit FlamePanel(FlameView* view) : PicturePanel(view), view_(view) { setFlame(nullptr); }

    FlameView* view_;
};

} // namespace lathe::views::profile
