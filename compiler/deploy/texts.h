// SPDX-License-Identifier: Apache-2.0
//
// The files of a bundle that are the same for every model but for a few words: those of resources/bundle/, compiled in, with
// @WORDS@ to be replaced.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lathe::deploy {

/// The text of resources/bundle/NAME, of lathe_rt.hpp, of a file of the package lathe_rt or of the licence; a name that there is not is a bug.
std::string_view textOf(std::string_view name);

/// With @KEY@ replaced by the key's value. A key of the text that is missing is a bug.
std::string filled(std::string_view name, const std::map<std::string, std::string>& words);

} // namespace lathe::deploy
