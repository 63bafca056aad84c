// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work that has no name yet. It is kept in a project as well, in a folder of the program's own, so that whoever ends the
// program, or loses it, finds the window as it was; the latest of these projects are there, older ones go. What was open last
// is a path in the settings.
#pragma once

#include <QString>

namespace lathe::app {

/// The path of a new project for the work on this model, in the folder of unsaved work; only the latest ones, and those that
/// are open, stay beside it. Empty where there is no such folder and none can be made.
QString newUnsavedProject(const QString& model);
bool isUnsavedProject(const QString& path);
/// Takes a project, which is not open, and what SQLite has written beside it, off the disk.
void removeProject(const QString& path);

/// The project that was open last; empty: none, or it is not there any more, or open elsewhere.
QString lastProject();
void setLastProject(const QString& path);

/// To be called before the last project is opened by itself, and when that has come to an end. False: the program ended in
/// between the last time; that is forgotten by asking.
bool beginWithLast();
void endWithLast();

} // namespace lathe::app
