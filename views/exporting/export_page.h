// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all pages of the export wizard are: a form, the reason why one cannot go on in a line of its own, what one should know
// though it prevents nothing, and at the bottom how large the bundle becomes.
#pragma once

#include "views/models/exporting/export_request.h"

#include <QWizardPage>

class QFormLayout;
class QLabel;
class QVBoxLayout;

namespace lathe::views::exporting {

class ExportPage : public QWizardPage {
    Q_OBJECT

public:
    ExportPage(const QString& title, const QString& text);

    /// Takes what stands in the page's fields.
    virtual void fill(models::ExportRequest& request) const = 0;
    /// Why one cannot go on; empty: nothing.
    virtual QString problem() const { return {}; }
    bool isComplete() const override { return problem().isEmpty(); }
    void setFooter(const QString& text);
    /// A line each.
    void setWarnings(const QStringList& warnings);

protected:
    /// As all pages of the wizard have it.
    models::ExportRequest wholeRequest() const;
    /// After each change of a field: shows the problem, and tells the wizard.
    void changed();
    void initializePage() override { changed(); }

    QVBoxLayout* layout_;

private:
    QLabel *problem_, *warnings_, *footer_;
};

} // namespace lathe::views::exporting
