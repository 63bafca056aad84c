// SPDX-License-Identifier: Apache-2.0
//
// Every limit in one place but the runtime's, which stand in runtime/limits.h. Going over one is a Diagnostic that names
// the number, never a crash. How far an optimization goes is no limit: that stands with the optimization.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lathe::limits {

inline constexpr int64_t modelFileBytes = int64_t{1} << 36;      // 64 GiB with external data
inline constexpr int64_t protobufBytes = (int64_t{1} << 31) - 1; // protobuf's own
inline constexpr int64_t tensorElements = int64_t{1} << 40;      // dims of 0 left out; runtime/limits.h has the same
inline constexpr int64_t filledElements = int64_t{1} << 31;      // that a few numbers of a file ask for: fills, tiles
inline constexpr int64_t tensorBytes = int64_t{1} << 42;
inline constexpr int64_t npzArrayBytes = int64_t{1} << 32; // that a smaller file is unpacked to
inline constexpr int64_t npyTextBytes = int64_t{1} << 32;  // of a .npy file of strings, all as long as the longest
inline constexpr size_t zipEntries = 10'000;               // of one archive, or folder that is a model
inline constexpr size_t zipExpansion = 64;                 // how many times the archive a file of a model's may have
inline constexpr size_t programBytes = size_t{1} << 30;    // of one JSON text in a model
inline constexpr int tensorRank = 32;
inline constexpr int vectorLanes = 1024;                    // of a type that a text names
inline constexpr int graphNodes = 1'000'000;                // with functions in place of their calls
inline constexpr int blockNesting = 64;                     // If in Loop in If …, and functions in functions
inline constexpr int textNesting = 256;                     // brackets in IR text
inline constexpr int exprDepth = 256;                       // of a dim; deeper becomes a symbol or a diagnostic
inline constexpr int continuedNodes = 20'000;               // taken into the branches of an If whose results differ
inline constexpr int knownValueElements = 4096;             // of tensors that types may depend on
inline constexpr int scheduleSteps = 4096;                  // of one schedule's trace
inline constexpr int64_t evaluatorBytes = int64_t{1} << 28; // of one constant folding
inline constexpr int64_t foldedBytes = int64_t{1} << 29;    // of all that is folded or made dense while importing
inline constexpr int64_t foldingSteps = 20'000'000'000;     // of all constant folding: about 20 s
inline constexpr int64_t arenaBytes = int64_t{1} << 40;     // of one frame of intermediate values
inline constexpr int64_t stackBytes = int64_t{1} << 20;     // of functions that call themselves
inline constexpr size_t textScopes = 10'000;                // of statements in IR text
inline constexpr int64_t interpretedSteps = 100'000'000;    // of one run of loop IR
inline constexpr size_t sequenceParts = 100'000;            // that a sequence is split into

} // namespace lathe::limits
