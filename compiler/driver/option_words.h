// SPDX-License-Identifier: Apache-2.0
//
// What a model does not declare, in words: as the command line and the settings of the window take them. Each fails for a word
// that is none.
#pragma once

#include "driver/options.h"

namespace lathe::driver {

/// x=1,3,224,224 or x=n,3,224,224; -1 leaves a size open too, x= is of rank 0; n=5 is for the open size n.
Result<void> addShape(const std::string& word, Options& options);
/// x=int64; each input once
Result<void> addType(const std::string& word, Options& options);
/// rate=16000; each argument once
Result<void> addArgument(const std::string& word, Options& options);

/// The words of options.shapes and their names.
std::vector<std::string> shapeWords(const Options& options);

} // namespace lathe::driver
