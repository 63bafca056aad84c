// SPDX-License-Identifier: Apache-2.0
//
// The guess at what a file or folder is that no frontend knows.
#pragma once

#include "frontend/frontend.h"

#include <string>

namespace lathe::frontend {

/// What it seems to be and what to do, by its first bytes or the names of the files in it.
std::string guessFormat(const Source& source);

} // namespace lathe::frontend
