// SPDX-License-Identifier: GPL-3.0-or-later
//
// A constant of the model, or a value that running it gives, as it is, as expected, and their difference: its statistics, a
// histogram and its values as a table, coloured as a heat map on request, and saved as .npy. A tensor may be mapped from a file
// of many gigabytes: statistics of all but small ones, and files, are made on workers, and can be stopped; a tensor that is
// shown meanwhile takes the place of the one before.
#pragma once

#include "views/models/graph/attribute_model.h"
#include "views/models/graph/tensor_model.h"
#include "views/models/graph/tensor_values.h"
#include "views/page/worker.h"

#include <QWidget>
#include <functional>
#include <optional>

class QCheckBox;
class QComboBox;
class QCustomPlot;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QTableView;

namespace lathe::views::tensor {

class TensorPanel : public QWidget {
    Q_OBJECT

public:
    TensorPanel();

    /// Without one: says how to get here.
    void setTensor(models::NamedTensor tensor);
    /// What it is, what it should be, or the difference, as the user chooses.
    void setChecked(models::CheckedTensors value);
    /// Another compilation gives other values; constants stay.
    void dropChecked();
    /// Says that this value is being computed, until it is set, something else is, or the waiting ends.
    void wait(const QString& name);
    void endWaiting(const QString& why);
    /// The value that is being computed; empty: none is.
    const QString& awaited() const { return awaited_; }
    models::TensorModel* values() const { return values_; }
    /// Nothing until they are there.
    const std::optional<data::TensorStatistics>& statistics() const { return statistics_; }
    QCustomPlot* plot() const { return plot_; }
    /// Statistics or a file are being made.
    bool isBusy() const;
    /// Writes it as .npy, unless one is being written; answers `saved`, or nothing where the user stops it.
    void save(const QString& path);

    QSize sizeHint() const override { return {900, 300}; }

signals:
    /// With what went wrong, or nothing.
    void saved(QString path, QString problem);
    /// It is not busy any more.
    void settled();

protected:
    void changeEvent(QEvent* event) override;

private:
    void showTensor(models::NamedTensor tensor);
    void showChosen();
    void setStatistics(std::optional<data::TensorStatistics> statistics);
    void showFacts();
    /// A field for each axis that does not go along the table, and for each part of a long one.
    void makeFields();
    void addField(const QString& name, int64_t most, int64_t step, const std::function<void(int)>& moved);
    void colour();
    /// Cells have room for any number, in texts of this size.
    void fitCells();
    void askForFile();
    /// What is under the mouse.
    QString barText(double at) const;

    models::NamedTensor tensor_;
    models::CheckedTensors checked_; // of which it is one; without any it is a constant
    QString awaited_, message_;      // message: instead of a tensor
    std::optional<data::TensorStatistics> statistics_;
    Worker<std::optional<data::TensorStatistics>> counting_;
    Worker<QString> saving_; // what went wrong

    QLabel* title_;
    QComboBox* which_; // of what was checked
    QLabel* whichLabel_;
    QCheckBox* heat_;
    QPushButton* save_;
    QTableView* factTable_;
    models::AttributeModel* facts_;
    QCustomPlot* plot_;
    QTableView* valueTable_;
    models::TensorModel* values_;
    QWidget* fields_ = nullptr;
    QHBoxLayout* bar_;
};

} // namespace lathe::views::tensor
