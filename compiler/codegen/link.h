// SPDX-License-Identifier: Apache-2.0
//
// Links that end in no shared object: a static library of one model, and a program that holds it. LLD and LLVM's tools do
// them in process; all functions here are thread-safe, and the same inputs give the same bytes.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::codegen {

/// The symbol of a model in a static library: "NAME_lathe_model", which no symbol of the runtime ends in. Bytes that are none of
/// an identifier stand as two digits between underscores. Never the same for two names that are identifiers.
std::string linkedSymbol(std::string_view name);

/// An archive (`ar`) with one member, `member`: all objects linked into one in which only `symbol` is seen from outside, so
/// that several such libraries go into one program. Fails with the linker's words, for undefined symbols of any other
/// library too.
Result<std::vector<std::byte>> linkLibrary(const std::vector<std::vector<std::byte>>& objects,
                                           const std::filesystem::path& moreObjects, const std::string& symbol,
                                           const std::string& member);

/// What static programs are linked of, in a folder of a runtime package: start-up files, and an archive of all else.
inline constexpr const char* programParts[] = {"crt1.o",   "crti.o", "crtbeginT.o", "liblathe_program.a",
                                               "crtend.o", "crtn.o"};

/// Arguments of ld.lld for a static program of the parts in `folder`, which lack a model, and of the model in `library`,
/// `symbol`. What a README names is what was run.
std::vector<std::string> programArguments(const std::string& folder, const std::string& library,
                                          const std::string& symbol);

/// The program. Fails with the linker's words.
Result<std::vector<std::byte>> linkProgram(const std::filesystem::path& folder, const std::filesystem::path& library,
                                           const std::string& symbol);

} // namespace lathe::codegen
