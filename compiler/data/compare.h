// SPDX-License-Identifier: Apache-2.0
//
// When a result is right: the strict rule of ONNX's backend tests, the rule for whole networks, relative to the output's
// range, and what a test states of itself.
#pragma once

#include "base/result.h"
#include "model/host_tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::data {

enum class Tolerance { Onnx, Model };
std::string_view toString(Tolerance tolerance); // "onnx", "model"
/// Fails, with kind Usage, for what is neither.
Result<Tolerance> parseTolerance(std::string_view text);
/// What the rule for networks depends on.
enum class NetworkKind { Float, Half, Quantized };

/// What a test says that its outputs may differ by (data/stated_tolerance.h reads it). Types and shapes are exact; so
/// are bools, and integers unless it speaks of steps.
struct StatedTolerance {
    double ofLargest = 0; // of floats: as a share of max|expected|, but no less than one rounding of a narrow type
    double steps = 0;     // of integers, and of floats that were integers with a scale
    double step = 0;      // that scale; 0: the smallest distance between two values that are expected
    bool isMean = false;  // steps are those of the mean difference: what is stated holds for single operators
    bool shapeOnly = false;
};

struct CompareRules {
    Tolerance tolerance = Tolerance::Onnx;
    NetworkKind network = NetworkKind::Float;
    double relative = 1e-3, absolute = 1e-7;    // of the strict rule
    double absoluteOfRange = 0;                 // strict: absolute grows to this share of max|expected|
    std::optional<StatedTolerance> stated = {}; // holds in place of all the others
};

struct Comparison {
    bool right = true;
    std::string message;  // how it differs: type, shape, or elements, worst index, got, expected
    double ofRange = 0;   // d / m: largest difference over largest finite expected magnitude
    double normRatio = 0; // 2-norm of the difference over that of expected
    /// Of numbers of one type and shape. Infinite where one of the two is no finite number and they are not equal, and for
    /// strings that differ.
    double largest = 0; // difference
    double ofLimit =
        0; // the largest share of what an element may differ by; above 1 is wrong. Infinite where none is allowed
    int64_t beyond = 0;           // elements that differ by more
    int64_t worst = -1;           // the one with the largest share, by its place in memory; -1: all are equal
    double got = 0, expected = 0; // there
    int64_t elements = 0;         // of one type and shape: so many were compared
    /// That are the same in both and no finite number: NaN, or the same infinity. They are held equal, and say nothing.
    int64_t nan = 0, infinite = 0;
};

/// got against expected; element types and shapes must be equal, as must the lengths of lists and what optionals have. NaN equals NaN alone, infinities equal themselves.
Comparison compare(const model::HostTensor& got, const model::HostTensor& expected, const CompareRules& rules);

/// "3 of 1000 values are not a number on both sides", or infinite, or both; empty if there are none.
std::string notFiniteText(const Comparison& comparison);

/// "[0,2,5]": the index of an element by its place in memory.
std::string indexText(const std::vector<int64_t>& shape, int64_t place);

/// Elements as doubles, exact for every float type and for integers to 53 bits.
std::vector<double> toDoubles(const model::HostTensor& tensor);

} // namespace lathe::data
