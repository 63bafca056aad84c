// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/tensor_panel.h"

#include "views/models/text/counted.h"
#include "views/page/elided_label.h"
#include "views/page/file_dialog.h"
#include "views/page/plot.h"
#include "views/page/table.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lathe::views::tensor {

namespace {

// What is counted without a worker: some milliseconds.
constexpr int64_t mostElementsAtOnce = 100'000;
constexpr auto widestNumber = "-0.0000000e-00";
constexpr int besideNumber = 12; // pixels
constexpr int mostTicks = 4;     // numbers like -3·10⁻⁵ are wide
/// What may be shown of a value that was checked: data of the items.
enum Which { Got, Expected, Difference };

} // namespace

TensorPanel::TensorPanel()
    : title_(new ElidedLabel), which_(new QComboBox), whichLabel_(new QLabel(tr("S&how"))),
      heat_(new QCheckBox(tr("&Heat map"))), save_(new QPushButton(tr("&Save as .npy…"))), factTable_(new QTableView),
      facts_(new models::AttributeModel(this)), plot_(new QCustomPlot), valueTable_(new QTableView),
      values_(new models::TensorModel(this)), bar_(new QHBoxLayout) {
    setUpTable(*factTable_, *facts_);
    factTable_->horizontalHeader()->hide();
    factTable_->setAccessibleName(tr("Statistics of the tensor"));
    setUpTable(*valueTable_, *values_);
    valueTable_->verticalHeader()->show();
    valueTable_->horizontalHeader()->setStretchLastSection(false);
    valueTable_->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    valueTable_->setSelectionBehavior(QAbstractItemView::SelectItems);
    valueTable_->setAccessibleName(tr("Values of the tensor"));
    setUpPlot(*plot_);
    plot_->setAccessibleName(tr("Histogram of the values"));
    plot_->setMinimumSize(200, 120);
    plot_->yAxis->setLabel(tr("elements"));
    plot_->xAxis->ticker()->setTickCount(mostTicks);
    connect(plot_, &QCustomPlot::mouseMove, this, [this](const QMouseEvent* event) {
        QToolTip::showText(event->globalPosition().toPoint(),
                           barText(plot_->xAxis->pixelToCoord(event->position().x())), plot_);
    });

    bar_->setContentsMargins(8, 6, 8, 6);
    bar_->addWidget(title_, 1);
    which_->setAccessibleName(tr("What is shown of the value"));
    whichLabel_->setBuddy(which_);
    bar_->addWidget(whichLabel_);
    bar_->addWidget(which_);
    bar_->addWidget(heat_);
    bar_->addWidget(save_);
    auto splitter = new QSplitter;
    splitter->addWidget(factTable_);
    splitter->addWidget(plot_);
    splitter->addWidget(valueTable_);
    splitter->setSizes({240, 320, 640});
    splitter->setStretchFactor(2, 1);
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(bar_);
    all->addWidget(splitter, 1);

    connect(which_, &QComboBox::activated, this, &TensorPanel::showChosen);
    connect(heat_, &QCheckBox::toggled, this, &TensorPanel::colour);
    connect(save_, &QPushButton::clicked, this, [this] {
        if (saving_.isRunning())
            return saving_.cancel();
        askForFile();
    });
    connect(this, &TensorPanel::saved, this, [this](const QString&, const QString& problem) {
        if (!problem.isEmpty())
            QMessageBox::warning(this, tr("Save the values"), problem);
    });
    fitCells();
    setTensor({});
}

bool TensorPanel::isBusy() const {
    return (counting_.isRunning() && !counting_.isCancelled()) || saving_.isRunning();
}

void TensorPanel::setTensor(models::NamedTensor tensor) {
    awaited_.clear();
    message_ =
        tr("Choose a constant or an output of a node on the page Model (a double click, or Enter), or a value on "
           "the page Check (its menu), to see its elements here.");
    checked_ = {};
    which_->hide();
    whichLabel_->hide();
    showTensor(std::move(tensor));
}

void TensorPanel::setChecked(models::CheckedTensors value) {
    setTensor({});
    checked_ = std::move(value);
    const int before = which_->currentData().isValid() ? which_->currentData().toInt() : int(Got);
    which_->clear();
    if (checked_.got)
        which_->addItem(tr("Computed"), Got);
    if (checked_.expected)
        which_->addItem(tr("Expected"), Expected);
    if (checked_.difference)
        which_->addItem(tr("Difference"), Difference);
    which_->setCurrentIndex(std::max(0, which_->findData(before)));
    which_->show();
    whichLabel_->show();
    showChosen();
}

