// SPDX-License-Identifier: Apache-2.0
//
// `lathe bundle`: which of its commands is meant, and what they all report by.
#include "app/cli/bundle_steps.h"
#include "app/cli/interrupts.h"

#include <algorithm>

namespace lathe::cli {

driver::Progress progressOf(const Common& common) {
    driver::Progress progress = makeProgress(common);
    progress.cancelled = Interrupts::asked;
    return progress;
}

int reported(const Diagnostic& problem, const Common& common) {
    const int code = report({problem}, common);
    return problem.kind == ErrorKind::Cancelled ? Interrupts::code() : code;
}

int prevented(const Diagnostic& problem, const Common& common) {
    return std::max(2, reported(problem, common));
}

int bundleCommand(const BundleArgs& args, const Common& common) {
    switch (args.what) {
    case BundleArgs::Do::Check:
        return checkBundle(args, common);
    case BundleArgs::Do::Info:
        return describeBundle(args, common);
    case BundleArgs::Do::Diff:
        return diffBundles(args, common);
    case BundleArgs::Do::Reproduce:
        return reproduceBundle(args, common);
    case BundleArgs::Do::Image:
        return makeImage(args, common);
    default:
        return makeBundle(args, common);
    }
}

} // namespace lathe::cli
