// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tool bar: the way of a model from file to bundle, a button a stage. What is done has a tick, what is next is bold. The
// buttons are actions of the window's table, with their keys and their states.
#pragma once

#include "app/actions.h"
#include "views/models/window/flow.h"

#include <QToolBar>

namespace lathe::app {

class FlowBar : public QToolBar {
    Q_OBJECT

public:
    explicit FlowBar(Actions& actions);

    void show(const views::models::Flow& flow);

protected:
    void changeEvent(QEvent* event) override;

private:
    void draw();

    Actions& actions_;
    views::models::Flow flow_;
};

} // namespace lathe::app