void TensorPanel::showChosen() {
    switch (which_->currentData().toInt()) {
    case Got:
        return showTensor({checked_.name, checked_.got});
    case Expected:
        return showTensor({tr("%1, expected").arg(checked_.name), checked_.expected});
    default:
        return showTensor({tr("%1, computed - expected").arg(checked_.name), checked_.difference});
    }
}

void TensorPanel::dropChecked() {
    if (checked_.got || checked_.expected)
        setTensor({});
}

void TensorPanel::wait(const QString& name) {
    setTensor({});
    awaited_ = name;
    message_ = tr("%1 is being computed … (Esc ends it)").arg(name);
    showFacts();
}

void TensorPanel::endWaiting(const QString& why) {
    if (awaited_.isEmpty())
        return;
    message_ = awaited_ + QStringLiteral(": ") + why;
    awaited_.clear();
    showFacts();
}

void TensorPanel::showTensor(models::NamedTensor tensor) {
    counting_.cancel();
    tensor_ = std::move(tensor);
    const auto& shown = tensor_.tensor;
    values_->show(shown);
    makeFields();
    valueTable_->scrollToTop();
    setStatistics({});
    if (!shown || !data::hasNumbers(*shown))
        return;
    if (shown->elements() <= mostElementsAtOnce)
        return setStatistics(data::statisticsOf(*shown));
    counting_.start([shown](const auto& cancelled) { return data::statisticsOf(*shown, cancelled); },
                    [this](const auto& counted) {
                        if (counted)
                            setStatistics(*counted);
                        emit settled();
                    });
    showFacts();
}

void TensorPanel::setStatistics(std::optional<data::TensorStatistics> statistics) {
    statistics_ = std::move(statistics);
    showFacts();
    plot_->clearPlottables();
    const bool bars = statistics_ && !statistics_->histogram.counts.empty();
    plot_->setVisible(bars);
    if (bars) {
        const auto& histogram = statistics_->histogram;
        auto chart = new QCPBars(plot_->xAxis, plot_->yAxis);
        chart->setWidth(histogram.width);
        for (size_t i = 0; i < histogram.counts.size(); ++i)
            chart->addData(histogram.from + (double(i) + 0.5) * histogram.width, double(histogram.counts[i]));
        plot_->rescaleAxes();
        const double edge = histogram.width / 2;
        plot_->xAxis->setRange(plot_->xAxis->range().lower - edge, plot_->xAxis->range().upper + edge);
        plot_->yAxis->setRangeLower(0);
        plot_->yAxis->setRangeUpper(plot_->yAxis->range().upper * 1.05);
    }
    colour();
}

void TensorPanel::showFacts() {
    const auto& tensor = tensor_.tensor;
    save_->setText(saving_.isRunning() ? tr("&Stop saving") : tr("&Save as .npy…"));
    save_->setEnabled(saving_.isRunning() || (tensor && data::hasNumbers(*tensor)));
    heat_->setEnabled(statistics_ && statistics_->finite > 0);
    if (!tensor) {
        title_->setText(message_);
        return facts_->show({});
    }
    title_->setText(tensor_.name + "   " + models::typeText(*tensor) +
                    (checked_.why.isEmpty() ? QString() : QStringLiteral("   (%1)").arg(checked_.why)));
    std::vector<models::AttributeRow> rows;
    const auto add = [&](const QString& name, const QString& value) { rows.push_back({{}, name, value}); };
    add(tr("Elements"), models::grouped(tensor->elements()));
    if (tensor->dtype == types::String)
        add(tr("Statistics"), tr("none: its elements are texts"));
    else if (!data::hasNumbers(*tensor))
        add(tr("Statistics"), tr("none: its bytes are not in the model"));
    else if (!statistics_)
        add(tr("Statistics"), tr("being computed …"));
    else {
        add(tr("Bytes"), models::grouped(qint64(tensor->elements()) * tensor->dtype.bytes()));
        if (statistics_->finite > 0) {
            add(tr("Minimum"), models::numberText(statistics_->minimum));
            add(tr("Maximum"), models::numberText(statistics_->maximum));
            add(tr("Mean"), models::numberText(statistics_->mean));
            add(tr("Deviation"), models::numberText(statistics_->deviation));
        }
        add(tr("Zeros"), models::grouped(statistics_->zeros));
        if (tensor->dtype.isFloat()) {
            add(tr("NaN"), models::grouped(statistics_->notNumbers));
            add(tr("Infinite"), models::grouped(statistics_->infinities));
        }
    }
    facts_->show(std::move(rows));
    factTable_->resizeColumnToContents(0);
}

