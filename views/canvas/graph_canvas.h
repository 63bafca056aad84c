// SPDX-License-Identifier: GPL-3.0-or-later
//
// A GraphScene under mouse and keys: zoom, pan, selection, opening and closing of groups, and a small overview to move about
// in. What is painted is graph_painter.h's.
//
// Keys: arrows walk along the arrows of the graph and in and out of open groups, + and - open and close the group that is
// chosen and zoom else, F fits, 0 is full size, Enter opens a group or a nested graph, Backspace goes back out.
#pragma once

#include "views/canvas/graph_painter.h"

#include <QWidget>

namespace lathe::views::canvas {

class GraphCanvas : public QWidget {
    Q_OBJECT

public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    /// Replaces what is drawn and fits it into the view (or shows the top of a graph too tall to be read so).
    void setScene(models::GraphScene scene);
    /// The same graph with another group open or closed: its box, or its frame's title, stays where it is on the screen.
    void changeScene(models::GraphScene scene, int group);
    /// Text in the middle while there is nothing to draw.
    void setMessage(const QString& message);
    /// Other places for the same picture; keeps zoom, and the current box where it is on the screen.
    void setLayout(models::GraphLayout layout);
    const models::GraphScene& scene() const { return scene_; }
    const models::GraphPicture& picture() const { return scene_.picture; }
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
    void moveTo(QPointF scenePoint); // into the middle
    QRectF boxOnScreen(int box) const;
    /// -1: none. Of an open group only its title is the group.
    int boxAt(QPointF widgetPoint) const;
    /// Whose curve runs within some pixels of it; -1: none.
    int arrowAt(QPointF widgetPoint) const;
    /// Of what boxes are in sight, the chosen one among them wherever it is, ascending.
    std::vector<int> boxesInSight() const;
    /// Another one, each time that the boxes or their places are others.
    int sceneNumber() const { return sceneNumber_; }
    bool isSelected(int box) const { return selected_[size_t(box)] != 0; }
    /// As a click on it, and into sight.
    void choose(int box);
    /// Opens or closes, enters or leads away, as the box allows; false: it does none of these.
    bool activate(int box);
    /// Where the overview is painted; empty: all is in sight, and there is none.
    QRectF overviewFrame() const;
    /// Paints a part of the picture, or all of it, for export.
    void paintPicture(QPainter& painter, const QRectF& visible, double scale) const;

    QSize sizeHint() const override { return {800, 600}; }

signals:
    void boxPicked(int box); // -1: none
    void nestedOpened(int box);
    void groupToggled(int group);
    void nodeWanted(int node); // by its id: at the other end of an arrow that leaves a group
    void menuWanted(int box, QPoint globalPosition);
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
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    GraphView view() const;
    int boxOfGroup(int group) const;
    int frameAround(int box) const; // -1: none
    QPointF toScene(QPointF widgetPoint) const { return widgetPoint / scale_ + origin_; }
    QPointF toWidget(QPointF scenePoint) const { return (scenePoint - origin_) * scale_; }
    void setPlaces(models::GraphLayout layout);
    void pick(int box);
    /// Where the focus is now, for a screen reader.
    void tellCurrent();
    int neighbour(int key) const;
    int alongArrows(int box, bool down) const;
    /// Some of the graph stays in sight.
    void keepInSight();
    void paintNote(QPainter& painter, const models::Colors& colors) const;
    void paintOverviewFrame(QPainter& painter) const;
    void moveByOverview(QPointF widgetPoint);
    void startView();

    QString message_;
    models::GraphScene scene_;
    models::Overlay overlay_;
    QString note_;
    std::vector<QRectF> arrowBounds_;
    std::vector<char> selected_;
    int current_ = -1, sceneNumber_ = 0;
    double scale_ = 1;
    QPointF origin_; // scene point at the widget's top left
    bool touched_ = false, panning_ = false, moved_ = false, inOverview_ = false, startPending_ = true;
    QPointF pressed_;
};

} // namespace lathe::views::canvas
