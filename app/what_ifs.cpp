// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/what_ifs.h"

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

void WhatIfs::tryOut(const views::models::WhatIf& wish) {
    driver::Decisions decisions = decisions_;
    wish.change(decisions);
    if (decisions == decisions_) {
        emit nothingChanged(wish.what);
        return;
    }
    stack_->push(new Step(wish.what, decisions_, std::move(decisions), [this](const driver::Decisions& wanted) {
        decisions_ = wanted;
        emit changed();
    }));
}

void WhatIfs::reset(driver::Decisions decisions) {
    decisions_ = std::move(decisions);
    stack_->clear();
}

} // namespace lathe::app
