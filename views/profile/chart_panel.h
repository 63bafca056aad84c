// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the charts of this page have in common: a summary above, what the colours mean, the plot; colours of the window around
// them, light or dark; beside it a table, where a chart has one. A chart is drawn while it is seen: what changes meanwhile shows when it is turned to.
#pragma once

#include "views/models/selection.h"

#include <QWidget>

class QCustomPlot;
class QLabel;
class QLayout;
class QSplitter;

namespace lathe::views::profile {

class ChartPanel : public QWidget {
    Q_OBJECT

public:
    /// name: of the plot, for screen readers.
    ChartPanel(models::Selection* selection, const QString& name);

    QCustomPlot* plot() const { return plot_; }

protected:
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
    models::Selection* selection_;
    QLabel *summary_, *legend_;
    QCustomPlot* plot_;
    QSplitter* body_; // of the plot, and what is beside it
};

} // namespace lathe::views::profile
