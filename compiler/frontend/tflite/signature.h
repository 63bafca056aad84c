// SPDX-License-Identifier: Apache-2.0
//
// Where a model begins. A file may name its graphs by signatures, with words of their own for inputs and outputs: those
// that people know. A file without has its first graph, by the names of its tensors.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tflite {
struct Model;
}

namespace lathe::frontend::tflite {

struct Signature {
    std::string key; // empty: the file has none that is chosen
    size_t subgraph = 0;
    std::map<int32_t, std::string> inputs, outputs; // names by the tensors' indices
};

/// The keys of those that the file has, sorted.
std::vector<std::string> signaturesOf(const ::tflite::Model& model);

/// The one that is asked for; if that is empty the only one, else `serving_default`, else the first graph. Every tensor that it
/// names is an input or output of its graph. Fails (kind Usage) where there is none that is called so.
Result<Signature> chooseSignature(const ::tflite::Model& model, const std::string& asked);

} // namespace lathe::frontend::tflite
