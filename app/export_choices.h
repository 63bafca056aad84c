// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the export wizard is given to choose from, and who says whether a choice is good: what `lathe bundle` and the machine know.
#pragma once

#include "app/compilation.h"
#include "deploy/bundle_options.h"
#include "views/models/exporting/export_request.h"

namespace lathe::app {

/// For the model of this file. `trace`: of its compilation or, before that, its import.
views::models::ExportChoices exportChoices(const QString& model, const driver::Options& settings,
                                           const TracePtr& trace);

/// What `lathe bundle` makes of the command that the wizard names, but for decisions. What Lathe does not know of a form, a
/// target, a part or a device (of a project that is newer) counts as not chosen.
deploy::BundleOptions bundleOptionsOf(const views::models::ExportRequest& request, const driver::Options& compile);

/// Settings as arguments of the command line.
QStringList argumentsOf(const driver::Options& settings);

/// What is wrong, and in brackets what to do.
QString withHint(const Diagnostic& problem);

} // namespace lathe::app
