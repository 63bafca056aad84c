// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/flame_panel.h"

#include "views/models/text/counted.h"

namespace lathe::views::profile {

void FlamePanel::setFlame(std::shared_ptr<const inspect::Flame> flame) {
    view_->setFlame(std::move(flame));
    if (view_->flame().boxes.empty())
        return say(tr("Run the compiled model (F6) to see in which of its parts the time goes."), true);
    const inspect::FlameBox& whole = view_->flame().boxes.front();
    say(tr("%1 ms in %2 of a run, the mean of the middle half of %3; a whole run takes %4 ms, the median. By the "
           "scopes "
           "of the model: a call that serves several stands in the first. A click selects, double click or Enter zooms "
           "in, Backspace or Esc out, arrow keys walk.")
            .arg(whole.ms, 0, 'f', 3)
            .arg(models::counted(whole.calls, "kernel call", "kernel calls"),
                 models::counted(view_->flame().runs, "run", "runs"))
            .arg(view_->flame().medianMs, 0, 'f', 3),
        false);
}

} // namespace lathe::views::profile
