// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/graph_accessible.h"

#include "views/canvas/graph_canvas.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>
#include <algorithm>
#include <unordered_map>

namespace lathe::views::canvas {

namespace {

using models::GraphBox;

/// A box of one scene; in the next it is no more.
class AccessibleBox : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    AccessibleBox(GraphCanvas* canvas, int box) : canvas_(canvas), box_(box), scene_(canvas->sceneNumber()) {}

    bool isValid() const override {
        return canvas_ && canvas_->sceneNumber() == scene_ && box_ < int(canvas_->picture().boxes.size());
    }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(canvas_); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::TreeItem; }
    int box() const { return box_; }

    QRect rect() const override {
        if (!isValid())
            return {};
        const QRect place = canvas_->boxOnScreen(box_).toAlignedRect();
        return {canvas_->mapToGlobal(place.topLeft()), place.size()};
    }

    QString text(QAccessible::Text kind) const override {
        if (!isValid())
            return {};
        const GraphBox& box = value();
        if (kind == QAccessible::Name)
            return box.subtitle.isEmpty() ? box.title : box.title + ' ' + box.subtitle;
        if (kind != QAccessible::Description)
            return {};
        QStringList parts = box.lines;
        if (box.refused)
            parts.prepend(box.reason);
        const auto& picture = canvas_->picture();
        for (const auto& [text, here, there] :
             {std::tuple(GraphCanvas::tr("reads %1"), &models::GraphArrow::to, &models::GraphArrow::from),
              std::tuple(GraphCanvas::tr("read by %1"), &models::GraphArrow::from, &models::GraphArrow::to)}) {
            QStringList others;
            for (const models::GraphArrow& arrow : picture.arrows)
                if (arrow.*here == box_)
                    others << picture.boxes[size_t(arrow.*there)].title;
            if (!others.isEmpty())
                parts << text.arg(others.join(QStringLiteral(", ")));
        }
        return parts.join(QStringLiteral("; "));
    }
    void setText(QAccessible::Text, const QString&) override {}

    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (state.invalid)
            return state;
        state.focusable = state.selectable = true;
        state.selected = canvas_->isSelected(box_);
        state.focused = canvas_->hasFocus() && canvas_->current() == box_;
        state.offscreen = !QRectF(canvas_->rect()).intersects(canvas_->boxOnScreen(box_));
        state.expandable = value().group >= 0;
        state.expanded = state.expandable && value().open;
        state.collapsed = state.expandable && !value().open;
        return state;
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }
    QStringList actionNames() const override { return {setFocusAction(), pressAction()}; }
    void doAction(const QString& name) override {
        if (!isValid())
            return;
        if (name == setFocusAction()) {
            canvas_->setFocus();
            canvas_->choose(box_);
        } else if (name == pressAction()) {
            canvas_->activate(box_);
        }
    }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    const GraphBox& value() const { return canvas_->picture().boxes[size_t(box_)]; }

    QPointer<GraphCanvas> canvas_;
    int box_, scene_;
};

class AccessibleGraph : public QAccessibleWidget {
public:
    explicit AccessibleGraph(GraphCanvas* canvas) : QAccessibleWidget(canvas, QAccessible::Tree) {}
    ~AccessibleGraph() override { forget(); }

    int childCount() const override { return int(boxes().size()); }
    QAccessibleInterface* child(int index) const override {
        return index >= 0 && index < childCount() ? interfaceOf(boxes()[size_t(index)]) : nullptr;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        const int box = canvas()->boxAt(canvas()->mapFromGlobal(QPoint(x, y)));
        return box < 0 ? nullptr : interfaceOf(box);
    }
    QAccessibleInterface* focusChild() const override {
        return canvas()->hasFocus() && canvas()->current() >= 0 ? interfaceOf(canvas()->current()) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        const auto* box = dynamic_cast<const AccessibleBox*>(child);
        const auto& all = boxes();
        const auto found = box ? std::ranges::find(all, box->box()) : all.end();
        return found == all.end() ? -1 : int(found - all.begin());
    }

private:
    GraphCanvas* canvas() const { return static_cast<GraphCanvas*>(widget()); }

    /// A reader asks for one after the other: they are looked up once for each place that the graph is looked at from.
    const std::vector<int>& boxes() const {
        const QRectF first = canvas()->picture().boxes.empty() ? QRectF() : canvas()->boxOnScreen(0);
        const Seen seen{canvas()->sceneNumber(), canvas()->current(), first, canvas()->size()};
        if (seen != seen_) {
            if (seen.scene != seen_.scene)
                forget();
            seen_ = seen;
            boxes_ = canvas()->boxesInSight();
        }
        return boxes_;
    }

    QAccessibleInterface* interfaceOf(int box) const {
        boxes(); // those of an older scene are forgotten
        const auto found = ids_.find(box);
        if (found != ids_.end())
            return QAccessible::accessibleInterface(found->second);
        auto* made = new AccessibleBox(canvas(), box);
        ids_[box] = QAccessible::registerAccessibleInterface(made);
        return made;
    }

    void forget() const {
        for (const auto& [box, id] : ids_)
            QAccessible::deleteAccessibleInterface(id);
        ids_.clear();
    }

    struct Seen {
        int scene = -1, current = -1;
        QRectF first; // box, on the screen
        QSize size;
        bool operator==(const Seen&) const = default;
    };
    mutable Seen seen_;
    mutable std::vector<int> boxes_;
    mutable std::unordered_map<int, QAccessible::Id> ids_; // by box
};

QAccessibleInterface* accessibleOf(const QString&, QObject* object) {
    auto* canvas = qobject_cast<GraphCanvas*>(object);
    return canvas ? new AccessibleGraph(canvas) : nullptr;
}

} // namespace

void makeGraphsAccessible() {
    QAccessible::installFactory(accessibleOf); // again and again: Qt keeps it once
}

} // namespace lathe::views::canvas
