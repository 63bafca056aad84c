// SPDX-License-Identifier: Apache-2.0
//
// From lowered loop IR to C99: the second code generator, for machines that no object can be made for and for compilers
// that only their owners have. A model becomes one file of code and one header; they need libc and libm, one thread and the
// memory that the caller gives. What each node means is what codegen/llvm makes of it; loops are plain loops, for the
// compiler that gets them to vectorize. All functions here are thread-safe.
#pragma once

#include "codegen/codegen.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::codegen {

/// Where a model's constants are.
enum class CWeights : uint8_t {
    Auto,  // arrays up to cArrayBytes, else a file
    File,  // little-endian, in a file that the caller loads
    Arrays // in a file of C
};
/// Text of C is ten times as long as what it says, and compilers take a second for a few of these.
inline constexpr int64_t cArrayBytes = 256 * 1024;

/// A lowered model. Kernels and entry must hold no vectors (the pass "vectorize" was off) and must be legalized for a target
/// without conversions of float16.
struct CModel {
    std::string name; // as cIdentifier makes one: of files, and with "lathe_" before it of all that others see
    ModelTables tables;
    std::vector<tir::PrimFuncPtr> kernels; // in the order of tables.kernels
    tir::PrimFuncPtr entry;
    std::vector<arith::Var> symbols; // in the order of tables.symbols
    /// Over the symbols; what an output's dim is otherwise, only a run tells.
    std::vector<std::vector<arith::Expr>> inputDims, outputDims;
    arith::Expr peakBytes;             // of the arena; null: only a run tells
    CWeights weights = CWeights::File; // not Auto
    std::vector<DataType> constants;   // their element types, in the order of tables.constants
    int64_t weightBytes = 0;           // of the file
    uint64_t weightHash = 0;           // cHash of the file
};

/// The text of NAME.h, NAME.c, NAME_main.c, a program that runs the model on files, and, where there is a file of weights,
/// NAME_load.c, which reads it.
struct CFiles {
    std::string header, source, program, loader;
};
/// The same text for the same model. Throws InternalError for a model that is not as CModel says.
CFiles emitC(const CModel& model);

/// FNV-1a with 64 bits, by which a loader knows the file of weights; of parts one after the other.
uint64_t cHash(std::span<const std::byte> bytes, uint64_t before = 0xcbf29ce484222325U);

/// The beginning of NAME_weights.c, then each constant in turn: `index` is its place in tables.constants, `bytes` are
/// little-endian.
std::string cWeightsHead(const CModel& model);
std::string cWeightsArray(const CModel& model, size_t index, std::span<const std::byte> bytes);

/// An identifier's part made of any text: letters, digits and single underscores, at most 64, as a bundle's name
/// has; "model" if nothing is left.
std::string cIdentifier(std::string_view text);

/// The target that code in C is scheduled for: one core of `like`, with its registers, caches and vectors, but neither fused multiply-adds, which
/// are the compiler's to make, nor conversions of float16, which C99 has not.
Target cTarget(Target like);

} // namespace lathe::codegen
