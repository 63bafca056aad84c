// SPDX-License-Identifier: GPL-3.0-or-later
//
// Trials as lines over parallel axes: the questions, and last the ratio. Dragging along an axis asks for a range of it, a
// click on the axis for all; dragging a name moves the axis. By keys: Left and Right go from axis to axis, with Ctrl they move
// it; Up and Down go along it, with Shift they span the range from where that began; Delete asks for all. What is asked for
// becomes part of the filter, which says what is shown here. Lines take longer than a picture may: until all are drawn, those of
// before are seen.
#pragma once

#include "views/models/tuning/parallel_axes.h"
#include "views/models/tuning/trial_filter.h"
#include "views/page/slices.h"

#include <QLineF>
#include <QPen>
#include <QPixmap>
#include <QWidget>
#include <memory>

namespace lathe::views::tuning {

class ParallelView : public QWidget {
    Q_OBJECT

public:
    ParallelView();

    /// Those of the trials that the filter leaves, and the filter, whose ranges are drawn. A set that is shown already keeps the
    /// order of its axes.
    void setTrials(std::shared_ptr<const models::TrialSet> trials, std::span<const int> among,
                   const models::TrialFilter& filter);
    /// This trial's line stands out, beside the best one's; -1: none.
    void mark(int trial);
    /// Its axes at once; the rest when it is not working, which it does while it is seen.
    const models::ParallelPicture& picture() const { return picture_; }
    bool isWorking() const { return isWorking_ && isVisible(); }
    int current() const { return current_; }
    /// Where an axis stands, in pixels, and a place on it.
    double xOf(int axis) const;
    double yOf(int axis, int place) const;
    QRectF titleOf(int axis) const;

signals:
    /// Terms that are to stand in the filter in the place of those about this name; none: all values.
    void rangeWanted(const QString& name, const QStringList& terms);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Range {
        int from = 0, to = 0; // places
    };
    void makePicture();
    void askFor(int axis, std::optional<Range> range);
    void move(int axis, int to);
    void goTo(int axis);
    int axisAt(double x, double reach) const; // -1: none
    int placeAt(int axis, double y) const;
    QString nameOf(int axis) const;
    QString labelOf(int axis, int place) const;
    std::optional<Range> rangeOf(const models::TrialFilter& filter, int axis) const;
    QRectF body() const;
    struct Stroke {
        QLineF line;
        QPen pen;
        bool smooth;
    };
    /// The next part of what is to be done; false: all was done.
    bool work();
    void beginLines();
    QLineF lineOf(size_t gap, const models::ParallelSegment& segment) const;
    void addDensity(size_t gap);
    void addLines(size_t gap);
    void drawLines();
    void drawAxis(QPainter& painter, int axis) const;
    void drawTrial(QPainter& painter, int trial, const QColor& color) const;
    void describe();

    std::shared_ptr<const models::TrialSet> trials_;
    std::vector<int> among_;
    models::TrialFilter filter_;
    models::RatioEnds ends_;
    size_t endsRevision_ = 0; // of the trials, when the ends were found
    std::vector<int> axes_;
    std::optional<models::ParallelPictureMaker> maker_; // of the rest of the picture
    models::ParallelPicture picture_;
    std::vector<std::optional<Range>> ranges_; // of each axis
    std::vector<Stroke> strokes_;              // of the picture
    size_t drawn_ = 0;                         // of these, on canvas_
    QPixmap canvas_, lines_;                   // being drawn, and shown
    Slices slices_;
    bool isWorking_ = false;
    int marked_ = -1;
    int current_ = 0, place_ = 0, anchor_ = 0; // the axis and the place that keys start from
    enum class Drag { None, Range, Axis } drag_ = Drag::None;
    int dragged_ = -1;
    QPointF pressed_, at_;
};

} // namespace lathe::views::tuning
