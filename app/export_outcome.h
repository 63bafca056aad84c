// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the Engine made of an export, in the values that the wizard and the list of exports show.
#pragma once

#include "app/exported_bundle.h"
#include "views/models/exporting/export_change_model.h"
#include "views/models/exporting/export_request.h"

namespace lathe::app {

views::models::ExportPlan planOf(const deploy::PlannedBundle& bundle, const std::vector<Diagnostic>& warnings);
views::models::ExportEnd endOf(const ExportedBundle& exported);
/// Of an export that failed.
views::models::ExportEnd endOf(const Diagnostic& problem);
views::models::BundleFindings findingsOf(const ComparedBundles& compared);

} // namespace lathe::app
