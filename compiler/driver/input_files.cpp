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

std::map<std::string, std::filesystem::path> placesOf(const InputFiles& files, const std::vector<std::string>& inputs) {
    std::map<std::string, std::filesystem::path> places(files.byName.begin(), files.byName.end());
    for (size_t i = 0; i < inputs.size() && !files.folder.empty(); ++i)
        places.try_emplace(inputs[i], dataFile(files.folder, "input", i));
    return places;
}

Result<Shapes> shapesOf(const InputFiles& files, const model::ModelGraph& graph) {
    std::vector<std::string> names;
    for (const model::Value& input : graph.graph->inputs)
        names.push_back(input.name);
    Shapes shapes;
    for (const auto& [name, file] : placesOf(files, names)) {
        LATHE_TRY(const model::HostTensor tensor, readTensorFile(file));
        shapes.emplace_back(name, tensor.shape);
    }
    return shapes;
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
