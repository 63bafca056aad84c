// SPDX-License-Identifier: Apache-2.0
//
// Tests of any format, made by the formats' own engines: a folder with meta.json, one model (perhaps in several
// formats), and for each run inputs and outputs by name in .npz files. What meta.json says is not trusted: data lie in
// the folder itself.
#pragma once

#include "data/npz.h"
#include "device/runner_client.h"
#include "inspect/data_set.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::inspect {

struct FixtureRun {
    std::string inputs, outputs; // names of files in the folder
    std::string note;            // of a model in several formats: which it is for
    std::string signature;       // of a model that has several; empty: the usual one
    std::vector<std::string> inputOrder,
        outputOrder; // the names in the files, in the order of the model that gave them
    std::vector<std::pair<std::string, int64_t>> numbers; // inputs that are integers of a program, and in no file
    /// Arguments of a program that are no tensors, as Python writes them.
    std::vector<std::pair<std::string, std::string>> arguments = {};
};

struct Fixture {
    enum class Expect : uint8_t { Run, Refuse, Either };

    std::filesystem::path folder;
    std::string formats; // "TFLite"; of a model in several "ONNX+TFLite+Keras"
    Expect expect = Expect::Run;
    std::string why;              // it has to be refused
    std::string tolerance;        // in words: data/stated_tolerance.h
    std::string cut;              // the value that the runs are given to, if not the model's inputs
    std::vector<FixtureRun> runs; // in this order on one loaded model, which may keep state between them
};

/// Nothing: the folder holds no meta.json that names a format, and runs or what is expected; and, where it has no meta.json at all,
/// no inputs.npz with outputs.npz either, the first run of a model beside them (the next ones are inputs_1.npz and so on).
std::optional<Fixture> fixtureIn(const std::filesystem::path& folder);
/// The folder's meta.json is no JSON: it was one perhaps, and nothing says what of.
bool hasDamagedDescription(const std::filesystem::path& folder);

/// What a frontend knows in the folder, sorted; if there is nothing, what is called a model, so that it is refused.
std::vector<std::filesystem::path> modelsOf(const Fixture& fixture);

/// Those for this model: of several formats the runs whose note names its format, the ending of its name, or the
/// folder's name, if there are such.
std::vector<FixtureRun> runsOf(const Fixture& fixture, const std::filesystem::path& model);

/// For the driver, which may need sizes that the model does not say.
driver::InputFiles inputFilesOf(const Fixture& fixture, const FixtureRun& run);

/// Fails if a file that the run names is not there, which its model is innocent of.
Result<void> checkFiles(const Fixture& fixture, const FixtureRun& run);

/// As the files have them, by name, with numbers as tensors of rank 0.
struct RunArrays {
    data::NamedTensors inputs, outputs;
};
/// Fails if a file cannot be read.
Result<RunArrays> readRun(const Fixture& fixture, const FixtureRun& run, const device::RunnerModel& loaded);
/// In the model's order: by name, or where the model has not all of the names by the run's order (a format may have a name for
/// what people call and one for the tensor). Fails if neither fits.
Result<DataSet> byPosition(const RunArrays& arrays, const FixtureRun& run, const device::RunnerModel& loaded);

} // namespace lathe::inspect
