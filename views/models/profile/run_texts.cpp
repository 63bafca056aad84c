// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/profile/run_texts.h"

#include "views/models/text/translate.h"

namespace lathe::views::models {

QString runsText(const tune::Interval& ms) {
    return tr("%1 ms (half of the runs: %2 to %3)")
        .arg(ms.middle, 0, 'f', 3)
        .arg(ms.low, 0, 'f', 3)
        .arg(ms.high, 0, 'f', 3);
}

QString changeText(const tune::Interval& before, const tune::Interval& after, bool differs) {
    const double percent = before.middle > 0 ? 100 * (after.middle / before.middle - 1) : 0;
    return !differs      ? tr("No difference beyond the noise (%1 %)").arg(percent, 0, 'f', 1)
           : percent < 0 ? tr("%1 % faster").arg(-percent, 0, 'f', 1)
                         : tr("%1 % slower").arg(percent, 0, 'f', 1);
}

} // namespace lathe::views::models
