// SPDX-License-Identifier: GPL-3.0-or-later
//
// What charts with axes have in common: a summary above, what the colours mean, the plot; colours of the window around them,
// light or dark; beside it a table, where a chart has one. A chart is drawn while it is seen: what changes meanwhile shows
// when it is turned to. Its menu writes it as a picture (PNG, SVG) or its numbers as CSV.
#pragma once

#include "views/models/window/selection.h"

#include <QWidget>

class QCustomPlot;
class QLabel;
class QLayout;
class QSplitter;

namespace lathe::views {

class ChartPanel : public QWidget {
    Q_OBJECT

public:
    /// name: of the plot, for screen readers.
    ChartPanel(models::Selection* selection, const QString& name);

    QCustomPlot* plot() const { return plot_; }
    /// A picture as it is seen (.png, .svg), or its numbers (.csv), by the name's end. Gives why it could not be
    /// written; empty: it is there.
    QString write(const QString& path);

protected:
    /// Its numbers, with a line of names first; by default those of the plot's graphs: series, x, y.
    virtual QString csv() const;
    /// The colours of the palette, and what is selected; the plot is drawn after it.
    virtual void colour() = 0;
    /// Colours and draws now, or when it is seen.
    void refresh();
    /// What stands above; empty: there is nothing to draw, and it stands alone.
    void say(const QString& summary, bool empty);
    void setLegend(const QString& richText);
    void addOnTop(QLayout* controls);
    void addBeside(QWidget* table);
    models::Selection* selection() const { return selection_; }

    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void askForFile();

    models::Selection* selection_;
    QLabel *summary_, *legend_;
    QCustomPlot* plot_;
    QSplitter* body_; // of the plot, and what is beside it
};

} // namespace lathe::views
