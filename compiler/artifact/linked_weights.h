// SPDX-License-Identifier: Apache-2.0
//
// The constants of a model as an object file (ELF, relocatable), for programs that hold the model: a section of data, and the
// lathe_linked_model (runtime/linked_model.h) that leads to it and to the model's tables.
#pragma once

#include "artifact/artifact.h"

#include <string>

namespace lathe::artifact {

/// So many bytes of constants lie within reach of code; x86-64 has 2 GiB for all of a program.
inline constexpr int64_t linkedBytes = int64_t{2'000'000'000};

/// Writes the object. It defines `symbol`, needs `lathe_model`, and is for the machine that `like`, an object, is for. Fails
/// for constants of more than linkedBytes.
Result<void> writeLinkedWeights(const std::filesystem::path& path, std::span<const std::byte> like,
                                const std::string& symbol, const std::vector<ConstantSource>& constants);

} // namespace lathe::artifact
