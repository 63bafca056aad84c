// SPDX-License-Identifier: Apache-2.0
//
// How a linked shared object becomes the beginning of an artifact: one more segment, the last one, for constants and trailer, and
// one more section, so that tools keep it (they take what no section holds for nothing). The linker's table of segments has no
// room for one more. But it begins with an entry that only tells where the table itself is, which shared objects do not need
// (those of GNU ld have none): the others move up, and the new one comes behind the last that is loaded.
#pragma once

#include "abi/abi.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lathe::artifact {

struct ImageLayout {
    std::vector<std::byte> head; // the file up to the constants: code, with its headers changed, and padding
    std::vector<std::byte> tail; // what follows the trailer: names of sections, and their table
    lathe_trailer trailer{};     // its hash of the constants is still to be set
};

/// For constants of so many bytes; `apart`: in a file of their own. Throws InternalError for what codegen::linkShared does not make.
ImageLayout layOut(std::span<const std::byte> sharedObject, uint64_t constantBytes, bool apart);

} // namespace lathe::artifact
