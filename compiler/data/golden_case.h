// SPDX-License-Identifier: Apache-2.0
//
// A golden case of a bundle, golden/NAME/: case.json, which says how outputs are compared, and the tensors in .npy files by
// ordinal. All of it may come from anywhere and is held against the model's types. What checks bundles, on a device and on a
// desk, reads and judges cases by this alone.
#pragma once

#include "base/result.h"
#include "data/compare.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::data {

struct GoldenCase {
    std::string name; // of its folder: "data-0", "random-0", "zeros", "largest"
    std::vector<model::HostTensor> inputs;
    std::vector<model::HostTensor> outputs; // fewer than the model has: of the others nothing is known
    std::vector<bool> compared;             // by output: not those that are drawn at random
    CompareRules rules;
};

/// The element types of a model's inputs and outputs.
struct ValueTypes {
    std::vector<DataType> inputs, outputs;
};

/// Fails with a Diagnostic that names the file: malformed, a type that the model does not have there, more or fewer inputs.
Result<GoldenCase> readCase(const std::filesystem::path& bundle, const std::string& name, const ValueTypes& types);

/// The tensor in a .npy file, of the type that the model has there. Fails with a Diagnostic that names the file.
Result<model::HostTensor> readTensor(const std::filesystem::path& path, DataType type);

/// What a case says of outputs.
struct CaseResult {
    std::vector<std::string> wrong; // a sentence for each output that is not as expected
    double ofRange = 0;             // the largest difference, as a share of the range of expected values
    int64_t elements = 0;           // that were compared
    int64_t nan = 0, infinite = 0;  // of them, on both sides: held equal, and nothing is known of these

    /// Elements that say something: those that are finite numbers.
    int64_t known() const { return elements - nan - infinite; }
    /// Why nothing or not all is known of the values: "3 of 8 values are not a number on both sides: …". Empty if all is.
    std::string unknown() const;
    /// No more than what is known of outputs that are not wrong: `right`, with what is unknown; or that it ran.
    std::string verdict(std::string_view right) const;
};
/// Outputs that are not compared are left out, and so are those that nothing is expected of. `names`: of the model's outputs.
CaseResult compareCase(const GoldenCase& golden, const std::vector<model::HostTensor>& got,
                       const std::vector<std::string>& names);

} // namespace lathe::data
