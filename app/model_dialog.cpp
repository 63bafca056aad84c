// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_dialog.h"

#include "frontend/frontend.h"
#include "views/page/file_dialog.h"

#include <QDialog>
#include <QFileInfo>
#include <QStringList>

namespace lathe::app {

namespace {

constexpr auto projectPattern = "*.lathe";

QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}

} // namespace

QString modelFilter(AskedFor what) {
    const bool orProject = what == AskedFor::ModelOrProject;
    QStringList all, filters;
    for (const frontend::FileType& type : frontend::fileTypes()) {
        all << text(type.patterns);
        filters << QStringLiteral("%1 (%2)").arg(text(type.format), text(type.patterns));
    }
    if (orProject) {
        all << projectPattern;
        filters << QDialog::tr("Projects (%1)").arg(projectPattern);
    }
    filters.prepend(
        (orProject ? QDialog::tr("Models and projects (%1)") : QDialog::tr("Models (%1)")).arg(all.join(QChar::Space)));
    filters << QDialog::tr("All files (*)");
    return filters.join(QStringLiteral(";;"));
}

QString chooseModel(QWidget* parent, const QString& title, const QString& place, AskedFor what) {
    return views::askForFile(parent, title, place, modelFilter(what));
}

QString chooseModelFolder(QWidget* parent, const QString& place) {
    return views::askForFolder(parent, QDialog::tr("A model that is a folder (SavedModel)"), place);
}

QString folderOf(const QString& model) {
    return model.isEmpty() ? QString() : QFileInfo(model).absolutePath();
}

} // namespace lathe::app
