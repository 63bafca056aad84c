// SPDX-License-Identifier: Apache-2.0
//
// Tests on disk, ONNX's and fixtures of other formats: which there are below a path, and what running one gave.
#pragma once

#include "data/compare.h"
#include "device/runner_client.h"
#include "driver/compile.h"
#include "inspect/fixture.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lathe::cli {

/// A model and where its data lies: folders with input_N.pb and output_N.pb, a single output file for a light_ model, or the
/// fixture that it is of.
struct TestCase {
    std::filesystem::path model;
    std::vector<std::filesystem::path> dataSets;
    std::filesystem::path lightOutput;
    std::optional<inspect::Fixture> fixture = {};
};

/// Of a fixture its models; else DIR/model.onnx with DIR/test_data_set_*, DIR/X.onnx with DIR/ref_X, light_X.onnx with
/// light_X_output_0.pb. Sorted by path.
std::vector<TestCase> findTests(const std::vector<std::string>& paths);
/// The case of one model file.
TestCase testCaseOf(const std::filesystem::path& model);

struct TestResult {
    std::string path;
    std::string outcome;  // passed, wrong, accepted (what has to be refused), refused, crashed, timeout
    std::string op;       // "domain.Name-version" of what is not supported, if it was refused for an operator
    double ms = 0;        // all of it
    double compileMs = 0; // import and compilation
    std::string message;
};

/// Compiles, runs and compares; by way of C source if `cc` is a C compiler's command (CProgram::build). Never throws.
TestResult runTest(const TestCase& test, data::Tolerance tolerance, const driver::Options& options,
                   const driver::Decisions& decisions, device::RunnerClient& runner, const std::string& cc = {});

} // namespace lathe::cli
