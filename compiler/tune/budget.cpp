// SPDX-License-Identifier: Apache-2.0
#include "tune/budget.h"

#include <cmath>

namespace lathe::tune {

TuningBudget::TuningBudget(Limits planned, Control* control) : planned_(planned), control_(control) {
    countFromNow();
}

void TuningBudget::countFromNow() {
    begin_ = Clock::now();
    waitedBefore_ = control_ ? control_->waited() : 0;
}

double TuningBudget::waited() const {
    return control_ ? control_->waited() - waitedBefore_ : 0;
}

double TuningBudget::seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count() - waited();
}

Limits TuningBudget::limits(Share upTo) const {
    Limits limits = planned_;
    if (control_)
        limits = control_->limits().value_or(planned_);
    limits.seconds *= upTo.time;
    limits.trials = static_cast<int64_t>(std::ceil(static_cast<double>(limits.trials) * upTo.trials));
    return limits;
}

bool TuningBudget::isUsedUp(Share upTo) const {
    const Limits most = limits(upTo);
    return seconds() >= most.seconds || (most.trials > 0 && trials >= most.trials);
}

} // namespace lathe::tune
