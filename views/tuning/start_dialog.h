// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks for what is to be tuned, and how. What it begins with will do: Enter starts.
#pragma once

#include "views/models/study_request.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QDoubleSpinBox;
class QListWidget;
class QRadioButton;
class QSpinBox;

namespace lathe::views::tuning {

/// What there is to choose from.
struct StartChoices {
    QStringList kernels;          // of the compiled model that can be tuned, by their time; empty: it is not compiled
    QStringList selected;         // of them those that compute what is selected
    QString last;                 // what the last study of the model is called; empty: there is none
    QStringList searches, spaces; // the default first
    QString settings;             // what is compiled and run for
    bool sizesOpen = false;       // the model leaves sizes open, and the settings do not fix them
};

class StartDialog : public QDialog {
    Q_OBJECT

public:
    StartDialog(const StartChoices& choices, QWidget* parent);

    models::StudyRequest request() const;
    void accept() override; // keeps how long and how for the next time

private:
    void check();

    QRadioButton* resume_;
    QComboBox* what_;
    QListWidget* kernels_;
    QDoubleSpinBox *minutes_, *leastGain_;
    QSpinBox *trials_, *seed_;
    QComboBox *search_, *space_;
    QCheckBox* records_;
    QDialogButtonBox* buttons_;
    QStringList selected_;
};

} // namespace lathe::views::tuning
