// SPDX-License-Identifier: Apache-2.0
//
// The self-check of an unpacked bundle on the machine that it is meant for. Files are held against their hashes before any of
// them is loaded; then each artifact that this machine can run computes the golden cases; the first, which is the best, is
// timed and held against the limits of the manifest. A failing step ends what depends on it, and nothing else.
#pragma once

#include "runtime/linked_model.h"
#include "selfcheck/report.h"

#include <filesystem>

namespace lathe::selfcheck {

struct Wish {
    std::filesystem::path bundle = ".";
    int threads = 0;                            // of the runs; 0: all
    int repeat = 50;                            // timed runs at most; 0: none
    const lathe_linked_model* linked = nullptr; // instead of the bundle's artifacts: the model of this program
};

/// Says everything to `report`.
void checkBundle(const Wish& wish, Report& report);

} // namespace lathe::selfcheck
