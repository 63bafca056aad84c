// SPDX-License-Identifier: Apache-2.0
//
// The files of a model: what they share. Names that other files see begin with "lathe_NAME_", macros with "LATHE_NAME_".
#pragma once

#include "codegen/c/function.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe::codegen {

/// Whether all dims are numbers: then a caller knows the size without asking.
bool isFixed(const std::vector<Expr>& dims);
/// Bytes of a fixed tensor; an element narrower than a byte takes one.
int64_t bytesOf(const ModelTables::Value& value);
/// Whether a run needs the sizes of inputs, of outputs or of the arena to be told.
bool needsArgs(const CModel& model, const CModule& module);
/// Of the arena, over nothing; over the symbols it is a function's; nothing: only a run tells.
std::optional<int64_t> arenaBytes(const CModel& model);
/// Whether any output is random.
bool drawsRandom(const CModel& model);

std::string cHeader(const CModel& model, const CModule& module, int64_t stackBytes);
std::string cProgram(const CModel& model, const CModule& module);
std::string cLoader(const CModel& model);
/// "/* Made by Lathe … */" and what the file is.
std::string cTitle(const CModel& model, std::string_view what);

} // namespace lathe::codegen
