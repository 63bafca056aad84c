// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/page/file_dialog.h"

#include "views/models/text/shown_path.h"

#include <QFileDialog>
#include <QMessageBox>

namespace lathe::views {

namespace {

QStringList ask(QFileDialog& dialog) {
    if (dialog.exec() != QDialog::Accepted)
        return {};
    QStringList chosen = dialog.selectedFiles();
    for (const QString& path : chosen)
        if (const QString problem = models::problemOfName(path); !problem.isEmpty()) {
            QMessageBox::warning(dialog.parentWidget(), dialog.windowTitle(), problem);
            return {};
        }
    return chosen;
}

} // namespace

QStringList askForFiles(QWidget* parent, const QString& title, const QString& place, const QString& filter) {
    QFileDialog dialog(parent, title, place, filter);
    dialog.setFileMode(QFileDialog::ExistingFiles);
    return ask(dialog);
}

QString askForFile(QWidget* parent, const QString& title, const QString& place, const QString& filter) {
    QFileDialog dialog(parent, title, place, filter);
    dialog.setFileMode(QFileDialog::ExistingFile);
    return ask(dialog).value(0);
}

QString askForFolder(QWidget* parent, const QString& title, const QString& place) {
    QFileDialog dialog(parent, title, place);
    dialog.setFileMode(QFileDialog::Directory);
    dialog.setOption(QFileDialog::ShowDirsOnly);
    return ask(dialog).value(0);
}

QString askForNewFile(QWidget* parent, const QString& title, const QString& suggested, const QString& filter,
                      const QString& suffix) {
    const QString place = models::absolutePath(suggested);
    QFileDialog dialog(parent, title, place, filter);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(suffix); // before it asks whether a file may be replaced
    dialog.selectFile(place);
    return ask(dialog).value(0);
}

} // namespace lathe::views
