// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pages of the export wizard that ask: the model, where it is to run, sizes, checks. Each checks its fields as they are typed.
#pragma once

#include "views/exporting/export_page.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QSpinBox;
class QTableWidget;

namespace lathe::views::exporting {

class NamePage : public ExportPage {
    Q_OBJECT

public:
    NamePage(const models::ExportChoices& choices, const models::ExportRequest& begin);
    void fill(models::ExportRequest& request) const override;
    QString problem() const override;

private:
    std::function<QString(const models::ExportRequest&)> problemOf_; // of what it is called
    QLineEdit *name_, *version_, *licence_;
};

class TargetPage : public ExportPage {
    Q_OBJECT

public:
    TargetPage(const models::ExportChoices& choices, const models::ExportRequest& begin);
    void fill(models::ExportRequest& request) const override;
    QString problem() const override;

private:
    void add(const models::ExportTarget& target, bool chosen);
    void addOther();

    std::function<QString(const QString&)> problemOf_;
    QListWidget* targets_;
    QLineEdit* other_;
};

class SizesPage : public ExportPage {
    Q_OBJECT

public:
    explicit SizesPage(const models::ExportRequest& begin);
    void fill(models::ExportRequest& request) const override;
    QString problem() const override;

private:
    /// Of a cell; nothing: it is no whole number above 0.
    std::optional<qint64> number(int row, int column) const;

    QTableWidget* sizes_;
};

class ChecksPage : public ExportPage {
    Q_OBJECT

public:
    ChecksPage(const models::ExportChoices& choices, const models::ExportRequest& begin);
    void fill(models::ExportRequest& request) const override;
    QString problem() const override;

protected:
    void initializePage() override;

private:
    /// What the form can have.
    void allow();

    models::ExportChoices choices_;
    models::ExportForm form_;
    QLabel* unrun_; // why nothing is run
    QSpinBox* cases_;
    QDoubleSpinBox *tolerance_, *p50_, *p99_, *load_, *resident_, *size_;
    QCheckBox* check_;
    QComboBox* device_;
};

} // namespace lathe::views::exporting
