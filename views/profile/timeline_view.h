// SPDX-License-Identifier: GPL-3.0-or-later
//
// The picture of a Timeline: on top the kernel calls of one run, below them a row a thread, with its part of each parallel
// region; what the first one does alone is half as high. Where a row is empty the thread waits. The wheel zooms at the pointer,
// dragging moves, a click selects a call's nodes; Left and Right go from call to call, + and - zoom, 0 shows all.
#pragma once

#include "views/models/profile/profile_model.h"
#include "views/models/window/selection.h"

#include <QWidget>
#include <unordered_map>

namespace lathe::views::profile {

class TimelineView : public QWidget {
    Q_OBJECT

public:
    explicit TimelineView(models::Selection* selection);

    /// One without a timeline: there is nothing to show.
    void setProfile(const inspect::Profile& profile);
    const inspect::Timeline& timeline() const { return *timeline_; }
    /// What is seen of it, in ms.
    double from() const { return from_; }
    double to() const { return to_; }
    /// Where a box is drawn. Row 0: the calls; 1 and on: the threads.
    QRectF rectOf(int row, const inspect::TimelineBox& box) const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int rows() const { return int(timeline_->threads.size()) + 1; }
    double rowHeight() const;
    double pixelOf(double ms) const;
    double msOf(double pixel) const;
    const std::vector<inspect::TimelineBox>& boxesOf(int row) const;
    /// Null: there is none.
    const inspect::TimelineBox* at(QPointF pixel) const;
    QString textOf(const inspect::TimelineBox& box) const;
    void show(double from, double to); // kept within the run
    void zoom(double factor, double aroundMs);
    void pick(const inspect::TimelineBox& box);
    void step(bool forward);
    void paintRow(QPainter& painter, int row) const;
    void paintTicks(QPainter& painter) const;

    models::Selection* selection_;
    double left_ = 0; // of the time, in pixels
    std::shared_ptr<const inspect::Timeline> timeline_;
    std::vector<inspect::ProfileRow> functions_;
    std::unordered_map<int, size_t> functionOf_; // by call
    size_t current_ = 0;                         // among the calls, which may come again
    double from_ = 0, to_ = 0;
    QPointF pressed_;
    bool moved_ = false;
};

} // namespace lathe::views::profile
