// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks for what is to be tuned, and how. What it begins with will do: Enter starts.
#pragma once

#include "views/models/inputs/open_sizes.h"
#include "views/models/tuning/study_request.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QListWidget;
class QRadioButton;
class QSpinBox;

namespace lathe::views::tuning {

/// What there is to choose from.
struct StartChoices {
    QStringList kernels;          // of the compiled model that can be tuned, by their time; empty: it is not compiled
    QStringList selected;         // of them those that compute what is selected
    QString last;                 // what the last study of the model is called; empty: there is none
    QString lastSizes;            // that it began with; empty: with none
    QStringList searches, spaces; // the default first
    QString settings;             // what is compiled and run for
    model::ModelGraphPtr open;    // the model, if it leaves sizes open that the settings do not fix
};

class StartDialog : public QDialog {
    Q_OBJECT

public:
    StartDialog(const StartChoices& choices, QWidget* parent);

    models::StudyRequest request() const;
    void accept() override; // keeps how long and how for the next time

private:
    void makeKernels();
    void makeLimits();
    void makeSearch();
    void makeChecks();
    QLayout* makeForm();
    void connectFields();
    void addSizes(QFormLayout& to);
    /// "sequence=7,64"; of a study that goes on, what it began with.
    void setSizes(const QString& text);
    QString sizesText() const;
    Result<std::optional<inspect::SweepQuestion>> sizes() const;
    void check();

    QRadioButton* resume_;
    QComboBox* what_;
    QListWidget* kernels_;
    QDoubleSpinBox *minutes_, *leastGain_;
    QSpinBox *trials_, *seed_;
    QComboBox *search_, *space_;
    QCheckBox *graph_, *records_;
    QComboBox* sizeNames_; // of the model's open sizes
    QLineEdit* sizes_;
    QLabel* sizesNote_; // what is wrong with them, or comes of having none
    QDialogButtonBox* buttons_;
    StartChoices choices_;
    QString newSizes_; // what a new study would begin with, while another is to go on
};

} // namespace lathe::views::tuning
