// SPDX-License-Identifier: Apache-2.0
#include "advise/rules.h"
#include "base/counted.h"
#include "base/printable.h"

#include <algorithm>

namespace lathe::advise {

std::optional<Advice> valuesDiverge(const Facts& facts) {
    if (!facts.known.check)
        return std::nullopt;
    const diagnose::Check& check = *facts.known.check;
    const size_t diverging = check.count(diagnose::CheckState::Diverges);
    const auto first = std::ranges::find_if(check.rows, &diagnose::CheckRow::first);
    if (diverging == 0 || first == check.rows.end())
        return std::nullopt;
    return Advice{.what = fmt::format("Find out why {}", counted(diverging, "value diverges", "values diverge")),
                  .why = fmt::format("{} is the first: {}. Bisecting finds the pass that is to blame.",
                                     inQuotes(first->value), printable(first->why)),
                  .step = Step::Bisect,
                  .node = first->node};
}

std::optional<Advice> valuesUnchecked(const Facts& facts) {
    if (!facts.known.profile || facts.known.check)
        return std::nullopt;
    return Advice{.what = "Check the values",
                  .why = "It runs, but what it computes was not yet compared with the model without optional passes.",
                  .step = Step::Check};
}

} // namespace lathe::advise
