// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/page/chart_panel.h"

#include "views/page/plot.h"

#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QPainter>
#include <QSaveFile>
#include <QSplitter>
#include <QSvgGenerator>
#include <QVBoxLayout>

namespace lathe::views {

ChartPanel::ChartPanel(models::Selection* selection, const QString& name)
    : selection_(selection), summary_(new QLabel), legend_(new QLabel), plot_(new QCustomPlot), body_(new QSplitter) {
    summary_->setTextFormat(Qt::PlainText); // it shows names of the model
    summary_->setMargin(8);
    summary_->setWordWrap(true);
    legend_->setContentsMargins(8, 0, 8, 8);
    legend_->setWordWrap(true); // or many names would make the window wide
    setUpPlot(*plot_);
    plot_->setAccessibleName(name);
    plot_->setMinimumSize(240, 160);
    auto layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(legend_);
    body_->addWidget(plot_);
    body_->setChildrenCollapsible(false);
    layout->addWidget(body_, 1);
    auto save = new QAction(tr("&Write the chart into a file…"), this);
    plot_->addAction(save);
    plot_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(save, &QAction::triggered, this, &ChartPanel::askForFile);
    connect(selection_, &models::Selection::changed, this, &ChartPanel::refresh);
}

void ChartPanel::askForFile() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Write the chart"), {},
                                                      tr("Pictures (*.png *.svg);;Numbers (*.csv);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const QString problem = write(path); !problem.isEmpty())
        QMessageBox::warning(this, tr("Write the chart"), problem);
}

QString ChartPanel::write(const QString& path) {
    const auto failed = [&](const QString& why) { return tr("%1 could not be written: %2.").arg(path, why); };
    QSaveFile file(path); // it gets its name when it is whole
    if (!file.open(QIODevice::WriteOnly))
        return failed(file.errorString());
    if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)) {
        file.write(csv().toUtf8());
    } else if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
        QSvgGenerator svg;
        svg.setOutputDevice(&file);
        svg.setSize(plot_->size());
        svg.setViewBox(QRect(QPoint(), plot_->size()));
        QCPPainter painter;
        painter.begin(&svg);
        painter.setMode(QCPPainter::pmVectorized);
        painter.fillRect(QRect(QPoint(), plot_->size()), palette().base()); // the plot leaves that out
        plot_->toPainter(&painter, plot_->width(), plot_->height());
    } else if (path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive)) {
        const double scale = devicePixelRatioF();
        plot_->toPixmap(plot_->width(), plot_->height(), scale).save(&file, "PNG");
    } else {
        return failed(tr("its name ends neither in .png nor in .svg or .csv"));
    }
    if (!file.commit())
        return failed(file.errorString());
    return {};
}

QString ChartPanel::csv() const {
    QString text = QStringLiteral("series,x,y\n");
    for (int i = 0; i < plot_->graphCount(); ++i) {
        const QCPGraph* graph = plot_->graph(i);
        for (const QCPGraphData& each : *graph->data())
            text += QStringLiteral("\"%1\",%2,%3\n")
                        .arg(QString(graph->name()).replace('"', QStringLiteral("\"\"")))
                        .arg(each.key, 0, 'g', 9)
                        .arg(each.value, 0, 'g', 9);
    }
    return text;
}

void ChartPanel::refresh() {
    if (!isVisible())
        return;
    colourPlot(*plot_, palette());
    colour();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ChartPanel::say(const QString& summary, bool empty) {
    summary_->setText(summary);
    body_->setVisible(!empty);
    legend_->setVisible(!empty);
    layout()->setAlignment(summary_, empty ? Qt::AlignTop : Qt::Alignment());
}

void ChartPanel::setLegend(const QString& richText) {
    legend_->setText(richText);
}

void ChartPanel::addOnTop(QLayout* controls) {
    static_cast<QVBoxLayout*>(layout())->insertLayout(0, controls);
}

void ChartPanel::addBeside(QWidget* table) {
    body_->addWidget(table);
    constexpr int ofPlot = 600, ofTable = 400; // their sizes to each other
    body_->setStretchFactor(0, ofPlot);
    body_->setStretchFactor(1, ofTable);
    body_->setSizes({ofPlot, ofTable});
}

void ChartPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void ChartPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

} // namespace lathe::views
