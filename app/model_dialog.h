// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the window asks for a model: a file of any format that Lathe imports, by the table of formats (frontend/frontend.h), or a
// folder, as some formats have models.
#pragma once

#include <QString>

class QWidget;

namespace lathe::app {

enum class AskedFor { Model, ModelOrProject };

/// For a file dialog: all that can be opened in one, then each format for itself, then any file.
QString modelFilter(AskedFor what);

/// Empty: none was chosen. place: a folder, or a file in it that is suggested.
QString chooseModel(QWidget* parent, const QString& title, const QString& place, AskedFor what = AskedFor::Model);
QString chooseModelFolder(QWidget* parent, const QString& place);

/// The folder that the model lies in, where the next one is looked for; nowhere without a model.
QString folderOf(const QString& model);

} // namespace lathe::app
