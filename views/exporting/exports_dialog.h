// SPDX-License-Identifier: GPL-3.0-or-later
//
// File › Exports: what was exported of the model, with what was measured of it. An export can be found on the disk, made
// again, taken off the list, and held against another one. It shows the window's list and emits wishes.
#pragma once

#include "views/models/exporting/export_change_model.h"
#include "views/models/exporting/export_list_model.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTableView;

namespace lathe::views::exporting {

class ExportsDialog : public QDialog {
    Q_OBJECT

public:
    ExportsDialog(models::ExportListModel& exports, QString model, QWidget* parent);

    /// The newest with the one before it, if there is one.
    void compareNewest();
    /// What lies at the places of the two that are compared; a problem: why that is not known.
    void showFindings(const models::BundleFindings& findings, const QString& problem);

signals:
    /// The wizard, filled in with the choices of this row.
    void repeatWanted(int row);
    /// What is different in the bundles of these rows, which are where they were written. Answered by showFindings.
    void findingsWanted(int before, int after);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// As the table shows them, the newest first.
    QList<int> rows() const;
    void allow();
    void openPlace();
    void copyCommand();
    void compare();
    void remove();

    models::ExportListModel& exports_;
    QString model_;
    models::KeptExport before_, after_; // that are compared
    models::ExportChangeModel* changes_;
    QTableView *table_, *comparison_;
    QLabel *hint_, *compared_;
    QPushButton *open_, *copy_, *repeat_, *compare_, *remove_;
};

} // namespace lathe::views::exporting
