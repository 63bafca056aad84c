// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a file of a bundle.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <utility>

namespace lathe::deploy {

/// A Failure that names the file.
inline Failure fileFailure(const std::filesystem::path& file, std::string what, std::string hint = {}) {
    Diagnostic problem = error(std::move(what), std::move(hint));
    problem.file = file.string();
    return Failure(std::move(problem));
}

} // namespace lathe::deploy
