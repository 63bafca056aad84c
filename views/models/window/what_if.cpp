// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/window/what_if.h"

#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/translate.h"

#include <QStringList>
#include <algorithm>

namespace lathe::views::models {

namespace {

QString menuNameOf(const driver::ChoiceName& name) {
    return oneLine(driver::display(name), longestNameInText);
}

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

} // namespace

WhatIf keepApart(const Pairs& pairs, bool apart) {
    const QString of = pairs.size() == 1
                           ? tr("%1 and %2").arg(menuNameOf(pairs.front().producer), menuNameOf(pairs.front().consumer))
                           : counted(qint64(pairs.size()), "pair", "pairs");
    return {(apart ? tr("keeping apart %1") : tr("fusing again %1")).arg(of),
            [pairs, apart](driver::Decisions& decisions) {
                for (const driver::ApartDecision& pair : pairs) {
                    std::erase(decisions.apart, pair);
                    if (apart)
                        decisions.apart.push_back(pair);
                }
            }};
}

WhatIf chooseVariant(const driver::VariantDecision& decision) {
    return {tr("%1 as %2").arg(menuNameOf(decision.of), QString::fromStdString(decision.variant)),
            [decision](driver::Decisions& decisions) {
                std::erase_if(decisions.variants, [&](const auto& each) { return each.of == decision.of; });
                decisions.variants.push_back(decision);
            }};
}

WhatIf chooseLayout(const driver::LayoutDecision& decision) {
    const QString what =
        decision.width > 0 ? tr("%1 in %2 of %3")
                                 .arg(menuNameOf(decision.of), textOf(driver::toString(decision.part)))
                                 .arg(decision.width)
                           : tr("%1 without %2").arg(menuNameOf(decision.of), textOf(driver::toString(decision.part)));
    return {what, [decision](driver::Decisions& decisions) {
                std::erase_if(decisions.layouts,
                              [&](const auto& each) { return each.of == decision.of && each.part == decision.part; });
                decisions.layouts.push_back(decision);
            }};
}

WhatIf switchPass(const QString& pass, bool off) {
    return {(off ? tr("switching off \"%1\"") : tr("switching on \"%1\"")).arg(pass),
            [name = pass.toStdString(), off](driver::Decisions& decisions) {
                if (off)
                    decisions.skipPasses.insert(name);
                else
                    decisions.skipPasses.erase(name);
            }};
}

WhatIf runUpTo(const QString& pass) {
    if (pass.isEmpty())
        return {tr("running all passes"), [](driver::Decisions& decisions) { decisions.optionalLimit = -1; }};
    const std::vector<std::string>& passes = driver::optionalPasses();
    const auto limit = int(std::ranges::find(passes, pass.toStdString()) - passes.begin()) + 1;
    return {tr("running passes up to \"%1\"").arg(pass),
            [limit](driver::Decisions& decisions) { decisions.optionalLimit = limit; }};
}

QString summaryOf(const driver::Decisions& decisions) {
    QStringList parts;
    const auto add = [&](size_t count, const char* one, const char* several) {
        if (count > 0)
            parts << counted(qint64(count), one, several);
    };
    add(decisions.apart.size(), "pair apart", "pairs apart");
    add(decisions.variants.size(), "variant", "variants");
    add(decisions.layouts.size(), "layout", "layouts");
    add(decisions.skipPasses.size(), "pass off", "passes off");
    add(decisions.skipIn.size(), "kernel without a pass", "kernels without a pass");
    add(decisions.kernels.size(), "schedule", "schedules");
    if (decisions.optionalLimit >= 0)
        parts << tr("the first %1 optional passes").arg(decisions.optionalLimit);
    return parts.isEmpty() ? tr("no decisions") : parts.join(", ");
}

} // namespace lathe::views::models
