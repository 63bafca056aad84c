// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/timeline_panel.h"

#include "views/models/text/counted.h"

#include <algorithm>

namespace lathe::views::profile {

void TimelinePanel::setProfile(const inspect::Profile& profile) {
    view_->setProfile(profile);
    const inspect::Timeline& timeline = view_->timeline();
    if (timeline.calls.empty())
        return say(tr("Run the compiled model (F6) to see what its threads do when."), true);
    double sum = 0, least = 1, most = 0;
    for (size_t thread = 0; thread < timeline.threads.size(); ++thread) {
        const double busy = timeline.busy(thread);
        sum += busy;
        least = std::min(least, busy);
        most = std::max(most, busy);
    }
    const auto percent = [](double share) { return QStringLiteral("%1 %").arg(100 * share, 0, 'f', 0); };
    QString text =
        tr("One run of %1 ms (the median of all is %6) on %2 %3 of the time (%4 to %5). Where a row is "
           "empty a "
           "thread waits; what is half as high the first one does alone, outside of parallel regions. The wheel "
           "zooms, dragging moves; a click selects, Left and Right go from call to call, 0 shows all.")
            .arg(timeline.ms, 0, 'f', 3)
            .arg(models::counted(qint64(timeline.threads.size()), "thread: it works", "threads: they work"),
                 percent(sum / double(timeline.threads.size())), percent(least), percent(most))
            .arg(profile.medianMs, 0, 'f', 3);
    if (!timeline.complete)
        text += tr(" There was more than could be noted: the end is missing.");
    say(text, false);
}

} // namespace lathe::views::profile
