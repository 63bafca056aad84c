// SPDX-License-Identifier: Apache-2.0
//
// What a model takes and gives, as the files of its bundle say it: the same for all variants.
#pragma once

#include "deploy/manifest.h"
#include "device/runner_client.h"
#include "model/host_tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe::deploy {

struct ModelInterface {
    std::string name, version;
    std::vector<device::RunnerValue> inputs, outputs, states;
    std::vector<std::string> symbols; // in the artifact's order, -(index + 1) in dims
    SymbolRanges ranges;              // one for each symbol
    std::vector<bool> random;         // by output: no two runs agree on it
};

/// The ranges by the names that symbols have in the loaded artifact: those of the model are read too (model::sizeMeant). Fails
/// (kind Usage) for a symbol that it does not have, and for one that is given twice.
Result<SymbolRanges> bySymbol(const device::RunnerModel& loaded, const SymbolRanges& asked);

/// Of a loaded artifact; the ranges are some of its symbols. Fails for names that no manifest can hold.
Result<ModelInterface> interfaceOf(std::string name, std::string version, const device::RunnerModel& loaded,
                                   const SymbolRanges& asked);

std::vector<ManifestValue> manifestValues(const std::vector<device::RunnerValue>& values);

/// The dims of all inputs, symbols at their usual sizes or, where they have one, at their largest.
driver::Shapes usualShapes(const ModelInterface& interface);
driver::Shapes largestShapes(const ModelInterface& interface);

/// Which size of these inputs the ranges leave out, in words; nothing if they hold all.
std::optional<std::string> sizeOutside(const ModelInterface& interface, const std::vector<model::HostTensor>& inputs);

/// An identifier of C for each name, upper case, no two the same, nor with the suffixes that NAME.h gives them ("_DIMS" …):
/// "data:0" → "DATA_0".
std::vector<std::string> identifiersOf(const std::vector<std::string>& names);

/// A C string literal of any bytes, printable ASCII alone.
std::string cLiteral(std::string_view text);

/// NAME.h: ordinals, names, types, dims and symbols, NAME_check, NAME_load. C99.
std::string headerOf(const Manifest& manifest, const ModelInterface& interface, size_t goldenOutputs);

/// README.md. use: its paragraphs on how this form is checked and used.
std::string readmeOf(const Manifest& manifest, std::string_view use);

} // namespace lathe::deploy