void TensorPanel::addField(const QString& name, int64_t most, int64_t step, const std::function<void(int)>& moved) {
    auto field = new QSpinBox;
    field->setRange(0, int(std::min<int64_t>(most, std::numeric_limits<int>::max())));
    field->setSingleStep(int(step));
    field->setKeyboardTracking(false);
    field->setAccessibleName(name);
    auto label = new QLabel(name);
    label->setBuddy(field);
    fields_->layout()->addWidget(label);
    fields_->layout()->addWidget(field);
    connect(field, &QSpinBox::valueChanged, this, moved);
}

void TensorPanel::makeFields() {
    delete fields_;
    fields_ = new QWidget;
    (new QHBoxLayout(fields_))->setContentsMargins(0, 0, 12, 0);
    bar_->insertWidget(1, fields_);
    for (int axis = 0; axis < values_->outerAxes(); ++axis)
        addField(tr("Axis %1").arg(axis), values_->tensor()->shape[size_t(axis)] - 1, 1,
                 [this, axis](int index) { values_->setIndex(axis, index); });
    for (const auto& [orientation, name] :
         {std::pair(Qt::Vertical, tr("Rows from")), std::pair(Qt::Horizontal, tr("Columns from"))})
        if (const int64_t extent = values_->extent(orientation); extent > models::TensorModel::mostShown)
            addField(name, extent - 1, models::TensorModel::mostShown,
                     [this, orientation](int first) { values_->setFirst(orientation, first); });
}

void TensorPanel::colour() {
    const models::Colors colors = models::colorsFor(palette());
    colourPlot(*plot_, palette());
    for (int i = 0; i < plot_->plottableCount(); ++i) {
        plot_->plottable(i)->setPen(QPen(colors.boxBorder));
        plot_->plottable(i)->setBrush(colors.selection);
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
    if (heat_->isChecked() && statistics_ && statistics_->finite > 0)
        values_->setHeat(models::TensorModel::Heat{colors, statistics_->minimum, statistics_->maximum});
    else
        values_->setHeat({});
}

QString TensorPanel::barText(double at) const {
    if (!statistics_ || statistics_->histogram.counts.empty())
        return {};
    const auto& [from, width, counts] = statistics_->histogram;
    const double bar = std::floor((at - from) / width);
    if (!(bar >= 0 && bar < double(counts.size())))
        return {};
    const QString count = models::counted(counts[size_t(bar)], "element", "elements");
    if (!tensor_.tensor->dtype.isFloat() && width == 1)
        return tr("%1: %2").arg(models::numberText(from + bar + 0.5), count);
    return tr("%1 … %2: %3")
        .arg(models::numberText(from + bar * width), models::numberText(from + (bar + 1) * width), count);
}

void TensorPanel::fitCells() {
    valueTable_->horizontalHeader()->setDefaultSectionSize(
        fontMetrics().horizontalAdvance(QLatin1String(widestNumber)) + besideNumber);
}

void TensorPanel::askForFile() {
    const QString path =
        views::askForNewFile(this, tr("Save the values"), models::npyNameOf(tensor_.name), tr("NumPy arrays (*.npy)"));
    if (!path.isEmpty())
        save(path);
}

void TensorPanel::save(const QString& path) {
    if (saving_.isRunning() || !tensor_.tensor)
        return;
    saving_.start(
        [tensor = tensor_.tensor, path](const auto& cancelled) { return models::saveNpy(path, *tensor, cancelled); },
        [this, path](const auto& problem) {
            showFacts();
            if (problem)
                emit saved(path, *problem);
            emit settled();
        });
    showFacts();
}

void TensorPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        colour();
    if (event->type() == QEvent::FontChange)
        fitCells();
    QWidget::changeEvent(event);
}

} // namespace lathe::views::tensor
