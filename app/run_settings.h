// SPDX-License-Identifier: GPL-3.0-or-later
//
// For what a model is compiled and run: a value, of which all but sizes and inputs is kept in the settings. The dialog shows
// the sizes that the open model leaves open, and where its inputs come from.
#pragma once

#include "inspect/input_choice.h"
#include "views/models/inputs/open_sizes.h"

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

struct RunSettings {
    QString target = QStringLiteral("native"); // as codegen::parseTarget reads it
    driver::NumericsLevel numerics = driver::NumericsLevel::Default;
    int threads = 0; // to compile and to run with; 0: all
    views::models::SizeValues sizes;
    bool fixSizes = false; // compiled for these sizes alone
    inspect::InputChoice inputs;

    /// Kept ones; what cannot be read any more is as by default, and `unread` says why.
    static RunSettings kept(std::vector<Diagnostic>* unread = nullptr);
    void keep() const;
    /// For this model.
    driver::Options options(const model::ModelGraph& graph) const;
    /// "native, all threads, strict numerics, batch 1 (fixed)"; default numerics go without saying.
    QString text(const model::ModelGraph* graph) const;
    /// As text, and back; no text is that of the default. What cannot be read is as by default, and `unread` says why.
    std::string toJson() const;
    static RunSettings fromJson(const std::string& text, std::vector<Diagnostic>* unread = nullptr);
    bool operator==(const RunSettings&) const = default;
};

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

    RunSettings given_;
    QComboBox* target_;
    QComboBox* numerics_;
    QSpinBox* threads_;
    views::models::OpenSizeModel* sizes_;
    views::models::InputFilesModel* files_;
    QSpinBox* seed_;
    QCheckBox* fix_;
    QLabel* problem_;
    QDialogButtonBox* buttons_;
};

} // namespace lathe::app
