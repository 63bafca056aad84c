// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks for what a model is compiled and run for: with the sizes that the open model leaves open, and where its inputs
// come from.
#pragma once

#include "app/run_settings.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QSpinBox;
class QVBoxLayout;

namespace lathe::views::models {
class InputFilesModel;
class OpenSizeModel;
} // namespace lathe::views::models

namespace lathe::app {

class GraphChoiceRows;

class RunSettingsDialog : public QDialog {
    Q_OBJECT

public:
    /// graph: the open model, or null.
    RunSettingsDialog(const RunSettings& settings, const model::ModelGraph* graph, QWidget* parent);

    RunSettings settings() const;
    void accept() override;

private:
    void check();
    void addSizes(QVBoxLayout& to);
    void addInputs(QVBoxLayout& to);
    void chooseFile(int row);
    void chooseFolder();
    /// Another graph than the open one is chosen: sizes and inputs say nothing of it.
    bool isOfOtherGraph() const;

    RunSettings given_;
    QComboBox* target_;
    QComboBox* numerics_;
    QSpinBox* threads_;
    GraphChoiceRows* rows_;
    views::models::OpenSizeModel* sizes_;
    views::models::InputFilesModel* files_;
    QSpinBox* seed_;
    QCheckBox* fix_;
    QLabel* problem_;
    QDialogButtonBox* buttons_;
};

} // namespace lathe::app
