// SPDX-License-Identifier: Apache-2.0
//
// Files that inputs of a model come from, and the sizes that they say.
#pragma once

#include "base/data_type.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::model {
struct ModelGraph;
struct ValueType;
} // namespace lathe::model

namespace lathe::driver {

/// Sizes by the name of an input, in the order in which they were given.
using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;
/// Element types by the name of an input.
using ElementTypes = std::vector<std::pair<std::string, DataType>>;

struct InputFiles {
    std::map<std::string, std::string> byName = {}; // .npy, .npz or .pb
    std::string folder = {}; // with input_N.pb for each input that has no file by name; empty: none

    bool empty() const { return byName.empty() && folder.empty(); }
    bool operator==(const InputFiles&) const = default;
};

/// "FOLDER/input_N.pb"; `what` is "input" or "output".
std::filesystem::path dataFile(const std::filesystem::path& folder, std::string_view what, size_t number);

/// Fails if a folder of data has more inputs than a model: what is a default in the model cannot be given, and would be taken
/// for another input.
Result<void> noneBeyond(const std::filesystem::path& folder, size_t inputs);

/// Where each input comes from, by name: those of these names, in the model's order, and those that have a file by name. Fails
/// where the folder has more.
Result<std::map<std::string, std::filesystem::path>> placesOf(const InputFiles& files,
                                                              const std::vector<std::string>& inputs);

/// lathe_value_desc::form of a declared type; empty for a tensor, and for what can be neither.
std::string formOf(const model::ValueType& type);

/// The dims and element types of the tensors in the files, by name; of lists and optionals their rank, all open, where there is
/// one. An optional that has no file in the folder is absent. Fails, with a Diagnostic that names the file, where one cannot
/// be read.
struct GivenTypes {
    Shapes shapes;
    ElementTypes types;
};
Result<GivenTypes> givenTypes(const InputFiles& files, const model::ModelGraph& graph);

/// Whether an input of this form is an optional that has no file, so that it is absent.
bool isAbsent(std::string_view form, const std::filesystem::path& file);

/// Whether a tensor has the sizes that are not left open (-1).
bool agrees(const std::vector<int64_t>& shape, const std::vector<int64_t>& asked);

/// The sizes that a run asks for, and those of what it is given, as far as they do not contradict.
Shapes shapesOfRun(const Shapes& asked, const Shapes& given);

} // namespace lathe::driver
