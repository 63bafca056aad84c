// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the page Model can do with its groups and its picture: actions, the menu on a box, and saving.
#include "views/canvas/graph_arranger.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/model_page.h"
#include "views/page/file_dialog.h"

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QTableView>
#include <algorithm>
#include <cmath>

namespace lathe::views::graph {

void ModelPage::makeActions() {
    auto add = [this](const char* id, const QString& text, auto slot) {
        auto action = new QAction(text, this);
        action->setObjectName(id);
        connect(action, &QAction::triggered, this, slot);
        graphActions_ << action;
        return action;
    };
    expandAll_ = add("expand_all", tr("&Expand all groups"), [this] { arranger_->openAll(); });
    collapseAll_ = add("collapse_all", tr("Collapse a&ll groups"), [this] { arranger_->closeAll(); });
    collapse_ = add("collapse", tr("Collapse &group"), [this] { collapseAround(); });
    add("table", tr("Colour by a &table…"), [this] { askForTable(); });
    save_ = add("save", tr("Save &picture…"), [this] { askForPicture(); });
    values_ = new QAction(tr("Show &values"), this);
    values_->setObjectName("values");
    connect(values_, &QAction::triggered, this, &ModelPage::showValues);
    allowActions();
}

void ModelPage::allowActions() {
    expandAll_->setEnabled(arranger_->anyClosed());
    collapseAll_->setEnabled(arranger_->anyOpen());
    const auto& nodes = selection_->nodes();
    collapse_->setEnabled(!nodes.empty() && arranger_->openGroupAround(nodes.front()) > 0);
    save_->setEnabled(!canvas_->picture().boxes.empty());
}

void ModelPage::collapseAround() {
    const int current = canvas_->current();
    const auto& boxes = canvas_->picture().boxes;
    if (current >= 0 && boxes[size_t(current)].open)
        return arranger_->toggle(boxes[size_t(current)].group);
    if (!selection_->nodes().empty())
        arranger_->toggle(arranger_->openGroupAround(selection_->nodes().front()));
}

void ModelPage::showValues() {
    const auto& rows = attributes_->rows();
    const int current = table_->currentIndex().row();
    const auto isConstant = [](const models::AttributeRow& row) { return row.tensor.tensor != nullptr; };
    const auto isComputed = [](const models::AttributeRow& row) { return !row.computed.isEmpty(); };
    auto row = current >= 0 ? rows.begin() + current : rows.end();
    if (row == rows.end() || (!isConstant(*row) && !isComputed(*row)))
        row = std::ranges::find_if(rows, isConstant);
    if (row == rows.end())
        row = std::ranges::find_if(rows, isComputed);
    if (row != rows.end())
        showValuesOf(*row);
}

void ModelPage::showValuesOf(const models::AttributeRow& row) {
    if (row.tensor.tensor)
        emit valuesWanted(row.tensor);
    else if (!row.computed.isEmpty())
        emit valueWanted(row.computed);
    else if (row.call >= 0)
        emit functionWanted(row.call);
}

void ModelPage::showMenu(int box, QPoint globalPosition) {
    if (box >= 0 && box != canvas_->current())
        pickBox(box);
    QMenu menu(this);
    if (box >= 0) {
        const models::GraphBox value = canvas_->picture().boxes[size_t(box)];
        if (value.group >= 0 && !value.open)
            menu.addAction(tr("E&xpand group"), this, [this, group = value.group] { arranger_->toggle(group); });
        if (value.leadsTo >= 0)
            menu.addAction(tr("Go to the &other end"), this, [this, node = value.leadsTo] { revealNode(node); });
    }
    if (box >= 0)
        menu.addAction(values_);
    menu.addActions(graphActions_);
    menu.exec(globalPosition);
}

void ModelPage::askForPicture() {
    const QString name = model_ ? QFileInfo(QString::fromStdString(model_->file)).completeBaseName() : QString();
    const QString file =
        views::askForNewFile(this, tr("Save the picture"), name + ".svg", tr("Pictures (*.svg *.pdf *.png)"));
    if (file.isEmpty())
        return;
    if (const QString problem = savePicture(file); !problem.isEmpty())
        QMessageBox::warning(this, tr("Save the picture"), problem);
}

void ModelPage::askForTable() {
    const QString file = views::askForFile(this, tr("A table of values by names of nodes"), {},
                                           tr("Tables (*.csv *.tsv *.json *.txt);;All files (*)"));
    if (file.isEmpty())
        return;
    if (const QString problem = colourByTable(file); !problem.isEmpty())
        QMessageBox::warning(this, tr("Colour by a table"), problem);
}

QString ModelPage::colourByTable(const QString& file) {
    if (!model_)
        return tr("There is no model to colour.");
    QFile input(file);
    if (!QFileInfo(file).isFile() || !input.open(QIODevice::ReadOnly))
        return tr("%1 cannot be read as a file.").arg(file);
    if (input.size() > models::largestTable)
        return tr("%1 has more than %2 MB: a table of nodes is smaller.").arg(file).arg(models::largestTable >> 20);
    auto table = models::readTable(input.readAll());
    if (!table)
        return tr("%1: %2").arg(file, QString::fromStdString(toString(table.error())));
    if (models::countNamed(*table, *model_) == 0)
        return tr("%1 names no node of this model: its first column is the name of a node.").arg(file);
    nodeTable_ = *std::move(table);
    nodeTable_.name = QFileInfo(file).fileName();
    const int row = colourBy_->findData(int(models::OverlayKind::Table));
    if (colourBy_->currentIndex() == row)
        showOverlay();
    else
        colourBy_->setCurrentIndex(row);
    return {};
}

QString ModelPage::savePicture(const QString& file) const {
    const QRectF bounds = canvas_->scene().layout.bounds;
    if (bounds.isEmpty())
        return tr("There is no graph to save.");
    QSaveFile output(file);
    if (!output.open(QIODevice::WriteOnly))
        return tr("%1 cannot be written: %2. Choose another folder.").arg(file, output.errorString());
    auto paintOn = [&](QPaintDevice& device, double scale) {
        QPainter painter(&device);
        painter.scale(scale, scale);
        painter.translate(-bounds.topLeft());
        canvas_->paintPicture(painter, bounds, 1);
    };
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == "svg") {
        QSvgGenerator svg;
        svg.setOutputDevice(&output);
        svg.setSize(bounds.size().toSize());
        svg.setViewBox(QRectF(QPointF(), bounds.size()));
        paintOn(svg, 1);
    } else if (suffix == "pdf") {
        QPdfWriter pdf(&output);
        constexpr int dotsPerInch = 72;
        // The format ends at 200 inches a side.
        const double scale = std::min(1.0, 14'000 / std::max(bounds.width(), bounds.height()));
        pdf.setResolution(dotsPerInch);
        pdf.setPageSize(QPageSize(bounds.size() * scale, QPageSize::Point));
        pdf.setPageMargins({});
        paintOn(pdf, scale);
    } else {
        constexpr double most = 30e6; // pixels: what other programs open too
        const double scale = std::min({2.0, std::sqrt(most / (bounds.width() * bounds.height())),
                                       30'000 / std::max(bounds.width(), bounds.height())});
        QImage image((bounds.size() * scale).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
        image.fill(models::colorsFor(palette()).canvas);
        paintOn(image, scale);
        if (!image.save(&output, suffix.toUtf8().constData()))
            return tr("%1: pictures are saved as .svg, .pdf or .png.").arg(QFileInfo(file).fileName());
    }
    return output.commit() ? QString() : tr("%1 cannot be written: %2.").arg(file, output.errorString());
}

} // namespace lathe::views::graph
