// SPDX-License-Identifier: Apache-2.0
//
// What a compiled model computes on the way, value by value, against something that is held to be right: the same model
// without optional passes, the same under other numerics, or tensors in files. Values that code computes are made outputs of
// the model (Options::observe), which changes nothing else in it, and both run on the same inputs in children of their own.
// Where a value is wrong although nothing that it is made of is, the fault lies between the two: its nodes are named.
#pragma once

#include "data/compare.h"
#include "driver/session.h"
#include "inspect/input_choice.h"

#include <optional>
#include <variant>

namespace lathe::diagnose {

/// The compilation without optional passes.
struct AgainstUnoptimized {};
/// The compilation as it is by default, under these numerics.
struct AgainstNumerics {
    driver::NumericsLevel level = driver::NumericsLevel::Strict;
};
/// .npy and .pb files, or folders of them, each named by the value that it holds (driver/tensor_files.h has the rule), or
/// input_N and output_N by their places. What they hold of the model's inputs is what it runs on.
struct AgainstFiles {
    std::vector<std::filesystem::path> files;
};

using CheckAgainst = std::variant<AgainstUnoptimized, AgainstNumerics, AgainstFiles>;

struct CheckQuestion {
    CheckAgainst against;
    driver::Options options; // of what is checked, with its Decisions
    driver::Decisions decisions;
    inspect::InputChoice chosen; // inputs; its seed is that of random operators too
    driver::Shapes shapes;       // of the random ones
    data::Tolerance tolerance = data::Tolerance::Model;
    int64_t bytesAtOnce = int64_t{1} << 30; // of observed values; more are checked in several runs
    device::RunnerOptions runner;           // seed and cancellation are set from the above
};

enum class CheckState { Within, Diverges, NotCompared };

/// A value of the model's outermost graph.
struct CheckRow {
    std::string value;
    int32_t node = 0;           // that gives it, in the ModelGraph
    std::vector<int32_t> nodes; // that are computed with it, from the values before it on; ascending
    CheckState state = CheckState::NotCompared;
    std::string
        why; // NotCompared: "fused into 'fused_conv_relu_3'", "removed by 'fold constants'" …; Diverges: in words
    bool first = false; // Diverges, and nothing that it is computed from does
    DataType dtype;     // where it is computed
    std::vector<int64_t> shape;
    data::Comparison comparison; // of Within and Diverges
};

struct Check {
    CheckQuestion question;                     // that it answers
    std::vector<CheckRow> rows;                 // in the model's order: what is computed from a value comes behind it
    size_t nested = 0;                          // values within branches and loops, which are left out
    inspect::ChosenInputs inputs;               // that it ran on
    std::shared_ptr<const driver::Trace> trace; // of the compilation that was checked

    size_t count(CheckState state) const;
    /// Compared values with elements that are no finite numbers on both sides: nothing is known of them.
    size_t countNotFinite() const;
};

/// Fails if a compilation or a run fails, files cannot be read, name no value of the model or do not have its type and shape,
/// or the work is cancelled.
Result<Check> check(driver::Session& session, const CheckQuestion& question, const driver::Progress& progress = {});

/// One value as both computations give it. Of a Check only figures are kept, since all values of a network together are larger
/// than a machine's memory; what is asked for is computed again.
struct CheckedValue {
    std::string value;
    std::optional<model::HostTensor> got, expected; // at least one of them
    std::optional<model::HostTensor> difference;    // got - expected; of both, if their types and shapes are equal
    std::string why;                                // why one of them is not there, as in CheckRow
};

/// What `question` computes of a value that a node of the outermost graph gives: compiles and runs with this value alone
/// observed. Of a value that the compiled model does not compute, only what is expected. Fails as check() does, or if there
/// is neither.
Result<CheckedValue> checkedValue(driver::Session& session, const CheckQuestion& question, const std::string& value,
                                  const driver::Progress& progress = {});

/// got - expected, element by element: in float32 where both are floats of up to 32 bits, else in float64, in which integers
/// of more than 53 bits are rounded. NaN where either is, and where infinities are equal, 0. Nothing if types or shapes
/// differ, or they are texts.
std::optional<model::HostTensor> differenceOf(const model::HostTensor& got, const model::HostTensor& expected);

} // namespace lathe::diagnose
