// SPDX-License-Identifier: Apache-2.0
//
// What a model keeps from one run to the next, as a run begins: as the model says, as somebody wishes, or as it was left in files
// by a run before.
#pragma once

#include "inspect/inputs.h"

namespace lathe::inspect {

/// How states are to begin, by name: a number that all elements are, or a file with the elements (.npy, .npz, .pb).
using StateBeginnings = std::map<std::string, std::string>;

/// The number that a text is; nothing: it is none, and names a file.
std::optional<double> numberIn(const std::string& text);

/// The values. Fails with a Diagnostic that names state and file: if the model has no such state, if the file cannot be read, or
/// if it is of another type or other sizes than the state.
Result<Tensors> readStates(const std::vector<device::RunnerValue>& states, const StateBeginnings& beginnings);

/// Those that keepStates left in a folder; none: it was not written yet. Fails if some of the states have no file there.
Result<Tensors> keptStates(const std::vector<device::RunnerValue>& states, const std::filesystem::path& folder);
/// Writes a .npy file for each state, in their order, and makes the folder for them.
Result<void> keepStates(const std::vector<device::RunnerValue>& states, const std::vector<model::HostTensor>& values,
                        const std::filesystem::path& folder);

/// The next run of a loaded model begins with these, and with what the model says of the others.
Result<void> setStates(device::RunnerClient& runner, const Tensors& values);

} // namespace lathe::inspect
