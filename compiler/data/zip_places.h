// SPDX-License-Identifier: Apache-2.0
//
// Where the files of a zip archive lie in it. An archive says so twice, in front of each file and in a directory at its end, and
// readers differ in which they believe. In one that nobody tampered with both have the same names, and no file lies in another.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <span>

namespace lathe::data {

/// Fails where a file's two names differ, or files overlap. What the directory is not read from is another reader's to refuse.
Result<void> checkZipPlaces(std::span<const std::byte> archive);

} // namespace lathe::data
