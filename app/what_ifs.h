// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is decided otherwise than by default for the open model, with the way back: each change is a step that can be undone.
#pragma once

#include "driver/decisions.h"
#include "views/models/fusion_model.h"

#include <QObject>

class QUndoStack;

namespace lathe::app {

class WhatIfs : public QObject {
    Q_OBJECT

public:
    explicit WhatIfs(QObject* parent);

    const driver::Decisions& decisions() const { return decisions_; }
    /// what: the step, as Undo names it ("keeping apart Conv_0 and Relu_1"). Decisions that are the same are no step: false.
    bool tryOut(driver::Decisions decisions, const QString& what);
    /// Keeps pairs of operators apart, or lets them be fused again.
    bool keepApart(const views::models::Pairs& pairs, bool apart);
    /// Another model: nothing is decided, nothing can be undone.
    void clear();
    QUndoStack* stack() const { return stack_; }

signals:
    /// By a new step, by undoing and by doing again.
    void changed();

private:
    driver::Decisions decisions_;
    QUndoStack* stack_;
};

/// "no decisions", "2 pairs apart, 1 variant": what tells compilations apart.
QString summaryOf(const driver::Decisions& decisions);

} // namespace lathe::app
