// SPDX-License-Identifier: Apache-2.0
//
// Models and suites that ./dev puts below build/fixtures ($LATHE_FIXTURES), and whether one may be missing.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace lathe::testing {

/// The fixture at this path; empty if it is not there.
inline std::filesystem::path fixture(const std::string& path) {
    const char* folder = std::getenv("LATHE_FIXTURES");
    const auto found = std::filesystem::path(folder ? folder : LATHE_SOURCE_DIR "/build/fixtures") / path;
    return std::filesystem::exists(found) ? found : std::filesystem::path();
}

/// Whether the folder that archives of fixtures lie in is there: then a fixture that is missing is a failure.
inline bool fixturesExpected() {
    const char* folder = std::getenv("LATHE_SHARED");
    return std::filesystem::is_directory(folder ? folder : LATHE_SOURCE_DIR "/../shared");
}

} // namespace lathe::testing
