// SPDX-License-Identifier: GPL-3.0-or-later
//
// The passes as a strip: a bar each, in order, as high as what is measured. What a pass added stands above the line, what it
// took away below. The rows are those of a PassModel, hidden ones left out; so is the row that is chosen.
#pragma once

#include "views/models/passes/pass_model.h"

#include <QWidget>

namespace lathe::views::passes {

class PassStrip : public QWidget {
    Q_OBJECT

public:
    enum Measure { Time, Size, Flops, Bytes, Memory, measures };

    explicit PassStrip(const models::PassModel* passes, QWidget* parent = nullptr);

    void setMeasure(Measure measure);
    Measure measure() const { return measure_; }
    /// A row of the model; -1: none.
    void setCurrent(int row);
    int current() const { return current_; }
    /// Of a row's bar, from the line; empty for what is not known, or nothing.
    QRect barOf(int row) const;
    /// What the strip says of a row, plain text; empty for none.
    QString textOf(int row) const;

    QSize sizeHint() const override { return {400, 96}; }
    QSize minimumSizeHint() const override { return {120, 72}; }

signals:
    /// The user went to it.
    void chosen(int row);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Nothing: not known.
    std::optional<double> valueOf(int row) const;
    void measureAll();
    QRect room() const;           // of the bars
    QRect placeOf(int row) const; // the row's share of it, as high as all
    int rowAt(const QPoint& place) const;
    void choose(int row);

    const models::PassModel* passes_;
    Measure measure_ = Time;
    int current_ = -1;
    double above_ = 0, below_ = 0; // the largest of each, scaled
};

} // namespace lathe::views::passes
