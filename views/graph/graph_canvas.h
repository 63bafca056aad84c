// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws a GraphPicture at the places of a GraphLayout, with zoom, pan and selection. One painter for the whole picture, no
// item per box: what is outside the view is skipped, and text is dropped where it would be too small to read.
//
// Keys: arrows walk along the arrows of the graph, + and - zoom, F fits, 0 is full size, Enter opens a nested graph,
// Backspace goes back out.
#pragma once

#include "views/models/colors.h"
#include "views/models/graph_layout.h"
#include "views/models/overlay.h"

#include <QWidget>

namespace lathe::views::graph {

class GraphCanvas : public QWidget {
    Q_OBJECT

public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    /// Replaces what is drawn and fits it into the view (or shows the top of a graph too tall to be read so).
    void setPicture(models::GraphPicture picture, models::GraphLayout layout);
    /// Text in the middle while there is nothing to draw.
    void setMessage(const QString& message);
    /// Other places for the same picture; keeps zoom, and the current box where it is on the screen.
    void setLayout(models::GraphLayout layout);
    const models::GraphPicture& picture() const { return picture_; }
    /// True once the user has moved or zoomed: then a late layout must not replace this one.
    bool touched() const { return touched_; }

    /// What operators are coloured by, by their ids in the model; without nodes: their families. The note stands in the
    /// lower left corner, behind the scale if there is one.
    void setOverlay(models::Overlay overlay, const QString& note);
    const QString& note() const { return note_; }
    void setSelected(const std::vector<int>& boxes);
    int current() const { return current_; }
    void reveal(int box); // moves the view so that the box is in it
    void fit();
    void zoom(double factor, QPointF around);
    double scale() const { return scale_; }
    /// Paints the whole picture, for export.
    void paintPicture(QPainter& painter, const QRectF& visible, double scale);

    QSize sizeHint() const override { return {800, 600}; }

signals:
    void boxPicked(int box); // -1: none
    void nestedOpened(int box);
    void leaveWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF boxRect(int box) const;
    int boxAt(QPointF widgetPoint) const;
    QPointF toScene(QPointF widgetPoint) const { return widgetPoint / scale_ + origin_; }
    QPointF toWidget(QPointF scenePoint) const { return (scenePoint - origin_) * scale_; }
    void pick(int box);
    int neighbour(int key) const;
    /// Null: there is no overlay, or the box is none of its nodes.
    const models::NodeOverlay* overlayOf(const models::GraphBox& box) const;
    /// What stands for a box: all of it where it is too small for more.
    QColor colorOf(const models::GraphBox& box, const models::Colors& colors) const;
    void paintBox(QPainter& painter, int box, const models::Colors& colors, double scale) const;
    void paintValue(QPainter& painter, const QRectF& rect, const QString& text, const models::Colors& colors) const;
    void paintNote(QPainter& painter, const models::Colors& colors) const;
    void paintOverview(QPainter& painter, const models::Colors& colors);
    void startView();

    QString message_;
    models::GraphPicture picture_;
    models::GraphLayout layout_;
    models::Overlay overlay_;
    QString note_;
    std::vector<QRectF> arrowBounds_;
    std::vector<char> selected_;
    int current_ = -1;
    double scale_ = 1;
    QPointF origin_; // scene point at the widget's top left
    bool touched_ = false, panning_ = false, moved_ = false, startPending_ = true;
    QPointF pressed_;
};

} // namespace lathe::views::graph
