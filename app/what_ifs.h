// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is decided otherwise than by default for the open model, with the way back: each change is a step that can be undone.
#pragma once

#include "views/models/window/what_if.h"

#include <QObject>

class QUndoStack;

namespace lathe::app {

class WhatIfs : public QObject {
    Q_OBJECT

public:
    explicit WhatIfs(QObject* parent);

    const driver::Decisions& decisions() const { return decisions_; }
    /// A step of its own. One that changes nothing is none.
    void tryOut(const views::models::WhatIf& wish);
    /// Another model: this is decided, and nothing can be undone.
    void reset(driver::Decisions decisions);
    QUndoStack* stack() const { return stack_; }

signals:
    /// By a new step, by undoing and by doing again.
    void changed();
    /// The wish was decided already.
    void nothingChanged(QString what);

private:
    driver::Decisions decisions_;
    QUndoStack* stack_;
};

} // namespace lathe::app
