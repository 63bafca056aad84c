// SPDX-License-Identifier: Apache-2.0
//
// The commands of `lathe bundle`, each from its arguments to an exit code, and what they have in common.
#pragma once

#include "app/cli/commands.h"
#include "deploy/bundle_model.h"

namespace lathe::cli {

/// What the arguments say goes before what a file of options says.
Result<deploy::BundleOptions> bundleOptions(const BundleArgs& args, const Common& common);
/// A line a step of the work; where standard error is a terminal, the same line.
driver::Progress progressOf(const Common& common);
/// The exit code of what is wrong, which it reports: that of an interrupt, where one cancelled the work.
int reported(const Diagnostic& problem, const Common& common);
/// What prevents an answer is 2 or 3, or an interrupt.
int prevented(const Diagnostic& problem, const Common& common);

int makeBundle(const BundleArgs& args, const Common& common);
int checkBundle(const BundleArgs& args, const Common& common);
int describeBundle(const BundleArgs& args, const Common& common);
int diffBundles(const BundleArgs& args, const Common& common);
int reproduceBundle(const BundleArgs& args, const Common& common);
int makeImage(const BundleArgs& args, const Common& common);

} // namespace lathe::cli
