// SPDX-License-Identifier: Apache-2.0
//
// The runtime for a kind of machine, as the build makes it and bundles take it: a folder named after the triple with
// lib/liblathe_rt.so.1, lib/liblathe_rt.a, include/lathe/*.h, bin/lathe-check and runtime.json.
#pragma once

#include "base/result.h"
#include "base/target.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::deploy {

struct RuntimePackage {
    std::string triple;
    std::filesystem::path folder;
    std::vector<std::string> files; // plain files below it, sorted, relative
    std::string glibc, glibcxx;     // the oldest versions that its shared library runs with, as runtime.json says
};

/// Where packages are looked for, in this order: `named`, if it is not empty, alone; else the user's own
/// ($XDG_DATA_HOME/lathe/runtimes), and what came with this program (../share/lathe/runtimes beside it).
std::vector<std::filesystem::path> runtimeFolders(const std::filesystem::path& named);

/// Fails, saying where it was looked for and what to do, if there is none or if it lacks something.
Result<RuntimePackage> findRuntime(const Target& target, const std::filesystem::path& named);

} // namespace lathe::deploy
