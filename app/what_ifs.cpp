// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/what_ifs.h"

#include "views/models/counted.h"

#include <QUndoStack>
#include <functional>
#include <utility>

namespace lathe::app {

namespace {

/// The decisions before and after.
class Step : public QUndoCommand {
public:
    using Apply = std::function<void(const driver::Decisions&)>;
    Step(const QString& what, driver::Decisions before, driver::Decisions after, Apply apply)
        : QUndoCommand(what), before_(std::move(before)), after_(std::move(after)), apply_(std::move(apply)) {}

    void undo() override { apply_(before_); }
    void redo() override { apply_(after_); }

private:
    driver::Decisions before_, after_;
    Apply apply_;
};

} // namespace

WhatIfs::WhatIfs(QObject* parent) : QObject(parent), stack_(new QUndoStack(this)) {}

bool WhatIfs::tryOut(driver::Decisions decisions, const QString& what) {
    if (decisions == decisions_)
        return false;
    stack_->push(new Step(what, decisions_, std::move(decisions), [this](const driver::Decisions& wanted) {
        decisions_ = wanted;
        emit changed();
    }));
    return true;
}

bool WhatIfs::keepApart(const views::models::Pairs& pairs, bool apart) {
    driver::Decisions decisions = decisions_;
    for (const driver::ApartDecision& pair : pairs) {
        std::erase(decisions.apart, pair);
        if (apart)
            decisions.apart.push_back(pair);
    }
    const QString of = pairs.size() == 1 ? tr("%1 and %2")
                                               .arg(QString::fromStdString(display(pairs.front().producer)),
                                                    QString::fromStdString(display(pairs.front().consumer)))
                                         : views::models::counted(qint64(pairs.size()), "pair", "pairs");
    return tryOut(std::move(decisions), (apart ? tr("keeping apart %1") : tr("fusing again %1")).arg(of));
}

void WhatIfs::clear() {
    decisions_ = {};
    stack_->clear();
}

QString summaryOf(const driver::Decisions& decisions) {
    using views::models::counted;
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
        parts << WhatIfs::tr("the first %1 optional passes").arg(decisions.optionalLimit);
    return parts.isEmpty() ? WhatIfs::tr("no decisions") : parts.join(", ");
}

} // namespace lathe::app
