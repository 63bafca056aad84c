// SPDX-License-Identifier: Apache-2.0
//
// What a model is run with: some inputs from files, or from a folder of data, the others drawn at random.
#pragma once

#include "inspect/inputs.h"

namespace lathe::inspect {

struct InputChoice {
    uint64_t seed = 0; // of what is drawn
    driver::InputFiles files = {};

    bool operator==(const InputChoice&) const = default;
};

/// The tensors, lists and optionals of the files; an optional without a file in the folder is absent. Fails with a Diagnostic that names file and input: if the model has no such input, if the folder
/// lacks one, if the file cannot be read, or if it is of another type or other sizes than the input.
Result<Tensors> readInputs(const std::vector<device::RunnerValue>& inputs, const driver::InputFiles& files);

/// Sizes that are asked for, as far as the given tensors leave them open: they say their own dims, and those of others that
/// must equal them.
driver::Shapes shapesBeside(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                            const driver::Shapes& asked);

/// What a model is run with, and what of it nobody chose.
struct ChosenInputs {
    driver::Shapes shapes;               // of all
    std::vector<std::string> drawn;      // as drawnInputs has them
    std::vector<std::string> takenAsOne; // as sizesTakenAsOne has them
};

/// drawInputs with the files of the choice as well, and by its seed. Given tensors go before files; what files say of sizes
/// goes before what is asked for.
Result<ChosenInputs> drawChosen(const std::vector<device::RunnerValue>& inputs, Tensors given,
                                const InputChoice& choice, const driver::Shapes& asked, const TakeInput& take,
                                const std::function<bool()>& cancelled = {});

} // namespace lathe::inspect
