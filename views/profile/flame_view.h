// SPDX-License-Identifier: GPL-3.0-or-later
//
// The picture of a Flame: a level a row, from the whole model down, a box as wide as its time. A click selects the nodes of a
// box, double click or Enter makes it as wide as the picture, Backspace or Esc goes back to what is around it, arrow keys walk.
#pragma once

#include "views/models/profile/flame.h"
#include "views/models/window/selection.h"

#include <QWidget>

namespace lathe::views::profile {

class FlameView : public QWidget {
    Q_OBJECT

public:
    explicit FlameView(models::Selection* selection);

    void setFlame(std::shared_ptr<const inspect::Flame> flame); // null: there is none
    const inspect::Flame& flame() const { return *flame_; }
    /// The box that is as wide as the picture, and the one that keys start from; 0: the whole model.
    int zoomed() const { return zoomed_; }
    int current() const { return current_; }
    /// Empty: it lies outside of what is shown.
    QRectF rectOf(int box) const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int rowHeight() const;
    int boxAt(QPointF pixel) const; // -1: none
    /// From the left, the outer ones first, of those that are wide enough to be seen.
    std::vector<int> shown() const;
    int besideCurrent(bool right) const;
    void pick(int box);
    void zoomTo(int box);
    bool isSelected(const inspect::FlameBox& box) const;

    models::Selection* selection_;
    std::shared_ptr<const inspect::Flame> flame_;
    double slowest_ = 0; // ms of a function
    int zoomed_ = 0, current_ = 0;
};

} // namespace lathe::views::profile
