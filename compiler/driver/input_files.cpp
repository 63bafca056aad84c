// SPDX-License-Identifier: Apache-2.0
#include "driver/input_files.h"

#include "driver/tensor_files.h"
#include "model/model_graph.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {

std::filesystem::path dataFile(const std::filesystem::path& folder, std::string_view what, size_t number) {
    return folder / fmt::format("{}_{}.pb", what, number);
}

Result<void> noneBeyond(const std::filesystem::path& folder, size_t inputs) {
    const std::filesystem::path next = dataFile(folder, "input", inputs);
    std::error_code unknown;
    if (!std::filesystem::exists(next, unknown))
        return {};
    Diagnostic problem = error(fmt::format("there is no input {}: the model takes {}", inputs, inputs),
                               "number the files by the inputs that have no value in the model itself");
    problem.file = next.string();
    return Failure(std::move(problem));
}

Result<std::map<std::string, std::filesystem::path>> placesOf(const InputFiles& files,
                                                              const std::vector<std::string>& inputs) {
    if (!files.folder.empty())
        LATHE_CHECKED(noneBeyond(files.folder, inputs.size()));
    std::map<std::string, std::filesystem::path> places(files.byName.begin(), files.byName.end());
    for (size_t i = 0; i < inputs.size() && !files.folder.empty(); ++i)
        places.try_emplace(inputs[i], dataFile(files.folder, "input", i));
    return places;
}

std::string formOf(const model::ValueType& type) {
    using Kind = model::ValueType::Kind;
    std::string form;
    const model::ValueType* at = &type;
    for (; at && (at->kind == Kind::Sequence || at->kind == Kind::Optional); at = at->element.get())
        form += at->kind == Kind::Sequence ? 'l' : 'o';
    return form;
}

namespace {

DataType dtypeOf(const model::ValueType& type) {
    const model::ValueType* at = &type;
    while (at->element && at->kind != model::ValueType::Kind::Map)
        at = at->element.get();
    return at->dtype;
}

/// The first tensor in it; null if there is none.
const model::HostTensor* firstTensor(const model::HostTensor& value) {
    if (!value.isComposed())
        return &value;
    for (const model::HostTensor& part : value.parts)
        if (const model::HostTensor* tensor = firstTensor(part))
            return tensor;
    return nullptr;
}

} // namespace

Result<GivenTypes> givenTypes(const InputFiles& files, const model::ModelGraph& graph) {
    std::vector<std::string> names;
    std::map<std::string_view, const model::ValueType*> types;
    for (const model::Value& input : graph.graph->inputs) {
        names.push_back(input.name);
        types.emplace(input.name, &input.type);
    }
    GivenTypes given;
    LATHE_TRY(const auto places, placesOf(files, names));
    for (const auto& [name, file] : places) {
        const auto type = types.find(name);
        const std::string form = type == types.end() ? "" : formOf(*type->second);
        if (isAbsent(form, file))
            continue;
        auto value =
            readValueFile(file, {type == types.end() ? lathe::types::Void : dtypeOf(*type->second), name, form});
        if (!value) {
            value.error().what = fmt::format("for input '{}': {}", name, value.error().what);
            return Failure(std::move(value).error());
        }
        if (const model::HostTensor* tensor = firstTensor(*value)) {
            given.shapes.emplace_back(name, value->isComposed() ? std::vector<int64_t>(tensor->shape.size(), -1)
                                                                : tensor->shape);
            given.types.emplace_back(name, tensor->dtype);
        }
    }
    return given;
}

bool isAbsent(std::string_view form, const std::filesystem::path& file) {
    std::error_code unknown;
    return form.starts_with('o') && !std::filesystem::exists(file, unknown);
}

bool agrees(const std::vector<int64_t>& shape, const std::vector<int64_t>& asked) {
    return std::ranges::equal(shape, asked, [](int64_t size, int64_t wish) { return wish < 0 || size == wish; });
}

Shapes shapesOfRun(const Shapes& asked, const Shapes& given) {
    Shapes shapes = asked;
    for (const auto& [name, shape] : given)
        if (const auto own = std::ranges::find(asked, name, &Shapes::value_type::first);
            own == asked.end() || agrees(shape, own->second))
            shapes.emplace_back(name, shape);
    return shapes;
}

} // namespace lathe::driver
