// SPDX-License-Identifier: Apache-2.0
//
// What the classifiers and regressors of ai.onnx.ml make of their scores.
#pragma once

#include "frontend/common/node_reader.h"

#include <optional>

namespace lathe::frontend::onnx {

/// Scores [n, classes] after a transform by its name: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT.
Var transformed(Builder& b, Var scores, const std::string& transform);

/// Both scores, [n, 2], of two classes that have one score between them, [n, 1]: that of the second, and what speaks for
/// the first: 1 less it, or, if `isSigned`, its negative. No transform but LOGISTIC is applied to them, as ONNX Runtime has it;
/// PROBIT is refused.
Var bothScores(NodeReader& node, Builder& b, Var score, bool isSigned, const std::string& transform);

/// The labels of classes, integers or strings.
struct ClassLabels {
    Var all;
    int64_t count;
};
/// Of two classes or more; nothing, and a fault, if there are fewer. integers: the name of the attribute that has labels
/// which are integers.
std::optional<ClassLabels> readLabels(NodeReader& node, Builder& b, const std::string& integers);
/// labels[index]: [n] of [n].
Var labelOf(Builder& b, const ClassLabels& labels, Var index);
/// Where the one score, [n, 1], is over the threshold the second class, else the first: [n].
Var classOver(Builder& b, Var score, double threshold);
/// The class with the highest of the scores [n, classes], the first of equals: [n].
Var bestClass(Builder& b, Var scores);

} // namespace lathe::frontend::onnx
