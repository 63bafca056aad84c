// SPDX-License-Identifier: Apache-2.0
//
// What a compilation is asked for, as opposed to Decisions, which say how it is done. A value: prints and parses as JSON,
// so that a project file, a child process and a report of a fault carry the same thing.
#pragma once

#include "codegen/c_source.h"
#include "codegen/target.h"
#include "driver/input_files.h"
#include "model/cut.h"
#include "model/size_name.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::driver {

struct Extensions; // driver/extensions.h

enum class NumericsLevel { Strict, Default };
std::string_view toString(NumericsLevel level); // "strict", "default"
Result<NumericsLevel> parseNumerics(std::string_view text);
/// As a file has it: earlier versions knew "fast" too, by which they did what Default does.
Result<NumericsLevel> keptNumerics(std::string_view text);

/// What a compilation makes: an artifact, a file; or C source, a folder of files (driver/c_source.h).
enum class Form { Artifact, CSource };

struct Options {
    Target target = codegen::nativeTarget();
    /// What one thread of the target reads from main memory in the time of a float32 multiply-add, where it was measured
    /// (measuredBalance of inspect/machine_peaks.h); else base/machine_model.h knows it by CPU.
    std::optional<double> bytesPerMultiplyAdd;
    int threads = 0; // for compiling; 0: all cores
    NumericsLevel numerics = NumericsLevel::Default;
    bool verify = false; // verifiers after each pass
    bool cache = true;
    bool emitCode = true; // false: stop when the entry is made; the Trace then has all but code
    Form form = Form::Artifact;
    /// Of an artifact, File: in NAME.weights beside NAME.so; else in it, which Arrays cannot be.
    codegen::CWeights weights = codegen::CWeights::Auto;
    std::string name; // of C source: of its files and functions; empty: the model file's
    /// Fixed sizes: by symbol name, and by input name.
    std::vector<std::pair<std::string, int64_t>> symbols;
    Shapes shapes;
    /// Names of sizes that stay open, as if the model declared them.
    model::SizeNames sizeNames;
    /// Of a model that has several, by which people call its graphs; empty: the only one, else the usual one.
    std::string signature;
    /// Which part of the model is compiled.
    model::Cut cut;
    /// Where the model does not declare them: element types of inputs, and values of arguments that are no tensors, as the
    /// format's language writes them.
    std::vector<std::pair<std::string, DataType>> types;
    std::vector<std::pair<std::string, std::string>> arguments;
    /// Sizes by input name that are fixed only if the model cannot be imported without: for a run, whose compilation serves all
    /// sizes otherwise.
    Shapes shapesAtNeed;
    /// Files that a run takes its inputs from: their sizes too are fixed at need, and they are read at need alone.
    InputFiles inputsAtNeed;
    /// Values of the model that it gives as further outputs, where code computes them: the artifact's outputs say which.
    /// What else it computes, and how, does not depend on it.
    std::vector<std::string> observe;

    /// Decided variants, layouts and pairs to be kept apart that this target does not offer are left out, with a note: for a
    /// compilation of several that are decided together. Else they are errors.
    bool offeredAlone = false;

    /// Operators and passes beside Lathe's own; null: none. The one thing that no JSON holds: it is code, or was read from
    /// files, and who reads Options elsewhere has his own.
    std::shared_ptr<const Extensions> extensions;

    bool operator==(const Options&) const = default;
};

std::string_view toString(codegen::CWeights weights); // "auto", "file", "arrays"
Result<codegen::CWeights> parseWeights(std::string_view text);

/// {"target":"x86_64-…","threads":0,"numerics":"default","verify":false,"cache":true,"emit_code":true,
/// "form":"c","weights":"auto","name":"mnist",
/// "symbols":{"n":1},"shapes":{"x":[1,3]},"size_names":{"y":["n",""]},
/// "signature":"score","cut":{"inputs":["audio"],"outputs":["logits"]},"shapes_at_need":{"y":[4]},
/// "types":{"x":"int64"},"arguments":{"rate":"16000"},
/// "inputs_at_need":{"files":{"z":"z.npy"},"folder":"data"},"bytes_per_multiply_add":0.5,
/// "observe":["conv1"],"offered_alone":true}; what stands at its default may be left out. The target is all of it, as
/// codegen::parseTarget reads it.
std::string toJson(const Options& options);
/// What is not named stays at its default. Unknown keys and values out of range are errors; a "level", which earlier versions
/// wrote and nothing ever went by, is passed over.
Result<Options> parseOptions(std::string_view json);

} // namespace lathe::driver
