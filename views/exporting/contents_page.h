// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page of the export wizard that asks what the bundle is for, its form, and which parts go in. A form says what it gives and
// what it cannot; parts that it leaves no choice of are grey, and a line below says why.
#pragma once

#include "views/exporting/export_page.h"

class QButtonGroup;
class QCheckBox;
class QLabel;

namespace lathe::views::exporting {

class ContentsPage : public ExportPage {
    Q_OBJECT

public:
    ContentsPage(const models::ExportChoices& choices, const models::ExportRequest& begin);
    void fill(models::ExportRequest& request) const override;
    QString problem() const override;

protected:
    void initializePage() override;

private:
    QString form() const; // empty: none is chosen
    /// As the form allows them.
    void showParts();

    models::ExportChoices choices_;
    QButtonGroup* forms_;
    QList<QCheckBox*> parts_;
    QStringList chosen_; // of the parts, also of those that the form has no choice of
    QLabel* fixed_;      // why some are grey
    qsizetype targets_ = 0;
};

} // namespace lathe::views::exporting
