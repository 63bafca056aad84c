// SPDX-License-Identifier: Apache-2.0
#include "inspect/input_choice.h"

#include "driver/tensor_files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::inspect {
namespace {

/// Whether a tensor may be the input, or be in it.
bool fits(const model::HostTensor& tensor, const device::RunnerValue& input) {
    return tensor.dtype == input.dtype && std::ranges::equal(tensor.shape, input.dims, [](int64_t size, int64_t dim) {
               return dim < 0 || dim == size;
           });
}

} // namespace

Result<Tensors> readInputs(const std::vector<device::RunnerValue>& inputs, const driver::InputFiles& files) {
    std::vector<std::string> names;
    for (const device::RunnerValue& input : inputs)
        names.push_back(input.name);
    Tensors tensors;
    LATHE_TRY(const auto places, driver::placesOf(files, names));
    for (const auto& [name, file] : places) {
        const auto refused = [&](ErrorKind kind, std::string what, std::string hint) {
            Diagnostic problem = error(kind, std::move(what), std::move(hint));
            problem.file = file.string();
            return Failure(std::move(problem));
        };
        const auto input = std::ranges::find(inputs, name, &device::RunnerValue::name);
        if (input == inputs.end())
            return refused(ErrorKind::Usage, fmt::format("the model has no input '{}'", name),
                           names.empty() ? std::string("it has none")
                                         : fmt::format("its inputs are {}", fmt::join(names, ", ")));
        if (driver::isAbsent(input->form, file)) {
            tensors[name] = model::composed('o');
            continue;
        }
        auto tensor = driver::readValueFile(file, {input->dtype, name, input->form});
        if (!tensor)
            return refused(tensor.error().kind, fmt::format("for input '{}': {}", name, tensor.error().what),
                           tensor.error().hint);
        for (const auto& [part, each] : driver::namedParts(name, *tensor))
            if (!fits(*each, *input))
                return refused(ErrorKind::Invalid,
                               fmt::format("input '{}' is given as {}, but it is {} in the compiled model", part,
                                           model::formText(*each), device::typeText(*input)),
                               "give another, or none for random values");
        tensors[name] = *std::move(tensor);
    }
    return tensors;
}

driver::Shapes shapesBeside(const std::vector<device::RunnerValue>& inputs, const Tensors& given,
                            const driver::Shapes& asked) {
    std::map<int64_t, int64_t> sizes; // of symbols, as in RunnerValue::dims
    for (const device::RunnerValue& input : inputs)
        if (const auto tensor = given.find(input.name); tensor != given.end())
            for (size_t i = 0; i < std::min(input.dims.size(), tensor->second.shape.size()); ++i)
                if (device::isSymbol(input.dims[i]))
                    sizes.emplace(input.dims[i], tensor->second.shape[i]);
    driver::Shapes shapes;
    for (const auto& [name, dims] : asked) {
        if (given.contains(name))
            continue;
        const auto input = std::ranges::find(inputs, name, &device::RunnerValue::name);
        shapes.emplace_back(name, dims);
        if (input == inputs.end())
            continue; // inputShapes says so
        for (size_t i = 0; i < std::min(dims.size(), input->dims.size()); ++i)
            if (const auto size = sizes.find(input->dims[i]); size != sizes.end())
                shapes.back().second[i] = size->second;
    }
    return shapes;
}

Result<ChosenInputs> drawChosen(const std::vector<device::RunnerValue>& inputs, Tensors given,
                                const InputChoice& choice, const driver::Shapes& asked, const TakeInput& take,
                                const std::function<bool()>& cancelled) {
    LATHE_TRY(Tensors chosen, readInputs(inputs, choice.files));
    const driver::Shapes sizes = shapesBeside(inputs, chosen, asked);
    given.merge(std::move(chosen));
    LATHE_TRY(driver::Shapes shapes, drawInputs(inputs, given, sizes, choice.seed, take, cancelled));
    return ChosenInputs{std::move(shapes), drawnInputs(inputs, given), sizesTakenAsOne(inputs, given, sizes)};
}

} // namespace lathe::inspect
