// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tab with the timeline of threads.
#pragma once

#include "views/profile/picture_panel.h"
#include "views/profile/timeline_view.h"

namespace lathe::views::profile {

class TimelinePanel : public PicturePanel {
    Q_OBJECT

public:
    explicit TimelinePanel(models::Selection* selection) : TimelinePanel(new TimelineView(selection)) {}

    void setProfile(const inspect::Profile& profile);
    TimelineView* view() const { return view_; }

private:
    explicit TimelinePanel(TimelineView* view) : PicturePanel(view), view_(view) { setProfile({}); }

    TimelineView* view_;
};

} // namespace lathe::views::profile
