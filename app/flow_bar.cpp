// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/flow_bar.h"

#include "app/style.h"

#include <QEvent>
#include <QLabel>
#include <QToolButton>

namespace lathe::app {

using views::models::Flow;
using views::models::FlowStage;

namespace {

struct Stage {
    FlowStage stage;
    const char* action;
    Glyph glyph;
    const char* text; // shorter than in the menu
};

constexpr Stage stages[] = {
    {FlowStage::Open, "file.open", Glyph::Open, QT_TR_NOOP("Open")},
    {FlowStage::Compile, "model.compile", Glyph::Compile, QT_TR_NOOP("Compile")},
    {FlowStage::Run, "model.run", Glyph::Run, QT_TR_NOOP("Run and profile")},
    {FlowStage::Check, "check.values", Glyph::Check, QT_TR_NOOP("Check")},
    {FlowStage::Tune, "tuning.start", Glyph::Tune, QT_TR_NOOP("Tune")},
    {FlowStage::Export, "file.export", Glyph::Export, QT_TR_NOOP("Export")},
};

} // namespace

FlowBar::FlowBar(Actions& actions) : QToolBar(tr("Main")), actions_(actions) {
    setObjectName("main"); // in what is kept of the window
    setMovable(false);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    for (const Stage& stage : stages) {
        if (stage.stage != FlowStage::Open) {
            auto then = new QLabel(QStringLiteral("›"));
            then->setForegroundRole(QPalette::PlaceholderText);
            then->setAccessibleName(tr("then"));
            addWidget(then);
        }
        QAction* action = actions_[QString::fromLatin1(stage.action)];
        action->setIconText(tr(stage.text));
        addAction(action);
    }
    addSeparator();
    addAction(actions_["model.cancel"]);
    draw();
}

void FlowBar::show(const Flow& flow) {
    if (flow == flow_)
        return;
    flow_ = flow;
    draw();
}

void FlowBar::draw() {
    for (const Stage& stage : stages) {
        QAction* action = actions_[QString::fromLatin1(stage.action)];
        const bool done = flow_.isDone(stage.stage), next = !done && flow_.next() == stage.stage;
        action->setIcon(glyphIcon(stage.glyph, palette(), done));
        QWidget* button = widgetForAction(action);
        QFont font = button->font();
        font.setBold(next);
        button->setFont(font);
        const QString text = tr(stage.text);
        button->setAccessibleName(done ? tr("%1, done").arg(text) : next ? tr("%1, next").arg(text) : text);
    }
    actions_["model.cancel"]->setIcon(glyphIcon(Glyph::Cancel, palette()));
}

void FlowBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        draw();
    QToolBar::changeEvent(event);
}

} // namespace lathe::app
