// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/profile/flame_panel.h"

#include "views/models/counted.h"

namespace lathe::views::profile {

void FlamePanel::setFlame(std::shared_ptr<const driver::Flame> flame) {
    view_->setFlame(std::move(flame));
    if (view_->flame().boxes.empty())
        return say(tr("Run the compiled model (F6) to see in which of its parts the time goes."), true);
    const driver::FlameBox& whole = view_->flame().boxes.front();
    say(tr("%1 ms in %2, by the scopes of the model; one that serves several scopes stands in the one around them. A "
           "click selects, double click or Enter zooms in, Backspace or Esc out, arrow keys walk.")
            .arg(whole.ms, 0, 'f', 3)
            .arg(models::counted(whole.calls, "kernel call", "kernel calls")),
        false);
}

} // namespace lathe::views::profile
