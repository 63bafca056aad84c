// SPDX-License-Identifier: Apache-2.0
#include "inspect/states.h"

#include "driver/tensor_files.h"
#include "relay/element.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lathe::inspect {
namespace {

namespace fs = std::filesystem;
using device::RunnerValue;
using model::HostTensor;

Failure refusedState(ErrorKind kind, std::string what, std::string hint, const fs::path& file = {}) {
    Diagnostic problem = error(kind, std::move(what), std::move(hint));
    problem.file = file.string();
    return Failure(std::move(problem));
}

fs::path fileIn(const fs::path& folder, const RunnerValue& state) {
    return folder / (driver::fileNameOf(state.name) + ".npy");
}

/// Integers are whole numbers that the type has.
bool canHold(DataType dtype, double number) {
    if (dtype.isFloat())
        return true;
    std::vector<std::byte> element(static_cast<size_t>(dtype.bytes()));
    relay::writeInt(element.data(), dtype, static_cast<int64_t>(number));
    return std::abs(number) < 9e18 && std::floor(number) == number &&
           static_cast<double>(relay::readInt(element.data(), dtype)) == number;
}

Result<HostTensor> filled(const RunnerValue& state, double number) {
    const auto bytes = model::byteSize(state.dtype, state.dims);
    if (!bytes || state.dtype == types::String || !canHold(state.dtype, number))
        return refusedState(
            ErrorKind::Usage,
            fmt::format("state '{}' is {} and cannot begin as {}", state.name, device::typeText(state), number),
            "give a number that the type has, or a file");
    HostTensor tensor{state.dtype, state.dims, std::vector<std::byte>(static_cast<size_t>(*bytes)), {}};
    const auto width = static_cast<size_t>(state.dtype.bytes());
    for (size_t at = 0; at + width <= tensor.bytes.size(); at += width)
        if (state.dtype.isFloat())
            relay::writeFloat(&tensor.bytes[at], state.dtype, number);
        else
            relay::writeInt(&tensor.bytes[at], state.dtype, static_cast<int64_t>(number));
    return tensor;
}

Result<HostTensor> fromFile(const RunnerValue& state, const fs::path& file) {
    auto tensor = driver::readTensorFile(file, {state.dtype, state.name});
    if (!tensor)
        return refusedState(tensor.error().kind, fmt::format("for state '{}': {}", state.name, tensor.error().what),
                            tensor.error().hint, file);
    if (tensor->dtype != state.dtype || tensor->shape != state.dims)
        return refusedState(ErrorKind::Invalid,
                            fmt::format("state '{}' is given as {}[{}], but it is {} in the compiled model", state.name,
                                        toString(tensor->dtype), fmt::join(tensor->shape, ","),
                                        device::typeText(state)),
                            "give another, or begin as the model says", file);
    return tensor;
}

} // namespace

std::optional<double> numberIn(const std::string& text) {
    double number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc() && end == text.data() + text.size() && std::isfinite(number) ? std::optional(number)
                                                                                              : std::nullopt;
}

Result<Tensors> readStates(const std::vector<RunnerValue>& states, const StateBeginnings& beginnings) {
    Tensors values;
    for (const auto& [name, text] : beginnings) {
        const auto state = std::ranges::find(states, name, &RunnerValue::name);
        if (state == states.end()) {
            std::vector<std::string> names;
            for (const RunnerValue& each : states)
                names.push_back(each.name);
            return refusedState(ErrorKind::Usage, fmt::format("the model has no state '{}'", name),
                                names.empty() ? std::string("it keeps nothing from one run to the next")
                                              : fmt::format("its states are {}", fmt::join(names, ", ")));
        }
        const std::optional<double> number = numberIn(text);
        LATHE_TRY(values[name], number ? filled(*state, *number) : fromFile(*state, text));
    }
    return values;
}

Result<Tensors> keptStates(const std::vector<RunnerValue>& states, const fs::path& folder) {
    StateBeginnings files;
    const RunnerValue* missing = nullptr;
    std::error_code unknown;
    for (const RunnerValue& state : states)
        if (const fs::path file = fileIn(folder, state); fs::exists(file, unknown))
            files[state.name] = file.string();
        else
            missing = &state;
    if (files.empty())
        return Tensors();
    if (missing)
        return refusedState(
            ErrorKind::Invalid, fmt::format("state '{}' is not in the folder, and others are", missing->name),
            "they are of another model: begin anew with --reset-states, or name another folder", folder);
    Tensors values;
    for (const RunnerValue& state : states) {
        LATHE_TRY(values[state.name], fromFile(state, files.at(state.name)));
    }
    return values;
}

Result<void> keepStates(const std::vector<RunnerValue>& states, const std::vector<HostTensor>& values,
                        const fs::path& folder) {
    std::error_code failed; // the file says so
    fs::create_directories(folder, failed);
    for (size_t i = 0; i < std::min(states.size(), values.size()); ++i)
        LATHE_CHECKED(driver::writeNpy(fileIn(folder, states[i]), values[i]));
    return {};
}

Result<void> setStates(device::RunnerClient& runner, const Tensors& values) {
    LATHE_CHECKED(runner.resetStates());
    for (const auto& [name, value] : values)
        LATHE_CHECKED(runner.setState(name, value));
    return {};
}

} // namespace lathe::inspect
