// SPDX-License-Identifier: Apache-2.0
//
// The check of a bundle that is a program: the program checks itself (compiler/selfcheck), in a child, and says so an object a
// line. What it says is as hostile as it is.
#pragma once

#include "deploy/check_bundle.h"

namespace lathe::deploy {

/// Runs `command`, whose program is that of the bundle, and hands each of its steps but those of files and limits to `step`;
/// what it measured comes into `check`. Fails if it does not end as it should. Throws Cancelled (base/guarded.h).
Result<void> checkProgram(const device::RunnerCommand& command, const OpenBundle& bundle, const CheckWish& wish,
                          const driver::Progress& progress, BundleCheck& check,
                          const std::function<void(std::string name, bool good, std::string text)>& step);

} // namespace lathe::deploy
